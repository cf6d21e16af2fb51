"""Erasing through the whole embedded system, in memory: what goes, what is made anew, what stays as it was."""

from __future__ import annotations

import json
from random import Random

import msgspec
import pytest

from ops.runtime import Embedded, Parts
from ops.settings import Settings
from ops.system import Refused
from query.api import StateRequest
from schemas.adjudications import AliasMerged
from schemas.asking import ChatMessage, ModelAsked, ModelReplied, Prompt
from schemas.codec import BadRecordError, decode, encode
from schemas.erasure_wire import ErasureIn
from schemas.ids import SpaceKey
from schemas.parking import decoded
from schemas.record import Record
from schemas.ruling_wire import AcceptIn, MergeIn, RuleOutIn
from schemas.topics import TOPICS
from schemas.wire import AssertionsIn, EventIn, SourceIn
from streams.classify.protocol import Pair
from streams.keys import state_key
from streams.link.model.question import asked_pair, question
from streams.llm.asking import Model
from streams.log.memory import MemoryLog
from tests.kit.encoders import HashingEncoder
from views.checksum import checksum as checksum_of
from views.maintain import VIEW_TOPICS, Maintainer
from views.snapshot import read_space
from views.tables import TABLES, MemoryTables
from views.vectors.memory import MemoryIndex

SPACE = SpaceKey("default", "ilse")
NOW = 2_000_000_000_000_000
TOPIC_NAMES = tuple(TOPICS)


