"""The ONNX graph of a cross-encoder on MiniLM: the token ids of two texts in one sequence, one probability out.

Built like ``bert_graph``, from which the layers are; one pair per run, for the same reason. The head reads the mean
over the tokens of each text after the last layer.
"""

from __future__ import annotations

import math

import numpy as np
from onnx import ModelProto, TensorProto, checker, helper

from .bert_graph import OPSET, BertShape, Graph, Weights, layer

PAIR_GRAPH_FORMAT = 1
"""Part of the name of a cached graph. Raise it when anything below changes what is written."""


def build_pair(weights: Weights, shape: BertShape) -> ModelProto:
    """The whole cross-encoder.

    Args:
        weights: tensors of a ``BertModel`` by name, and of the head: ``head.hidden`` and ``head.out``, each with
            ``.weight`` and ``.bias``; float32.
        shape: sizes, from the model's ``config.json``.

    Returns:
        A checked model: inputs ``ids`` (tokens,) and ``types`` (tokens,) int64, 0 for the tokens of the first text and
        1 for those of the second; output ``probability`` (1, 1) float32.
    """
    graph = Graph(weights)
    x = _embeddings(graph, shape)
    graph.constant("split_heads", np.array([0, shape.num_attention_heads, -1], dtype=np.int64))
    graph.constant("join_heads", np.array([0, -1], dtype=np.int64))
    width = shape.hidden_size // shape.num_attention_heads
    graph.constant("scale", np.array(1.0 / math.sqrt(width), dtype=np.float32))
    for number in range(shape.num_hidden_layers):
        x = layer(graph, x, f"encoder.layer.{number}", shape)
    _head(graph, x)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "pair-scorer",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["tokens"]) for name in ("ids", "types")],
            [helper.make_tensor_value_info("probability", TensorProto.FLOAT, [1, 1])],
            graph.initializers,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=10,
    )
    checker.check_model(model)
    return model


def _embeddings(graph: Graph, shape: BertShape) -> str:
    """Word + position + type embeddings."""
    words = graph.constant("words", graph.weights["embeddings.word_embeddings.weight"])
    places = graph.constant("positions", graph.weights["embeddings.position_embeddings.weight"])
    kinds = graph.constant("kinds", graph.weights["embeddings.token_type_embeddings.weight"])
    graph.constant("zero", np.array([0], dtype=np.int64))
    length = graph.op("Shape", ["ids"], "length")
    position = graph.op("Slice", [places, "zero", length], "position")
    word = graph.op("Gather", [words, "ids"], "word", axis=0)
    kind = graph.op("Gather", [kinds, "types"], "kind", axis=0)
    placed = graph.op("Add", [word, position], "placed")
    embedded = graph.op("Add", [placed, kind], "embedded")
    return graph.layer_norm(embedded, "embeddings.LayerNorm", shape.layer_norm_eps)


def _head(graph: Graph, x: str) -> str:
    """Means of both texts, side by side, through one hidden layer."""
    graph.constant("row", np.array([1, -1], dtype=np.int64))
    graph.constant("one", np.array(1.0, dtype=np.float32))
    second = graph.op("Cast", ["types"], "second.flat", to=TensorProto.FLOAT)
    second = graph.op("Reshape", [second, "row"], "second")
    first = graph.op("Sub", ["one", second], "first")
    means: list[str] = []
    for name, flags in (("first", first), ("second", second)):
        total = graph.op("MatMul", [flags, x], f"{name}.sum")
        count = graph.op("ReduceSum", [flags], f"{name}.count", keepdims=1)
        means.append(graph.op("Div", [total, count], f"{name}.mean"))
    both = graph.op("Concat", means, "both", axis=1)
    hidden = graph.linear(both, ["head.hidden"], "head.hidden.out")
    active = graph.op("Gelu", [hidden], "head.active", approximate="none")
    out = graph.linear(active, ["head.out"], "head.logit")
    return graph.op("Sigmoid", [out], "probability")
