"""Nodes of expressions, and Python's operators on them.

A node is an operation on other nodes. Equal nodes are one object, so that common subexpressions are computed once. A
Python number becomes a constant of the other operand's type.
"""

from __future__ import annotations

import struct
from operator import index
from typing import Any
from weakref import WeakValueDictionary

from ...encoder.forks import MAKING
from .foreign import OPERATORS, attribute, low_bits, no_array, no_element, power, refusal
from .ops import BITS, FLOAT_OF, FLOATS, INTEGER_OF, INTEGERS, MASK_OF, MASKS, OPS
from .products import BATCHED, PRODUCT, TRANSPOSE, TRANSPOSED, no_batch, no_factor, right_factor
from .program import PACK, postorder, program


class ExpressionTypeError(TypeError):
    """Raised if an operation does not take operands of these types."""


_nodes: WeakValueDictionary[tuple[Any, ...], Expr] = WeakValueDictionary()
_living: dict[tuple[Any, ...], Any] = vars(_nodes)["data"]
"""The weak references of `_nodes`. Most look-ups read them without calling a Python function."""


class Expr:
    """A node: an operation, its operands, and the type of the result. Operators and the functions below create
    nodes."""

    __slots__ = ("op", "args", "dtype", "value", "__weakref__")
    op: str
    args: tuple[Expr, ...]
    dtype: str
    value: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return node, (self.op, self.args, self.dtype, self.value)  # a copy in this process is the node itself

    # The results of numpy and Python's math module on an expression

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Expr:
        function = OPERATORS.get(ufunc.__name__)
        if function is None or method != "__call__" or named:
            raise refusal(ufunc.__name__)
        wrong = next((value for value in inputs if not isinstance(value, Expr) and getattr(value, "shape", None)), None)
        if wrong is not None:
            raise no_array(wrong.shape)
        values = [value if isinstance(value, Expr) or not hasattr(value, "item") else value.item() for value in inputs]
        result: Expr = function(*values)
        return result

    def __array_function__(self, function: Any, types: Any, args: Any, named: Any) -> Any:
        raise refusal(function.__name__)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), named: Any = None) -> Any:
        raise refusal(function.__name__, "torch")

    def __float__(self) -> float:
        raise TypeError(
            "an expression has no value while it is traced: write ts.exp, ts.tanh, ts.sqrt... instead of "
            "functions of math, which take numbers"
        )

    __int__ = __float__

    def __getattr__(self, name: str) -> Any:
        raise attribute(name)

    def __getitem__(self, key: Any) -> Expr:
        raise no_element()

    # Products of matrices

    def __matmul__(self, other: Any) -> Expr:
        return product(self, other)

    def __rmatmul__(self, other: Any) -> Expr:
        return product(other, self)

    @property
    def T(self) -> Any:
        """The transpose. It is defined for parameters, and so for expressions computed element by element from
        parameters."""
        return transposed(self)

    # Operators

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
        return _both("div", real(self), real(other))

    def __rtruediv__(self, other: Any) -> Expr:
        return _both("div", real(self), other, swapped=True)

    def __floordiv__(self, other: Any) -> Expr:
        return self >> low_bits(self, other, "//")

    def __mod__(self, other: Any) -> Expr:
        return self & ((1 << low_bits(self, other, "%")) - 1)

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
        return apply("shl", self, value=shift_count(self, count))

    def __rshift__(self, count: int) -> Expr:
        return apply("sar", self, value=shift_count(self, count))

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
        if isinstance(exponent, (int, float)) and exponent == 0:
            return constant(1, self.dtype)
        result: Expr = power(self, exponent, lambda x: apply("sqrt", real(x)))
        return result

    def __rpow__(self, base: Any) -> Expr:
        if base == 2:
            x = real(self)
            return node("call", (x,), x.dtype, ("exp2",))
        raise TypeError(
            f"{base!r} ** x: write 2 ** x, ts.exp(x), or for another base ts.exp(x * log(base)), "
            "whose relative error grows with x * log(base)"
        )

    def __round__(self, digits: None = None) -> Expr:
        return apply("rint", real(self))

    def __floor__(self) -> Expr:
        return apply("floor", real(self))

    def __ceil__(self) -> Expr:
        return apply("ceil", real(self))

    def __trunc__(self) -> Expr:
        return apply("trunc", real(self))

    __hash__ = object.__hash__  # equal nodes are one object

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression has no truth value while it is traced: write ts.select(mask, a, b) instead of "
            "if; & and | and ~ instead of and, or, not"
        )

    def __len__(self) -> int:
        raise TypeError(
            "an expression has no length while it is traced: write the number of rows or columns that the "
            "kernel is made for"
        )

    def __repr__(self) -> str:
        return str(program(self))


