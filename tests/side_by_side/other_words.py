"""Calls with other words than the proof's: other seeds and origins, and other indices.

    for spec, call in with_other_words(calls): ...

Seeds are random numbers of 64 bits. If the kernel checks indices, some lie outside: negative, behind the last row, and
such that differ from an index inside only in bits that a comparison or a load of 32 bits does not see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tilesmith.runtime.verify.operands import Call, redrawn

SEEDS, INDICES = 16, 24
"""How many calls there are with other numbers, and with other indices."""


def with_other_words(calls: Sequence[tuple[Any, Call]]) -> Iterator[tuple[Any, Call]]:
    """Yield calls with other words, if the request has any. `calls` are those of the proof."""
    numbered = [each for each in calls if each[1].numbers]
    for seed in range(SEEDS if numbered else 0):
        one, call = numbered[seed % len(numbered)]
        integers, numbers = redrawn(call, seed + 1)
        yield one, call._replace(integers=integers, numbers=numbers)
    indexed = [each for each in calls if each[1].indices]
    for seed in range(INDICES if indexed else 0):
        one, call = indexed[seed % len(indexed)]
        yield one, _with_indices(one, call, np.random.default_rng(seed))


def _with_indices(spec: Any, call: Call, rng: np.random.Generator) -> Call:
    regions, integers = list(call.regions), list(call.integers)
    for number, region in enumerate(regions):
        if region.name not in call.indices:
            continue
        rows = spec.limits[region.name][1] if hasattr(spec, "limits") else spec.size
        array = np.array(region.array)
        drawn = (
            rng.permutation(max(rows, array.size))[: array.size] % max(rows, 1)
            if rng.random() < 0.3
            else (rng.integers(0, rows, array.size) if rows else np.zeros(array.size, int))
        )
        if spec.bounds == "kernel":
            bits = 8 * array.itemsize
            outside = [-1, rows, -(1 << bits - 1), (1 << bits - 1) - 1]
            for sign in (1, -1):
                outside += [
                    sign * (1 << at) + int(rng.integers(rows or 1)) for at in range(max(rows, 2).bit_length(), bits - 1)
                ]
                outside += [sign * (1 << 32) + each for each in range(rows)] * 4 if bits == 64 else []
            chosen = rng.random(array.size) < 0.5
            drawn = np.where(chosen, rng.choice(np.array(outside, np.int64), array.size), drawn)
        array[...] = drawn.astype(array.dtype).reshape(array.shape)
        regions[number] = other = region._replace(array=array)
        integers = [other.start if each == region.start else each for each in integers]
    return call._replace(regions=regions, integers=integers)
