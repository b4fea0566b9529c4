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
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import facts_of
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..cache.digest import blake2b
from ..loops.contest import ContestResult, contest
from ..loops.strings import Rule, blockings
from ..loops.tuner import TuningSearch, searched
from ..system.progress import progress
from .calls import CallArray, native_calls
from .costs import Costs
from .packs import refused
from .plan import impossible, widths_of
from .tiling import Tiling, TilingChoice

if TYPE_CHECKING:
    from .form import IndexedArray
    from .kernel import Contracted

_EVERY = Rule(0, 1 << 10)


class WayTrial(NamedTuple):
    """A way to cut a contraction, its estimated cycles, and the least measured seconds of a call (None: not tried)."""

    way: Tiling
    predicted: float
    measured: float | None = None


@dataclass(frozen=True, kw_only=True)
class TunedLayer(TuningSearch[WayTrial]):
    """The result of tuning a layer: `layer` is the fastest one, whose weights are packed anew."""

    layer: Contracted

    __repr__ = TuningSearch.__repr__

    def _title(self) -> tuple[str, str, str]:
        return "layer", "ways", f"{'cycles':>12} {'ms':>8}  way"

    def _row(self, trial: WayTrial) -> str:
        return f"{trial.predicted:12,.0f} {(trial.measured or 0) * 1e3:8.3f}  {trial.way}"


def tune_layer(given: Contracted, budget: float, until: float, workers: int, again: bool) -> TunedLayer:
    """Return the fastest layer with the given one's results that is found before `until`, a time of
    time.perf_counter, beginning where earlier runs have stopped."""
    reason = "a transposed convolution has several" if len(given.parts) > 1 else ""
    reason = reason if given.plan.loops is None else f"this one is computed {given.plan.loops}"
    if reason:
        raise UnsupportedError(f"tune: layers that are one nest of products, but {reason}")
    (own,) = given.plan.ways
    found = [each for each in ways_like(given.plan.parts[0], given.target) if each != own]
    asked = f"{given.parts[0]!r} {given.target!r} {workers} {len(found)} {own}"

    def made(trial: WayTrial) -> Contracted:
        return given if trial.way == own else given.recut(choice_of(trial))

    def weighed(trial: WayTrial) -> WayTrial:
        return trial._replace(predicted=estimated(trial.way, given.target, workers))

    def ranked(first: WayTrial, fresh: list[WayTrial]) -> tuple[WayTrial, list[WayTrial]]:
        now = time.perf_counter()
        end, every = now + CONTRACTIONS.ranked * (until - now), list[WayTrial]()
        for each in fresh:
            if every and time.perf_counter() > end:  # as many as there is time for
                break
            every.append(weighed(each))
        return weighed(first), sorted(every, key=lambda each: each.predicted)

    search = searched(
        blake2b(asked.encode(), digest_size=16).hexdigest(),
        weighed(WayTrial(own, 0.0)),
        [WayTrial(each, 0.0) for each in found],
        lambda trial: blake2b(str(trial.way).encode(), digest_size=8).hexdigest(),
        budget,
        again,
        ranked,
        lambda used, rest: _measured(given, used, rest, made, workers, until),
    )
    return TunedLayer(**vars(search), layer=made(search.best))


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
    return Costs(way, facts_of(target), threads).cycles(way.width, way.panels)[0]


def choice_of(trial: WayTrial) -> TilingChoice:
    """Return a way as the choice of a plan."""
    return TilingChoice(trial.way, trial.predicted, (), ("other ways: ts.tune has measured them",))


def _measured(
    given: Contracted,
    used: WayTrial,
    ranked: list[WayTrial],
    made: Callable[[WayTrial], Contracted],
    workers: int,
    until: float,
) -> ContestResult[WayTrial]:
    """Let the ways run on arrays of ones."""
    part = given.parts[0]
    a, c, *more = (_memory(each) for each in (part.a, part.c, *part.more))
    b = np.ones([axis.extent for axis in part.b.axes], numpy_dtype(part.b.dtype))

    def call(trial: WayTrial) -> Callable[[], object]:
        layer = made(trial)
        arrays = [a, layer.panels(b), c, *more]
        types = [part.a.dtype, "u8", part.c.dtype, *(each.dtype for each in part.more)]
        lying = [CallArray(str(n), of, each.shape, (1,)) for n, (of, each) in enumerate(zip(types, arrays))]
        layer.at([address_of(each) for each in arrays], workers)  # machine code finds scratch memory of an earlier call
        native = native_calls(layer.call, lying, (), workers)
        if native is not None and native(*arrays) is None:  # as users call it
            return lambda: native(*arrays)
        return lambda: layer.at([address_of(each) for each in arrays], workers)

    with progress("tune", max(0.0, until - time.perf_counter())) as advance:
        return contest(used, ranked, call, until, advance)


def _memory(operand: IndexedArray) -> Array:
    """Return ones for all elements of an operand and those between them, which begin 16 bytes behind a line, as large
    arrays of numpy do: tiles with rows that cross lines take twice as long."""
    size = operand.span * ELEMENT_BYTES[operand.dtype]
    lines = np.ones(-(-size // 64) * 64 + 64, np.uint8)
    first = (16 - address_of(lines)) % 64
    made: Array = lines[first : first + size].view(numpy_dtype(operand.dtype))
    made[...] = 1
    return made
