"""all-MiniLM-L6-v2 in onnxruntime: one thread, fp32, one text per run."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the official ``model.safetensors``."""


class SequenceLimit(msgspec.Struct, frozen=True, kw_only=True):
    """The field of ``sentence_bert_config.json`` we follow: longer texts are cut, as the reference does."""

    max_seq_length: int


class MiniLM:
    """Satisfies ``Encoder``. Made by ``load``; safe to call from several threads."""

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer, dimension: int, name: str) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.dimension = dimension
        self.name = name

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, 384) float32, rows L2-normalised; 5-15 ms a short text on one core, linear in the number of texts."""
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for number, text in enumerate(texts):
            ids = np.array(self._tokenizer.encode(text).ids, dtype=np.int64)
            (vector,) = self._session.run(["vector"], {"ids": ids})
            rows[number] = cast("npt.NDArray[np.float32]", vector)[0]
        return rows


def load(folder: Path, sha256: str, cache: Path) -> MiniLM:
    """Open the model of a folder, building its graph on first use.

    Args:
        folder: a model folder in the sentence-transformers layout.
        sha256: of its ``model.safetensors``, as verified by ``resolve``.
        cache: folder for built graphs.
    """
    from onnxruntime import InferenceSession, SessionOptions  # pyright: ignore[reportAttributeAccessIssue] (native)
    from tokenizers import Tokenizer

    path = graph_path(cache, sha256)
    if not path.exists():
        _build(folder, path)
    options = SessionOptions()
    # More threads spin against each other on a shared machine: 27 ms became 196 ms a question with two (measured).
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    limit = msgspec.json.decode((folder / "sentence_bert_config.json").read_bytes(), type=SequenceLimit)
    tokenizer.enable_truncation(limit.max_seq_length)
    tokenizer.no_padding()
    dimension = cast(int, session.get_outputs()[0].shape[1])
    return MiniLM(session, tokenizer, dimension, encoder_name(sha256))


def encoder_name(sha256: str) -> str:
    """The name of the encoder with these weights."""
    return f"all-MiniLM-L6-v2-{sha256[:8]}"


def graph_path(cache: Path, sha256: str) -> Path:
    """Where the graph of these weights is kept; named by weights and graph format, so that it is never stale."""
    from .bert_graph import GRAPH_FORMAT

    return cache / f"minilm-{sha256[:32]}-graph{GRAPH_FORMAT}.onnx"


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _build(folder: Path, path: Path) -> None:
    """Write the graph so that a kill leaves the whole file or none, also with two processes building at once."""
    from safetensors.numpy import load_file

    from .bert_graph import BertShape, build

    shape = msgspec.json.decode((folder / "config.json").read_bytes(), type=BertShape)
    model = build(load_file(folder / "model.safetensors"), shape)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
        file.write(model.SerializeToString())
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
