"""Operators of elements: each is a traced function, which broadcasts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api import functions as f
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise
from .library import BOOL, FLOATS, INTEGERS, NUMBERS, SIGNED_OF, UNSIGNED, Array, Compute

Function = Callable[..., Expr]
TRUTH = np.dtype(np.bool_)
_SIGNS = {np.dtype(np.uint32): -(1 << 31), np.dtype(np.uint64): -(1 << 63)}


def pointwise(function: Function, *attributes: str, wide: bool = False, truth: bool = False) -> Compute:
    """Return the operator of a function of elements and of attributes that are numbers.

    wide    compute in f64, so that sums and differences of large numbers keep the digits of the result
    truth   the results are truth values
    """

    def compute(call: NodeCall, *arrays: Array) -> Array:
        numbers = tuple(call.number(name) for name in attributes)
        out: np.dtype[np.generic] = TRUTH if truth else arrays[0].dtype
        return elementwise(ElementFunction(function, numbers), *arrays, out=out, compute="f64" if wide else None)

    return compute


def signed(arrays: tuple[Array, ...]) -> list[Array]:
    """Return unsigned numbers of 32 or 64 bits as signed ones of the same bits."""
    return [each.view(SIGNED_OF[each.dtype]) if each.dtype in SIGNED_OF else each for each in arrays]


def wrapping(function: Function) -> Compute:
    """Return the operator of a function whose bits are those of signed numbers, if they wrap. Those of fewer than 32
    bits, which kernels compute as i32 and store saturated, keep the lowest ones."""

    def held(*given: Expr | int) -> Expr:
        *operands, bits = given
        assert isinstance(bits, int)
        made = function(*operands)
        return made & ((1 << bits) - 1) if bits > 0 else (made << 32 + bits) >> 32 + bits

    def compute(call: NodeCall, *arrays: Array) -> Array:
        dtype = arrays[0].dtype
        bits = 8 * dtype.itemsize * (1 if dtype.kind == "u" else -1)
        narrow = dtype.kind in "iu" and dtype.itemsize < 4
        traced = ElementFunction(held, (bits,)) if narrow else ElementFunction(function)
        return elementwise(traced, *signed(arrays)).view(dtype)

    return compute


def ordering(function: Function, truth: bool = False) -> Compute:
    """Return the operator of a function of an order: unsigned numbers are compared as signed ones with the first bit
    turned, which have the same order."""

    def compute(call: NodeCall, *arrays: Array) -> Array:
        dtype = arrays[0].dtype
        out: np.dtype[np.generic] = TRUTH if truth else dtype
        if dtype not in _SIGNS:
            return elementwise(ElementFunction(function), *arrays, out=out)
        traced = ElementFunction(_turned, (_SIGNS[dtype], truth, *_name(function)))
        made = elementwise(traced, *signed(arrays), out=TRUTH if truth else SIGNED_OF[dtype])
        return made if truth else made.view(dtype)

    return compute


def _name(function: Function) -> tuple[str]:
    return (function.__name__,)


def _turned(a: Expr, b: Expr, sign: int, truth: bool, name: str) -> Expr:
    made = _ORDERED[name](a ^ sign, b ^ sign)
    return made if truth else made ^ sign


def folded(binary: Compute) -> Compute:
    """Return the operator of any number of operands that joins two at a time."""

    def compute(call: NodeCall, *arrays: Array) -> Array:
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


def add(a: Expr, b: Expr) -> Expr:
    return a + b


def sub(a: Expr, b: Expr) -> Expr:
    return a - b


def _mean_of(call: NodeCall, *arrays: Array) -> Array:
    total = _SUM(call, *arrays)
    return elementwise(ElementFunction(_scaled, (len(arrays),)), total)  # type: ignore[arg-type]


def _scaled(a: Expr, count: float) -> Expr:
    return a / count


ADD = wrapping(add)
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


def _equal_of(call: NodeCall, a: Array, b: Array) -> Array:
    return elementwise(ElementFunction(_equal), *signed((a, b)), out=TRUTH)


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


def _gelu_of(call: NodeCall, x: Array) -> Array:
    return elementwise(ElementFunction(f.gelu_tanh if call.text("approximate") == "tanh" else f.gelu), x)


# In f64 the differences below keep more digits than a narrower result has, and near zero x itself is the result.


def _near_zero(a: Expr) -> Expr:
    return abs(a) < 1e-5


def _erf(a: Expr) -> Expr:
    root = math.sqrt(2.0)
    return f.select(_near_zero(a), a * (2 / math.sqrt(math.pi)), f.gelu(a * root) * root / a - 1.0)


def _sinh(a: Expr) -> Expr:
    return f.select(_near_zero(a), a, (f.exp(a) - f.exp(-a)) * 0.5)


def _cosh(a: Expr) -> Expr:
    return (f.exp(a) + f.exp(-a)) * 0.5


def _asinh(a: Expr) -> Expr:
    size = abs(a)
    made = f.log(size + f.sqrt(size * size + 1.0))
    return f.select(_near_zero(a), a, f.select(a < 0, -made, made))


def _acosh(a: Expr) -> Expr:
    return f.log(a + f.sqrt((a - 1.0) * (a + 1.0)))


def _atanh(a: Expr) -> Expr:
    return f.select(_near_zero(a), a, f.log((1.0 + a) / (1.0 - a)) * 0.5)


def _isnan(a: Expr) -> Expr:
    return one(a != a)


def _isinf(a: Expr, negative: float, positive: float) -> Expr:
    below, above = one(a == -math.inf), one(a == math.inf)
    return above if not negative else below if not positive else below + above


def _isinf_of(call: NodeCall, x: Array) -> Array:
    negative, positive = (call.number(f"detect_{name}") for name in ("negative", "positive"))
    if not negative and not positive:
        return np.zeros(x.shape, np.bool_)
    return elementwise(ElementFunction(_isinf, (negative, positive)), x, out=TRUTH)


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


def _pow_of(call: NodeCall, a: Array, b: Array) -> Array:
    if b.size == 1 and b.ndim <= a.ndim and a.dtype.kind not in "iu" and b.reshape(-1)[0] in (0.5, 2, 3, 4):
        power = float(b.reshape(-1)[0])
        shape = np.broadcast_shapes(a.shape, b.shape)
        traced = ElementFunction(f.sqrt) if power == 0.5 else ElementFunction(_whole_times, (int(power),))
        return elementwise(traced, a).reshape(shape)
    b = b.view(SIGNED_OF[b.dtype]) if b.dtype in SIGNED_OF else b
    return elementwise(ElementFunction(_whole_power if a.dtype.kind in "iu" else _power), a, b, compute="f64")


# Choices


def _chosen(mask: Expr, a: Expr, b: Expr) -> Expr:
    return f.select(mask != 0, a, b)


_AS_BITS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def where(call: NodeCall, mask: Array, a: Array, b: Array) -> Array:
    """Choose elements, whose bits are whole numbers to the kernel."""
    bits = np.dtype(_AS_BITS[a.dtype.itemsize])
    given = mask.view(np.int8)
    if bits.itemsize == 8:
        given = given.astype(np.int64)
    return elementwise(ElementFunction(_chosen), given, a.view(bits), b.view(bits), out=bits).view(a.dtype)


def _clip(x: Expr, low: Expr, high: Expr) -> Expr:
    return f.minimum(f.maximum(x, low), high)


def _clip_of(call: NodeCall, x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    if low is None and high is None:
        return x.copy()
    if low is None:
        return ordering(_minimum)(call, x, high)  # type: ignore[return-value]
    if high is None:
        return ordering(_maximum)(call, x, low)  # type: ignore[return-value]
    return elementwise(ElementFunction(_clip), x, low, high)


def _clip_by_attributes(call: NodeCall, x: Array) -> Array:
    ends = [np.asarray(call.number(name), x.dtype) if name in call.attributes else None for name in ("min", "max")]
    return _clip_of(call, x, *ends)


_SIGNED = FLOATS | {"int8", "int16", "int32", "int64"}
_ALL = NUMBERS | UNSIGNED
_NARROW = FLOATS - {"float64"}
_POWERS = _NARROW | (INTEGERS - {"int64"})

ROWS = (
    OnnxRow("Add", ADD, _ALL, since=7),
    OnnxRow("Sub", wrapping(sub), _ALL, since=7),
    OnnxRow("Sum", _SUM, since=8),
    OnnxRow("Mean", _mean_of, since=8),
    OnnxRow("Max", folded(MAX), _ALL, since=8),
    OnnxRow("Min", folded(MIN), _ALL, since=8),
    OnnxRow("Pow", _pow_of, _POWERS, {1: NUMBERS | UNSIGNED}, since=7),
    OnnxRow("Less", ordering(_less, truth=True), _ALL, since=7),
    OnnxRow("Greater", ordering(_greater, truth=True), _ALL, since=7),
    OnnxRow("LessOrEqual", ordering(_less_equal, truth=True), _ALL, since=12),
    OnnxRow("GreaterOrEqual", ordering(_greater_equal, truth=True), _ALL, since=12),
    OnnxRow("Equal", _equal_of, _ALL | BOOL, since=7),
    OnnxRow("Where", where, BOOL, since=9),
    OnnxRow("Clip", _clip_of, NUMBERS, since=11),
    OnnxRow("Clip", _clip_by_attributes, FLOATS, since=6, until=11),
    OnnxRow("Neg", wrapping(lambda a: -a), _SIGNED),
    OnnxRow("Abs", wrapping(absolute), NUMBERS),
    OnnxRow("Sign", pointwise(_sign), _SIGNED),
    OnnxRow("Relu", pointwise(f.relu), _SIGNED),
    OnnxRow("PRelu", pointwise(_prelu), _SIGNED - {"int64"}, since=9),
    OnnxRow("LeakyRelu", pointwise(_leaky_relu, "alpha")),
    OnnxRow("ThresholdedRelu", pointwise(_thresholded_relu, "alpha")),
    OnnxRow("Elu", pointwise(_elu, "alpha")),
    OnnxRow("Celu", pointwise(_celu, "alpha")),
    OnnxRow("Selu", pointwise(_selu, "alpha", "gamma")),
    OnnxRow("Shrink", pointwise(_shrink, "bias", "lambd")),
    OnnxRow("HardSigmoid", pointwise(_hard_sigmoid, "alpha", "beta")),
    OnnxRow("HardSwish", pointwise(_hard_swish)),
    OnnxRow("Swish", pointwise(_swish, "alpha")),
    OnnxRow("Mish", pointwise(_mish)),
    OnnxRow("Gelu", _gelu_of),
    OnnxRow("Sigmoid", pointwise(f.sigmoid)),
    OnnxRow("Tanh", pointwise(f.tanh)),
    OnnxRow("Softplus", pointwise(f.softplus)),
    OnnxRow("Softsign", pointwise(_softsign)),
    OnnxRow("Exp", pointwise(f.exp)),
    OnnxRow("Log", pointwise(f.log)),
    OnnxRow("Sqrt", pointwise(f.sqrt)),
    OnnxRow("Reciprocal", pointwise(lambda a: 1.0 / a)),
    OnnxRow("Floor", pointwise(f.floor)),
    OnnxRow("Ceil", pointwise(f.ceil)),
    OnnxRow("Round", pointwise(f.rint)),
    OnnxRow("Erf", pointwise(_erf, wide=True), _NARROW),
    OnnxRow("Sinh", pointwise(_sinh, wide=True), _NARROW),
    OnnxRow("Cosh", pointwise(_cosh, wide=True)),
    OnnxRow("Asinh", pointwise(_asinh, wide=True), _NARROW),
    OnnxRow("Acosh", pointwise(_acosh, wide=True), _NARROW),
    OnnxRow("Atanh", pointwise(_atanh, wide=True), _NARROW),
    OnnxRow("IsNaN", pointwise(_isnan, truth=True)),
    OnnxRow("IsInf", _isinf_of, FLOATS),
)
