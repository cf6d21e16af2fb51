"""Themes by leader clustering (the paper's topic vertices, Eq. 8), folded over sessions as they began.

A session joins the theme whose centroid is nearest when that is near enough, else it founds one. Incremental centroids
depend on the order in which sessions come, so the order is fixed to the sessions' own (first message, then id) and not
to their arrival; a session that arrives late or changes is folded in at its place, and what came after it again. All
vectors are integers: a centroid is a sum, taking a member out again is exact, and the last session is redone at the
cost of one comparison with every theme.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import msgspec
import numpy as np
import numpy.typing as npt

from schemas.ids import digest

from ..unit_vectors import IntVector

THETA_T = 0.6
"""Least cosine of a session and a centroid. Measured with MiniLM on two chats of 19 sessions: 0.6 makes 7 themes of
either, the largest of 7 sessions; 0.4 makes one or two; 0.7 leaves most sessions alone (ops/adr/0010)."""

SumVector = npt.NDArray[np.int64]
SessionOrder = tuple[int, int, str, str]


class Placed(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A session that is not empty: (sent_at, seq, message id) of its first message and its id, and its unit vector."""

    order: SessionOrder
    vector: IntVector

    @property
    def session_id(self) -> str:
        """The last part of the order."""
        return self.order[3]


class ThemeFold:
    """Sessions in order, each with its theme; every theme with the sum of its members' vectors.

    Themes are held in the order in which they were founded, so the last one is the one to drop when its founder goes.
    """

    def __init__(self) -> None:
        self.placed: list[Placed] = []
        self.theme_of: dict[str, str] = {}
        self._sums: dict[str, SumVector] = {}

    def replace(self, former: Placed | None, current: Placed | None) -> list[str]:
        """Take ``former`` out and put ``current`` in; returns the ids of the sessions that were folded again.

        Cost: themes × sessions from the earlier of both places on. In order of arrival that is one session.
        """
        orders = [session.order for session in (former, current) if session is not None]
        if not orders:
            return []
        start = bisect_left(self.placed, min(orders), key=lambda session: session.order)
        tail = self.placed[start:]
        for session in reversed(tail):
            self._unfold(session)
        del self.placed[start:]
        kept = [session for session in tail if former is None or session.order != former.order]
        if current is not None:
            kept.append(current)
        again = sorted(kept, key=lambda session: session.order)
        for session in again:
            self._fold(session, self._nearest(session))
        return [session.session_id for session in again]

    def restore(self, session: Placed, theme_id: str) -> None:
        """Append the next session in order with the theme it is known to have."""
        self._fold(session, theme_id)

    def _fold(self, session: Placed, theme_id: str) -> None:
        self.placed.append(session)
        self.theme_of[session.session_id] = theme_id
        former = self._sums.get(theme_id)
        vector = session.vector.astype(np.int64)
        self._sums[theme_id] = vector if former is None else former + vector

    def _unfold(self, session: Placed) -> None:
        theme_id = self.theme_of.pop(session.session_id)
        if theme_id == founded_by(session.session_id):
            del self._sums[theme_id]
        else:
            self._sums[theme_id] = self._sums[theme_id] - session.vector

    def _nearest(self, session: Placed) -> str:
        """The nearest theme that is near enough, of equally near ones the first founded; else one of its own."""
        if self._sums:
            near = _cosines(session.vector, np.stack(list(self._sums.values())))
            best = int(np.argmax(near))
            if near[best] >= THETA_T:
                return list(self._sums)[best]
        return founded_by(session.session_id)


def founded_by(session_id: str) -> str:
    """Id of the theme that a session founds."""
    return "t" + digest("theme", session_id)


def themes_of(sessions: Iterable[Placed]) -> dict[str, str]:
    """The definition: the theme of every session, from all sessions at once."""
    fold = ThemeFold()
    for session in sorted(sessions, key=lambda session: session.order):
        fold.replace(None, session)
    return fold.theme_of


def _cosines(vector: IntVector, totals: SumVector) -> npt.NDArray[np.float64]:
    """Cosine with each row, from exact integers: every order of summing gives the same. Zero is near to none."""
    wide = vector.astype(np.int64)
    products = (totals @ wide).astype(np.float64)
    squares = np.einsum("ij,ij->i", totals, totals).astype(np.float64) * float(np.dot(wide, wide))
    return np.divide(products, np.sqrt(squares), out=np.zeros_like(products), where=squares > 0)
