"""What began and what ceased to hold, between two instants of valid time."""

from __future__ import annotations

from query.api import StateRequest
from query.changes import changes
from query.state import state
from tests.kit.space import BASIS, SPACE, MemorySpace, event, message, row, us
from tests.kit.village import village


def told(since: str, until: str, space: MemorySpace | None = None, **wanted: object) -> list[tuple[str, str]]:
    space = space or village()
    fields: dict[str, object] = {"participant": None, "attribute": None, "known_at": None, "include_all": True}
    request = StateRequest(space=SPACE, as_of=us(until), **(fields | wanted))  # type: ignore[arg-type]
    result = changes(state(space, space, request, BASIS), us(since))
    return [(one.change, one.entry.event.id) for one in result.entries]


def test_a_change_is_the_end_of_the_old_and_the_beginning_of_the_new() -> None:
    assert told("2024-05-01", "2024-05-02T12:00:00Z", participant="Tilda", attribute="employer") == [
        ("ended", "job-old"),
        ("began", "job-new"),
    ]


def test_nothing_is_told_of_what_changed_before_or_is_still_to_come() -> None:
    assert told("2024-05-02T12:00:00Z", "2024-05-09", participant="Tilda", attribute="employer") == []
    assert ("began", "job-new") not in told("2024-01-01", "2024-04-01")


def test_what_was_never_so_neither_began_nor_ended() -> None:
    said = message("m", "Ann", "2024-01-01", "I live in Lund")
    wrong = row(event("e", said), corrected=True, valid_until=us("2024-01-01"))
    assert told("2023-01-01", "2024-05-01", MemorySpace([said], [wrong])) == []


def test_only_statements_of_the_theme_are_told() -> None:
    texts = [message(f"m{n}", "Ann", "2024-01-02", f"I like tea number {n}") for n in (1, 2)]
    rows = [row(event(f"e{n}", text), f"s{n}") for n, text in enumerate(texts, start=1)]
    space = MemorySpace(texts, rows, themes={"s1": "t1", "s2": "t2"})
    assert told("2024-01-01", "2024-02-01", space, theme="t2") == [("began", "e2")]
