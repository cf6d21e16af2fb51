"""The offline classifier: rules over the features of a pair. No network, no model, precision first.

A wrong retirement hides a true fact; a missed one only shows an old fact with its date. So a rule needs the same
subject, a common topic *and* a reason to believe that the older statement ended; whatever is unclear is no relation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schemas.edges import UpdateKind
from schemas.events import Event

from . import cues
from .features import SHORT_GAP_US, Features, compare, figures, named_things
from .protocol import Judgement, Pair
from .subjects import about
from .words import rare_stems

MOST = 0.6

Rule = Callable[[Pair, Features], Judgement | None]

NONE = Judgement(relation=None, kind=None, confidence=0.5, reason="Nothing says that the older statement changed.")


class OfflineClassifier:
    """First rule that speaks decides. Satisfies ``Classifier``."""

    producer = "rules/2"
    prompt_hash: str | None = None

    def classify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair, in order; a judgement depends on its pair only."""
        return [judge(pair) for pair in pairs]


def judge(pair: Pair) -> Judgement:
    """The verdict on one pair."""
    features = compare(pair)
    if not (features.same_subject or (features.same_speaker and features.adjacent)):
        return NONE
    if cues.UNREAL.search(features.newer) and not cues.CORRECTION.search(features.newer):
        return NONE
    rules = _PLAN_RULES if pair.older.modality == "planned" else _STATE_RULES
    if not features.same_subject and set(pair.newer.participants).isdisjoint(pair.older.participants):
        rules = ()  # neighbours that share nobody: one may take the other back, but is no news about it
    if pair.older.modality == "asserted" and pair.older.type == "action":
        rules = ()  # what was done stays done; it can only have been wrong
    for rule in (withdrawn, correction, *rules):
        verdict = rule(pair, features)
        if verdict is not None:
            return verdict
    return NONE


# --- taken back, or wrong from the start --------------------------------------------------------------------------


def withdrawn(pair: Pair, f: Features) -> Judgement | None:
    """ "I was joking" right after, or about what shares its words; "I mistyped" and no more in the message after."""
    if not f.same_speaker:
        return None
    if cues.ADMISSION.fullmatch(f.newer):
        other_message = pair.newer.stated.message_id != pair.older.stated.message_id
        if f.adjacent and other_message and f.gap_us <= SHORT_GAP_US:
            return _updates("withdrawn", 0.7, "The speaker said that it was a mistake.")
        return None
    if cues.WITHDRAWN.search(f.newer) and (f.adjacent or f.same_thing):
        return _updates("withdrawn", 0.85, "The speaker took it back.")
    return None


def correction(pair: Pair, f: Features) -> Judgement | None:
    """ "It was never the 12th, I mistyped": the same thing, with words that say the former was wrong."""
    admitted, never = cues.CORRECTION.search(f.newer), cues.NEVER.search(f.newer)
    if cues.ADMISSION.fullmatch(f.newer) or not (admitted or never) or f.attribute_conflict:
        return None
    if pair.newer.modality == "planned" and pair.older.modality == "asserted":
        return None
    denied = f.denied_figures
    if denied and denied.isdisjoint(figures(f.older)):
        return None  # it denies something, but not this
    if (cues.CORRECTION.search(f.older) or cues.NEVER.search(f.older)) and not _same_or_third(pair, f):
        return None
    if _says_the_same(pair, f) or (f.attribute is not None and f.dates_differ and _another_one(f)):
        return None
    if not admitted and not denied and not _denies(pair, f):
        return None
    if f.same_subject and about(pair.newer).third and (denied or _other_value(pair, f)):
        return _updates("correction", 0.85, "The newer statement denies what the older one named.")
    if not f.same_subject and pair.newer.subject is not None and not f.shared:
        return None
    other = f.attribute is not None and _other_value(pair, f)
    if f.on_topic or (f.shared and f.figures_differ) or other or _replies(pair, f):
        confidence = 0.85 if f.same_thing else 0.7
        return _updates("correction", confidence, "The newer statement says that the older one was wrong.")
    return None


def _replies(pair: Pair, f: Features) -> bool:
    """Said right after, with no topic of its own: "it" without a name, or little besides the admission."""
    if not (f.adjacent and f.same_speaker and 0 < f.gap_us <= SHORT_GAP_US) or pair.newer.attribute is not None:
        return False
    return pair.newer.subject is None or len(rare_stems(cues.CORRECTION.sub(" ", f.newer))) <= 1


def _same_or_third(pair: Pair, f: Features) -> bool:
    return f.same_thing or (f.same_subject and about(pair.newer).third)


