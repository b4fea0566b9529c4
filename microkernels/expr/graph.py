"""Expressions: the computation of one element, as a graph of operations with Python's operators.

    def swish(x):
        return x / (1.0 + exp(-x))

    program = trace(lambda x, g: maximum(x, 0.0) * g, x="f32", g="f32")

This module has the named operations and the walks over a graph. `node` has the nodes and their operators, `ops` the
table of operations, and `program` the same graph as plain data. All their public names are also here.

Types: f32 and f64, the integers i32 and i64 of the same size, and masks m32 and m64 (true or false for each element).
`OPS` defines the result of each operation for special values; it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, index, is_
from typing import Any

from .node import Expr as Expr
from .node import ExpressionTypeError as ExpressionTypeError
from .node import apply as apply
from .node import coerced, shift_count
from .node import constant as constant
from .node import constant_bits as constant_bits
from .node import node as node
from .node import operand as operand
from .node import real as real
from .node import with_args as with_args
from .ops import BITS as BITS
from .ops import FLOAT_OF as FLOAT_OF
from .ops import FLOATS as FLOATS
from .ops import INTEGER_OF as INTEGER_OF
from .ops import INTEGERS as INTEGERS
from .ops import MASK_OF as MASK_OF
from .ops import MASKS as MASKS
from .ops import OPS as OPS
from .ops import TABLES as TABLES
from .program import Program as Program
from .program import Step as Step
from .program import number_of as number_of
from .program import postorder
from .program import program as program

# Functions. Operands may be numbers if another operand determines the type.


def _all_coerced(name: str, *values: Any) -> list[Expr]:
    """Return all values as expressions. Numbers get the type of the first expression."""
    floats = any(isinstance(value, float) or (isinstance(value, Expr) and value.dtype in FLOATS) for value in values)
    values = tuple(map(real, values)) if floats else values
    known = next((value for value in values if isinstance(value, Expr)), None)
    if known is None:
        raise TypeError(f"{name}: at least one expression among {values!r}")
    pairs = [coerced(known, value) for value in values]
    if None in pairs:
        raise TypeError(f"{name}: expressions or numbers of type {known.dtype}, not {values!r}")
    return [pair[1] for pair in pairs if pair is not None]


def fma(a: Any, b: Any, c: Any) -> Expr:
    """a * b + c, rounded once."""
    return apply("fma", *_all_coerced("fma", real(a), real(b), real(c)))


EITHER = "rounded once or twice"
"""The value of an `fma` node whose result may be rounded once or twice."""


def multiply_add(a: Expr, b: Expr, c: Expr) -> Expr:
    """Return a * b + c of floats, rounded once if the machine has an instruction for it, else twice."""
    return node("fma", (a, b, c), c.dtype, EITHER)


def fma_or_twice(a: Any, b: Any, c: Any) -> Expr:
    """Return a * b + c, rounded once. For f64 it is rounded twice if the machine has no FMA instruction."""
    a, b, c = _all_coerced("fma", a, b, c)
    return multiply_add(a, b, c) if a.dtype == "f64" else fma(a, b, c)


NEARLY = "rounded once, or nearly so"
"""The value of an f64 `fma` node whose error is at most half an ulp plus 2^-50 of that, for numbers from 2^-480 to
2^480."""


def fma_nearly(a: Any, b: Any, c: Any) -> Expr:
    """Return a * b + c, rounded once. For f64 without an FMA instruction it is nearly so, for numbers as in `NEARLY`,
    or for a c so large that the product is lost in its last bit."""
    a, b, c = _all_coerced("fma", a, b, c)
    return node("fma", (a, b, c), c.dtype, NEARLY) if a.dtype == "f64" else fma(a, b, c)


def maximum(a: Any, b: Any) -> Expr:
    """The larger of a and b; NaN if either is NaN; +0 counts as larger than -0."""
    return apply("max", *_all_coerced("maximum", a, b))


def minimum(a: Any, b: Any) -> Expr:
    """The smaller of a and b; NaN if either is NaN; -0 counts as smaller than +0."""
    return apply("min", *_all_coerced("minimum", a, b))


def clamp(x: Expr, low: Any, high: Any) -> Expr:
    """x, but low where x is below low, and high where x is above high; NaN stays NaN."""
    return minimum(maximum(x, low), high)


def select(mask: Expr, a: Any, b: Any) -> Expr:
    """a where the mask is true, else b. If both are numbers, they get the type of what the mask compares."""
    numbers = not isinstance(a, (Expr, bool)) and not isinstance(b, (Expr, bool))
    if numbers and isinstance(mask, Expr):
        beside = _compared(mask) if mask.dtype in MASKS else mask  # what is no mask is refused with the reason
        return apply("select", mask, *_all_coerced("select", beside, a, b)[1:])
    return apply("select", mask, *_all_coerced("select", a, b))


def _compared(mask: Expr) -> Expr:
    """Return a number that decides a mask, or, for a mask that is an operand, any float of its size."""
    while mask.dtype in MASKS and mask.args:
        mask = mask.args[-1]
    return mask if mask.dtype not in MASKS else constant(0.0, "f32" if mask.dtype == "m32" else "f64")


def sqrt(x: Expr) -> Expr:
    """The square root of x, rounded once."""
    return apply("sqrt", real(x))


def rint(x: Expr) -> Expr:
    """x rounded to the nearest whole number, halves to the even one, as a float."""
    return apply("rint", real(x))


def floor(x: Expr) -> Expr:
    """The largest whole number that is not above x, as a float."""
    return apply("floor", real(x))


def ceil(x: Expr) -> Expr:
    """The least whole number that is not below x, as a float."""
    return apply("ceil", real(x))


def trunc(x: Expr) -> Expr:
    """x without its fraction, which is x rounded towards zero, as a float."""
    return apply("trunc", real(x))


def ldexp(x: Expr, n: Any, reach: int | None = None) -> Expr:
    """x * 2^n, rounded once. n is an integer, or a float that is a whole number below 2^31 in size.

    `reach` promises |n| <= reach, which is cheaper where no instruction computes this: up to 126 always, and up to 252
    if also 2^-100 < |x| < 2^100.
    """
    if not isinstance(n, Expr):
        n = constant(index(n), INTEGER_OF[x.dtype])
    return apply("scale" if n.dtype in FLOATS else "ldexp", x, n, value=reach)


def ldexp_floor(x: Expr, n: Expr, reach: int | None = None) -> Expr:
    """x * 2^floor(n), rounded once. n is a float, `reach` as in `ldexp`."""
    return apply("scale_floor", x, n, value=reach)


def to_int(x: Expr) -> Expr:
    """Round towards zero, to an integer of the same size. x must fit."""
    return apply("to_int", x)


def round_int(x: Expr) -> Expr:
    """Round to nearest even, to an integer of the same size. x must fit."""
    return apply("round_int", x)


def to_float(n: Expr) -> Expr:
    """An integer as a float of the same size, rounded once."""
    return apply("to_float", n)


def bits(x: Expr) -> Expr:
    """The bits of a float as an integer."""
    return apply("bits", x)


def from_bits(n: Expr) -> Expr:
    """The float with the bits of an integer."""
    return apply("from_bits", n)


def shift_right_logical(n: Expr, count: int) -> Expr:
    """Shift the bits down; zeros move in (`>>` copies the sign)."""
    return apply("shr", n, value=shift_count(n, count))


def rotated(n: Expr, count: int) -> Expr:
    """Rotate the bits up: bits that leave at the top move in at the bottom."""
    return apply("rotl", n, value=shift_count(n, count))


def lookup(table: Sequence[float], place: Expr, dtype: str | None = None) -> Expr:
    """table[place]: 8, 16 or 32 entries, held in registers. `place` is an integer in 0 .. len(table) - 1.

    dtype    type of the entries; the default is the float type of the size of `place`
    """
    if len(table) not in TABLES:
        raise ValueError(f"lookup: a table of {', '.join(map(str, TABLES))} entries, not {len(table)}")
    if place.dtype not in INTEGERS:
        raise TypeError(f"lookup: the place is an integer, not {place.dtype}")
    entries = dtype or FLOAT_OF[place.dtype]
    if entries not in BITS or BITS[entries] != BITS[place.dtype] or entries in MASKS:
        raise TypeError(f"lookup: entries must have the size of the place, not {entries}")
    return apply("lookup", place, value=(entries, tuple(constant(entry, entries).value for entry in table)))


def is_nan(x: Expr) -> Expr:
    """Whether an element is NaN."""
    return apply("ne", x, x)


def call(name: str, *args: Expr, value: Any = ()) -> Expr:
    """Return a call of a function by its name. `expand` replaces it by the function's expression when the accuracy is
    known."""
    args = tuple(map(real, args))
    for arg in args:
        if not isinstance(arg, Expr) or arg.dtype not in FLOATS:
            raise ExpressionTypeError(f"{name}: a float expression, not {getattr(arg, 'dtype', type(arg).__name__)}")
    return node("call", args, args[0].dtype, (name, *value))


# Walks


def ordered(outputs: Iterable[Expr], operands: Callable[[Expr], Sequence[Expr]] | None = None) -> list[Expr]:
    """Return every node once, operands first. The operands of a node come in their own order, or as `operands` orders
    them."""
    return postorder(outputs, operands or _args)


_args: Callable[[Expr], Sequence[Expr]] = attrgetter("args")


def rebuilt(outputs: Sequence[Expr], change: Callable[[Expr, tuple[Expr, ...]], Expr]) -> tuple[Expr, ...]:
    """Return the same graph with every node replaced by change(node, new operands). If none of the operands changed,
    change gets the node's own tuple."""
    new: dict[Expr, Expr] = {}
    for expr in ordered(outputs):
        own = expr.args
        args = tuple([new[arg] for arg in own]) if own else own
        new[expr] = change(expr, own if all(map(is_, args, own)) else args)
    return tuple(new[output] for output in outputs)


