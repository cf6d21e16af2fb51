"""Real conversations: imported, accounted for, and the same whatever the order they arrive in.

The data lies beside the repository and is not part of it; without it these tests are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest

from ops.cli.feed import Totals, feed
from ops.importers import SourceFile, open_source
from ops.model import load_encoder
from ops.opening import open_parts
from ops.runtime import Embedded
from ops.settings import Settings
from ops.system import Verification
from schemas.ids import SpaceKey
from schemas.wire import MessageIn
from views.encoder.protocol import Encoder
from views.encoder.resolve import ModelUnavailableError

FILE = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "locomo" / "conversations.json"
SPACE = SpaceKey("default", "pair")

pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"no data: {FILE}")


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    """One for all systems: its cache encodes every text once."""
    try:
        return load_encoder(cached_texts=50_000)
    except ModelUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def system(encoder: Encoder, tmp_path: Path) -> Iterator[Embedded]:
    """An empty system."""
    yield from opened(tmp_path / "store", encoder)


def opened(store: Path, encoder: Encoder) -> Iterator[Embedded]:
    """A system on a directory, closed at the end."""
    parts = open_parts(store, Settings(), writer=True)
    made = Embedded(msgspec.structs.replace(parts, encoder=lambda: encoder), Settings())
    yield made
    made.close()


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """A system with conversation 0, imported in order."""

    system: Embedded
    totals: Totals
    verified: Verification


@pytest.fixture(scope="module")
def in_order(encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    """Conversation 0 as ``stilltrue import`` takes it."""
    for system in opened(tmp_path_factory.mktemp("locomo") / "store", encoder):
        totals = import_all(system, open_source(FILE, conversation=0))
        yield Imported(system=system, totals=totals, verified=system.verify(SPACE))


def import_all(system: Embedded, source: SourceFile) -> Totals:
    """Import and flush; what became of it."""
    totals = list(feed(system, SPACE, source, batch=200, received_at="sent_at", tz=None))
    system.flush(SPACE)
    return totals[-1]


def messages() -> list[bytes]:
    """Conversation 0 as JSON messages; each keeps its ``seq`` and session."""
    items = list(open_source(FILE, conversation=0).items())
    found = [item.message for item in items if item.message is not None]
    assert len(found) == len(items) > 400
    decoded = [msgspec.json.decode(raw, type=MessageIn) for raw in found]
    assert all(message.seq is not None and message.session_id is not None for message in decoded)
    return found


def post_all(system: Embedded, order: Sequence[bytes]) -> list[str]:
    """Post in this order, a few at a time, processing in between; the statuses."""
    statuses: list[str] = []
    for start in range(0, len(order), 60):
        taken = system.post(SPACE, order[start : start + 60], received_at="sent_at", default_tz="UTC")
        statuses += [status.status for status in taken.statuses]
        system.run()
    system.flush()
    return statuses


def check_account(system: Embedded, accepted: int) -> None:
    """Every accepted message is in one of the four places, and none waits or is parked."""
    account = system.account(SPACE)
    assert account.accepted == accepted
    assert account.source_of_event + account.read_yielded_none + account.waiting + account.parked == accepted
    assert account.waiting == account.parked == 0
    assert account.source_of_event > 0


def test_a_conversation_is_imported_and_every_message_accounted_for(in_order: Imported) -> None:
    assert (in_order.totals.accepted, in_order.totals.duplicate, in_order.totals.parked) == (len(messages()), 0, 0)
    check_account(in_order.system, len(messages()))
    assert in_order.verified.equal
    assert in_order.verified.events > 100
    assert in_order.verified.edges > 100


def test_a_rebuild_gives_the_same_view(in_order: Imported) -> None:
    assert in_order.system.rebuild(SPACE) == in_order.verified


def test_the_order_of_arrival_changes_nothing(in_order: Imported, system: Embedded) -> None:
    shuffled = messages()
    Random(11).shuffle(shuffled)
    assert post_all(system, shuffled) == ["accepted"] * len(shuffled)
    check_account(system, len(shuffled))
    assert system.verify(SPACE) == in_order.verified


def test_sending_everything_twice_changes_nothing(in_order: Imported, system: Embedded) -> None:
    twice = messages() * 2
    Random(12).shuffle(twice)
    assert sorted(post_all(system, twice)) == ["accepted"] * len(messages()) + ["duplicate"] * len(messages())
    check_account(system, len(messages()))
    assert system.verify(SPACE) == in_order.verified
    assert system.rebuild(SPACE) == in_order.verified


def test_two_conversations_in_one_space_keep_their_message_ids_apart(system: Embedded) -> None:
    taken: dict[str, set[str]] = {}
    total = 0
    for number in (0, 1):
        source = open_source(FILE, conversation=number)
        for item in source.items():
            assert item.message is not None
            message = msgspec.json.decode(item.message, type=MessageIn)
            taken.setdefault(message.message_id, set()).add(message.conversation_id)
        totals = import_all(system, source)
        assert (totals.duplicate, totals.parked) == (0, 0)
        total += totals.accepted
    assert len(taken["D1:1"]) == 2
    check_account(system, total)
    assert system.verify(SPACE).equal
