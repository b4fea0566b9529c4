"""Rewrites of symbolic values keep the value that numpy gives, on end values and drawn inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilesmith.emulation.symbolic import machine as machine  # the import registers all rewrites
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.equality import Prover
from tilesmith.emulation.symbolic.lanes import Lanes
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.sweep import equal as equal_by_parts
from tilesmith.emulation.symbolic.values import Table

I4, U4, F4, I8, F8 = (np.dtype(name) for name in ("i4", "u4", "f4", "i8", "f8"))
SPECIAL = {
    "f": [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 2.0**24, 2.0**-149],
    "i": [0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32768, 2**31 - 1, -(2**31)],
}


def mask(condition: Any, size: int) -> Any:
    return -condition.astype(np.dtype(f"i{size}"))


def magic(x: Any, by: int) -> Any:
    """Return the upper bits of an integer in f64, by way of the last bits of 1.5 * 2^52."""
    top = np.uint64(1 << 63 - by)
    number = ((x.view(np.uint64) >> np.uint64(by)) ^ top) - top
    return (number + np.uint64(0x4338000000000000)).view(np.float64) - np.float64(1.5 * 2**52)


RULES: dict[str, tuple[Callable[..., Any], tuple[np.dtype[Any], ...], str]] = {
    "0 - x": (lambda x: np.int32(0) - x, (I4,), "negative"),
    "|x|": (lambda x: np.where(np.int32(0) > x, np.int32(0) - x, x), (I4,), "absolute"),
    "a <= b": (lambda a, b: (a < b) | (a == b), (F4, F4), "less_equal"),
    "a >= b": (lambda a, b: (a == b) | (a > b), (F4, F4), "greater_equal"),
    "a != b": (lambda a, b: ((a < b) | (a > b)) | (np.isnan(a) | np.isnan(b)), (F4, F4), "not_equal"),
    "no a != b": (lambda a, b: ((a < b) | (a > b)) | (np.isnan(a) | np.isnan(a)), (F4, F4), "bitwise_or"),
    "masks and": (lambda a, b: mask(a < b, 4) & mask(a == a, 4), (F4, F4), "negative"),
    "masks or": (lambda a, b: mask(a < b, 4) | mask(a != a, 4), (F4, F4), "negative"),
    "mask inverted": (lambda a, b: mask(a < b, 4) ^ np.int32(-1), (F4, F4), "negative"),
    "mask where": (lambda a, b: np.where(a < b, mask(b > a, 4), np.int32(0)), (F4, F4), "negative"),
    "zero where": (lambda a, b: np.where(a <= b, np.int32(0), mask(b > a, 4)), (F4, F4), "negative"),
    "inverted where": (lambda a, b: np.where(~(a < b), a, b), (F4, F4), "where"),
    "bits of both": (
        lambda a, b: (
            np.where(a < b, a.view(np.uint32), np.uint32(0)) | np.where(~(a < b), b.view(np.uint32), np.uint32(0))
        ),
        (F4, F4),
        "where",
    ),
    "signed shift": (
        lambda x: ((x.view(np.uint32) >> np.uint32(20)) ^ np.uint32(2048)) - np.uint32(2048),
        (I4,),
        "right_shift",
    ),
    "other shift": (
        lambda x: ((x.view(np.uint32) >> np.uint32(20)) ^ np.uint32(1024)) - np.uint32(1024),
        (I4,),
        "subtract",
    ),
    "magic": (lambda x: magic(x, 52), (I8,), "astype"),
    "magic beyond": (lambda x: magic(x, 8), (I8,), "add"),
    "whole": (lambda x: np.trunc((x & np.int32(0xFFFF)).astype(np.float32)), (I4,), "astype"),
    "not whole": (lambda x: np.trunc(x.astype(np.float32)), (I4,), "trunc"),
    "back": (lambda x: (x & np.int32(0xFFFF)).astype(np.float32).astype(np.int32), (I4,), ""),
    "largest of itself": (lambda x: np.maximum(x, x), (I4,), ""),
    "unsigned": (lambda x: np.minimum(x.view(np.uint32) >> np.uint32(7), np.uint32(1 << 25)), (I4,), "right_shift"),
    "held twice": (
        lambda x: np.minimum(
            np.maximum(np.clip(x, np.int32(-32768), np.int32(32767)).astype(np.int16), np.int16(-128)), np.int16(127)
        ).astype(np.int8),
        (I4,),
        "",
    ),
    "held twice, unsigned": (
        lambda x: np.minimum(np.clip(x, np.int32(0), np.int32(65535)).astype(np.uint16), np.uint16(255)).astype(
            np.uint8
        ),
        (I4,),
        "",
    ),
    "held in another order": (lambda x: np.maximum(np.minimum(x, np.int32(7)), np.int32(9)), (I4,), ""),
    "largest of two": (lambda x: np.maximum(np.maximum(x, np.int32(7)), np.int32(-9)), (I4,), "maximum"),
    "held in order": (lambda x: np.maximum(np.minimum(x, np.int32(7)), np.int32(-9)), (I4,), "minimum"),
    "unsigned beyond": (lambda x: np.maximum(x.view(np.uint32), np.uint32(5)), (I4,), "maximum"),
}


def inputs(dtype: np.dtype[Any], seed: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    ends = np.array(SPECIAL["f" if dtype.kind == "f" else "i"], dtype)
    drawn = rng.integers(0, 256, 400 * dtype.itemsize, np.uint8).view(dtype)
    return np.concatenate([np.repeat(ends, len(ends)) if seed else np.tile(ends, len(ends)), drawn])


@pytest.mark.parametrize("name", RULES)
def test_a_rewrite_has_the_same_value(name: str) -> None:
    function, types, key = RULES[name]
    table = Table(SIMPLIFIERS)
    leaves = [int(table.inputs(f"x{at}", 1, each.itemsize)[0]) for at, each in enumerate(types)]
    given = [Lanes(table.bytes_of(np.array([leaf]), each.itemsize), each, table) for leaf, each in zip(leaves, types)]
    made = function(*given)
    node = int(made.nodes()[0])
    operation, _ = table.parts(node)
    assert (operation.name if operation is not None else "") == key
    drawn = [inputs(each, at) for at, each in enumerate(types)]
    data = {leaf: each.view(np.uint8).reshape(len(each), -1) for leaf, each in zip(leaves, drawn)}
    with np.errstate(all="ignore"):
        wanted = np.ascontiguousarray(function(*drawn))
    found = np.ascontiguousarray(evaluated(table, [node], lambda leaf: data[leaf], len(wanted))[node])
    assert np.array_equal(found.reshape(-1).view(wanted.dtype), wanted, equal_nan=wanted.dtype.kind == "f")


def variables(kind: str, *names: str) -> tuple[Table, list[Lanes]]:
    table, dtype = Table(SIMPLIFIERS), np.dtype(kind)
    return table, [
        Lanes(table.bytes_of(table.inputs(each, 1, dtype.itemsize), dtype.itemsize), dtype, table) for each in names
    ]


def equal(table: Table, x: Any, y: Any) -> bool:
    return Prover(table, 4000).equal(int(x.nodes()[0]), int(y.nodes()[0]))


def test_the_order_of_integers_says_that_they_differ() -> None:
    table, (a, b, m) = variables("i4", "a", "b", "m")
    assert equal(table, np.where(((m > a) & (a == b)) | (a > b), a, b), np.maximum(a, b))
    assert not equal(table, np.where(((m > a) & (a == b)) | (a > b), a, m), np.maximum(a, b))


def test_the_order_of_floats_does_not_say_that_zeros_differ() -> None:
    table, (a, b) = variables("f4", "a", "b")
    one, zero = np.float32(1), np.float32(0)
    bits = a.view(np.int32) < b.view(np.int32)  # as integers, zeros of different sign differ
    assert not equal(table, np.where(bits, np.where(a == b, one, zero), zero), np.where(bits, zero, zero))


def test_a_float_is_itself_unless_it_is_a_nan() -> None:
    table, (a, b) = variables("f4", "a", "b")
    assert equal(table, np.where(a == a, a, b), np.where(np.isnan(a), b, a))
    assert not equal(table, np.where(a == a, a, b), a)


def test_facts_for_all_values_of_a_part_hold() -> None:
    table, (a, b) = variables("f4", "a", "b")
    total, nan = a + b, np.float32(np.nan)
    held, wanted = np.where(total == total, total, nan), np.where(np.isnan(total), nan, total)
    nodes = [int(each.nodes()[0]) for each in (held, wanted)]
    assert equal_by_parts(Prover(table, 3), nodes[0], nodes[1], False)
    assert not equal_by_parts(Prover(table), nodes[0], int((total + a).nodes()[0]), False)


def test_a_nan_with_another_sign_is_one() -> None:
    table, (a, b) = variables("f4", "a", "b")
    top, nan = np.uint32(1 << 31), np.uint32(0x7FC00000)
    quiet = np.where(np.isnan(a), (a.view(np.uint32) | nan).view(np.float32), a)
    assert equal(table, b + (quiet.view(np.uint32) ^ top).view(np.float32), b - a)
    assert not equal(table, b + (quiet.view(np.uint32) ^ np.uint32(1)).view(np.float32), b - a)
