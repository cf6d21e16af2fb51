"""Cases whose model is damaged on purpose: each with a scripted endpoint and a system of its own, and their checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager

import msgspec

from ops.llm.settings import LlmSettings
from query.api import StateEntry

from ..memory import Memory
from .case import Case, numbered
from .checks import Checks
from .delivery import deliver, space_of
from .endpoint import Endpoint
from .outcome import Outcome, rests_on
from .scripted import Fault, Script, parts

TRIES = 3
"""Calls for one question before it is parked; a fault that outlasts them leaves it parked."""


def fault_of(case: Case) -> Fault:
    """The case's fault. Raises ``msgspec.ValidationError`` when it is not of the form."""
    return msgspec.convert(case.llm_fault, Fault)


@contextmanager
def delivered(case: Case, memory: Memory, fault: Fault | None) -> Generator[Outcome]:
    """The case, delivered to a system of its own whose model is scripted."""
    with Endpoint(Script(case, fault).reply) as endpoint:
        llm = LlmSettings(model="scripted", endpoint=endpoint.url, tries=TRIES, retry_wait_max_s=0.05, timeout_s=10.0)
        with memory.another(llm) as own:
            made = deliver(case, own, numbered(case))
            yield Outcome(case, own, space_of(case, case.tenant_id), made)


def complete_objects_kept(o: Outcome, value: object) -> Iterable[str]:
    """What was complete before the cut exists exactly once, after the retry and also when every retry fails."""
    if not value:
        return
    fault = fault_of(o.case)
    wanted = parts(o.message(fault.on_message).text)[:2]
    yield from _once(o.entries, wanted, "after the retry")
    with delivered(o.case, o.memory, msgspec.structs.replace(fault, times=1_000)) as failing:
        yield from _once(failing.entries, wanted, "when every retry fails")


def _once(entries: Iterable[StateEntry], wanted: Iterable[str], when: str) -> Iterable[str]:
    counted = Counter(citation.quote for entry in entries for citation in entry.citations)
    for quote in wanted:
        if counted[quote] != 1:
            yield f"{quote!r} exists {counted[quote]} times {when}"


def failed_message_visible(o: Outcome, value: object) -> Iterable[str]:
    """At no moment is a message with statements counted as read without any."""
    if value and any(o.delivered.yielded_none):
        yield f"messages were counted as read, yielded none: {o.delivered.yielded_none}"


def other_messages_unaffected(o: Outcome, value: object) -> Iterable[str]:
    """The statements of the other messages are the same without the fault."""
    if not value:
        return
    with delivered(o.case, o.memory, None) as sound:
        if _others(o) != _others(sound):
            yield f"other messages yield {_others(o)}, and {_others(sound)} without the fault"


def _others(o: Outcome) -> list[tuple[str, str, str]]:
    at = fault_of(o.case).on_message
    return [(e.event.id, e.event.text, e.event.type) for e in o.entries if not rests_on(e, at)]


FAULTED: Checks = {
    check.__name__: check for check in (complete_objects_kept, failed_message_visible, other_messages_unaffected)
}
