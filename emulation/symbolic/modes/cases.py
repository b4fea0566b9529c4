"""Expressions of a control register, and the values of it that a set of conditions leaves out.

    caller = register(16)                                 a register of 16 bits, none of which is known
    masked = conjunction(caller, 0xFFC0)                  ("and", ("caller", 16), 0xFFC0)
    outcome(("equal", masked, 0x1F80), Cube(~0, 0x9F80))  0: in a register that is known whole
    outcome(("equal", masked, 0x1F80), Cube(1 << 15, 0))  None: other bits decide
    outside(((("equal", masked, 0x1F80), 1),), 16)        a register for which the condition does not hold

An expression is an integer, or the name of an operation and its operands. Values are integers of both signs, as those
of Python. A *cube* is the set of registers in which some bits are known. In a cube, every bit of an expression is 0, 1
or unknown (the abstract domain of known bits). `outside` divides cubes by one bit at a time until every condition is
decided, so no register is left out, and none is tried by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ....encoder.records import NamedTuple

Expression = Any
"""An integer, or a tuple of the name of an operation and its operands."""
Condition = tuple[Expression, int]
"""An expression, and whether it is true, as 1 or 0."""

_BITS = 160
_ONES = (1 << _BITS) - 1
_SIGN = 1 << _BITS - 1
_MOST = 1 << 14


class TooManyCases(Exception):
    """The conditions have more cases than are tried."""


class Cube(NamedTuple):
    """Which bits of the register are known, and their values."""

    known: int
    value: int


ANY = Cube(0, 0)
Bits = tuple[int, int]
"""Which bits of a value are known, and their values."""


def register(width: int) -> Expression:
    """Return a control register of so many bits, as it is at entry."""
    return "caller", width


def unsettled(number: int, mask: int) -> Expression:
    """Return bits that may be anything, and that no register decides: the exception flags that instructions raise."""
    return "unsettled", number, mask


# Known bits


def bits_of(expression: Expression, cube: Cube) -> Bits:
    """Return the known bits of an expression in a cube."""
    return _bits(expression, cube, {})


def _bits(expression: Expression, cube: Cube, found: dict[Any, Bits]) -> Bits:
    if isinstance(expression, int):
        return _ONES, expression & _ONES
    made = found.get(expression)
    if made is None:
        made = found[expression] = _RULES[expression[0]](expression, cube, found)
    return made


def _caller(expression: Expression, cube: Cube, found: dict[Any, Bits]) -> Bits:
    above = _ONES & ~((1 << expression[1]) - 1)
    return cube.known & _ONES | above, cube.value & cube.known & ~above


def _unsettled(expression: Expression, cube: Cube, found: dict[Any, Bits]) -> Bits:
    return _ONES & ~expression[2], 0


def _of_two(function: Callable[[Bits, Bits], Bits]) -> Callable[..., Bits]:
    def rule(expression: Expression, cube: Cube, found: dict[Any, Bits]) -> Bits:
        return function(_bits(expression[1], cube, found), _bits(expression[2], cube, found))

    return rule


def _and(a: Bits, b: Bits) -> Bits:
    (ka, va), (kb, vb) = a, b
    known = ka & kb | ka & ~va | kb & ~vb
    return known, va & vb & known


def _or(a: Bits, b: Bits) -> Bits:
    (ka, va), (kb, vb) = a, b
    known = ka & kb | va | vb
    return known, (va | vb) & known


def _xor(a: Bits, b: Bits) -> Bits:
    known = a[0] & b[0]
    return known, (a[1] ^ b[1]) & known


def _add(a: Bits, b: Bits, carry: int = 0) -> Bits:
    """Add, as LLVM's KnownBits does: a bit is known if both bits and the carry into it are."""
    (ka, va), (kb, vb) = a, b
    most = (va | ~ka & _ONES) + (vb | ~kb & _ONES) + carry
    least = va + vb + carry
    carried = ~(most ^ (va | ~ka) ^ (vb | ~kb)) | (least ^ va ^ vb)
    known = ka & kb & carried & _ONES
    return known, least & known


