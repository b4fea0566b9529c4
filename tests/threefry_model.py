"""Threefry-2x32 in numpy's unsigned integers. It is written from the paper and shares no code with the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.eltwise_cases import MACHINES, NATIVE, strided
from tests.guard import check_canary, guarded
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]

KNOWN = (
    ((0, 0), (0, 0), 0x9D1C5EC6, 0x8BD50731),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), 0xFD36D048, 0x2D17272C),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), 0xBA3E4725, 0xF27D669E),
)
"""Known answers of threefry2x32 with 13 rounds: counter, key, both words. Source: tests/kat_vectors of Random123."""


def model(counter0: Array, counter1: Array, key: tuple[int, int]) -> Array:
    """Return the first word for arrays of counters."""
    return both_words(counter0, counter1, key)[0]


def both_words(counter0: Array, counter1: Array, key: tuple[int, int], rounds: int = 13) -> tuple[Array, Array]:
    """Return both words for arrays of counters."""
    x, y = counter0.astype(np.uint32), counter1.astype(np.uint32)
    keys = [np.uint32(key[0]), np.uint32(key[1]), np.uint32(key[0] ^ key[1] ^ 0x1BD11BDA)]
    with np.errstate(over="ignore"):
        x, y = x + keys[0], y + keys[1]
        for i in range(rounds):
            turn = (13, 15, 26, 6, 17, 29, 16, 24)[i % 8]
            x = x + y
            y = ((y << np.uint32(turn)) | (y >> np.uint32(32 - turn))) ^ x
            if i % 4 == 3:
                group = i // 4 + 1
                x, y = x + keys[group % 3], y + keys[(group + 1) % 3] + np.uint32(group)
    return x, y


def words(m: int, n: int, seed: int, row: int = 0, column: int = 0) -> Array:
    """Return the first word of each element of a matrix whose origin is (row, column)."""
    return (long_words(m, n, seed, row, column) >> np.uint64(32)).astype(np.uint32)


def long_words(m: int, n: int, seed: int, row: int = 0, column: int = 0) -> Array:
    """Return both words of each element as one 64-bit word; the first word is the upper half."""
    i, j = np.meshgrid(np.arange(m) + row, np.arange(n) + column, indexing="ij")
    counters = j.astype(np.uint64) & 0xFFFFFFFF, i.astype(np.uint64) & 0xFFFFFFFF
    high, low = both_words(*counters, (seed & 0xFFFFFFFF, seed >> 32))
    return high.astype(np.uint64) << np.uint64(32) | low


def call(spec: EltwiseSpec, name: str, request: Any, arrays: list[Array], numbers: list[int], side: str) -> list[Array]:
    """Run a kernel with random numbers between guard pages and return its outputs."""
    kernel, target = Kernel(spec, MACHINES[name]), MACHINES[name]
    outputs = [strided(np.zeros(y.shape, numpy_dtype(y.dtype)), int(y.view.leading)) for y in spec.outputs]  # type: ignore[arg-type]
    if name in NATIVE:
        ins = [guarded(array, side, writable=False) for array in arrays]
        outs = [guarded(array, side) for array in outputs]
        kernel(*ins, *numbers, *outs)
        for array in outs:
            check_canary(array)
        return outs
    server = request.getfixturevalue("aarch64")
    for array in arrays:
        array.setflags(write=False)
    bits = target.vector_bits if target.isa == "sve" else None
    server.call(kernel.code, *arrays, *numbers, *outputs, side=side, vector_bits=bits)
    return outputs
