"""The elementwise primitives: one row for each, with its operands, its formula, its expression and its defaults.

Unary functions take (x), binary ones two operands, ternary ones three. Activations are nodes of "call", which are
expanded when the kernel's accuracy and machine are known (`graph.call`, `graph.expand`).

A name that ends in "_inv" is not an inverse function but the function of a backward pass: the gradient g of the
function's result times the function's derivative at x, which is the gradient of x.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...encoder.records import NamedTuple
from ..expr.graph import FLOATS, Expr, apply, call, constant, fma, maximum, minimum, select, sqrt
from . import activations, bf16_split, quantize, threefry

LEAK = 0.01
"""Slope of leaky_relu below zero, as in PyTorch."""


class Primitive(NamedTuple):
    """A named function of elements, and the defaults of a request for it.

    operands   their names in the formula; a kernel calls them x, or x0, x1, x2. Without operands, the results depend on
               the positions of elements
    function   makes the expression; its keyword-only parameters are keywords of the request ("out": the result's type)
    dtype, out, bcast   defaults; None: f32, the type of the operands, no broadcast
    mask       the position of the operand that is a mask of bits
    only       the types of operands that are supported, if not all are
    usual      fills in defaults that depend on one another
    """

    name: str
    operands: tuple[str, ...]
    formula: str
    function: Callable[..., Any]
    dtype: Any = None
    out: Any = None
    bcast: str | None = None
    mask: int | None = None
    only: tuple[tuple[str, ...], ...] = ()
    usual: Callable[..., tuple[Any, Any, Any, str]] | None = None

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords of a request that are parameters of the function."""
        if isinstance(self.function, partial):  # a partial `call` has only its name
            return ()
        code = self.function.__code__
        return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]

    @property
    def needed(self) -> tuple[str, ...]:
        """The keywords without a default."""
        defaults = getattr(self.function, "__kwdefaults__", None) or {}
        return tuple(each for each in self.keywords if each not in defaults)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.operands)}) = {self.formula}"


def _muladd(a: Expr, b: Expr, c: Expr) -> Expr:
    return fma(a, b, c) if a.dtype in FLOATS else a * b + c


def _nmuladd(a: Expr, b: Expr, c: Expr) -> Expr:
    return fma(-a, b, c) if a.dtype in FLOATS else c - a * b


def _or_zero(mask: Expr, x: Expr) -> Expr:
    return select(mask, x, constant(0, x.dtype))


_X, _AB, _GX = ("x",), ("a", "b"), ("g", "x")
_SCALED = "saturated to the range of its type; scale= and zero= are numbers"


def _gradient(of: str) -> str:
    return f"; the derivative of {of} at x times g, the gradient of {of}(x)"


def _by_node(name: str, formula: str, op: str = "", swapped: bool = False) -> Primitive:
    op = op or name
    return Primitive(name, _AB, formula, (lambda a, b: apply(op, b, a)) if swapped else (lambda a, b: apply(op, a, b)))


def _table(*rows: Primitive) -> dict[str, Primitive]:
    return {row.name: row for row in rows}


