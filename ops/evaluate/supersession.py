"""Suite ``supersession``: which old statements the system retires, against the annotation of LoCoMo.

A predicted pair is an effective ``updates`` edge as ``state`` shows it: the old statement and what it is superseded by.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec

from query.api import StateEntry
from schemas.ids import SpaceKey

from .curve import Point, add_links, curve
from .data import GoldPair, number_of, sample_numbers
from .gate import Gated, as_statement, gate_recall
from .intervals import unit_around
from .matching import Gold, Matched, Predicted, Turn, distance, match, turns
from .memory import after_last
from .suite import Scores, Task, share


class Tally(msgspec.Struct, kw_only=True):
    """Counts over conversations."""

    predicted: int = 0
    neutral: int = 0
    right: int = 0
    gold: int = 0
    traps: int = 0
    trapped: int = 0
    dated: int = 0
    retired_wrongly: int = 0
    updated_wrongly: int = 0
    events: int = 0
    reachable: int = 0
    gated: int = 0
    pool_gated: int = 0
    possible: int = 0
    curve: list[Point] = msgspec.field(default_factory=curve)


def run(task: Task) -> Scores:
    """Import every conversation that has gold, and compare."""
    samples = task.data.samples()
    tally, details = Tally(), list[str]()
    for place in sample_numbers(samples, task.samples):
        number = number_of(samples, place)
        gold = task.data.gold(number)
        if gold:
            space = task.memory.import_locomo(task.data.locomo, place)
            details += _add(tally, task, space, gold, place)
    return _scores(tally, details)


def _add(tally: Tally, task: Task, space: SpaceKey, gold: Sequence[GoldPair], place: int) -> list[str]:
    entries = task.memory.statements(space, 0)
    entries = task.memory.statements(space, after_last(entries))
    wanted, dates = _golden(gold, "supersession"), {pair.id: pair for pair in gold}
    traps = _golden(gold, "trap")
    predicted = predicted_pairs(entries)
    found = match(predicted, wanted, traps)
    links = task.memory.system.edges(space, None, None).entries
    tally.possible += add_links(tally.curve, links, {entry.event.id: _turns(entry) for entry in entries}, wanted, traps)
    tally.predicted += len(predicted)
    tally.neutral += len(found.neutral)
    tally.right += len(found.pairs)
    tally.gold += len(wanted)
    tally.traps += len(traps)
    tally.trapped += len(found.trapped)
    tally.dated += sum(_is_dated(predicted[p], dates[wanted[g].id]) for p, g in found.pairs)
    tally.events += len(entries)
    over = [entry for entry in entries if entry.validity == 0 and not _is_old_side(entry, wanted)]
    tally.retired_wrongly += len(over)
    tally.updated_wrongly += sum(bool(entry.superseded_by) for entry in over)
    said = [as_statement(message) for message in task.memory.messages(task.data.locomo, place)]
    gated = gate_recall(said, [entry.event for entry in entries], wanted, task.memory.encoder)
    tally.gated += gated.messages
    tally.pool_gated += gated.statements
    return _told(place, predicted, wanted, found, entries, gated)


def predicted_pairs(entries: Sequence[StateEntry]) -> list[Predicted]:
    """Every effective update, in a fixed order."""
    by_id = {entry.event.id: entry for entry in entries}
    found = [
        Predicted(
            old_id=entry.event.id,
            new_id=by.event_id,
            old=_turns(entry),
            new=_turns(by_id[by.event_id]),
            ended_at=entry.valid_until,
        )
        for entry in entries
        for by in entry.superseded_by
        if by.event_id in by_id
    ]
    return sorted(found, key=lambda pair: (pair.old_id, pair.new_id))


def _turns(entry: StateEntry) -> tuple[Turn, ...]:
    return turns(source.message_id for source in entry.event.sources)


def _golden(gold: Sequence[GoldPair], kind: str) -> list[Gold]:
    return [
        Gold(id=pair.id, old=turns(pair.old.dia_ids), new=turns(pair.new.dia_ids))
        for pair in gold
        if pair.kind == kind and pair.new is not None
    ]


def _is_dated(pair: Predicted, gold: GoldPair) -> bool:
    """Whether the end lies in the gold date's interval of its precision."""
    if gold.valid_until is None or pair.ended_at is None:
        return False
    start, until = unit_around(date.fromisoformat(gold.valid_until), gold.valid_until_precision or "day")
    return start <= pair.ended_at < until


def _is_old_side(entry: StateEntry, gold: Sequence[Gold]) -> bool:
    return any(distance(_turns(entry), pair.old) is not None for pair in gold)


def _told(
    place: int,
    predicted: Sequence[Predicted],
    wanted: Sequence[Gold],
    found: Matched,
    entries: Sequence[StateEntry],
    gated: Gated,
) -> list[str]:
    texts = {entry.event.id: entry.event.text for entry in entries}
    lines: list[str] = []
    matched = dict(found.pairs)
    for p, pair in enumerate(predicted):
        verdict = f"right {wanted[matched[p]].id}" if p in matched else "neutral" if p in found.neutral else "wrong"
        lines.append(f"{place} {verdict}: {texts[pair.old_id]!r} -> {texts[pair.new_id]!r}")
    got = set(matched.values())
    lines += [f"{place} missed {pair.id}" for g, pair in enumerate(wanted) if g not in got]
    lines += [f"{place} gate left out {pair_id}" for pair_id in gated.left_out]
    return lines


def _scores(tally: Tally, details: list[str]) -> Scores:
    counted = tally.predicted - tally.neutral
    precision, recall = share(tally.right, counted), share(tally.right, tally.gold)
    return Scores(
        metrics={
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall) if tally.right else 0.0,
            "trap_rate": share(tally.trapped, tally.traps),
            "over_retired": share(tally.retired_wrongly, tally.events),
            "over_retired_by_updates": share(tally.updated_wrongly, tally.events),
            "valid_until_ok": share(tally.dated, tally.right),
            "gate_recall": share(tally.gated, tally.gold),
            "gate_recall_end_to_end": share(tally.pool_gated, tally.gold),
            "found": tally.right,
            "predicted": tally.predicted,
            "neutral": tally.neutral,
            "gold": tally.gold,
            "traps_hit": tally.trapped,
            "traps": tally.traps,
            "events": tally.events,
            "possible_links": tally.possible,
        },
        counts={
            "precision": (tally.right, counted),
            "recall": (tally.right, tally.gold),
            "trap_rate": (tally.trapped, tally.traps),
            "over_retired": (tally.retired_wrongly, tally.events),
            "valid_until_ok": (tally.dated, tally.right),
            "gate_recall": (tally.gated, tally.gold),
        },
        details=[*details, *(point.told(tally.gold) for point in tally.curve)],
    )
