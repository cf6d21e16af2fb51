"""The offline distiller: which sentences become events, of what kind, about whom and when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.events import Event
from schemas.messages import Role
from schemas.sessions import SessionMessage, SessionRevised
from schemas.times import format_time, parse_time
from streams.distil.offline import OfflineDistiller
from tests.kit.sessions import revised, said

# A Wednesday.
SENT = "2024-05-15T16:10:00+00:00"


def message(content: str, speaker: str = "Ruth", role: Role = "user", sent: str = SENT, seq: int = 0) -> SessionMessage:
    us, offset = parse_time(sent)
    return said(seq, us, content, speaker, role=role, utc_offset_min=offset)


def session(*messages: SessionMessage) -> SessionRevised:
    return revised(messages, revision=3, covers=9, learned_at=5)


def distil(content: str, speaker: str = "Ruth", role: Role = "user") -> tuple[Event, ...]:
    return OfflineDistiller().distil(session(message(content, speaker, role)))


def one(content: str) -> Event:
    events = distil(content)
    assert len(events) == 1, [e.text for e in events]
    return events[0]


def day(us: int | None) -> str | None:
    return None if us is None else format_time(us)[:10]


@pytest.mark.parametrize(
    "content",
    [
        "Where do you keep the tent?",
        "do you know if the pool is open on Sunday",
        "You're coming on Friday, right?",
        "can you send me the file",
        "I wish we lived by the sea.",
        "I'd love to see the northern lights!",
        "Hope the train runs tomorrow",
        "If I got the loan I'd buy the boat.",
        "Maybe I should sell the piano.",
        "We might go to the coast in June.",
        "I could move to the attic",
        "I married a lighthouse, just kidding",
        'My uncle said: "I am moving to the moon next week and nobody can stop me."',
        "In the novel the captain sells his ship.",
        "Delete the draft about the boiler.",
        "Please bring the ladder back.",
        "Let's meet at the station.",
        "Good morning everyone!",
        "Thanks so much, that's really kind.",
        "That's awesome, congrats!",
        "Your soup looks amazing",
        "I'm so very glad for you",
        "Wow, what a view",
        "It was wonderful!",
        "ok",
        "🎉🎉🎉",
        "That solo sent shivers down my spine",
        "this playlist slaps",
        "your soup has ruined all other soup for me",
        "I can't even, that puppy",
        "Couldn't have said it better myself",
        "My ferret could write better code than this linter, obviously.",
        "Sure, and I'm the queen of the marsh",
        "Nothing says Monday like a flooded cellar",
        "My stand-up set: I stood up. Thank you, I'm here all week",
        "In the series the captain marries the smuggler.",
        "My character in the campaign just stole a dragon egg",
        "The fortune teller says I will inherit a lighthouse",
        "Praying the ferry is on time tomorrow",
        "One day I'll own a mill, dream on",
        "would so much rather be at the lake than at this desk",
        "Say the roof leaks again, then we move out in May",
        "In case it hails we'd meet inside",
        "I recommend taking the drops with food.",
        "Sleep well, see you Monday",
        "Sun's out at last",
        "bit muggy out there",
        "No clue whether the kiosk ships abroad",
        "Wonder if the sauna opens on Sundays",
        "somebody save me from this meeting",
        "Mine was green, still laughing",
    ],
)
def test_what_states_nothing_yields_no_event(content: str) -> None:
    assert distil(content) == ()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("So yesterday I bought a kayak!", "yesterday I bought a kayak"),
        ("Hi all, I work at the harbour now.", "I work at the harbour now"),
        ("Turns out the oven is broken", "the oven is broken"),
        ("I think the shop closed in March.", "the shop closed in March"),
        ("Tell Omar I can't make dinner tonight", "I can't make dinner tonight"),
        ("Booked the ferry for 9 June", "Booked the ferry for 9 June"),
        ("Choir practice tomorrow at seven", "Choir practice tomorrow at seven"),
        ("Whenever it snows, close the upper gate.", "Whenever it snows, close the upper gate"),
        ("Newsletter: cancelled.", "Newsletter: cancelled"),
        ("You don't have to feed the hens.", "You don't have to feed the hens"),
    ],
)
def test_a_statement_becomes_an_event_without_what_only_introduces_it(content: str, text: str) -> None:
    assert one(content).text == text


def test_every_statement_of_a_sentence_is_its_own_event() -> None:
    texts = [e.text for e in distil("I keep bees, I repair clocks, and my sister gave up dairy in April.")]
    assert texts == ["I keep bees", "I repair clocks", "my sister gave up dairy in April"]


def test_a_question_takes_nothing_away_from_the_statement_before_it() -> None:
    assert [e.text for e in distil("I sold the van last week. Do you want the roof rack?")] == [
        "I sold the van last week"
    ]


def test_two_equal_sentences_are_two_events_at_two_spans() -> None:
    first, second = distil("I sold the boat. I sold the boat.")
    assert first.id != second.id
    assert first.text == second.text
    assert first.sources[0].start == 0
    assert second.sources[0].start == 17


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("I walked to the lake yesterday", ("action", "asserted", "affirmed")),
        ("I moved to Lund in April", ("state_change", "asserted", "affirmed")),
        ("I'm vegetarian", ("state_change", "asserted", "affirmed")),
        ("I love rye bread", ("preference", "asserted", "affirmed")),
        ("I can't stand rye bread", ("preference", "asserted", "negated")),
        ("I don't eat shellfish", ("preference", "asserted", "negated")),
        ("I'm going to sell the loom", ("plan", "planned", "affirmed")),
        ("I won't be at the fair", ("plan", "planned", "negated")),
        ("I'm not coming on Friday", ("plan", "planned", "negated")),
        ("We're visiting my aunt next weekend", ("plan", "planned", "affirmed")),
        ("The recital is on 2 June", ("plan", "planned", "affirmed")),
        ("Tomorrow's picnic is off", ("plan", "planned", "negated")),
        ("I moved the appointment to next Tuesday", ("plan", "planned", "affirmed")),
        ("I don't work at the mill any more", ("state_change", "asserted", "negated")),
        ("Nobody has fed the cat since Monday", ("action", "asserted", "negated")),
        ("I've never been to Crete", ("state_change", "asserted", "negated")),
    ],
)
def test_type_modality_and_polarity(content: str, kind: tuple[str, str, str]) -> None:
    event = one(content)
    assert (event.type, event.modality, event.polarity) == kind


def test_a_plain_present_state_says_nothing_of_its_beginning() -> None:
    event = one("I live in Paris")
    assert (event.valid_from, event.ends_at, event.holds) == (None, None, True)
    assert event.anchor.resolution == "message_time"
    assert day(event.anchor.start) == "2024-05-15"


def test_a_change_told_as_news_holds_from_when_it_happened() -> None:
    event = one("I moved to Berlin last month")
    assert (day(event.valid_from), event.holds) == ("2024-04-01", True)
    assert event.anchor.precision == "month"


def test_an_announced_state_is_asserted_with_a_beginning_to_come() -> None:
    event = one("From 1 September I work at the observatory")
    assert (event.modality, day(event.valid_from), event.holds) == ("asserted", "2024-09-01", True)


@pytest.mark.parametrize("content", ["I used to live in Oslo", "In 2015 I moved to Rome", "I was a baker back in 2010"])
def test_what_is_told_as_past_does_not_hold(content: str) -> None:
    assert one(content).holds is False


def test_until_is_the_end_of_its_day() -> None:
    event = one("I'm on leave until Friday")
    assert (event.valid_from, event.holds) == (None, True)
    assert day(event.ends_at) == "2024-05-18"


def test_since_is_the_beginning() -> None:
    event = one("I've lived here since March")
    assert (day(event.valid_from), event.holds, event.type) == ("2024-03-01", True, "state_change")


def test_a_closed_period_has_both_ends_and_does_not_hold() -> None:
    event = one("I worked in Lyon from 2015 to 2018")
    assert (day(event.valid_from), day(event.ends_at), event.holds) == ("2015-01-01", "2019-01-01", False)


def test_the_date_of_a_scheduled_thing_is_its_anchor_and_nothing_else() -> None:
    event = one("Dinner is Thursday")
    assert (event.modality, event.valid_from, event.ends_at) == ("planned", None, None)
    assert (day(event.anchor.start), day(event.expected_until)) == ("2024-05-16", "2024-05-17")


def test_a_plan_without_a_date_never_lapses_by_itself() -> None:
    assert one("I'm going to learn the oboe").expected_until is None


def test_what_is_denied_goes_into_the_statement_of_what_is_so() -> None:
    right = one("It was never the 22nd, it's the 24th")
    assert right.text == "It was never the 22nd, it's the 24th"
    assert (right.polarity, day(right.anchor.start), right.holds) == ("affirmed", "2024-05-24", True)


@pytest.mark.parametrize(
    "content", ["Just kidding.", "haha jk", "I'm only joking!", "I was only joking about the yurt"]
)
def test_a_message_that_is_a_joke_taken_back_takes_back_what_was_said_before_it(content: str) -> None:
    event = one(content)
    assert (event.polarity, event.holds, event.type) == ("negated", True, "state_change")


@pytest.mark.parametrize("content", ["I meant Thursday.", "Sorry, I meant the 9th of June"])
def test_what_was_meant_is_so_of_something_unnamed(content: str) -> None:
    event = one(content)
    assert (event.modality, event.polarity, event.subject, event.participants) == (
        "planned",
        "affirmed",
        None,
        ("Ruth",),
    )


@pytest.mark.parametrize("content", ["I meant well", "I meant that as a compliment", "I bought a yacht. Just kidding!"])
def test_meaning_well_and_a_joke_taken_back_at_once_state_nothing(content: str) -> None:
    assert distil(content) == ()


@pytest.mark.parametrize("content", ["I was joking", "Scratch that.", "Never mind what I said, I mixed that up"])
def test_a_take_back_is_an_event_that_holds(content: str) -> None:
    assert any(e.polarity == "negated" and e.holds for e in distil(content))


@pytest.mark.parametrize("content", ["Ignore that, it's Thursday after all", "Strike that: it's on Thursday"])
def test_what_follows_a_take_back_takes_it_in_and_is_what_is_so(content: str) -> None:
    """So that whoever compares it sees that it replaces something; the speaker takes part, whatever "it" is."""
    event = one(content)
    assert (event.text, event.modality, event.polarity) == (content, "planned", "affirmed")
    assert event.participants == ("Ruth",)


def test_a_correction_of_what_is_not_named_has_its_speaker_as_participant() -> None:
    event = one("I misspoke: it was always the 9th of June.")
    assert (event.subject, event.participants) == (None, ("Ruth",))


@pytest.mark.parametrize(
    "content",
    [
        "I had a lovely evening with my cousins",
        "The twins adored the puppet theatre",
        "We were at the reservoir on Saturday",
        "My boss was furious about the invoice",
        "I wanted a quiet corner for my desk",
        "We sang all the way home",
        "My sister had a baby on Friday",
        "I was able to fix the gate",
    ],
)
def test_what_was_done_or_lived_through_stays_true(content: str) -> None:
    """It happened: nothing that comes later ends it."""
    assert [e.holds for e in distil(content)] == [True]


@pytest.mark.parametrize(
    "content",
    [
        "I was a postman",
        "We lived above the chandlery",
        "We had two parrots",
        "I was vegan at the time",
        "My grandmother owned a kiosk",
        "Rent was 480",
        "I used to row",
        "My favourite colour was ochre",
    ],
)
def test_a_state_told_as_past_has_ended(content: str) -> None:
    event = one(content)
    assert not event.holds
    assert event.type != "action"


def test_what_happens_in_a_game_or_film_that_the_speakers_take_part_in_is_no_fiction() -> None:
    assert one("In the game we scored four times").type == "action"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("Moved the crates to the attic", ("state_change", "asserted", "affirmed")),
        ("Not coming tonight, sorry", ("plan", "planned", "negated")),
        ("only decaf for me after lunch please", ("preference", "asserted", "affirmed")),
        ("I've gone right off olives", ("preference", "asserted", "negated")),
        ("The north stair's worse than the south one", ("state_change", "asserted", "affirmed")),
    ],
)
def test_verbs_and_words_of_judgement_that_state_something_after_all(content: str, kind: tuple[str, str, str]) -> None:
    event = one(content)
    assert (event.type, event.modality, event.polarity) == kind


def test_a_thing_called_after_a_person_is_nobody() -> None:
    assert one("My dentist appointment is on Tuesday").participants == ("Ruth",)
    assert one("My sister Odile works as a vet").participants == ("Ruth's sister Odile",)


@pytest.mark.parametrize(
    ("content", "subject"),
    [
        ("Last week the boiler broke", "boiler"),
        ("That evening the tent tore", "tent"),
        ("Monday morning Piet rang", "Piet"),
        ("Two weeks ago my aunt sold the mill", "Ruth's aunt"),
        ("On 3 May my sister moved to Tours", "Ruth's sister"),
        ("The night shift starts at ten", "night shift"),
        ("The next bus leaves at 9", "next bus"),
        ("The week was long and cold", "week"),
    ],
)
def test_a_time_at_the_start_is_no_part_of_the_subject(content: str, subject: str) -> None:
    assert distil(content)[0].subject == subject


@pytest.mark.parametrize(
    ("content", "last"),
    [
        ("We left on Friday. That evening the tent tore.", ("2024-05-10T18:00", "2024-05-11T00:00")),
        ("We left on Friday, and the next day we drove home.", ("2024-05-11T00:00", "2024-05-12T00:00")),
        (
            "The match is off on Saturday. They'll try again the Tuesday after.",
            ("2024-05-21T00:00", "2024-05-22T00:00"),
        ),
        ("The fair opens on 3 June. I'll arrive the day before.", ("2024-06-02T00:00", "2024-06-03T00:00")),
        ("I broke my arm last week. The week after the car died.", ("2024-05-15T00:00", "2024-05-16T00:00")),
        ("That evening the tent tore.", ("2024-05-15T00:00", "2024-05-16T00:00")),
        ("We were away in April. That evening it rained.", ("2024-05-15T00:00", "2024-05-16T00:00")),
    ],
)
def test_what_points_back_is_counted_from_the_time_named_before(content: str, last: tuple[str, str]) -> None:
    """Without a day before it in the message, or after a whole month, it names no time."""
    anchor = distil(content)[-1].anchor
    assert (format_time(anchor.start)[:16], format_time(anchor.until)[:16]) == last


def test_getting_used_to_something_is_no_past_state() -> None:
    assert all(e.holds for e in distil("I'm still getting used to the new oven"))


@pytest.mark.parametrize("content", ["It was a blast!", "That was a thrill", "Just wanted to say hi"])
def test_judging_and_greeting_in_the_past_tense_states_nothing(content: str) -> None:
    assert distil(content) == ()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("[Image: a picture of a jetty] We swam to the raft on Sunday", "We swam to the raft on Sunday"),
        ("[00:04:12] The kiln is at the workshop.", "The kiln is at the workshop"),
        ("Just wanted to let you know I joined a rowing club", "I joined a rowing club"),
    ],
)
def test_notes_in_brackets_and_announcements_are_no_part_of_a_statement(content: str, text: str) -> None:
    assert one(content).text == text


@pytest.mark.parametrize(
    ("content", "subject"),
    [
        ("I live in Graz", "Ruth"),
        ("Started at the mill last week", "Ruth"),
        ("My sister moved to Graz", "Ruth's sister"),
        ("Mum plays the organ", "Ruth's mother"),
        ("My aunt Vera has a boat", "Ruth's aunt Vera"),
        ("Vera from work has a boat", "Vera from work"),
        ("Vera has a boat", "Vera"),
        ("The boiler is broken", "boiler"),
        ("Dinner is on Friday", "dinner"),
        ("My bike is blue", "Ruth's bike"),
        ("Picnic on Saturday", "picnic"),
        ("Choir practice tomorrow at seven", "choir practice"),
        ("You don't have to come on Friday", None),
    ],
)
def test_the_subject_is_canonical(content: str, subject: str | None) -> None:
    assert one(content).subject == subject


def test_a_pronoun_is_whom_the_message_spoke_of_last() -> None:
    first, second = distil("My brother quit his job. He runs a bakery now.")
    assert (first.subject, second.subject) == ("Ruth's brother", "Ruth's brother")


def test_you_is_the_other_one_when_two_people_talk() -> None:
    events = OfflineDistiller().distil(
        session(message("hello", "Omar"), message("You don't have to bring the tent.", "Ruth", seq=1))
    )
    assert [e.subject for e in events] == ["Omar"]


def test_people_met_take_part_and_places_do_not() -> None:
    assert one("I met Vera in Graz").participants == ("Ruth", "Vera")


def test_a_first_name_in_the_text_is_the_speaker_who_bears_it() -> None:
    events = OfflineDistiller().distil(
        session(message("hello", "Omar Said"), message("Omar has a boat", "Ruth", seq=1))
    )
    assert [(e.subject, e.participants, e.speaker) for e in events] == [("Omar Said", ("Omar Said",), "Ruth")]


@pytest.mark.parametrize(
    ("content", "attribute", "value"),
    [
        ("I work at the observatory", "employer", "the observatory"),
        ("I live in Graz with my cat", "home", "Graz"),
        ("I moved to Graz last month", "home", "Graz"),
        ("I'm vegan", "diet", "vegan"),
        ("I'm with Tarn Shipping from today", "employer", "Tarn Shipping"),
        ("I'm a cook at Cafe Lumen", "job", "cook at Cafe Lumen"),
        ("I'm a cook", "job", "cook"),
        ("I was a cook for nine years", "job", "cook"),
        ("I'm the captain of our hockey team", "club role hockey team", "captain"),
        ("The ladder is at Oskar's now", "location", "Oskar's"),
        ("The van is in the garage", "location", "the garage"),
        ("The project is on hold", "project", "on hold"),
        ("We got engaged on Sunday", "relationship status", "engaged"),
        ("My favourite colour is teal", "favourite colour", "teal"),
        ("I'm allergic to walnuts too", "allergy", "walnuts"),
        ("I have three canoes", "canoes", "three canoes"),
        ("My phone number is 555 0192 44", "phone", "555 0192 44"),
        ("Rent is 640", "rent", "640"),
        ("The meeting moved to Mondays", "meeting", None),
    ],
)
def test_attribute_and_value(content: str, attribute: str, value: str | None) -> None:
    event = one(content)
    assert (event.attribute, event.value) == (attribute, value)


@pytest.mark.parametrize(
    "content",
    ["You could try the coastal path.", "As you told me, you live in Graz.", "Shall I book it?", "You like tea."],
)
def test_an_assistant_states_nothing_about_the_user(content: str) -> None:
    assert distil(content, "bot", "assistant") == ()


def test_an_assistant_states_what_it_did() -> None:
    (event,) = distil("I've cancelled order 7.", "bot", "assistant")
    assert (event.speaker, event.subject) == ("bot", "bot")


@pytest.mark.parametrize("role", ["system", "tool"])
def test_systems_and_tools_state_nothing(role: Role) -> None:
    assert distil("I live in Graz", "x", role) == ()


@pytest.mark.parametrize(
    "content",
    [
        "Ich wohne jetzt in Graz",
        "Vivo en Quito con mi hermana",
        "我住在北京的一个小区",
        "Я живу в Казани",
        "أنا أعيش في عمان",
        "J'habite à Nantes depuis mai 🌊",
    ],
)
def test_another_language_passes_through_as_it_stands(content: str) -> None:
    event = one(content)
    assert event.text == content.rstrip(" 🌊")
    assert event.subject == "Ruth"


@pytest.mark.parametrize(
    "content",
    [
        "Wir wohnen seit Mai in Kassel",
        "Mon frère travaille dans une scierie",
        "Mi hermana trabaja en el puerto",
        "Abito a Lecce da due anni",
        "Moro em Braga desde janeiro",
        "Ik woon in Zwolle",
        "Min bror jobbar på varvet",
        "Mieszkam w Gdyni od maja",
        "Bydlím v Olomouci",
        "Asun Kuopiossa",
        "Locuiesc în Iași din mai",
        "Tôi sống ở Vinh",
        "Saya tinggal di Medan",
        "Ninaishi Tanga na kaka yangu",
        "Я живу в Перми",
        "Μένω στη Λάρισα",
        "私は仙台に住んでいます",
        "나는 대구에 살아요",
        "أعيش في صفاقس",
        "मैं इंदौर में रहता हूँ",
    ],
)
def test_a_plain_statement_in_another_language_is_an_event_as_it_stands(content: str) -> None:
    event = one(content)
    assert (event.text, event.polarity, event.holds, event.subject) == (content, "affirmed", True, "Ruth")


@pytest.mark.parametrize(
    "content",
    ["Ich trinke keinen Wein", "Nunca como pescado", "Je ne fume pas", "Jag äter inte fisk", "Я не курю табак"],
)
def test_a_denial_in_another_language_is_known_as_one(content: str) -> None:
    assert one(content).polarity == "negated"


@pytest.mark.parametrize(
    "content", ["Guten Abend!", "¿Dónde trabajas?", "Merci à tous", "Tack så mycket", "Buongiorno a tutti"]
)
def test_greetings_thanks_and_questions_in_another_language_state_nothing(content: str) -> None:
    assert distil(content) == ()


@pytest.mark.parametrize(
    ("content", "subject"), [("Zoë rang Björn yesterday", "Zoë"), ("The café in Malmö closed", "café in Malmö")]
)
def test_accents_in_an_english_sentence_make_it_no_other_language(content: str, subject: str) -> None:
    assert one(content).subject == subject


def test_marked_up_memories_are_nobodys_statement() -> None:
    assert distil("<memories>Ruth: bike is blue</memories> I sold the bike", "Ruth")[0].text == "I sold the bike"


def test_a_message_at_the_edge_of_the_calendar_yields_nothing_and_does_not_fail() -> None:
    early = message("I moved yesterday", sent="9999-12-31T12:00:00+00:00")
    assert OfflineDistiller().distil(session(early)) == ()


def test_events_stand_in_stated_order_with_unique_ids() -> None:
    events = OfflineDistiller().distil(
        session(message("I sold the van. I bought a bike."), message("My sister lives in Graz.", "Omar", seq=1))
    )
    assert [e.stated for e in events] == sorted(e.stated for e in events)
    assert len({e.id for e in events}) == len(events) == 3


WORD_POOL = [
    "I",
    "we",
    "my",
    "sister",
    "Vera",
    "moved",
    "moves",
    "is",
    "are",
    "was",
    "'s",
    "not",
    "never",
    "no",
    "to",
    "the",
    "a",
    "Friday",
    "yesterday",
    ",",
    ".",
    "?",
    "!",
    ";",
    ":",
    "—",
    "and",
    "but",
    "so",
    "if",
    "since",
    "until",
    '"',
    "'",
    "12",
    "n't",
    "don't",
    "love",
    "going",
    "will",
    "has",
    "been",
    "it's",
    "that",
    "who",
    "🎉",
    "住",
    "\n",
]
WORDS = st.lists(
    st.sampled_from(WORD_POOL),
    max_size=25,
).map(" ".join)  # fmt: skip


@settings(max_examples=250, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=80), WORDS), max_size=4))
@example(["'s"])
@example(["if"])
@example(["'d 's 'll"])
def test_any_text_distils_to_verbatim_spans_the_same_each_time(contents: list[str]) -> None:
    given_session = session(*(message(c, seq=i) for i, c in enumerate(contents)))
    events = OfflineDistiller().distil(given_session)
    assert events == OfflineDistiller().distil(given_session)
    assert len({e.id for e in events}) == len(events)
    by_id = {m.message_id: m.content for m in given_session.messages}
    for event in events:
        (source,) = event.sources
        assert by_id[source.message_id][source.start : source.end] == event.text != ""
        assert event.anchor.start < event.anchor.until
        assert event.participants == tuple(sorted(set(event.participants)))
        assert 0 <= event.confidence <= 1


@pytest.mark.parametrize("unit", ["x's ", "apple, ", "I went and ", "<a>", '"a b c d ', "12:30 "])
def test_endless_sentences_are_read_to_their_end(unit: str) -> None:
    content = unit * (8_000 // len(unit)) + ". I sold the van."
    assert distil(content)[-1].text == "I sold the van"


def test_a_gap_as_long_as_a_message_does_no_harm() -> None:
    assert one("I have 3" + " " * 60_000 + "canoes").attribute == "canoes"


def test_the_moment_of_running_plays_no_part() -> None:
    assert day(one("I sold the van today").anchor.start) != datetime.now(UTC).strftime("%Y-%m-%d")
