"""The ONNX graph of all-MiniLM-L6-v2, built from its safetensors weights, without torch.

The graph takes the token ids of one text and returns its unit vector. One text per run is a choice, not a limit: a row
of a padded batch differs in its last bits from the same text alone, and vectors here must not depend on what else is
encoded. Hence no batch axis, no padding and no attention mask: a mean over an unpadded text is the masked mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper

GRAPH_FORMAT = 1
"""Part of the name of a cached graph. Raise it when anything below changes what is written."""

OPSET = 20
"""The first opset with Gelu as one operator; LayerNormalization is one since 17."""

Weights = Mapping[str, npt.NDArray[np.float32]]


class BertShape(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a Hugging Face ``config.json`` the graph depends on; others in the file are not read."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float
    hidden_act: str


class Graph:
    """Collects nodes and initializers; every method returns the name of its output."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def linear(self, x: str, names: list[str], output: str) -> str:
        """One matrix product for one or several ``nn.Linear`` of the same input, outputs side by side."""
        weight = np.concatenate([self.weights[f"{name}.weight"] for name in names])
        bias = np.concatenate([self.weights[f"{name}.bias"] for name in names])
        w, b = self.constant(f"{output}.weight", weight), self.constant(f"{output}.bias", bias)
        return self.op("Gemm", [x, w, b], output, transB=1)

    def layer_norm(self, x: str, name: str, epsilon: float) -> str:
        scale = self.constant(f"{name}.weight", self.weights[f"{name}.weight"])
        bias = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        return self.op("LayerNormalization", [x, scale, bias], name, axis=-1, epsilon=epsilon)


def build(weights: Weights, shape: BertShape) -> ModelProto:
    """The whole encoder: embeddings, layers, mean pooling, L2 normalisation.

    Args:
        weights: tensors of a Hugging Face ``BertModel``, by name, float32.
        shape: sizes, from the model's ``config.json``.

    Returns:
        A checked model: input ``ids`` (tokens,) int64, output ``vector`` (1, hidden) float32.

    Raises:
        ValueError: another activation than exact gelu; the file is not the model this graph is for.
    """
    if shape.hidden_act != "gelu":
        raise ValueError(f"hidden_act is {shape.hidden_act!r}; this graph is for exact gelu")
    graph = Graph(weights)
    x = _embeddings(graph, shape)
    graph.constant("split_heads", np.array([0, shape.num_attention_heads, -1], dtype=np.int64))
    graph.constant("join_heads", np.array([0, -1], dtype=np.int64))
    width = shape.hidden_size // shape.num_attention_heads
    graph.constant("scale", np.array(1.0 / math.sqrt(width), dtype=np.float32))
    for number in range(shape.num_hidden_layers):
        x = layer(graph, x, f"encoder.layer.{number}", shape)
    graph.constant("token_axis", np.array([0], dtype=np.int64))
    pooled = graph.op("ReduceMean", [x, "token_axis"], "pooled", keepdims=1)
    graph.op("LpNormalization", [pooled], "vector", axis=-1, p=2)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, ["tokens"])],
            [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, shape.hidden_size])],
            graph.initializers,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=10,
    )
    checker.check_model(model)
    return model


def _embeddings(graph: Graph, shape: BertShape) -> str:
    """Word + position + type embeddings. There is one segment, so its type row is added to the positions here."""
    weights = graph.weights
    words = graph.constant("words", weights["embeddings.word_embeddings.weight"])
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    graph.constant("positions", places)
    graph.constant("zero", np.array([0], dtype=np.int64))
    length = graph.op("Shape", ["ids"], "length")
    position = graph.op("Slice", ["positions", "zero", length], "position")
    word = graph.op("Gather", [words, "ids"], "word", axis=0)
    summed = graph.op("Add", [word, position], "embedded")
    return graph.layer_norm(summed, "embeddings.LayerNorm", shape.layer_norm_eps)


def layer(graph: Graph, x: str, at: str, shape: BertShape) -> str:
    """One transformer block: self-attention and feed-forward, each with a residual and a layer norm after it."""
    attended = _attention(graph, x, f"{at}.attention")
    projected = graph.linear(attended, [f"{at}.attention.output.dense"], f"{at}.attention.projected")
    residual = graph.op("Add", [projected, x], f"{at}.attention.residual")
    x = graph.layer_norm(residual, f"{at}.attention.output.LayerNorm", shape.layer_norm_eps)
    wide = graph.linear(x, [f"{at}.intermediate.dense"], f"{at}.wide")
    active = graph.op("Gelu", [wide], f"{at}.active", approximate="none")
    narrow = graph.linear(active, [f"{at}.output.dense"], f"{at}.narrow")
    residual = graph.op("Add", [narrow, x], f"{at}.residual")
    return graph.layer_norm(residual, f"{at}.output.LayerNorm", shape.layer_norm_eps)


def _attention(graph: Graph, x: str, at: str) -> str:
    """Multi-head self-attention over all tokens; (tokens, hidden) in and out."""
    joined = graph.linear(x, [f"{at}.self.query", f"{at}.self.key", f"{at}.self.value"], f"{at}.qkv")
    parts = [f"{at}.q", f"{at}.k", f"{at}.v"]
    graph.nodes.append(helper.make_node("Split", [joined], parts, name=f"{at}.split", axis=1, num_outputs=3))
    heads = [graph.op("Reshape", [part, "split_heads"], f"{part}.heads") for part in parts]
    query = graph.op("Transpose", [heads[0]], f"{at}.q.t", perm=[1, 0, 2])
    key = graph.op("Transpose", [heads[1]], f"{at}.k.t", perm=[1, 2, 0])
    value = graph.op("Transpose", [heads[2]], f"{at}.v.t", perm=[1, 0, 2])
    product = graph.op("MatMul", [query, key], f"{at}.product")
    scaled = graph.op("Mul", [product, "scale"], f"{at}.scaled")
    weight = graph.op("Softmax", [scaled], f"{at}.weight", axis=-1)
    mixed = graph.op("MatMul", [weight, value], f"{at}.mixed")
    back = graph.op("Transpose", [mixed], f"{at}.mixed.t", perm=[1, 0, 2])
    return graph.op("Reshape", [back, "join_heads"], f"{at}.context")
