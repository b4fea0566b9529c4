"""Functions of numpy and Python on expressions: some are operators here; for the others, errors name the alternative.

numpy passes `np.float32(2) * x` and `np.tanh(x)` to `Expr.__array_ufunc__`, and `np.where(x > 0, x, y)` to
`Expr.__array_function__`. Functions that are operators of Python are operators here, too. For all others the error says
what to write instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from ..dtypes import SPELLINGS
from ..names import nearest

OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "true_divide": operator.truediv,
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": operator.abs,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "invert": operator.invert,
    "power": operator.pow,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
}
"""The numpy functions that a numpy scalar's operators call, mapped to Python operators."""
_SAME = (
    "tanh",
    "exp",
    "exp2",
    "log",
    "sqrt",
    "maximum",
    "minimum",
    "rint",
    "floor",
    "ceil",
    "trunc",
    "square",
    "reciprocal",
)
_REDUCTIONS = {
    "sum": "sum",
    "mean": "mean",
    "average": "mean",
    "prod": "prod",
    "max": "max",
    "amax": "max",
    "min": "min",
    "amin": "min",
}
_INDICES = ("argmax", "argmin")
_PRODUCTS = ("matmul", "dot", "einsum", "inner", "vdot", "mm", "bmm")
PRODUCT = "a @ b; make an array a parameter of the traced function"
"""What to write for a product."""
TRANSPOSE = (
    'the parameter in the other order, ts.equation(..., order={"x": "F"}), or a kernel of ts.transpose before it'
)
"""What to write for x.T."""
INSTEAD = {
    **{name: f"ts.{name}" for name in _SAME},
    "where": "ts.select(mask, a, b)",
    "clip": "ts.clamp(x, low, high)",
    "fmax": "ts.maximum",
    "fmin": "ts.minimum",
    "fabs": "abs(x)",
    "abs": "abs(x)",
    "round": "ts.rint",
    "around": "ts.rint",
    "round_": "ts.rint",
    "fix": "ts.trunc",
    "log1p": "ts.log(1 + x), which loses digits near 0",
    "expm1": "ts.exp(x) - 1, which loses digits near 0",
    "log2": "ts.log(x) * 1.4426950408889634",
    "log10": "ts.log(x) * 0.4342944819032518",
    **{name: f"ts.{own}(x, axis=1) for each row, axis=0 for each column" for name, own in _REDUCTIONS.items()},
    **{name: f"ts.{name}(x, axis=1) for each row" for name in _INDICES},
    "var": "ts.mean(d * d, axis=1) with d = x - ts.mean(x, axis=1)",
    "std": "ts.sqrt(ts.mean(d * d, axis=1)) with d = x - ts.mean(x, axis=1)",
    "norm": "ts.sqrt(ts.sum(x * x, axis=1))",
    "isnan": "x != x",
    "sign": "ts.select(x > 0, 1.0, ts.select(x < 0, -1.0, 0.0)), 0 * x in place of one number",
    **dict.fromkeys(_PRODUCTS, PRODUCT),
    **dict.fromkeys(("transpose", "swapaxes"), TRANSPOSE),
}
"""What to write in a traced function, keyed by the name of a numpy function."""
_TORCH = {
    **{name: f"ts.{name}" for name in ("relu", "gelu", "silu", "sigmoid", "softplus", "elu", "leaky_relu", "rsqrt")},
    **{name: f"ts.{name}(x, axis=1)" for name in ("softmax", "log_softmax")},
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max"), "ts.clamp(x, low, high), ts.maximum or ts.minimum"),
}
"""The same for functions of torch that numpy does not have."""
_SIGNS = {"add": "+", "sub": "-", "subtract": "-", "mul": "*", "multiply": "*", "div": "/", "divide": "/"}
_UNKNOWN = (
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "arctan2",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "erf",
    "erfc",
)
"""Functions that users look for and that no kernel computes."""


def missing(name: str, names: Iterable[str]) -> str:
    """Return what to write instead of a name that the package does not have, or "". names: those that it has."""
    if name in ("pow", "power"):
        return "; in a traced function write x**n, with a whole number or a half n, or ts.exp(y * ts.log(x))"
    if name in _UNKNOWN:
        return f"; no kernel computes {name}: ts.primitives() lists the functions there are"
    if name in SPELLINGS:
        return f'; element types are written as text, such as "{SPELLINGS[name]}", or as types of numpy and ml_dtypes'
    sign = _SIGNS.get(name)
    instead = f"a {sign} b, and for arrays ts.binary" if sign else INSTEAD.get(name)
    if name in _PRODUCTS:
        return f"; for arrays write ts.matmul(a, b), and in a traced function {instead}"
    if instead:
        return f"; in a traced function write {instead}"
    near = nearest(name, names)
    return f"; did you mean ts.{near}?" if near else ""


