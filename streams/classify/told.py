"""Rules for ends that are told plainly: what the newer statement says has ended is what the older one says is so."""

from __future__ import annotations

from schemas.events import Event

from ..distil.kinds import COMES_BACK
from . import cues
from .clause import Noun, Said, said
from .end import End
from .endings import ends_of, tells_of_end
from .features import Features
from .holdings import Kind, holding, same
from .meets import meets
from .protocol import Judgement, Pair
from .ruling import updates
from .subjects import about, of_others
from .words import content_stems, stem

_MOVING = frozenset(
    ("move", "postpone", "push", "reschedule", "delay", "bring", "shift", "rebook", "put", "bump", "extend")
)
_TIMES_OF = frozenset(stem(word) for word in ["deadline", "date", "time", "day", "start", "hour"])
_LOST: frozenset[Kind] = frozenset({"loss"})
"""What tells of an end and is so until it ends itself: who lost the keys may find them."""


def told_end(pair: Pair, f: Features) -> Judgement | None:
    """The end of something is told, and the older statement is about that."""
    new, old = pair.newer, pair.older
    ends = ends_of(new)
    if not ends or of_others(new, old) or _long_before(new, old):
        return None
    kinds = holding(old) & _LOST if tells_of_end(old) and old.attribute != "diet" else holding(old)
    for end in ends:
        met = end.of & kinds
        if not met or (new.modality == "planned" and "plan" not in met) or not _same_owner(pair, f, end.whose):
            continue
        if end.whose == "owner" and end.what is not None and end.what.owned and not f.same_subject:
            continue  # "my colleague's trip"
        if not meets(end, met, old):
            continue
        if "plan" not in met and end.done and not _goes_on(old):
            continue  # "I finished the dishes" ends no habit
        if "plan" not in met and _is_one_of_several(end, old):
            return Judgement(relation="possibly_updates", kind=None, confidence=0.6, reason="Part of it has ended.")
        if "plan" not in met:
            return updates("change", 0.85, "The newer statement says that it ended.")
        if not end.done:
            return updates("cancelled", 0.85, "The newer statement calls the plan off.")
        if new.anchor.until > old.stated.sent_at and is_due(pair):
            return updates("done", 0.85, "What was planned has happened.")
    return None


def _long_before(new: Event, old: Event) -> bool:
    """ "I finished my first degree two years ago": over when the older statement was made."""
    return new.anchor.resolution != "message_time" and new.anchor.until <= old.stated.sent_at


def _is_one_of_several(end: End, old: Event) -> bool:
    """ "A cat named Miso and two budgies", and Miso died: the rest of the statement still holds."""
    clause = said(old.text)
    if clause is None or end.what is None or " and " not in old.text:
        return False
    others = [noun for noun in clause.objects if noun.stems.isdisjoint(end.what.stems)]
    return len(clause.objects) > 1 and bool(others) and any(noun.article for noun in others)


def carried_out(pair: Pair, f: Features) -> Judgement | None:
    """ "I'm going to paint the kitchen", "I painted the kitchen": the same is told as done."""
    new, old = pair.newer, pair.older
    if old.modality != "planned" or old.polarity == "negated":
        return None
    if new.modality != "asserted" or new.polarity == "negated" or new.anchor.until <= old.stated.sent_at:
        return None
    did, planned = said(new.text), said(old.text)
    if did is not None and planned is not None and _same_owner(pair, f, "owner") and _has_become(did, planned):
        return updates("done", 0.7, "What was planned has happened.") if is_due(pair) else None
    if not f.same_subject or did is None or planned is None or not _is_done(did) or not is_due(pair):
        return None
    if did.verb == planned.verb == "move" and not _things(did) and not _things(planned) and _one_place(did, planned):
        return updates("done", 0.7, "What was planned has happened.")
    if did.verb != planned.verb or not did.objects:
        return None
    if any(_same_deed(noun, other) for noun in did.objects for other in planned.objects):
        return updates("done", 0.7, "What was planned has happened.")
    return None


def _is_done(did: Said) -> bool:
    told = did.tense in ("past", "perfect") and did.form in ("simple", "perfect")
    return told and not did.nearly and not did.passive


def _has_become(did: Said, planned: Said) -> bool:
    """ "I'm opening a shop", "the shop is open": the thing is as it was to be made."""
    is_so = did.verb == "be" and did.tense == "present" and not did.negated and did.after[:1] == (planned.verb,)
    return is_so and any(same(noun, other) for noun in did.subject for other in planned.objects)


def _things(clause: Said) -> list[Noun]:
    """Objects; "there" is none (these are stems)."""
    return [noun for noun in clause.objects if noun.head not in ("ther", "her")]


def _one_place(did: Said, planned: Said) -> bool:
    """No other place is named where somebody moved than where they were going to."""
    went, wanted = ({noun.head for noun in clause.nouns if noun.named} for clause in (did, planned))
    return not went or not wanted or bool(went & wanted)


