"""BRGEMM with an epilogue: C, ... = f(beta * C + alpha * sum_i A_i @ B_i, x, ...), element by element, in one kernel.

f is a traced expression of the finished sums, `c`, and of further operands. These have C's shape, or one row, column or
element of it. If C's type is narrower than the sums', only f's result is rounded, once, when it is stored; the
expression then adds beta * C. epilogue/results.py describes results after the first, epilogue/plan.py where the
expression is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import cached_property, dataclass
from ..dtypes import DTYPES, ELEMENT_BYTES, element_type
from ..eltwise import orders
from ..eltwise.spec import EltwiseSpec
from ..eltwise.traced import COMPUTE, traced_type
from ..errors import UnsupportedError
from ..expr.along import has_reductions
from ..expr.conversions import STORAGE
from ..expr.coordinates import COLUMN, ROW, number_word
from ..expr.graph import Expr, Program, constant, multiply_add, operand, program, rebuilt, to_float, with_args
from ..expr.products import not_here
from ..expr.statistics import Statistic
from ..expr.trace import behind_first, called, with_statistics
from ..expr.transposes import mirrored_program
from ..functions.accuracies import ACCURACIES, STANDARD
from ..gemm.spec import PLAIN, QUANTIZED, GemmSpec
from ..gemm.spec import parameters as gemm_parameters
from ..names import chosen
from ..operands import RUNTIME, Number, Operand, View
from ..operands import parameters as operand_parameters
from .packed import checked, moving, stored
from .results import Further, before, further
from .results import again as results_again

if TYPE_CHECKING:
    from ..functions import replay

replay = lazy(__package__, "..functions.replay")


SHAPES = ("row", "col", "scalar", None)


@dataclass(frozen=True)
class EpilogueSpec(GemmSpec):
    """A GEMM and the epilogue of its result. `extras` are the epilogue's operands beside c, in the order of the call.

    results      the results beside C; `reductions` holds the reduction of each that is a statistic, else None
    moved        whether the call gives the row and column of C's first element in a larger matrix
    c_layout     of C in memory (packed.py)
    """

    program: Program | None = None
    extras: tuple[Operand, ...] = ()
    accuracy: str = STANDARD
    results: tuple[Operand, ...] = ()
    reductions: tuple[str | None, ...] = ()
    moved: bool = False
    c_layout: str = PLAIN

    @cached_property
    def compute(self) -> str:
        """The type of the expression: that of the sums, or f32 if integers meet floats."""
        steps = self.program.steps if self.program is not None else ()
        stored = (*self.extras, *self.results)
        return "f32" if any(step.dtype == "f32" for step in steps) else _compute(self, stored)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers that the call gives after the operands: a seed, and the row and column of C's first element."""
        return self.elementwise.numbers

    @cached_property
    def statistics(self) -> dict[str, str]:
        """The reduction of each result that is a statistic."""
        pairs = zip(self.results, self.reductions)
        return {result.name: reduction for result, reduction in pairs if reduction is not None}

    @cached_property
    def product(self) -> GemmSpec:
        """The product alone. The epilogue adds beta * C to sums of another type, and multiplies integers by alpha."""
        values = {field.name: getattr(self, field.name) for field in fields(GemmSpec)}
        plain = GemmSpec(**values)
        return replace(plain, alpha=_alpha(plain)[0], beta=0.0) if self.scratch else plain

    @cached_property
    def plain(self) -> GemmSpec:
        """The product alone, stored to C or to scratch memory of the sums' type."""
        if not self.scratch:
            return self.product
        a, b, _ = self.dtypes
        leading = (*self.leading[:2], self.n if self.order[2] == "C" else self.m)
        return replace(self.product, dtypes=(a, b, self.acc_dtype), leading=leading)

    @property
    def scratch(self) -> int:
        """Bytes of scratch memory for the sums, if C has another type or is packed."""
        own = self.dtype != self.acc_dtype or self.c_layout != PLAIN
        return self.m * self.n * ELEMENT_BYTES[self.acc_dtype] if own else 0

    @property
    def operands(self) -> tuple[Operand, ...]:
        """a, b and c as arrays."""
        a, b, c = super().operands
        return a, b, c if self.c_layout == PLAIN else stored(self, self.c_layout)

    @cached_property
    def elementwise(self) -> EltwiseSpec:
        """The epilogue as an elementwise kernel. A C of contiguous columns is walked as its transpose."""
        assert self.program is not None
        flipped = self.order[2] == "F"
        m, n = (self.n, self.m) if flipped else (self.m, self.n)
        leading = self.leading[2]
        c = Operand("c", m, n, View("C", n if self.scratch else leading), self.acc_dtype)
        extras = tuple(_transposed(extra) if flipped else extra for extra in self.extras)
        results = tuple(_transposed(each) if flipped else each for each in self.results)
        y = Operand("y", m, n, View("C", leading), self.dtype, output=True)
        old = (y._replace(name=OLD, output=False),) if self.scratch and self.beta != 0 else ()
        kept = tuple(
            each._replace(name=before(each.name), output=False) for each in results if each.name in self.statistics
        )
        steps = mirrored_program(self.program) if flipped else self.program
        plain = EltwiseSpec(
            "epilogue",
            m,
            n,
            self.compute,
            steps,
            (c, *extras, *old, *kept),
            (y, *results),
            self.accuracy,
            self.moved,
            numerics="fast" if self.numerics == "fast" else "exact",
        )
        return plain if self.c_layout == PLAIN else moving(plain, self.c_layout, self.operands[2])

    def again(self) -> EpilogueSpec:
        """Return the request made again: its product, and its program step by step."""
        product = self.product_again(epilogue=True)
        extras = _extras({extra.name: _asked(extra, product) for extra in self.extras}, product)
        types = _types(product, extras)
        types["c"] = traced_type(product.acc_dtype, _compute(product, extras), True)
        types |= {before(each.name): each.dtype for each in self.results if each.name in self.statistics}
        outputs = replay.replayed(self.program, types)
        given = [Further(*each) for each in zip(self.results, self.reductions, strict=True)]
        made = results_again(product, given, outputs[1:], [extra.name for extra in extras])
        origin = RUNTIME if self.moved else None
        return _finished(product, outputs, extras, self.accuracy, made, origin, self.c_layout)

    def __str__(self) -> str:
        layout = f", c {self.c_layout}" * (self.c_layout != PLAIN)
        return f"{super().__str__()}, then c = f({', '.join(['c', *(extra.name for extra in self.extras)])}){layout}"

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        return super().stem + f"_{self.c_layout}" * (self.c_layout != PLAIN)


