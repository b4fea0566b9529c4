"""BRGEMM with an epilogue: C = f(beta * C + alpha * sum_i A_i @ B_i, x, ...), element by element, in one kernel.

f is a traced expression of the finished sums, `c`, and of further operands of C's shape, or with one row, column or
element of it. Where C's type is narrower than the sums', these are rounded once, when f of them is stored, and beta * C
is added by the expression. Where it is computed: epilogue/plan.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from ...encoder.forks import cached_property
from ...encoder.records import dataclass
from ..dtypes import DTYPES, ELEMENT_BYTES, element_type
from ..eltwise.spec import COMPUTE, EltwiseSpec, traced_type
from ..errors import UnsupportedError
from ..expr.conversions import STORAGE
from ..expr.graph import Expr, Program, constant, multiply_add, node, operand, program, rebuilt
from ..expr.trace import results
from ..functions.accuracies import ACCURACIES, STANDARD
from ..functions.replay import replayed
from ..gemm.spec import QUANTIZED, GemmSpec
from ..gemm.spec import parameters as gemm_parameters
from ..names import chosen
from ..operands import RUNTIME, Operand, View

SHAPES = ("row", "col", "scalar", None)


@dataclass(frozen=True)
class EpilogueSpec(GemmSpec):
    """A GEMM and what becomes of its result; `extras`: the epilogue's operands beside c, in the order of the call."""

    program: Program | None = None
    extras: tuple[Operand, ...] = ()
    accuracy: str = STANDARD

    @cached_property
    def compute(self) -> str:
        """The type of the expression: that of the sums, or f32 where integers meet floats."""
        steps = self.program.steps if self.program is not None else ()
        return "f32" if any(step.dtype == "f32" for step in steps) else _compute(self, self.extras)

    @cached_property
    def product(self) -> GemmSpec:
        """The product alone; the epilogue adds beta * C to sums of another type, and multiplies integers by alpha."""
        values = {field.name: getattr(self, field.name) for field in fields(GemmSpec)}
        plain = GemmSpec(**values)
        return replace(plain, alpha=_alpha(plain)[0], beta=0.0) if self.scratch else plain

    @cached_property
    def plain(self) -> GemmSpec:
        """The product alone, to C or to scratch memory of the sums' type."""
        if not self.scratch:
            return self.product
        a, b, _ = self.dtypes
        leading = (*self.leading[:2], self.n if self.order[2] == "C" else self.m)
        return replace(self.product, dtypes=(a, b, self.acc_dtype), leading=leading)

    @property
    def scratch(self) -> int:
        """Bytes of memory that sums of another type than C's would take."""
        return self.m * self.n * ELEMENT_BYTES[self.acc_dtype] if self.dtype != self.acc_dtype else 0

    @cached_property
    def walk(self) -> EltwiseSpec:
        """The epilogue as an elementwise kernel. A C of contiguous columns is walked as its transpose."""
        assert self.program is not None
        flipped = self.order[2] == "F"
        m, n = (self.n, self.m) if flipped else (self.m, self.n)
        leading = self.leading[2]
        c = Operand("c", m, n, View("C", n if self.scratch else leading), self.acc_dtype)
        extras = tuple(_transposed(extra) if flipped else extra for extra in self.extras)
        y = Operand("y", m, n, View("C", leading), self.dtype, output=True)
        old = (y._replace(name=OLD, output=False),) if self.scratch and self.beta != 0 else ()
        return EltwiseSpec("epilogue", m, n, self.compute, self.program, (c, *extras, *old), (y,), self.accuracy,
                           numerics="fast" if self.numerics == "fast" else "exact")  # fmt: skip

    def __str__(self) -> str:
        return f"{super().__str__()}, then c = f({', '.join(['c', *(extra.name for extra in self.extras)])})"


OLD = "c before"
"""Name of the input that is C before the call, where the product does not add it."""


def _compute(spec: GemmSpec, extras: tuple[Operand, ...]) -> str:
    real = any(DTYPES[dtype].real for dtype in (spec.dtype, *(extra.dtype for extra in extras)))
    return "f32" if real and not DTYPES[spec.acc_dtype].real else COMPUTE[spec.acc_dtype]


