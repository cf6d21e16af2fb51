"""Seed selection: where evidence search begins, V_q = V0 ∪ V_ent ∪ V_upd ∪ V_hier (Eq. 13-14).

Each seed carries the family that brought it first, in that order. Every family is ranked and cut in a total order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain, islice

from schemas.ids import MessageKey
from schemas.parts import whole_of
from views.rows import EdgeRow

from .api import Seed
from .cut import Cut
from .settings import Family, QuerySettings


def select_seeds(
    cut: Cut,
    notes: Sequence[MessageKey],
    ranked_events: Sequence[str],
    names: Sequence[str],
    settings: QuerySettings,
) -> tuple[Seed, ...]:
    """V_q for a question.

    Args:
        cut: the space as read by this query.
        notes: R_k(q), best first.
        ranked_events: events by similarity to the question, best first.
        names: participants the question names.
        settings: the caps.
    """
    families: dict[str, Family] = {}

    def add(family: Family, event_ids: Sequence[str]) -> None:
        for event_id in event_ids:
            families.setdefault(event_id, family)

    for family in settings.families:
        match family:
            case "note":
                add(family, note_seeds(cut, notes))
                add(family, own_seeds(cut, ranked_events[: settings.seed_notes]))
            case "entity":
                add(family, entity_seeds(cut, names, ranked_events, settings.entity_seeds))
            case "update":
                add(family, update_seeds(cut, tuple(families), settings.update_seeds))
            case "hierarchy":
                add(family, hierarchy_seeds(cut, tuple(families), ranked_events, settings.hierarchy_seeds))
    return tuple(Seed(event_id=event_id, family=family) for event_id, family in families.items())


def note_seeds(cut: Cut, notes: Sequence[MessageKey]) -> list[str]:
    """Eq. 13: ``V0(q) = {e : N(e) ∩ R_k(q) ≠ ∅}``, by the rank of the note, then id."""
    return _unique(event_id for note in notes for event_id in cut.reader.events_of_message(note))


def own_seeds(cut: Cut, ranked_events: Sequence[str]) -> list[str]:
    """Events asserted without a message, as V0 as well: no note can lead to them, so each counts as its own."""
    return [row.event.id for row in cut.rows(ranked_events) if not row.event.sources]


def entity_seeds(cut: Cut, names: Sequence[str], ranked_events: Sequence[str], cap: int) -> list[str]:
    """V_ent: events of the participants the question names, by similarity; beyond the ranking by id.

    Many participants hold half of a space's events, so the ranking is asked first and the participant's full list only
    when the ranking does not fill the cap.
    """
    if not names:
        return []
    wanted = {name.casefold() for name in names}
    found = [event_id for event_id in ranked_events if not wanted.isdisjoint(_people(cut, event_id))][:cap]
    if len(found) < cap:
        rest = merge(*(cut.reader.events_of_participant(name) for name in names))
        found = list(islice(_each_once(chain(found, rest)), cap))
    return found


def update_seeds(cut: Cut, seeds: Sequence[str], cap: int) -> list[str]:
    """V_upd: one hop along ``updates`` (with effect) and ``contradicts`` edges, in both directions.

    In the order of the seeds, then of the edges' ids, so that the versions of the best seeds come in first. A
    statement has an ``updates`` edge to every earlier version of itself, so one hop reaches the newest.
    """
    found: list[str] = []
    for seed in seeds:
        found += _versions(cut, seed)
    known = set(seeds)
    return [event_id for event_id in _unique(found) if event_id not in known][:cap]


def _versions(cut: Cut, event_id: str) -> Sequence[str]:
    """What an event updates or is updated by, or contradicts. Remembered."""
    known = cut.memo.of_events("versions")
    found: list[str] | None = known.get(event_id)
    if found is None:
        telling = [row.edge for row in cut.edges(event_id) if _is_of_versions(row)]
        found = known[event_id] = [edge.dst if edge.src == event_id else edge.src for edge in telling]
    return found


def _is_of_versions(row: EdgeRow) -> bool:
    return row.edge.relation == "contradicts" or (row.edge.relation == "updates" and row.effective)


def hierarchy_seeds(cut: Cut, seeds: Sequence[str], ranked_events: Sequence[str], cap: int) -> list[str]:
    """V_hier: events of other sessions of the seeds' themes, by similarity.

    Up from a seed to its sessions and their themes, and down to whatever else the ranking holds there: a theme's events
    are never listed in full.
    """
    sessions = {session for event_id in seeds for session in _sessions(cut, event_id)}
    theme_of = cut.memo.of_cut("theme of")
    themes = {_theme(cut, session, theme_of) for session in sessions} - {None}
    found: list[str] = []
    for event_id in ranked_events:
        for session in _sessions(cut, event_id):
            if session not in sessions and _theme(cut, session, theme_of) in themes:
                found.append(event_id)
                break
    return found[:cap]


def _sessions(cut: Cut, event_id: str) -> Sequence[str]:
    """The sessions of a live event, whole; none of another. Remembered."""
    known: dict[str, Sequence[str]] = cut.memo.of_events("sessions")
    found = known.get(event_id)
    if found is None:
        row = cut.row(event_id)
        found = known[event_id] = () if row is None else tuple(map(whole_of, row.session_ids))
    return found


def _theme(cut: Cut, session: str, known: dict[str, str | None]) -> str | None:
    """The theme of a session. Remembered."""
    if session not in known:
        known[session] = cut.reader.theme_of(session)
    return known[session]


def _people(cut: Cut, event_id: str) -> Iterable[str]:
    """The participants of a live event, case-folded; none of another. Remembered."""
    known: dict[str, Iterable[str]] = cut.memo.of_events("people")
    found = known.get(event_id)
    if found is None:
        row = cut.row(event_id)
        found = known[event_id] = () if row is None else {name.casefold() for name in row.event.participants}
    return found


def _each_once(event_ids: Iterable[str]) -> Iterator[str]:
    """Each once, without going through more of them than is asked for."""
    seen: set[str] = set()
    for event_id in event_ids:
        if event_id not in seen:
            seen.add(event_id)
            yield event_id


def _unique(event_ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(event_ids))
