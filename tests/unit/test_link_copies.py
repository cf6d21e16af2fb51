"""Copies of spaces that the link stage keeps: of exactly the state asked for, and not for ever."""

from __future__ import annotations

from schemas.ids import SpaceKey
from streams.link.copies import SPACE_EVENTS, Copies
from streams.link.space import Space


def space(name: str) -> Space:
    return Space(SpaceKey("t", name), {}, None, {})


def test_a_copy_is_taken_once_and_only_by_its_own_state() -> None:
    copies, one = Copies(), space("one")
    copies.keep(one.key, "token", one)
    assert copies.take(one.key, "token") is one
    assert copies.take(one.key, "token") is None, "a step works on it"
    copies.keep(one.key, "token", one)
    assert copies.take(one.key, "another") is None
    assert copies.take(one.key, "token") is None, "a copy of a former state is of no use"


def test_the_last_used_are_kept_within_the_limit_and_the_very_last_always() -> None:
    copies = Copies(events=2 * SPACE_EVENTS)
    one, two, three = space("one"), space("two"), space("three")
    for each in (one, two):
        copies.keep(each.key, "token", each)
    copies.keep(one.key, "token", copies.take(one.key, "token") or one)
    copies.keep(three.key, "token", three)
    assert copies.take(two.key, "token") is None
    assert copies.take(one.key, "token") is one
    assert copies.take(three.key, "token") is three
    narrow = Copies(events=1)
    narrow.keep(one.key, "token", one)
    assert narrow.take(one.key, "token") is one