OLD = before("c")
"""Name of the input that holds C's value before the call, if the product does not add it."""


def _compute(spec: GemmSpec, extras: tuple[Operand, ...]) -> str:
    real = any(DTYPES[dtype].real for dtype in (spec.dtype, *(extra.dtype for extra in extras)))
    return "f32" if real and not DTYPES[spec.acc_dtype].real else COMPUTE[spec.acc_dtype]


def _alpha(spec: GemmSpec) -> tuple[float, float]:
    """Return alpha as a factor in the product and in the expression. Integer sums are multiplied once they are
    floats."""
    return (spec.alpha, 1.0) if DTYPES[spec.acc_dtype].real else (1.0, spec.alpha)


def epilogue_spec(
    spec: GemmSpec,
    function: Callable[..., Any],
    operands: Mapping[str, Any] | None = None,
    accuracy: str = STANDARD,
    out: Any = None,
    origin: Any = None,
    c_layout: str = PLAIN,
) -> EpilogueSpec:
    """Return `spec` with an epilogue: a Python function whose first parameter is the result. It is traced once.

    operands: a shape for each of the other parameters: "row" (n elements, shared by all rows; the default of parameters
    without a default value), "col" (m elements), "scalar", or None (m by n, in C's order). A pair of a shape and an
    element type sets the type, too (default: C's type; f32 beside a C of i8 or u8). An operand named a, b, c, y or
    count gets an underscore appended to its name. A parameter with a default value keeps it unless it is named here.

    out: the element types of the results after the first, one for all or one for each. The default is C's type; a mask
    has bits, a statistic the type that it is computed in. origin: RUNTIME if the call gives the row and column of a
    larger matrix at which C begins, for random numbers. c_layout: of C in memory (packed.py).

    Integers are added and multiplied as i32, modulo 2^32, whatever the other operands are. An integer that meets a
    float is converted, to nearest even. The result is rounded to C's type once, to nearest even, and saturates in
    integer types.
    """
    options = ("operands", operands), ("out", out), ("origin", origin)
    if function is None and (given := [name for name, each in options if each is not None]):
        types = (*spec.dtypes[:2], out) if isinstance(out, str) else (*spec.dtypes[:2], "f32")
        hint = f"; the type of c is the last of dtype={types}" * (given[0] == "out")
        raise TypeError(f"{given[0]}: only an epilogue takes {given[0]}=, and epilogue= was not given{hint}")
    if operands is not None and not isinstance(operands, Mapping):
        raise TypeError(f'operands: a shape for each name, as {{"bias": "row"}}, not {operands!r}')
    asked = dict(operands or {})
    names = behind_first(function, asked)
    taken = {name: asked.pop(name, "row") for name in names[1:]}
    if asked:
        raise ValueError(f"operands: {next(iter(asked))!r} is no parameter of the epilogue ({', '.join(names)})")
    extras = _extras(taken, spec)
    types = _types(spec, extras)
    inputs = [operand("c", types["c"]), *(operand(extra.name, types[extra.name]) for extra in extras)]
    first, *others = with_statistics(called(function, dict(zip(names, inputs))), [])
    if isinstance(first, Statistic):
        raise UnsupportedError(
            "epilogue: the first result becomes c, so it must have a value for each "
            "element; return statistics after it: lambda c: (c, ts.statistic(...))"
        )
    made, steps = further(spec, others, out, [extra.name for extra in extras])
    outputs = _scaled([first, *steps], spec, types)
    return _finished(spec, outputs, extras, accuracy, made, origin, c_layout)


