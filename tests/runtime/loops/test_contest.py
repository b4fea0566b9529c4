"""Contests: a contender wins if it is clearly faster, time budgets hold, and the used candidate is always measured.

The clock is simulated: calls advance it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilesmith.runtime.loops import contest as module
from tilesmith.runtime.loops.contest import ContestResult, contest, seconds_of


class Clock:
    """The functions of `time` that a contest calls."""

    def __init__(self) -> None:
        self.now = 1000.0

    def perf_counter(self) -> float:
        return self.now

    def perf_counter_ns(self) -> int:
        return round(self.now * 1e9)

    def busy(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def judged(clock: Clock, used: float, ranked: list[float], budget: float) -> tuple[ContestResult[float], list[float]]:
    told: list[float] = []
    return contest(used, ranked, lambda each: lambda: clock.busy(each), clock.now + budget, told.append), told


def test_the_quickest_wins(clock: Clock) -> None:
    outcome, told = judged(clock, 2e-3, [3e-3, 0.5e-3, 4e-3], 0.2)
    assert outcome.best == 0.5e-3 and outcome.gain == pytest.approx(4)
    assert (outcome.used, outcome.seconds) == (pytest.approx(2e-3), pytest.approx(0.5e-3))
    assert [each.contender for each in outcome.timed] == [0.5e-3, 2e-3, 3e-3, 4e-3]
    assert sum(told) == pytest.approx(0.2, abs=0.03)


def test_the_used_candidate_stays_if_none_is_faster(clock: Clock) -> None:
    for ranked in ([1e-3, 2e-3], [0.995e-3], []):
        outcome, _ = judged(clock, 1e-3, ranked, 0.05)
        assert outcome.best == 1e-3 and outcome.seconds == outcome.used and outcome.gain == 1
        assert len(outcome.timed) == 1 + len(ranked)


def test_the_time_ends_it(clock: Clock) -> None:
    """Beyond the budget one contender is still measured; with slow contenders, few fit into it."""
    start = clock.now
    outcome, _ = judged(clock, 5e-3, [5e-3] * 1000, 0.5)
    assert 0.5 <= clock.now - start < 0.6 and 2 < len(outcome.timed) < 40
    start = clock.now
    outcome, _ = judged(clock, 5.0, [1.0, 1.0, 1.0], 1e-6)
    assert len(outcome.timed) == 2 and outcome.best == 1.0 and clock.now - start < 60


@pytest.mark.parametrize("lucky", [0.2, 0.45])
def test_a_lucky_round_is_no_gain(clock: Clock, lucky: float) -> None:
    """A contender that is faster now and then, and slower otherwise, does not win."""
    turns = iter(range(10**6))

    def call(each: str) -> Callable[[], object]:
        if each == "lucky":
            return lambda: clock.busy(0.2e-3 if next(turns) * lucky % 1 < lucky else 4e-3)
        return lambda: clock.busy(2e-3)

    outcome = contest("used", ["lucky"], call, clock.now + 0.3)
    assert outcome.best == "used" and outcome.gain == 1


def test_disturbances_are_no_gain(clock: Clock) -> None:
    """Disturbances of one of two equal contenders, in some samples or in all but a few, do not make the other win."""
    for every in (2, 3, 10):
        calls = iter(range(10**6))

        def call(each: str, calls: object = calls, every: int = every) -> Callable[[], object]:
            return lambda: clock.busy(2e-3 + (8e-3 if each == "used" and next(calls) % every else 0.0))  # type: ignore[call-overload]

        outcome = contest("used", ["other"], call, clock.now + 0.5)
        assert outcome.best == "used"


@pytest.mark.parametrize("text, seconds", [("10s", 10), ("500ms", 0.5), (" 1.5 min ", 90), (3, 3), (0.25, 0.25)])
def test_budgets(text: str | float, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("wrong", ["ten", "10", "-1s", "10 d", None, True, 0, float("inf"), -2])
def test_invalid_budgets(wrong: object) -> None:
    with pytest.raises(ValueError, match="budget: "):
        seconds_of(wrong)  # type: ignore[arg-type]