class Store:
    """The three stores in memory, and the system on them; ``reopened`` is what another process finds."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.tables = MemoryTables()
        self.index = MemoryIndex(HashingEncoder().dimension)
        self.system = self.reopened()

    def reopened(self) -> Embedded:
        parts = Parts(
            log=self.log, tables=self.tables, encoder=HashingEncoder, index=lambda _: self.index, clock=lambda: NOW
        )  # fmt: skip
        return Embedded(parts, Settings())

    def say(self, *texts: str, conversation: str = "c", space: SpaceKey = SPACE, first: int = 0) -> None:
        """Messages m0, m1 … of one session, taken in and processed."""
        messages = [
            {
                "message_id": f"m{n}", "conversation_id": conversation, "speaker": "Ilse", "content": text,
                "sent_at": f"2031-01-01T10:{n:02}:00Z",
            }
            for n, text in enumerate(texts, start=first)
        ]  # fmt: skip
        out = self.system.post(space, [json.dumps(m).encode() for m in messages])
        assert [s.status for s in out.statuses] == ["accepted"] * len(texts), out
        self.system.flush()

    def holds(self, text: str, space: SpaceKey = SPACE) -> list[str]:
        """Where text stands: entries and rows of the log, cells of the view."""
        needle, found = text.encode(), []
        for topic in TOPICS:
            found += [f"{topic}/{e.offset}" for e in self.log.read_space(topic, space) if needle in e.value]
        for table in self.log._tables:
            found += [f"{table}/{k!r}" for k, v in self.log.scan(table, b"", b"\xff" * 9) if needle in k + v]
        for table in TABLES:
            found += [f"view {table}/{k!r}" for k, v in self.tables.scan(table, b"") if needle in k + v]
        return found

    def state(self, **more: object) -> list[str]:
        request = {"as_of": NOW, "known_at": None, "participant": None, "attribute": None, "include_all": True} | more
        result = self.system.state(StateRequest(space=SPACE, **request))  # pyright: ignore[reportArgumentType]
        return sorted(entry.event.text for entry in result.entries)

    def sound(self) -> bool:
        """The view is what its definition says, also when it is built anew, and the account adds up."""
        before, after = self.system.verify(SPACE), self.system.rebuild(SPACE)
        account = self.system.account(SPACE)
        parts = account.source_of_event + account.read_yielded_none + account.waiting + account.parked
        return before.equal and after.equal and before.checksum == after.checksum and account.accepted == parts


def message(message_id: str, conversation: str = "c") -> ErasureIn:
    return ErasureIn(scope="message", conversation_id=conversation, message_id=message_id)


def test_an_erased_message_is_nowhere_and_the_rest_is_as_if_it_had_never_been():
    store, other = Store(), Store()
    texts = ["I live in Oslo.", "I moved to Quillmark last week.", "I work at the harbour."]
    store.say(*texts)
    assert store.holds("Quillmark")
    assert any("Quillmark" in text for text in store.state())
    receipt = store.system.erase(SPACE, message("m1"))
    assert store.holds("Quillmark") == []
    other.say(texts[0])
    other.say(texts[2], first=2)
    assert store.state() == other.state() == ["I live in Oslo", "I work at the harbour"]
    assert store.sound()
    assert (receipt.messages, receipt.scope, receipt.message_id) == (1, "message", "m1")
    assert receipt.finished_at is not None
    removed = {(one.store, one.what): one.count for one in receipt.removed}
    assert removed[("log", "messages")] == removed[("vectors", "notes")] == removed[("view", "messages")] == 1
    assert removed[("vectors", "events")] == removed[("view", "events")] == 1
    assert store.system.erasure(SPACE, receipt.id) == receipt


def test_a_conversation_goes_and_the_others_stay():
    store = Store()
    store.say("I live in Oslo.", "My sister lives in Quillmark.", conversation="a")
    store.say("I moved to Quillmark.", conversation="b")
    receipt = store.system.erase(SPACE, ErasureIn(scope="conversation", conversation_id="a"))
    assert receipt.messages == 2
    assert store.holds("Oslo") == store.holds("sister") == []
    assert store.state() == ["I moved to Quillmark"]
    assert store.sound()


def test_a_space_goes_with_what_was_asserted_in_it_and_other_spaces_stay():
    store, ben = Store(), SpaceKey("default", "ben")
    store.say("I live in Quillmark.")
    store.say("I live in Quillmark.", space=ben)
    fact = EventIn(key="k", type="preference", text="Ilse likes Marzipanol.")
    store.system.assert_events(
        SPACE, AssertionsIn(batch_id="b", producer="crm", asserted_at="2031-01-02T00:00:00Z", events=(fact,))
    )
    before = store.system.verify(ben).checksum
    store.system.erase(SPACE, ErasureIn(scope="space"))
    assert store.holds("Marzipanol") == []
    assert store.state() == []
    assert store.sound()
    left = store.holds("Quillmark")
    assert [place for place in left if "ilse" in place or place.startswith(TOPIC_NAMES)] == []
    assert store.system.rebuild(ben).checksum == before
    assert store.holds("Quillmark", ben)


def test_an_api_batch_loses_only_what_rests_on_the_message():
    store = Store()
    store.say("I live in Quillmark.", "I work at the mill.")
    facts = tuple(
        EventIn(key=key, type="state_change", text=text, sources=(SourceIn(conversation_id="c", message_id=of),))
        for key, text, of in (("home", "Ilse is at home in Quillmark.", "m0"), ("work", "Ilse is a miller.", "m1"))
    )
    batch = AssertionsIn(batch_id="b", producer="crm", asserted_at="2031-01-02T00:00:00Z", events=facts)
    store.system.assert_events(SPACE, batch)
    store.system.erase(SPACE, message("m0"))
    assert store.holds("Quillmark") == []
    assert "Ilse is a miller." in store.state()
    assert store.sound()


def test_edited_and_withdrawn_text_goes_too():
    store = Store()
    store.say("I live in Quillmark.", "I work in Brambleton.")
    store.system.edit(SPACE, "c", "m0", "I live in Oslo.")
    store.system.retract(SPACE, "c", "m1")
    store.system.flush()
    assert store.holds("Quillmark")
    assert store.holds("Brambleton")
    store.system.erase(SPACE, message("m0"))
    store.system.erase(SPACE, message("m1"))
    assert store.holds("Quillmark") == store.holds("Brambleton") == store.holds("Oslo") == []
    assert store.state() == []
    assert store.sound()


def test_what_is_posted_again_under_an_erased_id_is_new():
    store = Store()
    store.say("I live in Quillmark.", "I work at the mill.")
    store.system.erase(SPACE, message("m0"))
    store.say("I live in Oslo.")
    assert store.state() == ["I live in Oslo", "I work at the mill"]
    assert store.sound()
    store.system.edit(SPACE, "c", "m0", "I live in Bergen.")
    store.system.flush()
    assert store.state() == ["I live in Bergen", "I work at the mill"]
    assert store.sound()
    store.system.erase(SPACE, message("m0"))
    assert store.state() == ["I work at the mill"]
    assert store.holds("Oslo") == store.holds("Bergen") == []
    assert store.sound()


def test_the_very_same_message_may_be_posted_again():
    store = Store()
    store.say("I live in Quillmark.")
    before = store.state()
    store.system.erase(SPACE, ErasureIn(scope="space"))
    store.say("I live in Quillmark.")
    assert store.state() == before
    assert store.sound()


def test_the_past_does_not_tell_what_is_erased():
    now = [NOW]
    store = Store()
    store.say("I live in Quillmark.", "I work at the mill.")
    then = store.state(known_at=NOW)
    assert then == ["I live in Quillmark", "I work at the mill"]
    store.system.erase(SPACE, message("m0"))
    assert store.state(known_at=now[0]) == ["I work at the mill"]


def test_a_dead_letter_loses_its_bytes():
    store = Store()
    store.say("I live in Oslo.")
    bad = b"\x81\xafconversation_id\xa1c Quillmark"
    with store.log.batch() as batch:
        batch.append("messages", SPACE, bad, NOW)
    store.system.flush()
    assert any(place.startswith("dead-letters") for place in store.holds("Quillmark"))
    store.system.erase(SPACE, ErasureIn(scope="space"))
    assert store.holds("Quillmark") == []
    assert store.sound()


def test_nothing_to_erase_is_refused_and_the_same_again_gives_the_same_receipt():
    store = Store()
    store.say("I live in Quillmark.")
    for wanted in (message("m7"), message("m0", "d"), ErasureIn(scope="conversation", conversation_id="d")):
        with pytest.raises(Refused) as refused:
            store.system.erase(SPACE, wanted)
        assert refused.value.problem.code == "not_found"
    with pytest.raises(Refused):
        store.system.erase(SpaceKey("default", "nobody"), ErasureIn(scope="space"))
    with pytest.raises(Refused):
        store.system.erase(SpaceKey("other tenant", "ilse"), ErasureIn(scope="space"))
    assert store.log.end("erasures", 0) == 0
    first = store.system.erase(SPACE, message("m0"))
    assert store.system.erase(SPACE, message("m0")) == first
    assert store.log.end("erasures", 0) == 1
    for unknown in ("e7", "", "../e0"):
        with pytest.raises(Refused):
            store.system.erasure(SPACE, unknown)
    with pytest.raises(Refused):
        store.system.erasure(SpaceKey("default", "ben"), first.id)


@pytest.mark.parametrize(
    "wanted",
    [
        ErasureIn(scope="space", conversation_id="c"),
        ErasureIn(scope="conversation"),
        ErasureIn(scope="conversation", conversation_id="c", message_id="m0"),
        ErasureIn(scope="message", message_id="m0"),
        ErasureIn(scope="message", conversation_id="c"),
    ],
)
def test_a_scope_is_never_guessed(wanted: ErasureIn):
    store = Store()
    store.say("I live in Quillmark.")
    with pytest.raises(Refused) as refused:
        store.system.erase(SPACE, wanted)
    assert refused.value.problem.code == "invalid"
    assert store.state() == ["I live in Quillmark"]


def test_every_record_stays_decodable():
    store = Store()
    store.say("I live in Quillmark.", "I moved to Oslo last week.", "I work at the mill.")
    store.system.erase(SPACE, message("m0"))
    for topic in TOPICS:
        for entry in store.log.read_space(topic, SPACE):
            try:
                decode(topic, entry.value)
            except BadRecordError:
                pytest.fail(f"{topic}/{entry.offset} is no record any more")


def asked(ask_id: str, session_id: str, says: str, *about: str) -> list[tuple[str, Record]]:
    """A question to a model and its reply, as they lie in the log."""
    common = {"tenant": SPACE.tenant, "space": SPACE.space, "ask_id": ask_id, "session_id": session_id, "about": about}
    prompt = Prompt(
        model="m", messages=(ChatMessage(role="user", content=says),), schema_name="s", schema="{}", reply_max_tokens=9
    )
    question = ModelAsked(**common, stage="link", producer="p", conversation_id=None, prompt=prompt, learned_at=NOW)  # pyright: ignore[reportCallIssue]
    reply = ModelReplied(
        **common, stage="link", outcome="stop", text=f"I read: {says}", error="", model="m", via="live", calls=1,
        prompt_tokens=1, completion_tokens=1, cost_usd=0.0, at=NOW,
    )  # pyright: ignore[reportCallIssue]  # fmt: skip
    return [("asks", question), ("replies", reply)]


def test_what_a_model_was_asked_and_said_of_it_goes_too():
    store = Store()
    store.say("I live in Oslo.", "My cat is called Quillmark.")
    [sessions] = [decode("sessions", e.value) for e in store.log.read_space("sessions", SPACE)][-1:]
    quoted = next(text for text in store.state() if "Quillmark" in text)
    records = [
        *asked("ask-session", sessions.session_id, "Ilse: My cat is called Quillmark!"),
        *asked("ask-elsewhere", "another", f"Does {quoted!r} replace anything?", "pair-1"),
        *asked("ask-else", "another", "Does Oslo replace anything?", "pair-2"),
    ]
    rows = {
        "link": [("question", "ask-elsewhere"), ("verdict", "pair-1")],
        "distil": [("reply", "ask-session")],
    }
    with store.log.batch() as batch:
        for topic, record in records:
            batch.append(topic, SPACE, encode(record), NOW)
        for stage, keys in rows.items():
            for kind, name in keys:
                batch.put("stages", stage.encode() + b"/" + state_key(kind, SPACE, name), b"Quillmark")
        batch.put("stages", b"link/" + state_key("verdict", SPACE, "pair-2"), b"Oslo")
    store.system.erase(SPACE, message("m1"))
    assert store.holds("Quillmark") == []
    assert [place.split("/")[0] for place in store.holds("Oslo") if "replies" in place or "asks" in place] == [
        "asks",
        "replies",
    ]
    assert store.log.get("stages", b"link/" + state_key("verdict", SPACE, "pair-2")) == b"Oslo"


@pytest.mark.parametrize(
    "text",
    [
        'My boat is the "Quillmark".',
        "My boat is\n\tthe Quillmark.",
        "Mein Boot heißt Quillmark – 船.",
        "\\Quillmark\\ 🛶",
    ],
)
def test_a_question_to_a_model_goes_however_it_quotes_what_is_erased(text: str) -> None:
    """Questions are JSON: quotes, line ends and what is not ASCII may stand in them in another form."""
    store = Store()
    store.say("I live in Oslo.", "About my boat: see the file.")
    facts = [("erased", text, "m1"), ("stays", "Ilse lives in Oslo", "m0")]
    batch = AssertionsIn(
        batch_id="b", producer="office", asserted_at="2031-02-01T00:00:00Z",
        events=tuple(
            EventIn(
                key=key, type="state_change", text=said, sources=(SourceIn(conversation_id="c", message_id=source),)
            )
            for key, said, source in facts
        ),
    )  # fmt: skip
    ids = store.system.assert_events(SPACE, batch).event_ids
    live = {row.event.id: row.event for row in store.system._view.snapshot(SPACE).view.events.values()}
    pair = Pair(newer=live[ids["erased"]], older=live[ids["stays"]], similarity=0.5, adjacent=False)
    [asked_by_id, reply] = asked("ask-link", "another", "", "pair-1")
    prompt = question(Model(name="m"), [asked_pair(pair, "m")])
    with store.log.batch() as writes:
        writes.append("asks", SPACE, encode(msgspec.structs.replace(asked_by_id[1], prompt=prompt)), NOW)
        writes.append("replies", SPACE, encode(reply[1]), NOW)
    assert store.holds("Quillmark")
    store.system.erase(SPACE, message("m1"))
    assert store.holds("Quillmark") == []
    assert store.sound()


def test_names_that_analysts_merged_go_with_the_whole_space():
    store = Store()
    store.say("I live in Oslo.")
    with store.log.batch() as batch:
        merged = AliasMerged(
            tenant=SPACE.tenant, space=SPACE.space, alias="Zizi Quillmark", canonical="Ilse", analyst="mo",
            evidence="she said so", at=NOW,
        )  # fmt: skip
        batch.append("adjudications", SPACE, encode(merged), NOW)
    store.system.flush()
    assert len(store.holds("Quillmark")) + len(store.holds("quillmark")) > 1
    store.system.erase(SPACE, ErasureIn(scope="space"))
    assert store.holds("Quillmark") == store.holds("quillmark") == store.holds("she said so") == []
    assert store.sound()


def test_what_is_erased_stays_in_the_account_of_what_was_ever_distilled():
    """Also when the same words are said again: they are counted as new."""
    store = Store()
    store.say("I live in Oslo.", "I moved to Quillmark.", "I work at the mill.")
    before = store.system.verify(SPACE).account
    assert before is not None
    store.system.erase(SPACE, message("m1"))
    after = store.system.verify(SPACE).account
    assert after is not None
    assert (after.ever, after.erased, after.holds) == (before.ever, 1, True)
    store.say("I moved to Quillmark.", first=1)
    again = store.system.verify(SPACE).account
    assert again is not None
    assert (again.ever, again.erased, again.live, again.holds) == (before.ever + 1, 1, before.live, True)
    store.system.erase(SPACE, ErasureIn(scope="space"))
    none = store.system.verify(SPACE).account
    assert none is not None
    assert (none.ever, none.erased, none.live, none.holds) == (before.ever + 1, before.ever + 1, 0, True)


@pytest.mark.parametrize("scope", ["message", "conversation", "space"])
@pytest.mark.parametrize("action", ["ruled out", "accepted"])
def test_no_ruling_outlives_what_it_was_about(scope: str, action: str) -> None:
    """Neither in the list, nor over the same words said again: what stands below an erasure never was."""
    store, texts = Store(), ("I live in Oslo.", "I moved to Quillmark.")
    store.say(*texts)
    [edge] = [e for e in store.system.edges(SPACE, None, None).entries if e.relation == "updates"]
    ruling = (
        RuleOutIn(analyst="mo", edge_id=edge.edge_id, reason="two Quillmarks")
        if action == "ruled out"
        else AcceptIn(analyst="mo", edge_id=edge.edge_id, reason="one Quillmark", relation="updates", kind="correction")
    )
    store.system.adjudicate(SPACE, ruling)
    store.system.adjudicate(SPACE, MergeIn(analyst="mo", alias="Quilla", canonical="Ilse", evidence=""))
    wanted = {
        "message": message("m1"),
        "conversation": ErasureIn(scope="conversation", conversation_id="c"),
        "space": ErasureIn(scope="space"),
    }[scope]
    store.system.erase(SPACE, wanted)
    assert store.system.rulings(SPACE).entries == ()
    assert store.holds("Quillmark") == []
    gone = scope == "space"
    assert store.system.canonical(SPACE, "Quilla") == ("quilla" if gone else "ilse")
    store.say(*texts[scope == "message" :], first=int(scope == "message"))
    [again] = [e for e in store.system.edges(SPACE, None, None).entries if e.relation == "updates"]
    assert again.edge_id == edge.edge_id
    assert (again.kind, again.live) == (edge.kind, edge.live)
    assert store.sound()


def test_the_view_is_the_same_in_whatever_order_the_records_come():
    """Also where the erasure, the retraction or what was posted anew comes first."""
    store = Store()
    store.say("I live in Quillmark.", "I moved to Oslo last week.", "I work at the mill.")
    store.system.erase(SPACE, message("m1"))
    store.say("I moved to Bergen last week.", first=1)
    store.system.erase(SPACE, message("m0"))
    checksum = store.system.verify(SPACE).checksum
    entries = [decoded(raw) for topic in VIEW_TOPICS for raw in store.log.read_space(topic, SPACE)]
    rng = Random(3)
    for _ in range(20):
        rng.shuffle(entries)
        maintainer = Maintainer(MemoryTables())
        for entry in entries:
            maintainer.fold_anywhere(entry)
        assert checksum_of(read_space(maintainer, SPACE).view) == checksum


@pytest.mark.parametrize("before", ["said", "edited", "retracted"])
@pytest.mark.parametrize("scope", ["message", "conversation", "space"])
def test_after_an_erasure_nothing_waits(before: str, scope: str) -> None:
    """Whatever had become of its messages: a record that nobody claims would hold every reader up."""
    store = Store()
    store.say("I live in Oslo.", "I moved to Quillmark last week.")
    if before == "edited":
        store.system.edit(SPACE, "c", "m1", "I moved to Lecce.")
    if before == "retracted":
        store.system.retract(SPACE, "c", "m1")
    store.system.flush()
    wanted = {
        "message": message("m1"),
        "conversation": ErasureIn(scope="conversation", conversation_id="c"),
        "space": ErasureIn(scope="space"),
    }[scope]
    store.system.erase(SPACE, wanted)
    assert store.system.basis(SPACE).messages == store.log.end("messages", 0)
    assert store.system.health().waiting == 0
    assert store.sound()
