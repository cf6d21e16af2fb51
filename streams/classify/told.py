"""Rules for ends that are told plainly: what the newer statement says has ended is what the older one says is so."""

from __future__ import annotations

from schemas.events import Event

from ..distil.kinds import COMES_BACK
from . import cues
from .clause import Noun, Said, said
from .end import End
from .endings import ends_of
from .features import Features
from .holdings import Kind, holding, same
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

_VAGUE = frozenset(
    [
        "trip",
        "plan",
        "visit",
        "holiday",
        "journey",
        "flight",
        "vacation",
        "tour",
        "weekend",
        "appointment",
        "meet",
        "thing",
        "date",
        "stay",
        "week",
        "party",
        "event",
        "membership",
        "subscription",
        "idea",
    ]
)
"""Stems that many plans share: what stands beside them tells which one is meant."""


def told_end(pair: Pair, f: Features) -> Judgement | None:
    """The end of something is told, and the older statement is about that."""
    new, old = pair.newer, pair.older
    ends = ends_of(new)
    if not ends or old.polarity == "negated" or of_others(new, old):
        return None
    kinds = holding(old) & _LOST if ends_of(old) and old.attribute != "diet" else holding(old)
    for end in ends:
        met = end.of & kinds
        if not met or (new.modality == "planned" and "plan" not in met) or not _same_owner(pair, f, end.whose):
            continue
        if end.whose == "owner" and end.what is not None and end.what.owned and not f.same_subject:
            continue  # "my colleague's trip"
        if not _meets(end, met, old):
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
    return clause is not None and clause.form in ("progressive", "perfect")


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
    what = _timed(clause.subject if clause.passive or clause.verb == "be" else clause.nouns)
    planned = said(old.text)
    if planned is None or not what:
        return None
    if what[0].head not in {noun.head for noun in (*planned.subject, *planned.nouns)} | _parts(old):
        return None
    if what[0].stems <= content_stems(old.text):
        return updates("change", 0.85, "The newer statement gives it another time.")
    return None


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


def _meets(end: End, met: frozenset[Kind], old: Event) -> bool:
    if "plan" in met:
        return end.what is not None and _same_plan(end, end.what, old)
    clause = said(old.text)
    if end.what is None and not end.doing:
        return True
    if "work" in met and end.what is not None and not end.doing and end.what.stems <= content_stems(old.value or ""):
        return True  # "the harbour office" of "the harbour office job"
    if clause is None:
        return False
    telling = frozenset[str]() if end.what is None else end.what.stems - _VAGUE
    if "habit" in met and telling and content_stems(old.value or "") == telling:
        return True
    if end.doing:
        does = clause.verb == end.doing and (end.what is None or any(same(end.what, noun) for noun in clause.nouns))
        return does or any(_is_agent(noun, end) for noun in clause.nouns)
    return end.what is not None and (_has(end.what, met, clause) or _is_called(end.what, met, old))


def _is_agent(noun: Noun, end: End) -> bool:
    """Who "quit driving trams" was a tram driver."""
    return end.what is not None and noun.head.startswith(f"{end.doing}r") and end.what.head in noun.stems


def _has(what: Noun, met: frozenset[Kind], clause: Said) -> bool:
    owned = bool(met & {"thing", "being"}) and not met & {"habit", "work", "membership", "studies", "home", "condition"}
    nouns = clause.objects if owned else clause.nouns
    return any(same(what, noun) for noun in (*nouns, *clause.subject))


def _is_called(what: Noun, met: frozenset[Kind], old: Event) -> bool:
    """An animal or a band by its name: "a dog called Pip"."""
    return (
        bool(met & {"being", "membership"})
        and what.named
        and not what.article
        and what.stems <= content_stems(old.text)
    )


def _same_plan(end: End, what: Noun, old: Event) -> bool:
    """The noun is one of the plan's, or what the plan is about: "the dentist" of a dentist appointment."""
    planned, clause = content_stems(old.text), said(old.text)
    heads = frozenset(noun.head for noun in (*clause.subject, *clause.nouns)) if clause is not None else planned
    if what.head not in heads and (end.whose != "owner" or len(what.stems) > 1) and not what.stems & heads:
        return False
    telling = what.stems - _VAGUE
    return telling <= planned if telling else bool(what.stems) and what.stems <= planned
