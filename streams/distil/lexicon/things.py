"""Words for how things stand, where they are, what is told of them in labels and headlines."""

from __future__ import annotations

STANDING = frozenset(
    "accept activate abandon abolish allow appoint approve archive assign authorise authorize block book call cancel cap "
    "change close complete confirm cut deactivate decline defer delay delete deliver demote deny deploy disable discontinue drop "
    "end extend fix freeze fund grant halt launch lift limit lower merge move open pause pay permit postpone promote publish "
    "push raise reactivate rebook reduce reinstate reject release rename renew reopen replace reschedule rescind reserve "
    "resolve restore resume revoke schedule scrap sell shelve ship shift shut sign stop suspend terminate void withdraw".split()
)
"""Bases of verbs by which a thing is granted, stopped, moved, finished or given other bounds."""

STANDING_VERBS = {
    "granted": "accept allow appoint approve authorise authorize book confirm fund grant permit reinstate reserve schedule sign",
    "running": "activate launch open reactivate reopen restore resume release",
    "late": "defer delay postpone",
    "off": "abandon abolish block cancel close deactivate decline delete deny disable discontinue drop freeze halt lift "
    "pause reject rescind revoke scrap shelve stop suspend terminate void withdraw",
    "done": "complete deliver finish fix pay resolve",
}
"""Of these, how the thing stands then."""
STANDING_PHRASES = {
    "granted": "approved|accepted|confirmed|valid|in force|booked|signed",
    "running": "on track|on schedule|in progress|under way|underway|live|open|running|available|active|going ahead|back on|up and running|in operation",
    "waiting": "pending|under review|in review|undecided|on the waiting list|being reviewed|being processed|up in the air",
    "late": "delayed|behind schedule|running late|postponed",
    "off": "off|on hold|on ice|closed|frozen|down|out of service|out of order|unavailable|void|suspended|cancelled|canceled",
    "done": "done|finished|complete|completed|resolved|fixed",
}
"""What a thing is, and how it stands then."""
FOR_GOOD = frozenset(
    "abandon abolish cancel close discontinue drop scrap shelve stop suspend terminate withdraw".split()
)
"""After one of these a thing does nothing more."""
OPERATING = frozenset("be go hold leave meet open operate run serve start take".split())
"""What a thing does as long as there is one: "the night bus runs every hour"."""

PLACES_WITHIN = frozenset(
    "room floor building wing suite gate platform terminal stage hall office level unit entrance table desk stand block "
    "lobby basement attic canteen auditorium".split()
)
"""Kinds of places that may be within another one."""
WHOLE_PLACES = frozenset(
    "library park garden church school station hotel theatre theater square centre center gym pub cafe restaurant bar "
    "museum barn yard field harbour market townhall pool stadium shed cinema gallery warehouse campus beach".split()
)
"""Kinds of places of which a thing is at one at a time."""
CALENDAR = frozenset(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
NO_PLACES = CALENDAR | frozenset("english french german spanish italian dutch polish progress".split())
"""What a thing is "in" or "on" that is no place."""

RESIZING = frozenset(
    "cut raise lower increase reduce change set extend shorten limit cap rise go drop fall climb".split()
)
"""To give a thing another figure."""
RESIZED = frozenset(
    "cut raised lowered increased reduced changed set extended shortened limited capped rose risen gone went dropped "
    "fell fallen climbed total currently new update updated correction scrap scratch strike forget ignore".split()
)
"""Words that come with the other figure."""

USING = frozenset(
    "use go run work order buy take drink have pick choose be hire keep rent ride drive read rely host".split()
)
"""What somebody does with what something else can take the place of."""
SUBSTITUTING = frozenset("switch change move replace migrate decide choose".split())
"""In the past tense these tell what is so from then on; "had tea instead of coffee" tells one occasion."""

OCCASIONS = frozenset("order ticket delivery parcel assembly talk walk session lecture".split())
"""Beside the nouns of dated things: what there is one of after the other."""

LABELS = {
    "location": "venue location place room meeting-place whereabouts",
    "address": "address",
    "date": "date day",
    "time": "time start",
    "deadline": "deadline due",
    "lead": "owner lead leader coordinator organiser organizer responsible assignee",
    "contact": "contact",
    "manager": "manager boss supervisor",
    "status": "status state progress",
    "price": "price cost fee rate",
    "budget": "budget",
    "phone": "number phone mobile tel telephone",
    "email": "email e-mail mail",
    "capacity": "capacity",
    "version": "version",
    "priority": "priority",
    "password": "password passcode pin code",
    "supplier": "supplier vendor provider caterer",
}
"""By attribute, the last words of labels that tell it."""
LABELS_OF_PEOPLE = {"phone": "phone number", "email": "email", "address": "address"}
"""Of whoever writes the line, where it names nobody: what it is the person's."""
FRESH = frozenset("new updated changed current revised correct the our my a an".split())
"""Before the last word of a label these name no thing."""
NOTICES = frozenset("update updated note fyi reminder correction info notice news".split())
"""Openings of a line."""
