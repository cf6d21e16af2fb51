"""``streams.classify.protocol.Scorer`` in onnxruntime: MiniLM with trained adapters. One pair per run, on one core.

A pair's score depends on nothing but the pair: no batch, no padding. 8-15 ms a pair on one core; scores of pairs seen
before are remembered, because an open session is linked again with every revision.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import numpy as np
import numpy.typing as npt

from streams.classify.wording import WORDING

from .weights import SHIPPED, AddedWeights, merged, read_weights

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

REMEMBERED = 65_536
"""Scores kept in memory, about 300 bytes each."""

DIGITS = 3
"""Decimals of a score: what differs between two machines' arithmetic lies far below."""


class StaleWeightsError(RuntimeError):
    """The weights were trained on another wording of pairs: train again (ops/training), or use the former version."""


class PairScorer:
    """Satisfies ``Scorer``. Made by ``load_scorer``; safe to call from several threads."""

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer, added: AddedWeights) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._lock = threading.Lock()
        self.name = f"minilm-pairs-{added.sha256[:8]}"
        self.sure = added.card.sure
        self.possible = added.card.possible

    def score(self, texts: Sequence[tuple[str, str]]) -> list[float]:
        """Probabilities, rounded, in order."""
        return [self._score(pair) for pair in texts]

    def _score(self, pair: tuple[str, str]) -> float:
        with self._lock:
            known = self._known.get(pair)
            if known is not None:
                self._known.move_to_end(pair)
                return known
        encoding = self._tokenizer.encode(*pair)
        ids, types = (np.array(numbers, dtype=np.int64) for numbers in (encoding.ids, encoding.type_ids))
        (probability,) = self._session.run(["probability"], {"ids": ids, "types": types})
        score = round(float(cast("npt.NDArray[np.float32]", probability)[0, 0]), DIGITS)
        with self._lock:
            self._known[pair] = score
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return score


def load_scorer(folder: Path, sha256: str, cache: Path, weights: Path = SHIPPED) -> PairScorer | None:
    """Open the scorer on a model folder, building its graph on first use.

    Args:
        folder: of the base model, in the sentence-transformers layout.
        sha256: of its weights, as verified.
        cache: folder for built graphs.
        weights: the trained part.

    Returns:
        None when the trained part is for another base model.

    Raises:
        StaleWeightsError: see there.
    """
    from onnxruntime import InferenceSession, SessionOptions  # pyright: ignore[reportAttributeAccessIssue] (native)
    from tokenizers import Tokenizer

    added = read_weights(weights)
    if added.card.base_sha256 != sha256:
        return None
    if added.card.wording != WORDING:
        raise StaleWeightsError(f"{weights} is for wording {added.card.wording}, this version words pairs as {WORDING}")
    path = graph_path(cache, added.sha256)
    if not path.exists():
        _build(folder, added, path)
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(added.card.max_tokens)
    tokenizer.no_padding()
    return PairScorer(session, tokenizer, added)


def graph_path(cache: Path, sha256: str) -> Path:
    """Where the graph of these weights is kept; named by weights and graph format, so that it is never stale."""
    from views.encoder.pair_graph import PAIR_GRAPH_FORMAT

    return cache / f"pairs-{sha256[:32]}-graph{PAIR_GRAPH_FORMAT}.onnx"


def _build(folder: Path, added: AddedWeights, path: Path) -> None:
    """Write the graph so that a kill leaves the whole file or none, also with two processes building at once."""
    from safetensors.numpy import load_file

    from views.encoder.bert_graph import BertShape
    from views.encoder.pair_graph import build_pair

    shape = msgspec.json.decode((folder / "config.json").read_bytes(), type=BertShape)
    head = {name: tensor for name, tensor in added.tensors.items() if name.startswith("head.")}
    model = build_pair(merged(load_file(folder / "model.safetensors"), added) | head, shape)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
        file.write(model.SerializeToString())
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
