# pyright: basic, reportMissingImports=false
"""Train the scorer of pairs: ``python -m ops.training.train --data DIR --out FILE``. See README.md in this folder."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from ops.evaluate.data import Data
from ops.evaluate.pairs import PAIRS_FILE, SCORED_FOLD
from ops.model import find, load_encoder
from ops.scoring.weights import Card
from streams.classify.wording import WORDING

from .examples import (
    FILLERS,
    TIMELINES,
    Example,
    labelled_examples,
    own_examples,
    sha256,
    timelines,
    unrelated_examples,
)
from .network import ALPHA, MAX_TOKENS, RANK, Network, fit
from .thresholds import choose_thresholds

SEED = 1
FIRST_EPOCHS, FIRST_RATE = 4, 2.5e-3
"""On what is our own."""

EPOCHS, RATE = 6, 1.5e-3
"""On all."""


def main() -> None:
    """Train on our own timelines, then on these and four folds of the pairs; choose thresholds on the fifth."""
    import torch
    from safetensors.numpy import save_file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of test data, for its pairs")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(2)
    torch.manual_seed(SEED)
    model = find()
    if model.sha256 is None:
        raise SystemExit("the base is all-MiniLM-L6-v2")
    network = Network(Path(model.location))
    own, pairs = _examples(Data(options.data))
    fit(network, network.lower(own), own, epochs=FIRST_EPOCHS, rate=FIRST_RATE, seed=SEED, say=print)
    known = [*own, *(pair for pair in pairs if pair.fold != SCORED_FOLD)]
    fit(network, network.lower(known), known, epochs=EPOCHS, rate=RATE, seed=SEED, say=print)
    unseen = [pair for pair in pairs if pair.fold == SCORED_FOLD]
    sure, possible = choose_thresholds([e.ends for e in unseen], network.probabilities(network.lower(unseen)).tolist())
    card = Card(
        base_sha256=model.sha256, wording=WORDING, scale=ALPHA / RANK, max_tokens=MAX_TOKENS, sure=sure,
        possible=possible,
        training_sha256={path.name: sha256(path) for path in (TIMELINES, FILLERS, options.data / "pairs" / PAIRS_FILE)},
    )  # fmt: skip
    save_file(network.trained(), options.out, metadata={"card": msgspec.json.encode(card).decode()})


def _examples(data: Data) -> tuple[list[Example], list[Example]]:
    told = timelines()
    texts = sorted({line.text for timeline in told for line in timeline.said})
    vectors = dict(zip(texts, load_encoder().encode(texts), strict=True))
    fillers = FILLERS.read_text(encoding="utf-8").splitlines()
    own = [*own_examples(told, vectors, SEED), *unrelated_examples(told, fillers, SEED)]
    return own, labelled_examples(data.pairs())


if __name__ == "__main__":
    main()
