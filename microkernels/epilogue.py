"""BRGEMM with an epilogue: C = f(beta * C + alpha * sum_i A_i @ B_i, x, ...), element by element, in one kernel.

f is a traced expression of the finished sums, `c`, and of further operands of C's shape, or with one row, column or
element of it. The product is computed as without an epilogue; then the kernel walks over C once more, which lies in the
cache nearest to the core. Where C's type is narrower than the sums', these go to scratch memory on the stack first, so
that they are rounded once, when f of them is stored; beta * C is added there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from .dtypes import DTYPES, ELEMENT_BYTES
from .eltwise import emit_walk
from .eltwise_plan import EltwisePlan
from .eltwise_plan import plan as walk_plan
from .eltwise_spec import ACCURACIES, COMPUTE, EltwiseSpec
from .errors import UnsupportedError
from .expr import Expr, Program, constant, fma, node, operand, program, rebuilt
from .gemm import emit_product, registers
from .gemm_frame import Frame
from .gemm_frame import parameters as gemm_parameters
from .gemm_plan import GemmPlan
from .gemm_plan import plan as gemm_plan
from .gemm_spec import GemmSpec
from .machine import SCRATCH_LIMIT, Facts, General, Machine, Slot
from .operands import RUNTIME, Operand, View
from .storage import STORAGE
from .tracing import trace

SHAPES = ("row", "col", "scalar", None)


@dataclass(frozen=True)
class EpilogueSpec(GemmSpec):
    """A GEMM and what becomes of its result; `extras`: the epilogue's operands beside c, in the order of the call."""

    program: Program | None = None
    extras: tuple[Operand, ...] = ()
    accuracy: str = "fast"

    @cached_property
    def plain(self) -> GemmSpec:
        """The product alone, to C or to scratch memory of the sums' type."""
        values = {each.name: getattr(self, each.name) for each in fields(GemmSpec)}
        plain = GemmSpec(**values)
        if not self.scratch:
            return plain
        a, b, _ = self.dtypes
        leading = (*self.leading[:2], self.n if self.order[2] == "C" else self.m)
        return replace(plain, dtypes=(a, b, self.sums), leading=leading, beta=0.0)

    @property
    def scratch(self) -> int:
        """Bytes of memory for sums that are wider than C's elements."""
        return self.m * self.n * ELEMENT_BYTES[self.sums] if self.dtype != self.sums else 0

    @cached_property
    def walk(self) -> EltwiseSpec:
        """The epilogue as an elementwise kernel. A C of contiguous columns is walked as its transpose."""
        assert self.program is not None
        flipped = self.order[2] == "F"
        m, n = (self.n, self.m) if flipped else (self.m, self.n)
        leading = self.leading[2]
        c = Operand("c", m, n, View("C", n if self.scratch else leading), self.sums)
        extras = tuple(_transposed(each) if flipped else each for each in self.extras)
        y = Operand("y", m, n, View("C", leading), self.dtype, output=True)
        old = (y._replace(name=OLD, output=False),) if self.scratch and self.beta != 0 else ()
        return EltwiseSpec("epilogue", m, n, COMPUTE[self.sums], self.program, (c, *extras, *old), (y,), self.accuracy)

    def __str__(self) -> str:
        return f"{super().__str__()}, then c = f({', '.join(['c', *(each.name for each in self.extras)])})"


OLD = "c before"
"""Name of the input that is C before the call, where the product does not add it."""


def epilogue_spec(spec: GemmSpec, function: Callable[..., Any], operands: Mapping[str, Any] | None = None,
                  accuracy: str = "fast") -> EpilogueSpec:  # fmt: skip
    """`spec` with an epilogue: a Python function whose first parameter is the result, traced once.

    operands: for its other parameters "row" (the default: n elements, the same for each row), "col" (m elements),
    "scalar" or None (m by n, as C is stored), or a pair of that and an element type (else C's).
    """
    if not callable(function):
        raise TypeError(f"epilogue: a function of c and further operands, not {function!r}")
    if accuracy not in ACCURACIES:
        raise ValueError(f'accuracy: "fast" or "accurate", not {accuracy!r}')
    if spec.leading[2] is RUNTIME:
        raise UnsupportedError("epilogue: ldc=RUNTIME; give ldc a number")
    names = list(inspect.signature(function).parameters)
    if not names:
        raise TypeError("epilogue: a function whose first parameter is the result of the product, not one without any")
    first, *others = names
    reserved = {"a", "b", "c", "y", "count"} & set(others)
    if reserved:
        raise ValueError(f"epilogue: parameter {sorted(reserved)[0]!r} is the name of an argument of the product")
    asked = dict(operands or {})
    extras = tuple(_extra(name, asked.pop(name, "row"), spec) for name in others)
    if asked:
        raise ValueError(f"operands: {next(iter(asked))!r} is no parameter of the epilogue ({', '.join(names)})")
    compute = COMPUTE[spec.sums]
    traced = trace(function, **dict.fromkeys(names, compute))
    if len(traced) != 1 or traced[0].dtype != compute:
        raise UnsupportedError(f"epilogue: one result of type {compute}; several results and masks need ts.equation")
    values = {each.name: getattr(spec, each.name) for each in fields(GemmSpec)}
    made = EpilogueSpec(**values, program=_named(traced[0], first, spec), extras=extras, accuracy=accuracy)
    if made.scratch > SCRATCH_LIMIT:
        raise UnsupportedError(
            f"epilogue: {made.scratch} bytes of {spec.sums} sums for a C of {spec.dtype}, a kernel has at most "
            f"{SCRATCH_LIMIT}; use a smaller block, or a C of type {spec.sums}"
        )
    if made.walk.numbers or made.walk.placed:
        raise UnsupportedError("epilogue: random numbers; make a second kernel, ts.unary or ts.equation")
    return made


