"""Words for people: kin and roles, and how the many words for one relative are made one."""

from __future__ import annotations

KIN = {
    "mum": "mother", "mom": "mother", "mama": "mother", "mother": "mother", "mam": "mother", "mummy": "mother", "mommy": "mother",
    "dad": "father", "da": "father", "papa": "father", "father": "father", "daddy": "father",
    "grandma": "grandmother", "grandmother": "grandmother", "gran": "grandmother", "granny": "grandmother", "nana": "grandmother", "nan": "grandmother",
    "grandpa": "grandfather", "grandfather": "grandfather", "granddad": "grandfather", "grandad": "grandfather",
    "sister": "sister", "brother": "brother", "sis": "sister", "bro": "brother", "aunt": "aunt", "auntie": "aunt", "uncle": "uncle",
    "son": "son", "daughter": "daughter", "wife": "wife", "husband": "husband", "hubby": "husband", "partner": "partner",
    "girlfriend": "girlfriend", "boyfriend": "boyfriend", "fiancé": "fiancé", "fiancée": "fiancée", "cousin": "cousin", "niece": "niece", "nephew": "nephew",
    "mother-in-law": "mother-in-law", "father-in-law": "father-in-law", "sister-in-law": "sister-in-law", "brother-in-law": "brother-in-law",
    "stepmother": "stepmother", "stepfather": "stepfather", "grandson": "grandson", "granddaughter": "granddaughter", "ex": "ex", "twin": "twin",
}  # fmt: skip
PARTNERS = frozenset("girlfriend boyfriend partner wife husband fiancé fiancée".split())
"""Whom one has one of: canonical words."""
BARE_KIN = frozenset(
    "mum mom mama mam mummy mommy dad papa daddy grandma gran granny nana nan grandpa granddad grandad".split()
)
"""Kin words used as names: without a possessive they are the speaker's."""
ROLES = frozenset(
    "friend boss manager colleague coworker co-worker roommate flatmate housemate neighbour neighbor landlord landlady doctor dentist "
    "physio physiotherapist optician gp specialist counsellor counselor psychologist "
    "therapist teacher coach trainer tutor student kid kids child children baby parents family team teammate mentor client assistant "
    "nanny babysitter vet lawyer accountant best-friend buddy mate".split()
)
NOT_NAMES = frozenset(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october "
    "november december christmas easter english french german spanish italian chinese japanese arabic "
    "portuguese dutch danish swedish norwegian finnish polish czech greek turkish russian ukrainian hungarian romanian welsh irish "
    "scottish hebrew hindi urdu korean thai vietnamese persian farsi swahili latin mandarin cantonese american european african "
    "asian mexican brazilian canadian australian indian ok tv ai dr mr mrs ms "
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays first second third last next hundred one two three four five six "
    "sofa couch table fridge oven boiler heating dishwasher washing car bike van train bus tram flight parcel package order delivery "
    "doctor dentist vet plumber landlord boss police hospital school nursery kindergarten practice training band choir gym pool class "
    "yoga football tennis rent work council traffic internet wifi phone laptop power water lift results passport visa cast fever "
    "secret told something somebody someone nothing everything budget deadline time people flats flat house moving tickets council "
    "the a an my our your his her its their this that these those yes no not new".split()
)
"""Capitalised words that name no person."""
PLACE_PREPOSITIONS = frozenset("in at to from of on into near through via towards around for like as by".split())
"""A name after one of these is likelier a place or a thing than somebody who takes part."""
PERSON_VERBS = frozenset(
    "meet see visit marry tell ask help teach invite date love miss join host thank hire fire replace".split()
)
"""Verbs whose object, when it is a name, is a person."""

STAYING = (
    "lodger",
    "flatmate",
    "roommate",
    "housemate",
    "tenant",
    "au pair",
    "nanny",
    "neighbour",
    "neighbor",
    "guest",
)
"""Who is so as long as they live there."""
SERVING = (
    "boss",
    "manager",
    "colleague",
    "teacher",
    "doctor",
    "dentist",
    "supervisor",
    "coach",
    "trainer",
    "cleaner",
    "tutor",
)
"""Who is so as long as they work there."""
