"""`tune` of rules: the fastest of several equivalent nests, found by the model and by measuring the best of them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from ...encoder.records import NamedTuple, dataclass
from ...microkernels.notebook import summary
from ..arguments.arrays import as_array, numpy_dtype
from ..cache import records
from ..cache.digest import blake2b
from ..system.progress import progress
from ..threads.policy import checked, num_threads
from .contest import ContestResult, times, whole_gain
from .grammar import LoopStringError
from .kernel_times import KernelTime, kernel_times
from .machine_facts import MachineFacts, entries, facts, is_number, keep, key
from .machine_model import MachineModel
from .model import predict
from .nest import Body, Nest, nest
from .strings import MOST, Candidate, Rule, strings
from .trace import NestNumber

FILE = records.TUNED
_SHOWN, SHOWN = 25, 12
"""The lines of printed tables: of strings that rules allow, and of a search."""


class StringTrial(NamedTuple):
    """A string with its blockings, the predicted seconds of a call, and the least measured ones (None: not tried)."""

    candidate: Candidate
    predicted: float
    measured: float | None = None


class Tuned(NamedTuple):
    """The result of tuning rules.

    nest         the fastest nest
    trials       all strings, fastest first, then those that were not measured in the model's order
    refused      the number of strings that make no nest because of a race
    remembered   whether an earlier run had found the nest
    machine      the name of the machine that was described and not measured; "" for this one
    """

    nest: Nest
    trials: tuple[StringTrial, ...]
    refused: int = 0
    remembered: bool = False
    machine: str = ""

    def __str__(self) -> str:
        """Return a table of predicted and measured milliseconds."""
        lines = [f"for {self.machine}, whose description is all that is known of it"] if self.machine else []
        lines += [f"{'predicted':>10} {'measured':>10}  string"]
        for each in self.trials[:_SHOWN]:
            measured = "" if each.measured is None else f"{each.measured * 1e3:.3f}"
            lines.append(f"{each.predicted * 1e3:10.3f} {measured:>10}  {each.candidate}")
        more = len(self.trials) - _SHOWN
        lines += [f"and {more} more"] if more > 0 else []
        lines += [f"{self.refused} strings were refused: workers would race"] if self.refused else []
        lines += ["remembered from an earlier run; tune(..., again=True) measures anew"] if self.remembered else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the fastest nest for notebooks, with the table in a folded section."""
        return summary(self, f"{len(self.trials)} strings", repr(self.nest))


