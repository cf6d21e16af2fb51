"""Checks of what holds when: supersessions, intervals, as-of and known-at, edges, dates, people."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import combinations

from query.api import EdgeEntry, StateEntry
from schemas.times import parse_time

from .checks import Check, Checks, alternatives, mapping, objects, texts
from .outcome import CURRENT, Outcome, item_text, rests_on, sent_at
from .text import contains, matches

WEEK_OF = "week of "


def superseded(o: Outcome, value: object) -> Iterable[str]:
    for wanted in objects(value):
        fact, by = str(wanted["fact"]), str(wanted["by_message"])
        old = [entry for entry in o.matching(fact) if entry.status not in CURRENT and _is_replaced_by(o, entry, by)]
        if not old:
            yield f"no past statement matches {fact!r} and is superseded by message {by}"
        elif not any(_ends_on(o, entry, str(wanted["since"])) for entry in old):
            yield f"{fact!r} ended {[_until(o, entry) for entry in old]}, not {wanted['since']}"
        if "recorded" in wanted:
            yield from _recorded(o, fact, date.fromisoformat(str(wanted["recorded"])))


def must_show_superseded_with(o: Outcome, value: object) -> Iterable[str]:
    for text, how in mapping(value).items():
        wanted = mapping(how)
        old = [e for e in o.containing(text) if _is_replaced_by(o, e, str(wanted["by_message"]))]
        if not any(_ends_on(o, entry, str(wanted["since"])) for entry in old):
            yield f"{text!r} is not shown as superseded since {wanted['since']} by {wanted['by_message']}"


def _is_replaced_by(o: Outcome, entry: StateEntry, message_id: str) -> bool:
    by = (o.entry(replaced.event_id) for replaced in entry.superseded_by)
    return any(other is not None and rests_on(other, message_id) for other in by)


def _until(o: Outcome, entry: StateEntry) -> date | None:
    return None if entry.valid_until is None else o.day_of(entry.valid_until, entry)


def _ends_on(o: Outcome, entry: StateEntry, day: str) -> bool:
    return _until(o, entry) == date.fromisoformat(day)


def _recorded(o: Outcome, fact: str, day: date) -> Iterable[str]:
    """Learned on a day: not yet known to be over at its start, known at its end."""
    for known_at, over in ((day, False), (day + timedelta(days=1), True)):
        us = parse_time(f"{known_at.isoformat()}T00:00:00Z")[0]
        found = [e for e in o.entries_at(o.at, us) if matches(item_text(e), fact)]
        if any((entry.status not in CURRENT) != over for entry in found):
            yield f"known at the {'end' if over else 'start'} of {day}: {fact!r} is {[e.status for e in found]}"


def old_fact_status(o: Outcome, value: object) -> Iterable[str]:
    wrong = value == "invalid_from_start"
    old = [entry for entry in o.entries if entry.superseded_by]
    if not any((entry.status == "corrected") == wrong for entry in old):
        yield f"no old statement is {value}: {[entry.status for entry in old]}"


def history_intervals(o: Outcome, value: object) -> Iterable[str]:
    for wanted in objects(value):
        found = o.matching(str(wanted["fact"]))
        interval = (date.fromisoformat(str(wanted["from"])), _day(wanted["to"]))
        have = [(o.day_of(entry.valid_from, entry), _until(o, entry)) for entry in found]
        if interval not in have:
            yield f"{wanted['fact']!r} holds {have}, not {interval}"


def _day(value: object) -> date | None:
    return None if value is None else date.fromisoformat(str(value))


def not_superseded(o: Outcome, value: object) -> Iterable[str]:
    for text in texts(value):
        if not any(entry.status in CURRENT and not entry.superseded_by for entry in o.matching(text)):
            yield f"no statement that matches {text!r} is current and without a successor"


def both_sides_kept(o: Outcome, value: object) -> Iterable[str]:
    for text in texts(value):
        if not o.matching(text):
            yield f"no statement matches {text!r}"


def relation_one_of(o: Outcome, value: object) -> Iterable[str]:
    one, other = texts(o.case.expect["both_sides_kept"])
    joined = {edge.relation for edge in o.edges if _joins(o, edge, one, other) or _joins(o, edge, other, one)}
    if joined.isdisjoint(texts(value)):
        yield f"joined by {sorted(joined)}, none of {value}"


def contradiction(o: Outcome, value: object) -> Iterable[str]:
    for one, other in alternatives(value):
        sides = ((one, other), (other, one))
        if not any(edge.relation == "contradicts" and _joins(o, edge, *side) for edge in o.edges for side in sides):
            yield f"no contradiction joins {one!r} and {other!r}"


def edges(o: Outcome, value: object) -> Iterable[str]:
    for wanted in objects(value):
        if not _edges(o, wanted):
            yield f"no edge {wanted}"


def edge_invalidated(o: Outcome, value: object) -> Iterable[str]:
    for wanted in objects(value):
        if not any(edge.invalid_from is not None for edge in _edges(o, wanted)):
            yield f"no invalidated edge {wanted}"


def _edges(o: Outcome, wanted: object) -> list[EdgeEntry]:
    edge = mapping(wanted)
    ends = str(edge["from"]), str(edge["to"])
    return [found for found in o.edges if found.relation == edge["type"] and _joins(o, found, *ends)]


def _joins(o: Outcome, edge: EdgeEntry, src: str, dst: str) -> bool:
    ends = ((o.entry(edge.src), src), (o.entry(edge.dst), dst))
    return all(entry is not None and matches(item_text(entry), wanted) for entry, wanted in ends)


def max_updates_edges(o: Outcome, value: object) -> Iterable[str]:
    yield from _at_most(o, "updates", value)


def max_contradicts_edges(o: Outcome, value: object) -> Iterable[str]:
    yield from _at_most(o, "contradicts", value)


def _at_most(o: Outcome, relation: str, most: object) -> Iterable[str]:
    found = [edge for edge in o.edges if edge.relation == relation]
    if len(found) > int(str(most)):
        ends = [[getattr(o.entry(end), "event", None) for end in (edge.src, edge.dst)] for edge in found]
        yield f"{len(found)} {relation} edges: {[[getattr(event, 'text', '?') for event in pair] for pair in ends]}"


def no_cycle(o: Outcome, value: object) -> Iterable[str]:
    following: dict[str, list[str]] = {}
    for edge in o.edges:
        if edge.effective:
            following.setdefault(edge.src, []).append(edge.dst)
    for start in following:
        queue, seen = list(following[start]), set[str]()
        while queue:
            event_id = queue.pop()
            if event_id == start:
                yield f"effective updates run in a circle through {start}"
                return
            if event_id not in seen:
                seen.add(event_id)
                queue += following.get(event_id, [])


def chain_length(o: Outcome, value: object) -> Iterable[str]:
    wanted = [text for one_of in alternatives(o.case.expect.get("current_must_mention", [])) for text in one_of]
    current = [entry for entry in o.entries if entry.status in CURRENT]
    told = [entry for entry in current if any(contains(item_text(entry), text) for text in wanted)] or current
    lengths = [len(o.history(entry).entries) for entry in told]
    if value not in lengths:
        yield f"chains of the current value have {lengths} statements, not {value}"


def as_of_must_mention(o: Outcome, value: object) -> Iterable[str]:
    yield from _mention(_holding(o, _as_of(o), None), value)


def as_of_must_not_mention(o: Outcome, value: object) -> Iterable[str]:
    yield from _mention_not(_holding(o, _as_of(o), None), value)


def known_at(o: Outcome, value: object) -> Iterable[str]:
    for instant, wanted in mapping(value).items():
        holding = _holding(o, _as_of(o), parse_time(instant)[0])
        yield from _mention(holding, mapping(wanted).get("must_mention", []))
        yield from _mention_not(holding, mapping(wanted).get("must_not_mention", []))


def _as_of(o: Outcome) -> int:
    return o.at if o.case.as_of is None else parse_time(o.case.as_of)[0]


def _holding(o: Outcome, at: int, known: int | None) -> list[StateEntry]:
    return [entry for entry in o.entries_at(at, known) if entry.status in CURRENT]


def _mention(holding: list[StateEntry], value: object) -> Iterable[str]:
    for wanted in alternatives(value):
        if not any(contains(item_text(entry), text) for entry in holding for text in wanted):
            yield f"nothing that holds then contains {' or '.join(wanted)!r}: {[e.event.text for e in holding]}"


def _mention_not(holding: list[StateEntry], value: object) -> Iterable[str]:
    for text in texts(value):
        for entry in holding:
            if contains(item_text(entry), text):
                yield f"{entry.event.text!r} holds then and contains {text!r}"


def old_version_findable_despite_superseded(o: Outcome, value: object) -> Iterable[str]:
    for entry in o.entries:
        if entry.superseded_by and entry.valid_until is not None and entry.valid_until > entry.valid_from:
            held = {e.event.id for e in _holding(o, entry.valid_from, None)}
            if entry.event.id not in held:
                yield f"{entry.event.text!r} is not found inside its interval"
            return
    yield "there is no superseded statement"


def validity(o: Outcome, value: object) -> Iterable[str]:
    for text, wanted in mapping(value).items():
        found = [entry.validity for entry in o.matching(text)]
        if wanted not in found:
            yield f"{text!r} has v = {found}, not {wanted}"


def validity_as_of(o: Outcome, value: object) -> Iterable[str]:
    for instant, wanted in mapping(value).items():
        us = parse_time(instant)[0]
        for text, v in mapping(wanted).items():
            found = [entry.validity for entry in o.entries_at(us, us) if matches(item_text(entry), text)]
            if v not in found:
                yield f"{text!r} had v = {found} at {instant}, not {v}"


def valid_until(o: Outcome, value: object) -> Iterable[str]:
    for text, day in mapping(value).items():
        after = date.fromisoformat(str(day)) + timedelta(days=1)
        if not any(_until(o, entry) == after for entry in o.matching(text)):
            yield f"{text!r} does not end with {day}"


def resolved_date(o: Outcome, value: object) -> Iterable[str]:
    by_anchor = sorted(o.entries, key=lambda entry: (entry.event.anchor.start, entry.event.id))
    for text, accepted in mapping(value).items():
        place = {"first": 0, "second": 1}.get(text)
        found = o.containing(text) if place is None else by_anchor[place : place + 1]
        if not any(_lies_in(o, entry, day) for entry in found for day in texts(accepted)):
            anchors = [(o.day_of(e.event.anchor.start, e), e.event.anchor.precision) for e in found]
            yield f"{text!r} is anchored at {anchors}, not {accepted}"


def _lies_in(o: Outcome, entry: StateEntry, wanted: str) -> bool:
    first = date.fromisoformat(wanted.removeprefix(WEEK_OF))
    days = 1
    if wanted.startswith(WEEK_OF):
        first, days = first - timedelta(days=first.weekday()), 7
    anchor = entry.event.anchor
    start, last = o.day_of(anchor.start, entry), o.day_of(anchor.until - 1, entry)
    return first <= start and last < first + timedelta(days=days)


def resolved_instant(o: Outcome, value: object) -> Iterable[str]:
    for text, instant in mapping(value).items():
        found = [entry.event.anchor.start for entry in o.containing(text)]
        if parse_time(str(instant))[0] not in found:
            yield f"{text!r} does not start at {instant}"


def must_not_resolve_to(o: Outcome, value: object) -> Iterable[str]:
    for day in texts(value):
        for entry in o.entries:
            if _lies_in(o, entry, day):
                yield f"{entry.event.text!r} is anchored on {day}"


def must_not_use_processing_date(o: Outcome, value: object) -> Iterable[str]:
    newest = max(sent for message in o.case.messages if (sent := sent_at(message)) is not None)
    for entry in o.entries:
        if entry.valid_from > newest + 366 * 86_400_000_000:
            yield f"{entry.event.text!r} has a time long after everything that was said"


def interval_rule(o: Outcome, value: object) -> Iterable[str]:
    for entry in o.entries:
        if entry.superseded_by and entry.valid_until is not None:
            held = {e.event.id for e in _holding(o, entry.valid_until, None)}
            if entry.event.id in held or not any(by.event_id in held for by in entry.superseded_by):
                yield f"at the instant of the change {entry.event.text!r} still holds, or nothing new does"


def polarity(o: Outcome, value: object) -> Iterable[str]:
    for text, wanted in mapping(value).items():
        found = [entry.event.polarity for entry in o.matching(text)]
        if wanted not in found:
            yield f"{text!r} is {found}, not {wanted}"


def participants(o: Outcome, value: object) -> Iterable[str]:
    speakers = {message.speaker for message in o.case.messages}
    for text, names in mapping(value).items():
        wanted = set(texts(names))
        found = [set(entry.event.participants) for entry in o.containing(text)]
        if not any(wanted <= names and not (names & speakers) - wanted for names in found):
            yield f"{text!r} has the participants {[sorted(names) for names in found]}, not {sorted(wanted)}"


def entities_same(o: Outcome, value: object) -> Iterable[str]:
    for names in alternatives(value):
        people = {o.memory.system.canonical(o.space, _speaker(o, name)) for name in names}
        if len(people) != 1:
            yield f"{names} are {sorted(people)}"


def _speaker(o: Outcome, name: str) -> str:
    return o.case.messages[0].speaker if name == "I" else name


def entities_distinct(o: Outcome, value: object) -> Iterable[str]:
    for names in alternatives(value):
        for one, other in combinations(names, 2):
            if o.memory.system.canonical(o.space, one) == o.memory.system.canonical(o.space, other):
                yield f"{one!r} and {other!r} are one participant"
            for edge in o.edges:
                if edge.relation == "updates" and (_names(o, edge, one, other) or _names(o, edge, other, one)):
                    yield f"an update joins {one!r} and {other!r}"


def _names(o: Outcome, edge: EdgeEntry, src: str, dst: str) -> bool:
    ends = ((o.entry(edge.src), src), (o.entry(edge.dst), dst))
    return all(entry is not None and contains(item_text(entry), name) for entry, name in ends)


def entity_count(o: Outcome, value: object) -> Iterable[str]:
    listed = o.memory.system.participants(o.space).entries
    for name, wanted in mapping(value).items():
        folded = name.casefold()
        found = sum(folded in (p.name.casefold(), *(alias.name.casefold() for alias in p.aliases)) for p in listed)
        if found != wanted:
            yield f"{found} participants are called {name!r}, not {wanted}"


_ALL: tuple[Check, ...] = (
    superseded, must_show_superseded_with, old_fact_status, history_intervals, not_superseded, both_sides_kept,
    relation_one_of, contradiction, edges, edge_invalidated, max_updates_edges, max_contradicts_edges, no_cycle,
    chain_length, as_of_must_mention, as_of_must_not_mention, known_at, old_version_findable_despite_superseded,
    validity, validity_as_of, valid_until, resolved_date, resolved_instant, must_not_resolve_to,
    must_not_use_processing_date, interval_rule, polarity, participants, entities_same, entities_distinct, entity_count,
)  # fmt: skip
HELD: Checks = {check.__name__: check for check in _ALL}
