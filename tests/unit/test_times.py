"""Instants: RFC 3339 in with an offset, microseconds UTC inside, RFC 3339 UTC out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.times import MAX_US, MIN_US, NaiveTimeError, calendar_time, format_time, from_us, parse_time, to_us

instants = st.integers(MIN_US, MAX_US)


@given(instants)
def test_a_formatted_instant_parses_to_itself(us):
    assert parse_time(format_time(us)) == (us, 0)


@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)),
    st.integers(-23 * 60, 23 * 60),
)
def test_an_offset_names_the_same_instant_and_is_kept(naive, minutes):
    local = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    us, offset = parse_time(local.isoformat())
    assert (us, offset) == (to_us(local), minutes)
    assert from_us(us, offset) == local
    assert from_us(us, offset).isoformat() == local.isoformat()


@pytest.mark.parametrize(
    ("text", "us", "offset"),
    [
        ("1970-01-01T00:00:00Z", 0, 0),
        ("1969-12-31T23:59:59.999999Z", -1, 0),
        ("1970-01-01T01:00:00+01:00", 0, 60),
        ("1969-12-31T20:30:00-03:30", 0, -210),
        ("0001-01-01T00:00:00Z", MIN_US, 0),
        ("9999-12-31T23:59:59Z", MAX_US, 0),
    ],
)
def test_known_instants(text, us, offset):
    assert parse_time(text) == (us, offset)


@pytest.mark.parametrize("text", ["2024-03-01T12:00:00", "2024-03-01 12:00", "2024-03-01"])
def test_a_time_without_a_zone_is_refused_as_such(text):
    with pytest.raises(NaiveTimeError, match="no zone"):
        parse_time(text)


def test_a_naive_datetime_is_refused():
    with pytest.raises(NaiveTimeError):
        to_us(datetime(2024, 3, 1))


@pytest.mark.parametrize(
    "text",
    ["", "noon", "2024-02-30T12:00:00Z", "2024-03-01T25:00:00Z", "1709294400", "2024-03-01T12:00:00+99:00", "\x00"],
)
def test_text_that_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="not an RFC 3339 time"):
        parse_time(text)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59.5Z", "9999-12-31T23:00:00-02:00"])
def test_an_instant_outside_the_years_1_to_9999_is_refused(text):
    with pytest.raises(ValueError, match="outside the years"):
        parse_time(text)


def test_output_is_utc_with_a_fraction_only_where_there_is_one():
    assert format_time(to_us(datetime(2024, 3, 1, 12, tzinfo=UTC))) == "2024-03-01T12:00:00Z"
    assert format_time(1) == "1970-01-01T00:00:00.000001Z"


@given(instants, instants)
def test_order_of_instants_is_order_of_their_datetimes(a, b):
    assert (a < b) == (from_us(a) < from_us(b))


@given(st.integers(2 * MIN_US, 2 * MAX_US), st.integers(-3000, 3000))
def test_every_instant_has_a_calendar_time_and_the_calendar_keeps_their_order(us, offset):
    assert calendar_time(us, offset) <= calendar_time(us + 1, offset)
    assert MIN_US <= parse_time(format_time(us))[0] <= MAX_US


@given(
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59)),
    st.integers(-86_399, 86_399),
)
def test_what_is_taken_as_a_time_can_be_told_at_its_own_offset(naive, seconds):
    text = naive.replace(tzinfo=timezone(timedelta(seconds=seconds))).isoformat()
    try:
        us, offset = parse_time(text)
    except ValueError:
        assert naive.year in (1, 9999) or abs(seconds) > 86_400 - 60
    else:
        assert from_us(us, offset).replace(tzinfo=None) == calendar_time(us, offset)
        assert abs(calendar_time(us, offset) - naive) < timedelta(minutes=1)


@pytest.mark.parametrize(
    "text",
    ["2024-01-01T00:00:00+23:59:59", "2024-01-01T00:00:00-23:59:31", "9999-12-31T23:59:59+00:00:31"],
)
def test_an_offset_that_rounds_out_of_the_calendar_is_refused(text):
    with pytest.raises(ValueError, match="at its own offset"):
        parse_time(text)
