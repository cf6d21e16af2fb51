"""A small chat of two spaces, made from a seed: what is sent, and what must have been sent before it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import msgspec

from schemas.adjudications import AdjudicationRecord, AliasMerged, AliasSplit, EdgeRuledOut, RuledEnd, RulingWithdrawn
from schemas.ids import SpaceKey, asserted_event_id, edge_id
from schemas.wire import AssertionsIn, EdgeIn, EventIn, SourceIn

NORTH, SOUTH = SpaceKey("hill", "diary"), SpaceKey("south", "diary")
"""Of two partitions each has one."""
SPEAKERS = {NORTH: ("Ansgar", "Birte"), SOUTH: ("Calixta", "Domingo")}
START = datetime(2031, 3, 3, 9, tzinfo=UTC)
PLACES = ("Tromso", "Lecce", "Ghent", "Porto", "Kaunas")
FIRMS = ("Brightwater", "the tannery", "Ostrava Rail", "the ferry office")
PETS = ("a cat called Pip", "a dog called Rollo", "a parrot called Quill")
SAYINGS = (
    "I live in {place}.", "I moved to {place} last month.", "I work at {firm}.", "I have started working at {firm}.",
    "I quit my job at {firm} yesterday.", "I have {pet}.", "Do you like {place}?", "Thanks, that is kind of you!",
    "My dentist appointment is on 14 April.", "The dentist moved my appointment to 21 April.",
    "Sorry, I mixed that up: I never lived in {place}.", "I was only joking.", "I used to live in {place}.",
    "I am going to visit {place} on Friday.", "I cancelled the trip to {place}.", "My favourite drink is mint tea.",
    "From 1 May I will work at {firm}.", "We have a garden in {place} since January.",
)  # fmt: skip

ERASED = "Quillmark"
"""A place that only a message to be erased speaks of."""

RULED_AT = 1_950_000_000_000_000
"""When analysts speak; each word a microsecond after the one before, in whatever order they arrive."""


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """A message to post."""

    space: SpaceKey
    raw: bytes


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """New content for a message; None retracts it."""

    space: SpaceKey
    conversation_id: str
    message_id: str
    content: str | None


class Assert(msgspec.Struct, frozen=True, kw_only=True):
    """A producer's batch."""

    space: SpaceKey
    batch: AssertionsIn


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """What an analyst says."""

    space: SpaceKey
    record: AdjudicationRecord


class Erase(msgspec.Struct, frozen=True, kw_only=True):
    """A message is to be forgotten."""

    space: SpaceKey
    conversation_id: str
    message_id: str