# Making nodes


def node(op: str, args: tuple[Expr, ...], dtype: str, value: Any = None) -> Expr:
    """Return the node. It is created only if no equal one is alive."""
    # by id: a node keeps its operands alive, so an id in the key of a living node identifies that operand
    key = (op, tuple(map(id, args)), dtype, value)
    found = _living.get(key)
    expr = None if found is None else found()
    if expr is None:
        with MAKING:  # threads that ask at the same time all get the first one's node
            expr = _nodes.get(key)
            if expr is None:
                expr = object.__new__(Expr)
                expr.op, expr.args, expr.dtype, expr.value = op, args, dtype, value
                _nodes[key] = expr
    return expr


def with_args(expr: Expr, args: tuple[Expr, ...]) -> Expr:
    """Return the node with these operands. If they are its own tuple, as in walks that changed none of them, that is
    itself."""
    return expr if args is expr.args else node(expr.op, args, expr.dtype, expr.value)


def operand(name: str, dtype: str) -> Expr:
    """Return an input of the expression. Names are exact strings, so that equal nodes are equal in every respect."""
    if dtype not in BITS:
        raise TypeError(f"{name}: an expression's type is one of {', '.join(BITS)}, not {dtype!r}")
    return node("input", (), next(exact for exact in BITS if exact == dtype), str(name))


def constant(value: float, dtype: str) -> Expr:
    """Return a number of a type, rounded to it once. Raises ValueError for a number that the type does not hold."""
    if dtype in INTEGERS:
        size = BITS[dtype]
        whole = int(index(value))  # type: ignore[arg-type]
        if not -(1 << size - 1) <= whole < 1 << size:
            raise ValueError(f"{whole!s:.40} does not fit into {dtype}")
        return node("const", (), dtype, whole & (1 << size) - 1)
    if dtype not in FLOATS:
        raise TypeError(f"a constant of type {dtype} cannot be made from {value!r}")
    try:
        data = struct.pack(PACK[dtype], float(value))
    except OverflowError:
        raise ValueError(f"{value!r:.40} is beyond the largest {dtype}") from None
    return node("const", (), dtype, int.from_bytes(data, "little"))


def constant_bits(bits: int, dtype: str) -> Expr:
    """Return the number that has these bits."""
    return node("const", (), dtype, bits & (1 << BITS[dtype]) - 1)


_LETTERS = {"F": FLOATS, "I": INTEGERS, "N": (*FLOATS, *INTEGERS), "M": MASKS, "A": (*INTEGERS, *MASKS)}
_IN_WORDS = {"F": "float", "I": "integer", "N": "number", "M": "mask", "A": "integer or mask"}