def _alpha(spec: GemmSpec) -> tuple[float, float]:
    """alpha as a factor in the product, and in the expression: integer sums are multiplied when they are floats."""
    return (spec.alpha, 1.0) if DTYPES[spec.acc_dtype].real else (1.0, spec.alpha)


def epilogue_spec(spec: GemmSpec, function: Callable[..., Any], operands: Mapping[str, Any] | None = None,
                  accuracy: str = STANDARD) -> EpilogueSpec:  # fmt: skip
    """`spec` with an epilogue: a Python function whose first parameter is the result, traced once.

    operands: for its other parameters "row" (the default: n elements, the same for each row), "col" (m elements),
    "scalar" or None (m by n, as C is stored), or a pair of that and an element type (else C's; f32 beside a C of i8 or
    u8). An operand that is called a, b, c, y or count has an underscore behind its name.

    Integers are added and multiplied as i32, modulo 2^32, whatever other operands are; where one meets a float it is
    converted, to nearest even. The result is rounded to C's type once, to nearest even, and held within the range of
    integers.
    """
    if not callable(function):
        raise TypeError(f"epilogue: a function of c and further operands, not {function!r}")
    names = list(inspect.signature(function).parameters)
    if not names:
        raise TypeError("epilogue: a function whose first parameter is the result of the product, not one without any")
    if operands is not None and not isinstance(operands, Mapping):
        raise TypeError(f'operands: a shape for each name, as {{"bias": "row"}}, not {operands!r}')
    asked = dict(operands or {})
    taken = {name: asked.pop(name, "row") for name in names[1:]}
    if asked:
        raise ValueError(f"operands: {next(iter(asked))!r} is no parameter of the epilogue ({', '.join(names)})")
    extras = _extras(taken, spec)
    types = _types(spec, extras)
    made = results(function, [operand("c", types["c"]), *(operand(extra.name, types[extra.name]) for extra in extras)])
    return _finished(spec, [_scaled(result, spec, types) for result in made], extras, accuracy)


def again(spec: EpilogueSpec, product: GemmSpec) -> EpilogueSpec:
    """`spec`, of a checked product, with its epilogue checked as `epilogue_spec` checks one."""
    extras = _extras({extra.name: _asked(extra, product) for extra in spec.extras}, product)
    types = _types(product, extras)
    types["c"] = traced_type(product.acc_dtype, _compute(product, extras), True)
    return _finished(product, replayed(spec.program, types), extras, spec.accuracy)


def _finished(spec: GemmSpec, results: Sequence[Expr], extras: tuple[Operand, ...], accuracy: str) -> EpilogueSpec:
    """The request, from expressions of c and, where the product leaves it, of beta * C."""
    accuracy = chosen("accuracy", accuracy, ACCURACIES)
    if spec.leading[2] is RUNTIME:
        raise UnsupportedError("epilogue: ldc=RUNTIME; give ldc a number")
    whole = not DTYPES[spec.acc_dtype].real
    if len(results) != 1 or results[0].dtype not in (COMPUTE[spec.acc_dtype], *(("f32",) if whole else ())):
        raise UnsupportedError(f"epilogue: one result of type {_compute(spec, extras)}; several results and masks need "
                               "ts.equation")  # fmt: skip
    values = {field.name: getattr(spec, field.name) for field in fields(GemmSpec)}
    request = EpilogueSpec(**values, program=program(*results), extras=extras, accuracy=accuracy)
    walk = request.walk
    if walk.numbers or walk.placed:
        raise UnsupportedError("epilogue: random numbers; make a second kernel, ts.unary or ts.equation")
    missing = {name for name, _ in walk.program.inputs} - {operand.name for operand in walk.inputs}
    if missing:
        raise ValueError(f"epilogue: {min(missing)} is no operand of it")
    return request