def tune(
    rules: Mapping[str, Rule] | Iterable[str],
    loops: Mapping[str, Any],
    body: Body,
    *,
    measure: int = 8,
    samples: int = 5,
    most: int = MOST,
    seed: int = 0,
    threads: int | None = None,
    again: bool = False,
    machine: MachineModel | None = None,
    **operands: Any,
) -> Tuned:
    """Return the fastest nest of all strings that rules allow, or of the given strings: see `tune` in runtime/ops."""
    workers = num_threads() if threads is None else checked(threads, "threads")
    ranges = {letter: tuple(given) for letter, given in loops.items()}
    if isinstance(rules, Mapping):
        found = strings(
            rules,
            {letter: -(-(given[1] - given[0]) // given[2]) for letter, given in ranges.items()},
            most=most,
            seed=seed,
        )
    else:
        found = [Candidate(each, ()) for each in rules]

    def made(candidate: Candidate) -> Nest:
        return nest(candidate.string, blocked(ranges, candidate), body, threads=threads, **operands)

    skips = isinstance(rules, Mapping)
    first = _first(found, made, skips)
    if machine is not None:
        workers = machine.cores if threads is None else workers
        trials, refused = _predicted(found, made, workers, skips, machine.facts, machine.kernel_times)
        return Tuned(made(trials[0].candidate), tuple(trials), refused, machine=machine.name)
    asked = question(found, ranges, first, workers)
    remembered = None if again else _remembered(asked, found, measure, samples)
    if remembered is not None:
        return Tuned(made(remembered.candidate), (remembered,), remembered=True)
    trials, refused = _predicted(found, made, workers, skips, facts(), lambda nest: kernel_times(nest, facts()))
    tried = measured(trials[:measure], made, operands_of(first, operands), workers, samples)
    if tried:
        entry = {
            "string": str(tried[0].candidate),
            "predicted": tried[0].predicted,
            "measured": tried[0].measured,
            "tried": len(tried),
            "of": len(trials),
            "samples": samples,
        }
        remember(asked, entry)
    trials = [*tried, *trials[len(tried) :]]
    return Tuned(made(trials[0].candidate), tuple(trials), refused)


def _first(found: Sequence[Candidate], made: Callable[[Candidate], Nest], skips: bool) -> Nest:
    """Return the nest of the first valid string. If none may be skipped, only the first string is tried."""
    refusal: Exception = ValueError("rules: no string")
    for candidate in found:
        try:
            return made(candidate)
        except LoopStringError as error:
            refusal = error
            if not skips:
                break
    raise refusal


def remember(asked: str, entry: dict[str, Any]) -> None:
    """Keep the string that was found, with its figures, for this and later processes."""
    kept = entries(FILE).get(key())
    keep(key(), {**(kept if isinstance(kept, dict) else {}), asked: entry}, FILE)


def remembered(asked: str, figures: Sequence[str], lists: Sequence[str] = ()) -> dict[str, Any] | None:
    """Return what an earlier run has found, or None: a string, which the caller looks up among those that it may use,
    these figures, and these lists of strings."""
    of_machine = entries(FILE).get(key())
    kept = of_machine.get(asked) if isinstance(of_machine, dict) else None
    if not isinstance(kept, dict) or set(kept) != {"string", *figures, *lists}:
        return None
    texts = all(type(kept[name]) is list and all(type(each) is str for each in kept[name]) for name in lists)
    return kept if texts and all(is_number(kept[each]) for each in figures) else None


class SearchTrial(Protocol):
    """Something that a search may try, its estimated time, and the least measured seconds if it was tried."""

    @property
    def predicted(self) -> float: ...

    @property
    def measured(self) -> float | None: ...

    def _replace(self: T, *, predicted: float = ..., measured: float | None = ...) -> T: ...


T = TypeVar("T", bound=SearchTrial)


@dataclass(frozen=True)
class TuningSearch(Generic[T]):
    """The result of a search by measuring, which runs with larger budgets continue.

    best         the fastest one
    used         the least seconds of a call of the given one, or of the one that an earlier run had found
    seconds      the least seconds of a call of the fastest one
    gain         how many times as fast as the given one the fastest one is; 1 if no other one was faster
    trials       those that were measured now, fastest first
    considered   the number of other ones
    remembered   whether earlier runs had measured as much as the budget allows, so that nothing was measured
    measured     the number of other ones that were measured, by earlier runs too
    step         how many times as fast as the one used before the fastest one is
    """

    best: T
    used: float
    seconds: float
    gain: float
    trials: tuple[T, ...]
    considered: int
    remembered: bool = False
    measured: int = 0
    step: float = 1.0

    def _title(self) -> tuple[str, str, str]:
        """Return what the result is of, what those are that were tried, and the head of the table of measurements."""
        raise NotImplementedError

    def _row(self, trial: T) -> str:
        """Return the row of a trial."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the gain in one line."""
        return f"<{str(self).splitlines()[0]}>"

    def __str__(self) -> str:
        """Return the gain and a table of the measurements."""
        before = "as given" if self.remembered or self.step == self.gain else "as tuned before"
        found = times(self.used, before, self.seconds, self.gain if self.remembered else self.step)
        title, kind, head = self._title()
        lines = [f"{title}: {found}; {self.measured} of {self.considered} other {kind} were measured"]
        if self.remembered:
            return f"{lines[0]}\nremembered from an earlier run; tune(..., again=True) measures anew"
        return "\n".join([*lines, head, *map(self._row, self.trials[:SHOWN])])

    def _repr_html_(self) -> str:
        """Return the same for notebooks, with the measurements in a folded section."""
        return summary(self, "measurements")


def searched(
    asked: str,
    own: T,
    found: Sequence[T],
    name: Callable[[T], str],
    budget: float,
    again: bool,
    ranked: Callable[[T, list[T]], tuple[T, list[T]]],
    contest: Callable[[T, list[T]], ContestResult[T]],
) -> TuningSearch[T]:
    """Return the fastest of `own`, which is in use, and of others, beginning where earlier runs have stopped.

    asked    a digest of the question that the search answers
    name     the text by which one of them is kept
    ranked   the one to begin with and others, with their estimates, the best of the others first
    contest  the result of measuring them
    """
    every = {name(each): each for each in (own, *found)}
    kept = None if again else remembered(asked, ("predicted", "measured", "used", "gain", "budget", "of"), ("tried",))
    kept = kept if kept is not None and kept["string"] in every else None
    tried = frozenset(map(str, kept["tried"])) if kept else frozenset[str]()
    first = every[kept["string"]] if kept else own
    if kept and (budget <= kept["budget"] or len(tried) >= len(found)):
        trial = first._replace(predicted=float(kept["predicted"]), measured=float(kept["measured"]))
        used, seconds, gain = (float(kept[each]) for each in ("used", "measured", "gain"))
        return TuningSearch(trial, used, seconds, gain, (trial,), len(found), True, len(tried))
    now, rest = ranked(first, [each for each in found if each is not first and _digest(name(each)) not in tried])
    if first is not own:  # it runs again, and first: a short run may have found a gain that a disturbance made
        rest.insert(0, own)
    outcome = contest(now, rest)
    trials = tuple(each.contender._replace(measured=each.seconds or each.tried) for each in outcome.timed)
    tried |= {_digest(name(each)) for each in trials if name(each) != name(own)}
    before = None if first is own else float(kept["gain"]) if kept else None
    gain = whole_gain(outcome, lambda trial: name(trial) == name(own), before)
    if tried:
        entry = {"string": name(outcome.best), "predicted": outcome.best.predicted, "measured": outcome.seconds}
        entry |= {"used": kept["used"] if kept else outcome.used, "gain": gain, "of": len(found)}
        entry |= {"tried": sorted(tried), "budget": max(budget, kept["budget"] if kept else 0.0)}
        remember(asked, entry)
    return TuningSearch(
        outcome.best, outcome.used, outcome.seconds, gain, trials, len(found), False, len(tried), outcome.gain
    )


def _digest(name: str) -> str:
    return blake2b(name.encode(), digest_size=4).hexdigest()


def _remembered(asked: str, found: Sequence[Candidate], measure: int, samples: int) -> StringTrial | None:
    """Return the trial that an earlier run has found, or None if it has measured fewer strings or samples than are
    wanted now."""
    kept = remembered(asked, ("predicted", "measured", "tried", "of", "samples"))
    if kept is None or kept["tried"] < min(measure, kept["of"]) or kept["samples"] < samples:
        return None
    known = [each for each in found if str(each) == kept["string"]]
    return StringTrial(known[0], float(kept["predicted"]), float(kept["measured"])) if known else None


def blocked(ranges: Mapping[str, Sequence[Any]], candidate: Candidate) -> dict[str, Sequence[Any]]:
    """Return the loops with the blockings of a candidate, which are in units of each loop's step."""
    steps = {letter: [size * ranges[letter][2] for size in sizes] for letter, sizes in candidate.blocks}
    return {letter: (*given[:3], steps[letter]) if letter in steps else given for letter, given in ranges.items()}


def _predicted(
    found: Sequence[Candidate],
    made: Callable[[Candidate], Nest],
    workers: int,
    skips: bool,
    machine: MachineFacts,
    times_of: Callable[[Nest], dict[str, KernelTime]],
) -> tuple[list[StringTrial], int]:
    """Return the model's predictions for a machine, best first, and the number of refused strings. `times_of` returns
    the times of the kernels of a nest there."""
    trials: list[StringTrial] = []
    known: dict[str, KernelTime] = {}
    with progress("model", len(found)) as advance:
        for candidate in found:
            try:
                each = made(candidate)
            except LoopStringError:
                if not skips:
                    raise
            else:
                if not known.keys() >= {access.call.kernel.name for access in each.accesses}:
                    known |= times_of(each)
                trials.append(StringTrial(candidate, predict(each, workers, machine, known).seconds))
            advance(1)
    return sorted(trials, key=lambda each: each.predicted), len(found) - len(trials)


def measured(
    trials: Sequence[StringTrial], made: Callable[[Candidate], Nest], arrays: Sequence[Any], workers: int, samples: int
) -> list[StringTrial]:
    """Return the trials with the least of several measured times, fastest first. They take turns in a random order."""
    nests = {each.candidate: made(each.candidate) for each in trials}
    best = dict.fromkeys(nests, float("inf"))
    rng = random.Random(0)
    with progress("measured", samples * len(nests)) as advance:
        for _ in range(samples):
            for candidate in rng.sample(list(nests), len(nests)):
                start = time.perf_counter_ns()
                nests[candidate](*arrays, threads=workers)
                best[candidate] = min(best[candidate], (time.perf_counter_ns() - start) * 1e-9)
                advance(1)
    return sorted(
        (each._replace(measured=best[each.candidate]) for each in trials), key=lambda each: best[each.candidate]
    )


def question(found: Sequence[Candidate], ranges: Mapping[str, Any], first: Nest, workers: int) -> str:
    """Return a digest of the request: strings, loops, operands, body, threads."""
    operands = [(each.name, str(each)) for each in first.parameters]
    asked = [list(map(str, found)), [[*map(str, each)] for each in ranges.items()], str(first), operands, workers]
    return blake2b(json.dumps(asked).encode(), digest_size=16).hexdigest()


def operands_of(first: Nest, operands: Mapping[str, Any]) -> list[Any]:
    """Return copies of the operands, or random numbers of their shapes; types other than f32 and f64 get zeros, and
    numbers are 0."""
    rng = np.random.default_rng(0)
    made: list[Any] = []
    for each in first.operands:
        if isinstance(each, NestNumber):
            made.append(0)
            continue
        dtype = numpy_dtype(each.dtype)
        if hasattr(operands[each.name], "shape"):
            made.append(as_array(each.name, operands[each.name]).copy())
        elif each.dtype in ("f32", "f64"):
            made.append(rng.random(each.shape, dtype=dtype.type))
        else:
            made.append(np.empty(each.shape, dtype))
            made[-1].view(np.uint8).fill(0)  # gives each array pages of its own
    return made