def _subtract(a: Bits, b: Bits) -> Bits:
    return _add(a, (b[0], ~b[1] & b[0]), 1)


def _multiply(a: Bits, b: Bits) -> Bits:
    if a[0] == b[0] == _ONES:
        return _ONES, a[1] * b[1] & _ONES
    return (_ONES, 0) if (_ONES, 0) in (a, b) else (0, 0)


def _shift(expression: Expression, cube: Cube, found: dict[Any, Bits]) -> Bits:
    (known, value), by = _bits(expression[1], cube, found), expression[2]
    if by >= 0:
        return (known << by | (1 << by) - 1) & _ONES, value << by & _ONES
    signs = _ONES & ~(_ONES >> -by)
    sign_known = known & _SIGN
    return known >> -by | signs * bool(sign_known), value >> -by | signs * bool(sign_known and value & _SIGN)


def _equal(a: Bits, b: Bits) -> Bits:
    (ka, va), (kb, vb) = a, b
    if (va ^ vb) & ka & kb:
        return _ONES, 0
    return (_ONES, 1) if ka == kb == _ONES else _EITHER


def _less(a: Bits, b: Bits) -> Bits:
    """Compare as signed numbers: flipping the sign makes the order that of unsigned ones."""
    (least_a, most_a), (least_b, most_b) = _ends(a), _ends(b)
    if most_a < least_b:
        return _ONES, 1
    return (_ONES, 0) if least_a >= most_b else _EITHER


def _ends(bits: Bits) -> tuple[int, int]:
    known, value = bits[0], (bits[1] ^ _SIGN) & bits[0]
    return value, value | ~known & _ONES


def _even(expression: Expression, cube: Cube, found: dict[Any, Bits]) -> Bits:
    """The parity flag: whether the lowest byte has an even number of ones."""
    known, value = _bits(expression[1], cube, found)
    return (_ONES, 1 - bin(value & 0xFF).count("1") % 2) if known & 0xFF == 0xFF else _EITHER


_EITHER = (_ONES & ~1, 0)
_RULES: dict[str, Callable[..., Bits]] = {
    "caller": _caller,
    "unsettled": _unsettled,
    "and": _of_two(_and),
    "or": _of_two(_or),
    "xor": _of_two(_xor),
    "add": _of_two(_add),
    "subtract": _of_two(_subtract),
    "multiply": _of_two(_multiply),
    "shift": _shift,
    "equal": _of_two(_equal),
    "less": _of_two(_less),
    "even": _even,
}


def outcome(expression: Expression, cube: Cube) -> int | None:
    """Return the value of an expression in a cube, or None if it is not known."""
    known, value = bits_of(expression, cube)
    if known != _ONES:
        return None
    return value - (1 << _BITS) if value & _SIGN else value


# Simpler forms, so that a register that is saved and restored is the same expression


def operation(name: str, a: Expression, b: Expression) -> Expression:
    """Return an operation on two expressions in a simple form."""
    if a == b and name in ("xor", "subtract"):  # how code clears a register
        return 0
    if a == b and name in ("and", "or"):
        return a
    if name == "or" and 0 in (a, b):
        return b if a == 0 else a
    made = conjunction(a, b) if name == "and" else (name, a, b)
    known = outcome(made, ANY)
    return made if known is None else known


def conjunction(a: Expression, b: Expression) -> Expression:
    """Return a AND b. A mask that keeps every bit that may be set is left out, also inside of an OR."""
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int):
        known, value = bits_of(a, ANY)
        if not (value | ~known) & ~b & _ONES:
            return a
        if isinstance(a, tuple) and a[0] == "or":
            one, other = conjunction(a[1], b), conjunction(a[2], b)
            for each, rest in ((one, other), (other, one)):
                if outcome(each, ANY) == 0:
                    return rest
        if isinstance(a, tuple) and a[0] == "and" and isinstance(a[2], int):
            return conjunction(a[1], a[2] & b)
        return "and", a, b
    for kept, lost in ((a, b), (b, a)):
        if isinstance(lost, tuple) and lost[0] == "xor" and lost[2] == -1 and _within(kept, lost[1]):
            return 0
    return "and", a, b


