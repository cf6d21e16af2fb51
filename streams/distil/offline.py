"""The offline distiller: rules over sentences and clauses; no network, no model, the same result everywhere.

Reading order: sentences, tokens, clauses and parse (what is there), acts (does it state anything), kinds and times
(what kind of event, and when), subjects and attributes (about whom and what). This file puts them together.
"""

from __future__ import annotations

from schemas.events import Anchor, Event, Polarity
from schemas.sessions import SessionMessage, SessionRevised

from ..anchors.nodes import Context
from ..anchors.resolve import context_of, message_anchor
from ..participants import roster_of
from . import acts, unmeant
from .as_event import as_event
from .attributes import About, about
from .charges import ATTRIBUTE as LEAD
from .charges import charge_of
from .clauses import Clause, split_clauses
from .corrections import Cue, Placed, admissions, owned, settle, stands_alone
from .foreign import denies, greets, is_foreign
from .foreign_speech import introduces_quote, mask_foreign_speech, quotes_in
from .fragments import fragment
from .frames import strip_frame
from .kinds import Kind, comes_back, is_past_state, kind_of
from .labels import labelled
from .lexicon import grammar as g
from .lexicon.attributes import EVENTS
from .named import couple, name_in, one_animal, with_names
from .parse import Parse
from .reached import reached_at
from .reactions import is_reaction
from .remembered import Remembered
from .roles import role_of
from .sentences import Sentence, split_sentences
from .statement import Statement
from .subjects import Said, Subject, living_there, people_in, put_on_shift, subject_of, subject_without_verb
from .times import Times, dates_of, times_of, when_of
from .tokens import Token, tokenize
from .trimmed import trimmed

RULES_VERSION = 6
"""Raise it with every change of what the rules yield: other rules are another producer."""


class OfflineDistiller:
    """``Distiller`` by rules. One thread at a time."""

    producer = f"offline-{RULES_VERSION}"

    def __init__(self) -> None:
        self._read = Remembered(statements_of)

    def distil(self, session: SessionRevised) -> tuple[Event, ...]:
        """The events of the session's messages, in stated order. Never raises on any text."""
        roster = roster_of(session)
        events: dict[str, Event] = {}
        said = Said("", roster, person=None, thing=None)
        for message in session.messages:
            statements, said = self._read(message, said)
            for statement in statements:
                event = as_event(session, message, statement)
                events.setdefault(event.id, event)
        return tuple(events.values())


def statements_of(message: SessionMessage, before: Said) -> tuple[tuple[Statement, ...], Said]:
    """The statements of one message, and whom and what it spoke of last, for "he" and "it" in the next one.

    An assistant states only what it did itself, and dated things.
    """
    said = before._replace(speaker=" ".join(message.speaker.split()))
    if message.role in ("system", "tool"):
        return (), said
    try:
        context = context_of(message.sent_at, message.utc_offset_min, message.tz, "present")
        day = message_anchor(context)
    except (OverflowError, ValueError):
        # Sent in the first or last hours of the calendar: no local day can be named, so no event has a time.
        return (), said
    reader = _Reader(message, said, context, day.until)
    statements = reader.read()
    return statements, reader.said if reader.mentioned else said._replace(person=None, thing=None)


