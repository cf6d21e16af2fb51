"""What is said in the benchmarks: a little of everything, by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec

from schemas.ids import SpaceKey
from schemas.messages import MessagePosted
from schemas.times import US_PER_SECOND, format_time

TENANT = "bench"
SPEAKERS = ("Ilse", "Tomas")
PLACES = ("Tromso", "Lecce", "Ghent", "Porto", "Kaunas", "Split", "Turku", "Graz")
FIRMS = ("Brightwater", "the tannery", "Ostrava Rail", "the ferry office", "Kestrel Tools")
STATEMENTS = (
    "I live in {place}.", "I moved to {place} last month.", "I work at {firm}.", "I have started working at {firm}.",
    "I quit my job at {firm} yesterday.", "My dentist appointment is on 14 April.", "My favourite drink is mint tea.",
    "I am going to visit {place} on Friday.", "I cancelled the trip to {place}.", "I used to live in {place}.",
)  # fmt: skip
CHATTER = (
    "Do you like {place}?", "Thanks, that is kind of you!", "Ha, sounds good.", "See you later then.",
    "What do you think of {firm}?",
)  # fmt: skip
STATEMENT_SHARE = 0.5


def space(number: int) -> SpaceKey:
    """A space of the benchmark."""
    return SpaceKey(TENANT, f"space-{number:05d}")


def message(rng: Random, key: SpaceKey, number: int, at: int) -> MessagePosted:
    """The space's message of that number, said ``at`` (microseconds UTC)."""
    sentences = STATEMENTS if rng.random() < STATEMENT_SHARE else CHATTER
    content = rng.choice(sentences).format(place=rng.choice(PLACES), firm=rng.choice(FIRMS))
    return MessagePosted(
        tenant=key.tenant, space=key.space, conversation_id="chat", message_id=f"m{number}", session_id=None,
        speaker=rng.choice(SPEAKERS), speaker_id=None, role="user", content=content, sent_at=at, utc_offset_min=0,
        tz=None, seq=number, received_at=at, time_assumed=False, ends_session=False,
    )  # fmt: skip


def as_posted(message: MessagePosted) -> dict[str, object]:
    """The message as a producer posts it."""
    return {
        "message_id": message.message_id, "conversation_id": message.conversation_id, "seq": message.seq,
        "speaker": message.speaker, "content": message.content, "sent_at": format_time(message.sent_at),
    }  # fmt: skip


def posted(messages: Sequence[MessagePosted]) -> bytes:
    """The body of a request that posts them."""
    return msgspec.json.encode({"messages": [as_posted(message) for message in messages]})


def history(rng: Random, key: SpaceKey, messages: int, start: int) -> list[MessagePosted]:
    """A chat of several sessions, in order: a message a minute, a pause of two hours after every twentieth."""
    return [message(rng, key, n, start + (n * 60 + n // 20 * 7_200) * US_PER_SECOND) for n in range(messages)]
