"""Run checks in child processes, so that a kernel that faults fails its test instead of ending the test runner.

@given(cases("f32"))
def test(case):
    kernel = case.kernel("avx2")
    survives(lambda: run(case, kernel))

in_one_child(test)
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable

from hypothesis import seed, settings

from tests.guard import TIMEOUT, run_forked


def survives(function: Callable[[], object]) -> None:
    """Run in a child process, so that a fault is a failure that hypothesis can shrink and pytest can report."""
    if _is_child:
        # processor time, because under qemu on a busy machine a case may wait for longer than this
        signal.setitimer(signal.ITIMER_PROF, TIMEOUT)
        function()
        return
    status = run_forked(lambda: _quietly(function))
    if status < 0:
        raise AssertionError(f"killed by {signal.Signals(-status).name}: touched memory outside its operands")
    if status:
        function()  # again in this process, for the message
        raise AssertionError("failed in a child process, and not here")


def in_one_child(test: Callable[[], object]) -> None:
    """Run all cases of a hypothesis test in one child process. If that fails, run them again with one process per case.

    A fork copies the page tables of the test runner, which takes 5 to 25 ms, longer than a case. Both runs draw the
    same cases: the second run finds, shrinks and reports the case that failed.
    """
    number = 0 if settings.default.derandomize else random.randrange(1 << 32)
    test = seed(number)(test)

    def every() -> None:
        global _is_child
        _is_child = True
        test()

    status = run_forked(lambda: _quietly(every), timeout=0)
    if status:
        test()
        raise AssertionError(
            f"failed in one child process ({status}), not in one for each case: hypothesis.seed({number})"
        )


_is_child = False


def _quietly(function: Callable[[], object]) -> None:
    """Run the function and end the process if it fails, without a traceback for every case that hypothesis tries."""
    try:
        function()
    except AssertionError:
        os._exit(1)
