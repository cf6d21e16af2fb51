"""Checks of what is said: answer, current items, citations, attribution."""

from __future__ import annotations

import re
from collections.abc import Iterable

from schemas.ids import MessageKey

from .checks import Checks, alternatives, mapping, texts
from .outcome import CURRENT, Outcome, context_texts, item_text
from .text import contains, is_about, matches, stems

_HAN = re.compile(r"[\u4e00-\u9fff]")
_NO = frozenset(stems("no not never none nobody n't cannot won isn wasn doesn didn don can t nothing"))


def current_must_mention(o: Outcome, value: object) -> Iterable[str]:
    for wanted in alternatives(value):
        if not any(o.says_now(text) for text in wanted):
            yield f"neither the answer nor a current item contains {' or '.join(wanted)!r}"


def must_not_present_as_current(o: Outcome, value: object) -> Iterable[str]:
    for text in texts(value):
        if contains(o.answer, text):
            yield f"the answer contains {text!r}: {o.answer!r}"
        negated = [entry for entry in o.current_entries(text) if entry.event.polarity == "negated"]
        for entry in o.current_entries(text):
            if entry.event.polarity == "affirmed":
                yield f"current: {entry.event.text!r} contains {text!r}"
        for line in o.current_notes(text):
            if not any(contains(line, entry.event.text) for entry in negated):
                yield f"shown unmarked: {line!r} contains {text!r}"


def must_mention(o: Outcome, value: object) -> Iterable[str]:
    for wanted in alternatives(value):
        if not any(contains(o.answer, text) for text in wanted):
            yield f"the answer lacks {' or '.join(wanted)!r}: {o.answer!r}"


def must_not_mention(o: Outcome, value: object) -> Iterable[str]:
    for text in texts(value):
        if contains(o.answer, text):
            yield f"the answer contains {text!r}"


def also_current(o: Outcome, value: object) -> Iterable[str]:
    for text in texts(value):
        if not any(entry.status in CURRENT for entry in o.matching(text)):
            yield f"no current statement matches {text!r}"


def must_not_be_empty(o: Outcome, value: object) -> Iterable[str]:
    if value and not any(entry.status in CURRENT for entry in o.entries):
        yield "the state is empty"


def abstain(o: Outcome, value: object) -> Iterable[str]:
    if value and o.known:
        yield f"answered: {o.answer!r}"


def abstain_or_no(o: Outcome, value: object) -> Iterable[str]:
    if value and o.known and not _NO & set(stems(o.answer)):
        yield f"answered neither no nor not known: {o.answer!r}"


def no_event_about(o: Outcome, value: object) -> Iterable[str]:
    for phrase in texts(value):
        for entry in o.entries:
            if entry.status in CURRENT and is_about(item_text(entry), phrase):
                yield f"{entry.event.text!r} is about {phrase!r}"


def no_affirmed_event_about(o: Outcome, value: object) -> Iterable[str]:
    for phrase in texts(value):
        for entry in o.entries:
            if entry.event.polarity == "affirmed" and entry.status in CURRENT and is_about(item_text(entry), phrase):
                yield f"affirmed {entry.event.text!r} is about {phrase!r}"


def must_not_invent(o: Outcome, value: object) -> Iterable[str]:
    for text in texts(value):
        for entry in o.containing(text):
            yield f"{entry.event.text!r} contains {text!r}"


def no_invented_fact(o: Outcome, value: object) -> Iterable[str]:
    yield from must_not_invent(o, value)
    yield from must_not_mention(o, value)


def evidence_messages(o: Outcome, value: object) -> Iterable[str]:
    cited = _cited(o)
    for message_id in texts(value):
        if message_id not in cited:
            yield f"message {message_id} is not cited; cited: {sorted(cited)}"


def must_not_cite_messages(o: Outcome, value: object) -> Iterable[str]:
    for message_id in texts(value):
        if message_id in _cited(o):
            yield f"message {message_id} is cited"


