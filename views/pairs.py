"""Of which events something holds that is asked of one message or event after the other, remembered as bits."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from schemas.ids import MessageKey

THINGS_MOST = 16_384
"""Messages or events of one ``Pairs``; past it all pairs are worked out anew."""

NUMBERS_MOST = 2_048
"""Numbers of one ``Pairs``; past it likewise. Two sets of so many bits take about 600 bytes."""


class Pairs:
    """Of which events something holds that is asked of a message, or of an event, remembered pair by pair.

    Events have numbers, and a set of events is an integer with their bits, so a question about a few hundred events is
    asked in one step. An event that changes gets another number: what was known of its pairs is never asked for again.

    Attributes:
        known: by message or event, the events that were looked at, and those among them of which it holds.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._next = count()
        self.known: dict[MessageKey | str, tuple[int, int]] = {}

    def bit(self, event_id: str) -> int:
        """The event alone as a set."""
        number = self._numbers.get(event_id)
        if number is None:
            number = self._numbers.setdefault(event_id, next(self._next))
        return 1 << number

    def bits(self, event_ids: Iterable[str]) -> int:
        """Events as a set."""
        found, numbers = 0, self._numbers
        for event_id in event_ids:
            number = numbers.get(event_id)
            found |= self.bit(event_id) if number is None else 1 << number
        return found

    @property
    def is_full(self) -> bool:
        """There is no room for more."""
        return len(self.known) >= THINGS_MOST or next(reversed(self._numbers.values()), 0) >= NUMBERS_MOST

    def without(self, events: Iterable[str], messages: Iterable[MessageKey]) -> Pairs:
        """A copy that knows nothing of these. Both draw on the same numbers."""
        made = Pairs()
        made._numbers, made._next, made.known = self._numbers.copy(), self._next, self.known.copy()
        for event_id in events:
            made._numbers.pop(event_id, None)
            made.known.pop(event_id, None)
        for key in messages:
            made.known.pop(key, None)
        return made