def _says_the_same(pair: Pair, f: Features) -> bool:
    """Both affirm the same value of an attribute, or the same time: nothing is put right."""
    if pair.newer.polarity != pair.older.polarity or _other_value(pair, f):
        return False
    new, old = pair.newer.anchor, pair.older.anchor
    named = new.resolution != "message_time" and old.resolution != "message_time"
    same_time = named and (new.start, new.until) == (old.start, old.until)
    return same_time or (f.attribute is not None and f.values_same)


def _another_one(f: Features) -> bool:
    """Each names something that the other does not: a trip to one place and a trip to another."""
    new, old = named_things(cues.CORRECTION.sub(" ", f.newer)), named_things(f.older)
    return bool(new - old) and bool(old - new)


def _other_value(pair: Pair, f: Features) -> bool:
    """Another value, another figure in it, or another date; a date does not correct what is none."""
    if f.dates_differ:
        return True
    counted = figures(pair.newer.value or "") ^ figures(pair.older.value or "")
    named = pair.newer.value is not None and pair.older.value is not None
    return f.newer_dated == f.older_dated and (f.values_differ or (named and bool(counted)))


def _denies(pair: Pair, f: Features) -> bool:
    """ "Never" without a figure: what it names must be what the older statement affirms, and nearly all of it."""
    if pair.older.polarity == "negated" or not pair.older.holds or f.denied_words.isdisjoint(rare_stems(f.older)):
        return False
    return f.covered >= MOST or (f.attribute is not None and (f.values_same or _other_value(pair, f)))


# --- what was planned ---------------------------------------------------------------------------------------------


def plan_cancelled(pair: Pair, f: Features) -> Judgement | None:
    """The plan is off."""
    if cues.NOT_ENDED.search(f.newer) or not f.same_thing:
        return None
    dropped = cues.ENDED.search(f.newer) and pair.newer.polarity == "affirmed" and pair.newer.holds
    denied = cues.NO_MORE.search(f.newer) and pair.newer.polarity == "negated"
    if cues.CANCELLED.search(f.newer) or dropped or denied:
        return _updates("cancelled", 0.85, "The newer statement calls the plan off.")
    return None


def plan_moved(pair: Pair, f: Features) -> Judgement | None:
    """The plan stands, at another time or place."""
    if not f.same_thing or pair.newer.polarity == "negated":
        return None
    if cues.MOVED.search(f.newer) or (cues.CHANGED.search(f.newer) and f.figures_differ):
        return _updates("change", 0.85, "The newer statement gives the plan another time or place.")
    to_the_day = all(e.anchor.precision in ("minute", "hour", "day") for e in (pair.newer, pair.older))
    ahead = pair.newer.stated.sent_at < pair.older.anchor.until  # afterwards it would be another one
    same = len(f.shared) >= 2 and f.covered >= 0.6 and f.attribute is not None
    if pair.newer.modality == "planned" and f.dates_differ and same and to_the_day and ahead:
        return _updates("change", 0.65, "The same plan is given another time.")
    return None


def plan_done(pair: Pair, f: Features) -> Judgement | None:
    """What was planned is told as past, after the plan was stated."""
    new, old = pair.newer, pair.older
    if new.modality == "planned" or new.polarity == "negated" or old.polarity == "negated":
        return None
    if new.anchor.until <= old.stated.sent_at or not _told_as_past(new):
        return None
    if f.values_same and f.attribute is not None and f.shared:
        return _updates("done", 0.8, "What was planned has happened.")
    if len(f.shared) >= 2 and f.covered >= 0.75:
        return _updates("done", 0.7, "What was planned has happened.")
    return None


def _told_as_past(event: Event) -> bool:
    return event.type == "action" and event.anchor.start <= event.stated.sent_at


# --- what was so --------------------------------------------------------------------------------------------------


def arrangement_moved(pair: Pair, f: Features) -> Judgement | None:
    """An appointment that is on, but at another time; or off."""
    if pair.newer.modality == "planned" or (cues.ONE_OFF.search(f.newer) and cues.HABIT.search(f.older)):
        return None
    if _over(pair):
        return None
    if f.shared and f.newer_dated and f.older_dated and cues.SHIFTED.search(f.newer) and not cues.ADDED.search(f.newer):
        return _updates("change", 0.8, "The newer statement gives it another time.")
    if f.shared and f.older_dated and (cues.CANCELLED.search(f.newer) or f.denied_by_name):
        return _updates("cancelled", 0.8, "The newer statement calls it off.")
    if not f.same_thing:
        return None
    if cues.MOVED.search(f.newer) and (f.figures_differ or f.dates_differ):
        return _updates("change", 0.85, "The newer statement gives it another time.")
    if cues.CANCELLED.search(f.newer) and (pair.older.type == "plan" or f.attribute in ("appointment", "date", "time")):
        return _updates("cancelled", 0.8, "The newer statement calls it off.")
    return None


