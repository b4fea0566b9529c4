"""Rewrites of symbolic values. Each holds for all inputs, bit for bit, except for the payload and sign of a NaN.

x xor x = 0, x and 0 = 0...            AND, OR and XOR that only move bytes
a - b = a + -b                          for floats; -x flips the sign; 0 - x = -x for integers
a < b or a = b: a <= b                  for floats; a < b or a > b, or one is a NaN: a != b
where(0 > x, -x, x) = |x|               for integers
(-a) b + c = -(a) b + c, (-a)(-b) = a b; x / 1 = x
(x >> a) >> b = x >> (a + b), x + 0 = x, (a + b) + c = a + (b + c)       for integers
min(x, c) = x, max(x, c) = x, |x| = x, min(x, x) = x     for integers whose form shows that they never exceed c, or 0
min(min(x, a), b) = min(x, min(a, b)), max(min(x, a), b) = min(max(x, b), a) for b <= a, also in more bytes
(x & a) & b = x & (a & b), (x & a) | (x & b) = x & (a | b)      for constants a and b
(x << k) & a = x << k                   for a constant a with all bits from k on; (x ^ a) ^ y = (x ^ y) ^ a
x < c for integers whose form decides it; not (not c) = c; where(not c, a, b) = where(c, b, a)
where(isnan(x), x | bits, rint(x)) = rint(x)
where(c, x, x) = x                      and selections by constants; where(c, a, 0) | where(c, 0, b) = where(c, a, b)
((x >> k) ^ c) - c = x >> k             for n bits, unsigned on the left, signed on the right; c = 2^(n - 1 - k)
(1.5 2^52 as bits + n) - 1.5 2^52 = n   in f64, for an integer n whose form shows that it lies in [-2^51, 2^51)
trunc(n) = n, n < c, int(float(n)) = n  for an integer n in a float, whose form shows that it is exact
where(a > b, a, b) = max(a, b), where(a < b, a, b) = min(a, b)  for integers
the sign, or the truth value, of a mask (all ones if c holds, else zero) is c; AND, OR, XOR of masks are masks
m >> k = m                              for a mask m, signed
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .integer_rewrites import (
    absolute,
    as_it_was,
    bounds,
    differing,
    extremum,
    extremum_of_where,
    never,
    node_of,
    small,
    summed,
    upper,
    whole,
    within,
)
from .movements import bytewise
from .values import Operation, Simplify, Table

_Args = tuple[int, ...]


def flipped(table: Table, node: int, size: int) -> int:
    """Return the node with its highest bit flipped."""
    name = f"u{size}"
    top = table.constant(1 << 8 * size - 1, size)
    first, second = sorted((node, top))
    return node_of(table, ("bitwise_xor", name), np.bitwise_xor, (name, name), name, first, second)


def unsigned_part(table: Table, node: int, size: int) -> tuple[int, bool]:
    """Return the node without a flip of its highest bit, and whether there was one."""
    if node & 1:
        return node, False
    operation, args, _ = table.entries[node >> 1]
    if isinstance(operation, Operation) and operation.key[0] == "bitwise_xor":
        top = table.constant(1 << 8 * size - 1, size)
        if top in args:
            return args[0] if args[1] == top else args[1], True
    return node, False


def _xor(table: Table, args: _Args, size: int) -> int | None:
    moved = bytewise("bitwise_xor", table.split(args[0], size), table.split(args[1], size))
    if moved is not None:
        return table.joined(moved)
    for ones, mask in (args, args[::-1]):
        truth = truth_of(table, mask, size) if table.value(ones) == (1 << 8 * size) - 1 else None
        if truth is not None:
            return mask_of(table, _not(table, truth), size)
    for first, second in (args, args[::-1]):  # (x ^ c) ^ c
        operation, inner = table.parts(first)
        if operation is not None and operation.name == "bitwise_xor" and second in inner and second & 1:
            return inner[0] if inner[1] == second else inner[1]
    return differing(table, args, size)


def _and(table: Table, args: _Args, size: int) -> int | None:
    moved = bytewise("bitwise_and", table.split(args[0], size), table.split(args[1], size))
    if moved is not None:
        return table.joined(moved)
    for mask, other in (args, args[::-1]):
        operation, inner = table.parts(other)
        number = table.value(mask)
        if number is not None and not number & (number + 1):
            low, high = bounds(table, other, size)
            if low >= 0 and high <= number:
                return other
        if number is not None and operation is not None and operation.key == ("left_shift", f"u{size}"):
            by = table.value(inner[1])  # (x << k) & m, where m has all bits from k on
            if by is not None and by < 8 * size and number | (1 << by) - 1 == (1 << 8 * size) - 1:
                return other
        if number is not None and operation is not None and operation.key == ("bitwise_and", f"u{size}"):
            for kept, constant in (inner, inner[::-1]):  # (x & a) & b
                if (first := table.value(constant)) is not None:
                    name = f"u{size}"
                    return node_of(
                        table,
                        ("bitwise_and", name),
                        np.bitwise_and,
                        (name, name),
                        name,
                        *sorted((kept, table.constant(first & number, size))),
                    )
        base, inverted = _uninverted(table, mask, size)
        if inverted and base == other:  # x & ~x
            return table.constant(0, size)
        truth = truth_of(table, base, size)
        if truth is not None:
            name, zero = f"u{size}", table.constant(0, size)
            sides = (zero, other) if inverted else (other, zero)
            return node_of(table, ("where", size), np.where, ("b1", name, name), name, truth, *sides)
    return None


def _or(table: Table, args: _Args, size: int) -> int | None:
    moved = bytewise("bitwise_or", table.split(args[0], size), table.split(args[1], size))
    if moved is not None:
        return table.joined(moved)
    truths = [truth_of(table, each, size) for each in args]
    if truths[0] is not None and truths[1] is not None:
        return mask_of(table, _either(table, *truths), size)
    (f, first), (g, second) = (table.parts(each) for each in args)
    if f is not None and g is not None and f.key == g.key == ("bitwise_and", f"u{size}"):
        for kept in set(first) & set(second):  # (x & a) | (x & b)
            masks = [table.value(pair[pair[0] == kept]) for pair in (first, second)]
            if masks[0] is not None and masks[1] is not None:
                name, constant = f"u{size}", table.constant(masks[0] | masks[1], size)
                return node_of(
                    table, ("bitwise_and", name), np.bitwise_and, (name, name), name, *sorted((kept, constant))
                )
    if f is not None and g is not None and f.key == g.key == ("where", size) and first[0] == second[0]:
        zero = table.constant(0, size)
        if all(zero in pair for pair in zip(first[1:], second[1:])):  # where(c, a, 0) | where(c, 0, b)
            sides = [pair[pair[0] == zero] for pair in zip(first[1:], second[1:])]
            return node_of(table, f.key, f.function, f.types, f.to, first[0], *sides)
    return None


def _is_true(same: bool) -> Simplify:
    """Simplify a condition that is compared with true or false."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        for first, second in (args, args[::-1]):
            value = table.value(second)
            if value is not None:
                return first if bool(value) == same else _not(table, first)
        return None

    return simplify


