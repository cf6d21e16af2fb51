"""Confidence of the offline distiller's events: one constant per rule, with its reason."""

from __future__ import annotations

CONFIDENCE: dict[str, float] = {
    "present": 0.9,  # a subject and a finite verb, nothing unreal about it
    "past": 0.9,
    "perfect": 0.9,
    "preference": 0.9,
    "future": 0.85,  # what people say they will do is meant, and often vague
    "plan": 0.8,  # planned by a present form and a date: the date may be of something else
    "called_off": 0.8,  # "is off" has other meanings
    "verbless": 0.6,  # no verb was seen: the reading rests on a time phrase or a label
    "standing": 0.7,  # an order that holds on
    "take_back": 0.7,  # what it takes back is for the link step to find
    "foreign": 0.5,  # another language: taken as it stands, unread
}