def refusal(name: str, library: str = "np") -> TypeError:
    """Return the error for a function of numpy or torch on an expression. It names the alternative."""
    instead = (_TORCH.get(name) if library == "torch" else None) or INSTEAD.get(name)
    if instead:
        taken = "tensors" if library == "torch" else "arrays"
        return TypeError(
            f"{library}.{name} takes {taken}, and this is an expression of a traced function: write {instead}"
        )
    return TypeError(
        f"{library}.{name}: has no counterpart for expressions of a traced function; use "
        "ts.primitives(), operators, ts.select, ts.maximum, ts.minimum, ts.clamp, ts.fma, "
        "ts.rint, ts.floor, ts.ceil and ts.trunc, or numpy before or after the kernel"
    )


_METHODS = {
    **{name: INSTEAD[name] for name in (*_REDUCTIONS, *_INDICES, "var", "std", "clip", "round", "dot", "transpose")},
    **{name: f"ts.{name}(x)" for name in ("exp", "log", "sqrt", "tanh", "sigmoid", "relu", "gelu", "silu", "softmax")},
    "shape": "the numbers themselves: the function is traced once, with extents that ts.equation is given",
    "astype": "ts.equation(..., out=type), which rounds the result, or dtype={...} for inputs",
}
_METHODS.update(size=_METHODS["shape"], ndim=_METHODS["shape"], to=_METHODS["astype"], float=_METHODS["astype"])


def attribute(name: str) -> AttributeError:
    """Return the error for an array attribute of an expression. It names the alternative."""
    instead = _METHODS.get(name)
    if instead is None:
        return AttributeError(
            f"an expression has no {name!r}, because it is not an array while it is "
            "traced; use operators and the functions of tilesmith"
        )
    return AttributeError(
        f"x.{name}: an expression is not an array while it is traced and has no such attribute: write {instead}"
    )


def no_array(shape: Any) -> TypeError:
    """Return the error for an array or tensor as an operand beside an expression."""
    return TypeError(
        f"an array of shape {tuple(shape)} is no operand of an expression: make it a parameter of the traced function"
    )


def no_element() -> TypeError:
    """Return the error for x[i] and iteration."""
    return TypeError(
        "an expression has no elements while it is traced, so there is no x[i], for, sum(x) or max(x) of "
        "Python: write ts.sum(x, axis=1) and ts.max(x, axis=1) for each row, ts.maximum(x, y) for two "
        "expressions, ts.select(mask, a, b) for some of the elements"
    )


def power(x: Any, exponent: Any, sqrt: Callable[[Any], Any]) -> Any:
    """Return x to a power: products for a whole number, their reciprocal for a negative one, with a square root for a
    half."""
    if isinstance(exponent, bool) or not isinstance(exponent, (int, float)) or exponent * 2 != int(exponent * 2):
        came = repr(exponent) if isinstance(exponent, (int, float, str)) else type(exponent).__name__
        came = "an expression" if type(exponent) is type(x) else came
        raise TypeError(
            f"an expression's exponent: a whole number or a half (x**0.5 is ts.sqrt(x)), not {came}; "
            "for positive x write ts.exp(y * ts.log(x)), whose error grows with y * log(x)"
        )
    if exponent < 0:
        return 1 / power(x, -exponent, sqrt)
    whole, half = divmod(exponent, 1)
    if not half:
        return _whole_power(x, int(whole))
    return _whole_power(x, int(whole)) * sqrt(x) if whole else sqrt(x)


def _whole_power(x: Any, exponent: int) -> Any:
    if exponent == 1:
        return x
    half = _whole_power(x, exponent // 2)
    return half * half * x if exponent % 2 else half * half


def low_bits(x: Any, divisor: Any, what: str) -> int:
    """Return the logarithm of a power of two that divides an integer. Raises TypeError for other divisors."""
    if x.dtype in ("i32", "i64") and isinstance(divisor, int) and divisor > 0 and not divisor & (divisor - 1):
        return divisor.bit_length() - 1
    instead = {"//": "ts.floor(x / y), which rounds the quotient first", "%": "x - y * ts.floor(x / y)"}[what]
    raise TypeError(
        f"x {what} y: x must be an integer and y a power of two, not {x.dtype} and "
        f"{divisor!r}; for floats write {instead}"
    )