def apply(op: str, *args: Expr, value: Any = None) -> Expr:
    """Return a node of `OPS`. Raises TypeError if the operands' types do not fit."""
    row = OPS[op]
    for arg in args:
        if not isinstance(arg, Expr):
            raise ExpressionTypeError(f"{op}: expressions, not {type(arg).__name__}")
    same: dict[str, str] = {}
    for letter, arg in zip(row.takes, args, strict=True):
        fits = arg.dtype in _LETTERS[letter] and BITS[arg.dtype] == BITS[args[0].dtype]
        if not fits or same.setdefault(letter, arg.dtype) != arg.dtype:
            wanted = ", ".join(map(_IN_WORDS.__getitem__, row.takes))
            mask = (
                "; write x != 0 to make a mask of numbers"
                if letter == "M"
                else ("; ts.select(mask, 1.0, 0.0) makes numbers of a mask" if arg.dtype in _LETTERS["M"] else "")
            )
            raise ExpressionTypeError(
                f"{op}({', '.join(a.dtype for a in args)}): {row.does}; takes "
                f"({wanted}), of one size, and of one type within each kind{mask}"
            )
    dtype = _result_type(row.gives, args, value)
    if dtype is None or (op == "mul" and dtype == "i64"):
        wide = '; compute="f64" multiplies whole numbers up to 2^53' if op == "mul" and dtype == "i64" else ""
        raise ExpressionTypeError(f"{op} of {args[-1].dtype}: {row.does}{wide}")
    return node(op, args, dtype, value)


_GIVEN: dict[str, dict[str, str]] = {"float": FLOAT_OF, "integer": INTEGER_OF, "mask": MASK_OF, "long": {"i32": "i64"}}


def _result_type(gives: str, args: tuple[Expr, ...], value: Any) -> str | None:
    """Return the type of an operation's result, or None if the type of its last operand is not supported."""
    if gives == "=":
        return args[-1].dtype
    if gives == "first":
        return args[0].dtype
    if gives == "table":
        return str(value[0])
    return _GIVEN[gives].get(args[-1].dtype)


def coerced(a: Any, b: Any) -> tuple[Expr, Expr] | None:
    """Return both as expressions, or None. A number takes the other's type; an integer that meets a float becomes a
    float."""
    if isinstance(a, Expr) and isinstance(b, Expr):
        if a.dtype in FLOATS and b.dtype == INTEGER_OF[a.dtype]:
            return a, real(b)
        return (real(a), b) if b.dtype in FLOATS and a.dtype == INTEGER_OF[b.dtype] else (a, b)
    known, other = (a, b) if isinstance(a, Expr) else (b, a)
    if not isinstance(known, Expr) or isinstance(other, (bool, str, bytes)) or known.dtype in MASKS:
        return None
    if isinstance(other, float) and known.dtype in INTEGERS:
        return coerced(real(a), real(b))
    try:
        plain = index(other) if known.dtype in INTEGERS else other if isinstance(other, int) else float(other)
    except (TypeError, ValueError):
        return None
    number = constant(plain, known.dtype)
    return (known, number) if known is a else (number, known)


def real(x: Any) -> Any:
    """Return an integer expression as a float of its size, rounded once, and any other value unchanged."""
    return apply("to_float", x) if isinstance(x, Expr) and x.dtype in INTEGERS else x


def product(left: Any, right: Any) -> Expr:
    """left @ right."""
    for each in (left, right):
        if not isinstance(each, Expr):
            raise no_factor(each)
    return product_of(left, *right_factor(right))


def product_of(left: Expr, factor: Expr, value: str) -> Expr:
    """Return the product of a factor, and of another that is read as `value` says."""
    left, factor = real(left), factor if factor.op == "input" else real(factor)
    return node(PRODUCT, (left, factor), left.dtype, value)


def products_summed(left: Any, right: Any) -> Expr:
    """The sum of left[i] @ right[i] over a batch. Both are parameters of the traced function."""
    if not isinstance(left, Expr) and not isinstance(right, Expr):
        raise TypeError(
            "k: a positive integer, not None; ts.brgemm(m, n, k) makes a kernel, k(a, b, c) then multiplies arrays, as "
            "ts.matmul(a, b) does at once; ts.brgemm with two operands alone works only in traced functions"
        )
    for each in (left, right):
        if not isinstance(each, Expr) or each.op != "input" or (each is left and each.dtype in INTEGERS):
            raise no_batch(each)
    return node(PRODUCT, (left, right), left.dtype, BATCHED)


