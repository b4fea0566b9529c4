"""Walks of nests agree with loops in Python and with the blocks that each worker's machine code writes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.runtime.loops.test_nest import LISTINGS, operands, product
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.loops.walk import busiest, walk
from tilesmith.runtime.system.libc import ffi

COUNTS = (7, 6, 5)
STRINGS = (
    "abc",
    "bCa",
    "BCa",
    "bcbaBC",
    "cbBa",
    "aBc",
    "BCa @ schedule(static, 2)",
    "b{R:2}c{C}a",
    "bC{R:3}aB{C:2}cb",
    "~BCa",
    "a~bc",
    *LISTINGS,
)


def visited(nest, worker, workers, most=1 << 20):
    """Return the walk, and the values of a, b, c in each of its iterations."""
    steps = walk(nest.nodes, worker, workers, most)
    last = {level.letter: level.name for level in nest.spec.levels}
    return steps, list(zip(*(steps.indices[last[letter]].tolist() for letter in "abc")))


def test_serial_order():
    nest = product("bcabc", COUNTS, b=(4,), c=(3,))
    wanted = [
        (a, b, c)
        for b0 in range(0, 7, 4)
        for c0 in range(0, 6, 3)
        for a in range(5)
        for b in range(b0, min(b0 + 4, 7))
        for c in range(c0, c0 + 3)
    ]
    assert visited(nest, 0, 1)[1] == wanted


@pytest.mark.parametrize("string", STRINGS)
@pytest.mark.parametrize("workers", [1, 3])
def test_workers_share_the_iterations_as_the_machine_code_does(string, workers):
    nest = product(string, COUNTS)
    a, b, wanted = operands(COUNTS, 0)
    job = ffi.cast("void(*)(void *, long, long)", nest.job.block.address)
    everything = []
    for worker in range(workers):
        _, seen = visited(nest, worker, workers)
        everything += seen
        c = np.full_like(wanted, -1)  # relu makes no element negative
        table = ffi.new("uintptr_t[]", [*map(address_of, (a, b, c)), 0, 0])
        if nest.parallel or not worker:
            job(ffi.cast("void *", table), worker, workers)
            touched = {tuple(each) for each in np.argwhere((c != -1).all(axis=(2, 3))).tolist()}
            assert touched == {(place[2], place[1]) for place in seen}
    copies = 1 if nest.parallel else workers
    assert sorted(everything) == sorted([*itertools.product(range(5), range(7), range(6))] * copies)


def test_long_walks_are_cut_off_and_scaled():
    nest = product("BCa", (16, 16, 8))
    steps, seen = visited(nest, 0, 2, 100)
    assert len(seen) == 100 and steps.total == 16 * 16 * 8 / 2


def test_the_busiest_worker():
    assert busiest(product("Bca", (3, 2, 2)).nodes, 2) == 1  # worker 0 has row 0, worker 1 rows 1 and 2
    assert busiest(product("BCa", (4, 4, 2)).nodes, 4) == 0
    assert busiest(product("b{R:4}ca", (6, 2, 2)).nodes, 4) == 0  # two rows for each of three workers of four
