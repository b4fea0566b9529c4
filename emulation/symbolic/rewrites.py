"""The rewrites of symbolic values: each holds for all inputs, bit for bit, the payload and sign of a NaN aside.

x < c, where the form of an integer says so; not (not c) = c; where(not c, a, b) = where(c, b, a)
x xor x = 0, x and 0 = 0...            bytes that AND, OR and XOR only move
a - b = a + -b                          of floats; -x is the flipped sign; 0 - x = -x of integers
a < b or a = b: a <= b                  of floats; a < b or a > b, or one is a NaN: a != b
where(0 > x, -x, x) = |x|               of integers
(-a) b + c = -(a) b + c, (-a)(-b) = a b
(x >> a) >> b = x >> (a + b), x + 0 = x, (a + b) + c = a + (b + c)       of integers
min(x, c) = x, max(x, c) = x, |x| = x, min(x, x) = x     of integers whose bytes say that they are never beyond c, or 0
(x & a) & b = x & (a & b), (x & a) | (x & b) = x & (a | b)      of constants a and b
where(isnan(x), x | bits, rint(x)) = rint(x)
where(c, x, x) = x                      and selections by constants; where(c, a, 0) | where(c, 0, b) = where(c, a, b)
((x >> k) ^ c) - c = x >> k             of n bits, unsigned on the left, signed on the right; c = 2^(n - 1 - k)
(1.5 2^52 as bits + n) - 1.5 2^52 = n   in f64, of an integer n whose form says that it lies in [-2^51, 2^51)
trunc(n) = n, n < c, int(float(n)) = n  of an integer n in a float, whose form says that it is exact, or beyond c
where(a > b, a, b) = max(a, b), where(a < b, a, b) = min(a, b)  of integers
the sign, or the truth, of an element that is all ones where c holds, else zero, is c; AND, OR, XOR with ones and
selections of such elements and zeros are such elements
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .movements import bytewise
from .values import Operation, Simplify, Table, place

_Args = tuple[int, ...]


def _node(table: Table, key: tuple[Any, ...], function: Any, types: Sequence[str], to: str, *args: int) -> int:
    return int(table.apply(key, function, types, to, [np.array([arg]) for arg in args])[0])


def flipped(table: Table, node: int, size: int) -> int:
    """The node with its highest bit flipped."""
    name = f"u{size}"
    top = table.constant(1 << 8 * size - 1, size)
    first, second = sorted((node, top))
    return _node(table, ("bitwise_xor", name), np.bitwise_xor, (name, name), name, first, second)


def unsigned_part(table: Table, node: int, size: int) -> tuple[int, bool]:
    """(the node without a flip of its highest bit, whether there was one)."""
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
    base, inverted = (args[0], False) if table.value(args[0]) is None else (args[1], True)
    if inverted and table.value(args[0]) == (1 << 8 * size) - 1 and (truth := truth_of(table, base, size)) is not None:
        return mask_of(table, _not(table, truth), size)
    for first, second in (args, args[::-1]):  # (x ^ c) ^ c
        operation, inner = table.parts(first)
        if operation is not None and operation.name == "bitwise_xor" and second in inner and second & 1:
            return inner[0] if inner[1] == second else inner[1]
    return None


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
        if number is not None and operation is not None and operation.key == ("bitwise_and", f"u{size}"):
            for kept, constant in (inner, inner[::-1]):  # (x & a) & b
                if (first := table.value(constant)) is not None:
                    name = f"u{size}"
                    return _node(table, ("bitwise_and", name), np.bitwise_and, (name, name), name,
                                 *sorted((kept, table.constant(first & number, size))))  # fmt: skip
        base, inverted = _uninverted(table, mask, size)
        if inverted and base == other:  # x & ~x
            return table.constant(0, size)
        truth = truth_of(table, base, size)
        if truth is not None:
            name, zero = f"u{size}", table.constant(0, size)
            sides = (zero, other) if inverted else (other, zero)
            return _node(table, ("where", size), np.where, ("b1", name, name), name, truth, *sides)
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
                return _node(table, ("bitwise_and", name), np.bitwise_and, (name, name), name,
                             *sorted((kept, constant)))  # fmt: skip
    if f is not None and g is not None and f.key == g.key == ("where", size) and first[0] == second[0]:
        zero = table.constant(0, size)
        if all(zero in pair for pair in zip(first[1:], second[1:])):  # where(c, a, 0) | where(c, 0, b)
            sides = [pair[pair[0] == zero] for pair in zip(first[1:], second[1:])]
            return _node(table, f.key, f.function, f.types, f.to, first[0], *sides)
    return None


def _is_true(same: bool) -> Simplify:
    """A condition compared with true or false."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        for first, second in (args, args[::-1]):
            value = table.value(second)
            if value is not None:
                return first if bool(value) == same else _node(table, ("invert", "b1"), np.invert, ("b1",), "b1", first)
        return None

    return simplify


