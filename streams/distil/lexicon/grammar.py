"""Closed classes: pronouns, auxiliaries, determiners, prepositions, conjunctions, adverbs."""

from __future__ import annotations

FIRST_PERSON = frozenset({"i", "we"})
SUBJECT_PRONOUNS = frozenset(
    "i we he she they it you this that there these those who everyone everybody someone somebody nobody none nothing "
    "everything something anyone y'all".split()
)
DETERMINERS = frozenset(
    "the a an my our your his her its their this that these those no some any each every both all another".split()
)
PREPOSITIONS = frozenset(
    "in on at by for from with without of to about after before since until till during over under into onto through "
    "between against near around behind beside besides off up down out like per via as than despite except because "
    "due once when while if although though whenever unless".split()
)
CONJUNCTIONS = frozenset("and but so or because cause 'cause cuz bc whereas though although then plus yet".split())
"""Words that may join two statements; the split happens only where a statement follows."""
ADVERBS = frozenset(
    "also just still never always already really actually finally now only even often usually sometimes probably "
    "currently recently honestly basically definitely certainly simply literally totally absolutely personally both "
    "all not gladly quite rather sadly luckily hardly barely rarely seldom generally normally mostly officially "
    "sooner secretly slowly suddenly formerly previously once ever long kinda sorta nearly almost soon today tomorrow "
    "yesterday tonight fully completely properly here again then too well apparently unfortunately".split()
)
DISCOURSE = frozenset(
    "so and but well oh ok okay yeah yep yes yup nope nah hey hi ah aw aww wow anyway actually honestly look listen "
    "right btw fyi also plus then like sorry ugh omg hmm man dude guys folks y'all aye alright basically sure lol haha "
    "ngl tbh imo imho lmao fr smh idk cool great nice awesome thanks thx update news correction note reminder done absolutely totally true exactly or "
    "because cause".split()
)
"""Words that may stand before a statement without being part of it."""

PREDICATES = frozenset(
    "worse better bigger smaller older younger more less gone done over open closed full empty ready late early sick ill fine free "
    "busy broken frozen dead alive asleep awake wrong right old new engaged married single divorced pregnant retired "
    "unemployed allergic vegan vegetarian home back away abroad".split()
)
"""After a noun's "'s" these are what it is: "the tank's empty"."""
BE_PRESENT = frozenset({"am", "is", "are", "'m", "'re", "isn't", "aren't", "ain't", "isnt", "arent"})
BE_PAST = frozenset({"was", "were", "wasn't", "weren't", "wasnt", "werent"})
HAVE_PRESENT = frozenset({"have", "has", "'ve", "haven't", "hasn't", "havent", "hasnt"})
HAVE_PAST = frozenset({"had", "hadn't", "hadnt"})
DO_PRESENT = frozenset({"do", "does", "don't", "doesn't", "dont", "doesnt"})
DO_PAST = frozenset({"did", "didn't", "didnt"})
WILL = frozenset({"will", "'ll", "won't", "wont", "shall", "shan't"})
CAN = frozenset({"can", "can't", "cannot", "cant"})
MUST = frozenset({"must", "mustn't"})
UNREAL = frozenset(
    {"would", "wouldn't", "could", "couldn't", "should", "shouldn't", "might", "mightn't", "may", "wouldnt", "shouldnt"}
)
"""Modals of what is not said to be so; "couldn't" and "could" of the past are told apart by the acts."""
AUXILIARIES = (
    BE_PRESENT | BE_PAST | HAVE_PRESENT | HAVE_PAST | DO_PRESENT | DO_PAST | WILL | CAN | MUST | UNREAL | {"'d", "'s"}
)
CONTRACTED_NEGATIVE = ("n't", "dont", "doesnt", "didnt", "wont", "cant", "isnt", "arent", "wasnt", "havent", "hasnt")
TAKE_BACK_OPENINGS = frozenset(
    "scrap scratch strike forget ignore disregard sorry no wait correction nevermind never".split()
)
"""Before a comma these take something back; what follows is the statement."""
SUBORDINATORS = frozenset(
    "when which since while as after before who where unless until whenever whether if that although though".split()
)
"""Words that open a dependent clause: alone it states nothing."""
TIME_NOUNS = frozenset(
    "day days week weeks month months year years morning evening afternoon night weekend time summer winter spring autumn fall hour minute last ago "
    "next before after today monday tuesday wednesday thursday friday saturday sunday now".split()
)
"""Before a pronoun these end a time phrase, not a noun with a relative clause ("the week before I moved")."""
PARTS_OF_TIME = frozenset(
    "day night morning evening afternoon week month year summer winter spring autumn hour".split()
)
"""Alone before a name these are the first word of one."""
TIME_WORDS = frozenset(
    "that this the same following previous one two three four five six seven on in of january february march april may june july "
    "august september october november december first second third".split()
)
"""Beside nouns of time these make up a time at the start of a clause ("the same evening", "two weeks ago")."""
QUESTION_WORDS = frozenset("who what when where why how which whose whom".split())
