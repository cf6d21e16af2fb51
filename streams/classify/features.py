"""What the rules look at in a pair of statements. Everything here is computed from the two events alone."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from schemas.events import Anchor
from schemas.ids import normal_text
from schemas.times import US_PER_DAY

from ..casual import spelled_out
from .attributes import canonical_attribute, is_single_valued
from .protocol import Pair
from .subjects import about, name_stems, same_subject
from .words import content_stems, rare_stems, rare_words, stem, words

SHORT_GAP_US = 14 * US_PER_DAY
"""Two people who differ within two weeks speak of the same time; later, a change is as likely as an error."""

_NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty first second third fourth fifth sixth seventh eighth ninth tenth "
    "eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"
)
_WEEKDAYS_MONTHS = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december"
)
_CALENDAR = frozenset(_WEEKDAYS_MONTHS.split())
_FIGURES = frozenset(_NUMBER_WORDS.split()) | _CALENDAR
_CLOCK = re.compile(r"\b(?:[01]?\d|2[0-3])[:.][0-5]\d\b|\b\d+(?:st|nd|rd|th|am|pm)\b|\btomorrow\b|\btonight\b")
_DENIED = re.compile(r"\b(?:no|not)(?: longer)?(?: any| a| an| the| my| our)? (\w+)")
_DENIED_PART = re.compile(r"\b(?:never|not)\b((?: [\w:]+){1,4})")
_HOUR = re.compile(r"(?:(?:at|from|by|around) )?(?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?| o'clock)?|noon|midnight)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_DIGITS = re.compile(r"\d[\d.,:]*(?:st|nd|rd|th|am|pm|k|kg|km)?")


class Features(msgspec.Struct, frozen=True, kw_only=True):
    """Comparison of a newer with an older statement.

    Attributes:
        newer: the newer text, case-folded, plain apostrophes (what cue patterns are matched on).
        older: the older text, likewise.
        attribute: the canonical attribute both have, else None.
        attribute_conflict: both have an attribute, and neither is the other made more exact ("bank appointment").
        single_valued: ``attribute`` holds one value at a time.
        values_differ: both values known and neither contains the other (a more exact value is no other value).
        values_same: both values known and equal, or one contains the other.
        shared: rare stems in both texts, the names of the people they are about left out.
        share: of the rare stems of the text that has fewer, the part that is shared.
        covered: of the older text's rare stems, the part that is shared.
        figures_differ: both hold numbers, days or dates, and neither's are all among the other's.
        dates_differ: both are about an explicitly named time, and the two times do not meet.
        newer_dated: the newer text names a day or a time of day.
        older_dated: the older text does.
        same_speaker: the same known author said both.
        same_subject: the same known subject.
        gap_us: from the older to the newer, microseconds.
        negated_flip: one denies, one affirms.
    """

    newer: str
    older: str
    attribute: str | None
    attribute_conflict: bool
    single_valued: bool
    values_differ: bool
    values_same: bool
    shared: frozenset[str]
    share: float
    covered: float
    figures_differ: bool
    dates_differ: bool
    newer_dated: bool
    older_dated: bool
    same_speaker: bool
    same_subject: bool
    gap_us: int
    negated_flip: bool
    similarity: float
    adjacent: bool

    @property
    def on_topic(self) -> bool:
        """Same attribute, or enough rare words in common to be about the same thing."""
        if self.attribute is not None and not self.attribute_conflict:
            return self.values_same or self.single_valued or bool(self.shared)
        return len(self.shared) >= 2 or (len(self.shared) == 1 and self.share >= 0.5)

    @property
    def denied_by_name(self) -> bool:
        """The newer text says "no …" or "not …" with a word of the older one right after."""
        return any(stem(word) in self.shared for word in _DENIED.findall(self.newer))

    @property
    def denied_figures(self) -> frozenset[str]:
        """Figures that the newer text denies: "never the 12th", "not 30". Of "12 May" only the day: that may be it."""
        named = frozenset(figure for part in _DENIED_PART.findall(self.newer) for figure in figures(part))
        return frozenset(figure for figure in named if figure[0].isdigit()) or named

    @property
    def denied_words(self) -> frozenset[str]:
        """Rare stems that the newer text denies: "never a nurse"."""
        return frozenset[str]().union(*(rare_stems(part) for part in _DENIED_PART.findall(self.newer)))

    @property
    def same_thing(self) -> bool:
        """On topic, and named alike: the same value, two rare words, or close texts that share one."""
        if not self.on_topic:
            return False
        return self.values_same or len(self.shared) >= 2 or self.share >= 0.5 or self.similarity >= 0.6


@lru_cache(maxsize=16384)
def plain(text: str) -> str:
    """Text as cue patterns expect it."""
    return spelled_out(normal_text(text).replace("’", "'"))


def compare(pair: Pair) -> Features:
    """Features of a pair."""
    newer, older = pair.newer, pair.older
    attribute_n, attribute_o = canonical_attribute(newer.attribute), canonical_attribute(older.attribute)
    attribute = attribute_n if attribute_n == attribute_o else None
    value_n, value_o = _value(newer.value), _value(older.value)
    nested = bool(value_n and value_o) and (value_n <= value_o or value_o <= value_n)
    names = name_stems(newer, older)
    rare_n, rare_o = rare_stems(newer.text) - names, rare_stems(older.text) - names
    shared = rare_n & rare_o
    fewest = min(len(rare_n), len(rare_o))
    figures_n, figures_o = figures(newer.text), figures(older.text)
    return Features(
        newer=plain(newer.text),
        older=plain(older.text),
        attribute=attribute,
        attribute_conflict=_conflict(attribute_n, attribute_o),
        single_valued=is_single_valued(attribute, newer.value, older.value),
        values_differ=bool(value_n and value_o) and not nested,
        values_same=nested,
        shared=shared,
        share=len(shared) / fewest if fewest else 0.0,
        covered=len(shared) / len(rare_o) if rare_o else 0.0,
        figures_differ=bool(figures_n - figures_o) and bool(figures_o - figures_n),
        dates_differ=_dates_differ(pair),
        newer_dated=dated(newer.text),
        older_dated=dated(older.text),
        same_speaker=newer.speaker is not None and _same(newer.speaker, older.speaker),
        same_subject=same_subject(about(newer), about(older)),
        gap_us=newer.stated.sent_at - older.stated.sent_at,
        negated_flip=(newer.polarity == "negated") != (older.polarity == "negated"),
        similarity=pair.similarity,
        adjacent=pair.adjacent,
    )


@lru_cache(maxsize=16384)
def figures(text: str) -> frozenset[str]:
    """Numbers, number words, weekdays and months of a text."""
    folded = plain(text)
    found = {_ORDINAL.sub("", figure.rstrip(".,:")) for figure in _DIGITS.findall(folded)}
    return frozenset(found | {name for word in words(folded) if (name := word.removesuffix("s")) in _FIGURES})


@lru_cache(maxsize=16384)
def dated(text: str) -> bool:
    """Whether a text names a day or a time of day."""
    return not _CALENDAR.isdisjoint(figures(text)) or _CLOCK.search(plain(text)) is not None


@lru_cache(maxsize=16384)
def named_things(text: str) -> frozenset[str]:
    """Rare stems of a text without numbers, days and months."""
    dates = figures(text)
    return frozenset(stem(word) for word in rare_words(text) if not word[0].isdigit() and word not in dates)


def _value(value: str | None) -> frozenset[str]:
    return content_stems(value) if value is not None else frozenset()


def _conflict(newer: str | None, older: str | None) -> bool:
    if newer is None or older is None:
        return False
    left, right = frozenset(newer.split()), frozenset(older.split())
    return not (left <= right or right <= left)


def _same(left: str, right: str | None) -> bool:
    return right is not None and normal_text(left) == normal_text(right)


def _dates_differ(pair: Pair) -> bool:
    new, old = pair.newer.anchor, pair.older.anchor
    named = new.resolution != "message_time" and old.resolution != "message_time"
    apart = named and (new.until <= old.start or old.until <= new.start)
    return apart and not (only_hour(new) and not _to_the_hour(old)) and not (only_hour(old) and not _to_the_hour(new))


def only_hour(anchor: Anchor) -> bool:
    """Named by an hour without its day: "at 10"."""
    return _HOUR.fullmatch(plain(anchor.phrase or "")) is not None


def _to_the_hour(anchor: Anchor) -> bool:
    return anchor.precision in ("minute", "hour")
