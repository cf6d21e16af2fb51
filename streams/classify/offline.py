"""The offline classifier: rules over the features of a pair. No network, no model, precision first.

A wrong retirement hides a true fact; a missed one only shows an old fact with its date. So a rule needs the same
subject, a common topic *and* a reason to believe that the older statement ended; whatever is unclear is no relation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from schemas.events import Event

from . import cues
from .amounts import another_figure
from .clause import said
from .departures import departed
from .endings import by_grammar, goes_on, named_otherwise, tells_of_end
from .features import SHORT_GAP_US, Features, compare, named_things
from .mistakes import correction, fragment, put_right, withdrawn
from .places import may_both_be, placed_elsewhere
from .protocol import Judgement, Pair
from .ruling import NONE, contradicts, updates
from .stages import next_stage
from .standing import stands_otherwise
from .subjects import about, of_others
from .substitutes import replaced_by_name
from .tastes import all_but_liking, gone_off
from .things import is_bare_label
from .told import carried_out, told_end, told_moved, with_another
from .turned import cannot_come, instead, now_so, resumed
from .words import content_stems, rare_stems
from .work import new_work

Rule = Callable[[Pair, Features], Judgement | None]


class OfflineClassifier:
    """First rule that speaks decides. Satisfies ``Classifier``."""

    producer = "rules/6"
    prompt_hash: str | None = None

    def classify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair, in order; a judgement depends on its pair only."""
        return [judge(pair) for pair in pairs]


def judge(pair: Pair) -> Judgement:
    """The verdict on one pair."""
    features = compare(pair)
    if cues.UNREAL.search(features.newer) and not cues.CORRECTION.search(features.newer):
        return NONE
    if is_bare_label(pair.newer):
        return NONE
    if goes_on(pair.newer):
        return another_figure(pair, features) or NONE  # "the train leaves at 8"
    if not (features.same_subject or (features.same_speaker and features.adjacent)):
        others = (told_end, told_moved, carried_out, put_right, replaced_by_name, gone_off, departed)
        return next((verdict for rule in others if (verdict := rule(pair, features)) is not None), NONE)
    rules = _PLAN_RULES if pair.older.modality == "planned" else _STATE_RULES
    if not features.same_subject and set(pair.newer.participants).isdisjoint(pair.older.participants):
        rules = ()  # neighbours that share nobody: one may take the other back, but is no news about it
    if pair.older.modality == "asserted" and pair.older.type == "action":
        rules = ()  # what was done stays done; it can only have been wrong
    for rule in (*_FIRST, *_THING_RULES, *rules):
        verdict = rule(pair, features)
        if verdict is not None:
            return verdict
    return NONE


# --- what was planned ---------------------------------------------------------------------------------------------


def plan_cancelled(pair: Pair, f: Features) -> Judgement | None:
    """The plan is off."""
    if cues.NOT_ENDED.search(f.newer) or not f.same_thing or named_otherwise(pair.newer):
        return None
    dropped = cues.ENDED.search(f.newer) and pair.newer.polarity == "affirmed" and pair.newer.holds
    denied = cues.NO_MORE.search(f.newer) and pair.newer.polarity == "negated"
    if cues.CANCELLED.search(f.newer) or dropped or denied:
        return updates("cancelled", 0.85, "The newer statement calls the plan off.")
    return None


def plan_moved(pair: Pair, f: Features) -> Judgement | None:
    """The plan stands, at another time or place."""
    if _told_anew(pair, f):
        return updates("change", 0.8, "The time said right before is replaced by another.")
    if not f.same_thing or pair.newer.polarity == "negated":
        return None
    clause = said(pair.newer.text)
    if clause is not None and with_another(clause, pair.older):
        return None
    if cues.MOVED.search(f.newer) or (cues.CHANGED.search(f.newer) and f.figures_differ):
        return updates("change", 0.85, "The newer statement gives the plan another time or place.")
    if (
        cues.NOW.search(f.newer)
        and len(f.shared) > 1
        and f.dates_differ
        and pair.newer.modality == "planned"
        and not _over(pair)
    ):
        return updates("change", 0.8, "The same thing is at another time now.")
    to_the_day = all(e.anchor.precision in ("minute", "hour", "day") for e in (pair.newer, pair.older))
    ahead = pair.newer.stated.sent_at < pair.older.anchor.until  # afterwards it would be another one
    names = named_things(f.newer)
    nothing_else = names == named_things(f.older) and bool(names) and f.same_subject and about(pair.newer).third
    if pair.newer.modality == "planned" and f.dates_differ and nothing_else and to_the_day and ahead:
        return updates("change", 0.8, "The same thing is given another time.")
    same = len(f.shared) >= 2 and f.covered >= 0.6 and f.attribute is not None
    if pair.newer.modality == "planned" and f.dates_differ and same and to_the_day and ahead:
        return updates("change", 0.65, "The same plan is given another time.")
    return None


