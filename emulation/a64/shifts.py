"""Shifts of vectors by vectors and by constants. Maps operations to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core.closures import Run, called
from .lanes import accumulated, lanes, narrowing, places, swapped, wide
from .operands import A64Context, Array, Semantic

Function = Callable[..., Array]


def _by_vector(rounds: bool, saturates: bool, whole: bool) -> Function:
    """Shift by the elements of a vector (NEON: their lowest bytes), to the right if the amount is negative."""

    def one(value: int, by: int, bits: int, info: Any) -> int:
        if by >= 0:
            result = value << min(by, 2 * bits)
        else:
            down = min(-by, 2 * bits)
            result = (value + (rounds << down - 1)) >> down
        if saturates:
            return int(min(max(result, info.min), info.max))
        return result & (1 << bits) - 1

    def function(a: Array, b: Array) -> Array:
        bits, info = 8 * a.dtype.itemsize, np.iinfo(a.dtype)
        amounts = b.view(f"i{b.dtype.itemsize}")
        by = np.broadcast_to(amounts if whole else amounts.astype(np.int8), a.shape).tolist()
        values = [one(value, step, bits, info) for value, step in zip(a.tolist(), by)]
        return np.array([value & (1 << bits) - 1 for value in values], f"u{a.dtype.itemsize}").view(a.dtype)

    return function


def _right(rounds: bool) -> Function:
    """sshr, srshr: shift right by a constant, at most the element's size."""

    def function(a: Array, by: Array) -> Array:
        step = int(np.asarray(by).reshape(-1)[0])
        if step == 0:
            return a
        first = a >> a.dtype.type(step - 1)
        result: Array = (first >> a.dtype.type(1)) + (first & a.dtype.type(1) if rounds else a.dtype.type(0))
        return result

    return function


def _left(a: Array, by: Array) -> Array:
    """Shift left by a constant below the element's size."""
    result: Array = a << a.dtype.type(int(np.asarray(by).reshape(-1)[0]))
    return result


def _variable(left: bool) -> Function:
    """SVE lsl, lsr, asr: an amount of at least the element's size gives zeros, or copies of the sign."""

    def function(a: Array, by: Array) -> Array:
        bits = 8 * a.dtype.itemsize
        amount = by.view(f"u{by.dtype.itemsize}").astype(np.uint64)
        amount = np.broadcast_to(amount, a.shape)
        kept = np.minimum(amount, np.uint64(bits - 1)).astype(a.dtype)
        moved = a << kept if left else a >> kept
        result: Array = moved if a.dtype.kind == "i" and not left else np.where(amount < bits, moved, a.dtype.type(0))
        return result

    return function


def _shifted_by_vector(rounds: bool, saturates: bool, kind: str, reverse: bool, ctx: A64Context) -> Run:
    """sshl, srshl, sqshl, sqrshl, by a vector or a constant; `reverse` swaps the sources."""
    function = _by_vector(rounds, saturates, ctx.lanes(0).scalable)
    return lanes(swapped(function) if reverse else function, kind, 2)(ctx)


def _shift(left: bool, kind: str) -> Semantic:
    """lsl, lsr, asr of vectors: by a vector, by 64-bit elements, or by a constant."""
    function = _variable(left)

    def predecode(ctx: A64Context) -> Run:
        size = ctx.lanes(0).size
        a, b = places(ctx, 2)[-2:]
        value, write = ctx.source(a, kind, size), ctx.target(0, kind)
        if not ctx.is_vector(b):
            by = ctx.source(b, kind, size)
        elif ctx.lanes(b).size == size:
            by = ctx.source(b, "u")
        else:
            amounts, each_one = ctx.source(b, "u", 8), 8 // size
            by = lambda: np.repeat(amounts(), each_one)  # noqa: E731
        return called(function, [value, by], write)

    return predecode


def _inserted(left: bool) -> Function:
    """sli, sri: insert the shifted bits; the destination keeps its bits where zeros would be shifted in."""

    def function(d: Array, a: Array, by: Array) -> Array:
        bits, step = 8 * d.dtype.itemsize, int(np.asarray(by).reshape(-1)[0])
        ones = (1 << bits) - 1
        mask = (ones << step if left else ones >> step) & ones
        by_step = a.dtype.type(step % bits)
        moved = a & a.dtype.type(0) if step == bits else a << by_step if left else a >> by_step
        result: Array = d & d.dtype.type(mask ^ ones) | moved
        return result

    return function


def _shift_narrow(rounds: bool, to: str = "") -> Function:
    def function(a: Array, by: Array) -> Array:
        step, narrow = int(np.asarray(by).reshape(-1)[0]), np.dtype(f"{to or a.dtype.kind}{a.dtype.itemsize // 2}")
        values = [(v + (rounds << step - 1)) >> step for v in a.tolist()]
        info = np.iinfo(narrow)
        return np.array([min(max(v, info.min), info.max) for v in values], narrow)

    return function


def _truncated_shift(rounds: bool) -> Function:
    def function(a: Array, by: Array) -> Array:
        step, half = int(np.asarray(by).reshape(-1)[0]), a.dtype.itemsize // 2
        ones = (1 << 8 * half) - 1
        return np.array([(v + (rounds << step - 1)) >> step & ones for v in a.tolist()], f"u{half}")

    return function


def _table() -> dict[str, Semantic]:
    table: dict[str, Semantic] = {
        "shl": lanes(_left, "u", 2),
        "lsl": _shift(True, "u"),
        "lsr": _shift(False, "u"),
        "asr": _shift(False, "i"),
        "lslr": lanes(swapped(_variable(True)), "u", 2),
        "lsrr": lanes(swapped(_variable(False)), "u", 2),
        "asrr": lanes(swapped(_variable(False)), "i", 2),
        "sli": lanes(_inserted(True), "u", 3),
        "sri": lanes(_inserted(False), "u", 3),
        "shll": wide(_left, "u", 2),
        "shll2": wide(_left, "u", 2),
    }
    for sign, kind in (("s", "i"), ("u", "u")):
        for name, rounds, saturates in (
            ("shl", False, False),
            ("rshl", True, False),
            ("qshl", False, True),
            ("qrshl", True, True),
        ):
            table[sign + name] = partial(_shifted_by_vector, rounds, saturates, kind, False)
            if rounds or saturates:
                table[f"{sign}{name}r"] = partial(_shifted_by_vector, rounds, saturates, kind, True)
        for name, rounds in (("", False), ("r", True)):
            table[f"{sign}{name}shr"] = lanes(_right(rounds), kind, 2)
            table[f"{sign}{name}sra"] = accumulated(kind, _right(rounds))
    for end in ("", "2", "b", "t"):
        for name, rounds in (("", False), ("r", True)):
            for sign, kind in (("s", "i"), ("u", "u")):
                table[f"{sign}q{name}shrn{end}"] = narrowing(_shift_narrow(rounds), kind, 2)
            table[f"sq{name}shrun{end}"] = narrowing(_shift_narrow(rounds, "u"), "i", 2, "u")
            table[f"{name}shrn{end}"] = narrowing(_truncated_shift(rounds), "u", 2)
        for sign, kind in (("s", "i"), ("u", "u")):
            table[f"{sign}shll{end}"] = wide(_left, kind, 2)
    return table


TABLE: dict[str, Semantic] = _table()
