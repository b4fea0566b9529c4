"""Operators of whole numbers: products, quotients, rests, shifts and bits.

Numbers of up to 32 bits are divided in f64, whose quotients are right when cut. No machine here multiplies i64: its
products are sums of one factor, moved up, for each bit of the other.
"""

from __future__ import annotations

import numpy as np

from ....microkernels.expr.graph import Expr, shift_right_logical
from ...api import functions as f
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise
from .library import BOOL, FLOATS, INTEGERS, NUMBERS, UNSIGNED, Array, Results
from .pointwise import TRUTH, function_of, pointwise, rule_of, signed, wrapping

_BITS = {1: 8, 2: 16, 4: 32, 8: 64}


def _divided(a: Expr, b: Expr) -> Expr:
    """The quotient of whole numbers, towards zero. In f64 the quotient of numbers of 32 bits is right when cut."""
    return f.trunc(a / b)


def _floored(a: Expr, b: Expr) -> Expr:
    return a - f.floor(a / b) * b


def _cut(a: Expr, b: Expr) -> Expr:
    return a - f.trunc(a / b) * b


def _long_product(a: Expr, b: Expr) -> Expr:
    """The lowest 64 bits of a product: the sum of a, moved up, for each bit of b. No machine here multiplies i64."""
    zero = a ^ a
    made = zero
    for bit in range(64):
        made = made + f.select((b & _bit(bit)) == 0, zero, a << bit if bit else a)
    return made


def _bit(place: int) -> int:
    return 1 << place if place < 63 else -(1 << 63)


def _nearly(rest: Expr, b: Expr) -> Expr:
    return f.trunc(rest / b)


def _quotient_towards_zero(quotient: Expr, rest: Expr, a: Expr, b: Expr) -> Expr:
    """The quotient, one nearer to zero where the rest has not the sign of a."""
    moved = f.select((rest ^ b) < 0, quotient - 1, quotient + 1)
    return f.select(rest == 0, quotient, f.select((rest ^ a) < 0, moved, quotient))


def _rest_of_sign(rest: Expr, sign: Expr, b: Expr) -> Expr:
    """The rest, moved by b where its sign is not the one that it should have."""
    moved = f.select((rest ^ b) < 0, rest + b, rest - b)
    return f.select(rest == 0, rest, f.select((rest ^ sign) < 0, moved, rest))


def _long_division(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a quotient of i64 and its rest, whose sign may be wrong. Quotients in f64 leave rests, which are divided
    again; after three of them the rest is not above b."""
    a, b = np.broadcast_arrays(a, b)
    quotient, rest = np.zeros_like(a), a
    add, subtract = (ElementFunction(function_of(name)) for name in ("add", "subtract"))
    for _ in range(3):
        part = elementwise(ElementFunction(_nearly), rest, b, out=a.dtype, compute="f64")
        quotient = elementwise(add, quotient, part)
        rest = elementwise(subtract, rest, elementwise(ElementFunction(_long_product), part, b))
    return quotient, rest


def _long_div(call: NodeCall, a: Array, b: Array) -> Array:
    return elementwise(ElementFunction(_quotient_towards_zero), *_long_division(a, b), *np.broadcast_arrays(a, b))


def _long_mod(call: NodeCall, a: Array, b: Array) -> Array:
    rest = _long_division(a, b)[1]
    return elementwise(ElementFunction(_rest_of_sign), rest, a if call.whole("fmod") else b, b)


_LONG = ("int64", "uint64")
_FLOAT_DIV, _WHOLE_DIV = pointwise(function_of("divide")), pointwise(_divided, wide=True)
_MODS = {0: pointwise(_floored, wide=True), 1: pointwise(_cut, wide=True)}
_SHORT_MUL, _LONG_MUL = wrapping(function_of("multiply")), wrapping(_long_product)


def MUL(call: NodeCall, a: Array, b: Array) -> Results:  # noqa: N802  # an operator, as its neighbours are
    """Multiply; integers wrap."""
    return (_LONG_MUL if a.dtype.name in _LONG else _SHORT_MUL)(call, a, b)


def _div_of(call: NodeCall, a: Array, b: Array) -> Results:
    if a.dtype.name == "int64":
        return _long_div(call, a, b)
    return (_WHOLE_DIV if a.dtype.kind in "iu" else _FLOAT_DIV)(call, a, b)


def _mod_of(call: NodeCall, a: Array, b: Array) -> Results:
    return _long_mod(call, a, b) if a.dtype.name == "int64" else _MODS[call.whole("fmod")](call, a, b)


def _flipped(a: Expr, ones: int) -> Expr:
    return a ^ ones


def _not_of(call: NodeCall, x: Array) -> Array:
    """Turn all bits; those of a truth value are one."""
    ones = 1 if x.dtype == TRUTH else np.iinfo(x.dtype).max if x.dtype.name in ("uint8", "uint16") else -1
    return elementwise(ElementFunction(_flipped, (int(ones),)), *signed((x,))).view(x.dtype)


def _shift(a: Expr, count: Expr, left: bool, bits: int, unsigned: bool) -> Expr:
    """Shift by 1, 2, 4... bits, each if the number of bits says so. Beyond all bits the sign is left, or nothing; so it
    is for numbers of bits below 0."""
    made, wide = a, max(bits, 32)
    for step in range(wide.bit_length() - 1):
        by = 1 << step
        down = shift_right_logical(made, by) if unsigned and bits >= 32 else made >> by
        made = f.select((count & by) == 0, made, made << by if left else down)
    beyond = a ^ a if left or unsigned else a >> (wide - 1)
    made = f.select(count >= bits, beyond, f.select(count < 0, beyond, made))
    if bits >= 32:
        return made
    return made & ((1 << bits) - 1) if unsigned else (made << (32 - bits)) >> (32 - bits)


def _bit_shift_of(call: NodeCall, x: Array, count: Array) -> Array:
    numbers = (call.text("direction") == "LEFT", _BITS[x.dtype.itemsize], x.dtype.kind == "u")
    return elementwise(ElementFunction(_shift, numbers), *signed((x, count))).view(x.dtype)


def _refused_shift(call: NodeCall) -> str | None:
    return None if call.text("direction") in ("LEFT", "RIGHT") else "direction is LEFT or RIGHT"


_ALL = NUMBERS | UNSIGNED
_QUOTIENTS = FLOATS | INTEGERS
_WHOLE = INTEGERS | UNSIGNED
_JOINS = ("And", "Or", "Xor")
ROWS = (
    OnnxRow("Mul", MUL, _ALL, since=7, rule=rule_of("multiply")),
    OnnxRow("Div", _div_of, _QUOTIENTS, since=7, rule=rule_of("divide")),
    OnnxRow("Mod", _mod_of, INTEGERS, since=10),
    *(OnnxRow(f"Bitwise{name}", wrapping(function_of(f"bitwise_{name.lower()}")), _WHOLE) for name in _JOINS),
    OnnxRow("BitwiseNot", _not_of, _WHOLE),
    OnnxRow("BitShift", _bit_shift_of, _WHOLE, refuse=_refused_shift),
    *(
        OnnxRow(name, pointwise(function_of(own), truth=True), BOOL, since=7, rule=rule_of(own))
        for name, own in ((each, f"logical_{each.lower()}") for each in _JOINS)
    ),
    OnnxRow("Not", _not_of, BOOL, rule=rule_of("logical_not")),
)
