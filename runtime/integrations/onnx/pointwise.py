"""Operators of elements: expressions of the graph compiler's operators, which broadcast."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, reduce

import numpy as np

from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.graph import Expr
from ....microkernels.expr.ops import MASKS
from ...api import functions as f
from ...graph.values import GraphValue, named
from .call import NodeCall, OnnxRow, Rule, Types
from .elements import ElementFunction, elementwise
from .library import BOOL, FLOATS, INTEGERS, NUMBERS, SIGNED_OF, UNSIGNED, Array, Compute
from .lowering import LoweredNode, floats, ruled

Function = Callable[..., Expr]
TRUTH = np.dtype(np.bool_)
_SIGNS = {np.dtype(np.uint32): -(1 << 31), np.dtype(np.uint64): -(1 << 63)}


@cache
def function_of(operator: str) -> Function:
    """Return the expression of an operator of the graph compiler, with 1 and 0 for masks."""
    expression = named(operator).expression
    assert expression is not None, operator

    def function(*operands: Expr | float) -> Expr:
        made = expression(*operands)
        assert isinstance(made, Expr)
        return one(made) if made.dtype in MASKS else made

    return function


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


def ordering(operator: str, truth: bool = False) -> Compute:
    """Return an operator of an order: unsigned numbers are compared as signed ones with the first bit turned, which
    have the same order."""

    def compute(call: NodeCall, *arrays: Array) -> Array:
        dtype = arrays[0].dtype
        out: np.dtype[np.generic] = TRUTH if truth else dtype
        if dtype not in _SIGNS:
            return elementwise(ElementFunction(function_of(operator)), *arrays, out=out)
        traced = ElementFunction(_turned, (_SIGNS[dtype], truth, operator))
        made = elementwise(traced, *signed(arrays), out=TRUTH if truth else SIGNED_OF[dtype])
        return made if truth else made.view(dtype)

    return compute


def _turned(a: Expr, b: Expr, sign: int, truth: bool, operator: str) -> Expr:
    made = function_of(operator)(a ^ sign, b ^ sign)
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


ADD = wrapping(function_of("add"))
MAX, MIN = ordering("maximum"), ordering("minimum")


def _equal_of(call: NodeCall, a: Array, b: Array) -> Array:
    return elementwise(ElementFunction(function_of("equal")), *signed((a, b)), out=TRUTH)


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


# In f64 the differences below keep more digits than a narrower result has, and near zero x itself is the result.


def _near_zero(a: Expr) -> Expr:
    return abs(a) < 1e-5


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


# Rules


def rule_of(operator: str, **attributes: str) -> Rule:
    """Return the rule of an operator that is the same for floats and truth values. attributes: of the compiler, with
    ONNX's names."""

    def lower(of: LoweredNode, *values: GraphValue) -> GraphValue:
        given = {ours: of.call.number(theirs) for ours, theirs in attributes.items()}
        return of.apply(operator, *map(floats, values), **given)

    return lower


def _same(
    name: str, operator: str, types: Types = FLOATS, *, truth: bool = False, since: int = 1, **attributes: str
) -> OnnxRow:
    """Return the row of an operator that the graph compiler has, too. attributes: as in `rule_of`."""
    compute = pointwise(function_of(operator), *attributes.values(), truth=truth)
    return OnnxRow(name, compute, types, since=since, rule=rule_of(operator, **attributes))


def _sums(operator: str) -> Rule:
    """Return the rule of a sum or difference, of floats or of integers, which wrap."""

    def lower(of: LoweredNode, *values: GraphValue) -> GraphValue:
        if values[0].dtype.kind == "u" and values[0].dtype.itemsize > 2 or values[0].dtype.kind == "b":
            raise UnsupportedError("wide integers without a sign")
        return of.apply(operator, *values)

    return lower


def _joined(operator: str) -> Rule:
    return lambda of, *values: reduce(lambda a, b: of.apply(operator, a, b), values)


def _mean(of: LoweredNode, *values: GraphValue) -> GraphValue:
    return of.apply("divide", reduce(lambda a, b: of.apply("add", a, b), values), len(values))


def _clip(of: LoweredNode, x: GraphValue, low: GraphValue | None = None, high: GraphValue | None = None) -> GraphValue:
    ends = {name: of.call.number(name) for name in ("min", "max") if name in of.call.attributes}
    return of.apply("clip", x, low, high) if not ends else of.apply("clip", x, ends.get("min"), ends.get("max"))


def _gelu(of: LoweredNode, x: GraphValue) -> GraphValue:
    return of.apply("gelu_tanh" if of.call.text("approximate") == "tanh" else "gelu", x)


def _swish(of: LoweredNode, x: GraphValue) -> GraphValue:
    alpha = of.call.number("alpha", 1.0)
    if alpha == 1.0:
        return of.apply("silu", x)
    return of.apply("multiply", x, of.apply("sigmoid", of.apply("multiply", x, alpha)))


