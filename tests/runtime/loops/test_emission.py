"""Small nests around a kernel that adds one number to another, with several workers, natively and in the emulator.

Every iteration adds its own number to its own element, so an iteration that is skipped, repeated or has a wrong index
changes the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.cpu import Region, address_of, execute
from tilesmith.runtime.loops.blob import Blob
from tilesmith.runtime.loops.code import (
    Address,
    Call,
    Grid,
    Header,
    Loop,
    Node,
    Share,
    When,
    affine,
    index,
    is_parallel,
)
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

M, N = 7, 11
PLACES = np.add.outer(np.arange(M) * N, np.arange(N))
ALL = np.ones((M, N), bool)
LOWER = np.add.outer(np.arange(M), -np.arange(N)) >= 0


def number(name: str, extent: int, step: int = 1) -> Header:
    return Header(name, affine(0), (affine(extent),), step, -(-extent // step))


def inner(name: str, outer: str, size: int, extent: int) -> Header:
    """Return the header of a loop over a block that begins at the outer loop's index and is clipped at the extent."""
    return Header(name, index(outer), (index(outer) + size, affine(extent)), 1, size)


def nests(call: Call) -> dict[str, tuple[Node, Any]]:
    """Return each nest with the elements that it visits."""
    i, j = number("i", M), number("j", N)
    i0, j0, i1, j1 = number("i0", M, 3), number("j0", N, 4), inner("i", "i0", 3, M), inner("j", "j0", 4, N)
    blocked = Loop(i1, (Loop(j1, (call,)),))
    lower = When(index("i") - index("j"), ">=", (call,))
    return {
        "static": (Share((i, j), (call,)), ALL),
        "turns": (Share((i, j), (call,), "turns", 3), ALL),
        "clipped": (Share((i0, j0), (blocked,), "turns"), ALL),
        "clipped group": (Loop(i0, (Loop(j0, (Share((i1, j1), (call,)),)),)), ALL),
        "when": (Share((i,), (Loop(j, (lower,)),)), LOWER),
        "curve": (Share((i, j), (call,), curve=True), ALL),
        "curve of each": (Loop(i0, (Share((i1, j), (call,), "whole", curve=True),)), ALL),
        "rows": (Grid((("R", 0),), (Loop(i, (Loop(j, (call,)),), "R"),)), ALL),
        "grid": (Grid((("R", 2), ("C", 0)), (Loop(j, (Loop(i, (call,), "R"),), "C"),)), ALL),
        "layers": (
            Grid(
                (("R", 2), ("C", 3), ("L", 2)),
                (Loop(j0, (Loop(i0, (Loop(j1, (Loop(i1, (call,)),), "C"),), "R"),), "L"),),
            ),
            ALL,
        ),
    }


NAMES = list(nests(None))  # type: ignore[arg-type]


def built(name: str, target: Any = None) -> tuple[Blob, Any]:
    add = ts.brgemm(1, 1, 1, dtype="f32", target=target)
    place = index("i") * (4 * N) + index("j") * 4
    node, wanted = nests(Call(add, (Address(0, place), Address(1), Address(2, place))))[name]
    return Blob([node], add.target), wanted


def arrays() -> tuple[Any, Any, Any]:
    return (PLACES + 1).astype(np.float32), np.ones(1, np.float32), np.zeros((M, N), np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_natively(name: str) -> None:
    blob, wanted = built(name)
    block = publish(blob.data)
    job = ffi.cast("void(*)(void *const *, long, long)", block.address)
    for workers in (1, 2, 3, 7) if is_parallel(blob.nodes) else (1,):
        a, one, c = arrays()
        table = ffi.new("void *[]", [ffi.cast("void *", address_of(each)) for each in (a, one, c)])
        for worker in reversed(range(workers)):
            job(table, worker, workers)
        np.testing.assert_array_equal(c, a * wanted)


@pytest.mark.parametrize("name", NAMES)
def test_in_the_emulator(name: str) -> None:
    blob, wanted = built(name, "neon")
    for workers in (1, 3) if is_parallel(blob.nodes) else (1,):
        a, one, c = arrays()
        table = np.array([address_of(each) for each in (a, one, c)], np.uint64)
        regions = [Region("table", table, False), Region("a", a, False), Region("one", one, False), Region("c", c)]
        for worker in range(workers):
            execute(blob.data, blob.target, [address_of(table), worker, workers], regions)
        np.testing.assert_array_equal(c, a * wanted)
