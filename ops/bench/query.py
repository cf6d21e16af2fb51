"""``bench query``: what a question costs, in parts and over HTTP, on a small space and on a large one.

Times of the engine are CPU times of the thread that asks, without the question's vector; the search of the index is
told apart (``search_*``): its cost is the index's. The small space is made by the normal path; the large one is rows
in memory, found by a search that costs nothing.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import msgspec

from query.api import QueryRequest
from query.ports import Step
from schemas.times import US_PER_DAY

from .http_queries import over_http
from .large_space import LargeSearch, large_space, packed_in
from .processes import percentile
from .talk import FIRMS, PLACES, SPEAKERS, as_posted, history, space

if TYPE_CHECKING:
    from ops.settings import Settings
    from query.engine import QueryEngine
    from schemas.ids import SpaceKey
    from schemas.messages import MessagePosted
    from views.encoder.protocol import Encoder
    from views.snapshot import Snapshot

START = 1_700_000_000_000_000
QUESTIONS = (
    "Where does {who} live?", "Where does {who} work now?", "When did {who} move to {place}?",
    "Has {who} quit the job at {firm}?", "What does {who} like to drink?", "Why did {who} cancel the trip to {place}?",
)  # fmt: skip


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured."""

    messages: int
    events: int
    questions: int
    clients: int
    seed: int


class _Timer:
    """``query.ports.Steps``: CPU milliseconds of each step of one query."""

    def __init__(self) -> None:
        self.ms: dict[Step, float] = {}
        self._since = time.thread_time()

    def done(self, step: Step) -> None:
        """A step ended."""
        now = time.thread_time()
        self.ms[step] = (now - self._since) * 1e3
        self._since = now


def measure(asked: Asked, load_encoder: Callable[[], Encoder], say: Callable[[str], None]) -> dict[str, float]:
    """All of it, in one run.

    Raises:
        BenchError: the service did not start, or answered with an error.
    """
    from ops.settings import Settings

    rng = Random(asked.seed)
    settings = Settings()
    questions = [
        rng.choice(QUESTIONS).format(who=rng.choice(SPEAKERS), place=rng.choice(PLACES), firm=rng.choice(FIRMS))
        + f" {n}"
        for n in range(asked.questions)
    ]
    with tempfile.TemporaryDirectory(prefix="stilltrue-bench-") as scratch:
        store = Path(scratch) / "store"
        encoder = load_encoder()
        say(f"importing {asked.messages} messages")
        metrics = _ingest(store, settings, encoder, history(rng, space(0), asked.messages, START))
        say(f"asking {len(questions)} questions")
        metrics |= _small(store, settings, encoder, questions)
        say(f"asking over HTTP, {asked.clients} clients")
        metrics |= asyncio.run(over_http(store, space(0), questions, asked.clients, at=START + 90 * US_PER_DAY))
    say(f"a space of {asked.events} events")
    return metrics | _large(asked, settings, questions)


def _ingest(store: Path, settings: Settings, encoder: Encoder, messages: Sequence[MessagePosted]) -> dict[str, float]:
    """Messages a second until each can be found and the state is current, by CPU time; the encoder's share."""
    from ops.opening import open_parts
    from ops.runtime import Embedded

    parts = msgspec.structs.replace(open_parts(store, settings, writer=True), encoder=lambda: encoder)
    system = Embedded(parts, settings)
    raws = [msgspec.json.encode(as_posted(message)) for message in messages]
    begun = time.process_time()
    system.post(space(0), raws, received_at="sent_at")
    system.flush(space(0))
    took = time.process_time() - begun
    system.close()
    begun = time.process_time()
    encoder.encode([f"{message.content} ({n})" for n, message in enumerate(messages)])  # texts it does not remember
    return {"ingest_messages_per_s": len(raws) / took, "ingest_encoder_share": (time.process_time() - begun) / took}


def _small(store: Path, settings: Settings, encoder: Encoder, questions: Sequence[str]) -> dict[str, float]:
    from ops.opening import open_parts
    from ops.viewing import LiveView
    from query.engine import QueryEngine
    from query.search import IndexSearch

    parts = open_parts(store, settings, writer=True)
    view, index = LiveView(parts.log, parts.tables, settings.stage_batch_records), parts.index(encoder)
    found, _ = view.read(space(0), None)
    timed = _ask(QueryEngine(IndexSearch(index, encoder), settings.query), found, space(0), questions)
    encoding = [_encoded_in(encoder, f"{question} once more") for question in questions[:20]]
    index.close()
    view.close()
    parts.log.close()
    return {**_told(timed, ""), "encode_ms": percentile(encoding, 0.5), "events": float(len(found.event_ids()))}


def _encoded_in(encoder: Encoder, text: str) -> float:
    begun = time.process_time()
    encoder.encode([text])
    return (time.process_time() - begun) * 1e3


def _large(asked: Asked, settings: Settings, questions: Sequence[str]) -> dict[str, float]:
    from query.engine import QueryEngine

    made = large_space(asked.events, asked.seed)
    packed = packed_in(made, settings.query.discounts)
    engine = QueryEngine(LargeSearch(made, asked.seed), settings.query)
    timed = _ask(engine, made.cut, made.key, questions)
    return {**_told(timed, "_large"), "events_large": float(asked.events), **made.memory, **packed}


def _ask(engine: QueryEngine, cut: Snapshot, key: SpaceKey, questions: Sequence[str]) -> list[dict[Step, float]]:
    """Ask everything, after a warm-up of a tenth, in a process that is as one that serves."""
    from ops.heap import for_serving
    from views.reader import Basis

    for_serving()

    basis = Basis(partition=0, messages=0, waiting=0, parked=0)
    timed: list[dict[Step, float]] = []
    for question in (*questions[: len(questions) // 10], *questions):
        request = QueryRequest(
            space=key, question=question, asked_at=START + 90 * US_PER_DAY, as_of=None, known_at=None, mode="hybrid",
            budget_tokens=2_000, answer=False,
        )  # fmt: skip
        timer = _Timer()
        engine.query(request, cut, cut, basis, cut.ruled_out(), timer)
        timed.append(timer.ms)
    return timed[len(questions) // 10 :]


def _told(timed: Sequence[dict[Step, float]], suffix: str) -> dict[str, float]:
    own = [sum(ms for step, ms in one.items() if step not in ("embed", "search")) for one in timed]
    told = {f"p50_ms{suffix}": percentile(own, 0.5), f"p99_ms{suffix}": percentile(own, 0.99)}
    for step in ("read", "search", "seeds", "paths", "context"):
        told[f"{step}_p50_ms{suffix}"] = percentile([one.get(step, 0.0) for one in timed], 0.5)
    return told
