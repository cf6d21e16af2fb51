"""Sessions and a driver for tests of themes."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.codec import encode
from schemas.entry import Entry
from schemas.ids import SpaceKey, record_hash
from schemas.record import Record
from schemas.sessions import SessionRevised
from schemas.themes import SessionThemed
from streams.state import MemoryState
from streams.themes.fold import Placed, themes_of
from streams.themes.stage import ThemesStage
from streams.themes.words import session_vector
from tests.kit.encoders import HashingEncoder
from tests.kit.sessions import revised, said

SPACE = SpaceKey("acme", "s1")
ENCODER = HashingEncoder()


def session(session_id: str, day: int, *contents: str, revision: int = 1) -> SessionRevised:
    """A session that began on a day."""
    messages = [
        said(number, day * 1000 + number, content, "Ann", message_id=f"{session_id}-{number}", seq=0, offset=0)
        for number, content in enumerate(contents)
    ]
    return revised(
        messages, tenant=SPACE.tenant, space=SPACE.space, conversation_id="c1", session_id=session_id,
        revision=revision, covers=revision, learned_at=revision,
    )  # fmt: skip


class Theming:
    """The themes stage on a state in memory, with everything it published."""

    def __init__(self) -> None:
        self.state = MemoryState()
        self.stage = ThemesStage(ENCODER)
        self.published: list[SessionThemed] = []

    def apply(self, record: Record, offset: int) -> list[SessionThemed]:
        """Fold one session; returns what it led to."""
        entry = Entry(topic="sessions", partition=0, offset=offset, record=record)
        out = [output.record for output in self.stage.apply(entry, self.state, now=0)]
        themed = [record for record in out if isinstance(record, SessionThemed)]
        assert len(themed) == len(out)
        self.published += themed
        return themed

    def run(self, records: Sequence[Record]) -> Theming:
        """Fold sessions in this order."""
        for offset, record in enumerate(records):
            self.apply(record, offset)
        return self

    def themes(self) -> dict[str, str]:
        """By session, the theme of the highest revision; empty sessions left out."""
        best: dict[str, SessionThemed] = {}
        for record in self.published:
            if record.session_id not in best or best[record.session_id].revision <= record.revision:
                best[record.session_id] = record
        return {s: record.theme_id for s, record in sorted(best.items()) if record.theme_id is not None}


def defined(records: Sequence[SessionRevised]) -> dict[str, str]:
    """What the definition says about a set of sessions."""
    best: dict[str, SessionRevised] = {}
    for record in sorted(records, key=lambda r: (r.revision, record_hash(encode(r)))):
        best[record.session_id] = record
    placed = [
        Placed(
            order=(record.messages[0].sent_at, 0, record.messages[0].message_id, record.session_id),
            vector=session_vector(ENCODER, record.messages),
        )
        for record in best.values()
        if record.messages
    ]
    return dict(sorted(themes_of(placed).items()))
