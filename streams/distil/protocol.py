"""What the distil stage needs from a distiller, offline or model-backed."""

from __future__ import annotations

from typing import Protocol

from schemas.events import Event
from schemas.sessions import SessionRevised


class Distiller(Protocol):
    """Turns a session into typed events (section II-B of the paper).

    ``producer`` names the rules or the model, with their version: other rules are another producer.
    """

    producer: str

    def distil(self, session: SessionRevised) -> tuple[Event, ...]:
        """The events of the whole session, in stated order, ids unique. Pure: equal sessions give equal events."""
        ...
