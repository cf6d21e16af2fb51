"""The test data as types, read from a folder that is never copied: conversations, gold, pairs, timelines, cases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

T = TypeVar("T")


class BadDataError(ValueError):
    """The folder does not hold what a suite needs; the message names the file. Give another ``--data``."""


class GoldSide(msgspec.Struct, frozen=True):
    """One side of a gold pair."""

    dia_ids: tuple[str, ...]
    fact: str


class GoldPair(msgspec.Struct, frozen=True):
    """A supersession, contradiction, retraction or look-alike trap of a conversation.

    ``valid_until_precision`` "session" means the day given. A retraction may have no new side of its own.
    """

    id: str
    sample: int
    kind: Literal["supersession", "contradiction", "retraction", "trap"]
    old: GoldSide
    new: GoldSide | None
    valid_until: str | None
    valid_until_precision: Literal["day", "week", "month", "year", "session"] | None


class AnchorQuestion(msgspec.Struct, frozen=True):
    """A question whose answer is a date, half-open ``[start, until)`` of local days."""

    id: str
    sample: int
    dia_ids: tuple[str, ...]
    start: str = msgspec.field(name="from")
    until: str
    precision: str


class UtteranceEvent(msgspec.Struct, frozen=True):
    """What an utterance states."""

    modality: str
    polarity: str
    quote: str
    start: str | None = msgspec.field(name="from")
    until: str | None
    precision: str | None
    subject: str | None = None


class Utterance(msgspec.Struct, frozen=True):
    """One chat utterance with the events it holds, or none."""

    id: str
    speaker: str
    addressee: str | None
    role: str
    sent_at: str
    text: str
    events: tuple[UtteranceEvent, ...]
    none_because: str | None


class Said(msgspec.Struct, frozen=True):
    """One side of a hand-written pair."""

    speaker: str
    role: str
    sent_at: str
    text: str


class LabelledPair(msgspec.Struct, frozen=True):
    """Two statements and how the newer one relates to the older one."""

    id: str
    old: Said
    new: Said
    label: str
    subtype: str | None
    subject: str | None
    attribute: str | None


class Question(msgspec.Struct, frozen=True):
    """A LoCoMo question; ``evidence`` names turns. Categories: 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop."""

    question: str
    category: int
    evidence: tuple[str, ...] = ()


class Sample(msgspec.Struct, frozen=True):
    """A conversation of the LoCoMo file with its questions. ``sample``: its number, absent = its place in the file."""

    sample_id: str
    qa: tuple[Question, ...]
    sample: int | None = None


class StressItem(msgspec.Struct, frozen=True):
    """A question whose answer changed: the turns that state the current and the outdated one."""

    id: str
    sample: int
    type: str
    question: str
    current_dia_ids: tuple[str, ...]
    outdated_dia_ids: tuple[str, ...]


class Data:
    """A data folder. Reads what is asked for and remembers the hash of every file read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._hashes: dict[str, str] = {}

    @property
    def locomo(self) -> Path:
        """The file of conversations."""
        return self.path("locomo/conversations.json")

    def path(self, name: str) -> Path:
        """A file of the folder; it counts as read.

        Raises:
            BadDataError: it is not there.
        """
        path = self._folder / name
        if not path.is_file():
            raise BadDataError(f"{path}: no such file; --data takes the folder that holds {name}")
        self._hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return path

    def sha256(self) -> str:
        """One hash of every file read so far, by name."""
        return hashlib.sha256(msgspec.json.encode(sorted(self._hashes.items()))).hexdigest()

    def samples(self) -> list[Sample]:
        """Every conversation's questions, in file order."""
        return _whole(self.locomo, list[Sample])

    def gold(self, sample: int) -> list[GoldPair]:
        """The annotation of a conversation; empty where there is none."""
        name = f"gold/gold{sample}.jsonl"
        return _lines(self.path(name), GoldPair) if (self._folder / name).is_file() else []

    def anchors(self) -> list[AnchorQuestion]:
        """Questions for dates."""
        return _lines(self.path("anchors/anchors.jsonl"), AnchorQuestion)

    def utterances(self) -> list[Utterance]:
        """Single utterances."""
        return _lines(self.path("utterances/utterances.jsonl"), Utterance)

    def pairs(self) -> list[LabelledPair]:
        """Statement pairs."""
        return _lines(self.path("pairs/pairs.jsonl"), LabelledPair)

    def stress(self) -> list[StressItem]:
        """Questions about what changed."""
        return _lines(self.path("stress/items.jsonl"), StressItem)

    def files(self, folder: str, ending: str) -> list[str]:
        """Names of a subfolder's files with this ending, sorted."""
        found = sorted(path.name for path in (self._folder / folder).glob(f"*{ending}"))
        if not found:
            raise BadDataError(f"{self._folder / folder}: no {ending} file there")
        return [f"{folder}/{name}" for name in found]

    def lines(self, name: str) -> list[bytes]:
        """The lines of a file, undecoded; blank ones left out."""
        return [line for line in self.path(name).read_bytes().splitlines() if line.strip()]


def sample_numbers(samples: Sequence[Sample], wanted: Iterable[int] | None) -> list[int]:
    """Places in the file of the wanted conversations (by their number); all when None."""
    numbers = [place if sample.sample is None else sample.sample for place, sample in enumerate(samples)]
    if wanted is None:
        return list(range(len(samples)))
    places = [numbers.index(number) for number in wanted if number in numbers]
    if not places:
        raise BadDataError(f"no such conversation; the file has {numbers}")
    return places


def number_of(samples: Sequence[Sample], place: int) -> int:
    """The number by which the other files name the conversation at a place."""
    number = samples[place].sample
    return place if number is None else number


def _lines(path: Path, kind: type[T]) -> list[T]:
    decoder = msgspec.json.Decoder(kind)
    found: list[T] = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if line.strip():
            try:
                found.append(decoder.decode(line))
            except msgspec.MsgspecError as error:
                raise BadDataError(f"{path}, line {number}: {error}") from error
    return found


def _whole(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.MsgspecError as error:
        raise BadDataError(f"{path}: {error}") from error
