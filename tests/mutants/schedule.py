"""Run mutants in parallel, and make sure that a test that notices a mutant passes without it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.mutants import child
from tests.mutants.areas import Mutant, mapped_tests

PATIENCE = 8  # the wall-clock limit relative to the processor time limit: a test that waits forever uses no processor
LONGER, MARGIN = 4, 3  # a test is slow because of the mutant if it takes 4 times as long and 3 s longer than without it
TICK = 0.05


class Result(NamedTuple):
    """The result of a mutant."""

    verdict: str  # killed, timeout, survived, equivalent
    test: str = ""
    seconds: float = 0.0  # of processor time
    reason: str = ""

    def text(self) -> str:
        if self.verdict == "equivalent":
            return f"equivalent: {self.reason}"
        if self.verdict == "survived":
            return f"SURVIVED {self.seconds:.0f} s of tests{f', the last one {self.test}' if self.test else ''}"
        how = "killed by" if self.verdict == "killed" else "timeout in"
        return f"{how} {self.test or 'import tilesmith'} ({self.seconds:.0f} s)"


class Outcome(NamedTuple):
    """The outcome of a run: how it ended, in which test, and how long that test and the whole run took."""

    kind: str  # passed, failed, died, late
    test: str
    test_seconds: float
    seconds: float


@dataclass
class Run:
    """A child process that runs all tests of a mutant, or one test without a mutant."""

    pid: int
    pipe: int
    mutant: Mutant | None
    test: str  # the test of a run without a mutant
    began: float
    limit: float
    text: bytes = b""
    events: list[dict[str, Any]] = field(default_factory=list)

    def ended(self) -> Outcome | None:
        """Return the outcome, or None while the process is running."""
        if time.monotonic() - self.began > PATIENCE * self.limit:
            self.kill()
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        self._read()
        if not pid:
            return None
        self.kill()  # end the processes that its tests have started
        os.close(self.pipe)
        return self._outcome(status, usage.ru_utime + usage.ru_stime)

    def kill(self) -> None:
        """End the process and all that it has started; it leads its own session."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.pipe, 1 << 16):
                self.text += data
        *lines, self.text = self.text.split(b"\n")
        self.events += [json.loads(line) for line in lines]

    def _outcome(self, status: int, seconds: float) -> Outcome:
        starts = [event for event in self.events if event["event"] == "start"]
        failures = [event for event in self.events if event["event"] == "failed"]
        if failures:
            return Outcome("failed", failures[0]["test"], 0.0, seconds)
        if self.events and self.events[-1]["event"] == "end":
            return Outcome("passed", "", seconds, seconds)
        test, before = (starts[-1]["test"], starts[-1]["cpu"]) if starts else ("", 0.0)
        is_late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        return Outcome("late" if is_late else "died", test, seconds - before, seconds)


class Schedule:
    """The waiting mutants, the current runs, and the outcomes of tests without a mutant."""

    def __init__(self, seconds: float, processes: int) -> None:
        self.seconds, self.processes = seconds, processes
        self.clean: dict[str, Outcome] = {}
        self.runs: list[Run] = []
        self.waiting: deque[tuple[Mutant | None, str]] = deque()
        self.suspects: dict[Mutant, Outcome] = {}

    def run(self, mutants: list[Mutant]) -> Iterator[tuple[Mutant, Result]]:
        """Yield the mutants with their results, in the order in which they end."""
        self.waiting.extend((mutant, "") for mutant in mutants)
        while self.waiting or self.runs:
            while self.waiting and len(self.runs) < self.processes:
                self._start(*self.waiting.popleft())
            for run in [*self.runs]:
                outcome = run.ended()
                if outcome is not None:
                    self.runs.remove(run)
                    self._note(run, outcome)
            yield from self._judged()
            time.sleep(TICK)

    def _start(self, mutant: Mutant | None, test: str) -> None:
        if mutant is None:
            limit = 4 * self.seconds
            pid, pipe = child.start([test], None, limit, frozenset())
        else:
            limit = self.seconds
            without = frozenset(name for name, outcome in self.clean.items() if outcome.kind != "passed")
            pid, pipe = child.start(mapped_tests(mutant.path), (mutant.path, mutant.tree()), limit, without)
        os.set_blocking(pipe, False)
        self.runs.append(Run(pid, pipe, mutant, test, time.monotonic(), limit))

    def _note(self, run: Run, outcome: Outcome) -> None:
        if run.mutant is None:
            self.clean[run.test] = outcome
            return
        self.suspects[run.mutant] = outcome
        test = outcome.test
        asked = {name for mutant, name in self.waiting if mutant is None} | {other.test for other in self.runs}
        if test and test not in self.clean and test not in asked:
            self.waiting.appendleft((None, test))

    def _judged(self) -> Iterator[tuple[Mutant, Result]]:
        for mutant, outcome in [*self.suspects.items()]:
            clean = self.clean.get(outcome.test)
            if clean is None and outcome.test:
                continue
            del self.suspects[mutant]
            if clean is not None and clean.kind != "passed":
                self.waiting.append((mutant, ""))  # again, without that test
            else:
                yield mutant, judge(outcome, clean)


def judge(outcome: Outcome, clean: Outcome | None) -> Result:
    """Return the result of a mutant; `clean` is the outcome of the same test without it, which passed."""
    if outcome.kind == "passed":
        return Result("survived", "", outcome.seconds)
    if outcome.kind != "late":
        return Result("killed", outcome.test, outcome.seconds)
    usual = clean.seconds if clean else 0.0
    is_longer = outcome.test_seconds > LONGER * usual + MARGIN
    return Result("timeout" if is_longer else "survived", outcome.test, outcome.seconds)
