"""How much of the gold the candidate gate lets through at all: over messages, and over the statements made of them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from schemas.events import Event
from schemas.messages import MessagePosted
from streams.candidates import CAP, Row, make_row
from streams.gate_index import GateIndex
from streams.own_words import own_words
from streams.unit_vectors import quantize
from views.encoder.protocol import Encoder

from .bare import bare_statement
from .matching import Gold, Turn, turn

MESSAGES_AT_ONCE = 64


class Gated(msgspec.Struct, frozen=True, kw_only=True):
    """Gold pairs whose old side is among the first 15 candidates of the new side.

    Attributes:
        messages: every message one statement: independent of the distiller.
        statements: the distilled ones, so also a statement that was not made is a miss.
        left_out: ids that the message gate misses.
    """

    messages: int
    statements: int
    left_out: tuple[str, ...]


def gate_recall(said: Sequence[Event], stated: Sequence[Event], gold: Sequence[Gold], encoder: Encoder) -> Gated:
    """Run the gate of ``streams.candidates`` over one conversation, exactly on the gold turns.

    Args:
        said: every message as one statement (``as_statement``).
        stated: the distilled statements.
        gold: what should pass.
        encoder: as the link stage uses it.
    """
    by_messages = _passing(_rows(said, encoder), gold)
    return Gated(
        messages=len(by_messages),
        statements=len(_passing(_rows(stated, encoder), gold)),
        left_out=tuple(pair.id for pair in gold if pair.id not in by_messages),
    )


def _passing(rows: Sequence[tuple[Row, frozenset[Turn]]], gold: Sequence[Gold]) -> set[str]:
    """Ids of pairs where some statement at a new turn has one at an old turn among its first ``CAP`` candidates."""
    gate = GateIndex([row for row, _ in rows])
    sides = {row.event.id: at for row, at in rows}
    passing: set[str] = set()
    for place, (newer, at) in enumerate(rows):
        reported = [pair for pair in gold if not at.isdisjoint(pair.new)]
        chosen = gate.choose(newer, place).candidates[:CAP] if reported else ()
        met = frozenset[Turn]().union(*(sides[candidate.row.event.id] for candidate in chosen))
        passing |= {pair.id for pair in reported if not met.isdisjoint(pair.old)}
    return passing


def _rows(events: Sequence[Event], encoder: Encoder) -> list[tuple[Row, frozenset[Turn]]]:
    """Rows in stated order, each with the turns it rests on."""
    rows: list[Row] = []
    for first in range(0, len(events), MESSAGES_AT_ONCE):
        some = events[first : first + MESSAGES_AT_ONCE]
        vectors = quantize(encoder.encode([own_words(event.text) for event in some]))
        rows += [make_row(event, vector, None) for event, vector in zip(some, vectors, strict=True)]
    rows.sort(key=lambda row: row.order)
    return [(row, frozenset(at for s in row.event.sources if (at := turn(s.message_id)) is not None)) for row in rows]


def as_statement(said: MessagePosted) -> Event:
    """A whole message as one statement about its speaker: what a gate is judged on without a distiller."""
    return bare_statement(
        said.speaker, said.content, said.sent_at, conversation_id=said.conversation_id, message_id=said.message_id,
        seq=said.seq,
    )  # fmt: skip
