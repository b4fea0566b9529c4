"""Rewrites of symbolic values: rules, in the language of `rules`, and a few functions that no pattern says.

Each holds for all inputs, bit for bit, except for the payload and sign of a NaN.
"""

from __future__ import annotations

import numpy as np

from .facts import bounds, held, longer
from .movements import bytewise
from .rules import NodePattern, RewriteRule, Rewrites, rules_of
from .values import Simplify, Table

_Args = tuple[int, ...]
WORDS = """
    x & a = x if a & a + 1 == 0 and 0 <= low(x) and high(x) <= a
    (x << k) & a = x << k if k < n and a | (1 << k) - 1 == ones
    (x & a) & b = x & (a & b)
    x & ~x = 0
    mask(p) & x = where(p, x, 0)
    mask(p) | mask(q) = mask(p | q)
    (x & a) | (x & b) = x & (a | b)
    where(p, x, 0) | where(p, 0, y) = where(p, x, y)
    mask(p) ^ ones = mask(~p)
    (x ^ a) ^ a = x
    (x >> a) >> b = x >> (a + b) if a + b < n
    mask(p) >> k = number(p) if k == n - 1
    x + 0 = x
    0 - x = -x
    ((x >> k) ^ a) - a = i(x >> k) if k < n and a == 1 << n - 1 - k
    number(p) != 0 = p
    mask(p) != 0 = p
    x < a = 1 if a < top and 0 <= low(x) and high(x) < a
    where(p, x, x) = x
    where(1, x, y) = x
    where(0, x, y) = y
    where(~p, x, y) = where(p, y, x)
    where(p, mask(q), 0) = mask(p & q)
    where(p, 0, mask(q)) = mask(~p & q)
    min(x, x) = x
    max(x, x) = x
    min(x, y) = x if 0 <= low(x) and high(x) <= low(y)
    max(x, y) = x if low(x) >= high(y) and 0 <= low(y)
"""
SIGNED = """
    (x >> a) >> b = x >> (a + b) if 0 <= a and 0 <= b and a + b < n
    u(x >> a) >> b = u(x >> (a + b)) if 0 < a and 0 <= b and a + b < n
    mask(p) >> x = mask(p)
    mask(p) < 0 = p
    x < a = 1 if high(x) < a
    abs(x) = x if 0 <= low(x)
    where(0 > x, -x, x) = abs(x)
    where(x < 0, -x, x) = abs(x)
    min(x, x) = x
    max(x, x) = x
    min(x, y) = x if high(x) <= low(y)
    max(x, y) = x if low(x) >= high(y)
    min(min(x, a), b) = min(x, min(a, b))
    max(max(x, a), b) = max(x, max(a, b))
    max(min(x, a), b) = min(max(x, b), a) if b <= a
"""
ORDERS = """
    where(x < y, x, y) = min(x, y)
    where(x < y, y, x) = max(x, y)
    where(x <= y, x, y) = min(x, y)
    where(x <= y, y, x) = max(x, y)
    where(x > y, x, y) = max(x, y)
    where(x > y, y, x) = min(x, y)
    where(x >= y, x, y) = max(x, y)
    where(x >= y, y, x) = min(x, y)
"""
FLOATS = """
    x - y = x + (y ^ top)
    -x = x ^ top
    x / 1.0 = x
    (x ^ top) * (y ^ top) = x * y
    (x ^ top) * y = x * (y ^ top) if before(y, x)
    fma(x ^ top, y ^ top, z) = fma(x, y, z)
    fma(x ^ top, y, z) = fma(x, y ^ top, z) if before(y, x)
    x != x = isnan(x)
    (x < y) | (x == y) = x <= y
    (x > y) | (x == y) = x >= y
    ((x < y) | (x > y)) | (isnan(x) | isnan(y)) = x != y
    where(isnan(x), x, x ^ top) = x ^ top
    where(isnan(x), x | y, rint(x)) = rint(x)
    where(isnan(x), x | y, floor(x)) = floor(x)
    where(isnan(x), x | y, ceil(x)) = ceil(x)
    where(isnan(x), x | y, trunc(x)) = trunc(x)
    u(x + a) + b = real(x) if n == 64 and a == 0x4338 << 48 and b == a | top and -(2**51) <= low(x) and high(x) < 2**51
"""
CONDITIONS = """
    p == 1 = p
    p == 0 = ~p
    p != 0 = p
    p != 1 = ~p
    p & 0 = 0
    p & 1 = p
    p & p = p
    p | 0 = p
    p | 1 = 1
    p | p = p
    ~~p = p
"""
RULES = {"u": WORDS, "i": SIGNED, "iu": ORDERS, "f": FLOATS, "b": CONDITIONS}
"""Rules by the letters of the types of words. The last one of floats: an integer of 52 bits that is added to the bits
of 1.5 2^52 is added to the number, in f64."""