class _Reader:
    """Reads one message from left to right, remembering whom and what it spoke of last."""

    def __init__(self, message: SessionMessage, said: Said, context: Context, day_end: int) -> None:
        self._text = message.content
        self._masked = mask_foreign_speech(message.content)
        self._message = message
        self._context = context
        self._day_end = day_end
        self.said = said
        self.mentioned = False
        self._subject: Subject | None = None
        self._named: Anchor | None = None

    def read(self) -> tuple[Statement, ...]:
        found: list[Placed] = []
        cues: list[Cue] = []
        quotes = quotes_in(self._text)
        for place, sentence in enumerate(split_sentences(self._masked)):
            if not introduces_quote(self._text, sentence.start, sentence.end, quotes):
                found += [(place, s) for s in self._sentence(sentence)]
                if not sentence.question:
                    cues += admissions(self._masked, place, sentence.start, sentence.end)
        disowned = unmeant.disowned_before(self._text)
        kept = [(place, s) for place, s in found if not disowned or s.start > disowned or s.kind.rule == "take_back"]
        if len(found) > len(kept):
            kept = [(place, s) for place, s in kept if s.kind.rule != "take_back"]
        told = settle(with_names(kept, self.said.speaker), cues, self._text, self.said.speaker)
        if not told and self._message.role in ("user", "analyst"):
            told = [self._whole(cue.start, cue.end, "take_back") for cue in cues[:1] if stands_alone(self._text, cue)]
            if not told and unmeant.only_joked(self._text):
                told = [self._whole(*_stripped(self._text), "take_back")]
        return tuple(told)

    def _sentence(self, sentence: Sentence) -> list[Statement]:
        text = self._text[sentence.start : sentence.end]
        tokens = tokenize(self._text, sentence.start, sentence.end)
        if not tokens:
            return []
        user = self._message.role in ("user", "analyst")
        if is_foreign(text, tokens):
            return self._foreign(sentence, tokens) if user and not sentence.question else []
        if unmeant.takes_back(text) and not sentence.question and user:
            told = self._clauses(tokens, sentence) or [self._whole(sentence.start, sentence.end, "take_back")]
            if unmeant.takes_back(self._text[sentence.start : told[0].start]):
                return [owned(told[0]._replace(start=sentence.start), self.said.speaker), *told[1:]]
            return [self._as_take_back(s) if unmeant.takes_back(self._text[s.start : s.end]) else s for s in told]
        if unmeant.unserious(text) or unmeant.supposes(text) or tokens[acts.skip_openers(tokens)].word == "if":
            return []
        if user and acts.is_standing(tokens, self._text):
            return [self._whole(sentence.start, sentence.end, "standing")]
        line = None
        if user and not sentence.question:
            where = (self._text, sentence, self.said.speaker, self._context, self._day_end)
            line = labelled(*where) or fragment(*where)
        return self._clauses(tokens, sentence) if line is None else [line]

    def _foreign(self, sentence: Sentence, tokens: tuple[Token, ...]) -> list[Statement]:
        if greets(tokens):
            return []
        whole = self._whole(sentence.start, sentence.end, "foreign")
        if denies(self._text[sentence.start : sentence.end], tokens):
            whole = whole._replace(kind=whole.kind._replace(polarity="negated"))
        return [whole]

    def _clauses(self, tokens: tuple[Token, ...], sentence: Sentence) -> list[Statement]:
        framed = strip_frame(self._text, tokens)
        clauses = split_clauses(self._text, sentence.start, sentence.end, tokens[framed:])
        tagged = sentence.question and acts.ends_in_tag(clauses)
        found: list[Statement] = []
        unreal, self._subject = False, None
        for i, clause in enumerate(clauses):
            last = i == len(clauses) - 1
            if acts.is_question(clause, self._text, marked=sentence.question, last=last or tagged):
                continue
            if (
                i > 0
                and unreal
                and self._text[clauses[i - 1].end : clause.start].strip(" ,") in ("so", "just so", "and")
            ):
                continue
            statement = self._clause(clause)
            unreal = (
                statement is None and clause.reading is not None and acts.is_supposition(clause.tokens, clause.reading)
            )
            if statement is not None:
                found.append(statement)
        return found

    def _clause(self, clause: Clause) -> Statement | None:
        """One clause as a statement, or None when it states nothing."""
        clause = trimmed(self._text, clause)
        reading, tokens = clause.reading, clause.tokens
        if reading is None or acts.is_wish(clause, self._text) or acts.is_courtesy(clause, self._text):
            return None
        if acts.is_dependent(tokens, reading):
            return None
        if acts.is_supposition(tokens, reading) or acts.is_order(tokens, reading):
            return None
        if acts.corrects(tokens, reading):
            reading = reading._replace(tense="present")
        text = self._text[clause.start : clause.end]
        dates = dates_of(text, reading, self._context, self._named)
        self._named = dates[-1][1] if dates else self._named
        when = when_of(dates, self._message.sent_at, self._day_end)
        if reading.form == "verbless" and not acts.states_without_verb(tokens, timed=when.named):
            return None
        if is_reaction(tokens, reading, timed=when.named):
            return None
        subject = self._subject_of(clause, reading)
        told = about(text, tokens, reading, subject) if not acts.only_nearly(tokens, reading) else About(None, None)
        subject = reached_at(told.attribute, living_there(told.attribute, subject), self.said.speaker)
        subject = put_on_shift(told.attribute, subject, tokens, self.said)
        charge = charge_of(text, reading, subject, self.said)
        if charge is not None:
            subject, told = charge.subject, About(LEAD, charge.who)
        names = tuple(t.word for t in tokens)
        role = role_of(text, self.said)
        if role is not None:
            subject, told = role.subject, About(role.name, role.who)
        was_state = is_past_state(names, reading, told.attribute if told.in_table else None)
        recurs = (told.in_table and told.attribute == "birthday") or comes_back(text, reading)
        kind = kind_of(tokens, reading, when, was_state=was_state, recurs=recurs)
        if (kind.rule == "called_off" or acts.takes_place(tokens, reading)) and not self.said.roster.knows(
            subject.name or ""
        ):
            subject = subject._replace(people=tuple(p for p in subject.people if p != subject.name), is_person=False)
        if self._message.role == "assistant" and not acts.assistant_states(
            tokens, reading, kind.modality, timed=when.named
        ):
            return None
        times = times_of(dates, tokens, reading, kind.modality, self._context, was_state=was_state)
        people = (*people_in(tokens, reading, self._text, self.said), *name_in(text, told.attribute))
        people += couple(subject, told.attribute, told.value)
        self._subject = subject
        self._remember(clause, reading, subject)
        self._introduce(subject, told)
        animal = one_animal(told.attribute, told.value)
        if animal is not None and subject.name == self.said.speaker:
            self.said, self.mentioned = self.said._replace(person=f"{self.said.speaker}'s {animal}"), True
        everyone = tuple(sorted({*subject.people, *people}))
        return Statement(clause.start, clause.end, kind, times, subject, everyone, told.attribute, told.value)

    def _subject_of(self, clause: Clause, reading: Parse) -> Subject:
        if acts.means(clause.tokens, reading):
            return Subject(None, (self.said.speaker,), is_person=False)
        if reading.form == "verbless":
            return subject_without_verb(clause.tokens, self._text, self.said)
        if clause.shares_subject and reading.subject[0] == reading.subject[1] and self._subject is not None:
            return self._subject
        return subject_of(clause.tokens, reading, self._text, self.said)

    def _remember(self, clause: Clause, reading: Parse, subject: Subject) -> None:
        """Whom or what "he" and "it" may mean next: people, and things named with a determiner or by a dated noun."""
        if subject.name is None or subject.name == self.said.speaker or reading.form == "verbless":
            return
        first = clause.tokens[reading.subject[0]].word if reading.subject[0] < len(clause.tokens) else ""
        if subject.is_person:
            self.said = self.said._replace(person=subject.name)
        elif len(subject.people) == 1 and subject.people[0] != self.said.speaker:
            self.said = self.said._replace(person=subject.people[0], thing=subject.name)  # "Finn's internship is over"
        elif first in g.DETERMINERS - {"some", "all", "both", "any", "no"} or first in EVENTS:
            self.said = self.said._replace(thing=subject.name)
        else:
            return
        self.mentioned = True

    def _introduce(self, subject: Subject, told: About) -> None:
        """ "His name is Idris": "he" is Idris from here on."""
        if told.attribute == "name" and told.value and (subject.name or "").startswith(("his ", "her ", "their ")):
            self.said, self.mentioned = self.said._replace(person=told.value), True

    def _as_take_back(self, statement: Statement) -> Statement:
        """ "I was joking" holds, whatever its tense: from now on what it takes back does not count."""
        kind = Kind("state_change", "asserted", "negated", "take_back")
        times = Times(message_anchor(self._context), None, None, holds=True, expected_until=None)
        return statement._replace(kind=kind, times=times)

    def _whole(self, start: int, end: int, rule: str) -> Statement:
        """Words taken as they stand: another language, a take-back, a standing order."""
        speaker = self.said.speaker
        polarity: Polarity = "negated" if rule == "take_back" else "affirmed"
        kind = Kind("preference" if rule == "standing" else "state_change", "asserted", polarity, rule)
        times = Times(message_anchor(self._context), None, None, holds=True, expected_until=None)
        subject = Subject(speaker, (speaker,), is_person=True)
        return Statement(start, end, kind, times, subject, (speaker,), None, None)


def _stripped(text: str) -> tuple[int, int]:
    """Where a text begins and ends without white space and its closing marks."""
    return len(text) - len(text.lstrip()), len(text.rstrip(" \t\n.!"))
