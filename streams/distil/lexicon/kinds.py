"""Words that decide an event's type, modality and polarity."""

from __future__ import annotations

PREFERRING = frozenset("like love hate prefer enjoy adore dislike detest despise cherish loathe want".split())
PREFERENCE_PHRASES = (
    "can't stand", "cannot stand", "cant stand", "a fan of", "'m into", "'s into", "am into", "is into", "are into", "so into", "'d rather", "would rather", "'d sooner", "would sooner", "don't mind", "can't have",
    "don't work for", "doesn't work for", "works for me", "works best", "what i like", "gone off", "gone right off", "gone completely off", "gone totally off", "went off", "not a fan", "obsessed with",
    "passionate about", "a big fan", "crazy about", "keen on",
)  # fmt: skip
DISLIKING = (
    "hate", "hates", "dislike", "dislikes", "detest", "detests", "despise", "loathe", "can't stand", "cannot stand", "cant stand", "gone off", "gone right off", "gone completely off", "gone totally off",
    "sick of", "tired of", "not a fan", "can't bear",
)  # fmt: skip
DENYING = ("no longer", "not anymore", "hardly ever")
POSSESSED = frozenset(("pet", "children", "condition", "medication", "car", "job", "phone", "email", "allergy"))
"""Attributes that somebody *has* for long: "we had a parrot" tells how things were, "we had a talk" does not."""
BORN = frozenset("baby babies boy girl twins triplets son daughter".split())
"""To have one of these, in the past tense, is a birth."""
LASTING = frozenset("live own belong reside rent".split())
"""In the past tense these tell how things were for long, whatever they are about."""
PLANNING = frozenset("plan intend aim arrange".split())
RESCHEDULING = frozenset(
    "move shift reschedule postpone push change book schedule set delay rebook bump reserve swap bring sign enrol register extend shorten".split()
)
"""Past of these with a time ahead: what was arranged lies in the future."""
CHANGING = frozenset(
    "become move start stop quit retire graduate marry divorce separate switch change join leave adopt lose turn begin end finish "
    "resign sell buy give hand drop die transfer upgrade downgrade reopen close open heal recover break enrol enroll promote demote "
    "hire fire relocate replace migrate grow get catch cancel renew remove expire pass deploy shut inherit win sign".split()
)
CHANGING_PAIRS = frozenset(
    {
        ("go", "vegan"), ("go", "vegetarian"), ("go", "off"), ("go", "back"), ("go", "freelance"), ("go", "part-time"), ("go", "full-time"),
        ("go", "live"), ("go", "on"), ("come", "home"), ("come", "back"), ("come", "out"), ("take", "up"), ("take", "over"), ("take", "off"), ("give", "up"),
        ("put", "on"), ("pick", "up"), ("break", "up"), ("fall", "through"), ("come", "down"), ("settle", "down"),
    }
)  # fmt: skip
RECOLLECTING = (
    "back in",
    "back when",
    "years back",
    "as a kid",
    "as a child",
    "when i was",
    "when we were",
    "in those days",
    "growing up",
    "used to",
    "once upon",
    "in my twenties",
    "in my youth",
    "at uni",
    "in college",
    "in school",
    "in high school",
)
"""Phrases that mark a past statement as a recollection, not as news."""
WORN = frozenset("cast braces stitches bandage splint sling plaster".split())
"""That one of these is off calls nothing off."""