def _cited(o: Outcome) -> set[str]:
    return {citation.message_id for citation in o.reply.citations}


def must_not_mention_anywhere(o: Outcome, value: object) -> Iterable[str]:
    """With a scope, what came back for that request; the state of the whole space is another one."""
    said = [o.answer, *context_texts(o.reply.context), *(c.quote for c in o.reply.citations)]
    if o.case.scope is None:
        said += [item_text(entry) for entry in o.entries]
    for text in texts(value):
        for part in said:
            if contains(part, text):
                yield f"{part!r} contains {text!r}"


def must_not_mention_as_available(o: Outcome, value: object) -> Iterable[str]:
    for name in texts(value):
        for clause in re.split(r"[.;,\n]|\bbut\b", o.answer):
            if contains(clause, name) and not _NO & set(stems(clause)):
                yield f"{name} is named as available: {clause!r}"


def must_flag_uncertain(o: Outcome, value: object) -> Iterable[str]:
    flagged = [entry for entry in o.entries if entry.status in ("lapsed", "partial") or entry.contested_by]
    if not flagged and o.known and "unknown" not in o.answer.casefold():
        yield f"nothing is flagged as uncertain ({'; '.join(texts(value))})"


def attributed_to(o: Outcome, value: object) -> Iterable[str]:
    for text, speaker in mapping(value).items():
        for entry in o.matching(text):
            if (entry.event.speaker or "").casefold() != str(speaker).casefold():
                yield f"{entry.event.text!r} is attributed to {entry.event.speaker}, not {speaker}"


def must_attribute(o: Outcome, value: object) -> Iterable[str]:
    for text, speaker in mapping(value).items():
        if not any(entry.event.speaker == speaker for entry in o.containing(text)):
            yield f"{text!r} is not attributed to {speaker}"


def quote_must_be_verbatim(o: Outcome, value: object) -> Iterable[str]:
    contents = {message.message_id: message.text for message in o.case.messages}
    for citation in o.reply.citations:
        if citation.quote not in contents.get(citation.message_id, ""):
            yield f"not verbatim: {citation.quote!r}"


def answer_language(o: Outcome, value: object) -> Iterable[str]:
    if (_HAN.search(o.answer) is not None) != (value == "zh"):
        yield f"the answer is not in {value}: {o.answer!r}"


def original_text_kept(o: Outcome, value: object) -> Iterable[str]:
    shown = {key: item for item in o.reply.context for key in item.message_ids}
    for message in o.case.messages:
        key = MessageKey(message.conversation_id or "", message.message_id)
        item = shown.get((key.conversation_id, key.message_id))
        if item is not None and message.text not in item.text:
            yield f"message {message.message_id} is shown as {item.text!r}"


def evidence_path(o: Outcome, value: object) -> Iterable[str]:
    wanted = alternatives(value)
    for path in o.reply.paths:
        rows = [o.entry(event_id) for event_id in path.events]
        found = {(step.src, step.relation, step.dst): None for step in path.steps}
        named = {row.event.id: item_text(row) for row in rows if row is not None}
        if all(
            any(r == relation and matches(named.get(s, ""), a) and matches(named.get(d, ""), b) for s, r, d in found)
            for a, relation, b in wanted
        ):
            return
    yield f"no path has {value}"


SAID: Checks = {
    check.__name__: check
    for check in (
        current_must_mention, must_not_present_as_current, must_mention, must_not_mention, also_current,
        must_not_be_empty, abstain, abstain_or_no, no_event_about, no_affirmed_event_about, must_not_invent,
        no_invented_fact, evidence_messages, must_not_cite_messages, must_not_mention_anywhere,
        must_not_mention_as_available, must_flag_uncertain, attributed_to, must_attribute, quote_must_be_verbatim,
        answer_language, original_text_kept, evidence_path,
    )
}  # fmt: skip