class Garbage(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes that are no record, appended to ``messages``."""

    space: SpaceKey
    raw: bytes


Action = Post | Edit | Assert | Rule | Erase | Garbage


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """An action and the numbers of those that come before it in every order."""

    action: Action
    after: tuple[int, ...] = ()


def chat(rng: Random) -> list[Deed]:
    """Every deed in plain order: messages as they were said, then edits, retractions, assertions and rulings.

    Most chats are short and of one space, because what goes wrong goes wrong among few messages; every tenth is longer.
    """
    deeds: list[Deed] = []
    most = 9 if rng.random() < 0.1 else 4
    _add_space(rng, NORTH, most, deeds)
    if rng.random() < 0.3:
        _add_space(rng, SOUTH, most, deeds)
    return deeds


def _add_space(rng: Random, space: SpaceKey, most: int, deeds: list[Deed]) -> None:
    posts: dict[tuple[str, str], int] = {}
    for conversation in ("harbour", "attic")[: rng.randint(1, 2)]:
        at, given = START + timedelta(days=rng.randint(0, 40)), rng.random() < 0.2
        for n in range(rng.randint(most // 2, most)):
            at += timedelta(seconds=rng.choice((0, 30, 200, 200, 4_000, 90_000)))
            message = {
                "message_id": f"m{n}", "conversation_id": conversation, "speaker": rng.choice(SPEAKERS[space]),
                "content": saying(rng), "sent_at": at.isoformat(), "seq": n,
            }  # fmt: skip
            if given:
                message["session_id"] = f"day {n // 4}"
            elif rng.random() < 0.1:
                message["ends_session"] = True
            posts[conversation, f"m{n}"] = len(deeds)
            deeds.append(Deed(action=Post(space=space, raw=json.dumps(message).encode())))
    _add_changes(rng, space, posts, deeds)
    if rng.random() < 0.3:
        _add_names(rng, space, deeds)
    if rng.random() < 0.3:
        deeds.append(Deed(action=Garbage(space=space, raw=rng.choice((b"", b"\xc1", b"\x81\xa4type\xa4none")))))


def _add_changes(rng: Random, space: SpaceKey, posts: dict[tuple[str, str], int], deeds: list[Deed]) -> None:
    """Some messages are edited, some of these retracted or erased; a batch may rest on another one."""
    keys = list(posts)
    changed = rng.sample(keys, k=rng.randint(1, len(keys) // 2))
    erased = changed[0] if rng.random() < 0.15 else None
    for key in changed:
        last = posts[key]
        contents = [saying(rng) for _ in range(rng.randint(0, 2))]
        if key == erased:
            contents.append(f"I moved to {ERASED} last month.")
        for content in contents + [None] * rng.randint(0, 1):
            edit = Edit(space=space, conversation_id=key[0], message_id=key[1], content=content)
            deeds.append(Deed(action=edit, after=(last,)))
            last = len(deeds) - 1
        if key == erased:
            erase = Erase(space=space, conversation_id=key[0], message_id=key[1])
            deeds.append(Deed(action=erase, after=(last,)))
    _add_batch(rng, space, deeds, {key: number for key, number in posts.items() if key not in changed})


def _add_batch(rng: Random, space: SpaceKey, deeds: list[Deed], posts: dict[tuple[str, str], int]) -> None:
    """Two states of one attribute, the second replacing the first, sent once or, with other words, twice."""
    source = rng.choice(list(posts))
    after = [posts[source]]
    firms = rng.sample(FIRMS, k=rng.randint(0, 2))
    for text in firms:
        events = (
            EventIn(
                key="first", type="state_change", text=f"{SPEAKERS[space][0]} works at {text}", attribute="employer",
                subject=SPEAKERS[space][0], participants=SPEAKERS[space][:1], valid_from="2031-01-02T00:00:00Z",
                sources=(SourceIn(conversation_id=source[0], message_id=source[1]),),
            ),
            EventIn(
                key="second", type="state_change", text=f"{SPEAKERS[space][0]} works at home", attribute="employer",
                subject=SPEAKERS[space][0], participants=SPEAKERS[space][:1], valid_from="2031-04-01T00:00:00Z",
            ),
        )  # fmt: skip
        edges = (EdgeIn(src="second", dst="first", relation="updates", kind="change"),)
        batch = AssertionsIn(
            batch_id="payroll", producer="office", asserted_at="2031-04-10T00:00:00Z", events=events, edges=edges
        )
        deeds.append(Deed(action=Assert(space=space, batch=batch), after=tuple(after)))
        after.append(len(deeds) - 1)
    if firms and rng.random() < 0.4:
        _add_rulings(rng, space, deeds)


def _add_rulings(rng: Random, space: SpaceKey, deeds: list[Deed]) -> None:
    """The batch's edge is ruled out, and perhaps the word is taken back; these may arrive before the batch."""
    second, first = (
        RuledEnd(
            event_id=asserted_event_id(space, "office", key), sources=(), type="state_change", attribute="employer"
        )
        for key in ("second", "first")
    )  # fmt: skip
    edge = edge_id(space, second.event_id, "updates", first.event_id)
    ruled_out = EdgeRuledOut(
        tenant=space.tenant, space=space.space, edge_id=edge, src=second, dst=first, relation="updates",
        analyst="Evi", reason="another office", at=RULED_AT,
    )  # fmt: skip
    back = RulingWithdrawn(
        tenant=space.tenant, space=space.space, edge_id=edge, analyst="Evi", at=RULED_AT + 1
    )  # fmt: skip
    for record in (ruled_out, back)[: rng.randint(1, 2)]:
        deeds.append(Deed(action=Rule(space=space, record=record)))


def _add_names(rng: Random, space: SpaceKey, deeds: list[Deed]) -> None:
    """Both speakers are one person, or after all are not."""
    canonical, alias = SPEAKERS[space]
    merged = AliasMerged(
        tenant=space.tenant, space=space.space, alias=alias, canonical=canonical, analyst="Evi", evidence="one phone",
        at=RULED_AT,
    )  # fmt: skip
    split = AliasSplit(tenant=space.tenant, space=space.space, alias=alias, analyst="Evi", at=RULED_AT + 1)
    for record in (merged, split)[: rng.randint(1, 2)]:
        deeds.append(Deed(action=Rule(space=space, record=record)))


def saying(rng: Random) -> str:
    """Something said."""
    return rng.choice(SAYINGS).format(place=rng.choice(PLACES), firm=rng.choice(FIRMS), pet=rng.choice(PETS))


def mixed(rng: Random, deeds: Sequence[Deed]) -> list[Action]:
    """The deeds in another order: mostly forward, some late, some posts sent twice; each after what it follows.

    What is to be erased is sent once: sent again after it, it would be taken as new.
    """
    erased = {(a.space, a.conversation_id, a.message_id) for deed in deeds if isinstance(a := deed.action, Erase)}
    lateness = rng.choice((0.0, 3.0, 12.0, 200.0))
    due = {n: n + rng.random() * lateness for n in range(len(deeds))}
    for n, deed in enumerate(deeds):
        due[n] = max([due[n], *(due[before] + 0.001 for before in deed.after)])
    order = sorted(due, key=lambda n: (due[n], n))
    out: list[Action] = []
    sent: list[Post] = []
    for n in order:
        action = deeds[n].action
        out.append(action)
        if isinstance(action, Post) and named(action) not in erased:
            sent.append(action)
        if sent and rng.random() < 0.15:
            out.append(rng.choice(sent))
    return out


def named(post: Post) -> tuple[SpaceKey, str, str]:
    """The message of a post: its space, conversation and id."""
    message = json.loads(post.raw)
    return post.space, message["conversation_id"], message["message_id"]
