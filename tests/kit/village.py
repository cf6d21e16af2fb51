"""One hand-built space: a job change, a moved appointment, a correction, a contradiction, two look-alike facts."""

from __future__ import annotations

from tests.kit.space import MemorySpace, anchor, edge, event, message, row, us

MESSAGES = {
    m.message_id: m
    for m in (
        message("m1", "Tilda", "2024-01-10", "I work as a baker at the Corner Mill."),
        message("m2", "Tilda", "2024-05-02", "First day at the harbour office, I work there as a clerk now."),
        message("m3", "Bram", "2024-03-01", "My dentist appointment is on 14 March."),
        message("m4", "Bram", "2024-03-05", "The dentist moved my appointment to 21 March."),
        message("m5", "Tilda", "2024-02-01", "My sister Oda lives in Lund."),
        message("m6", "Tilda", "2024-02-03", "Sorry, I mixed that up: Oda lives in Malmo, she never lived in Lund."),
        message("m7", "Bram", "2024-04-01", "The village choir rehearses on Mondays."),
        message("m8", "Tilda", "2024-04-02", "The village choir rehearses on Fridays."),
        message("m9", "Bram", "2024-02-10", "I have a grey cat called Pim."),
        message("m10", "Bram", "2024-04-20", "I have a black cat called Juno."),
        message("m11", "Bram", "2024-04-10", "I plan to repaint the boat shed by the end of April."),
        message("m12", "Tilda", "2024-05-03", "The commute by ferry takes me an hour."),
        message("m13", "Tilda", "2024-04-28", "The mill closed down, so I looked for other work."),
        message("m14", "Bram", "2024-05-04", "Lovely weather, is it not?"),
    )
}
M = MESSAGES


def village() -> MemorySpace:
    """Built afresh for each test."""
    rows = [
        row(
            event("job-old", M["m1"], attribute="employer", value="Corner Mill"),
            "s1",
            valid_until=us("2024-05-02"),
            by=[("job-new", "r1", "change")],
        ),
        row(event("job-new", M["m2"], attribute="employer", value="harbour office"), "s5"),
        row(
            event(
                "dentist-14",
                M["m3"],
                type="plan",
                modality="planned",
                attribute="appointment",
                anchor=anchor(us("2024-03-14"), phrase="14 March"),
                expected_until=us("2024-03-15"),
            ),
            "s3",
            valid_until=us("2024-03-05"),
            by=[("dentist-21", "r2", "change")],
        ),
        row(
            event(
                "dentist-21",
                M["m4"],
                type="plan",
                modality="planned",
                attribute="appointment",
                anchor=anchor(us("2024-03-21"), phrase="21 March"),
                expected_until=us("2024-03-22"),
            ),
            "s3",
        ),
        row(
            event("oda-lund", M["m5"], subject="Oda", participants=("Oda",), attribute="home", value="Lund"),
            "s2",
            valid_until=us("2024-02-01"),
            by=[("oda-malmo", "r3", "correction")],
            corrected=True,
        ),
        row(
            event(
                "oda-malmo",
                M["m6"],
                "Oda lives in Malmo",
                subject="Oda",
                participants=("Oda",),
                attribute="home",
                value="Malmo",
            ),
            "s2",
            valid_from=us("2024-02-01"),
        ),
        row(event("choir-mon", M["m7"], subject=None, participants=()), "s4", contradicts=("choir-fri",)),
        row(event("choir-fri", M["m8"], subject=None, participants=()), "s4", contradicts=("choir-mon",)),
        row(event("cat-pim", M["m9"], attribute="pet", value="Pim"), "s2"),
        row(event("cat-juno", M["m10"], attribute="pet", value="Juno"), "s4"),
        row(
            event(
                "shed",
                M["m11"],
                type="plan",
                modality="planned",
                anchor=anchor(us("2024-04-30"), phrase="the end of April"),
                expected_until=us("2024-05-01"),
            ),
            "s4",
        ),
        row(event("commute", M["m12"]), "s6"),
        row(
            event("search", M["m13"], "I looked for other work", type="action"),
            "s5",
            demoted_from=us("2024-05-02"),
            demoters=("r5",),
        ),
    ]
    edges = [
        edge("r1", "job-new", "updates", "job-old", "change"),
        edge("r2", "dentist-21", "updates", "dentist-14", "change"),
        edge("r3", "oda-malmo", "updates", "oda-lund", "correction"),
        edge("r4", "choir-fri", "contradicts", "choir-mon"),
        edge("r5", "job-old", "enables", "search"),
        edge("r6", "search", "causes", "job-new"),
        edge("r7", "job-new", "enables", "commute"),
        edge("r8", "cat-juno", "updates", "cat-pim", "change", effective=False),
    ]
    themes = {"s1": "work", "s5": "work", "s6": "work", "s2": "home", "s3": "health", "s4": "leisure"}
    return MemorySpace(list(MESSAGES.values()), rows, edges, themes, aliases={"Til": "Tilda"})
