"""Time phrases: which interval they name, in the speaker's own zone and by the tense of the clause."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.times import MAX_US, MIN_US, format_time, parse_time, to_us
from streams.anchors import Hemisphere, Tense, find_phrases, resolve

# A Wednesday, ten past four in the afternoon, in a zone two hours east of UTC.
SENT = "2024-05-15T16:10:00+02:00"
ZONE = "Europe/Madrid"


def interval(
    phrase: str, tense: Tense = "past", sent: str = SENT, tz: str | None = ZONE, hemisphere: Hemisphere | None = None
):
    us, offset = parse_time(sent)
    anchor = resolve(phrase, us, offset, tz, tense, hemisphere)
    if anchor is None:
        return None
    zone = ZoneInfo(tz) if tz else None

    def local(us: int) -> str:
        moment = datetime.fromtimestamp(0, ZoneInfo("UTC")) + timedelta(microseconds=us)
        moment = moment.astimezone(zone) if zone else moment + timedelta(minutes=offset)
        return moment.strftime("%Y-%m-%d %H:%M")

    return local(anchor.start).removesuffix(" 00:00"), local(anchor.until).removesuffix(" 00:00"), anchor.precision


DAYS = [
    ("yesterday", "past", "2024-05-14", "2024-05-15"),
    ("today", "past", "2024-05-15", "2024-05-16"),
    ("tomorrow", "future", "2024-05-16", "2024-05-17"),
    ("the day before yesterday", "past", "2024-05-13", "2024-05-14"),
    ("the day after tomorrow", "future", "2024-05-17", "2024-05-18"),
    ("on Monday", "past", "2024-05-13", "2024-05-14"),
    ("on Monday", "future", "2024-05-20", "2024-05-21"),
    ("on Wednesday", "past", "2024-05-08", "2024-05-09"),
    ("last Thursday", "past", "2024-05-09", "2024-05-10"),
    ("this Monday", "past", "2024-05-13", "2024-05-14"),
    ("next Monday", "future", "2024-05-20", "2024-05-21"),
    ("Friday week", "future", "2024-05-24", "2024-05-25"),
    ("the Tuesday before last", "past", "2024-05-07", "2024-05-08"),
    ("Monday last week", "past", "2024-05-06", "2024-05-07"),
    ("two Fridays ago", "past", "2024-05-03", "2024-05-04"),
    ("three days ago", "past", "2024-05-12", "2024-05-13"),
    ("a week ago today", "past", "2024-05-08", "2024-05-09"),
    ("in ten days", "future", "2024-05-25", "2024-05-26"),
    ("a week from Saturday", "future", "2024-05-25", "2024-05-26"),
    ("two weeks from tomorrow", "future", "2024-05-30", "2024-05-31"),
    ("the Sunday before 9 June", "future", "2024-06-02", "2024-06-03"),
    ("12 May", "past", "2024-05-12", "2024-05-13"),
    ("12 May", "future", "2025-05-12", "2025-05-13"),
    ("May 12th, 2023", "past", "2023-05-12", "2023-05-13"),
    ("on the 3rd of July 2022", "past", "2022-07-03", "2022-07-04"),
    ("2023-05-12", "past", "2023-05-12", "2023-05-13"),
    ("25/12/2023", "past", "2023-12-25", "2023-12-26"),
    ("on the 20th", "past", "2024-04-20", "2024-04-21"),
    ("on the 20th", "future", "2024-05-20", "2024-05-21"),
    ("by the twenty-first", "future", "2024-05-21", "2024-05-22"),
    ("Sunday the 26th", "future", "2024-05-26", "2024-05-27"),
    ("at the end of the month", "future", "2024-05-31", "2024-06-01"),
    ("the last Friday of this month", "future", "2024-05-31", "2024-06-01"),
    ("from 3 June to 7 June", "future", "2024-06-03", "2024-06-08"),
    ("3-5 June", "future", "2024-06-03", "2024-06-06"),
    ("over the weekend", "past", "2024-05-11", "2024-05-13"),
    ("this weekend", "future", "2024-05-18", "2024-05-20"),
    ("next weekend", "future", "2024-05-25", "2024-05-27"),
    ("two weekends ago", "past", "2024-05-04", "2024-05-06"),
    ("on Christmas Day", "past", "2023-12-25", "2023-12-26"),
    ("on Easter Monday", "past", "2024-04-01", "2024-04-02"),
]


@pytest.mark.parametrize(("phrase", "tense", "start", "until"), DAYS)
def test_a_phrase_names_its_days(phrase: str, tense: Tense, start: str, until: str) -> None:
    assert interval(phrase, tense) == (start, until, "day")


UNITS = [
    ("last week", "past", "2024-05-06", "2024-05-13", "week"),
    ("next week", "future", "2024-05-20", "2024-05-27", "week"),
    ("three weeks ago", "past", "2024-04-22", "2024-04-29", "week"),
    ("in a fortnight", "future", "2024-05-27", "2024-06-03", "week"),
    ("the week before 9 June", "future", "2024-05-27", "2024-06-03", "week"),
    ("the week of the 20th", "future", "2024-05-20", "2024-05-27", "week"),
    ("the week after next", "future", "2024-05-27", "2024-06-03", "week"),
    ("last month", "past", "2024-04-01", "2024-05-01", "month"),
    ("in March", "past", "2024-03-01", "2024-04-01", "month"),
    ("in March", "future", "2025-03-01", "2025-04-01", "month"),
    ("in June 2021", "past", "2021-06-01", "2021-07-01", "month"),
    ("for half a year", "perfect", "2023-11-01", "2023-12-01", "month"),
    ("two months ago", "past", "2024-03-01", "2024-04-01", "month"),
    ("in 2015", "past", "2015-01-01", "2016-01-01", "year"),
    ("three years ago", "past", "2021-01-01", "2022-01-01", "year"),
    ("for six years", "perfect", "2018-01-01", "2019-01-01", "year"),
    ("in the winter", "past", "2023-12-01", "2024-03-01", "season"),
    ("next summer", "future", "2024-06-01", "2024-09-01", "season"),
    ("summer 2022", "past", "2022-06-01", "2022-09-01", "season"),
]


@pytest.mark.parametrize(("phrase", "tense", "start", "until", "precision"), UNITS)
def test_a_phrase_names_its_week_month_season_or_year(
    phrase: str, tense: Tense, start: str, until: str, precision: str
) -> None:
    assert interval(phrase, tense) == (start, until, precision)


CLOCKS = [
    ("this morning", "past", "2024-05-15 06:00", "2024-05-15 12:00", "hour"),
    ("last night", "past", "2024-05-14 18:00", "2024-05-15", "hour"),
    ("on Friday evening", "future", "2024-05-17 18:00", "2024-05-18", "hour"),
    ("the night before last", "past", "2024-05-13 18:00", "2024-05-14", "hour"),
    ("tomorrow at 10:30", "future", "2024-05-16 10:30", "2024-05-16 10:31", "minute"),
    ("at 7pm tomorrow", "future", "2024-05-16 19:00", "2024-05-16 20:00", "hour"),
    ("at 4:17 this morning", "past", "2024-05-15 04:17", "2024-05-15 04:18", "minute"),
    ("at quarter past three", "past", "2024-05-15 15:15", "2024-05-15 15:16", "minute"),
    ("at three", "past", "2024-05-15 15:00", "2024-05-15 16:00", "hour"),
    ("since ten", "past", "2024-05-15 10:00", "2024-05-15 11:00", "hour"),
    ("two hours ago", "past", "2024-05-15 14:00", "2024-05-15 15:00", "hour"),
    ("half an hour ago", "past", "2024-05-15 15:40", "2024-05-15 15:41", "minute"),
    ("in ten minutes", "future", "2024-05-15 16:20", "2024-05-15 16:21", "minute"),
    ("between 2 and 4 tomorrow", "future", "2024-05-16 14:00", "2024-05-16 16:00", "hour"),
]  # fmt: skip


@pytest.mark.parametrize(("phrase", "tense", "start", "until", "precision"), CLOCKS)
def test_a_phrase_names_its_hours_or_minute(phrase: str, tense: Tense, start: str, until: str, precision: str) -> None:
    assert interval(phrase, tense) == (start, until, precision)


@pytest.mark.parametrize(
    "text",
    [
        "on 12/05/2023",
        "a few years ago",
        "on Mondays",
        "every Friday",
        "on 30 February",
        "5000 years ago",
        "I may go",
        "march on",
        "the 5th floor",
        "the 7am class",
        "in the Thursday group",
        "before June",
        "2015 people came",
    ],
)
def test_what_names_no_single_time_is_not_resolved(text: str) -> None:
    assert interval(text) is None


def test_for_with_a_plain_past_is_a_duration_and_no_start() -> None:
    assert interval("for two weeks", "past") is None


def test_the_day_is_the_senders_day_not_that_of_utc() -> None:
    assert interval("today", sent="2025-03-01T22:40:00-05:00", tz=None) == ("2025-03-01", "2025-03-02", "day")


def test_a_day_on_which_the_clocks_go_forward_has_23_hours() -> None:
    us, offset = parse_time("2025-03-29T12:00:00+01:00")
    anchor = resolve("tomorrow", us, offset, "Europe/Berlin", "future")
    assert anchor is not None
    assert anchor.until - anchor.start == 23 * 3600 * 1_000_000


def test_elapsed_hours_are_real_hours_across_a_clock_change() -> None:
    """03:30 summer time, two hours earlier is 00:30 winter time: the clock skipped an hour."""
    assert interval("two hours ago", sent="2025-03-30T03:30:00+02:00", tz="Europe/Berlin") == (
        "2025-03-30",
        "2025-03-30 01:00",
        "hour",
    )


def test_an_unknown_zone_falls_back_to_the_offset_of_the_message() -> None:
    us, offset = parse_time("2025-06-01T23:30:00-05:00")
    known, unknown = resolve("today", us, offset, None, "past"), resolve("today", us, offset, "Mars/Olympus", "past")
    assert known == unknown
    assert known is not None
    assert known.start == to_us(datetime.fromisoformat("2025-06-01T00:00:00-05:00"))


def test_seasons_turn_with_the_hemisphere() -> None:
    assert interval("last summer", hemisphere="south") == ("2023-12-01", "2024-03-01", "season")
    assert interval("last summer", hemisphere="north") == ("2023-06-01", "2023-09-01", "season")


def test_a_named_date_is_explicit_and_a_distance_relative() -> None:
    us, offset = parse_time(SENT)
    named, near = resolve("on 3 May 2024", us, offset, ZONE, "past"), resolve("two days ago", us, offset, ZONE, "past")
    assert named is not None
    assert near is not None
    assert (named.resolution, near.resolution) == ("explicit", "relative")


def test_prepositions_give_the_role() -> None:
    roles = {
        p.text: p.role for p in find_phrases("since May, from Monday, until 2027, by Friday, on Sunday, for two years")
    }
    assert roles == {
        "since May": "since",
        "from Monday": "from",
        "until 2027": "until",
        "by Friday": "by",
        "on Sunday": "at",
        "for two years": "for",
    }


WORD_POOL = [
    "on",
    "at",
    "last",
    "next",
    "this",
    "the",
    "before",
    "after",
    "since",
    "until",
    "for",
    "in",
    "2",
    "30",
    "99",
    "9999",
    "0",
    "days",
    "weeks",
    "years",
    "ago",
    "from",
    "May",
    "31",
    "February",
    "monday",
    "night",
    "end",
    "of",
    "month",
    "12:30",
    "pm",
    "-",
    "to",
    "between",
    "and",
]
TIME_WORDS = st.lists(
    st.sampled_from(WORD_POOL),
    max_size=9,
).map(" ".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.text(max_size=60), TIME_WORDS),
    st.integers(MIN_US, MAX_US // 10 * 9),
    st.sampled_from(["past", "perfect", "present", "future"]),
)
@example("9999 years from now", 1_700_000_000_000_000, "future")
def test_any_text_resolves_to_a_proper_interval_or_to_nothing(text: str, sent: int, tense: Tense) -> None:
    for phrase in find_phrases(text):
        assert text[phrase.start : phrase.end] == phrase.text
    try:
        anchor = resolve(text, sent, 60, None, tense)
    except OverflowError:
        assert sent < MIN_US + 86_400_000_000
        return
    if anchor is not None:
        assert anchor.start < anchor.until


@pytest.mark.parametrize(
    ("offset", "start"),
    [(0, "2024-06-01"), (120, "2024-06-01"), (600, "2023-12-01"), (780, "2023-12-01"), (-180, "2023-12-01")],
)
def test_without_a_zone_the_offset_tells_the_hemisphere_where_it_can(offset: int, start: str) -> None:
    anchor = resolve("last summer", parse_time("2024-10-10T12:00:00Z")[0], offset, None, "past")
    assert anchor is not None
    assert format_time(anchor.start + offset * 60_000_000)[:10] == start


@pytest.mark.parametrize(
    ("text", "day"),
    [("on Bonfire Night", "2023-11-05"), ("on All Saints' Day", "2023-11-01"), ("on Anzac Day", "2024-04-25")],
)
def test_more_days_with_a_date_of_their_own(text: str, day: str) -> None:
    anchor = resolve(text, parse_time("2024-06-10T12:00:00Z")[0], 0, None, "past")
    assert anchor is not None
    assert format_time(anchor.start)[:10] == day
