"""Rewrites of integers: sums, bounds, extrema, and integers held in floats. The rules are listed in `rewrites`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .values import Operation, Simplify, Table, place

_Args = tuple[int, ...]
_ORDERS = ("greater", "greater_equal", "less", "less_equal")


def node_of(table: Table, key: tuple[Any, ...], function: Any, types: Sequence[str], to: str, *args: int) -> int:
    """Return the node of an operation on nodes."""
    return table.applied(key, function, types, to, args)


def summed(table: Table, args: _Args, size: int) -> int | None:
    """Simplify x + 0, order the terms of short integer sums by their node numbers, and add their constants up."""
    plain = next((b for a, b in (args, args[::-1]) if table.value(a) == 0), None)
    if plain is not None:
        return plain
    name, waiting = f"u{size}", list(args)
    parts: list[int] = []
    while waiting and len(parts) < _SUMMANDS:
        operation, inner = table.parts(node := waiting.pop())
        if operation is not None and operation.key == ("add", name):
            waiting.extend(inner)
        else:
            parts.append(node)
    if waiting or len(parts) < 3:
        return None
    constants = [value for part in parts if (value := table.value(part)) is not None]
    if len(constants) > 1:
        parts = [part for part in parts if table.value(part) is None]
        parts.append(table.constant(sum(constants) % (1 << 8 * size), size))
    total, *rest = sorted(parts)
    for at, part in enumerate(rest):
        pair = (min(total, part), max(total, part))
        if at == len(rest) - 1 and pair == (min(args), max(args)):
            return None
        total = node_of(table, ("add", name), np.add, (name, name), name, *pair)
    return total


_SUMMANDS = 6


def differing(table: Table, args: _Args, size: int) -> int | None:
    """Order the operands of short chains of exclusive ORs with a constant, which comes last."""
    name, waiting, number, parts = f"u{size}", list(args), 0, list[int]()
    while waiting and len(parts) < _OPERANDS:
        operation, inner = table.parts(node := waiting.pop())
        value = table.value(node)
        if operation is not None and operation.key == ("bitwise_xor", name):
            waiting.extend(inner)
        elif value is not None:
            number ^= value
        else:
            parts.append(node)
    if waiting or len(parts) < 2 or not number or len(set(parts)) < len(parts):
        return None
    total, *rest = sorted(parts)
    for part in (*rest, table.constant(number, size)):
        pair = (min(total, part), max(total, part))
        if pair == (min(args), max(args)):
            return None
        total = node_of(table, ("bitwise_xor", name), np.bitwise_xor, (name, name), name, *pair)
    return total


_OPERANDS = 4


def upper(table: Table, args: _Args, size: int) -> int | None:
    """Simplify 0 - x, and a sign extension of upper bits that is computed without an arithmetic shift."""
    if table.value(args[0]) == 0:
        return node_of(table, ("negative", f"u{size}"), np.negative, (f"u{size}",), f"u{size}", args[1])
    (operation, inner), number = table.parts(args[0]), table.value(args[1])
    if number is None or operation is None or operation.name != "bitwise_xor" or args[1] not in inner:
        return None
    shift, of = table.parts(inner[inner[0] == args[1]])
    by = table.value(of[1]) if shift is not None and shift.key == ("right_shift", f"u{size}") else None
    if by is None or number != 1 << 8 * size - 1 - by:
        return None
    name = f"i{size}"
    return node_of(table, ("right_shift", name), np.right_shift, (name, name), name, *of)


def bounds(table: Table, node: int, size: int, depth: int = 4) -> tuple[int, int]:
    """Return the range of a signed integer as far as its form shows it. `depth` limits the recursion into
    selections."""
    value, half = table.value(node), 1 << 8 * size - 1
    if value is not None:
        return (value - 2 * half if value >= half else value,) * 2
    if node & 1:
        data = table.specials[node >> 1]
        zeros = next(at for at in range(size) if data[size - 1 - at] != -1)
        whole, first = place(data[0]) if data[0] >= 0 else (0, 1)
        if not first and data == tuple(range(data[0], data[0] + size)):  # the low bytes of a longer integer
            low, high = bounds(table, whole, table.size(whole))
            if -half <= low and high < half:
                return low, high
        return (0, (1 << 8 * (size - zeros)) - 1) if zeros else (-half, half - 1)
    return _bounds_of_result(table, node, size, depth)


def _bounds_of_result(table: Table, node: int, size: int, depth: int) -> tuple[int, int]:
    """Return the range of the result of an operation, as `bounds`."""
    operation, args = table.parts(node)
    half = 1 << 8 * size - 1
    every = -half, half - 1
    if operation is None:
        return every
    signed = operation.to[0] == "i"
    if operation.name == "right_shift" and 0 < (by := table.value(args[1]) or 0) < 8 * size:
        return (-half >> by, half - 1 >> by) if signed else (0, (2 * half - 1) >> by)
    if operation.name == "bitwise_and":
        least = [value for arg in args if (value := table.value(arg)) is not None and value < half]
        return (0, min(least)) if least else every
    if operation.name == "absolute" and signed:
        low, high = bounds(table, args[0], size)
        return (0, max(-low, high)) if low > -half else every
    if operation.name in ("minimum", "maximum") and operation.to[0] in "iu":
        choose = min if operation.name == "minimum" else max
        ends = [bounds(table, arg, size) for arg in args]
        positive = min(ends)[0] >= 0
        return (choose(low for low, _ in ends), choose(high for _, high in ends)) if signed or positive else every
    if operation.name == "where" and depth:
        ends = [bounds(table, arg, size, depth - 1) for arg in args[1:]]
        return min(low for low, _ in ends), max(high for _, high in ends)
    if operation.name == "astype" and operation.types[0][0] == "i":
        narrow = 1 << 8 * int(operation.types[0][1]) - 1
        return -narrow, narrow - 1
    return every


def extremum_of_where(
    table: Table, operation: Operation, inner: _Args, first: int, second: int, size: int
) -> int | None:
    """Return the maximum, minimum or absolute value that a selection by an order of integers is, or None."""
    kind = operation.types[0]
    if operation.name in _ORDERS and kind[0] in "iu" and {first, second} == set(inner):  # where(a > b, a, b)
        largest = (operation.name in _ORDERS[:2]) == (inner[0] == first)
        function = np.maximum if largest else np.minimum
        return node_of(table, (function.__name__, kind), function, operation.types, kind, *inner)
    if operation.name in ("greater", "less") and kind[0] == "i":
        zero, x = inner if operation.name == "greater" else inner[::-1]
        negated, of = table.parts(first)
        flips = negated is not None and negated.name == "negative" and of == (x,)
        if flips and table.value(zero) == 0 and x == second and kind == (name := f"i{size}"):
            return node_of(table, ("absolute", name), np.absolute, (name,), name, x)  # where(0 > x, -x, x)
    return None


def absolute(table: Table, args: _Args, size: int) -> int | None:
    return args[0] if bounds(table, args[0], size)[0] >= 0 else None


def extremum(least: bool, signed: bool = True) -> Simplify:
    """Simplify a minimum or maximum of integers whose ranges show the result. Unsigned ones may have no highest bit
    set."""
    function = np.minimum if least else np.maximum

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        if args[0] == args[1]:
            return args[0]
        for first, second in (args, args[::-1]):
            mine, other = bounds(table, first, size), bounds(table, second, size)
            if not signed and min(mine[0], other[0]) < 0:
                return _of_longer(table, function, first, other[0], size, False) if other[0] == other[1] >= 0 else None
            if mine[1] <= other[0] if least else mine[0] >= other[1]:
                return first
            if signed and other[0] == other[1]:
                made = _held(table, function, first, other[0], size)
                if made is not None:
                    return made
        return None

    return simplify


def _held(table: Table, function: Any, node: int, number: int, size: int) -> int | None:
    """Apply min(min(x, a), b) = min(x, min(a, b)), and max(min(x, a), b) = min(max(x, b), a) for b <= a. The extremum
    of the low bytes of a longer integer that fits into them is the low bytes of its extremum."""
    if node & 1:
        return _of_longer(table, function, node, number, size, True)
    operation, inner = table.parts(node)
    if operation is None or operation.name not in ("minimum", "maximum") or operation.types[0] != f"i{size}":
        return None
    for of, constant in (inner, inner[::-1]):
        low, own = bounds(table, constant, size)
        if low == own and operation.name == function.__name__:
            return _extreme(table, function, of, int(function(own, number)), size)
        if low == own and function is np.maximum and number <= own:
            return _extreme(table, np.minimum, _extreme(table, np.maximum, of, number, size), own, size)
    return None


def _extreme(table: Table, function: Any, node: int, number: int, size: int) -> int:
    name, constant = f"i{size}", table.constant(number % (1 << 8 * size), size)
    return node_of(table, (function.__name__, name), function, (name, name), name, node, constant)


def _of_longer(table: Table, function: Any, node: int, number: int, size: int, signed: bool) -> int | None:
    data = table.specials[node >> 1] if node & 1 else (-1,)
    whole, first = place(data[0]) if data[0] >= 0 else (0, 1)
    if first or data != tuple(range(data[0], data[0] + size)):
        return None
    wide, half = table.size(whole), 1 << 8 * size - 1
    low, high = bounds(table, whole, wide)
    if low < (-half if signed else 0) or high >= (half if signed else 2 * half):
        return None
    return table.joined(table.split(_extreme(table, function, whole, number, wide), wide)[:size])


_MAGIC = 0x4338000000000000
"""1.5 2^52 in f64. Adding a 52-bit signed integer to its bits adds the integer to the number."""
_EXACT = {4: 1 << 24, 8: 1 << 53}


def small(table: Table, args: _Args, size: int) -> int | None:
    """Recognise a small integer that was converted to f64 through the low bits of a large number."""
    if size != 8 or not (args[0] & 1 or args[1] & 1):
        return None
    for large, bits in (args, args[::-1]):
        operation, inner = table.parts(bits)
        if table.value(large) != _MAGIC | 1 << 63 or operation is None or operation.key != ("add", "u8"):
            continue
        number = next((b for a, b in (inner, inner[::-1]) if table.value(a) == _MAGIC), None)
        low, high = (0, 1 << 52) if number is None else bounds(table, number, 8)
        if number is not None and low >= -(1 << 51) and high < 1 << 51:
            return node_of(table, ("astype", "i8", "f8"), lambda x: x.astype(np.float64), ("i8",), "f8", number)
    return None


def _integer_in(table: Table, node: int) -> tuple[int, str, int, int] | None:
    """Return the integer, its type and its bounds for a float that is exactly that integer, or None."""
    operation, args = table.parts(node)
    if operation is not None and operation.key in (("astype", "f4", "f8"), ("extend", "f4", np.dtype(np.float64))):
        return _integer_in(table, args[0])
    if operation is None or operation.name != "astype" or operation.types[0][0] not in "iu" or operation.to[0] != "f":
        return None
    low, high = bounds(table, args[0], int(operation.types[0][1]))
    exact = _EXACT.get(table.size(node), 0)
    if max(-low, high) > exact or (operation.types[0][0] == "u" and low < 0):
        return None
    return args[0], operation.types[0], low, high


def whole(table: Table, args: _Args, size: int) -> int | None:
    return args[0] if _integer_in(table, args[0]) is not None else None


def never(table: Table, args: _Args, size: int) -> int | None:
    """Return false for isnan of an integer held in a float."""
    return table.constant(0, 1) if _integer_in(table, args[0]) is not None else None


def within(function: Any) -> Simplify:
    """Simplify a comparison of an integer held in a float with a constant, if it has the same result at both bounds."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        for at, node in enumerate(args):
            found, value = _integer_in(table, node), table.value(args[1 - at])
            if found is None or value is None:
                continue
            wide = table.size(node)
            number = np.array([value], f"u{wide}").view(f"f{wide}")[0]
            ends = {bool(function(end, number) if not at else function(number, end)) for end in map(float, found[2:])}
            if len(ends) == 1 and not np.isnan(number):
                return table.constant(int(ends.pop()), 1)
        return None

    return simplify


def as_it_was(table: Table, args: _Args, size: int) -> int | None:
    """Return the original integer if a float converted from it is converted back to its type."""
    found = _integer_in(table, args[0])
    return found[0] if found is not None and found[1] == f"i{size}" else None