def _uninverted(table: Table, node: int, size: int) -> tuple[int, bool]:
    """Return the node without an inversion of all its bits, and whether there was one."""
    operation, args = table.parts(node)
    if operation is not None and operation.name == "bitwise_xor":
        ones = table.constant((1 << 8 * size) - 1, size)
        if ones in args:
            return args[0] if args[1] == ones else args[1], True
    return node, False


def truth_of(table: Table, node: int, size: int) -> int | None:
    """Return the condition under which all bits of a node are set and otherwise none; None for other nodes."""
    value = table.value(node)
    if value in (0, (1 << 8 * size) - 1):
        return table.constant(int(bool(value)), 1)
    operation, args = table.parts(node)
    if operation is None or operation.name != "negative":
        return None
    return lifted(table, args[0])


def mask_of(table: Table, condition: int, size: int) -> int:
    """Return a node that has all bits set if a condition holds, and none otherwise."""
    name = f"u{size}"
    number = node_of(table, ("astype", "b1", name), lambda x: x.astype(name), ("b1",), name, condition)
    return node_of(table, ("negative", name), np.negative, (name,), name, number)


def _logic(name: str) -> Any:
    function = getattr(np, name)

    def made(table: Table, *args: int) -> int:
        return node_of(table, (name, "b1"), function, ("b1",) * len(args), "b1", *sorted(args))

    return made


_both, _either, _not = _logic("bitwise_and"), _logic("bitwise_or"), _logic("invert")


def lifted(table: Table, node: int) -> int | None:
    """Return the condition that a node converts to the number 0 or 1, or None."""
    operation, args = table.parts(node)
    if operation is not None and operation.key[:2] == ("astype", "b1"):
        return args[0]
    return None