def _finished(
    spec: GemmSpec,
    outputs: Sequence[Expr],
    extras: tuple[Operand, ...],
    accuracy: str,
    made: Sequence[Further],
    origin: Any,
    c_layout: str,
) -> EpilogueSpec:
    """Return the request, from expressions of c and, if the product does not add it, of beta * C."""
    accuracy = chosen("accuracy", accuracy, ACCURACIES)
    if spec.leading[2] is RUNTIME:
        given = f"{spec.counted}=ts.RUNTIME along the lines of C" if spec.counted else "ldc=RUNTIME"
        other = "count the other extent of C, or finish it with another kernel" if spec.counted else "give ldc a number"
        raise UnsupportedError(f"epilogue: not possible with {given}; {other}")
    whole = not DTYPES[spec.acc_dtype].real
    if outputs[0].dtype not in (COMPUTE[spec.acc_dtype], *(("f32",) if whole else ())):
        raise UnsupportedError(
            "epilogue: the first result becomes c, so its type is "
            f"{_compute(spec, extras)}, not {outputs[0].dtype}; return masks after "
            "it: lambda c: (c, c > 0)"
        )
    if origin not in (None, RUNTIME):
        raise ValueError(f"origin: None or RUNTIME, not {origin!r}")
    values = {field.name: getattr(spec, field.name) for field in fields(GemmSpec)}
    request = EpilogueSpec(
        **values,
        program=program(*outputs),
        extras=extras,
        accuracy=accuracy,
        results=tuple(each.operand for each in made),
        reductions=tuple(each.reduction for each in made),
        moved=origin is RUNTIME,
    )
    _checked(request)
    name = checked(spec, c_layout)
    if name == PLAIN:
        return request
    if request.results or request.numbers:
        raise UnsupportedError(
            f"c_layout={name!r}: the epilogue must have one result and no random numbers; a plain C has no such limits"
        )
    packed = replace(request, c_layout=name)
    orders.moved(packed.elementwise)
    return packed


