"""One record of every type, with every field set and awkward text in it. Invented people, invented days."""

from __future__ import annotations

from schemas import (
    adjudications,
    asking,
    control,
    dead_letters,
    deltas,
    edges,
    events,
    messages,
    sessions,
    themes,
    verdicts,
)
from schemas.record import Record
from schemas.topics import TopicName

NOON = 1_709_294_400_000_000
"""2024-03-01T12:00:00Z."""
HOUR = 3_600_000_000

SOURCE = events.Source(conversation_id="harbour", message_id="m-7", start=4, end=31)

EVENT = events.Event(
    id="e0123456789abcdef01234567",
    type="state_change",
    subject="Ilse Ørsted",
    participants=("Ilse Ørsted", "Tomáš"),
    speaker="Ilse Ørsted",
    text="Ilse Ørsted works at the lighthouse 🗼",
    sources=(SOURCE,),
    stated=events.Stated(sent_at=NOON, seq=3, message_id="m-7", offset=4),
    anchor=events.Anchor(start=NOON, until=NOON + HOUR, precision="hour", phrase="around noon", resolution="relative"),
    valid_from=NOON - HOUR,
    ends_at=NOON + 9 * HOUR,
    holds=True,
    modality="planned",
    polarity="negated",
    attribute="employer",
    value="the lighthouse",
    expected_until=NOON + 5 * HOUR,
    confidence=0.75,
)

EDGE = edges.Edge(
    id="r0123456789abcdef01234567",
    src="e0123456789abcdef01234567",
    dst="e76543210fedcba9876543210",
    relation="updates",
    kind="correction",
    confidence=0.5,
    justification="“never the lighthouse”",
    slice=("harbour", "mole"),
    span=SOURCE,
)

RULED_SRC = adjudications.RuledEnd(event_id=EDGE.src, sources=(SOURCE,), type="state_change", attribute="employer")
RULED_DST = adjudications.RuledEnd(event_id=EDGE.dst, sources=(), type="preference", attribute=None)

VALIDITY = deltas.Validity(
    valid_from=NOON,
    valid_until=None,
    demoted_from=NOON + HOUR,
    corrected=False,
    withdrawal=True,
    superseded_by=("e1", "e2"),
    contested_by=(),
)
CAUSE = deltas.Cause(topic="edges", partition=5, offset=1_000_000)

WHERE = {"tenant": "acme", "space": "ilse"}

