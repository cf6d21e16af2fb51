"""A case as it is written, and how it is delivered."""

from __future__ import annotations

import msgspec


class CaseMessage(msgspec.Struct, frozen=True):
    """A message, an operation on one, or bytes that are no record."""

    message_id: str
    conversation_id: str | None
    speaker: str
    role: str
    content: str | Repeated
    sent_at: str
    session_id: str | None = None
    seq: int | None = None
    tz: str | None = None
    speaker_id: str | None = None
    tenant_id: str | None = None
    op: str | None = None
    target_message_id: str | None = None
    target_speaker: str | None = None
    raw: str | None = None

    @property
    def text(self) -> str:
        """The content, written out."""
        return self.content if isinstance(self.content, str) else self.content.text


class Repeated(msgspec.Struct, frozen=True):
    """A long content in short."""

    prefix: str
    filler: str
    repeat: int
    suffix: str

    @property
    def text(self) -> str:
        """prefix + filler × repeat + suffix."""
        return self.prefix + self.filler * self.repeat + self.suffix


class Case(msgspec.Struct, frozen=True):
    """One story: messages in arrival order, a question, what is expected."""

    id: str
    category: str
    needs_model: bool
    messages: tuple[CaseMessage, ...]
    question: str
    expect: dict[str, object]
    asked_at: str | None = None
    as_of: str | None = None
    scope: dict[str, object] | None = None
    tenant_id: str | None = None
    import_tz: str | None = None
    replay: int = 1
    llm_fault: dict[str, object] | None = None


def numbered(case: Case) -> list[CaseMessage]:
    """The messages with ``seq`` filled in: their place, before anybody shuffles them."""
    return [
        message if message.seq is not None else msgspec.structs.replace(message, seq=place)
        for place, message in enumerate(case.messages)
    ]