def _checked(request: EpilogueSpec) -> None:
    """Raise unless every input is an operand or a number of its own."""
    elementwise = request.elementwise
    not_here((step.op for step in elementwise.program.steps), "epilogue")
    if has_reductions(step.op for step in elementwise.program.steps):
        raise UnsupportedError(
            "epilogue: a reduction along rows needs whole rows, and an epilogue gets blocks of c; use a second "
            "kernel (ts.equation), or ts.statistic for one value per column"
        )
    if request.moved and not elementwise.placed:
        raise ValueError("origin: this epilogue does not use the row or column of an element; leave origin= out")
    placed = {name for name, _ in elementwise.program.inputs if name in (ROW, COLUMN) or number_word(name)}
    missing = (
        {name for name, _ in elementwise.program.inputs} - {operand.name for operand in elementwise.inputs} - placed
    )
    if missing:
        raise ValueError(f"epilogue: it uses {min(missing)}, which is not one of its operands")
    clash = {number.name for number in request.numbers} & {extra.name for extra in request.extras}
    if clash:
        raise ValueError(f"{min(clash)}: the call passes a number of this name; rename the operand")


def _types(spec: GemmSpec, extras: tuple[Operand, ...]) -> dict[str, str]:
    """Return the types of the epilogue's inputs by name. Integers stay integers beside floats: they are added as
    integers, and converted where they meet a float."""
    compute = _compute(spec, extras)
    types = {extra.name: traced_type(extra.dtype, compute, True) for extra in extras}
    types[OLD] = traced_type(spec.dtype, compute, True)
    scaled = _alpha(spec)[1] != 1 or (_adds_old(spec) and types[OLD] == "f32")
    types["c"] = traced_type(spec.acc_dtype, compute, not scaled)
    return types


def _adds_old(spec: GemmSpec) -> bool:
    """Whether the expression adds beta * C, because C has another type than the sums."""
    return spec.dtype != spec.acc_dtype and spec.beta != 0


def _scaled(outputs: Sequence[Expr], spec: GemmSpec, types: Mapping[str, str]) -> tuple[Expr, ...]:
    """Return the expressions with alpha and beta * C, if the product does not apply them."""
    _, alpha = _alpha(spec)
    if alpha == 1 and not _adds_old(spec):
        return tuple(outputs)

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op != "input" or expr.value != "c":
            return with_args(expr, args)
        c = operand("c", traced_type(spec.acc_dtype, expr.dtype, True))
        c = c if alpha == 1 else c * alpha
        if not _adds_old(spec):
            return c
        old = operand(OLD, types[OLD])
        if spec.beta == 1:
            return c + old
        sums = c if c.dtype == old.dtype else to_float(c)
        return multiply_add(old, constant(spec.beta, expr.dtype), sums)

    return rebuilt(outputs, change)


RESERVED = ("a", "b", "c", "y", "count")
"""Names of a product's arguments. An operand of the epilogue with such a name, or with that of a parameter of the
product's C function, gets an underscore appended."""


def _extras(asked: Mapping[str, Any], spec: GemmSpec) -> tuple[Operand, ...]:
    """Return the further operands, by name."""
    extras: list[Operand] = []
    reserved = {*RESERVED, *(name for _, name in gemm_parameters(spec))}
    for name, how in asked.items():
        own = name
        while own in reserved or (own != name and own in asked):
            own += "_"
        extras.append(_extra(name, how, spec)._replace(name=own))
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
    """Return the default element type of an operand: C's type. Beside a C of 8-bit integers, rows, columns and numbers
    are f32, since a bias or a scale rarely has 8 bits."""
    return "f32" if spec.dtype in QUANTIZED and shape is not None else spec.dtype


def _asked(operand: Operand, spec: GemmSpec) -> tuple[str | None, str]:
    """Return the requested shape and element type that give this operand. Raises ValueError if there is none."""
    for shape in SHAPES:
        if _extra(operand.name, (shape, operand.dtype), spec) == operand:
            return shape, operand.dtype
    raise ValueError(f"epilogue: {operand.name} is no row, column, element or matrix of C's shape: {operand}")


def _transposed(operand: Operand) -> Operand:
    """Return an extra operand transposed, for a C of contiguous columns."""
    leading = operand.view.leading if operand.view.order == "F" else operand.rows  # a row may be part of a longer one
    return operand._replace(rows=operand.columns, columns=operand.rows, view=View("C", leading))


def parameters(spec: EpilogueSpec) -> list[tuple[str, str]]:
    """Return (C type, name) of each parameter of the C function: the product's, then a pointer for each operand, the
    numbers, and a pointer for each result beside C."""
    return [*gemm_parameters(spec), *operand_parameters((*spec.extras, *spec.numbers, *spec.results))]