UNARY = _table(
    Primitive("identity", _X, "x, converted to the type of y", lambda x: x),
    Primitive("zero", _X, "0; x is not read", lambda x: constant(0, x.dtype)),
    Primitive("square", _X, "x * x", lambda x: x * x),
    Primitive("sqrt", _X, "the square root of x, rounded once", sqrt),
    Primitive("increment", _X, "x + 1", lambda x: x + 1),
    Primitive("decrement", _X, "x - 1", lambda x: x - 1),
    Primitive("negate", _X, "-x", lambda x: -x),
    Primitive("abs", _X, "|x|", lambda x: abs(x)),
    Primitive("reciprocal", _X, "1 / x, rounded once", lambda x: 1 / x),
    Primitive("rsqrt", _X, "1 / sqrt(x), both rounded", lambda x: 1 / sqrt(x)),
    Primitive("relu", _X, "max(x, 0)", lambda x: maximum(x, 0)),
    Primitive("leaky_relu", _X, "x where x > 0, else x / 100", lambda x: select(x > 0, x, x * LEAK)),
    Primitive("relu_mask", _X, "y0 = max(x, 0), y1 = a bit for x > 0", lambda x: (maximum(x, 0), x > 0)),
    Primitive(
        "dropout", _X, "x / (1 - rate), or 0 with probability rate=, from the seed of the call", threefry.dropout
    ),
    Primitive("dropout_mask", _X, "y0 = dropout(x), y1 = a bit for each element kept", threefry.dropout_mask),
    Primitive(
        "round_stochastic",
        _X,
        "one of the two neighbours of x in the type of y, x on average",
        threefry.round_stochastic,
    ),
    Primitive("random", (), "32 random bits from the seed of the call, or 64 if y is i64", threefry.random, out="i32"),
    Primitive("uniform", (), "a random number in [0, 1) from the seed of the call", threefry.uniform, out="f32"),
    Primitive(
        "quantize", _X, f"x / scale to nearest even, + zero, {_SCALED}", quantize.quantize_by, usual=quantize.usual
    ),
    Primitive(
        "dequantize",
        _X,
        "(x - zero) * scale; scale= and zero= are numbers",
        quantize.dequantize_by,
        usual=quantize.usual,
    ),
    Primitive(
        "unpack",
        _X,
        "y0 = the upper 16 bits of an f32, which are a bf16, y1 = the lower ones; see pack",
        bf16_split.unpack,
        out=("bf16", "u16"),
    ),
    Primitive(
        "split2",
        _X,
        "y0 + y1 = x nearly (2^-16): two bf16, y0 the upper half of x, y1 the rest, rounded",
        bf16_split.split2,
        out="bf16",
    ),
    Primitive("split3", _X, "y0 + y1 + y2 = x, three bf16", bf16_split.split3, out="bf16"),
    Primitive("replicate_columns", _X, "the column x (m, 1) in every column of y", lambda x: x, bcast="col"),
    *(Primitive(name, _X, of.formula, partial(call, name)) for name, of in activations.CATALOGUE.items()),
)
BINARY = _table(
    _by_node("add", "a + b"),
    _by_node("sub", "a - b"),
    _by_node("mul", "a * b"),
    _by_node("div", "a / b"),
    Primitive("max", _AB, "the larger; NaN if either is", maximum),
    Primitive("min", _AB, "the smaller; NaN if either is", minimum),
    _by_node("lt", "a bit for a < b"),
    _by_node("le", "a bit for a <= b"),
    _by_node("gt", "a bit for a > b", "lt", True),
    _by_node("ge", "a bit for a >= b", "le", True),
    _by_node("eq", "a bit for a == b"),
    _by_node("ne", "a bit for a != b"),
    Primitive("relu_inv", _GX, "g where x > 0, else 0" + _gradient("relu"), lambda g, x: _or_zero(x > 0, g)),
    Primitive(
        "leaky_relu_inv",
        _GX,
        "g where x > 0, else g / 100" + _gradient("leaky_relu"),
        lambda g, x: select(x > 0, g, g * LEAK),
    ),
    Primitive(
        "relu_mask_inv",
        ("g", "mask"),
        "g where the bit is set, else 0; mask is y1 of relu_mask",
        lambda g, mask: _or_zero(mask, g),
        mask=1,
    ),
    Primitive(
        "dropout_inv",
        ("g", "mask"),
        "g / (1 - rate) where the bit is set, else 0; mask is y1 of dropout_mask",
        threefry.dropout_inv,
        mask=1,
    ),
    Primitive(
        "quantize",
        ("x", "scale"),
        "x / scale to nearest even, saturated to the range of its type",
        quantize.quantize,
        usual=quantize.usual,
    ),
    Primitive("dequantize", ("x", "scale"), "x * scale", quantize.dequantize, usual=quantize.usual),
    Primitive(
        "pack",
        ("high", "low"),
        "the f32 whose upper and lower 16 bits these are; see unpack",
        bf16_split.pack,
        dtype=("bf16", "u16"),
        out="f32",
        only=(("bf16", "u16"), ("u16", "u16")),
    ),
    *(
        Primitive(f"{name}_inv", _GX, of.gradient + _gradient(name), partial(call, f"{name}_inv"))
        for name, of in activations.CATALOGUE.items()
    ),
)
TERNARY = _table(
    Primitive("muladd", ("a", "b", "c"), "a * b + c; floats are rounded once", _muladd),
    Primitive("nmuladd", ("a", "b", "c"), "c - a * b; floats are rounded once", _nmuladd),
    Primitive(
        "blend", ("a", "b", "mask"), "b where the bit is set, else a", lambda a, b, mask: select(mask, b, a), mask=2
    ),
    Primitive(
        "quantize",
        ("x", "scale", "zero"),
        "x / scale to nearest even, + zero, saturated to the range of its type",
        quantize.quantize,
        usual=quantize.usual,
    ),
    Primitive("dequantize", ("x", "scale", "zero"), "(x - zero) * scale", quantize.dequantize, usual=quantize.usual),
)
TABLES = {"unary": UNARY, "binary": BINARY, "ternary": TERNARY}
"""The rows, keyed by the name of the function that makes kernels from them."""
