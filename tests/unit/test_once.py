"""A part is opened once, also by two who come first at the same time."""

from __future__ import annotations

import contextlib
import threading

from ops.once import opened_once


class Machine:
    """Counts how often its part is opened; every opening waits for the other user, or gives up on him."""

    def __init__(self) -> None:
        self.opened = 0
        self.both = threading.Barrier(2, timeout=0.2)

    @opened_once
    def part(self) -> object:
        self.opened += 1
        with contextlib.suppress(threading.BrokenBarrierError):
            self.both.wait()
        return object()


def test_two_first_users_get_the_same_part() -> None:
    machine = Machine()
    got: list[object] = []
    users = [threading.Thread(target=lambda: got.append(machine.part)) for _ in range(2)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert machine.opened == 1
    assert got[0] is got[1] is machine.part


def test_instances_are_apart() -> None:
    assert Machine().part is not Machine().part
