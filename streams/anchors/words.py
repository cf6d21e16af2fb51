"""Words of time: the tables the grammar is built from. English, as usually written."""

from __future__ import annotations

WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
    "mon": 0, "tue": 1, "tues": 1, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4,
}  # fmt: skip
"""``sat``, ``sun`` and ``wed`` are missing on purpose: they are ordinary words too."""

MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
    "september": 9, "october": 10, "november": 11, "december": 12,
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10,
    "nov": 11, "dec": 12,
}  # fmt: skip
DOUBTFUL_MONTHS = frozenset({"march", "may", "mar", "august"})
"""Months that are other words when written small: they count only capitalised or after a preposition of time."""

SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
"""Quarter of the meteorological year, counted from March in the north."""

NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "ninety": 90, "a couple of": 2, "a couple": 2, "a dozen": 12,
}  # fmt: skip

ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
    "twenty-first": 21, "twenty-second": 22, "twenty-third": 23, "twenty-fourth": 24, "twenty-fifth": 25,
    "twenty-sixth": 26, "twenty-seventh": 27, "twenty-eighth": 28, "twenty-ninth": 29, "thirtieth": 30,
    "thirty-first": 31,
}  # fmt: skip

PARTS = {
    "small hours": (0, 6), "lunchtime": (12, 13), "morning": (6, 12), "afternoon": (12, 18), "arvo": (12, 18),
    "evening": (18, 24),
    "night": (18, 24),
}  # fmt: skip
"""Parts of the day as local hours."""

FIXED_DAYS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new year's day": (1, 1), "new year's": (1, 1), "valentine's day": (2, 14),
    "valentine's": (2, 14), "halloween": (10, 31), "burns night": (1, 25), "st patrick's day": (3, 17),
    "midsummer's day": (6, 24), "all saints' day": (11, 1), "all saints": (11, 1),
    "guy fawkes night": (11, 5), "bonfire night": (11, 5), "bastille day": (7, 14), "may day": (5, 1),
    "international women's day": (3, 8), "anzac day": (4, 25), "waitangi day": (2, 6),
    "australia day": (1, 26), "canada day": (7, 1), "st andrew's day": (11, 30),
    "saint patrick's day": (3, 17),
}  # fmt: skip
"""Holidays on a fixed date: (month, day)."""

EASTER_DAYS = {
    "good friday": -2, "easter sunday": 0, "easter monday": 1, "easter": 0, "palm sunday": -7,
    "ash wednesday": -46, "ascension day": 39, "whit monday": 50, "pentecost": 49,
}  # fmt: skip
"""Holidays by their distance in days from (western) Easter Sunday."""

PREPOSITIONS = {
    "since": "since", "ever since": "since",
    "from": "from", "starting from": "from", "starting on": "from", "starting in": "from", "starting": "from",
    "as of": "from", "as from": "from", "effective": "from", "beginning": "from",
    "until": "until", "till": "until", "til": "until", "up to": "until", "through": "until",
    "by": "by", "no later than": "by",
    "before": "bound", "after": "bound", "back before": "bound",
    "on": "at", "in": "at", "at": "at", "for": "at", "over": "at", "during": "at", "around": "at", "about": "at",
    "back in": "at", "back on": "at", "sometime in": "at", "throughout": "at", "all through": "at",
}  # fmt: skip
"""What a preposition says about the time after it."""