def _moved(name: str) -> Simplify:
    """Return the rewriting of AND, OR or XOR that only moves bytes."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        moved = bytewise(name, table.split(args[0], size), table.split(args[1], size))
        return None if moved is None else table.joined(moved)

    return simplify


def _chained(name: str, function: np.ufunc, most: int, apart: bool) -> Simplify:
    """Return the rewriting that orders the operands of a chain of at most `most` by their node numbers, and makes one
    of its constants. apart: the constant comes last, and chains without one stay as they are."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        key, waiting, parts, numbers = (name, f"u{size}"), list(args), list[int](), list[int]()
        while waiting and len(parts) + len(numbers) < most:
            operation, inner = table.parts(node := waiting.pop())
            if operation is not None and operation.key == key:
                waiting.extend(inner)
            else:
                (parts if table.value(node) is None else numbers).append(node)
        if waiting or len(parts) + len(numbers) < 3 or (apart and (not numbers or len(set(parts)) < len(parts))):
            return None
        while len(numbers) > 1:
            numbers.append(table.applied(key, function, key[1:] * 2, key[1], (numbers.pop(), numbers.pop())))
        total, *rest = [*sorted(parts), *numbers] if apart else sorted([*parts, *numbers])
        for at, part in enumerate(rest):
            pair = (min(total, part), max(total, part))
            if at == len(rest) - 1 and pair == (min(args), max(args)):
                return None
            total = table.applied(key, function, key[1:] * 2, key[1], pair)
        return total

    return simplify


def _of_longer(function: np.ufunc, kind: str) -> Simplify:
    """Return the rewriting of an extremum of a constant and the low bytes of a longer integer that fits into them:
    these are the low bytes of its extremum."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        half = 1 << 8 * size - 1
        for part, constant in (args, args[::-1]):
            number, whole = table.value(constant), longer(table, part, size)
            if number is None or whole is None or (kind == "u" and number >= half):
                continue
            wide, number = table.size(whole), number - 2 * half * (number >= half)
            low, high = bounds(table, whole, wide)
            if low >= (-half if kind == "i" else 0) and high < (half if kind == "i" else 2 * half):
                of, other = f"i{wide}", table.constant(number % (1 << 8 * wide), wide)
                made = table.applied((function.__name__, of), function, (of, of), of, (whole, other))
                return table.joined(table.split(made, wide)[:size])
        return None

    return simplify


# Integers held in floats


def _whole(table: Table, args: _Args, size: int) -> int | None:
    return args[0] if held(table, args[0]) is not None else None


def _never(table: Table, args: _Args, size: int) -> int | None:
    """Return false for isnan of an integer held in a float."""
    return table.constant(0, 1) if held(table, args[0]) is not None else None


def _within(function: np.ufunc) -> Simplify:
    """Return the rewriting of a comparison with a constant that has the same result at both bounds of the integer."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        for at, node in enumerate(args):
            found, value = held(table, node), table.value(args[1 - at])
            if found is None or value is None:
                continue
            wide = table.size(node)
            number = np.array([value], f"u{wide}").view(f"f{wide}")[0]
            ends = [float(end) for end in (found.low, found.high)]
            results = {bool(function(end, number) if not at else function(number, end)) for end in ends}
            if len(results) == 1 and not np.isnan(number):
                return table.constant(int(results.pop()), 1)
        return None

    return simplify


def _as_it_was(table: Table, args: _Args, size: int) -> int | None:
    """Return the original integer if a float converted from it is converted back to its type."""
    found = held(table, args[0])
    return found.node if found is not None and found.kind == f"i{size}" else None


# Parts of floats

_FLIPPED, _CLEARED = NodePattern("u", "x ^ top"), NodePattern("u", "x & top - 1")


def unsigned_part(table: Table, node: int, size: int) -> tuple[int, bool]:
    """Return the node without a flip of its highest bit, and whether there was one."""
    found = _FLIPPED.parts(table, node)
    return (node, False) if found is None else (found["x"], True)


def size_of(table: Table, node: int) -> int:
    """Return the float that a node is apart from its sign, which may be cleared or flipped."""
    node = unsigned_part(table, node, table.size(node))[0]
    found = _CLEARED.parts(table, node)
    return node if found is None else found["x"]


def _rules() -> dict[str, list[RewriteRule]]:
    found: dict[str, list[RewriteRule]] = {}
    for kinds, text in RULES.items():
        for name, rules in rules_of(kinds, text).items():
            found.setdefault(name, []).extend(rules)
    return found


def _first(*every: Simplify) -> Simplify:
    """Return the first of several rewritings that has a result."""

    def simplify(table: Table, args: _Args, size: int) -> int | None:
        for each in every:
            made = each(table, args, size)
            if made is not None:
                return made
        return None

    return simplify if len(every) > 1 else every[0]


_BEFORE: dict[str, Simplify] = {
    **{f"{each}.u": _moved(each) for each in ("bitwise_and", "bitwise_or", "bitwise_xor")},
    "bitwise_xor.b": _moved("bitwise_xor"),
}
_BEHIND: dict[str, Simplify] = {
    "add.u": _chained("add", np.add, 6, False),
    "bitwise_xor.u": _chained("bitwise_xor", np.bitwise_xor, 4, True),
    **{f"{each.__name__}.{kind}": _of_longer(each, kind) for each in (np.minimum, np.maximum) for kind in "iu"},
    **dict.fromkeys(("trunc.f", "rint.f"), _whole),
    "isnan.f": _never,
    **dict.fromkeys(("astype f4 i4", "astype f8 i8", "astype f8 i4"), _as_it_was),
    **{f"{each.__name__}.f": _within(each) for each in (np.less, np.greater, np.less_equal, np.greater_equal)},
}
"""What comes before and behind the rules of an operation."""


def _simplifiers() -> dict[str, Simplify]:
    rules = {name: Rewrites(each) for name, each in _rules().items()}
    parts = (_BEFORE, rules, _BEHIND)
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _first(*(part[name] for part in parts if name in part)) for name in names}


SIMPLIFIERS = _simplifiers()
"""Rewritings by the name of the operation and the letter of its operands' type. Each returns an equal node, or None."""
