"""A model of the time of a nest: it follows the blocks through the caches of the busiest worker.

    predicted = predict(nest, workers=2, ...)      predicted.seconds, predicted.bytes: the bytes from each level

The worker's iterations are unrolled (`walk`). For each use of a block, the model finds how many bytes of other blocks
were used since its last use (`reuse`). That tells which cache still holds it, assuming that each cache evicts the least
recently used block. A call of a kernel takes its time on blocks in the nearest caches, plus the extra time of each
block that was not used for so many bytes. Both are measured (`kernel_times`). So is the bandwidth of each level for all
workers at once (`machine_facts`), which bounds the time of a nest from below; nothing is a constant of a particular
processor. In caches beyond the second level, other workers take up as much as they use of blocks of their own. Source:
Georganas et al., PARLOOPER, section 2.4, where the cost of a call is a formula instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from .accesses import CallAccess
from .kernel_times import KernelTime, block_bytes, sets
from .machine_facts import MachineFacts
from .nest import Nest
from .reuse import NEVER, distances
from .walk import WorkerSteps, busiest, calls, holds, values, walk


class Prediction(NamedTuple):
    """Seconds of a call, the iterations of the busiest worker, and the bytes that reach it from each level, memory
    last."""

    seconds: float
    iterations: float
    bytes: tuple[float, ...]


def predict(nest: Nest, workers: int, facts: MachineFacts, kernels: Mapping[str, KernelTime]) -> Prediction:
    """Return the model's prediction from the first iterations (`walk`). `kernels` comes from `kernel_times`."""
    workers = workers if nest.parallel else 1
    steps = walk(nest.nodes, busiest(nest.nodes, workers), workers)
    computing = 0.0
    for call, around in calls(steps.body):
        happens = holds(around, steps.indices)
        times = steps.count if happens is None else int(np.count_nonzero(happens))
        computing += kernels[call.kernel.name].seconds * times
    uses = _uses(nest.accesses, steps, kernels)
    further, moved = _moved(nest, uses, facts, workers)
    region = facts.region if workers > 1 else 0.0
    slowest = max(computing + further, *(each / facts.bandwidth(place, workers) for place, each in enumerate(moved)))
    return Prediction(slowest * steps.scale + region, steps.total, tuple(each * steps.scale for each in moved))


def _moved(nest: Nest, uses: Sequence[_Use], facts: MachineFacts, workers: int) -> tuple[float, tuple[float, ...]]:
    """Return the extra seconds for blocks from farther away, and the bytes that come from each level."""
    happens = np.stack([each.happens for each in uses], axis=1)
    blocks = np.stack([each.blocks for each in uses], axis=1)[happens]
    sizes = np.broadcast_to([each.size for each in uses], happens.shape)[happens]
    apart = np.zeros(happens.shape, np.int64)
    apart[happens] = distances(blocks, sizes)
    capacities = [each.size for each in facts.levels[:-1]]
    level = np.searchsorted(capacities, apart)
    private = capacities[min(1, len(capacities) - 1)]
    others = _shared_traffic(nest, uses, apart, workers)
    scale = np.log2(np.where(apart > private, apart * others, apart) + 1)
    steps = np.log2(sets(facts))
    seconds, moved = 0.0, [0.0] * len(facts.levels)
    for number, use in enumerate(uses):
        there = use.happens
        for times, costs in use.further:
            seconds += float(np.interp(scale[times, number], steps, costs).sum())
        for place in range(len(facts.levels)):
            moved[place] += use.size * float(np.count_nonzero(level[there, number] == place))
    return seconds, tuple(moved)


def _shared_traffic(nest: Nest, uses: Sequence[_Use], apart: Any, workers: int) -> float:
    """Return the ratio of the bytes that all workers bring into shared caches to those of one worker. Blocks that
    several workers use count once, so the ratio is at most the number of workers."""
    own: int = sum(use.size * int(np.count_nonzero(apart[:, number] == NEVER)) for number, use in enumerate(uses))
    everything = sum(math.prod(each.shape) * each.size for each in nest.matrices)
    return max(1.0, min(float(workers), everything / max(own, 1)))


class _Use(NamedTuple):
    """A block that each iteration uses: its number among all blocks, its bytes, the iterations in which it is used, and
    for each kernel that is its first user in some iterations, these iterations and the kernel's extra time per
    distance."""

    blocks: Any
    size: int
    happens: Any
    further: tuple[tuple[Any, tuple[float, ...]], ...]


def _uses(accesses: Sequence[CallAccess], steps: WorkerSteps, kernels: Mapping[str, KernelTime]) -> list[_Use]:
    """Return one use per place of an operand, however many kernels of an iteration use it."""
    found: dict[Any, _Use] = {}
    begin = 0
    starts: dict[str, int] = {}
    for each in accesses:
        if each.matrix.name not in starts:
            starts[each.matrix.name] = begin
            begin += int(np.prod(each.matrix.shape, dtype=np.int64))
        happens = holds(each.conditions, steps.indices)
        happens = np.ones(steps.count, bool) if happens is None else happens
        costs = kernels[each.call.kernel.name].further[each.argument]
        before = found.get((each.matrix.name, each.places))
        if before is None:
            blocks = starts[each.matrix.name] + _number(each, steps)
            found[each.matrix.name, each.places] = _Use(blocks, block_bytes(each), happens, ((happens, costs),))
        else:
            found[each.matrix.name, each.places] = before._replace(
                happens=before.happens | happens, further=(*before.further, (happens & ~before.happens, costs))
            )
    return list(found.values())


def _number(access: CallAccess, steps: WorkerSteps) -> Any:
    """Return the number of the block in each iteration, among the blocks of its operand."""
    number, stride = np.zeros(steps.count, np.int64), 1
    for form, extent in zip(reversed(access.places), reversed(access.matrix.shape[: len(access.places)])):
        number += values(form, steps.indices) * stride
        stride *= extent
    return number
