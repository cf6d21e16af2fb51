"""The answer without a language model: the best-supported statements, quoted verbatim, or an honest "Not known".

A statement is ranked by its similarity to the question and by what they share: content words, the person, the
attribute, the period. A current statement also inherits the rank of what it superseded: "new badge day, I'm with the
harbour now" says little about work by itself, but the job it replaced does. Nothing planned is told as done, nothing
superseded without its marker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from schemas.events import Stated
from views.rows import EventRow, in_force, status_at
from views.vectors.sparse import term_id, words

from .api import Answer, Citation
from .cut import Cut
from .markers import Marker, contesting, is_past
from .question import Asked
from .quotes import anchored, citations_of, day, offset_of, quoted
from .settings import QuerySettings


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """A statement with its support. ``relevant``: whether it, or what it superseded, is about the question at all."""

    row: EventRow
    support: float
    relevant: bool


class Extract(msgspec.Struct, frozen=True, kw_only=True):
    """An answer and the words it quotes."""

    answer: Answer
    citations: tuple[Citation, ...]


def extract(
    asked: Asked, candidates: Iterable[str], similarity: Mapping[str, float], cut: Cut, marker: Marker, s: QuerySettings
) -> Extract:
    """Answer from the candidates' state at ``asked.at``.

    Args:
        asked: the question.
        candidates: events found for it.
        similarity: of each candidate, the larger of its own cosine and its notes'.
        cut: the space as read by this query.
        marker: of this query.
        s: thresholds and weights.
    """
    ranked = rank_statements(asked, _with_successors(candidates, cut), similarity, cut, s)
    chosen = choose([one for one in ranked if can_answer(one.row, asked)], asked, s)
    if chosen:
        rows = _with_other_side(chosen, cut, asked.at)
        return _extract(True, "\n".join(_told(row, cut, marker) for row in rows), rows, cut)
    held = [one.row for one in ranked if one.relevant]
    fallback = [row for row in held if status_at(row, asked.at) not in ("corrected", "withdrawn")][:1]
    if fallback:
        text = f"Not known: nothing said about it holds then. Last known: {_told(fallback[0], cut, marker)}"
        return _extract(False, text, fallback, cut)
    people = ", ".join((*asked.names, *(name.title() for name in asked.strangers)))
    about = f" about {people}" if people else ""
    return _extract(False, f"Not known: no statement{about} answers it.", [], cut)


def rank_statements(
    asked: Asked, rows: Sequence[EventRow], similarity: Mapping[str, float], cut: Cut, s: QuerySettings
) -> list[Ranked]:
    """Statements about whoever is asked, by (support descending, said last, id)."""
    own: dict[str, tuple[float, bool]] = {}
    for row in rows:
        if about_asked(row, asked):
            own[row.event.id] = _own_support(row, asked, similarity.get(row.event.id, 0.0), s)
    inherited = dict(own)
    for row in rows:
        if row.event.id in own:
            for superseder in row.superseders:
                if superseder.event_id in own:
                    support, relevant = inherited[superseder.event_id]
                    mine, also = own[row.event.id]
                    inherited[superseder.event_id] = (max(support, mine), relevant or also)
    ranked = [
        Ranked(row=row, support=inherited[row.event.id][0], relevant=inherited[row.event.id][1])
        for row in rows
        if row.event.id in own
    ]
    newest = sorted(ranked, key=lambda one: (one.row.event.stated, one.row.event.id), reverse=True)
    return sorted(newest, key=lambda one: -one.support)


def choose(ranked: Sequence[Ranked], asked: Asked, s: QuerySettings) -> list[EventRow]:
    """The statements an answer quotes: the best one, and those close to it.

    Of statements on one subject and attribute the newest current one leads, if it lies within ``answer_margin``. A
    question for one fact lists beside it only others on the same subject and attribute (both may be true); a question
    for several lists all of those, and whatever else is close.
    """
    relevant = [one for one in ranked if one.relevant]
    if not relevant:
        return []
    near = [one for one in relevant if one.support >= relevant[0].support - s.answer_margin]
    topic = _topic(relevant[0].row)
    among = ranked if asked.several else near
    same = [one for one in among if topic is not None and _topic(one.row) == topic] or near[:1]
    same.sort(key=lambda one: _precedence(one.row, asked), reverse=True)
    rest = [one for one in near if one not in same] if asked.several else []
    return [one.row for one in (*same, *rest)][: s.answer_statements]


def about_asked(row: EventRow, asked: Asked) -> bool:
    """Whether a statement is about whom the question names.

    Merely having said it counts only without a subject, or of a thing that is nobody's where the question asks for just
    that: "the rent", said by Ann, is Ann's.
    """
    event = row.event
    people = {name.casefold() for name in event.participants} | ({event.subject.casefold()} if event.subject else set())
    own_thing = not event.participants and _is_on_attribute(row, asked)
    if (event.subject is None or own_thing) and event.speaker is not None:
        people.add(event.speaker.casefold())
    if asked.strangers:
        mentioned = {word for part in (event.text, *people) for word in words(part)}
        if not any(stranger in mentioned for stranger in asked.strangers):
            return False
    return not asked.names or any(name.casefold() in people for name in asked.names)


def _own_support(row: EventRow, asked: Asked, similarity: float, s: QuerySettings) -> tuple[float, bool]:
    event = row.event
    said = " ".join(part for part in (event.text, event.attribute, event.value) if part)
    shared = asked.terms & {term_id(word) for word in words(said)}
    coverage = len(shared) / len(asked.terms) if asked.terms else 0.0
    on_attribute = _is_on_attribute(row, asked)
    on_subject = event.subject is not None and event.subject in asked.names
    base = similarity + s.coverage_weight * coverage
    support = base + s.subject_weight * on_subject + s.attribute_weight * on_attribute
    # What somebody said on the very attribute that is asked for is to the point in whatever words.
    relevant = base >= s.known_support or on_attribute or _joins(row, asked) or _open_to(row, asked)
    return support + s.period_weight * _in_period(row, asked), relevant


def _is_on_attribute(row: EventRow, asked: Asked) -> bool:
    attribute = row.event.attribute
    return attribute is not None and attribute.casefold() in asked.attributes


def _joins(row: EventRow, asked: Asked) -> bool:
    """The question names several people, and they all take part: "how do they know each other"."""
    people = {name.casefold() for name in (*row.event.participants, row.event.subject) if name is not None}
    return len(asked.names) > 1 and all(name.casefold() in people for name in asked.names)


def _open_to(row: EventRow, asked: Asked) -> bool:
    """ "What did she do yesterday": whatever she did then, since the question says no more than whom and when."""
    return not asked.terms and row.event.subject in asked.names and _in_period(row, asked)


def can_answer(row: EventRow, asked: Asked) -> bool:
    """Whether a statement can answer at ``asked.at``: it holds; or it has happened; or the question looks back."""
    status = status_at(row, asked.at)
    if status in ("corrected", "withdrawn", "not_yet"):
        return status == "not_yet" and _in_period(row, asked)
    if asked.former:
        return is_past(row, asked.at)
    if in_force(row, asked.at) or not is_past(row, asked.at) or _in_period(row, asked):
        return True
    return status == "ended" and asked.past_tense


def _in_period(row: EventRow, asked: Asked) -> bool:
    """Whether it is about a time within the period the question names."""
    anchor, period = row.event.anchor, asked.period
    return period is not None and anchor.start < period.until and period.start < anchor.until


def _topic(row: EventRow) -> tuple[str, str] | None:
    subject, attribute = row.event.subject, row.event.attribute
    return None if subject is None or attribute is None else (subject.casefold(), attribute.casefold())


def _precedence(row: EventRow, asked: Asked) -> tuple[bool, int, Stated, str]:
    """Current before past, then what ended last, then what was said last."""
    past = is_past(row, asked.at)
    ended = row.valid_until if past and row.valid_until is not None else 0
    return (not past, ended, row.event.stated, row.event.id)


def _with_successors(candidates: Iterable[str], cut: Cut) -> list[EventRow]:
    """The candidates and everything that superseded them, in the order found."""
    rows = {row.event.id: row for row in cut.rows(list(candidates))}
    waiting = list(rows.values())
    while waiting:
        for superseder in waiting.pop().superseders:
            row = cut.row(superseder.event_id)
            if row is not None and row.event.id not in rows:
                rows[row.event.id] = row
                waiting.append(row)
    return list(rows.values())


def _with_other_side(rows: Sequence[EventRow], cut: Cut, at: int) -> list[EventRow]:
    """Contested statements are never told alone."""
    both = {row.event.id: row for row in rows}
    for row in rows:
        for other in contesting(row, cut, at) if in_force(row, at) else ():
            both.setdefault(other.event.id, other)
    return list(both.values())


def _told(row: EventRow, cut: Cut, marker: Marker) -> str:
    """``"quote" (speaker, date); when`` and the marker; a plan is called one, unless nothing comes of it."""
    event, offset = row.event, offset_of(row.event, cut)
    mark = marker.of_event(row)
    ahead = event.modality == "planned" and event.polarity == "affirmed"
    parts = [f"Planned: {quoted(event, cut)}" if ahead else quoted(event, cut)]
    about = anchored(event.anchor, offset)
    if event.modality == "planned":
        parts.append(f"for {about}" if event.anchor.phrase is not None else "")
    elif event.type == "action" or not event.holds:
        parts.append(f"on {about}" if event.anchor.phrase is not None and event.anchor.precision == "day" else "")
        parts.append(f"in {about}" if event.anchor.phrase is not None and event.anchor.precision != "day" else "")
    elif not is_past(row, marker.at):
        verb = "held" if is_past(row, marker.later) else "holds"
        parts.append(f"{verb} since {day(row.valid_from, offset)}")
    parts.append(mark)
    return "; ".join(part for part in parts if part)


def _extract(known: bool, text: str, rows: Sequence[EventRow], cut: Cut) -> Extract:
    ids = tuple(row.event.id for row in rows)
    citations = tuple(citation for row in rows for citation in citations_of(row.event, cut))
    return Extract(answer=Answer(text=text, known=known, kind="extractive", event_ids=ids), citations=citations)
