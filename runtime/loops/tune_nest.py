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

from ...encoder.records import dataclass
from ..system.progress import progress
from ..threads.policy import checked
from .contest import ContestResult, contest
from .grammar import innermost
from .kernel_times import KernelTime, kernel_times
from .machine_facts import MachineFacts, facts
from .machine_model import MachineModel
from .model import predict
from .nest import Nest, nest
from .races import is_free
from .strings import Candidate, Rule, strings
from .tuner import StringTrial, Tuned, TuningSearch, blocked, operands_of, question, searched

_MODEL = 0.4
"""The share of the available time in which the model ranks strings."""
_MOST = 2000
_FREE, _BOUND = 2, 1
"""`_MOST`: the most strings. `_FREE`, `_BOUND`: how often free loops, and the single loop that is not free, may be
blocked."""


@dataclass(frozen=True, kw_only=True)
class TunedNest(TuningSearch[StringTrial]):
    """The result of tuning a nest: `nest` is the fastest one."""

    nest: Nest

    __repr__ = TuningSearch.__repr__

    def _title(self) -> tuple[str, str, str]:
        return f"nest {self.nest.spec.string}", "strings", f"{'predicted':>10} {'measured':>10}  string"

    def _row(self, trial: StringTrial) -> str:
        return f"{trial.predicted * 1e3:10.3f} {(trial.measured or 0) * 1e3:10.3f}  {trial.candidate}"


def tune_nest(given: Nest, budget: float, until: float, workers: int, again: bool) -> TunedNest:
    """Return the fastest nest with the given one's results that is found before `until`, a time of
    time.perf_counter, beginning where earlier runs have stopped."""
    own, found = _own(given), [each for each in equivalent_strings(given) if each != _own(given)]
    made = _maker(given)

    def ranked(first: StringTrial, fresh: list[StringTrial]) -> tuple[StringTrial, list[StringTrial]]:
        machine = facts(until)
        times = kernel_times(given, machine, until)
        now = time.perf_counter()
        end = now + _MODEL * (until - now)
        every = _ranked([each.candidate for each in (first, *fresh)], made, workers, end, machine, times)
        current = next(each for each in every if each.candidate == first.candidate)
        return current, [each for each in every if each is not current]

    search = searched(
        question([own, *found], _ranges(given), given, workers),
        StringTrial(own, 0.0),
        [StringTrial(each, 0.0) for each in found],
        lambda trial: str(trial.candidate),
        budget,
        again,
        ranked,
        lambda used, rest: _measured(used, rest, made, workers, until),
    )
    return TunedNest(**vars(search), nest=made(search.best.candidate))


def rank_nest(given: Nest, machine: MachineModel, until: float, workers: int) -> Tuned:
    """Return the nest with the given one's results that is predicted to be the fastest on a machine that is described,
    of those for which there is time."""
    found = list(dict.fromkeys((_own(given), *equivalent_strings(given))))
    made = _maker(given)
    trials = _ranked(found, made, workers, until, machine.facts, machine.kernel_times(given))
    return Tuned(made(trials[0].candidate), tuple(trials), machine=machine.name)


def _ranges(given: Nest) -> dict[str, tuple[int, int, int]]:
    return {letter: (each.start, each.stop, each.step) for letter, each in given.loops.items()}


def _maker(given: Nest) -> Callable[[Candidate], Nest]:
    """Return a function that makes the nest with another string."""
    own, ranges = _own(given), _ranges(given)

    def made(candidate: Candidate) -> Nest:
        if candidate == own:
            return given
        return nest(
            candidate.string,
            blocked(ranges, candidate),
            given.body,
            init=given.init,
            term=given.term,
            threads=given.threads,
            **_operands(given),
        )

    return made


def equivalent_strings(given: Nest) -> list[Candidate]:
    """Return the strings that compute the same bits, with their blockings: all of them, or an even sample."""
    names = {letter: innermost(given.spec, letter).terms[0][0] for letter in given.loops}
    free = [letter for letter in given.loops if is_free(letter, given.accesses, given.loops, names)]
    bound = [letter for letter in given.loops if letter not in free]
    rules = {
        letter: Rule(0, _FREE, True) if letter in free else Rule(0, _BOUND if len(bound) == 1 else 0)
        for letter in given.loops
    }
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
    steps = (
        (letter, tuple(size // each.step for size in each.blocks[: counts[letter] - 1]))
        for letter, each in given.loops.items()
    )
    return Candidate(given.spec.string, tuple(steps))


def _operands(given: Nest) -> dict[str, Any]:
    return {each.name: each.asked for each in given.parameters}


def _ranked(
    found: list[Candidate],
    made: Callable[[Candidate], Nest],
    workers: int,
    end: float,
    machine: MachineFacts,
    times: Mapping[str, KernelTime],
) -> list[StringTrial]:
    """Return the model's ranking of as many strings as there is time for, best first. The first two are always
    included."""
    trials: list[StringTrial] = []
    with progress("model", len(found)) as advance:
        for each in found:
            if len(trials) > 1 and time.perf_counter() > end:
                break
            trials.append(StringTrial(each, predict(made(each), workers, machine, times).seconds))
            advance(1)
    return sorted(trials, key=lambda each: each.predicted)


def _measured(
    used: StringTrial, ranked: list[StringTrial], made: Callable[[Candidate], Nest], workers: int, until: float
) -> ContestResult[StringTrial]:
    first = made(used.candidate)
    arrays = operands_of(first, _operands(first))
    workers = checked(workers, "threads")

    def call(trial: StringTrial) -> Callable[[], object]:
        each = made(trial.candidate)
        return lambda: each(*arrays, threads=workers)

    with progress("tune", max(0.0, until - time.perf_counter())) as advance:
        return contest(used, ranked, call, until, advance)
