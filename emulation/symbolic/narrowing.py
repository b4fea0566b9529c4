"""Recognise roundings that code implements with other operations, by the shape of their expression.

    source(table, node)      the f32 that a 16-bit node is rounded from, or None if its shape is not a known one
    half(table, node)        the conversion to f16 that a node computes by integer operations, or None
    to_odd(product, sum)     an f64 sum rounded to odd; rounding it to f32 gives the fused multiply-add of three f32

Code without conversion instructions rounds to bf16 and f16 with integer operations. Each known form is proved for all
2^32 numbers.

The shape of a node is the tree of its operations over the only float below it, ignoring the order of commuting
operands. A shape is listed in SHAPES after all 2^32 numbers were tried (tests/emulation/symbolic/test_narrowing.py,
--soak): finite numbers become the nearest bf16, ties to even, where denormals may become zeros, and NaN stays NaN.

A rounding to f16 multiplies and rounds floats on its way, so its shape is that over a given float, a part whose sign
the code clears. The shapes in HALVES make the bits of the conversion instruction for all 2^32 numbers.

A fused multiply-add of f32 is computed from the product of two f32, which is exact in f64, and a sum that is rounded to
odd and then to f32: Boldo and Melquiond, IEEE TC 57 (2008), theorem 3. A conversion is recognised as one only if
`to_odd`, executed on the three operands found in the code, makes the same node. So an expression that merely looks
similar is not recognised.
"""

from __future__ import annotations

import hashlib
import struct
from itertools import permutations
from typing import Any

import numpy as np

from ..numerics.fp import convert
from ..numerics.rounding import F16
from .lanes import COMMUTING, lane
from .rewrites import SIMPLIFIERS
from .rules import FUNCTIONS, NodePattern
from .values import Operation, Table, place

SHAPES = frozenset(("a4d23f7a4d91f1cb70598525fdf95e75",))
"""The shape that AVX2 and AVX-512 use without conversion instructions. The rewrites make both of them the same."""
HALVES = frozenset(("09e594c917e16ebdf6bb8aa3e3b36c55",))
"""The shapes of roundings to f16, over the float that is rounded."""
_MOST = 64  # the most operations of a shape


def source(table: Table, node: int) -> int | None:
    """Return the f32 that a node is rounded from, or None."""
    found = shape_of(table, node)
    return found[1] if found is not None and found[0] in SHAPES else None


def shape_of(table: Table, node: int) -> tuple[str, int] | None:
    """Return the shape of a node and the only float below it, or None if there is not exactly one float."""
    known: dict[int, str] = {}
    found: set[int] = set()
    try:
        shape = _shape(table, node, known, found)
    except _NoShape:
        return None
    return (shape, found.pop()) if len(found) == 1 else None


class _NoShape(Exception):
    """The node has more operations, or more floats, than a rounding."""


def half(table: Table, node: int) -> int | None:
    """Return the conversion of an f32 to f16 that a node computes by integer operations, or None."""
    for part in _without_signs(table, node):
        if shape_over(table, node, part) in HALVES:
            value: Any = lane(table, part, np.float32)
            converted: Any = convert(value, F16)
            return int(converted.nodes()[0])
    return None


def shape_over(table: Table, node: int, part: int) -> str:
    """Return the shape of a node over one of its parts, or "" if it has others."""
    try:
        return _shape(table, node, {part: f"x{table.size(part)}"}, None)
    except _NoShape:
        return ""


def _without_signs(table: Table, node: int) -> list[int]:
    """Return the f32 below a 16-bit node, the lower half of 32 bits, whose signs are cleared."""
    data = table.specials[node >> 1] if node & 1 else ()
    if len(data) != 2 or min(data) < 0 or place(data[0])[1] or table.size(place(data[0])[0]) != 4:
        return []
    found: dict[int, None] = {}
    seen, level = {node}, [node]
    while level and len(seen) < _MOST:
        below = [arg for each in level for arg in table.arguments(each)]
        level = [arg for arg in dict.fromkeys(below) if arg not in seen]
        seen.update(level)
        for operation, args in map(table.parts, level):
            if operation is not None and operation.key == ("bitwise_and", "u4"):
                found |= {a: None for a, b in (args, args[::-1]) if table.value(b) == 0x7FFFFFFF}
    return list(found)