def _prelu(of: LoweredNode, x: GraphValue, slope: GraphValue) -> GraphValue:
    return of.apply("where", of.apply("less", x, 0), of.apply("multiply", x, slope), x)


def _thresholded(of: LoweredNode, x: GraphValue) -> GraphValue:
    return of.apply("where", of.apply("greater", x, of.call.number("alpha")), x, 0.0)


def _shrink(of: LoweredNode, x: GraphValue) -> GraphValue:
    bias, end = of.call.number("bias"), of.call.number("lambd")
    above = of.apply("where", of.apply("greater", x, end), of.apply("subtract", x, bias), 0.0)
    return of.apply("where", of.apply("less", x, -end), of.apply("add", x, bias), above)


def _is_infinite(of: LoweredNode, x: GraphValue) -> GraphValue:
    ends = {"negative": -math.inf, "positive": math.inf}
    found = [of.apply("equal", x, end) for name, end in ends.items() if of.call.whole(f"detect_{name}")]
    nowhere = [of.apply("less", x, -math.inf)]
    return reduce(lambda a, b: of.apply("logical_or", a, b), found or nowhere)


def _known_power(of: LoweredNode, x: GraphValue, exponent: GraphValue) -> GraphValue:
    number = of.scalar(1)
    if number is None or number not in (0.5, 2.0, 3.0, 4.0) or x.dtype.kind in "iu":
        raise UnsupportedError("powers that are not a root or up to four factors")
    return of.apply("power", x, number)


def _where(of: LoweredNode, mask: GraphValue, a: GraphValue, b: GraphValue) -> GraphValue:
    return of.apply("where", mask, floats(a), floats(b))


_SIGNED = FLOATS | {"int8", "int16", "int32", "int64"}
_ALL = NUMBERS | UNSIGNED
_NARROW = FLOATS - {"float64"}
_POWERS = _NARROW | (INTEGERS - {"int64"})
_ALIKE = "mish sigmoid tanh softplus softsign exp log sqrt reciprocal floor ceil erf"
"""Operators of one operand that have their names in the graph compiler, too."""

ROWS = (
    OnnxRow("Add", ADD, _ALL, since=7, rule=_sums("add")),
    OnnxRow("Sub", wrapping(function_of("subtract")), _ALL, since=7, rule=_sums("subtract")),
    OnnxRow("Sum", folded(ADD), since=8, rule=_joined("add")),
    ruled("Mean", _mean, since=8),
    OnnxRow("Max", folded(MAX), _ALL, since=8, rule=_joined("maximum")),
    OnnxRow("Min", folded(MIN), _ALL, since=8, rule=_joined("minimum")),
    OnnxRow("Pow", _pow_of, _POWERS, {1: NUMBERS | UNSIGNED}, since=7, rule=_known_power),
    *(
        OnnxRow(name, ordering(operator, truth=True), _ALL, since=since, rule=rule_of(operator))
        for name, operator, since in (
            ("Less", "less", 7),
            ("Greater", "greater", 7),
            ("LessOrEqual", "less_equal", 12),
            ("GreaterOrEqual", "greater_equal", 12),
        )
    ),
    OnnxRow("Equal", _equal_of, _ALL | BOOL, since=7, rule=rule_of("equal")),
    OnnxRow("Where", where, BOOL, since=9, rule=_where),
    ruled("Clip", _clip, NUMBERS, since=11),
    ruled("Clip", _clip, since=6, until=11),
    OnnxRow("Neg", wrapping(function_of("negative")), _SIGNED, rule=rule_of("negative")),
    OnnxRow("Abs", wrapping(function_of("absolute")), NUMBERS, rule=rule_of("absolute")),
    _same("Sign", "sign", _SIGNED),
    _same("Relu", "relu", _SIGNED),
    ruled("PRelu", _prelu, _SIGNED - {"int64"}, since=9),
    _same("LeakyRelu", "leaky_relu", slope="alpha"),
    ruled("ThresholdedRelu", _thresholded),
    _same("Elu", "elu", alpha="alpha"),
    _same("Celu", "celu", alpha="alpha"),
    _same("Selu", "selu", alpha="alpha", gamma="gamma"),
    ruled("Shrink", _shrink),
    _same("HardSigmoid", "hard_sigmoid", alpha="alpha", beta="beta"),
    _same("HardSwish", "hard_swish"),
    ruled("Swish", _swish),
    ruled("Gelu", _gelu),
    _same("Round", "rint"),
    _same("IsNaN", "isnan", truth=True),
    ruled("IsInf", _is_infinite),
    *(_same(name.capitalize(), name) for name in _ALIKE.split()),
    OnnxRow("Sinh", pointwise(_sinh, wide=True), _NARROW),
    OnnxRow("Cosh", pointwise(_cosh, wide=True)),
    OnnxRow("Asinh", pointwise(_asinh, wide=True), _NARROW),
    OnnxRow("Acosh", pointwise(_acosh, wide=True), _NARROW),
    OnnxRow("Atanh", pointwise(_atanh, wide=True), _NARROW),
)
