"""Names that were learned are rulings like an analyst's: with evidence, undone by one, gone with what taught them."""

from __future__ import annotations

from schemas.erasure_wire import ErasureIn
from schemas.ruling_wire import MergeIn, SplitIn
from tests.kit.embedded import SPACE, Home

FULL = "harbour watch committee"
TAUGHT = "The harbour watch committee (HWC) moved to Mondays."


def names(home: Home) -> tuple[str, str]:
    return home.system.canonical(SPACE, "HWC"), home.system.canonical(SPACE, FULL)


def taught() -> Home:
    home = Home()
    home.say("1", "The HWC asked me to take minutes.", "2031-01-01T10:00:00Z")
    assert names(home) == ("hwc", FULL)
    home.say("2", TAUGHT, "2031-02-01T10:00:00Z")
    return home


def test_a_learned_name_is_one_with_the_other_also_in_what_was_said_before() -> None:
    home = taught()
    assert names(home) == (FULL, FULL)
    [entry] = [e for e in home.system.participants(SPACE).entries if e.name == FULL]
    [alias] = entry.aliases
    assert (alias.name, alias.analyst, alias.evidence, alias.at) == ("HWC", "names/1", "said in message 2", None)
    assert home.system.verify(SPACE).equal


def test_it_is_told_once_however_often_it_is_said() -> None:
    home = taught()
    home.say("3", TAUGHT, "2031-02-01T10:05:00Z")
    home.say("4", TAUGHT, "2031-03-01T10:05:00Z")
    assert len(list(home.log.read_space("adjudications", SPACE))) == 1


def test_an_analyst_undoes_it_for_good() -> None:
    home = taught()
    home.system.adjudicate(SPACE, SplitIn(analyst="mo", alias="HWC"))
    home.say("3", TAUGHT, "2031-03-01T10:00:00Z")
    assert names(home) == ("hwc", FULL)
    home.system.adjudicate(SPACE, MergeIn(analyst="mo", alias="HWC", canonical="hill walkers club", evidence=""))
    home.say("4", TAUGHT, "2031-04-01T10:00:00Z")
    assert names(home)[0] == "hill walkers club"


def test_it_goes_with_the_message_that_taught_it_and_stays_with_another() -> None:
    home = taught()
    home.say("3", TAUGHT, "2031-03-01T10:00:00Z")
    home.edit("2", "The committee moved to Mondays.")
    assert names(home) == (FULL, FULL)
    home.edit("3", "It is still on Mondays.")
    assert names(home) == ("hwc", FULL)
    home.say("4", TAUGHT, "2031-04-01T10:00:00Z")
    assert names(home) == (FULL, FULL)
    assert home.system.verify(SPACE).equal


def test_a_name_that_two_talks_explain_differently_is_nobodys() -> None:
    home = taught()
    home.say("3", "The hill walkers club (HWC) has a new hut.", "2031-03-01T10:00:00Z")
    assert names(home) == ("hwc", FULL)
    home.edit("3", "The club has a new hut.")
    assert names(home) == (FULL, FULL)


def test_an_erased_message_leaves_no_name_behind() -> None:
    home = Home()
    home.say("1", "The quillmark tower committee (QTC) moved to Mondays.", "2031-01-01T10:00:00Z")
    home.say("2", "I live in Oslo.", "2031-02-01T10:00:00Z")
    home.system.erase(SPACE, ErasureIn(scope="message", conversation_id="harbour", message_id="1"))
    left = [entry.value for entry in home.log.read_space("adjudications", SPACE)]
    assert left
    assert not any(word in value.lower() for value in left for word in (b"quillmark", b"qtc"))
    rows = (part for pair in home.log.scan("stages", b"", b"\xff" * 9) for part in pair)
    assert not any(word in row.lower() for row in rows for word in (b"quillmark", b"qtc"))
    assert home.system.canonical(SPACE, "QTC") == "qtc"
    assert home.system.verify(SPACE).equal