def with_named(name: Callable[[Expr], str | None]) -> Callable[[Expr], Expr]:
    """Return a function that replaces the nodes that have a name by inputs of that name."""
    new: dict[Expr, Expr] = {}

    def replaced(root: Expr) -> Expr:
        for expr in ordered([root], lambda each: () if each in new or name(each) else each.args):
            if expr not in new:
                own = name(expr)
                new[expr] = operand(own, expr.dtype) if own else with_args(expr, tuple(new[arg] for arg in expr.args))
        return new[root]

    return replaced


def expand(outputs: Sequence[Expr], functions: Mapping[str, Callable[..., Expr]], **choices: Any) -> tuple[Expr, ...]:
    """Replace every `call` by the expression of its function. `choices` are passed to the functions (accuracy)."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op != "call":
            return with_args(expr, args)
        name, *rest = expr.value
        return expand([functions[name](*args, *rest, **choices)], functions, **choices)[0]

    return rebuilt(outputs, change)


def expressions(of: Program) -> tuple[Expr, ...]:
    """Return the nodes of a program's results."""
    nodes: list[Expr] = []
    for step in of.steps:
        nodes.append(node(step.op, tuple([nodes[arg] for arg in step.args]), step.dtype, step.value))
    return tuple(nodes[output] for output in of.outputs)
