"""Roundings that are recognised by their shape: listed shapes round to the nearest bf16 or f16, for all 2^32
numbers in `make soak`; a sum that is rounded to odd and then to f32 is the fused multiply-add.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak, scaled
from tilesmith.emulation.numerics import bf16, fp
from tilesmith.emulation.numerics.rounding import F16
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.machine import execute
from tilesmith.emulation.symbolic.narrowing import HALVES, SHAPES, half, shape_of, shape_over, to_odd
from tilesmith.runtime.verify.calls import calls_of
from tilesmith.runtime.verify.check import verify

CHUNK = 1 << 17


def rounding(target: str) -> tuple[Any, int, str, int]:
    """Return (table, an element of a bf16 product, its shape, the f32 from which it is rounded)."""
    kernel = ts.brgemm(1, 9, 2, dtype="bf16", target=target, beta=0)
    call = next(calls_of(kernel.spec, kernel.kind)[1])
    done = execute(kernel.code, kernel.target, call.integers, call.regions, call.symbolic())
    (region,) = (each for each in call.regions if each.writable)
    node = int(done.table.nodes_of(done.memory.held(region)).flat[0])
    found = shape_of(done.table, node)
    assert found is not None
    return done.table, node, *found


def bits() -> Iterator[np.ndarray[Any, Any]]:
    """Yield f32 in chunks: in a soak all or a share of them, else those whose lower halves are at the ends of their
    range or about its middle."""
    if is_soak():
        firsts = Random(1).sample(range(0, 1 << 32, CHUNK), scaled(8, (1 << 32) // CHUNK))
        yield from (np.arange(first, first + CHUNK, dtype=np.uint32) for first in firsts)
        return
    upper = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    yield from (upper | np.uint32(lower) for lower in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF))


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


@pytest.mark.parametrize("target", ["sse", "avx"])
def test_listed_shapes_round_to_f16(target: str) -> None:
    kernel = ts.brgemm(1, 1, 1, dtype="f16", target=target)
    call = next(calls_of(kernel.spec, kernel.kind)[1])
    table, memory = execute(kernel.code, kernel.target, call.integers, call.regions, call.symbolic())[:2]
    node = int(table.nodes_of(memory.named_elements("c")).flat[0])
    converted = half(table, node)
    assert converted is not None
    (source,) = table.arguments(converted)
    assert shape_over(table, node, source) in HALVES
    f16 = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    near = [f16 + np.uint32(each) for each in (0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF)]  # ties lie halfway
    for x in bits() if is_soak() else near:
        found = evaluated(table, [node], undefined, len(x), {source: x.view(np.uint8).reshape(-1, 4)})
        wanted = fp.convert(x.view(np.float32), F16)
        assert np.array_equal(np.ascontiguousarray(found[node]).view(np.uint16).reshape(-1), wanted)


def undefined(leaf: int) -> np.ndarray[Any, Any]:
    raise AssertionError(f"a rounding depends on node {leaf} too")


# Fused multiply-adds of f32 by f64

ENDS = np.array(
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1 + 2.0**-23,
        1 - 2.0**-24,
        2.0**-149,
        -(2.0**-149),
        2.0**-126,
        2.0**-127,
        3.4028235e38,
        -3.4028235e38,
        np.inf,
        -np.inf,
        np.nan,
        2.0**-75,
        2.0**-74,
        1 + 2.0**-12,
        2.0**127,
        2.0**24 - 1,
    ],
    np.float32,
)


def triples() -> list[np.ndarray[Any, Any]]:
    """Return triples of end values, of random bits, and with sums that nearly cancel or are midpoints of two f32."""
    rng = np.random.default_rng(2)
    ends = np.array(np.meshgrid(ENDS, ENDS, ENDS)).reshape(3, -1)
    any_bits = rng.integers(0, 1 << 32, (3, scaled(1 << 15, 1 << 22)), np.uint32).view(np.float32)
    a, b = rng.integers(1 << 23, 1 << 24, (2, any_bits.shape[1])).astype(np.float32)
    c = -(a.astype(np.float64) * b).astype(np.float32)
    steps = rng.integers(-3, 4, len(c)).astype(np.int32)
    near = (c.view(np.int32) + steps).view(np.float32)
    half = (a.astype(np.float64) * 2.0 ** rng.integers(-60, 3, len(a))).astype(np.float32)
    return [ends, any_bits, np.array([a, b, near]), np.array([a, np.float32(1) + b * np.float32(2.0**-24), half])]


def test_a_sum_rounded_to_odd_is_the_fused_multiply_add() -> None:
    for a, b, c in triples():
        with np.errstate(all="ignore"):
            wide = [each.astype(np.float64) for each in (a, b, c)]
            found = to_odd(wide[0] * wide[1], wide[2]).astype(np.float32)
            wanted = fp.fma(a, b, c)
        nan = np.isnan(wanted)
        assert (np.isnan(found) == nan).all()
        assert (found.view(np.uint32)[~nan] == wanted.view(np.uint32)[~nan]).all()


@pytest.mark.parametrize("target", ["sse", "avx"])
def test_a_fused_multiply_add_by_f64_is_proved(target: str) -> None:
    kernel = ts.equation(lambda a, b, c: ts.fma(a, b, c), target=target, a=(1, 3), b=(1, 3), c=(1, 3))
    assert kernel.verify()


@pytest.mark.parametrize("before, after", [(0x3FEFFFFFFFFFFFFF, 0x3FEFFFFFFFFFFFFE), (1, 3)])
def test_a_sum_rounded_in_another_way_is_not_taken_for_it(before: int, after: int) -> None:
    """Another neighbour, or another bit that is set for lost bits, is not proved."""
    kernel = ts.equation(lambda a, b, c: ts.fma(a, b, c), target="sse", a=(1, 3), b=(1, 3), c=(1, 3))
    old, new = (number.to_bytes(8, "little") * 2 for number in (before, after))
    assert kernel.code.count(old) >= 1
    wrong = kernel.code.replace(old, new)
    assert not verify(wrong, kernel.target, kernel.spec, kernel.kind)
