"""Operators of elements: each is a traced function, which broadcasts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import numpy as np

from ....microkernels.expr.graph import Expr, shift_right_logical
from ...api import functions as f
from .call import Call, Row
from .elements import Traced, elementwise
from .library import BOOL, FLOATS, INTEGERS, NUMBERS, SIGNED_OF, UNSIGNED, Array, Compute, Results

Function = Callable[..., Expr]
TRUTH = np.dtype(np.bool_)
_SIGNS = {np.dtype(np.uint32): -(1 << 31), np.dtype(np.uint64): -(1 << 63)}
_BITS = {1: 8, 2: 16, 4: 32, 8: 64}


def pointwise(function: Function, *attributes: str, wide: bool = False, truth: bool = False) -> Compute:
    """Return the operator of a function of elements and of attributes that are numbers.

    wide    compute in f64, so that sums and differences of large numbers keep the digits of the result
    truth   the results are truth values
    """

    def compute(call: Call, *arrays: Array) -> Array:
        numbers = tuple(call.number(name) for name in attributes)
        out = TRUTH if truth else arrays[0].dtype
        return elementwise(Traced(function, numbers), *arrays, out=out, compute="f64" if wide else None)

    return compute


def _signed(arrays: tuple[Array, ...]) -> list[Array]:
    """Return unsigned numbers of 32 or 64 bits as signed ones of the same bits."""
    return [each.view(SIGNED_OF[each.dtype]) if each.dtype in SIGNED_OF else each for each in arrays]


def wrapping(function: Function) -> Compute:
    """Return the operator of a function whose bits are those of signed numbers, if they wrap."""

    def compute(call: Call, *arrays: Array) -> Array:
        return elementwise(Traced(function), *_signed(arrays)).view(arrays[0].dtype)

    return compute


def ordering(function: Function, truth: bool = False) -> Compute:
    """Return the operator of a function of an order: unsigned numbers are compared as signed ones with the first bit
    turned, which have the same order."""

    def compute(call: Call, *arrays: Array) -> Array:
        dtype = arrays[0].dtype
        out = TRUTH if truth else arrays[0].dtype
        if dtype not in _SIGNS:
            return elementwise(Traced(function), *arrays, out=out)
        traced = Traced(_turned, (_SIGNS[dtype], truth, *_name(function)))
        made = elementwise(traced, *_signed(arrays), out=TRUTH if truth else SIGNED_OF[dtype])
        return made if truth else made.view(dtype)

    return compute


def _name(function: Function) -> tuple[str]:
    return (function.__name__,)


def _turned(a: Expr, b: Expr, sign: int, truth: bool, name: str) -> Expr:
    made = _ORDERED[name](a ^ sign, b ^ sign)
    return made if truth else made ^ sign


def folded(binary: Compute) -> Compute:
    """Return the operator of any number of operands that joins two at a time."""

    def compute(call: Call, *arrays: Array) -> Array:
        made = reduce(lambda a, b: binary(call, a, b), arrays)  # type: ignore[arg-type, return-value]
        assert isinstance(made, np.ndarray)
        return made.copy() if len(arrays) == 1 else made

    return compute


def one(mask: Expr) -> Expr:
    """1 where a mask is true, else 0."""
    return f.select(mask, 1, 0)


def absolute(a: Expr) -> Expr:
    """The magnitude."""
    return abs(a)


# Arithmetic


def _add(a: Expr, b: Expr) -> Expr:
    return a + b


def _sub(a: Expr, b: Expr) -> Expr:
    return a - b


def _mul(a: Expr, b: Expr) -> Expr:
    return a * b


def _div(a: Expr, b: Expr) -> Expr:
    return a / b


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
    for _ in range(3):
        part = elementwise(Traced(_nearly), rest, b, out=a.dtype, compute="f64")
        quotient = elementwise(Traced(_add), quotient, part)
        rest = elementwise(Traced(_sub), rest, elementwise(Traced(_long_product), part, b))
    return quotient, rest


def _long_div(call: Call, a: Array, b: Array) -> Array:
    return elementwise(Traced(_quotient_towards_zero), *_long_division(a, b), *np.broadcast_arrays(a, b))


def _long_mod(call: Call, a: Array, b: Array) -> Array:
    rest = _long_division(a, b)[1]
    return elementwise(Traced(_rest_of_sign), rest, a if call.whole("fmod") else b, b)


_LONG = ("int64", "uint64")
_FLOAT_DIV, _WHOLE_DIV = pointwise(_div), pointwise(_divided, wide=True)
_MODS = {0: pointwise(_floored, wide=True), 1: pointwise(_cut, wide=True)}
_SHORT_MUL, _LONG_MUL = wrapping(_mul), wrapping(_long_product)


def MUL(call: Call, a: Array, b: Array) -> Results:  # noqa: N802  # an operator, as its neighbours are
    """Multiply; integers wrap."""
    return (_LONG_MUL if a.dtype.name in _LONG else _SHORT_MUL)(call, a, b)


def _div_of(call: Call, a: Array, b: Array) -> Results:
    if a.dtype.name == "int64":
        return _long_div(call, a, b)
    return (_WHOLE_DIV if a.dtype.kind in "iu" else _FLOAT_DIV)(call, a, b)


def _mod_of(call: Call, a: Array, b: Array) -> Results:
    return _long_mod(call, a, b) if a.dtype.name == "int64" else _MODS[call.whole("fmod")](call, a, b)


def _mean_of(call: Call, *arrays: Array) -> Array:
    total = _SUM(call, *arrays)
    return elementwise(Traced(_scaled, (len(arrays),)), total)  # type: ignore[arg-type]


def _scaled(a: Expr, count: float) -> Expr:
    return a / count


ADD = wrapping(_add)
_SUM = folded(ADD)


def _less(a: Expr, b: Expr) -> Expr:
    return one(a < b)


def _greater(a: Expr, b: Expr) -> Expr:
    return one(a > b)


def _less_equal(a: Expr, b: Expr) -> Expr:
    return one(a <= b)


def _greater_equal(a: Expr, b: Expr) -> Expr:
    return one(a >= b)


def _maximum(a: Expr, b: Expr) -> Expr:
    return f.maximum(a, b)


def _minimum(a: Expr, b: Expr) -> Expr:
    return f.minimum(a, b)


def _equal(a: Expr, b: Expr) -> Expr:
    return one(a == b)


_ORDERED = {each.__name__: each for each in (_less, _greater, _less_equal, _greater_equal, _maximum, _minimum)}


MAX, MIN = ordering(_maximum), ordering(_minimum)


def _equal_of(call: Call, a: Array, b: Array) -> Array:
    return elementwise(Traced(_equal), *_signed((a, b)), out=TRUTH)


# Activations and functions of one number


def _sign(a: Expr) -> Expr:
    return f.select(a > 0, one(a > 0), f.select(a < 0, -one(a < 0), a))


def _selu(a: Expr, alpha: float, gamma: float) -> Expr:
    return f.select(a < 0, (f.exp(a) - 1.0) * (alpha * gamma), a * gamma)


def _elu(a: Expr, alpha: float) -> Expr:
    return f.select(a < 0, (f.exp(a) - 1.0) * alpha, a)


def _celu(a: Expr, alpha: float) -> Expr:
    return f.select(a < 0, (f.exp(a / alpha) - 1.0) * alpha, a)


def _leaky_relu(a: Expr, alpha: float) -> Expr:
    return f.select(a < 0, a * alpha, a)


def _prelu(a: Expr, b: Expr) -> Expr:
    return f.select(a < 0, a * b, a)


def _hard_sigmoid(a: Expr, alpha: float, beta: float) -> Expr:
    return f.clamp(a * alpha + beta, 0.0, 1.0)


def _thresholded_relu(a: Expr, alpha: float) -> Expr:
    return f.select(a > alpha, a, 0.0)


def _swish(a: Expr, alpha: float) -> Expr:
    return a * f.sigmoid(a * alpha)


def _hard_swish(a: Expr) -> Expr:
    return a * f.clamp(a * (1 / 6) + 0.5, 0.0, 1.0)


def _softsign(a: Expr) -> Expr:
    return a / (1.0 + abs(a))


def _mish(a: Expr) -> Expr:
    return a * f.tanh(f.softplus(a))


def _shrink(a: Expr, bias: float, lambd: float) -> Expr:
    return f.select(a < -lambd, a + bias, f.select(a > lambd, a - bias, 0.0))


def _gelu_of(call: Call, x: Array) -> Array:
    return elementwise(Traced(f.gelu_tanh if call.text("approximate") == "tanh" else f.gelu), x)


# In f64 the differences below keep more digits than a narrower result has, and near zero x itself is the result.
_NEAR = 1e-5


def _erf(a: Expr) -> Expr:
    root = math.sqrt(2.0)
    return f.select(abs(a) < _NEAR, a * (2 / math.sqrt(math.pi)), f.gelu(a * root) * root / a - 1.0)


def _sinh(a: Expr) -> Expr:
    return f.select(abs(a) < _NEAR, a, (f.exp(a) - f.exp(-a)) * 0.5)


def _cosh(a: Expr) -> Expr:
    return (f.exp(a) + f.exp(-a)) * 0.5


def _asinh(a: Expr) -> Expr:
    size = abs(a)
    made = f.log(size + f.sqrt(size * size + 1.0))
    return f.select(size < _NEAR, a, f.select(a < 0, -made, made))


def _acosh(a: Expr) -> Expr:
    return f.log(a + f.sqrt((a - 1.0) * (a + 1.0)))


def _atanh(a: Expr) -> Expr:
    return f.select(abs(a) < _NEAR, a, f.log((1.0 + a) / (1.0 - a)) * 0.5)


def _isnan(a: Expr) -> Expr:
    return one(a != a)


def _isinf(a: Expr, negative: float, positive: float) -> Expr:
    below, above = one(a == -math.inf), one(a == math.inf)
    return above if not negative else below if not positive else below + above


def _isinf_of(call: Call, x: Array) -> Array:
    negative, positive = (call.number(f"detect_{name}") for name in ("negative", "positive"))
    if not negative and not positive:
        return np.zeros(x.shape, np.bool_)
    return elementwise(Traced(_isinf, (negative, positive)), x, out=TRUTH)


def _power(a: Expr, b: Expr) -> Expr:
    """a^b in f64, as e^(b log |a|). Of a negative number whole powers exist, of which odd ones are negative."""
    size = f.exp(b * f.log(abs(a)))
    whole, half = f.rint(b) == b, b * 0.5
    signed = f.select(f.rint(half) == half, size, -size)
    negative = f.select(whole, signed, f.sqrt(-size * 0.0 - 1.0))
    made = f.select(a < 0, negative, size)
    return f.select(b == 0, made * 0.0 + 1.0, f.select(a == 1, made * 0.0 + 1.0, made))


def _whole_power(a: Expr, b: Expr) -> Expr:
    return f.rint(_power(a, b))


def _whole_times(a: Expr, power: int) -> Expr:
    return a**power


def _pow_of(call: Call, a: Array, b: Array) -> Array:
    if b.size == 1 and b.ndim <= a.ndim and a.dtype.kind not in "iu" and b.reshape(-1)[0] in (0.5, 2, 3, 4):
        power = float(b.reshape(-1)[0])
        shape = np.broadcast_shapes(a.shape, b.shape)
        traced = Traced(f.sqrt) if power == 0.5 else Traced(_whole_times, (int(power),))
        return elementwise(traced, a).reshape(shape)
    b = b.view(SIGNED_OF[b.dtype]) if b.dtype in SIGNED_OF else b
    return elementwise(Traced(_whole_power if a.dtype.kind in "iu" else _power), a, b, compute="f64")


# Bits


def _and(a: Expr, b: Expr) -> Expr:
    return a & b


def _or(a: Expr, b: Expr) -> Expr:
    return a | b


def _xor(a: Expr, b: Expr) -> Expr:
    return a ^ b


def _flipped(a: Expr, ones: int) -> Expr:
    return a ^ ones


def _not_of(call: Call, x: Array) -> Array:
    """Turn all bits; those of a truth value are one."""
    ones = 1 if x.dtype == TRUTH else np.iinfo(x.dtype).max if x.dtype.name in ("uint8", "uint16") else -1
    return elementwise(Traced(_flipped, (int(ones),)), *_signed((x,))).view(x.dtype)


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


def _bit_shift_of(call: Call, x: Array, count: Array) -> Array:
    numbers = (call.text("direction") == "LEFT", _BITS[x.dtype.itemsize], x.dtype.kind == "u")
    return elementwise(Traced(_shift, numbers), *_signed((x, count))).view(x.dtype)


def _refused_shift(call: Call) -> str | None:
    return None if call.text("direction") in ("LEFT", "RIGHT") else "direction is LEFT or RIGHT"


# Choices


def _chosen(mask: Expr, a: Expr, b: Expr) -> Expr:
    return f.select(mask != 0, a, b)


_AS_BITS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def where(call: Call, mask: Array, a: Array, b: Array) -> Array:
    """Choose elements, whose bits are whole numbers to the kernel."""
    bits = np.dtype(_AS_BITS[a.dtype.itemsize])
    given = mask.view(np.int8)
    if bits.itemsize == 8:
        given = given.astype(np.int64)
    return elementwise(Traced(_chosen), given, a.view(bits), b.view(bits), out=bits).view(a.dtype)


def _clip(x: Expr, low: Expr, high: Expr) -> Expr:
    return f.minimum(f.maximum(x, low), high)


def _clip_of(call: Call, x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    if low is None and high is None:
        return x.copy()
    if low is None:
        return ordering(_minimum)(call, x, high)  # type: ignore[return-value]
    if high is None:
        return ordering(_maximum)(call, x, low)  # type: ignore[return-value]
    return elementwise(Traced(_clip), x, low, high)


def _clip_by_attributes(call: Call, x: Array) -> Array:
    ends = [np.asarray(call.number(name), x.dtype) if name in call.attributes else None for name in ("min", "max")]
    return _clip_of(call, x, *ends)


_SIGNED = FLOATS | {"int8", "int16", "int32", "int64"}
_WHOLE = INTEGERS | UNSIGNED
_QUOTIENTS = FLOATS | INTEGERS
_ALL = NUMBERS | UNSIGNED
_NARROW = FLOATS - {"float64"}
_POWERS = _NARROW | (INTEGERS - {"int64"})

ROWS = (
    Row("Add", ADD, _ALL, since=7),
    Row("Sub", wrapping(_sub), _ALL, since=7),
    Row("Mul", MUL, _ALL, since=7),
    Row("Div", _div_of, _QUOTIENTS, since=7),
    Row("Mod", _mod_of, INTEGERS, since=10),
    Row("Sum", _SUM, since=8),
    Row("Mean", _mean_of, since=8),
    Row("Max", folded(MAX), _ALL, since=8),
    Row("Min", folded(MIN), _ALL, since=8),
    Row("Pow", _pow_of, _POWERS, {1: NUMBERS | UNSIGNED}, since=7),
    Row("Less", ordering(_less, truth=True), _ALL, since=7),
    Row("Greater", ordering(_greater, truth=True), _ALL, since=7),
    Row("LessOrEqual", ordering(_less_equal, truth=True), _ALL, since=12),
    Row("GreaterOrEqual", ordering(_greater_equal, truth=True), _ALL, since=12),
    Row("Equal", _equal_of, _ALL | BOOL, since=7),
    Row("And", pointwise(_and), BOOL, since=7),
    Row("Or", pointwise(_or), BOOL, since=7),
    Row("Xor", pointwise(_xor), BOOL, since=7),
    Row("Not", _not_of, BOOL),
    Row("BitwiseAnd", wrapping(_and), _WHOLE),
    Row("BitwiseOr", wrapping(_or), _WHOLE),
    Row("BitwiseXor", wrapping(_xor), _WHOLE),
    Row("BitwiseNot", _not_of, _WHOLE),
    Row("BitShift", _bit_shift_of, _WHOLE, refuse=_refused_shift),
    Row("Where", where, BOOL, since=9),
    Row("Clip", _clip_of, NUMBERS, since=11),
    Row("Clip", _clip_by_attributes, FLOATS, since=6, until=11),
    Row("Neg", pointwise(lambda a: -a), _SIGNED),
    Row("Abs", pointwise(absolute), NUMBERS),
    Row("Sign", pointwise(_sign), _SIGNED),
    Row("Relu", pointwise(f.relu), _SIGNED),
    Row("PRelu", pointwise(_prelu), _SIGNED - {"int64"}, since=9),
    Row("LeakyRelu", pointwise(_leaky_relu, "alpha")),
    Row("ThresholdedRelu", pointwise(_thresholded_relu, "alpha")),
    Row("Elu", pointwise(_elu, "alpha")),
    Row("Celu", pointwise(_celu, "alpha")),
    Row("Selu", pointwise(_selu, "alpha", "gamma")),
    Row("Shrink", pointwise(_shrink, "bias", "lambd")),
    Row("HardSigmoid", pointwise(_hard_sigmoid, "alpha", "beta")),
    Row("HardSwish", pointwise(_hard_swish)),
    Row("Swish", pointwise(_swish, "alpha")),
    Row("Mish", pointwise(_mish)),
    Row("Gelu", _gelu_of),
    Row("Sigmoid", pointwise(f.sigmoid)),
    Row("Tanh", pointwise(f.tanh)),
    Row("Softplus", pointwise(f.softplus)),
    Row("Softsign", pointwise(_softsign)),
    Row("Exp", pointwise(f.exp)),
    Row("Log", pointwise(f.log)),
    Row("Sqrt", pointwise(f.sqrt)),
    Row("Reciprocal", pointwise(lambda a: 1.0 / a)),
    Row("Floor", pointwise(f.floor)),
    Row("Ceil", pointwise(f.ceil)),
    Row("Round", pointwise(f.rint)),
    Row("Erf", pointwise(_erf, wide=True), _NARROW),
    Row("Sinh", pointwise(_sinh, wide=True), _NARROW),
    Row("Cosh", pointwise(_cosh, wide=True)),
    Row("Asinh", pointwise(_asinh, wide=True), _NARROW),
    Row("Acosh", pointwise(_acosh, wide=True), _NARROW),
    Row("Atanh", pointwise(_atanh, wide=True), _NARROW),
    Row("IsNaN", pointwise(_isnan, truth=True)),
    Row("IsInf", _isinf_of, FLOATS),
)
