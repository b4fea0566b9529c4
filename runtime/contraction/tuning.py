"""Speed up a contraction, such as a layer of `conv`, by another way to cut it, found by estimates and by measuring.

The loops around the kernels are those of a plan (plan.py): a loop of the rows in tiles, the panels of B in groups, and
which of the two is outside. The ways that are tried have blocks by the rules of loop strings (loops/strings.py): prefix
products of the prime factors of the trip count. All of them compute the same bits, since all add up a sum in the order
of the contraction's loops.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import facts_of
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..cache.digest import blake2b
from ..loops.contest import ContestResult, bar, contest, times, whole_gain
from ..loops.strings import Rule, blockings
from ..loops.tune_nest import SHOWN
from ..loops.tuner import remember, remembered
from .calls import CallArray, native_calls
from .costs import Costs
from .packs import refused
from .plan import impossible, widths_of
from .tiling import Tiling, TilingChoice

if TYPE_CHECKING:
    from .form import IndexedArray
    from .kernel import Contracted

_EVERY = Rule(0, 1 << 10)
FIGURES, LISTS = ("predicted", "measured", "used", "gain", "budget", "of"), ("tried",)


class WayTrial(NamedTuple):
    """A way to cut a contraction, its estimated cycles, and the least measured seconds of a call (None: not tried)."""

    way: Tiling
    predicted: float
    measured: float | None = None


class TunedLayer(NamedTuple):
    """The result of tuning a layer.

    layer        the fastest layer; its weights are packed anew
    used         the least seconds of a call of the given layer, or of the one that an earlier run had found
    seconds      the least seconds of a call of the fastest one
    gain         how many times as fast as the given one the fastest one is; 1 if no other one was faster
    trials       the ways that were measured now, fastest first
    considered   the number of other ways
    remembered   whether earlier runs had measured as much as the budget allows, so that nothing was measured
    measured     the number of other ways that were measured, by earlier runs too
    """

    layer: Contracted
    used: float
    seconds: float
    gain: float
    trials: tuple[WayTrial, ...]
    considered: int
    remembered: bool = False
    measured: int = 0

    def __repr__(self) -> str:
        """Return the gain in one line."""
        return f"<{str(self).splitlines()[0]}>"

    def __str__(self) -> str:
        """Return the gain and a table of the measurements."""
        found = times(self.used, "as given", self.seconds, self.gain)
        lines = [f"layer: {found}; {self.measured} of {self.considered} other ways were measured"]
        if self.remembered:
            return f"{lines[0]}\nremembered from an earlier run; tune(..., again=True) measures anew"
        lines.append(f"{'cycles':>12} {'ms':>8}  way")
        lines += [f"{e.predicted:12,.0f} {(e.measured or 0) * 1e3:8.3f}  {e.way}" for e in self.trials[:SHOWN]]
        return "\n".join(lines)


def tune_layer(given: Contracted, budget: float, until: float, workers: int, again: bool) -> TunedLayer:
    """Return the fastest layer with the given one's results that is found before `until`, a time of
    time.perf_counter, beginning where earlier runs have stopped."""
    reason = given.plan.fixed or ("a transposed convolution has several" if len(given.parts) > 1 else "")
    if reason:
        raise UnsupportedError(f"tune: layers that are one nest of products, but {reason}")
    (own,) = given.plan.ways
    found = [each for each in ways_like(given.plan.parts[0], given.target) if each != own]
    names = {_digest(each): each for each in (own, *found)}
    asked = f"{given.parts[0]!r} {given.target!r} {workers} {len(found)} {own}"
    question = blake2b(asked.encode(), digest_size=16).hexdigest()
    kept = None if again else remembered(question, FIGURES, LISTS)
    kept = kept if kept is not None and kept["string"] in names else None
    tried = frozenset(map(str, kept["tried"])) if kept else frozenset[str]()
    first = names[kept["string"]] if kept else own
    if kept and (budget <= float(kept["budget"]) or len(tried) >= len(found)):
        trial = WayTrial(first, float(kept["predicted"]), float(kept["measured"]))
        layer = given if first == own else given.recut(choice_of(trial))
        figures = float(kept["used"]), float(kept["measured"]), float(kept["gain"])
        return TunedLayer(layer, *figures, (trial,), len(found), True, len(tried))
    fresh = [each for each in found if each != first and _digest(each) not in tried]
    ranked = _ranked(fresh, given.target, workers, until)
    if first != own:  # it runs again, and first: a short run may have found a gain that a disturbance made
        ranked.insert(0, WayTrial(own, estimated(own, given.target, workers)))
    outcome = _measured(given, own, WayTrial(first, estimated(first, given.target, workers)), ranked, workers, until)
    trials = tuple(each.contender._replace(measured=each.seconds or each.tried) for each in outcome.timed)
    tried |= {_digest(each.way) for each in trials if each.way != own}
    before = None if first == own else float(kept["gain"]) if kept else None
    gain = whole_gain(outcome, lambda trial: trial.way == own, before)
    entry = {"string": _digest(outcome.best.way), "predicted": outcome.best.predicted, "measured": outcome.seconds}
    entry |= {"used": outcome.used, "gain": gain, "of": len(found), "tried": sorted(tried)}
    remember(question, entry | {"budget": max(budget, float(kept["budget"]) if kept else 0.0)})
    layer = given if outcome.best.way == own else given.recut(choice_of(outcome.best))
    return TunedLayer(layer, outcome.used, outcome.seconds, gain, trials, len(found), False, len(tried))


def ways_like(choice: TilingChoice, target: Target) -> list[Tiling]:
    """Return the ways of a plan with all blocks, widths and groups of panels of the rules; an even sample of many."""
    found = dict.fromkeys(_planned(choice))
    for each in blocks_like(choice, target):
        found |= dict.fromkeys(_grouped(each))
    ways = list(found)
    random.Random(0).shuffle(ways)
    return ways[: CONTRACTIONS.most_ways]


def blocks_like(choice: TilingChoice, target: Target) -> Iterator[Tiling]:
    """Yield the ways of a plan with all blocks and widths of the rules, and one panel at a time."""
    size, columns = ELEMENT_BYTES[choice.way.contraction.b.dtype], choice.way.b.columns
    widths = widths_of(columns, target.vector_bits // 8 // max(4, size))
    forms = dict.fromkeys(replace(e, block=1, width=widths[0], panels=1, by_panels=False) for e in _planned(choice))
    for form in forms:
        extent = form.contraction.extents.get(form.loop, 1)
        like = [each for each in _planned(choice) if (each.loop, each.copies) == (form.loop, form.copies)]
        for block in sorted({extent, *_products(extent), *(each.block for each in like)}):
            whole = replace(form, block=block)
            if fits(whole):
                yield from (replace(whole, width=width) for width in widths)


def _planned(choice: TilingChoice) -> tuple[Tiling, ...]:
    return (choice.way, *(way for _, way in choice.others))


def _products(trips: int) -> list[int]:
    """Return the steps that the rules allow: prefix products of the prime factors."""
    return [1, *blockings(trips, _EVERY)[-1]]


def _grouped(way: Tiling) -> Iterator[Tiling]:
    """Yield a way with its panels in all groups, which are inside or outside of the tiles."""
    count = way.b.panels
    for some in sorted({count, *_products(count)}):
        yield replace(way, panels=some)
        if some < count:
            yield replace(way, panels=some, by_panels=True)


def fits(way: Tiling) -> bool:
    """Whether a way is possible: its band, its scratch memory, and the depth of its products, which bits depend on."""
    return not (way.copies and refused(way.band(way.block))) and not impossible(way)


def estimated(way: Tiling, target: Target, threads: int | None = None) -> float:
    """Return the estimated cycles of a way, on so many threads if they are known."""
    return Costs.of(way, facts_of(target), threads).cycles(way.width, way.panels)[0]


def choice_of(trial: WayTrial) -> TilingChoice:
    """Return a way as the choice of a plan."""
    return TilingChoice(trial.way, trial.predicted, (), ("other ways: ts.tune has measured them",))


def _digest(way: Tiling) -> str:
    return blake2b(str(way).encode(), digest_size=8).hexdigest()


def _ranked(ways: list[Tiling], target: Target, workers: int, until: float) -> list[WayTrial]:
    """Return as many ways as there is time for, the best estimate first."""
    now = time.perf_counter()
    end, found = now + CONTRACTIONS.ranked * (until - now), list[WayTrial]()
    for each in ways:
        if found and time.perf_counter() > end:
            break
        found.append(WayTrial(each, estimated(each, target, workers)))
    return sorted(found, key=lambda each: each.predicted)


def _measured(
    given: Contracted, own: Tiling, used: WayTrial, ranked: list[WayTrial], workers: int, until: float
) -> ContestResult[WayTrial]:
    """Let the ways run on arrays of ones."""
    part = given.parts[0]
    a, c, *more = (_memory(each) for each in (part.a, part.c, *part.more))
    b = np.ones([axis.extent for axis in part.b.axes], numpy_dtype(part.b.dtype))

    def call(trial: WayTrial) -> Callable[[], object]:
        layer = given if trial.way == own else given.recut(choice_of(trial))
        arrays = [a, layer.panels(b), c, *more]
        types = [part.a.dtype, "u8", part.c.dtype, *(each.dtype for each in part.more)]
        names = [str(number) for number in range(len(arrays))]
        lying = [CallArray(name, of, each.shape, (1,)) for name, of, each in zip(names, types, arrays)]
        layer.at([address_of(each) for each in arrays], workers)  # which makes scratch memory that native calls find
        native = native_calls(layer, lying, (), workers)
        if native is not None and native(*arrays) is None:  # as users call it
            return lambda: native(*arrays)
        return lambda: layer.at([address_of(each) for each in arrays], workers)

    with bar("tune", max(0.0, until - time.perf_counter())) as advance:
        return contest(used, ranked, call, until, advance)


def _memory(operand: IndexedArray) -> Array:
    """Return ones for all elements of an operand and those between them, which begin 16 bytes behind a line, as large
    arrays of numpy do: tiles with rows that cross lines take twice as long."""
    size = 1 + sum(abs(axis.stride) * (axis.extent - 1) for axis in operand.axes)
    lines = np.ones(-(-size * ELEMENT_BYTES[operand.dtype] // 64) * 64 + 64, np.uint8)
    first = (16 - address_of(lines)) % 64
    made: Array = lines[first : first + size * ELEMENT_BYTES[operand.dtype]].view(numpy_dtype(operand.dtype))
    made[...] = 1
    return made