def transposed(x: Expr) -> Expr:
    """Return the transpose of an expression: the same expression of the transposed inputs. One value is its own."""
    new: dict[Expr, Expr] = {}
    single: set[Expr] = set()
    for each in postorder([x], lambda expr: () if _is_total(expr) else expr.args):
        total = _is_total(each)
        if total or (each.op != "input" and single.issuperset(each.args)):
            single.add(each)
        args = (node("along", (transposed(each.args[0].args[0]),), each.dtype, each.value),) if total else ()
        new[each] = (
            node("down", args, each.dtype, each.value) if total else _turned(each, tuple(new[arg] for arg in each.args))
        )
    return x if x in single else new[x]


def _is_total(x: Expr) -> bool:
    """Whether a node is the reduction of all elements."""
    return x.op == "down" and x.args[0].op == "along" and x.args[0].value == x.value


_OTHER_AXIS = {
    "along": "down",
    "down": "along",
    "scan": "scan_down",
    "scan_down": "scan",
    "@row": "@column",
    "@column": "@row",
}
"""The names of reductions and scans, and of rows and columns, in the transpose."""


def _turned(x: Expr, args: tuple[Expr, ...]) -> Expr:
    if x.op == TRANSPOSE:
        return x.args[0]
    if x.op == "input":
        name = str(x.value)
        return (
            node(x.op, (), x.dtype, _OTHER_AXIS.get(name, name))
            if name.startswith("@")
            else node(TRANSPOSE, (x,), x.dtype)
        )
    if x.op == PRODUCT and x.value == BATCHED:
        return node(TRANSPOSE, (x,), x.dtype)
    if x.op == PRODUCT:  # (a @ b).T = b.T @ a.T
        return product_of(x.args[1] if x.value == TRANSPOSED else args[1], *right_factor(args[0]))
    if x.op in ("gather", "scatter"):
        raise TypeError(f"x.T: takes no {x.op}; transpose the result with a second kernel (ts.transpose)")
    return node(_OTHER_AXIS.get(x.op, x.op), args, x.dtype, x.value)


def in_transposes(x: Expr, args: tuple[Expr, ...]) -> Expr:
    """Return the transpose of a node, whose operands were transposed to `args`, in a function whose parameters stand
    for their transposes."""
    if x.op == "input":
        return operand(_OTHER_AXIS[str(x.value)], x.dtype) if x.value in _OTHER_AXIS else x
    if x.op == TRANSPOSE:
        return x
    if x.op == PRODUCT:
        return product_of(transposed(args[1]) if x.value == TRANSPOSED else args[1], *right_factor(args[0]))
    if _is_total(x):
        args = (node("along", args[0].args, x.dtype, x.value),)
        return node(x.op, args, x.dtype, x.value)
    return node(_OTHER_AXIS[x.op], args, x.dtype, x.value) if x.op in _OTHER_AXIS else with_args(x, args)


def _both(op: str, a: Any, b: Any, swapped: bool = False) -> Expr:
    """Return an operation on two operands, one of which may be a number."""
    pair = coerced(a, b)
    if pair is None:
        if hasattr(b, "__dlpack__"):  # an array or a tensor of several elements
            raise no_array(b.shape)
        return NotImplemented  # type: ignore[no-any-return]
    x, y = pair
    return apply(op, y, x) if swapped else apply(op, x, y)


def shift_count(x: Expr, count: int) -> int:
    """Return the number of bits by which an integer is shifted. Raises ValueError if it is out of range."""
    number = int(index(count))
    if not 0 <= number < BITS[x.dtype]:
        raise ValueError(f"a shift of {x.dtype} by 0 to {BITS[x.dtype] - 1} bits, not {number}")
    return number
