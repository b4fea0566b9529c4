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
from ..cache.digest import blake2b
from ..threads.policy import checked
from .contest import ContestResult, bar, contest, times, whole_gain
from .grammar import innermost
from .kernel_times import kernel_times
from .machine_facts import facts
from .model import predict
from .nest import Nest, nest
from .races import is_free
from .strings import Candidate, Rule, strings
from .tuner import StringTrial, blocked, operands_of, question, remember, remembered

_MODEL = 0.4
"""The share of the available time in which the model ranks strings."""
_MOST = 2000
_FREE, _BOUND = 2, 1
"""`_MOST`: the most strings. `_FREE`, `_BOUND`: how often free loops, and the single loop that is not free, may be
blocked."""
SHOWN = 12


class TunedNest(NamedTuple):
    """The result of tuning a nest.

    nest         the fastest nest
    used         the least seconds of a call of the given nest, or of the one that an earlier run had found
    seconds      the least seconds of a call of the fastest one
    gain         how many times as fast as the given one the fastest one is; 1 if no other one was faster
    trials       the strings that were measured now, fastest first
    considered   the number of other strings that compute the same bits
    remembered   whether earlier runs had measured as much as the budget allows, so that nothing was measured
    measured     the number of other strings that were measured, by earlier runs too
    step         how many times as fast as the one used before the fastest one is
    """

    nest: Nest
    used: float
    seconds: float
    gain: float
    trials: tuple[StringTrial, ...]
    considered: int
    remembered: bool = False
    measured: int = 0
    step: float = 1.0

    def __repr__(self) -> str:
        """Return the gain in one line."""
        return f"<{str(self).splitlines()[0]}>"

    def __str__(self) -> str:
        """Return the gain and a table of the measurements."""
        before = "as given" if self.remembered or self.step == self.gain else "as tuned before"
        found = times(self.used, before, self.seconds, self.gain if self.remembered else self.step)
        how = f"{self.measured} of {self.considered} other strings were measured"
        lines = [f"nest {self.nest.spec.string}: {found}; {how}"]
        if self.remembered:
            return f"{lines[0]}\nremembered from an earlier run; tune(..., again=True) measures anew"
        lines.append(f"{'predicted':>10} {'measured':>10}  string")
        lines += [
            f"{each.predicted * 1e3:10.3f} {(each.measured or 0) * 1e3:10.3f}  {each.candidate}"
            for each in self.trials[:SHOWN]
        ]
        return "\n".join(lines)


class _EarlierRuns(NamedTuple):
    """What earlier runs have found: the fastest string, the least seconds of the given nest, the gain, the longest
    budget, and digests of the other strings that were measured."""

    trial: StringTrial
    used: float
    gain: float
    budget: float
    measured: frozenset[str]

    def enough(self, budget: float, count: int) -> bool:
        """Whether a search with this budget among so many other strings would find nothing new."""
        return budget <= self.budget or count <= len(self.measured)


def tune_nest(given: Nest, budget: float, until: float, workers: int, again: bool) -> TunedNest:
    """Return the fastest nest with the given one's results that is found before `until`, a time of
    time.perf_counter, beginning where earlier runs have stopped."""
    own, found = _own(given), [each for each in equivalent_strings(given) if each != _own(given)]
    ranges: dict[str, Any] = {letter: (each.start, each.stop, each.step) for letter, each in given.loops.items()}

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

    asked = question([own, *found], ranges, given, workers)
    known = None if again else _remembered(asked, [own, *found])
    if known is not None and known.enough(budget, len(found)):
        trial, used, gain, _, measured = known
        return TunedNest(
            made(trial.candidate), used, trial.measured or 0.0, gain, (trial,), len(found), True, len(measured)
        )
    before = known or _EarlierRuns(StringTrial(own, 0.0), 0.0, 1.0, 0.0, frozenset())
    first = before.trial.candidate
    fresh = [each for each in found if each not in (own, first) and _digest(each) not in before.measured]
    ranked = _ranked([first, *fresh], made, workers, until)
    now = next(each for each in ranked if each.candidate == first)
    rest = [each for each in ranked if each is not now]
    if first != own:  # it runs again, and first: a short run may have found a gain that a disturbance made
        rest.insert(0, StringTrial(own, 0.0))
    outcome = _measured(now, rest, made, workers, until)
    trials = tuple(each.contender._replace(measured=each.seconds or each.tried) for each in outcome.timed)
    measured = before.measured | {_digest(each.candidate) for each in trials if each.candidate != own}
    gain_before = None if first == own else before.gain
    gain = whole_gain(outcome, lambda trial: trial.candidate == own, gain_before)
    if measured:
        entry = {
            "string": str(outcome.best.candidate),
            "predicted": outcome.best.predicted,
            "measured": outcome.seconds,
            "used": before.used or outcome.used,
            "gain": gain,
            "budget": max(budget, before.budget),
            "of": len(found),
            "tried": sorted(measured),
        }
        remember(asked, entry)
    return TunedNest(
        made(outcome.best.candidate),
        outcome.used,
        outcome.seconds,
        gain,
        trials,
        len(found),
        False,
        len(measured),
        outcome.gain,
    )


def _digest(candidate: Candidate) -> str:
    return blake2b(str(candidate).encode(), digest_size=4).hexdigest()


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


def _remembered(asked: str, found: list[Candidate]) -> _EarlierRuns | None:
    """Return what earlier runs have found; None if there is none."""
    kept = remembered(asked, ("predicted", "measured", "used", "gain", "budget", "of"), ("tried",))
    if kept is None:
        return None
    known = [each for each in found if str(each) == kept["string"]]
    if not known:
        return None
    trial = StringTrial(known[0], float(kept["predicted"]), float(kept["measured"]))
    return _EarlierRuns(
        trial, float(kept["used"]), float(kept["gain"]), float(kept["budget"]), frozenset(map(str, kept["tried"]))
    )


def _ranked(found: list[Candidate], made: Callable[[Candidate], Nest], workers: int, until: float) -> list[StringTrial]:
    """Return the model's ranking of as many strings as there is time for, best first. The first two are always
    included."""
    machine = facts(until)
    times: Mapping[str, Any] = kernel_times(made(found[0]), machine, until)
    now = time.perf_counter()
    end = now + _MODEL * (until - now)
    trials: list[StringTrial] = []
    with bar("model", len(found)) as advance:
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

    with bar("tune", max(0.0, until - time.perf_counter())) as advance:
        return contest(used, ranked, call, until, advance)
