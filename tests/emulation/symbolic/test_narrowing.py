"""Shapes of roundings to bf16: what is listed rounds to the nearest, for all 2^32 numbers in `make soak`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tilesmith.emulation.numerics import bf16
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.machine import execute
from tilesmith.emulation.symbolic.narrowing import SHAPES, shape_of
from tilesmith.runtime.verify.calls import calls_of

CHUNK = 1 << 17


def rounding(target: str) -> tuple[Any, int, str, int]:
    """(table, an element of a bf16 product, its shape, the f32 that it is rounded from)."""
    kernel = ts.brgemm(1, 9, 2, dtype="bf16", target=target, beta=0)
    call = next(calls_of(kernel.spec, kernel.kind)[1])
    done = execute(kernel.code, kernel.target, call.integers, call.regions, call.symbolic())
    (region,) = (each for each in call.regions if each.writable)
    node = int(done.table.nodes_of(done.memory.held(region)).flat[0])
    found = shape_of(done.table, node)
    assert found is not None
    return done.table, node, *found


def bits() -> list[np.ndarray[Any, Any]]:
    """All numbers, or those whose lower halves are at the ends and about the middle, in chunks."""
    if is_soak():
        return [np.arange(first, first + CHUNK, dtype=np.uint32) for first in range(0, 1 << 32, CHUNK)]
    upper = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    return [upper | np.uint32(lower) for lower in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]


@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_listed_shapes_round_to_the_nearest(target: str) -> None:
    table, node, shape, source = rounding(target)
    assert shape in SHAPES
    for x in bits():
        found = evaluated(table, [node], undefined, len(x), {source: x.view(np.uint8).reshape(-1, 4)})
        with np.errstate(all="ignore"):
            wanted = bf16._nearest(x.view(np.float32))
        made = np.ascontiguousarray(found[node]).view(np.uint16).reshape(-1)
        exponent, nan = x >> np.uint32(23) & np.uint32(255), np.isnan(x.view(np.float32))
        zero = (exponent == 0) & (made & 0x7FFF == 0)
        assert ((made == wanted) | zero | (nan & (made & 0x7FFF > 0x7F80))).all()


def undefined(leaf: int) -> np.ndarray[Any, Any]:
    raise AssertionError(f"a rounding depends on node {leaf} too")