def _types(spec: GemmSpec, extras: tuple[Operand, ...]) -> dict[str, str]:
    """The types of the epilogue's inputs by name. Integers stay integers beside floats: they are added as such, and
    become floats where they meet one."""
    compute = _compute(spec, extras)
    types = {extra.name: traced_type(extra.dtype, compute, True) for extra in extras}
    types[OLD] = traced_type(spec.dtype, compute, True)
    scaled = _alpha(spec)[1] != 1 or (_adds_old(spec) and types[OLD] == "f32")
    types["c"] = traced_type(spec.acc_dtype, compute, not scaled)
    return types


def _adds_old(spec: GemmSpec) -> bool:
    """Whether the expression adds beta * C, which has another type than the sums."""
    return spec.dtype != spec.acc_dtype and spec.beta != 0


def _scaled(result: Expr, spec: GemmSpec, types: Mapping[str, str]) -> Expr:
    """The expression with alpha and beta * C where the product leaves them."""
    _, alpha = _alpha(spec)
    if alpha == 1 and not _adds_old(spec):
        return result

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op != "input" or expr.value != "c":
            return node(expr.op, args, expr.dtype, expr.value)
        c = operand("c", traced_type(spec.acc_dtype, expr.dtype, True))
        c = c if alpha == 1 else c * alpha
        if not _adds_old(spec):
            return c
        old = operand(OLD, types[OLD])
        return c + old if spec.beta == 1 else multiply_add(old, constant(spec.beta, expr.dtype), c)

    return rebuilt([result], change)[0]


RESERVED = ("a", "b", "c", "y", "count")
"""Names of arguments of a product: an operand of the epilogue that is called so has an underscore behind it."""


def _extras(asked: Mapping[str, Any], spec: GemmSpec) -> tuple[Operand, ...]:
    """The further operands, by name."""
    extras: list[Operand] = []
    for name, how in asked.items():
        own = name
        while own in RESERVED or (own != name and own in asked):
            own += "_"
        extras.append(_extra(own, how, spec))
    return tuple(extras)


def _extra(name: str, asked: Any, spec: GemmSpec) -> Operand:
    shape, dtype = asked if isinstance(asked, tuple) and len(asked) == 2 else (asked, _usual(asked, spec))
    if not isinstance(shape, (str, type(None))) or shape not in SHAPES:
        raise ValueError(
            f'operands: {name} is "row", "col", "scalar" or None, perhaps with an element type, not {asked!r}'
        )
    dtype = element_type(f"operands: {name}", dtype)
    if dtype not in STORAGE:
        raise UnsupportedError(f"operands: {name} is {', '.join(STORAGE[:-1])}, not {dtype}")
    rows, columns = {"row": (1, spec.n), "col": (spec.m, 1), "scalar": (1, 1), None: (spec.m, spec.n)}[shape]
    order = spec.order[2] if shape is None else "C"
    return Operand(name, rows, columns, View(order, rows if order == "F" else columns), dtype)


def _usual(shape: Any, spec: GemmSpec) -> str:
    """The element type of an operand that none is given for: C's. Of rows, columns and numbers beside a C of 8-bit
    integers f32: a bias or a scale has seldom 8 bits."""
    return "f32" if spec.dtype in QUANTIZED and shape is not None else spec.dtype


def _asked(operand: Operand, spec: GemmSpec) -> tuple[str | None, str]:
    """The request that gives this operand, its shape and element type; ValueError where there is none."""
    for shape in SHAPES:
        if _extra(operand.name, (shape, operand.dtype), spec) == operand:
            return shape, operand.dtype
    raise ValueError(f"epilogue: {operand.name} is no row, column, element or matrix of C's shape: {operand}")


def _transposed(operand: Operand) -> Operand:
    """An extra operand of a C of contiguous columns."""
    return operand._replace(rows=operand.columns, columns=operand.rows, view=View("C", operand.rows))


def parameters(spec: EpilogueSpec) -> list[tuple[str, str]]:
    """(C type, name) of each parameter of the C function: those of the product, then a pointer for each operand."""
    return [*gemm_parameters(spec), *((f"const {DTYPES[extra.dtype].c} *", extra.name) for extra in spec.extras)]