def _shape(table: Table, node: int, known: dict[int, str], floats: set[int] | None) -> str:
    """Return the shape of a node, over the floats below it, which are added to `floats`, or over what is known."""
    if node in known:
        return known[node]
    if len(known) > _MOST or (floats is not None and len(floats) > 1):
        raise _NoShape
    if node & 1:
        made = [
            str(byte) if byte < 0 else f"{place(byte)[1]} of {_shape(table, place(byte)[0], known, floats)}"
            for byte in table.specials[node >> 1]
        ]
        text = f"bytes {made}"
    else:
        operation, args = table.parts(node)
        if operation is None or (floats is not None and (operation.to[0] == "f" or operation.name == "convert")):
            if floats is None:
                raise _NoShape
            floats.add(node)
            text = f"x{table.size(node)}"
        else:
            text = _applied(operation, [_shape(table, arg, known, floats) for arg in args])
    known[node] = made_text = text if len(text) < 80 else hashlib.sha256(text.encode()).hexdigest()[:32]
    return made_text


def _applied(operation: Operation, parts: list[str]) -> str:
    if operation.key[0] in COMMUTING:
        parts[:2] = sorted(parts[:2])
    return f"{operation.key} {parts}"


# Fused multiply-adds of f32, computed in f64

_BELOW_ONE = np.uint64(0x3FEFFFFFFFFFFFFF).view(np.float64)
"""1 - 2^-53. A product with it is the next number towards zero."""
_SIGN = np.uint64(1 << 63)
_ROUNDED_TO_ODD = NodePattern("f", "where(p, x, y + z) | where(q, 1, 0)")
"""The form of `to_odd`, a sum of y and z."""
_WIDENED = ("extend", "f4", np.dtype(np.float64))


def to_odd(product: Any, addend: Any) -> Any:
    """Return product + addend in f64, rounded to odd: the last bit is set if bits were lost. Infinities and NaN stay
    unchanged. The operands are nodes or numbers. The rounding error of the sum is computed exactly (Knuth, TAOCP 2,
    4.2.2, theorem B)."""
    zero = np.float64(0)
    total = product + addend
    part = total - product
    lost = (product + (part - total)) + (addend - part)
    inexact = zero < (lost.view(np.uint64) & ~_SIGN).view(np.float64)
    signs = np.where(inexact, total.view(np.uint64) ^ lost.view(np.uint64), np.uint64(0))
    away = signs >> np.uint64(63) != np.uint64(0)
    nearer = np.where(away, (total * _BELOW_ONE).view(np.uint64), total.view(np.uint64))
    return (nearer | np.where(inexact, np.uint64(1), np.uint64(0))).view(np.float64)


def _fused(table: Table, args: tuple[int, ...], size: int) -> int | None:
    """Return the fused multiply-add that an f64 rounded to f32 computes, or None."""
    sums = _ROUNDED_TO_ODD.parts(table, args[0])
    for product, addend in permutations((sums["y"], sums["z"])) if sums is not None else ():
        operation, factors = table.parts(product)
        three = [_narrow(table, each) for each in (*factors, addend)]
        if operation is None or operation.key != ("multiply", "f8") or None in three:
            continue
        lanes = (lane(table, node, np.float64) for node in (product, addend))
        if int(to_odd(*lanes).nodes()[0]) == args[0]:
            a, b, c = (each for each in three if each is not None)
            return table.applied(("fma", "f4"), FUNCTIONS["fma"], ("f4",) * 3, "f4", (min(a, b), max(a, b), c))
    return None


def _narrow(table: Table, node: int) -> int | None:
    """Return the f32 that an f64 extends, or None."""
    operation, args = table.parts(node)
    if operation is not None:
        return args[0] if operation.key == _WIDENED else None
    value = table.value(node)
    if value is None:
        return None
    number = np.uint64(value).view(np.float64)
    narrow = np.float32(number)
    same = float(narrow) == float(number) and np.signbit(narrow) == np.signbit(number)
    return table.constant(struct.unpack("<I", narrow.tobytes())[0], 4) if same else None


SIMPLIFIERS["convert f8 f32"] = _fused
