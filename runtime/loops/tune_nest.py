"""Speed up a nest with another loop string that computes the same bits, found by the model and by measuring.

A loop is *free* if its iterations touch different elements of everything that is written. Free loops may be in any
position, be blocked and be divided among workers. Two iterations that touch the same elements have the same values of
all free loops, so they differ in the other loops, such as the reduction. If there is one such loop, its values ascend
in every string. If there are several, the candidate strings keep their order and their blockings.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from ...encoder.records import NamedTuple
from ..threads.policy import checked
from .contest import Outcome, bar, contest, times
from .grammar import innermost
from .kernel_times import kernel_times
from .machine_facts import entries, facts, keep, key
from .model import predict
from .nest import Nest, nest
from .races import is_free
from .strings import Candidate, Rule, strings
from .tuner import FILE, Trial, blocked, operands_of, question

_MODEL = 0.4
"""The share of the available time in which the model ranks strings."""
_MOST = 2000
_FREE, _BOUND = 2, 1
"""`_MOST`: the most strings. `_FREE`, `_BOUND`: how often free loops, and the single loop that is not free, may be
blocked."""
_SHOWN = 12


class TunedNest(NamedTuple):
    """The result of tuning a nest.

    nest         the fastest nest
    used         the least seconds of a call of the given nest
    seconds      the least seconds of a call of the fastest one
    gain         how many times as fast the fastest one is; 1 if no other one was faster than the given one
    trials       the strings that were measured, fastest first
    considered   the number of strings that the model ranked
    remembered   whether an earlier run had found it, so that nothing was measured
    """

    nest: Nest
    used: float
    seconds: float
    gain: float
    trials: tuple[Trial, ...]
    considered: int
    remembered: bool = False

    def __str__(self) -> str:
        """Return the gain and a table of the measurements."""
        lines = [f"nest {self.nest.spec.string}: {times(self.used, 'as given', self.seconds, self.gain)}"]
        if self.remembered:
            return f"{lines[0]}\nremembered from an earlier run; tune(..., again=True) measures anew"
        lines[0] += f"; {len(self.trials)} of {self.considered} strings were measured"
        lines.append(f"{'predicted':>10} {'measured':>10}  string")
        lines += [f"{each.predicted * 1e3:10.3f} {(each.measured or 0) * 1e3:10.3f}  {each.candidate}"
                  for each in self.trials[:_SHOWN]]  # fmt: skip
        return "\n".join(lines)


def tune_nest(given: Nest, until: float, workers: int, again: bool) -> TunedNest:
    """Return the fastest nest with the given one's results that is found before `until`, a time of
    time.perf_counter."""
    own, found = _own(given), others(given)
    ranges: dict[str, Any] = {letter: (each.start, each.stop, each.step) for letter, each in given.loops.items()}

    def made(candidate: Candidate) -> Nest:
        if candidate == own:
            return given
        return nest(candidate.string, blocked(ranges, candidate), given.body, init=given.init, term=given.term,
                    threads=given.threads, **_operands(given))  # fmt: skip

    asked = question([own, *found], ranges, given, workers)
    known = None if again else _remembered(asked, [own, *found])
    if known is not None:
        trial, used, gain = known
        return TunedNest(made(trial.candidate), used, trial.measured or 0.0, gain, (trial,), 0, True)
    ranked = _ranked([own, *found], made, workers, until)
    now = next(each for each in ranked if each.candidate == own)
    outcome = _measured(now, [each for each in ranked if each is not now], made, workers, until)
    entry = {"string": str(outcome.best.candidate), "predicted": outcome.best.predicted, "measured": outcome.seconds,
             "used": outcome.used, "gain": outcome.gain}  # fmt: skip
    keep(key(), {**(entries(FILE).get(key()) or {}), asked: entry}, FILE)
    trials = tuple(each.contender._replace(measured=each.seconds or each.tried) for each in outcome.timed)
    return TunedNest(made(outcome.best.candidate), outcome.used, outcome.seconds, outcome.gain, trials, len(ranked))


def others(given: Nest) -> list[Candidate]:
    """Return the strings that compute the same bits, with their blockings: all of them, or an even sample."""
    names = {letter: innermost(given.spec, letter).terms[0][0] for letter in given.loops}
    free = [letter for letter in given.loops if is_free(letter, given.accesses, given.loops, names)]
    bound = [letter for letter in given.loops if letter not in free]
    rules = {letter: Rule(0, _FREE, True) if letter in free else Rule(0, _BOUND if len(bound) == 1 else 0)
             for letter in given.loops}  # fmt: skip
    trips = {letter: -(-(each.stop - each.start) // each.step) for letter, each in given.loops.items()}
    order = _only(given.spec.string, bound)
    if len(bound) > 1 and len(order) > len(bound):
        return []  # their blockings have an order of their own
    found = strings(rules, trips, most=_MOST)
    random.Random(0).shuffle(found)  # the model may not have time for all of them
    return [each for each in found if len(bound) < 2 or _only(each.string, bound) == order]


def _only(string: str, letters: list[str]) -> str:
    text = string.partition("@")[0]
    return "".join(each for each in text.lower() if each in letters)


def _own(given: Nest) -> Candidate:
    """Return the string of the nest itself."""
    counts = {letter: sum(level.letter == letter for level in given.spec.levels) for letter in given.loops}
    steps = ((letter, tuple(size // each.step for size in each.blocks[: counts[letter] - 1]))
             for letter, each in given.loops.items())  # fmt: skip
    return Candidate(given.spec.string, tuple(steps))


def _operands(given: Nest) -> dict[str, Any]:
    return {each.name: each.asked for each in given.operands}


def _remembered(asked: str, found: list[Candidate]) -> tuple[Trial, float, float] | None:
    """Return the trial that an earlier run has found, the seconds of the given nest, and the gain; None if there is
    none."""
    kept = (entries(FILE).get(key()) or {}).get(asked)
    if not isinstance(kept, dict) or set(kept) != {"string", "predicted", "measured", "used", "gain"}:
        return None
    known = [each for each in found if str(each) == kept["string"]]
    if not known:
        return None
    trial = Trial(known[0], float(kept["predicted"]), float(kept["measured"]))
    return trial, float(kept["used"]), float(kept["gain"])


def _ranked(found: list[Candidate], made: Callable[[Candidate], Nest], workers: int, until: float) -> list[Trial]:
    """Return the model's ranking of as many strings as there is time for, best first. The first string is always
    included."""
    times: Mapping[str, Any] = kernel_times(made(found[0]), facts())
    end = time.perf_counter() + _MODEL * (until - time.perf_counter())
    trials: list[Trial] = []
    with bar("model", len(found)) as advance:
        for each in found:
            if trials and time.perf_counter() > end:
                break
            trials.append(Trial(each, predict(made(each), workers, facts(), times).seconds))
            advance(1)
    return sorted(trials, key=lambda each: each.predicted)


def _measured(used: Trial, ranked: list[Trial], made: Callable[[Candidate], Nest], workers: int, until: float
              ) -> Outcome[Trial]:  # fmt: skip
    first = made(used.candidate)
    arrays = operands_of(first, _operands(first))
    workers = checked(workers, "threads")

    def call(trial: Trial) -> Callable[[], object]:
        each = made(trial.candidate)
        return lambda: each(*arrays, threads=workers)

    with bar("tune", max(0.0, until - time.perf_counter())) as advance:
        return contest(used, ranked, call, until, advance)