def _told_anew(pair: Pair, f: Features) -> bool:
    """ "Scrap that, it's Monday after all" right after another day: of something it does not name."""
    retaken = f.adjacent and f.same_speaker and pair.newer.subject is None and cues.RETAKEN.search(f.newer)
    return bool(retaken) and pair.newer.polarity == "affirmed" and f.dates_differ


def plan_done(pair: Pair, f: Features) -> Judgement | None:
    """What was planned is told as past, after the plan was stated."""
    new, old = pair.newer, pair.older
    if new.modality == "planned" or new.polarity == "negated" or old.polarity == "negated":
        return None
    if new.anchor.until <= old.stated.sent_at or not _told_as_past(new):
        return None
    if f.values_same and f.attribute is not None and f.shared:
        return updates("done", 0.8, "What was planned has happened.")
    if len(f.shared) >= 2 and f.covered >= 0.75:
        return updates("done", 0.7, "What was planned has happened.")
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
        return updates("change", 0.8, "The newer statement gives it another time.")
    if f.shared and f.older_dated and (cues.CANCELLED.search(f.newer) or f.denied_by_name):
        return updates("cancelled", 0.8, "The newer statement calls it off.")
    if not f.same_thing:
        return None
    if cues.MOVED.search(f.newer) and (f.figures_differ or f.dates_differ):
        return updates("change", 0.85, "The newer statement gives it another time.")
    if cues.CANCELLED.search(f.newer) and (pair.older.type == "plan" or f.attribute in ("appointment", "date", "time")):
        return updates("cancelled", 0.8, "The newer statement calls it off.")
    return None


def ended(pair: Pair, f: Features) -> Judgement | None:
    """ "I no longer …", "I quit …": about the same thing."""
    new, old = pair.newer, pair.older
    if new.modality == "planned" or old.polarity == "negated" or not old.holds or not new.holds or _one_off(f):
        return None
    if f.attribute is not None and f.values_differ and not f.single_valued:
        return None
    left = cues.LEFT.search(f.newer) and not cues.LEFT.search(f.older) and not by_grammar(new)
    if f.attribute is not None and f.values_same and left:
        return updates("change", 0.85, "The newer statement says that it was left.")
    given = cues.GIVEN.search(f.newer)
    what = rare_stems(given["what"]) if given is not None and new.polarity == "affirmed" else frozenset[str]()
    if what and what <= rare_stems(f.older):
        return updates("change", 0.8, "The newer statement says that it was given to somebody else.")
    if by_grammar(new) or not cues.ENDED.search(f.newer) or cues.ENDED.search(f.older) or cues.ADDED.search(f.newer):
        return None
    if cues.NOT_ENDED.search(f.newer):
        return None
    alike = len(f.shared) >= 2 and f.share >= 0.5 and f.covered >= 0.3
    healed = re.search(cues.HEALED, f.newer) is not None and f.same_subject and about(new).third and bool(f.shared)
    if f.values_same or alike or healed or f.covered > 0.5:
        return updates("change", 0.8, "The newer statement says that it ended.")
    return None