def _goes_on(event: Event) -> bool:
    clause = said(event.text)
    if clause is None:
        return False
    taking = clause.verb == "be" and any(noun.before == "on" for noun in clause.nouns)  # "on antibiotics"
    taking = taking or clause.after[:1] == ("being",)
    return taking or clause.form in ("progressive", "perfect")


def is_due(pair: Pair) -> bool:
    """The day that was planned for has begun: what is done before it was something else."""
    planned = pair.older.anchor
    return planned.resolution == "message_time" or planned.start <= pair.newer.stated.sent_at


def _same_deed(did: Noun, planned: Noun) -> bool:
    """ "I painted the kitchen" is what was planned; "I had a lesson" may be any."""
    return same(did, planned) and (did.definite or did.stems == planned.stems)


def told_moved(pair: Pair, f: Features) -> Judgement | None:
    """ "The dentist is moved to Thursday", "they brought it forward", "it is at 3 instead of 2"."""
    new, old = pair.newer, pair.older
    clause = said(new.text)
    if clause is None or clause.negated or clause.nearly or clause.form == "modal" or old.polarity == "negated":
        return None
    if _meets_at_other_times(pair, f):
        return updates("change", 0.8, "The newer statement gives it another time.")
    if old.anchor.resolution == "message_time" or old.anchor.until <= new.stated.sent_at:
        return None
    whose = "owner" if clause.passive or clause.verb == "be" else "speaker" if clause.pronoun == "they" else "subject"
    of_others = _moved_by_another(pair, clause)
    if not (of_others or _same_owner(pair, f, whose)):
        return None
    theirs = clause.first or clause.pronoun == "they" or of_others
    moved = clause.verb in _MOVING and (clause.passive or (theirs and f.dates_differ))
    moved = moved or (clause.verb in ("postpone", "reschedule") and not clause.passive)
    instead = clause.verb == "be" and (clause.has("instead") or cues.NOW.search(f.newer)) and f.dates_differ
    if not (moved or instead) or cues.ADDED.search(f.newer):
        return None
    if with_another(clause, old):
        return None
    what = _timed(clause.subject if clause.passive or clause.verb == "be" else clause.nouns)
    planned = said(old.text)
    if planned is None or not what:
        return None
    if what[0].head not in {noun.head for noun in (*planned.subject, *planned.nouns)} | _parts(old):
        return None
    if what[0].stems <= content_stems(old.text):
        return updates("change", 0.85, "The newer statement gives it another time.")
    return None


def with_another(clause: Said, old: Event) -> bool:
    """ "My appointment with the bank was moved", where the older one says of no bank."""
    named = [noun for noun in clause.subject if noun.before == "with"]
    return bool(named) and all(noun.stems.isdisjoint(content_stems(old.text)) for noun in named)


def _timed(nouns: tuple[Noun, ...]) -> tuple[Noun, ...]:
    """What has a time: "the wedding"; of "the deadline for the report" the report."""
    if nouns and nouns[0].head in _TIMES_OF and len(nouns) > 1 and nouns[1].before in ("for", "of"):
        return nouns[1:2]
    return tuple(noun for noun in nouns[:1] if noun.before == "")


def _moved_by_another(pair: Pair, clause: Said) -> bool:
    """ "Hanna moved the wedding to the 19th": of the wedding that its speaker told of, which is nobody else's."""
    subject, older = clause.subject, about(pair.older)
    if (
        clause.passive
        or clause.first
        or not subject
        or not clause.objects
        or older.speaker != about(pair.newer).speaker
    ):
        return False
    moved = clause.objects[0]
    return (
        moved.article == "the"
        and older.third
        and older.owner is None
        and older.subject is not None
        and (content_stems(older.subject) == moved.stems)
    )


def _meets_at_other_times(pair: Pair, f: Features) -> bool:
    """ "The choir is on Tuesdays", "from now on the choir is on Mondays"."""
    new, old = pair.newer, pair.older
    of_one = f.same_subject and f.attribute is not None and new.value != old.value
    return of_one and bool(COMES_BACK.search(old.text) and COMES_BACK.search(new.text) and cues.NOW.search(f.newer))


def _parts(event: Event) -> frozenset[str]:
    """Stems of what a dated statement is about: "a dentist appointment" is the dentist's."""
    return content_stems(event.attribute or "")


def _same_owner(pair: Pair, f: Features, whose: str) -> bool:
    """Of the same person: by subject, or the speaker's own thing, by its name alone, beside what the speaker has."""
    if f.same_subject:
        return True
    clause = said(pair.newer.text)
    if not f.same_speaker or clause is None:
        return False
    newer, older = about(pair.newer), about(pair.older)
    own = older.owner is not None and older.owner == older.speaker
    if clause.first:
        return own or (older.third and older.owner is None and not pair.older.participants)
    if whose == "owner":
        return newer.owner in (None, newer.speaker) and (not older.third or own or older.owner is None)
    return whose == "speaker" and (not older.third or own)