def _uninverted(table: Table, node: int, size: int) -> tuple[int, bool]:
    """(the node without a flip of all its bits, whether there was one)."""
    operation, args = table.parts(node)
    if operation is not None and operation.name == "bitwise_xor":
        ones = table.constant((1 << 8 * size) - 1, size)
        if ones in args:
            return args[0] if args[1] == ones else args[1], True
    return node, False


def truth_of(table: Table, node: int, size: int) -> int | None:
    """The condition where all bits of a node are set, else none; None if it is not of that kind."""
    value = table.value(node)
    if value in (0, (1 << 8 * size) - 1):
        return table.constant(int(bool(value)), 1)
    operation, args = table.parts(node)
    if operation is None or operation.name != "negative":
        return None
    return lifted(table, args[0])


def mask_of(table: Table, condition: int, size: int) -> int:
    """All bits where a condition holds, else none."""
    name = f"u{size}"
    number = _node(table, ("astype", "b1", name), lambda x: x.astype(name), ("b1",), name, condition)
    return _node(table, ("negative", name), np.negative, (name,), name, number)


def _logic(name: str) -> Any:
    function = getattr(np, name)

    def made(table: Table, *args: int) -> int:
        return _node(table, (name, "b1"), function, ("b1",) * len(args), "b1", *sorted(args))

    return made


_both, _either, _not = _logic("bitwise_and"), _logic("bitwise_or"), _logic("invert")


def lifted(table: Table, node: int) -> int | None:
    """The condition that a node is as a number, 0 or 1."""
    operation, args = table.parts(node)
    if operation is not None and operation.key[:2] == ("astype", "b1"):
        return args[0]
    return None


