"""Query processing, Algorithm 1 of the paper in order. Read this file first.

    embed q → seeds V_q → paths Π → scores S(π) → context under budgets → answer plan → answer

Nothing here reads a clock or writes. The caller hands in a reader that is already cut at ``known_at``, so two calls
with the same request on the same cut return the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from schemas.edges import Edge
from schemas.ids import MessageKey, SpaceKey
from views.reader import Basis, Messages, SpaceReader
from views.rows import EventRow
from views.scoped import Scoped
from views.vectors.refs import note_ref

from .answer import Extract, extract
from .answering import generate
from .api import Path, QueryRequest, QueryResult, Trace
from .context import Context, Offer, arm, assemble
from .cut import Cut
from .echoes import Echoes
from .markers import Marker
from .neighbourhood import Neighbourhood, gather
from .newest import later_on_the_same
from .note_columns import notes_of
from .paths import traverse
from .plans import template_sha256
from .ports import UNTIMED, AnswerModel, NoteSearch, Rankings, Steps, TokenCounter
from .question import Asked, understand
from .quotes import anchored, day, offset_of
from .relevance import Note, as_shares, fused, rank_notes
from .render import Renderer
from .restated import Restated
from .seeds import select_seeds
from .settings import QuerySettings
from .showing import Found, Showing
from .similarity import Similarity, note_refs
from .tokens import WordTokens
from .trace import trace

if TYPE_CHECKING:
    from .ports import Vector

_NO_RELATIONS: tuple[Edge, ...] = ()

NOTE_TOKENS = 45
"""Of a rendered note with some room: tells how many of the best notes a budget has room for."""

NO_CONVERSATION = ""
"""What the index holds for an event that rests on no message."""

DEPTH_MIN = 200
"""Notes found by each ranking at least: neighbours of good notes are to be among them."""


class _Read(NamedTuple):
    """What a query reads. ``conversations``: to be searched; None for all."""

    cut: Cut
    messages: Messages
    ruled_out: Sequence[Edge]
    conversations: Sequence[str] | None


class _Sought(NamedTuple):
    """What was found: as the index ranks it, and notes and events (ids), each in one ranking, best first.

    ``shares``: how good each event is (``as_shares``).
    """

    found_notes: Rankings
    found_events: Rankings
    notes: Sequence[Note]
    events: Sequence[str]
    shares: Mapping[str, float]


class QueryEngine:
    """Answers questions about a space."""

    def __init__(self, search: NoteSearch, settings: QuerySettings, counter: TokenCounter | None = None) -> None:
        self._search = search
        self._settings = settings
        self._counter = counter or WordTokens()

    def query(
        self,
        request: QueryRequest,
        reader: SpaceReader,
        messages: Messages,
        basis: Basis,
        ruled_out: Sequence[Edge] = _NO_RELATIONS,
        steps: Steps = UNTIMED,
        model: AnswerModel | None = None,
    ) -> QueryResult:
        """Answer one question.

        Args:
            request: the question, times resolved.
            reader: the space, cut at ``request.known_at``.
            messages: its source messages, cut alike: what is not known yet is None there.
            basis: what the cut reflects; returned as it is.
            ruled_out: relations an analyst ruled out, for the mode ``graph+ruled_out``.
            steps: is told when each step ended.
            model: answers instead of the rules, where it can; None asks nobody.
        """
        s = self._settings
        read = _read(request, reader, messages, ruled_out)
        cut = read.cut
        asked = understand(request, cut)
        steps.done("read")

        # Line 13: V_q = V0 ∪ V_ent ∪ V_upd ∪ V_hier (Eq. 13-14).
        vector = self._search.query_vector(request.question, asked.proper)
        steps.done("embed")
        sought = self._sought(request, asked, read, vector, steps)
        seeds = select_seeds(cut, [note.key for note in sought.notes[: s.seed_notes]], sought.events, asked.names, s)
        seed_ids = [seed.event_id for seed in seeds]
        steps.done("seeds")

        # Lines 14-17: bounded bidirectional traversal with pruning (Eq. 15), S(π) (Eq. 16-20).
        near = gather(cut, seed_ids, asked.at, s)
        similarity = Similarity(self._search, request.space, vector)
        by_notes = similarity.of_notes(note_refs(cut, near.rows), dict(sought.found_notes.dense))
        paths = traverse(near, seed_ids, by_notes, s)
        steps.done("paths")

        # Line 19: C_note and C_path under B_total (Eq. 21-22).
        found = Found(paths=paths, notes=sought.notes, events=sought.events, shares=sought.shares)
        context, marker = self._context(request, asked, cut, found, near, _near_seeds(read.ruled_out, seed_ids))
        steps.done("context")

        # Lines 20-21: the plan by query shape (its hash), the answer: the rules', or a model's from context and plan.
        told: Extract | None = None
        traced: Trace | None = None
        if request.answer:
            by_words = similarity.of_statements(near.rows, by_notes, dict(sought.found_events.dense))
            told = extract(asked, near.rows, by_words, cut, marker, s)
            if model is not None:
                told = generate(request, asked, context.items, cut, model, told)
            if told.answer.known and (request.trace or told.answer.kind == "generated"):
                traced = self._trace(request, told.answer.text, paths, by_words, cut)
            steps.done("answer")
        return QueryResult(
            shape=asked.shape,
            mode=request.mode,
            as_of=asked.at,
            known_at=request.known_at,
            seeds=seeds,
            paths=paths,
            statements={event_id: near.rows[event_id].event.text for path in paths for event_id in path.events},
            context=context.items,
            context_tokens=context.tokens,
            scaffolding_tokens=context.scaffolding,
            token_counter=self._counter.name,
            context_sha256=context.sha256,
            template_sha256=template_sha256(asked.shape),
            slice_sha256=_slice_sha256(request),
            answer=told.answer if told else None,
            citations=told.citations if told else (),
            basis=basis,
            trace=traced,
        )

    def _sought(self, request: QueryRequest, asked: Asked, read: _Read, vector: Vector, steps: Steps) -> _Sought:
        """What the index finds, ranked: R_k(q), and events beside it."""
        s, space = self._settings, request.space
        most = max(s.seed_notes, s.newest_notes, min(s.notes_max, request.budget_tokens // s.note_tokens_min))
        depth = max(DEPTH_MIN, 2 * most)
        notes = self._search.rankings(space, request.question, vector, "note", depth, read.conversations)
        events = self._search.rankings(space, request.question, vector, "event", s.event_hits, read.conversations)
        steps.done("search")
        ranked, shares = fused((events.dense, events.sparse))[: s.event_hits], as_shares(events, s.relevance)
        cut = read.cut
        best = rank_notes(
            notes, shares, cut.sources, asked.names, notes_of(cut.memo, read.messages), s.relevance,
            most=most, of_change=s.newest_first and asked.of_change, several=asked.several,
            newest=s.newest_first and asked.newest, statements=cut.reader.events_of_message,
        )  # fmt: skip
        return _Sought(found_notes=notes, found_events=events, notes=best, events=ranked, shares=shares)

    def _context(
        self,
        request: QueryRequest,
        asked: Asked,
        cut: Cut,
        found: Found,
        near: Neighbourhood,
        ruled_out: Sequence[Edge],
    ) -> tuple[Context, Marker]:
        """The context of one arm, and the marker its items are marked with."""
        s, is_flat = self._settings, request.mode == "flat"
        newest = s.newest_notes if s.newest_first and asked.newest and not is_flat else 0
        fits = request.budget_tokens // NOTE_TOKENS
        later = self._later(request.space, found.notes[: min(newest, fits)]) if newest else {}
        events = list(dict.fromkeys([*found.events, *near.rows]))
        restated, echoes = Restated(cut, events, max(asked.at, asked.later)), Echoes(cut, events, asked.at)
        marker = Marker(cut, asked.at, asked.later, s.quote_words_max, later, restated, echoes)
        showing = Showing(found, restated, cut, asked.at, newest, s)
        renderer = Renderer(cut, marker, self._counter, s.full_text_tokens_max, dated_notes=not is_flat)
        room = request.budget_tokens * s.note_share
        offer = Offer(
            paths=showing.taken_paths(
                fits if request.mode == "hybrid" else 0, lambda key: renderer.is_longer(key, room)
            ),
            notes=showing.taken_notes(),
            ruled_out=ruled_out,
            shown_paths=showing.shown_paths,
            shown_notes=None if is_flat else showing.shown_notes(),  # the order of the search: others compare with it
        )
        return assemble(arm(request.mode, offer), request.budget_tokens, s.note_share, renderer, self._counter), marker

    def _trace(
        self, request: QueryRequest, answer: str, paths: Sequence[Path], similarity: Mapping[str, float], cut: Cut
    ) -> Trace:
        """Section II-G: the answer as a further question to the same paths."""
        rows = {row.event.id: row for path in paths for row in cut.rows(path.events)}
        to = Similarity(self._search, request.space, self._search.query_vector(answer, ()))
        to_answer = to.of_statements(rows, to.of_notes(note_refs(cut, rows), {}), {})
        texts = {event_id: _said(row, cut) for event_id, row in rows.items()}
        return trace(request.question, answer, paths, texts, to_answer, similarity, self._settings)

    def _later(self, space: SpaceKey, notes: Sequence[Note]) -> Mapping[MessageKey, Note]:
        """What was said later on the same as one of the most relevant notes."""
        s = self._settings
        keys = {note_ref(note.key): note.key for note in notes[: s.newest_notes]}
        stored = self._search.vectors(space, "note", list(keys))
        vectors = {key: stored[ref] for ref, key in keys.items() if ref in stored}
        return later_on_the_same(notes, s.newest_notes, vectors, s.same_topic)


def _read(request: QueryRequest, reader: SpaceReader, messages: Messages, ruled_out: Sequence[Edge]) -> _Read:
    """The space, or what the request's scope sees of it."""
    scope = request.scope
    if scope is None:
        return _Read(cut=Cut(reader, messages), messages=messages, ruled_out=ruled_out, conversations=None)
    inside = Scoped(reader, messages, scope.conversations, naive=scope.edges == "naive")
    return _Read(
        cut=Cut(inside, inside, is_kept=False),
        messages=inside,
        ruled_out=[edge for edge in ruled_out if inside.sees(edge)],
        conversations=sorted({*scope.conversations, NO_CONVERSATION}),
    )


def _said(row: EventRow, cut: Cut) -> str:
    """A statement's words, whom and what they are about, and the days they were said on and are about."""
    event, offset = row.event, offset_of(row.event, cut)
    days = (day(event.stated.sent_at, offset), anchored(event.anchor, offset), day(row.valid_from, offset))
    return " ".join(part for part in (event.subject, event.attribute, event.value, event.text, *days) if part)


def _slice_sha256(request: QueryRequest) -> str:
    """Identity of what may be read: the space and the scope."""
    scope = request.scope
    part = None if scope is None else (sorted(set(scope.conversations)), scope.edges)
    return hashlib.sha256(msgspec.json.encode((request.space, part))).hexdigest()


def _near_seeds(ruled_out: Sequence[Edge], seeds: Sequence[str]) -> list[Edge]:
    """Ruled-out relations with an end among the seeds, in the order of the seeds, then by id."""
    rank = {event_id: position for position, event_id in enumerate(seeds)}
    last = len(rank)
    touching = [edge for edge in ruled_out if edge.src in rank or edge.dst in rank]
    return sorted(touching, key=lambda edge: (min(rank.get(edge.src, last), rank.get(edge.dst, last)), edge.id))
