"""Runs the cases: each in a space of its own, every key of ``expect`` by its check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import msgspec

from ..data import BadDataError
from ..suite import Scores, Task
from . import faulted
from .case import Case, numbered
from .checks import Checks, mapping
from .dated import DATED
from .delivery import deliver, space_of
from .faulted import FAULTED
from .held import HELD
from .kept import KEPT
from .outcome import Outcome
from .people import PEOPLE
from .related import RELATED
from .said import SAID


def run(task: Task) -> Scores:
    """Cases that need a model are skipped when none is set, and counted."""
    cases = [_case(line) for line in task.data.lines("cases/cases.jsonl")]
    with_model = task.memory.settings.llm.endpoint is not None
    failed: list[str] = []
    details: list[str] = []
    skipped = 0
    for case in cases:
        if case.needs_model and not with_model:
            skipped += 1
            continue
        task.memory.say(f"case {case.id}")
        problems = check(case, task)
        details += [f"{case.id}: {problem}" for problem in problems]
        if problems:
            failed.append(case.id)
    total = len(cases) - skipped
    return Scores(
        metrics={"passed": total - len(failed), "total": total, "skipped_need_model": skipped},
        counts={"passed": (total - len(failed), total)},
        details=details,
        failed=failed,
    )


def check(case: Case, task: Task) -> list[str]:
    """What is not as expected; empty when the case passes."""
    unknown = [key for key in case.expect if key not in CHECKS]
    if unknown:
        return [f"cannot be checked here: {key}" for key in unknown]
    if case.llm_fault is not None:
        with faulted.delivered(case, task.memory, faulted.fault_of(case)) as outcome:
            return _problems(outcome, case.expect)
    delivered = deliver(case, task.memory, numbered(case))
    return _problems(Outcome(case, task.memory, space_of(case, case.tenant_id), delivered), case.expect)


def after_retry(o: Outcome, value: object) -> Iterable[str]:
    """Keys that hold once the retry has run; it has when the outcome is looked at."""
    return _problems(o, mapping(value))


def _problems(o: Outcome, expect: Mapping[str, object]) -> list[str]:
    return [f"{key}: {problem}" for key, value in expect.items() for problem in CHECKS[key](o, value)]


CHECKS: Checks = {**SAID, **HELD, **RELATED, **DATED, **PEOPLE, **KEPT, **FAULTED, "after_retry": after_retry}


def _case(line: bytes) -> Case:
    """Read by the lenient decoder: a case may hold half a surrogate pair on purpose."""
    try:
        return msgspec.convert(json.loads(line), Case)
    except (json.JSONDecodeError, msgspec.ValidationError) as error:
        raise BadDataError(f"cases/cases.jsonl: {error}") from error