def _named(result: Expr, first: str, spec: GemmSpec) -> Program:
    """The expression with its first operand named c, and with beta * C added where the product does not."""
    name, compute = first, COMPUTE[spec.sums]

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == "input" and expr.value == name:
            c = operand("c", compute)
            if spec.dtype == spec.sums or spec.beta == 0:
                return c
            old = operand(OLD, compute)
            return c + old if spec.beta == 1 else fma(old, constant(spec.beta, compute), c)
        return node(expr.op, args, expr.dtype, expr.value)

    return program(*rebuilt([result], change))


def _extra(name: str, asked: Any, spec: GemmSpec) -> Operand:
    shape, dtype = asked if isinstance(asked, tuple) else (asked, spec.dtype)
    if shape not in SHAPES or dtype not in STORAGE or dtype == "bits":
        raise ValueError(
            f'operands: {name} is "row", "col", "scalar" or None, perhaps with an element type, not {asked!r}'
        )
    rows, columns = {"row": (1, spec.n), "col": (spec.m, 1), "scalar": (1, 1), None: (spec.m, spec.n)}[shape]
    order = spec.order[2] if shape is None else "C"
    return Operand(name, rows, columns, View(order, rows if order == "F" else columns), dtype)


def _transposed(each: Operand) -> Operand:
    """An extra operand of a C of contiguous columns."""
    return each._replace(rows=each.columns, columns=each.rows, view=View("C", each.rows))


# Plan and code


@dataclass(frozen=True)
class EpiloguePlan:
    """How the product is cut, and how the epilogue walks over C."""

    spec: EpilogueSpec
    product: GemmPlan
    walk: EltwisePlan

    @property
    def cycles(self) -> float:
        """Of one pair of the batch, and of the epilogue."""
        return self.product.cycles + self.walk.cycles

    @property
    def emulated(self) -> bool:
        """Whether the product's instructions replace others."""
        return self.product.emulated

    @property
    def stand_in(self) -> EpilogueSpec | None:
        """The request that gives the same bits without tile registers."""
        other = self.product.stand_in
        return None if other is None else replace(self.spec, numerics=other.numerics)

    def __str__(self) -> str:
        return f"{self.product}\nepilogue: {self.walk}"


def plan(spec: EpilogueSpec, facts: Facts) -> EpiloguePlan:
    """Product and walk are planned apart."""
    return EpiloguePlan(spec, gemm_plan(spec.plain, facts), walk_plan(spec.walk, facts))


def parameters(spec: EpilogueSpec) -> list[tuple[str, str]]:
    """Those of the product, then a pointer for each further operand."""
    return [*gemm_parameters(spec), *((f"const {DTYPES[each.dtype].c} *", each.name) for each in spec.extras)]


def emit(m: Machine, plan: EpiloguePlan) -> None:
    """The product, then the walk."""
    spec = plan.spec
    names = [name for _, name in parameters(spec)]
    m.enter(max(registers(plan.product), plan.walk.registers))
    given = m.arguments(len(names))
    count = len(names) - len(spec.extras)
    kept = {name: _parked(m, value) for name, value in zip(names[count:], given[count:])}
    place = names.index("c")
    copy = m.general("C")
    m.copy(copy, given[place])
    kept["y"] = kept[OLD] = m.park(copy)
    kept["c"] = kept["y"]
    arguments = list(given[:count])
    if spec.scratch:
        arguments[place] = m.scratch(spec.scratch)
        copy = m.general("scratch")
        m.copy(copy, arguments[place])
        kept["c"] = m.park(copy)
    emit_product(Frame(m, plan.product, arguments))
    m.reclaim(list(kept.values()))
    m.note("epilogue")
    pointers: dict[str, General] = {}
    for each in plan.walk.spec.operands:
        pointers[each.name] = m.general(each.name)
        m.copy(pointers[each.name], kept[each.name])
    emit_walk(m, plan.walk, pointers, {})
    m.leave()


def _parked(m: Machine, value: General | Slot) -> General | Slot:
    return value if isinstance(value, Slot) else m.park(value)