def ended(pair: Pair, f: Features) -> Judgement | None:
    """ "I no longer …", "I quit …": about the same thing."""
    new, old = pair.newer, pair.older
    if new.modality == "planned" or old.polarity == "negated" or not old.holds or _one_off(f):
        return None
    if f.attribute is not None and f.values_differ and not f.single_valued:
        return None
    if f.attribute is not None and f.values_same and cues.LEFT.search(f.newer) and not cues.LEFT.search(f.older):
        return _updates("change", 0.85, "The newer statement says that it was left.")
    if not cues.ENDED.search(f.newer) or cues.ENDED.search(f.older) or cues.ADDED.search(f.newer):
        return None
    if cues.NOT_ENDED.search(f.newer):
        return None
    alike = len(f.shared) >= 2 and f.share >= 0.5 and f.covered >= 0.3
    if f.values_same or alike or f.covered > 0.5:
        return _updates("change", 0.8, "The newer statement says that it ended.")
    return None


def replaced(pair: Pair, f: Features) -> Judgement | None:
    """A single-valued attribute has another value now, or a cue word says that the same thing changed."""
    new, old = pair.newer, pair.older
    if new.modality == "planned" or not old.holds or not new.holds or _one_off(f) or cues.TEMPORARY.search(f.newer):
        return None
    if new.polarity == "negated" or old.polarity == "negated":
        return None
    cue = cues.CHANGED.search(f.newer) or (None if _over(pair) else cues.MOVED.search(f.newer))
    if cue is None and cues.ADDED.search(f.newer):
        return None  # a second job beside the first
    if f.attribute is not None and f.single_valued and f.values_differ:
        if not f.same_speaker and cue is None and cues.NOW.search(f.newer) is None and f.gap_us <= SHORT_GAP_US:
            return _contradicts("Two people name different values for the same time.")
        return _updates("change", 0.9 if cue else 0.8, f"Another {f.attribute} replaces the former one.")
    if f.attribute is not None and f.attribute.startswith(("favourite ", "favorite ")) and f.values_differ:
        changed = cue or cues.NOW.search(f.newer)
        return _updates("change", 0.75, "Another favourite replaces the former one.") if changed else None
    if f.attribute is not None and f.values_differ and not cue:
        return None
    strong = len(f.shared) >= 2 or f.share >= 0.5
    if cue and strong and (f.figures_differ or f.values_differ):
        return _updates("change", 0.75, "The newer statement says that it changed.")
    if cues.NOW.search(f.newer) and f.figures_differ and len(f.shared) >= 1 and f.share >= 0.5:
        return _updates("change", 0.7, "The newer statement gives another figure for the present.")
    return None


def flipped(pair: Pair, f: Features) -> Judgement | None:
    """One affirms what the other denies."""
    new, old = pair.newer, pair.older
    if new.modality == "planned" or not f.negated_flip or not old.holds or not new.holds or _one_off(f):
        return None
    if cues.ADDED.search(f.newer) or cues.IDIOM.search(f.newer) or cues.IDIOM.search(f.older):
        return None
    same_value = f.attribute is not None and f.values_same
    if not same_value and not (len(f.shared) >= 2 and f.share >= 0.6 and f.denied_by_name):
        return None
    changed = cues.CHANGED.search(f.newer) or cues.ENDED.search(f.newer) or cues.NOW.search(f.newer)
    if changed is None and not f.same_speaker and f.gap_us <= SHORT_GAP_US:
        return _contradicts("One affirms what the other denies, for the same time.")
    if changed is not None or f.attribute is not None:
        return _updates("change", 0.8 if changed else 0.65, "The newer statement turns the older one round.")
    return None


def _over(pair: Pair) -> bool:
    """The named time of the older statement has passed: what is past is not moved."""
    anchor = pair.older.anchor
    return anchor.resolution != "message_time" and anchor.until <= pair.newer.stated.sent_at


def _one_off(f: Features) -> bool:
    """A single occasion against a habit."""
    return bool(cues.ONE_OFF.search(f.newer) and cues.HABIT.search(f.older)) and not cues.CHANGED.search(f.newer)


def _updates(kind: UpdateKind, confidence: float, reason: str) -> Judgement:
    return Judgement(relation="updates", kind=kind, confidence=confidence, reason=reason)


def _contradicts(reason: str) -> Judgement:
    return Judgement(relation="contradicts", kind=None, confidence=0.7, reason=reason)


_PLAN_RULES: tuple[Rule, ...] = (plan_cancelled, plan_moved, plan_done)
_STATE_RULES: tuple[Rule, ...] = (arrangement_moved, ended, replaced, flipped)
