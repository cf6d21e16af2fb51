"""The settings as the limits of the cores: people write seconds, cores count microseconds."""

from __future__ import annotations

from schemas.times import US_PER_SECOND
from schemas.transport import OUTPUT_MAX_BYTES
from streams.message_in import IngestLimits
from streams.sessions.accepted import session_max_bytes
from streams.sessions.definition import SessionLimits

from .settings import BadConfigError, Settings


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
        max_content_bytes=settings.content_max_bytes,
    )


def broker_session_limits(settings: Settings) -> SessionLimits:
    """The same for a broker, which takes records up to a size: every session must fit one.

    Raises:
        BadConfigError: with these settings one might not. Lower ``session_max_messages`` (sessions are cut sooner) or
            ``content_max_bytes``.
    """
    limits = session_limits(settings)
    size = session_max_bytes(limits)
    if size > OUTPUT_MAX_BYTES:
        raise BadConfigError(
            f"session_max_messages = {limits.max_messages} of content_max_bytes = {limits.max_content_bytes}: a "
            f"session could have {size} bytes, a record on the broker {OUTPUT_MAX_BYTES}: lower one of the two",
            "session_max_messages",
        )
    return limits