def _shift(table: Table, args: _Args, size: int) -> int | None:
    operation, inner = table.parts(args[0])
    name = f"u{size}"
    if operation is not None and operation.key == ("right_shift", name):  # (x >> a) >> b
        first, second = table.value(inner[1]), table.value(args[1])
        if first is not None and second is not None and (total := first + second) < 8 * size:
            if total % 8 == 0:
                return table.joined((*table.split(inner[0], size)[total // 8 :], *(-1,) * (total // 8)))
            return node_of(
                table, ("right_shift", name), np.right_shift, (name, name), name, inner[0], table.constant(total, size)
            )
    truth = truth_of(table, args[0], size)
    if truth is not None and table.value(args[1]) == 8 * size - 1:
        return node_of(table, ("astype", "b1", name), lambda x: x.astype(name), ("b1",), name, truth)
    return None


def _arithmetic_shift(table: Table, args: _Args, size: int) -> int | None:
    """Combine two shifts. A mask stays itself: its sign is copied."""
    operation, inner = table.parts(args[0])
    if operation is not None and operation.key == ("right_shift", f"i{size}"):
        first, second = table.value(inner[1]), table.value(args[1])
        if first is not None and second is not None and first + second < 8 * size:
            name, total = f"i{size}", table.constant(first + second, size)
            return node_of(table, ("right_shift", name), np.right_shift, (name, name), name, inner[0], total)
    if truth_of(table, args[0], size) is not None:
        return args[0]
    cleared = operation is not None and operation.key == ("right_shift", f"u{size}") and bool(table.value(inner[1]))
    return _shift(table, args, size) if cleared else None


def _decided(absorbing: bool) -> Simplify:
    """Simplify an AND or OR of a condition with a constant, with itself, or with another comparison."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        for first, second in (args, args[::-1]):
            value = table.value(second)
            if value is not None:
                return second if bool(value) is absorbing else first
        if args[0] == args[1]:
            return args[0]
        return _one_comparison(table, *args) if absorbing else None

    return simplify


def _one_comparison(table: Table, first: int, second: int) -> int | None:
    """Return two comparisons of the same floats, of which one must hold, as one comparison, or None."""
    for one, other in ((first, second), (second, first)):
        (f, a), (g, b) = table.parts(one), table.parts(other)
        if f is None or g is None or f.types[:1] != g.types[:1] or f.types[0][0] != "f":
            continue
        if f.name in ("less", "greater") and g.name == "equal" and set(a) == set(b) and len(set(a)) == 2:
            function = np.less_equal if f.name == "less" else np.greater_equal
            return node_of(table, (function.__name__, f.types[0]), function, f.types, "b1", *a)
    return _unequal(table, first, second)


def _unequal(table: Table, first: int, second: int) -> int | None:
    """Return a != b for (a < b or a > b) or one of them is a NaN."""
    for orders, rest in ((first, second), (second, first)):
        pairs = []
        for node, names in ((orders, ["greater", "less"]), (rest, ["isnan", "isnan"])):
            operation, args = table.parts(node)
            parts = [table.parts(arg) for arg in args]
            if operation is None or operation.name != "bitwise_or" or any(each is None for each, _ in parts):
                break
            if sorted(each.name for each, _ in parts if each) != names:
                break
            pairs.append(parts)
        if len(pairs) < 2:
            continue
        (f, a), (g, b) = pairs[0]
        tested = {of[0] for _, of in pairs[1]}
        same = f is not None and g is not None and f.types == g.types and a == b and set(a) == tested
        if f is not None and same and f.types[0][0] == "f":
            return node_of(table, ("not_equal", f.types[0]), np.not_equal, f.types, "b1", *sorted(a))
    return None


def _not_equal(table: Table, args: _Args, size: int) -> int | None:
    for first, second in (args, args[::-1]):
        if table.value(second) == 0:
            found = lifted(table, first)
            return found if found is not None else truth_of(table, first, table.size(first))
    return None


def _inverted(table: Table, args: _Args, size: int) -> int | None:
    """Remove a double inversion of a condition."""
    operation, inner = table.parts(args[0])
    return inner[0] if operation is not None and operation.key == ("invert", "b1") else None


def _less(table: Table, args: _Args, size: int) -> int | None:
    number, wide = table.value(args[1]), table.size(args[0])
    if number is not None and number < 1 << 8 * wide - 1:  # the signed and the unsigned order agree
        low, high = bounds(table, args[0], wide)
        if low >= 0 and high < number:
            return table.constant(1, 1)
    return None


def _less_signed(table: Table, args: _Args, size: int) -> int | None:
    """The sign of a mask is its condition."""
    truth = truth_of(table, args[0], table.size(args[0])) if table.value(args[1]) == 0 else None
    return _less(table, args, size) if truth is None else truth


_WHOLE = ("rint", "floor", "ceil", "trunc")


def _where(table: Table, args: _Args, size: int) -> int | None:
    condition, first, second = args
    if first == second:
        return first
    value = table.value(condition)
    if value is not None:
        return first if value else second
    inverted, of = table.parts(condition)
    if inverted is not None and inverted.key == ("invert", "b1"):
        name = f"u{size}"
        return node_of(table, ("where", size), np.where, ("b1", name, name), name, of[0], second, first)
    for zero, mask in ((first, second), (second, first)):  # where(c, mask, 0), where(c, 0, mask)
        truth = truth_of(table, mask, size) if table.value(zero) == 0 and not mask & 1 else None
        if truth is not None:
            chosen = condition if mask == first else _not(table, condition)
            return mask_of(table, _both(table, chosen, truth), size)
    operation, inner = table.parts(condition)
    if operation is None:
        return None
    if operation.name == "isnan":
        return second if _differ_only_in_nan(table, inner[0], first, second, size) else None
    return extremum_of_where(table, operation, inner, first, second, size)


def _differ_only_in_nan(table: Table, x: int, first: int, second: int, size: int) -> bool:
    """Whether two values differ only in the sign or payload of a NaN if x is one."""
    base, _ = unsigned_part(table, second, size)
    if x == first == base:
        return True
    whole, of = table.parts(second)
    quiet, parts = table.parts(first)
    rounds = whole is not None and whole.name in _WHOLE and of[0] == x
    return rounds and quiet is not None and quiet.name == "bitwise_or" and x in parts


def _subtract(table: Table, args: _Args, size: int) -> int | None:
    first, second = args[0], flipped(table, args[1], size)
    name = f"f{size}"
    return node_of(table, ("add", name), np.add, (name, name), name, *sorted((first, second)))


def _negative(table: Table, args: _Args, size: int) -> int | None:
    return flipped(table, args[0], size)


_PRODUCTS = {2: "multiply", 3: "fma"}  # by the number of arguments


def _signs(table: Table, args: _Args, size: int) -> int | None:
    """Put the sign of a product on its first factor; two signs cancel."""
    if table.flips.isdisjoint(args[:2]):
        return None
    (a, first), (b, second) = (unsigned_part(table, each, size) for each in args[:2])
    if not (first or second):
        return None
    low, high = sorted((a, b))
    wanted = (flipped(table, low, size) if first != second else low, high)
    pair = tuple(sorted(wanted))
    if pair == tuple(args[:2]):
        return None
    operation = _PRODUCTS[len(args)]
    name = f"f{size}"
    return node_of(table, (operation, name), FUNCTIONS[operation], (name,) * len(args), name, *pair, *args[2:])


def _divided(table: Table, args: _Args, size: int) -> int | None:
    """A float divided by one is that float."""
    one = np.array([1], f"f{size}").view(f"u{size}")[0]
    return args[0] if table.value(args[1]) == int(one) else None


FUNCTIONS: dict[str, Any] = {"multiply": np.multiply}
"""Functions by the name of the operation; `primitives` adds the fused multiply-add."""


def _unordered(table: Table, args: _Args, size: int) -> int | None:
    if args[0] != args[1]:
        return None
    name = f"f{table.size(args[0])}"
    return node_of(table, ("isnan", name), np.isnan, (name,), "b1", args[0])


def size_of(table: Table, node: int) -> int:
    """Return the float that a node is apart from its sign, which may be cleared or flipped."""
    wide = table.size(node)
    node = unsigned_part(table, node, wide)[0]
    operation, inner = table.parts(node)
    if operation is not None and operation.name == "bitwise_and":
        rest = table.constant((1 << 8 * wide - 1) - 1, wide)
        node = next((a for a, b in (inner, inner[::-1]) if b == rest), node)
    return node


SIMPLIFIERS: dict[str, Simplify] = {
    "absolute.i": absolute,
    "minimum.i": extremum(True),
    "maximum.i": extremum(False),
    "minimum.u": extremum(True, False),
    "maximum.u": extremum(False, False),
    "equal.b": _is_true(True),
    "not_equal.b": _is_true(False),
    "bitwise_and.b": _decided(False),
    "bitwise_or.b": _decided(True),
    "bitwise_xor": _xor,
    "bitwise_and": _and,
    "bitwise_or": _or,
    "right_shift": _shift,
    "right_shift.i": _arithmetic_shift,
    "subtract": upper,
    "add": summed,
    "where": _where,
    "invert.b": _inverted,
    "not_equal": _not_equal,
    "less": _less,
    "less.i": _less_signed,
    "subtract.f": _subtract,
    "negative.f": _negative,
    "multiply.f": _signs,
    "fma.f": _signs,
    "divide.f": _divided,
    "not_equal.f": _unordered,
    "add.f": small,
    "trunc.f": whole,
    "rint.f": whole,
    "isnan.f": never,
    "astype f4 i4": as_it_was,
    "astype f8 i8": as_it_was,
    "astype f8 i4": as_it_was,
    "less.f": within(np.less),
    "greater.f": within(np.greater),
    "less_equal.f": within(np.less_equal),
    "greater_equal.f": within(np.greater_equal),
}
"""Simplifiers by the name of the operation, with the suffix .f for floats. Each returns an equal node, or None."""