SAMPLES: tuple[tuple[TopicName, Record], ...] = (
    (
        "messages",
        messages.MessagePosted(
            **WHERE,
            conversation_id="harbour",
            message_id="m-7",
            session_id="spring",
            speaker="Ilse Ørsted",
            speaker_id="u-1",
            role="user",
            content='I "work"\nat the lighthouse 🗼',
            sent_at=NOON,
            utc_offset_min=-210,
            tz="America/St_Johns",
            seq=3,
            received_at=NOON + 1,
            time_assumed=True,
            ends_session=False,
        ),
    ),
    (
        "messages",
        messages.MessageEdited(
            **WHERE, conversation_id="harbour", message_id="m-7", content="I left", received_at=NOON + 2
        ),
    ),
    (
        "messages",
        messages.MessageRetracted(**WHERE, conversation_id="harbour", message_id="m-7", received_at=-1),
    ),
    (
        "sessions",
        sessions.SessionRevised(
            **WHERE,
            conversation_id="harbour",
            session_id="spring",
            revision=2_001,
            open=False,
            messages=(
                sessions.SessionMessage(
                    message_id="m-7",
                    speaker="Ilse Ørsted",
                    speaker_id=None,
                    role="assistant",
                    content="I left",
                    sent_at=NOON,
                    utc_offset_min=60,
                    tz=None,
                    seq=0,
                    offset=1_000,
                ),
            ),
            covers=1_001,
            learned_at=NOON + 3,
        ),
    ),
    (
        "events",
        events.EventsDistilled(
            **WHERE,
            conversation_id="harbour",
            session_id="spring",
            producer="offline-1",
            revision=2_001,
            events=(EVENT,),
            read=("m-6", "m-7"),
            slice=("harbour",),
            covers=1_001,
            learned_at=NOON + 3,
        ),
    ),
    (
        "events",
        events.EventsAsserted(
            **WHERE,
            producer="crm",
            batch_id="2024-03",
            revision=17,
            events=(),
            slice=(),
            asserted_at=NOON,
            covers=0,
            learned_at=NOON,
        ),
    ),
    (
        "edges",
        edges.EdgesInferred(
            **WHERE, session_id="spring", producer="offline-1", revision=9, edges=(EDGE,), covers=1_001, learned_at=NOON
        ),
    ),
    (
        "edges",
        edges.EdgesAsserted(
            **WHERE,
            producer="crm",
            batch_id="2024-03",
            revision=18,
            edges=(),
            asserted_at=NOON,
            covers=0,
            learned_at=NOON,
        ),
    ),
    (
        "themes",
        themes.SessionThemed(
            **WHERE, session_id="spring", theme_id="t-lamp", revision=4, covers=1_001, learned_at=NOON
        ),
    ),
    (
        "verdicts",
        verdicts.PairsJudged(
            **WHERE,
            session_id="spring",
            producer="offline-1",
            prompt_hash=None,
            revision=9,
            verdicts=(
                verdicts.Verdict(
                    newer=EDGE.src, older=EDGE.dst, relation=None, kind=None, confidence=0.25, reason="another pier"
                ),
            ),
            pool_size=40,
            left_out=2,
            learned_at=NOON,
        ),
    ),
    (
        "adjudications",
        adjudications.EdgeAccepted(
            **WHERE,
            edge_id=EDGE.id,
            src=RULED_SRC,
            dst=RULED_DST,
            relation="updates",
            kind="change",
            analyst="vera",
            reason="she says so",
            at=NOON,
        ),
    ),
    (
        "adjudications",
        adjudications.EdgeRuledOut(
            **WHERE,
            edge_id=EDGE.id,
            src=RULED_SRC,
            dst=RULED_DST,
            relation="causes",
            analyst="vera",
            reason="no",
            at=NOON,
        ),
    ),
    ("adjudications", adjudications.RulingWithdrawn(**WHERE, edge_id=EDGE.id, analyst="vera", at=NOON)),
    (
        "adjudications",
        adjudications.AliasMerged(
            **WHERE, alias="Issi", canonical="Ilse Ørsted", analyst="vera", evidence="m-7 signs so", at=NOON
        ),
    ),
    ("adjudications", adjudications.AliasSplit(**WHERE, alias="Issi", analyst="vera", at=NOON)),
    (
        "producers",
        control.ProducerActivated(**WHERE, stage="distil", producer="model-2", fallback="offline-1", at=NOON),
    ),
    (
        "asks",
        asking.ModelAsked(
            **WHERE,
            stage="distil",
            ask_id="q0123456789abcdef01234567",
            producer="model-2+0a1b2c3d",
            session_id="s1",
            conversation_id="harbour",
            prompt=asking.Prompt(
                model="model-2",
                messages=(asking.ChatMessage(role="system", content="Tell what is said: “…”"),),
                schema_name="events",
                schema='{"type":"object"}',
                reply_max_tokens=4_096,
            ),
            about=("p1", "p2"),
            learned_at=NOON,
        ),
    ),
    (
        "asks",
        asking.AskWithdrawn(
            **WHERE, stage="distil", ask_id="q0123456789abcdef01234567", session_id="s1", learned_at=NOON
        ),
    ),
    (
        "replies",
        asking.ModelReplied(
            **WHERE,
            stage="distil",
            ask_id="q0123456789abcdef01234567",
            session_id="s1",
            about=("p1", "p2"),
            outcome="length",
            text='{"events":[{"type":"pl',
            error="",
            model="model-2-2026-01-01",
            via="batch",
            calls=1,
            prompt_tokens=900,
            completion_tokens=4_096,
            cost_usd=0.0125,
            at=NOON,
        ),
    ),
    (
        "replies",
        asking.ReplyRead(
            **WHERE,
            stage="distil",
            ask_id="q0123456789abcdef01234567",
            session_id="s1",
            producer="model-2+0a1b2c3d",
            kept=3,
            invalid=1,
            ungrounded=2,
            unsaid=1,
            outcome="split",
            problem="cut at the token limit",
            learned_at=NOON,
        ),
    ),
    ("clock", control.ClockReached(**WHERE, at=NOON)),
    ("erasures", control.SpaceErased(**WHERE, upto=2_000, at=NOON)),
    ("erasures", control.ConversationErased(**WHERE, conversation_id="harbour", upto=2_000, at=NOON)),
    (
        "erasures",
        control.MessageErased(**WHERE, conversation_id="harbour", message_id="m-7", upto=2_000, at=NOON),
    ),
    (
        "deltas",
        deltas.EventChanged(**WHERE, event_id=EVENT.id, old=None, new=VALIDITY, cause=CAUSE, learned_at=NOON),
    ),
    (
        "deltas",
        deltas.EdgeChanged(
            **WHERE,
            edge_id=EDGE.id,
            was_live=False,
            live=True,
            old_invalid_from=None,
            invalid_from=NOON,
            cause=CAUSE,
            learned_at=NOON,
        ),
    ),
    (
        "dead-letters",
        dead_letters.DeadLetter(
            tenant="",
            space="",
            stage="distil",
            topic="sessions",
            partition=0,
            offset=12,
            error="sessions: Input data was truncated",
            payload=b"\x00\xff\xc1",
            conversation_id=None,
            message_id=None,
            parked_at=NOON,
        ),
    ),
    (
        "dead-letters",
        dead_letters.RedriveBegun(
            tenant="a",
            space="b",
            topic="sessions",
            partition=0,
            offset=12,
            to_partition=0,
            to_end=400,
            at=NOON,
        ),
    ),
    (
        "dead-letters",
        dead_letters.LetterRedriven(
            tenant="a",
            space="b",
            topic="sessions",
            partition=0,
            offset=12,
            to_partition=0,
            to_offset=401,
            repaired=True,
            at=NOON,
        ),
    ),
)
