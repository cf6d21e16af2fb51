"""Verbs: irregular forms and common regular bases. Used to find where a clause has its verb, not to understand it."""

from __future__ import annotations

_IRREGULAR = """
be was/were been|become became become|begin began begun|bend bent bent|bet bet bet|bite bit bitten|bleed bled bled
blow blew blown|break broke broken|bring brought brought|build built built|burn burnt burnt|buy bought bought
catch caught caught|choose chose chosen|come came come|cost cost cost|cut cut cut|deal dealt dealt|dig dug dug
do did done|draw drew drawn|dream dreamt dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feed fed fed|feel felt felt|fight fought fought|find found found|fit fit fit|fly flew flown|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|outgrow outgrew outgrown
hang hung hung|have had had|hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt
keep kept kept|know knew known|lay laid laid|lead led led|learn learnt learnt|leave left left|lend lent lent
let let let|lie lay lain|light lit lit|lose lost lost|make made made|mean meant meant|meet met met|pay paid paid
put put put|quit quit quit|read read read|ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said
see saw seen|sell sold sold|send sent sent|set set set|sew sewed sewn|shake shook shaken|shine shone shone
shoot shot shot|show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|sink sank sunk|sit sat sat
sleep slept slept|speak spoke spoken|spend spent spent|spill spilt spilt|split split split|spread spread spread
stand stood stood|steal stole stolen|stick stuck stuck|sting stung stung|strike struck struck|swear swore sworn
sweep swept swept|swim swam swum|take took taken|teach taught taught|tear tore torn|tell told told
think thought thought|throw threw thrown|understand understood understood|wake woke woken|wear wore worn|win won won
wind wound wound|withdraw withdrew withdrawn|write wrote written|mistake mistook mistaken|overtake overtook overtaken
"""

_REGULAR = """
accept achieve add adopt agree allow announce answer appear apply approve argue arrange arrive ask assign attend avoid
bake ban bash batch beat behave belong block board book borrow brew bump call camp cancel care carry celebrate change
charge chase check clean clear climb close coach collect commute complain complete confirm contain continue convert cook
cope copy cover crash create cross cry cycle dance date decide decline delay delete deliver demote deploy design despise
detest develop die disappear discover discuss dislike divorce double download downgrade drop dump earn edit elect email
end enjoy enrol enroll enter escape exercise expect expire explain explore fail fast fill finish fire fix flip fold
follow form found garden graduate guess hand handle happen hate head heal help hike hire host hope hurry identify
improve include increase inherit insist install invest invite iron join jump knit land laugh launch lift like limp
link list listen live load lock log look love lower manage mark marry matter mention merge migrate miss move name need
nominate note notice obtain offer open order organise organize outgrow owe own pack paint park pass pause perform phone
pick plan plant play post postpone practise practice prefer prepare present print produce promise promote propose
publish pull push qualify race rain raise ramp reach realise realize rebook receive recommend record recover reduce
refuse register rehearse relax release remain remember remind remove renew rent reopen repaint repair replace reply
report request require rescue reschedule resign resolve rest restart restore resume retire return review roll ruin save
scrap seem sell separate serve settle share shift shop shorten sign skip slip smoke snow sound stage start stay stop
store struggle study submit subscribe succeed suffer suggest support suppose surprise survive suspend swap switch talk
taste test thank tidy tow tour track trade train transfer transition translate travel treat trip try turn tutor type
unpack update upgrade upload use vacate vary visit volunteer vote wait walk want warn wash watch water weigh welcome
wish work worry yell drive run keep hold meet administer adore postpone relocate commence treasure motivate cherish
research explore pair recover renovate redecorate declutter babysit skate ski surf paddle sail row climb box knit crochet
sew paint sketch draw photograph film record mix sing dance act direct audition rehearse tune chat text message phone
reply forward archive rename install configure debug refactor rewrite rebuild redesign onboard interview shadow delegate
present pitch brief invoice bill refund reimburse budget borrow mortgage rent lease sublet furnish insure bury bless pray
meditate breathe heal vaccinate diagnose prescribe operate inject bandage limp sneeze cough vomit shave shower bathe
flog ditch chuck dump settle vape
"""

IRREGULAR_PAST: dict[str, str] = {}
IRREGULAR_PARTICIPLE: dict[str, str] = {}
for _entry in _IRREGULAR.replace("\n", "|").split("|"):
    if _entry.strip():
        _base, _past, _participle = _entry.split()
        for _form in _past.split("/"):
            IRREGULAR_PAST[_form] = _base
        IRREGULAR_PARTICIPLE[_participle] = _base
IRREGULAR_PARTICIPLE["got"] = "get"
IRREGULAR_PAST["spelt"] = "spell"

BASES = frozenset(_REGULAR.split()) | frozenset(IRREGULAR_PAST.values())
"""Base forms."""

_PAST_ALONE = """
granted=grant shipped=ship rejected=reject denied=deny revoked=revoke authorised=authorise authorized=authorize
terminated=terminate voided=void reinstated=reinstate reactivated=reactivate discontinued=discontinue
abolished=abolish halted=halt shelved=shelve rescinded=rescind withdrawn=withdraw lifted=lift funded=fund
appointed=appoint permitted=permit limited=limit capped=cap deactivated=deactivate disabled=disable abandoned=abandon
extended=extend shortened=shorten chaired=chair headed=head headquartered=headquarter located=locate
"""
"""Past forms of verbs whose other forms are more often nouns, or told by nobody."""

for _entry in _PAST_ALONE.split():
    _form, _base = _entry.split("=")
    IRREGULAR_PARTICIPLE.setdefault(_form, _base)
    IRREGULAR_PAST.setdefault(_form, _base)

SAME_PAST = frozenset(form for form, base in IRREGULAR_PAST.items() if form == base)
"""Bases that look like their past ("put", "cut"): at the start of a sentence they are orders."""

SAME_PRESENT = frozenset({"read", "cost", "let", "hurt", "fit", "bet", "set"})
"""Of those, the ones that after "I", "we", "you" and "they" are more often present."""

NOUNS_IN_S = frozenset(
    "news always yes this his its us is was has does as plus less unless perhaps maths physics glasses trousers "
    "pants shorts species series mornings evenings afternoons nights weekends sometimes besides towards afterwards".split()
)
"""Words in -s that are no third person."""

STATIVE = frozenset(
    "be have live work own know belong cost weigh contain like love hate prefer need want study teach coach run "
    "lead play sing drive keep speak rent use smoke drink eat wear stay own commute volunteer earn pay owe".split()
)
"""Verbs whose simple present tells of a lasting state or a habit."""

ARRANGED = frozenset(
    "leave move come go fly travel drive visit host meet get pick take bring start begin see marry have join return quit "
    "stay spend throw buy sell pack head run do teach give work celebrate attend host change switch catch".split()
)
"""Verbs whose present progressive, with a time ahead, tells of an arrangement."""

DEPARTING = frozenset("leave move quit host visit fly bring marry".split())
"""Of those, the ones that tell of an arrangement without any time phrase too ("we're leaving the city")."""
