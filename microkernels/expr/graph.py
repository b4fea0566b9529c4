"""Expressions: what is computed for one element, as a graph of operations with Python's operators.

    def swish(x):
        return x / (1.0 + exp(-x))

    program = trace(lambda x, g: maximum(x, 0.0) * g, x="f32", g="f32")

A node is an operation on other nodes. Equal nodes are one object, so common parts are computed once. A Python number
becomes a constant of the other operand's type. `Program` is the same graph as plain data, in an order in which it can
be computed: machines are given that (codegen/linear_scan.py), and so is numpy (emulation/numerics/expressions.py), and both mean the same.

Types: f32 and f64, the integers i32 and i64 of the same size, and masks m32 and m64 (true or false, one for each
element). What an operation does to special values is in `OPS`; it is the same on every machine.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from ...encoder.forks import MAKING
from .ops import BITS as BITS
from .ops import FLOAT_OF as FLOAT_OF
from .ops import FLOATS as FLOATS
from .ops import INTEGER_OF as INTEGER_OF
from .ops import INTEGERS as INTEGERS
from .ops import MASK_OF as MASK_OF
from .ops import MASKS as MASKS
from .ops import OPS as OPS
from .ops import TABLES as TABLES

_PACK = {"f32": "<f", "f64": "<d", "i32": "<i", "i64": "<q"}


class ExpressionTypeError(TypeError):
    """An operation of operands of types that it does not take."""


_nodes: WeakValueDictionary[tuple[Any, ...], Expr] = WeakValueDictionary()


class Expr:
    """A node: an operation, its operands, and the type of the result. Made by operators and the functions below."""

    __slots__ = ("op", "args", "dtype", "value", "__weakref__")
    op: str
    args: tuple[Expr, ...]
    dtype: str
    value: Any

    # Operators
    __array_ufunc__ = None  # a numpy scalar leaves its operators to these; arrays and np.tanh refuse expressions

    def __add__(self, other: Any) -> Expr:
        return _both("add", self, other)

    def __radd__(self, other: Any) -> Expr:
        return _both("add", self, other, swapped=True)

    def __sub__(self, other: Any) -> Expr:
        return _both("sub", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return _both("sub", self, other, swapped=True)

    def __mul__(self, other: Any) -> Expr:
        return _both("mul", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return _both("mul", self, other, swapped=True)

    def __truediv__(self, other: Any) -> Expr:
        return _both("div", self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return _both("div", self, other, swapped=True)

    def __and__(self, other: Any) -> Expr:
        return _both("and", self, other)

    def __or__(self, other: Any) -> Expr:
        return _both("or", self, other)

    def __xor__(self, other: Any) -> Expr:
        return _both("xor", self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Expr:
        return apply("not", self)

    def __neg__(self) -> Expr:
        return apply("neg", self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return apply("abs", self)

    def __lshift__(self, count: int) -> Expr:
        return apply("shl", self, value=_count(self, count))

    def __rshift__(self, count: int) -> Expr:
        return apply("sar", self, value=_count(self, count))

    def __lt__(self, other: Any) -> Expr:
        return _both("lt", self, other)

    def __le__(self, other: Any) -> Expr:
        return _both("le", self, other)

    def __gt__(self, other: Any) -> Expr:
        return _both("lt", self, other, swapped=True)

    def __ge__(self, other: Any) -> Expr:
        return _both("le", self, other, swapped=True)

    def __eq__(self, other: Any) -> Expr:  # type: ignore[override]
        return _both("eq", self, other)

    def __ne__(self, other: Any) -> Expr:  # type: ignore[override]
        return _both("ne", self, other)

    def __pow__(self, exponent: Any) -> Expr:
        if not isinstance(exponent, int) or exponent < 1:
            raise TypeError(f"an expression's exponent: a positive whole number, not {exponent!r}")
        half = self ** (exponent // 2) if exponent > 1 else None
        if half is None:
            return self
        return half * half * self if exponent % 2 else half * half

    __hash__ = object.__hash__  # equal nodes are one object

    def __bool__(self) -> bool:
        raise TypeError("an expression has no truth value while it is traced: use select(mask, a, b) instead of if, "
                        "and, or; & and | combine masks")  # fmt: skip

    def __repr__(self) -> str:
        return str(program(self))


# Making nodes


def node(op: str, args: tuple[Expr, ...], dtype: str, value: Any = None) -> Expr:
    """The node, made only if no equal one is alive."""
    # by id: a node keeps its operands alive, so an id in the key of a living node means that operand
    key = (op, tuple(map(id, args)), dtype, value)
    found = _nodes.get(key)
    if found is None:
        with MAKING:  # of threads that ask at the same time all get the node of the first
            found = _nodes.get(key)
            if found is None:
                found = object.__new__(Expr)
                found.op, found.args, found.dtype, found.value = op, args, dtype, value
                _nodes[key] = found
    return found


def operand(name: str, dtype: str) -> Expr:
    """An input of the expression. Names are exact strings, so that equal nodes mean the same in every respect."""
    if dtype not in BITS:
        raise TypeError(f"{name}: an expression's type is one of {', '.join(BITS)}, not {dtype!r}")
    return node("input", (), next(each for each in BITS if each == dtype), str(name))


def constant(value: float, dtype: str) -> Expr:
    """A number of a type, rounded to it once."""
    if dtype in INTEGERS:
        size = BITS[dtype]
        whole = int(index(value))  # type: ignore[arg-type]
        if not -(1 << size - 1) <= whole < 1 << size:
            raise OverflowError(f"{whole} is no {dtype}")
        return node("const", (), dtype, whole & (1 << size) - 1)
    if dtype not in FLOATS:
        raise TypeError(f"a constant of type {dtype}, from {value!r}")
    try:
        data = struct.pack(_PACK[dtype], value)
    except OverflowError:
        raise OverflowError(f"{value!r} is beyond the largest {dtype}") from None
    return node("const", (), dtype, int.from_bytes(data, "little"))


def constant_bits(bits: int, dtype: str) -> Expr:
    """The number whose bits these are."""
    return node("const", (), dtype, bits & (1 << BITS[dtype]) - 1)


def number_of(bits: int, dtype: str) -> float:
    """The number that a constant's bits mean."""
    found: float = struct.unpack(_PACK[dtype], bits.to_bytes(BITS[dtype] // 8, "little"))[0]
    return found


_LETTERS = {"F": FLOATS, "I": INTEGERS, "N": (*FLOATS, *INTEGERS), "M": MASKS, "A": (*INTEGERS, *MASKS)}
_IN_WORDS = {"F": "float", "I": "integer", "N": "number", "M": "mask", "A": "integer or mask"}


def apply(op: str, *args: Expr, value: Any = None) -> Expr:
    """A node of `OPS`; TypeError where the operands' types do not fit."""
    row = OPS[op]
    for arg in args:
        if not isinstance(arg, Expr):
            raise ExpressionTypeError(f"{op}: expressions, not {type(arg).__name__}")
    same: dict[str, str] = {}
    for letter, arg in zip(row.takes, args, strict=True):
        fits = arg.dtype in _LETTERS[letter] and BITS[arg.dtype] == BITS[args[0].dtype]
        if not fits or same.setdefault(letter, arg.dtype) != arg.dtype:
            wanted = ", ".join(map(_IN_WORDS.__getitem__, row.takes))
            raise ExpressionTypeError(f"{op}({', '.join(a.dtype for a in args)}): {row.does}; takes ({wanted}), of one "
                                      "size, and of one type where they are of a kind")  # fmt: skip
    last = args[-1].dtype
    dtype = {
        "=": last, "first": args[0].dtype, "float": FLOAT_OF.get(last), "integer": INTEGER_OF.get(last),
        "mask": MASK_OF.get(last), "long": "i64" if last == "i32" else None,
        "table": value[0] if op == "lookup" else None,
    }[row.gives]  # fmt: skip
    if dtype is None or (op == "mul" and last == "i64"):
        raise ExpressionTypeError(f"{op} of {last}: {row.does}")
    return node(op, args, dtype, value)


def _pair(a: Any, b: Any) -> tuple[Expr, Expr] | None:
    """Both as expressions: a number takes the type of the other; None where one is neither."""
    if isinstance(a, Expr) and isinstance(b, Expr):
        return a, b
    known, other = (a, b) if isinstance(a, Expr) else (b, a)
    if not isinstance(known, Expr) or isinstance(other, (bool, str, bytes)) or known.dtype in MASKS:
        return None
    try:
        made = constant(index(other) if known.dtype in INTEGERS else float(other), known.dtype)
    except (TypeError, ValueError):
        if isinstance(other, float):
            hint = f'compute="{FLOAT_OF[known.dtype]}" converts'
            raise ExpressionTypeError(f"{other!r} is no {known.dtype}; {hint}") from None
        return None
    return (known, made) if known is a else (made, known)


def _both(op: str, a: Any, b: Any, swapped: bool = False) -> Expr:
    pair = _pair(a, b)
    if pair is None:
        return NotImplemented  # type: ignore[no-any-return]
    x, y = pair
    return apply(op, y, x) if swapped else apply(op, x, y)


def _count(x: Expr, count: int) -> int:
    number = int(index(count))
    if not 0 <= number < BITS[x.dtype]:
        raise ValueError(f"a shift of {x.dtype} by 0 to {BITS[x.dtype] - 1} bits, not {number}")
    return number


# Functions. Operands may be numbers where another operand says the type.


def _of(name: str, *values: Any) -> list[Expr]:
    """All as expressions of the type of the first that is one."""
    known = next((value for value in values if isinstance(value, Expr)), None)
    if known is None:
        raise TypeError(f"{name}: at least one expression among {values!r}")
    pairs = [_pair(known, value) for value in values]
    if None in pairs:
        raise TypeError(f"{name}: expressions or numbers of type {known.dtype}, not {values!r}")
    return [pair[1] for pair in pairs if pair is not None]


def fma(a: Any, b: Any, c: Any) -> Expr:
    """a * b + c, rounded once."""
    return apply("fma", *_of("fma", a, b, c))


def maximum(a: Any, b: Any) -> Expr:
    """The larger; NaN if either is; +0 above -0."""
    return apply("max", *_of("maximum", a, b))


def minimum(a: Any, b: Any) -> Expr:
    """The smaller; NaN if either is; -0 below +0."""
    return apply("min", *_of("minimum", a, b))


def clamp(x: Expr, low: Any, high: Any) -> Expr:
    """x between low and high; NaN stays NaN."""
    return minimum(maximum(x, low), high)


def select(mask: Expr, a: Any, b: Any) -> Expr:
    """a where the mask is true, else b."""
    return apply("select", mask, *_of("select", a, b))


def sqrt(x: Expr) -> Expr:
    """Square root, rounded once."""
    return apply("sqrt", x)


def rint(x: Expr) -> Expr:
    """To the nearest whole number, halves to even; a float."""
    return apply("rint", x)


def floor(x: Expr) -> Expr:
    """The whole number at or below; a float."""
    return apply("floor", x)


def ceil(x: Expr) -> Expr:
    """The whole number at or above; a float."""
    return apply("ceil", x)


def trunc(x: Expr) -> Expr:
    """The whole number towards zero; a float."""
    return apply("trunc", x)


def ldexp(x: Expr, n: Any, reach: int | None = None) -> Expr:
    """x * 2^n rounded once; n an integer, or a float that is a whole number below 2^31 in size.

    `reach` promises |n| <= reach, which makes it cheaper where no instruction does this: up to 126 always, and up to
    252 where also 2^-100 < |x| < 2^100.
    """
    if not isinstance(n, Expr):
        n = constant(index(n), INTEGER_OF[x.dtype])
    return apply("scale" if n.dtype in FLOATS else "ldexp", x, n, value=reach)


def ldexp_floor(x: Expr, n: Expr, reach: int | None = None) -> Expr:
    """x * 2^floor(n) rounded once; n a float, `reach` as in `ldexp`."""
    return apply("scale_floor", x, n, value=reach)


def to_int(x: Expr) -> Expr:
    """Towards zero, as an integer of the same size; x must fit."""
    return apply("to_int", x)


def round_int(x: Expr) -> Expr:
    """To nearest even, as an integer of the same size; x must fit."""
    return apply("round_int", x)


def to_float(n: Expr) -> Expr:
    """An integer as a float of the same size, rounded once."""
    return apply("to_float", n)


def bits(x: Expr) -> Expr:
    """The bits of a float as an integer."""
    return apply("bits", x)


def from_bits(n: Expr) -> Expr:
    """The float whose bits an integer is."""
    return apply("from_bits", n)


def shift_right_logical(n: Expr, count: int) -> Expr:
    """Bits moved down, zeros move in (`>>` copies the sign)."""
    return apply("shr", n, value=_count(n, count))


def rotated(n: Expr, count: int) -> Expr:
    """Bits moved up, those that leave at the top move in below."""
    return apply("rotl", n, value=_count(n, count))


def lookup(table: Sequence[float], place: Expr, dtype: str | None = None) -> Expr:
    """table[place]: 8, 16 or 32 entries, held in registers; place an integer in 0 .. len(table) - 1.

    `dtype` of the entries: the float of the place's size, unless given.
    """
    if len(table) not in TABLES:
        raise ValueError(f"lookup: a table of {', '.join(map(str, TABLES))} entries, not {len(table)}")
    if place.dtype not in INTEGERS:
        raise TypeError(f"lookup: the place is an integer, not {place.dtype}")
    of = dtype or FLOAT_OF[place.dtype]
    if of not in BITS or BITS[of] != BITS[place.dtype] or of in MASKS:
        raise TypeError(f"lookup: entries of the place's size, not {of}")
    return apply("lookup", place, value=(of, tuple(constant(entry, of).value for entry in table)))


def is_nan(x: Expr) -> Expr:
    """Whether an element is NaN."""
    return apply("ne", x, x)


def call(name: str, *args: Expr, value: Any = ()) -> Expr:
    """A function that is put in later, when the accuracy is known: `expand`."""
    for arg in args:
        if not isinstance(arg, Expr) or arg.dtype not in FLOATS:
            raise ExpressionTypeError(f"{name}: a float expression, not {getattr(arg, 'dtype', type(arg).__name__)}")
    return node("call", args, args[0].dtype, (name, *value))


# Walking


def ordered(outputs: Iterable[Expr], children: Callable[[Expr], Sequence[Expr]] | None = None) -> list[Expr]:
    """Every node once, operands first; those of a node in its own order, or in the one that `children` gives."""
    order: dict[Expr, None] = {}
    stack = [(output, False) for output in reversed(list(outputs))]
    while stack:
        expr, done = stack.pop()
        if expr in order:
            continue
        if done:
            order[expr] = None
        else:
            stack.append((expr, True))
            stack += [(arg, False) for arg in reversed(children(expr) if children else expr.args)]
    return list(order)


def rebuilt(outputs: Sequence[Expr], change: Callable[[Expr, tuple[Expr, ...]], Expr]) -> tuple[Expr, ...]:
    """The same graph with every node replaced by change(it, its new operands)."""
    made: dict[Expr, Expr] = {}
    for expr in ordered(outputs):
        made[expr] = change(expr, tuple(made[arg] for arg in expr.args))
    return tuple(made[output] for output in outputs)


def expand(outputs: Sequence[Expr], functions: Mapping[str, Callable[..., Expr]], **choices: Any) -> tuple[Expr, ...]:
    """Every `call` replaced by what its function makes of the operands; `choices` are passed on (accuracy)."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op != "call":
            return node(expr.op, args, expr.dtype, expr.value)
        name, *rest = expr.value
        return expand([functions[name](*args, *rest, **choices)], functions, **choices)[0]

    return rebuilt(outputs, change)


# Plain data


class Step(NamedTuple):
    """One operation of a program: `args` are numbers of earlier steps."""

    op: str
    dtype: str
    args: tuple[int, ...] = ()
    value: Any = None


@dataclass(frozen=True)
class Program:
    """An expression as plain data: steps in the order of computation, and which of them are results."""

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    @property
    def inputs(self) -> tuple[tuple[str, str], ...]:
        """(name, type) of the inputs that are used."""
        return tuple((step.value, step.dtype) for step in self.steps if step.op == "input")

    def expressions(self) -> tuple[Expr, ...]:
        """The nodes again."""
        made: list[Expr] = []
        for step in self.steps:
            made.append(node(step.op, tuple(made[arg] for arg in step.args), step.dtype, step.value))
        return tuple(made[output] for output in self.outputs)

    def __str__(self) -> str:
        lines = []
        for number, step in enumerate(self.steps):
            if step.op not in ("input", "const"):
                lines.append(f"{self._name(number)} = {self._right(step)}")
        names = ", ".join(map(self._name, self.outputs))
        return "\n".join([*lines, f"return {names}"])

    def _name(self, number: int) -> str:
        step = self.steps[number]
        if step.op == "input":
            return str(step.value)
        if step.op == "const":
            return f"{number_of(step.value, step.dtype)!r}"
        return f"t{number}"

    def _right(self, step: Step) -> str:
        value = "" if step.value is None else f", {step.value}"
        return f"{step.op}({', '.join(map(self._name, step.args))}{value}): {step.dtype}"


def program(*outputs: Expr) -> Program:
    """Expressions as plain data."""
    order = ordered(outputs)
    number = {expr: i for i, expr in enumerate(order)}
    steps = tuple(Step(expr.op, expr.dtype, tuple(number[arg] for arg in expr.args), expr.value) for expr in order)
    return Program(steps, tuple(number[output] for output in outputs))
