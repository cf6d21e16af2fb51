# pyright: basic, reportMissingImports=false
"""The network as it is trained: MiniLM with low-rank adapters in its upper layers, and a head over both texts' means.

The lower layers stay as they are, so what they make of every example is computed once. Needs torch and transformers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import AutoTokenizer, BertModel

from .examples import Example

FROZEN_LAYERS = 3
RANK, ALPHA = 16, 32
HIDDEN = 64
DROPOUT = 0.1
MAX_TOKENS = 80
BATCH = 16
SMOOTHING = 0.03
"""A label is held for this likely to be wrong."""

Lower = tuple[torch.Tensor, torch.Tensor]
"""Of one example: its tokens after the frozen layers (tokens, width), and to which text each belongs."""


class Adapted(nn.Module):
    """A linear layer with a low-rank product beside it: W x + scale · B A x. Only A and B are trained."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.randn(RANK, base.in_features) / math.sqrt(base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + (x @ self.a.T) @ self.b.T * (ALPHA / RANK)


class Network(nn.Module):
    """One logit per pair."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.bert = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="sdpa")
        self.bert.requires_grad_(False)
        for layer in self.bert.encoder.layer[FROZEN_LAYERS:]:
            own = layer.attention.self
            own.query, own.key, own.value = Adapted(own.query), Adapted(own.key), Adapted(own.value)
            layer.attention.output.dense = Adapted(layer.attention.output.dense)
            layer.intermediate.dense, layer.output.dense = (
                Adapted(layer.intermediate.dense),
                Adapted(layer.output.dense),
            )
        self.hidden = nn.Linear(2 * self.bert.config.hidden_size, HIDDEN)
        self.out = nn.Linear(HIDDEN, 1)
        self.drop = nn.Dropout(DROPOUT)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def forward(self, x: torch.Tensor, second: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        for layer in self.bert.encoder.layer[FROZEN_LAYERS:]:
            x = _state(layer(x, _masked(mask)))
        known = mask[..., None].float()
        new = second[..., None].float() * known
        old = known - new
        means = [(x * flags).sum(1) / flags.sum(1) for flags in (old, new)]
        return self.out(self.drop(nn.functional.gelu(self.hidden(self.drop(torch.cat(means, 1)))))).squeeze(1)

    @torch.no_grad()
    def lower(self, examples: Sequence[Example]) -> list[Lower]:
        """Every example after the frozen layers, in batches of like lengths."""
        self.bert.eval()
        texts = [e.older for e in examples], [e.newer for e in examples]
        encoded = self.tokenizer(*texts, truncation="longest_first", max_length=MAX_TOKENS)
        ids, types = encoded["input_ids"], encoded["token_type_ids"]
        made: list[Lower | None] = [None] * len(examples)
        order = sorted(range(len(examples)), key=lambda i: len(ids[i]))
        for first in range(0, len(order), 2 * BATCH):
            batch = order[first : first + 2 * BATCH]
            known = [torch.ones(len(ids[i]), dtype=torch.long) for i in batch]
            padded = [_padded([torch.tensor(rows[i]) for i in batch]) for rows in (ids, types)]
            x = self.bert.embeddings(input_ids=padded[0], token_type_ids=padded[1])
            for layer in self.bert.encoder.layer[:FROZEN_LAYERS]:
                x = _state(layer(x, _masked(_padded(known))))
            for row, i in enumerate(batch):
                made[i] = (x[row, : len(ids[i])].clone(), torch.tensor(types[i]))
        return [one for one in made if one is not None]

    @torch.no_grad()
    def probabilities(self, lower: Sequence[Lower]) -> np.ndarray:
        """One per pair, in order."""
        self.eval()
        return np.array([float(torch.sigmoid(self(*_batch([one])))) for one in lower])

    def trained(self) -> dict[str, np.ndarray]:
        """Adapters and head under the names ``ops.scoring`` reads, half precision."""
        tensors: dict[str, np.ndarray] = {}
        for name, value in self.named_parameters():
            if value.requires_grad:
                plain = name.removeprefix("bert.") if name.startswith("bert.") else f"head.{name}"
                tensors[plain] = value.detach().numpy().astype(np.float16)
        return tensors


def fit(
    network: Network,
    lower: Sequence[Lower],
    examples: Sequence[Example],
    *,
    epochs: int,
    rate: float,
    seed: int,
    say: Callable[[str], None],
) -> None:
    """Train: AdamW, a tenth of the steps up and then straight down. The same seed and threads give the same weights."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    wanted = torch.tensor([SMOOTHING + (1 - 2 * SMOOTHING) * example.ends for example in examples])
    weights = torch.tensor([0.8 if example.fold is None else 1.0 for example in examples])
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    steps, step = epochs * math.ceil(len(examples) / BATCH), 0
    for epoch in range(epochs):
        network.train()
        losses: list[float] = []
        for batch in _shuffled(lower, chance):
            optimiser.param_groups[0]["lr"] = rate * min(1, (step + 1) / (0.1 * steps)) * max(0.02, 1 - step / steps)
            logits = network(*_batch([lower[i] for i in batch]))
            loss = nn.functional.binary_cross_entropy_with_logits(logits, wanted[batch], weights[batch])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
            losses.append(float(loss.detach()))
            step += 1
        say(f"epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.4f}")


def _shuffled(lower: Sequence[Lower], chance: random.Random) -> list[list[int]]:
    """Batches of like lengths, in a shuffled order."""
    order = list(range(len(lower)))
    chance.shuffle(order)
    runs = [order[i : i + 8 * BATCH] for i in range(0, len(order), 8 * BATCH)]
    runs = [sorted(run, key=lambda i: len(lower[i][1])) for run in runs]
    batches = [run[i : i + BATCH] for run in runs for i in range(0, len(run), BATCH)]
    chance.shuffle(batches)
    return batches


def _batch(some: Sequence[Lower]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    known = [torch.ones(len(second), dtype=torch.long) for _, second in some]
    return _padded([x for x, _ in some]), _padded([second for _, second in some]), _padded(known)


def _padded(rows: Sequence[torch.Tensor]) -> torch.Tensor:
    return nn.utils.rnn.pad_sequence(list(rows), batch_first=True)


def _masked(mask: torch.Tensor) -> torch.Tensor:
    return (1 - mask[:, None, None].float()) * -1e9


def _state(made: torch.Tensor | tuple[torch.Tensor, ...]) -> torch.Tensor:
    return made[0] if isinstance(made, tuple) else made
