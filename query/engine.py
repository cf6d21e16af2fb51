"""Query processing, Algorithm 1 of the paper in order. Read this file first.

    embed q → seeds V_q → paths Π → scores S(π) → context under budgets → answer plan → answer

Nothing here reads a clock or writes. The caller hands in a reader that is already cut at ``known_at``, so two calls
with the same request on the same cut return the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

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
from .context import Offer, arm, assemble
from .cut import Cut
from .markers import Marker
from .neighbourhood import gather
from .newest import later_on_the_same
from .paths import traverse
from .plans import template_sha256
from .ports import UNTIMED, AnswerModel, NoteSearch, Steps, TokenCounter
from .question import understand
from .quotes import anchored, day, offset_of
from .relevance import Note, fused, rank_notes
from .render import Renderer
from .restated import Restated
from .score import event_similarity
from .seeds import select_seeds
from .settings import QuerySettings
from .showing import Found, Showing
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
        s, space = self._settings, request.space
        conversations = None
        if request.scope is not None:
            conversations = sorted({*request.scope.conversations, NO_CONVERSATION})
            inside = Scoped(reader, messages, request.scope.conversations, naive=request.scope.edges == "naive")
            reader = messages = inside
            ruled_out = [edge for edge in ruled_out if inside.sees(edge)]
        cut = Cut(reader, messages)
        asked = understand(request, cut)
        steps.done("read")

        # Line 13: V_q = V0 ∪ V_ent ∪ V_upd ∪ V_hier (Eq. 13-14).
        vector = self._search.query_vector(request.question, asked.proper)
        steps.done("embed")
        most = max(s.seed_notes, s.newest_notes, min(s.notes_max, request.budget_tokens // s.note_tokens_min))
        depth = max(DEPTH_MIN, 2 * most)
        found_notes = self._search.rankings(space, request.question, vector, "note", depth, conversations)
        found_events = self._search.rankings(space, request.question, vector, "event", s.event_hits, conversations)
        steps.done("search")
        ranked = fused((found_events.dense, found_events.sparse))[: s.event_hits]
        notes = rank_notes(
            found_notes, ranked, cut.sources, asked.names, messages, s.relevance,
            most=most, of_change=s.newest_first and asked.of_change, known=cut.memo.of_cut("notes"),
        )  # fmt: skip
        seeds = select_seeds(cut, [note.key for note in notes[: s.seed_notes]], ranked, asked.names, s)
        seed_ids = [seed.event_id for seed in seeds]
        steps.done("seeds")

        # Lines 14-17: bounded bidirectional traversal with pruning (Eq. 15), S(π) (Eq. 16-20).
        near = gather(cut, seed_ids, asked.at, s)
        by_notes = self._note_similarity(space, near.rows.values(), dict(found_notes.dense), vector)
        paths = traverse(near, seed_ids, by_notes, s)
        steps.done("paths")

        # Line 19: C_note and C_path under B_total (Eq. 21-22).
        newest = s.newest_notes if s.newest_first and asked.newest and request.mode != "flat" else 0
        fits = request.budget_tokens // NOTE_TOKENS
        later = self._later(space, notes[: min(newest, fits)]) if newest else {}
        restated = Restated(cut, [*ranked, *near.rows], max(asked.at, asked.later))
        marker = Marker(cut, asked.at, asked.later, s.quote_words_max, later, restated)
        showing = Showing(Found(paths=paths, notes=notes, events=ranked), restated, cut, asked.at, newest, s)
        renderer = Renderer(cut, marker, self._counter, s.full_text_tokens_max, dated_notes=request.mode != "flat")
        beside = fits if request.mode == "hybrid" else 0
        is_flat = request.mode == "flat"
        offer = Offer(
            paths=showing.taken_paths(
                beside, lambda text: self._counter.count(text.content) > request.budget_tokens * s.note_share
            ),
            notes=showing.taken_notes(),
            ruled_out=_near_seeds(ruled_out, seed_ids),
            shown_paths=showing.shown_paths(),
            shown_notes=None if is_flat else showing.shown_notes(),  # the order of the search: others compare with it
        )
        context = assemble(arm(request.mode, offer), request.budget_tokens, s.note_share, renderer, self._counter)
        steps.done("context")

        # Lines 20-21: the plan by query shape (its hash), the answer: the rules', or a model's from context and plan.
        found: Extract | None = None
        traced: Trace | None = None
        if request.answer:
            similarity = self._statement_similarity(space, near.rows, by_notes, dict(found_events.dense), vector)
            found = extract(asked, near.rows, similarity, cut, marker, s)
            if model is not None:
                found = generate(request, asked, context.items, cut, model, found)
            if found.answer.known and (request.trace or found.answer.kind == "generated"):
                traced = self._trace(request, found.answer.text, paths, similarity, cut)
            steps.done("answer")
        return QueryResult(
            shape=asked.shape,
            mode=request.mode,
            as_of=asked.at,
            known_at=request.known_at,
            seeds=seeds,
            paths=paths,
            context=context.items,
            context_tokens=context.tokens,
            scaffolding_tokens=context.scaffolding,
            token_counter=self._counter.name,
            context_sha256=context.sha256,
            template_sha256=template_sha256(asked.shape),
            slice_sha256=_slice_sha256(request),
            answer=found.answer if found else None,
            citations=found.citations if found else (),
            basis=basis,
            trace=traced,
        )

    def _note_similarity(
        self, space: SpaceKey, rows: Iterable[EventRow], known: Mapping[str, float], vector: Vector
    ) -> dict[str, float]:
        """``max over n in N(e) of cos(phi(q), phi(n))`` for each event (inner term of Eq. 17).

        An event asserted without a message has no note: its own vector stands in, or the paper's term would be empty.
        """
        refs = {row.event.id: _refs(row) for row in rows}
        cosines = dict(known)
        missing = sorted({ref for listed in refs.values() for ref in listed} - cosines.keys())
        cosines |= self._search.cosines(space, "note", missing, vector)
        noteless = [event_id for event_id, listed in refs.items() if not listed]
        own = self._search.cosines(space, "event", noteless, vector) if noteless else {}
        return {
            event_id: event_similarity([cosines[ref] for ref in listed if ref in cosines])
            if listed
            else own.get(event_id, 0.0)
            for event_id, listed in refs.items()
        }

    def _statement_similarity(
        self,
        space: SpaceKey,
        rows: Iterable[str],
        by_notes: dict[str, float],
        known: Mapping[str, float],
        vector: Vector,
    ) -> dict[str, float]:
        """For the answer: an event's text is closer to a question than the whole message around it, so both count."""
        own = dict(known)
        own |= self._search.cosines(space, "event", [i for i in rows if i not in own], vector)
        return {i: max(by_notes.get(i, 0.0), own.get(i, 0.0)) for i in rows}

    def _trace(
        self, request: QueryRequest, answer: str, paths: Sequence[Path], similarity: dict[str, float], cut: Cut
    ) -> Trace:
        """Section II-G: the answer as a further question to the same paths."""
        rows = {row.event.id: row for path in paths for row in cut.rows(path.events)}
        vector = self._search.query_vector(answer, ())
        by_notes = self._note_similarity(request.space, rows.values(), {}, vector)
        to_answer = self._statement_similarity(request.space, rows, by_notes, {}, vector)
        texts = {event_id: _said(row, cut) for event_id, row in rows.items()}
        return trace(request.question, answer, paths, texts, to_answer, similarity, self._settings)

    def _later(self, space: SpaceKey, notes: Sequence[Note]) -> Mapping[MessageKey, Note]:
        """What was said later on the same as one of the most relevant notes."""
        s = self._settings
        keys = {note_ref(note.key): note.key for note in notes[: s.newest_notes]}
        stored = self._search.vectors(space, "note", list(keys))
        vectors = {key: stored[ref] for ref, key in keys.items() if ref in stored}
        return later_on_the_same(notes, s.newest_notes, vectors, s.same_topic)


def _said(row: EventRow, cut: Cut) -> str:
    """A statement's words, whom and what they are about, and the days they were said on and are about."""
    event, offset = row.event, offset_of(row.event, cut)
    days = (day(event.stated.sent_at, offset), anchored(event.anchor, offset), day(row.valid_from, offset))
    return " ".join(part for part in (event.subject, event.attribute, event.value, event.text, *days) if part)


def _refs(row: EventRow) -> list[str]:
    """Refs of the notes an event rests on."""
    keys = (MessageKey(source.conversation_id, source.message_id) for source in row.event.sources)
    return list(dict.fromkeys(note_ref(key) for key in keys))


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
