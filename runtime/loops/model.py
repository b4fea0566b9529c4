"""How long a nest will take: its blocks are followed through the caches of the worker that has most to do.

    predicted = predict(nest, workers=2)      predicted.seconds, predicted.bytes: what comes from each level

The worker's iterations are unrolled (`walk`), each use of a block is answered by the first cache that still holds it,
with blocks dropped that were used least recently (`reuse`), and an iteration takes as long as its kernels do on blocks
at hand, and as the bytes take that come from further away. Bandwidths are those of `machine_facts`, times of kernels
are measured (`kernel_seconds`); nothing is a constant of some processor. Workers are taken to share nothing; the last
cache is divided among them. Source: Georganas et al., PARLOOPER, section 2.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from .accesses import Access
from .machine_facts import Facts
from .nest import Nest
from .reuse import distances
from .walk import MOST, Steps, busiest, calls, holds, values, walk

_HELD = 0.75
"""The share of a cache that blocks of a nest may fill: it is neither fully associative nor free of other data."""


class Prediction(NamedTuple):
    """Seconds of a call; the worker's iterations; and the bytes that reach it from each level, memory last."""

    seconds: float
    iterations: float
    bytes: tuple[float, ...]


def predict(nest: Nest, workers: int, facts: Facts, kernels: Mapping[str, float], most: int = MOST) -> Prediction:
    """What the model says. kernels: seconds of one call of each kernel, by its name."""
    steps = walk(nest.nodes, busiest(nest.nodes, workers), workers, most)
    computing = _computing(steps, kernels)
    moved = _moved(nest, steps, facts)
    seconds = _seconds(computing, moved, facts, workers) * steps.scale
    return Prediction(seconds + (facts.region if workers > 1 else 0), steps.total,
                      tuple(float(each) * steps.scale for each in moved.sum(axis=1)))  # fmt: skip


def _seconds(computing: Any, moved: Any, facts: Facts, workers: int) -> float:
    """Of all iterations: kernels, and what comes from beyond the second level, one after the other."""
    total = computing.copy()
    for level in range(2, len(facts.levels)):
        total += moved[level] / facts.bandwidth(level, workers)
    return float(total.sum())


def _computing(steps: Steps, kernels: Mapping[str, float]) -> Any:
    """Seconds of the kernels of each iteration."""
    found = np.zeros(steps.count)
    for call, around in calls(steps.body):
        happens = holds(around, steps.indices)
        found += kernels[call.kernel.name] * (1 if happens is None else happens)
    return found


def _moved(nest: Nest, steps: Steps, facts: Facts) -> Any:
    """Bytes that reach the worker in each iteration from each level; the innermost counts what is there already."""
    uses = _uses(nest.accesses, steps)
    moved = np.zeros((len(facts.levels), steps.count))
    if not uses:
        return moved
    happens = np.stack([each.happens for each in uses], axis=1)
    blocks = np.stack([each.blocks for each in uses], axis=1)[happens]
    sizes = np.broadcast_to([each.size for each in uses], happens.shape)[happens]
    traffic = np.broadcast_to([each.size * (1 + each.writes) for each in uses], happens.shape)[happens]
    iteration = np.broadcast_to(np.arange(steps.count)[:, None], happens.shape)[happens]
    capacities = [each.size * _HELD for each in facts.levels[:-1]]
    level = np.searchsorted(capacities, distances(blocks, sizes))
    for number in range(len(facts.levels)):
        here = level == number
        moved[number] = np.bincount(iteration[here], traffic[here], steps.count)
    return moved


class _Use(NamedTuple):
    """A block that an iteration uses: its number among all blocks, its bytes, whether it is written, and when."""

    blocks: Any
    size: int
    writes: bool
    happens: Any


def _uses(accesses: Sequence[Access], steps: Steps) -> list[_Use]:
    """One for each block of an operand, however many kernels of an iteration use it."""
    found: dict[Any, _Use] = {}
    always = np.ones(steps.count, bool)
    first: dict[str, int] = {}
    for each in accesses:
        matrix, count = each.matrix, len(each.places)
        happens = holds(each.conditions, steps.indices)
        happens = always if happens is None else happens
        before = found.get((matrix.name, each.places))
        if before is not None:
            found[matrix.name, each.places] = before._replace(
                happens=before.happens | happens, writes=before.writes or each.writes, size=before.size
            )
            continue
        start = first.setdefault(matrix.name, sum(int(np.prod(own.shape)) for own in _before(accesses, matrix.name)))
        number = np.full(steps.count, start, np.int64)
        stride = 1
        for form, extent in zip(reversed(each.places), reversed(matrix.shape[:count])):
            number += values(form, steps.indices) * stride
            stride *= extent
        inner = int(np.prod(matrix.shape[count:], dtype=np.int64))
        size = int(np.prod(each.extents, dtype=np.int64)) * inner * matrix.size
        found[matrix.name, each.places] = _Use(number, size, each.writes, happens)
    return list(found.values())


def _before(accesses: Sequence[Access], name: str) -> list[Any]:
    """The operands that have smaller numbers of blocks."""
    matrices = {each.matrix.name: each.matrix for each in accesses}
    return [matrix for other, matrix in matrices.items() if list(matrices).index(other) < list(matrices).index(name)]