def shifted(expression: Expression, by: int) -> Expression:
    """Return an expression shifted to the left, or to the right by a negative number."""
    if isinstance(expression, int):
        return expression << by if by >= 0 else expression >> -by
    if by == 0:
        return expression
    name = expression[0]
    if name in ("and", "or"):
        return operation(name, shifted(expression[1], by), shifted(expression[2], by))
    if name == "shift" and expression[2] > 0:  # to the left, which loses nothing
        return shifted(expression[1], expression[2] + by)
    made = "shift", expression, by
    known = outcome(made, ANY)
    return made if known is None else known


def _within(a: Expression, b: Expression) -> bool:
    """Whether every bit that may be set in a is set in b, as far as their forms show it."""
    if a == b:
        return True
    if isinstance(b, tuple) and b[0] == "or" and (_within(a, b[1]) or _within(a, b[2])):
        return True
    if isinstance(b, tuple) and b[0] == "and" and isinstance(b[2], int):
        known, value = bits_of(a, ANY)
        if not (value | ~known) & ~b[2] & _ONES and _within(a, b[1]):
            return True
    return isinstance(a, tuple) and a[0] == "and" and (_within(a[1], b) or _within(a[2], b))


# Registers that no set of conditions covers

Path = tuple[Condition, ...]


@lru_cache(maxsize=1 << 10)
def outside(paths: tuple[Path, ...], width: int) -> int | None:
    """Return a register of `width` bits for which not every condition of any path holds, or None if there is none.

    Raises TooManyCases if there are too many cases to find it.
    """
    waiting, tried = [Cube(_ONES & ~((1 << width) - 1), 0)], 0
    while waiting:
        cube = waiting.pop()
        tried += 1
        if tried > _MOST:
            raise TooManyCases
        open_at = _divided(paths, cube)
        if open_at is None:
            continue
        if open_at < 0:
            return cube.value & (1 << width) - 1
        for bit in (1 << open_at, 0):
            waiting.append(Cube(cube.known | 1 << open_at, cube.value | bit))
    return None


def _divided(paths: tuple[Path, ...], cube: Cube) -> int | None:
    """Return None if a path covers the cube, the bit by which to divide it, or -1 if no path covers any part of it."""
    by = -1
    for path in paths:
        found: dict[Any, Bits] = {}
        waiting = []
        for expression, wanted in path:
            known, value = _bits(expression, cube, found)
            if known != _ONES:
                waiting.append(expression)
            elif bool(value) != bool(wanted):
                break
        else:
            if not waiting:
                return None
            support = 0
            for expression in waiting:
                support |= _support(expression, _ONES, cube, found)
            by = max(by, support.bit_length() - 1)
    return by


def _support(expression: Expression, wanted: int, cube: Cube, found: dict[Any, Bits]) -> int:
    """Return the unknown bits of the register that the wanted bits of an expression may depend on."""
    if isinstance(expression, int) or not wanted:
        return 0
    name = expression[0]
    if name in ("caller", "unsettled"):
        return wanted & ~_bits(expression, cube, found)[0] if name == "caller" else 0
    if name in ("and", "or"):
        total = 0
        for one, other in ((expression[1], expression[2]), (expression[2], expression[1])):
            known, value = _bits(other, cube, found)
            fixed = known & ~value if name == "and" else known & value
            total |= _support(one, wanted & ~fixed, cube, found)
        return total
    if name == "shift":
        by = expression[2]
        moved = wanted >> by if by >= 0 else (wanted << -by | _SIGN) & _ONES
        return _support(expression[1], moved, cube, found)
    if name in ("add", "subtract"):
        wanted = (1 << wanted.bit_length()) - 1
    elif name == "equal":
        wanted = _ONES & ~(_bits(expression[1], cube, found)[0] & _bits(expression[2], cube, found)[0])
    elif name != "xor":
        wanted = 0xFF if name == "even" else _ONES
    operands = expression[1:2] if name == "even" else expression[1:]
    total = 0
    for each in operands:
        total |= _support(each, wanted, cube, found)
    return total