def _shift(table: Table, args: _Args, size: int) -> int | None:
    operation, inner = table.parts(args[0])
    if operation is not None and operation.key == ("right_shift", f"u{size}"):  # one shift after another
        first, second = table.value(inner[1]), table.value(args[1])
        if first is not None and second is not None and first + second < 8 * size:
            places, bits = divmod(first + second, 8)
            if not bits:
                return table.joined((*table.split(inner[0], size)[places:], *[-1] * places))
    truth = truth_of(table, args[0], size)
    if truth is not None and table.value(args[1]) == 8 * size - 1:
        return _node(table, ("astype", "b1", f"u{size}"), lambda x: x.astype(f"u{size}"), ("b1",), f"u{size}", truth)
    operation, inner = table.parts(args[0])
    if operation is not None and operation.key == ("right_shift", name := f"u{size}"):  # (x >> a) >> b
        first, second = table.value(inner[1]), table.value(args[1])
        if first is not None and second is not None and (total := first + second) < 8 * size:
            if total % 8 == 0:
                return table.joined((*table.split(inner[0], size)[total // 8 :], *(-1,) * (total // 8)))
            return _node(table, ("right_shift", name), np.right_shift, (name, name), name, inner[0],
                         table.constant(total, size))  # fmt: skip
    return None


def _arithmetic_shift(table: Table, args: _Args, size: int) -> int | None:
    """One shift after another."""
    operation, inner = table.parts(args[0])
    if operation is not None and operation.key == ("right_shift", f"i{size}"):
        first, second = table.value(inner[1]), table.value(args[1])
        if first is not None and second is not None and first + second < 8 * size:
            name = f"i{size}"
            return _node(table, ("right_shift", name), np.right_shift, (name, name), name, inner[0],
                         table.constant(first + second, size))  # fmt: skip
    return _shift(table, args, size)


def _whole_sign(table: Table, args: _Args, size: int) -> int | None:
    """0 - x; the upper bits of an integer with its sign, without an arithmetic shift."""
    if table.value(args[0]) == 0:
        return _node(table, ("negative", f"u{size}"), np.negative, (f"u{size}",), f"u{size}", args[1])
    (operation, inner), number = table.parts(args[0]), table.value(args[1])
    if number is None or operation is None or operation.name != "bitwise_xor" or args[1] not in inner:
        return None
    shift, of = table.parts(inner[inner[0] == args[1]])
    by = table.value(of[1]) if shift is not None and shift.key == ("right_shift", f"u{size}") else None
    if by is None or number != 1 << 8 * size - 1 - by:
        return None
    name = f"i{size}"
    return _node(table, ("right_shift", name), np.right_shift, (name, name), name, *of)


def _decided(absorbing: bool) -> Simplify:
    """Of two conditions: a constant decides where it is the absorbing one, else it leaves the other; c and c is c."""

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
    """What two comparisons of the same floats, of which one holds, are as one."""
    for one, other in ((first, second), (second, first)):
        (f, a), (g, b) = table.parts(one), table.parts(other)
        if f is None or g is None or f.types[:1] != g.types[:1] or f.types[0][0] != "f":
            continue
        if f.name in ("less", "greater") and g.name == "equal" and set(a) == set(b) and len(set(a)) == 2:
            function = np.less_equal if f.name == "less" else np.greater_equal
            return _node(table, (function.__name__, f.types[0]), function, f.types, "b1", *a)
    return _unequal(table, first, second)


def _unequal(table: Table, first: int, second: int) -> int | None:
    """(a < b or a > b) or one of both is a NaN."""
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
        if f is not None and g is not None and f.types == g.types and f.types[0][0] == "f" and a == b and set(a) == tested:
            return _node(table, ("not_equal", f.types[0]), np.not_equal, f.types, "b1", *sorted(a))
    return None


def _sum(table: Table, args: _Args, size: int) -> int | None:
    """x + 0; sums of few integers in the order of their numbers."""
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
    total, *rest = sorted(parts)
    for at, part in enumerate(rest):
        pair = (min(total, part), max(total, part))
        if at == len(rest) - 1 and pair == (min(args), max(args)):
            return None
        total = _node(table, ("add", name), np.add, (name, name), name, *pair)
    return total


_SUMMANDS = 6


def bounds(table: Table, node: int, size: int, depth: int = 4) -> tuple[int, int]:
    """Between which numbers a signed integer lies, as far as its form says; depth: of selections."""
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
    operation, args = table.parts(node)
    if operation is not None and operation.name == "right_shift" and (by := table.value(args[1])):
        return (-half >> by, half - 1 >> by) if operation.to[0] == "i" else (0, (2 * half - 1) >> by)
    if operation is not None and operation.name == "bitwise_and":
        least = [value for arg in args if (value := table.value(arg)) is not None and value < half]
        return (0, min(least)) if least else (-half, half - 1)
    if operation is not None and operation.name == "absolute" and operation.to[0] == "i":
        low, high = bounds(table, args[0], size)
        return (0, max(-low, high)) if low > -half else (-half, half - 1)
    if operation is not None and operation.name in ("minimum", "maximum") and operation.to[0] in "iu":
        choose = min if operation.name == "minimum" else max
        ends = [bounds(table, arg, size) for arg in args]
        signed = operation.to[0] == "i" or min(ends)[0] >= 0
        return (choose(low for low, _ in ends), choose(high for _, high in ends)) if signed else (-half, half - 1)
    if operation is not None and operation.name == "where" and depth:
        ends = [bounds(table, arg, size, depth - 1) for arg in args[1:]]
        return min(low for low, _ in ends), max(high for _, high in ends)
    if operation is not None and operation.name == "astype" and operation.types[0][0] == "i":
        narrow = 1 << 8 * int(operation.types[0][1]) - 1
        return -narrow, narrow - 1
    return -half, half - 1


def _absolute(table: Table, args: _Args, size: int) -> int | None:
    return args[0] if bounds(table, args[0], size)[0] >= 0 else None


def _extremum(least: bool, signed: bool = True) -> Simplify:
    """The smaller or larger of integers of which one never is; without a sign where none of them has its highest bit."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        if args[0] == args[1]:
            return args[0]
        for first, second in (args, args[::-1]):
            mine, other = bounds(table, first, size), bounds(table, second, size)
            if not signed and min(mine[0], other[0]) < 0:
                return None
            if mine[1] <= other[0] if least else mine[0] >= other[1]:
                return first
        return None

    return simplify


def _not_equal(table: Table, args: _Args, size: int) -> int | None:
    for first, second in (args, args[::-1]):
        if table.value(second) == 0:
            found = lifted(table, first)
            return found if found is not None else truth_of(table, first, table.size(first))
    return None


def _inverted(table: Table, args: _Args, size: int) -> int | None:
    """A condition inverted twice."""
    operation, inner = table.parts(args[0])
    return inner[0] if operation is not None and operation.key == ("invert", "b1") else None


def _less(table: Table, args: _Args, size: int) -> int | None:
    number, wide = table.value(args[1]), table.size(args[0])
    if number is not None and number < 1 << 8 * wide - 1:  # so that the order with a sign and without one is the same
        low, high = bounds(table, args[0], wide)
        if 0 <= low and high < number:
            return table.constant(1, 1)
    return truth_of(table, args[0], table.size(args[0])) if table.value(args[1]) == 0 else None


_ORDERS = ("greater", "greater_equal", "less", "less_equal")
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
        return _node(table, ("where", size), np.where, ("b1", name, name), name, of[0], second, first)
    if size in (2, 4, 8) and table.value(first) == 0 and not second & 1:
        if (truth := truth_of(table, second, size)) is not None:  # where(c, 0, a mask)
            return mask_of(table, _both(table, _not(table, condition), truth), size)
    if size in (2, 4, 8) and table.value(second) == 0 and not first & 1:
        if (truth := truth_of(table, first, size)) is not None:  # where(c, a mask, 0)
            return mask_of(table, _both(table, condition, truth), size)
    operation, inner = table.parts(condition)
    if operation is not None and operation.name in _ORDERS and operation.types[0][0] in "iu" and (
            {first, second} == set(inner)):  # where(a > b, a, b)  # fmt: skip
        largest = (operation.name in _ORDERS[:2]) == (inner[0] == first)
        function = np.maximum if largest else np.minimum
        return _node(table, (function.__name__, operation.types[0]), function, operation.types, operation.types[0],
                     *inner)  # fmt: skip
    if operation is not None and operation.name in ("greater", "less") and operation.types[0][0] == "i":
        zero, x = inner if operation.name == "greater" else inner[::-1]
        negated, of = table.parts(first)
        if table.value(zero) == 0 and x == second and negated is not None and negated.name == "negative" and of == (x,):
            name = f"i{size}"  # where(0 > x, -x, x)
            return _node(table, ("absolute", name), np.absolute, (name,), name, x) if name == operation.types[0] else None
    if operation is not None and operation.name == "isnan":  # only the sign of a NaN differs
        base, _ = unsigned_part(table, second, size)
        if inner[0] == first == base:
            return second
        whole, of = table.parts(second)
        quiet, parts = table.parts(first)
        rounds = whole is not None and whole.name in _WHOLE and of[0] == inner[0]
        if rounds and quiet is not None and quiet.name == "bitwise_or" and inner[0] in parts:
            return second
    return None


_MAGIC = 0x4338000000000000
"""1.5 2^52 in f64: an integer of 52 bits that is added to its bits is added to the number."""
_EXACT = {4: 1 << 24, 8: 1 << 53}


def _magic(table: Table, args: _Args, size: int) -> int | None:
    """A small integer that became an f64 in the last bits of a large one."""
    for large, bits in (args, args[::-1]):
        operation, inner = table.parts(bits)
        if size != 8 or table.value(large) != _MAGIC | 1 << 63 or operation is None or operation.key != ("add", "u8"):
            continue
        number = next((b for a, b in (inner, inner[::-1]) if table.value(a) == _MAGIC), None)
        low, high = (0, 1 << 52) if number is None else bounds(table, number, 8)
        if number is not None and -(1 << 51) <= low and high < 1 << 51:
            return _node(table, ("astype", "i8", "f8"), lambda x: x.astype(np.float64), ("i8",), "f8", number)
    return None


def _integer_in(table: Table, node: int) -> tuple[int, str, int, int] | None:
    """(an integer, its type, its bounds) of a float that is this integer, exactly."""
    operation, args = table.parts(node)
    if operation is None or operation.name != "astype" or operation.types[0][0] not in "iu" or operation.to[0] != "f":
        return None
    low, high = bounds(table, args[0], int(operation.types[0][1]))
    exact = _EXACT.get(table.size(node), 0)
    if max(-low, high) > exact or (operation.types[0][0] == "u" and low < 0):
        return None
    return args[0], operation.types[0], low, high


def _whole(table: Table, args: _Args, size: int) -> int | None:
    return args[0] if _integer_in(table, args[0]) is not None else None


def _within(function: Any) -> Simplify:
    """A comparison of an integer in a float with a constant, which is the same at both of its bounds."""

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


def _back(table: Table, args: _Args, size: int) -> int | None:
    """A float as an integer of the type that it was."""
    found = _integer_in(table, args[0])
    return found[0] if found is not None and found[1] == f"i{size}" else None


def _subtract(table: Table, args: _Args, size: int) -> int | None:
    first, second = args[0], flipped(table, args[1], size)
    name = f"f{size}"
    return _node(table, ("add", name), np.add, (name, name), name, *sorted((first, second)))


def _negative(table: Table, args: _Args, size: int) -> int | None:
    return flipped(table, args[0], size)


def _signs(key_name: str) -> Simplify:
    """Of products the sign is that of one factor, the first; two are none."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
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
        operation = _KEYS[len(args)]
        name = f"f{size}"
        return _node(table, (operation, name), FUNCTIONS[operation], (name,) * len(args), name, *pair, *args[2:])

    return simplify


_KEYS = {2: "multiply", 3: "fma"}
FUNCTIONS: dict[str, Any] = {"multiply": np.multiply}
"""By name of operation; `primitives` adds the fused multiply-add."""


def _unordered(table: Table, args: _Args, size: int) -> int | None:
    if args[0] != args[1]:
        return None
    name = f"f{table.size(args[0])}"
    return _node(table, ("isnan", name), np.isnan, (name,), "b1", args[0])


def size_of(table: Table, node: int) -> int:
    """The float that a node is but for its sign, which is cleared or flipped."""
    wide = table.size(node)
    node = unsigned_part(table, node, wide)[0]
    operation, inner = table.parts(node)
    if operation is not None and operation.name == "bitwise_and":
        rest = table.constant((1 << 8 * wide - 1) - 1, wide)
        node = next((a for a, b in (inner, inner[::-1]) if b == rest), node)
    return node


SIMPLIFIERS: dict[str, Simplify] = {
    "absolute.i": _absolute, "minimum.i": _extremum(True), "maximum.i": _extremum(False),
    "minimum.u": _extremum(True, False), "maximum.u": _extremum(False, False),
    "equal.b": _is_true(True), "not_equal.b": _is_true(False), "bitwise_and.b": _decided(False),
    "bitwise_or.b": _decided(True), "bitwise_xor": _xor, "bitwise_and": _and, "bitwise_or": _or, "right_shift": _shift,
    "right_shift.i": _arithmetic_shift, "subtract": _whole_sign, "add": _sum, "where": _where,
    "invert.b": _inverted, "not_equal": _not_equal, "less": _less,
    "subtract.f": _subtract, "negative.f": _negative, "multiply.f": _signs("multiply"), "fma.f": _signs("fma"),
    "not_equal.f": _unordered, "add.f": _magic, "trunc.f": _whole, "rint.f": _whole, "astype f4 i4": _back,
    "astype f8 i8": _back, "astype f8 i4": _back, "less.f": _within(np.less), "greater.f": _within(np.greater),
    "less_equal.f": _within(np.less_equal), "greater_equal.f": _within(np.greater_equal),
}  # fmt: skip
"""By name of operation, with .f for floats: a node that is equal, or None."""