def replaced(pair: Pair, f: Features) -> Judgement | None:
    """A single-valued attribute has another value now, or a cue word says that the same thing changed."""
    new, old = pair.newer, pair.older
    if new.modality == "planned" or not old.holds or not new.holds or _one_off(f) or cues.TEMPORARY.search(f.newer):
        return None
    if new.polarity == "negated" or old.polarity == "negated" or _only_ends(new) or _only_ends(old):
        return None
    if not f.same_subject and about(new).third and about(old).third:
        return None  # "my number", right after "my sister's number"
    cue = cues.CHANGED.search(f.newer) or (None if _over(pair) else cues.MOVED.search(f.newer))
    added = cues.ADDED.search(f.newer)
    if cue is None and added is not None and not (f.single_valued and added[0] == "again"):
        return None  # a second job beside the first
    if of_others(new, old) or (f.attribute == "location" and may_both_be(new, old)):
        return None
    if f.attribute is not None and f.single_valued and f.values_differ:
        if not f.same_speaker and cue is None and cues.NOW.search(f.newer) is None and f.gap_us <= SHORT_GAP_US:
            return contradicts("Two people name different values for the same time.")
        return updates("change", 0.9 if cue else 0.8, f"Another {f.attribute} replaces the former one.")
    if f.attribute == "relationship" and (old.value or "").casefold() == "single" and _TIED.match(new.value or ""):
        return updates("change", 0.8, "Who was single is with somebody.")
    if f.attribute is not None and f.attribute.startswith(("favourite ", "favorite ")) and f.values_differ:
        changed = cue or cues.NOW.search(f.newer)
        return updates("change", 0.75, "Another favourite replaces the former one.") if changed else None
    if f.attribute == "name" and f.values_differ and cues.NOW.search(f.newer) and f.same_subject:
        return updates("change", 0.75, "Another name is used now.")
    if f.attribute == "studies" and f.values_differ and cue and " to " in f.newer and not _learning(old):
        return updates("change", 0.8, "Another subject is studied now.")
    if f.attribute == "assignment" and f.values_differ and cue:
        return updates("change", 0.8, "The newer statement says that it moved to another one.")
    if f.attribute == "drink" and cues.NOW.search(f.newer) and _another_kind(pair):
        return updates("change", 0.75, "Another kind of the same is drunk now.")
    if f.attribute is not None and f.values_differ and not cue:
        return None
    strong = len(f.shared) >= 2 or f.share >= 0.5
    if cue and strong and (f.figures_differ or f.values_differ):
        return updates("change", 0.75, "The newer statement says that it changed.")
    if cues.NOW.search(f.newer) and f.figures_differ and len(f.shared) >= 1 and f.share >= 0.5:
        return updates("change", 0.7, "The newer statement gives another figure for the present.")
    return None


def _only_ends(event: Event) -> bool:
    """It tells of an end and of nothing that is so instead: "I left the mill"."""
    return tells_of_end(event) and not (event.attribute == "home" and " to " in event.text)


_TIED = re.compile(r"seeing |together|official|a couple|an item|girlfriend|boyfriend|dating", re.IGNORECASE)


def _learning(event: Event) -> bool:
    """ "I'm learning Greek" goes beside any studies."""
    return re.search(r"\blearn(?:s|ing)?\b", event.text.casefold()) is not None


def _another_kind(pair: Pair) -> bool:
    """Two values of one kind that do not read the same: "whole milk" and "oat milk"."""
    new, old = pair.newer.value or "", pair.older.value or ""
    return new.casefold() != old.casefold() and not content_stems(new).isdisjoint(content_stems(old))


def flipped(pair: Pair, f: Features) -> Judgement | None:
    """One affirms what the other denies."""
    new, old = pair.newer, pair.older
    if new.modality == "planned" or not f.negated_flip or not old.holds or not new.holds or _one_off(f):
        return None
    if (
        cues.LATELY.search(f.newer)
        or cues.ADDED.search(f.newer)
        or cues.IDIOM.search(f.newer)
        or cues.IDIOM.search(f.older)
    ):
        return None
    if new.type == old.type == "preference" and f.same_speaker and f.attribute is None and all_but_liking(f, old):
        return updates("change", 0.65, "What was liked is disliked, or the other way round.")
    same_value = f.attribute is not None and f.values_same
    if not same_value and not (len(f.shared) >= 2 and f.share >= 0.6 and f.denied_by_name):
        return None
    changed = cues.CHANGED.search(f.newer) or cues.ENDED.search(f.newer) or cues.NOW.search(f.newer)
    if changed is None and not f.same_speaker and f.gap_us <= SHORT_GAP_US:
        return contradicts("One affirms what the other denies, for the same time.")
    if changed is not None or f.attribute is not None:
        return updates("change", 0.8 if changed else 0.65, "The newer statement turns the older one round.")
    return None


def _over(pair: Pair) -> bool:
    """The named time of the older statement has passed: what is past is not moved."""
    anchor = pair.older.anchor
    return anchor.resolution != "message_time" and anchor.until <= pair.newer.stated.sent_at


def _one_off(f: Features) -> bool:
    """A single occasion against a habit."""
    return bool(cues.ONE_OFF.search(f.newer) and cues.HABIT.search(f.older)) and not cues.CHANGED.search(f.newer)


_FIRST: tuple[Rule, ...] = (
    fragment, withdrawn, correction, told_end, told_moved, carried_out, resumed, instead, cannot_come, new_work,
    next_stage, gone_off, now_so, departed,
)  # fmt: skip
_THING_RULES: tuple[Rule, ...] = (stands_otherwise, placed_elsewhere, another_figure, replaced_by_name)
_PLAN_RULES: tuple[Rule, ...] = (plan_cancelled, plan_moved, plan_done)
_STATE_RULES: tuple[Rule, ...] = (arrangement_moved, ended, replaced, flipped)
