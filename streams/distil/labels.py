"""Lines of a label and a value: "Summer fair venue: Harbour shed", "Owner of the calendar: Lorcan", "New number: 0660".

The label's last word tells the attribute, the words before it (or after "of") the thing. A label alone tells no thing:
it is about itself ("deadline"), and that it means the same as elsewhere only a word like "new" says.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..anchors.nodes import Context
from ..casual import spelled_out
from .finite import Tokens
from .lexicon import grammar as g
from .lexicon.things import FRESH, LABELS, LABELS_OF_PEOPLE, NOTICES
from .parse import parse
from .sentences import Sentence
from .statement import Statement
from .subjects import Subject
from .tokens import tokenize
from .verbless import read_verbless

_ATTRIBUTE_OF = {word: name for name, words in LABELS.items() for word in words.split()}
_LINE = re.compile(
    rf"(?:(?i:{'|'.join(sorted(NOTICES))}): +|(?i:(?:btw|hi|hey|hello|ok|so|sorry|ps)(?: all)?),? +)*"
    r"(?P<label>[^\W_][^:\n]{0,60}?)\s*:\s+(?P<value>\S[^\n]*)"
)
_OF = re.compile(r"^(?P<what>[\w -]+?) (?:of|for) (?:the |our |my )?(?P<thing>.+)$", re.IGNORECASE)
MOST_LABEL = 6
"""Words of a label."""
MOST_VALUE = 12
"""Words of a value: a longer one is a statement of its own."""


class Label(NamedTuple):
    """``thing``: what it is about; None where it is about whoever wrote it."""

    thing: str | None
    attribute: str
    value: str


def label_of(sentence: str) -> Label | None:
    """The label and the value of a sentence; None for another one."""
    line = _LINE.fullmatch(spelled_out(sentence.strip()))
    if line is None or not _is_value(line["value"]) or len(line["label"].split()) > MOST_LABEL:
        return None
    of = _OF.match(line["label"])
    words = (line["label"] if of is None else of["what"]).replace(",", " ").split()
    words = [word for word in words if word.casefold() not in NOTICES]
    attribute = _ATTRIBUTE_OF.get(words[-1].casefold()) if words else None
    if attribute is None or (attribute == "phone" and not any(c.isdigit() for c in line["value"])):
        return None
    before = [word for word in words[:-1] if word.casefold() not in FRESH]
    if attribute == "phone" and not {word.casefold() for word in before} <= _ATTRIBUTE_OF.keys():
        attribute = "number"  # "locker number: 77"
    if before and of is None and before[-1].casefold() in _ATTRIBUTE_OF:
        before = before[:-1]  # "fair start date"
    thing = " ".join(before) if of is None else of["thing"]
    if not thing:
        thing = None if attribute in LABELS_OF_PEOPLE else words[-1].casefold()
    return Label(None if thing is None else _lowered(thing), attribute, line["value"].rstrip(" .!"))


def labelled(text: str, sentence: Sentence, speaker: str, context: Context, day_end: int) -> Statement | None:
    """A line of a label and its value as a statement about the thing; None for another sentence.

    Args:
        text: of the message.
        sentence: of it.
        speaker: who wrote it.
        context: the message's clock.
        day_end: of the day it was sent, microseconds.
    """
    label = label_of(text[sentence.start : sentence.end])
    if label is None:
        return None
    kind, times = read_verbless(label.value, "verbless", context, day_end)
    subject = Subject(label.thing, (), is_person=False)
    if label.thing is None:
        subject = Subject(f"{speaker}'s {LABELS_OF_PEOPLE[label.attribute]}", (speaker,), is_person=False)
    start, end = sentence.start, sentence.end
    return Statement(start, end, kind, times, subject, subject.people, label.attribute, label.value)


def _is_value(value: str) -> bool:
    """Words that make no statement of their own."""
    tokens: Tokens = tokenize(value)
    if not tokens or len(tokens) > MOST_VALUE or tokens[0].word in g.SUBJECT_PRONOUNS | g.QUESTION_WORDS:
        return False
    reading = parse(tokens)
    if reading is None or reading.form == "verbless" or reading.subject[0] == reading.subject[1]:
        return True
    return reading.auxiliary == "" and reading.tense == "past"


def _lowered(thing: str) -> str:
    """As a subject is named: a first word that only has its capital from the line is written small."""
    first, _, rest = thing.partition(" ")
    named = first[1:2].isupper() or rest[:1].isupper()
    return thing if named else first[:1].lower() + first[1:] + (f" {rest}" if rest else "")
