"""Contests: the quickest wins where it is clearly quicker, the time is kept, what is used now is always measured."""

from __future__ import annotations

import time

import pytest

from tilesmith.runtime.loops.contest import Outcome, contest, seconds_of


def busy(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def judged(used: float, ranked: list[float], budget: float) -> tuple[Outcome[float], list[float]]:
    told: list[float] = []
    start = time.perf_counter()
    outcome = contest(used, ranked, lambda each: lambda: busy(each), start + budget, told.append)
    return outcome, told


def test_the_quickest_wins() -> None:
    outcome, told = judged(2e-3, [3e-3, 0.5e-3, 4e-3], 0.2)
    assert outcome.best == 0.5e-3 and outcome.used > 2 * outcome.seconds
    assert [each.contender for each in outcome.timed][0] == 0.5e-3 and len(outcome.timed) == 4
    assert sum(told) == pytest.approx(0.2, abs=0.1)


def test_what_is_used_stays_where_nothing_is_quicker() -> None:
    outcome, _ = judged(1e-3, [1e-3, 2e-3], 0.05)
    assert outcome.best == 1e-3 and outcome.seconds == outcome.used
    outcome, _ = judged(1e-3, [], 0.01)
    assert outcome.best == 1e-3 and len(outcome.timed) == 1


def test_the_time_ends_it() -> None:
    """One contender is tried in any case, and all that were tried run in the end."""
    start = time.perf_counter()
    outcome, _ = judged(5e-3, [5e-3] * 1000, 0.1)
    assert time.perf_counter() - start < 2
    assert 2 <= len(outcome.timed) < 30
    outcome, _ = judged(5e-3, [1e-3, 1e-3], 1e-6)
    assert len(outcome.timed) == 2 and outcome.best == 1e-3


@pytest.mark.parametrize("text, seconds", [("10s", 10), ("500ms", 0.5), (" 1.5 min ", 90), (3, 3), (0.25, 0.25)])
def test_budgets(text: str | float, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("wrong", ["ten", "10", "-1s", "10 h", None, True, 0, float("inf"), -2])
def test_budgets_that_say_nothing(wrong: object) -> None:
    with pytest.raises(ValueError, match="budget: "):
        seconds_of(wrong)  # type: ignore[arg-type]
