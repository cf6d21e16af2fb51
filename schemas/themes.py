"""Topic ``themes``: which theme (the paper's topic vertex, theta) a session belongs to (Eq. 8)."""

from __future__ import annotations

from .record import Record


class SessionThemed(Record, frozen=True, kw_only=True, tag="session_themed"):
    """A session's theme; ``theme_id`` None when the session is empty. ``revision``: offset in ``sessions``."""

    session_id: str
    theme_id: str | None
    revision: int
    covers: int
    learned_at: int


ThemeRecord = SessionThemed
