"""The settings as the limits of the cores: people write seconds, cores count microseconds."""

from __future__ import annotations

from schemas.times import US_PER_SECOND
from streams.message_in import IngestLimits
from streams.sessions.definition import SessionLimits

from .settings import Settings


def ingest_limits(settings: Settings) -> IngestLimits:
    """What the edge refuses."""
    return IngestLimits(max_content_bytes=settings.content_max_bytes)


def session_limits(settings: Settings) -> SessionLimits:
    """Where sessions are cut and when an open one is published."""
    return SessionLimits(
        gap_us=settings.session_gap_s * US_PER_SECOND,
        max_messages=settings.session_max_messages,
        publish_after=settings.open_revision_messages,
        quiet_us=round(settings.open_silence_s * US_PER_SECOND),
    )
