"""The request for an elementwise kernel: y = f(x0, x1, ...), element by element.

An input has the output's shape (m, n), or one row, one column or one element that is broadcast. The expression is in
terms of the compute type. An operand of another type is converted when it is loaded or stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from ...encoder.deferred import lazy
from ...encoder.records import cached_property, dataclass
from ..errors import UnsupportedError
from ..expr.conversions import narrowed, widened
from ..expr.coordinates import COLUMN, EXACT, ROW, check_columns
from ..expr.graph import BITS as BITS_OF
from ..expr.graph import (
    MASKS,
    Expr,
    Program,
    expand,
    expressions,
)
from ..expr.scores import ScheduledFunction, equation
from ..functions.accuracies import ACCURACIES as ACCURACIES
from ..functions.accuracies import ACCURATE, STANDARD, STANDARD_F16, TABLE
from ..functions.double_word import NARROW
from ..functions.polynomials import FEW, INTERVALS
from ..names import chosen
from ..operands import (
    DEEP,
    ORIGIN,
    RUNTIME,
    AnyRows,
    Interface,
    Number,
    Operand,
    View,
    aliasing_of,
    dense,
    extent,
    leading_dimension,
    no_argument,
)
from ..units import NUMERICS
from . import orders
from .traced import BITS, COMPUTE, COMPUTED, Computation, TracedFunction, computation, traced_type
from .traced import result_names as result_names

if TYPE_CHECKING:
    from ..functions import activations, replay

activations = lazy(__package__, "..functions.activations")
replay = lazy(__package__, "..functions.replay")


_NARROW = {ACCURATE: NARROW, STANDARD: STANDARD_F16}
"""The accuracy of functions whose results are rounded to f16."""
S = TypeVar("S", bound="EltwiseSpec")
RECENT = 64
"""The number of computations and expressions that are cached for kernels that differ only in extents."""


@dataclass(frozen=True)
class EltwiseSpec(AnyRows):
    """A checked request. `inputs` and `outputs` are in the order of the call; inputs have the names of the
    expression."""

    name: str
    m: int
    n: int
    compute: str
    program: Program
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    accuracy: str
    moved: bool = False  # whether the call gives the row and column of the first element in a larger matrix
    algorithm: str | None = None  # of the fast forms of its functions; None: the machine's choice
    layouts: tuple[str, ...] = ()  # of each operand, "" if it is broadcast; () if all matrices are row-major
    numerics: str = "exact"  # "fast": a conversion to bf16 may flush denormals to zero

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """Inputs, numbers, outputs."""
        return (*self.inputs, *self.numbers, *self.outputs)

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Numbers that the expression uses, then the row and column of the first element if the call gives them."""
        used = list(dict.fromkeys(name for name, _ in self.program.number_words.values()))
        return tuple(Number(name) for name in used + (list(ORIGIN) if self.moved else []))

    @cached_property
    def placed(self) -> bool:
        """Whether the result depends on the row or column of an element."""
        return any(name in (ROW, COLUMN) for name, _ in self.program.inputs)

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        return Interface(self.arguments, self.given, aliasing_of(self.arguments, self.in_place), DEEP)

    @property
    def counts_rows(self) -> bool:
        """Whether results depend on the number of a row."""
        return self.placed

    def of(self: S, rows: int) -> S:
        """Return the request of this number of rows."""
        inputs, outputs = (
            tuple(each._replace(rows=rows) if each.rows > 1 else each for each in operands)
            for operands in (self.inputs, self.outputs)
        )
        return replace(self, m=rows, inputs=inputs, outputs=outputs)

    def block(self: S, rows: int) -> S:
        """Return the request for a block of this many rows, which may take the number of its first row."""
        return replace(self.of(rows), moved=self.placed)

    @cached_property
    def in_place(self) -> tuple[str, ...]:
        """Inputs that may also be an output. They have its layout, and each element is read before any output of it is
        written."""
        layouts = [y._replace(name="", output=False) for y in self.outputs]
        way = orders.moved(self) if self.layouts else None
        if way is not None and way.at_loads:
            return ()
        return tuple(
            x.name
            for x in self.inputs
            if x._replace(name="", output=False) in layouts and (way is None or x.name != way.given)
        )

    def again(self) -> EltwiseSpec:
        """Return the request made again: its program is traced step by step."""
        masks = {name for name, dtype in self.program.inputs if dtype in MASKS}
        results = [self.program.steps[number].dtype for number in self.program.outputs]
        inputs = {each.name: self._asked(each, each.name in masks) for each in self.inputs}
        found = dict(self.program.inputs)

        def function(*operands: Expr) -> tuple[Expr, ...]:
            types = {name: each.dtype for name, each in zip(inputs, operands)}
            for name, (_, dtype) in inputs.items():  # an integer operand next to floats has its own type
                natural = traced_type(dtype, self.compute, True) if dtype in COMPUTE else None
                types[name] = natural if natural is not None and found.get(name) == natural else types[name]
            return replay.replayed(self.program, types)

        traced = [*inputs, *result_names(inputs, len(self.outputs))]  # composites name their results
        made = eltwise_spec(
            function,
            self.name,
            {name: shape for name, (shape, _) in inputs.items()},
            dtype={name: dtype for name, (_, dtype) in inputs.items()},
            out=[BITS if made in MASKS else y.dtype for y, made in zip(self.outputs, results, strict=True)],
            compute=self.compute if self.compute in COMPUTED else None,
            accuracy=self.accuracy,
            by_name=False,
            leading={f"ld{name}": each.view.leading for name, each in zip(traced, self.operands, strict=True)},
            extents=(self.m, self.n),
            origin=RUNTIME if self.moved else None,
            algorithm=self.algorithm,
            numerics=self.numerics,
            layouts=dict(zip(traced, self.layouts)),
        )
        outputs = zip(made.outputs, (y.name for y in self.outputs), strict=True)
        return replace(made, outputs=tuple(y._replace(name=name) for y, name in outputs))

    def _asked(self, each: Operand, mask: bool) -> tuple[tuple[int, int], str]:
        """Return the shape and type that were asked for. A bit mask has one byte per eight columns; an unused one looks
        like a matrix of bytes. A matrix in a layout has a different shape in memory."""
        if self.layouts and self.layout_of(each):
            return (self.m, self.n), each.dtype
        if mask or (each.dtype == "u8" and each.columns not in (1, self.n)):
            return (each.rows, self.n), BITS
        return (each.rows, each.columns), each.dtype

    def layout_of(self, operand: Operand) -> str:
        """Return the layout of a matrix, or "" for an operand that is broadcast. Only for requests with layouts."""
        return self.layouts[[each.name for each in self.operands].index(operand.name)]

    def narrow(self, operand: Operand) -> bool:
        """Whether one element of the operand is used for a whole row, or for all rows."""
        if self.layouts and self.layout_of(operand):
            return False
        return operand.name not in self.bits and operand.columns == 1 and (self.n > 1 or operand.rows < self.m)

    @property
    def equation(self) -> str:
        """The function call as one line."""
        names = ", ".join([*(x.name for x in self.inputs), *(x.name for x in self.numbers)])
        return f"{', '.join(y.name for y in self.outputs)} = {self.name}({names})"

    @cached_property
    def schedule(self) -> ScheduledFunction:
        """The nodes of the traced function in an order with few temporaries, with their register scores, for
        printing."""
        return equation(self.program)

    @cached_property
    def stem(self) -> str:
        """Function, types, shape and layouts."""
        types = "_".join(dict.fromkeys(operand.dtype for operand in self.operands))
        return "_".join((f"{self.name}_{types}_{self.m}x{self.n}", *filter(None, self.layouts)))

    @cached_property
    def flops(self) -> int:
        """One operation for each node of the expression and element, two for an FMA."""
        operations = [step.op for step in self.program.steps if step.op not in ("input", "const", "bits", "from_bits")]
        return self.per_row(self.m * self.n * sum(2 if op == "fma" else 1 for op in operations))

    def __str__(self) -> str:
        types = ", ".join(f"{x.name} {x.dtype} {x.rows}x{x.columns}{self._place(x)}" for x in self.operands)
        return f"{self.equation}   {types}; computed in {self.compute}{self.late}"

    def _place(self, operand: Operand) -> str:
        """Return the text for the layout of a matrix that is not row-major."""
        place = self.layout_of(operand) if self.layouts else ""
        return {orders.COLUMNS: " by columns"}.get(place, f" {place}" if place not in ("", orders.PLAIN) else "")

    def expanded(self, tables: int = 0) -> tuple[Expr, ...]:
        """Return the expressions in the compute type, with functions expanded to their operations.

        `tables` is the number of f32 that one instruction looks up; functions have forms with a table and without.
        """
        tables = self.usable(tables)
        return expand(
            expressions(self.program), _functions(self.program), accuracy=self.accuracy_of_functions, tables=tables
        )

    def usable(self, tables: int) -> int:
        """Return how many of the f32 that one instruction looks up the algorithm can use."""
        return _usable(self.program, self.algorithm, tables)

    @property
    def accuracy_of_functions(self) -> str:
        """The accuracy with which functions are expanded."""
        return _accuracy_of_functions(self.accuracy, tuple(y.dtype for y in self.outputs))

    def expressions(self, tables: int = 0, converts: frozenset[tuple[str, str]] = frozenset()) -> tuple[Expr, ...]:
        """Return the expression of each output, including conversions: inputs have the type that a load gives, results
        the type that a store takes. converts: pairs of element and compute types whose stores round by themselves."""
        types = tuple((x.name, x.dtype) for x in self.inputs)
        return _expressions(
            self.program,
            self.compute,
            self.accuracy,
            self.algorithm,
            types,
            tuple(y.dtype for y in self.outputs),
            tables,
            converts,
        )

    @cached_property
    def bits(self) -> frozenset[str]:
        """The operands that hold a bit for each element."""
        masks = {name for name, dtype in self.program.inputs if dtype in MASKS}
        results = (self.program.steps[number].dtype for number in self.program.outputs)
        return frozenset(masks | {y.name for y, dtype in zip(self.outputs, results) if dtype in MASKS})


@lru_cache(maxsize=RECENT)
def _expressions(
    program: Program,
    compute: str,
    accuracy: str,
    algorithm: str | None,
    inputs: tuple[tuple[str, str], ...],
    outputs: tuple[str, ...],
    tables: int,
    converts: frozenset[tuple[str, str]],
) -> tuple[Expr, ...]:
    """Return the expressions as `EltwiseSpec.expressions` does. They are the same for all extents."""
    expanded = expand(
        expressions(program),
        _functions(program),
        accuracy=_accuracy_of_functions(accuracy, outputs),
        tables=_usable(program, algorithm, tables),
    )
    if compute not in BITS_OF:
        return expanded  # a copy moves elements unchanged
    stored = tuple(narrowed(result, y, (y, compute) in converts) for result, y in zip(expanded, outputs))
    return widened(stored, dict(inputs))


def _called(program: Program) -> list[str]:
    return [step.value[0] for step in program.steps if step.op == "call"]


def _functions(program: Program) -> Mapping[str, Callable[..., Expr]]:
    """Return the functions that a program may call: none are imported for one that calls none."""
    functions: Mapping[str, Callable[..., Expr]] = activations.ACTIVATIONS if _called(program) else {}
    return functions


def _usable(program: Program, algorithm: str | None, tables: int) -> int:
    if algorithm == TABLE:
        if tables < FEW:
            raise UnsupportedError(
                f'algorithm: "{TABLE}" looks up {FEW} f32 in one instruction, which '
                "this target does not have; use another algorithm, or algorithm=None"
            )
        return max(tables, INTERVALS)
    return 0 if algorithm else tables


def _accuracy_of_functions(accuracy: str, outputs: tuple[str, ...]) -> str:
    return _NARROW.get(accuracy, accuracy) if "f16" in outputs else accuracy


def eltwise_spec(
    function: Callable[..., Any],
    name: str,
    shapes: dict[str, tuple[int, int]],
    *,
    dtype: Any = "f32",
    compute: Any = None,
    out: Any = None,
    accuracy: str = STANDARD,
    leading: dict[str, Any] | None = None,
    by_name: bool = True,
    extents: tuple[int, int] | None = None,
    origin: Any = None,
    algorithm: Any = None,
    order: Any = "C",
    layouts: dict[str, str] | None = None,
    numerics: str = "exact",
    traced: TracedFunction | None = None,
) -> EltwiseSpec:
    """Return a request for `function`, which is traced with one expression for each name in `shapes`. They are passed
    by parameter name, or with by_name=False in the order of `shapes`. `ts.supported` takes the request; ts.equation
    makes the kernel.

    name     of the function, a part of the C symbol
    shapes   (rows, columns) of each input by name: those of the output, or one row, column or element of it
    extents  of the output, None for the largest of the inputs
    dtype    of all inputs, or of each by name; out: of the outputs (one, or one for each), None for that of the inputs
    compute, accuracy, algorithm, numerics   as in ts.unary
    traced   the result of `traced_function`, if it is known
    leading  {"ldx": elements between neighbouring rows, or RUNTIME}, by the name of the operand; dense if missing
    origin   RUNTIME if the call gives the row and column of a larger matrix at which the first element lies
    order    of the matrices: as in ts.unary, or {name: letter}; layouts: of operands by name if they are not row-major:
             "F", "plaint", "vnni2"... (eltwise/orders.py)

    Raises UnsupportedError with the reason and an alternative, or TypeError or ValueError naming the argument.
    """
    computed = computation(
        function,
        name,
        tuple(shapes),
        dtype=dtype,
        compute=compute,
        out=out,
        accuracy=accuracy,
        algorithm=algorithm,
        by_name=by_name,
        traced=traced,
    )
    return spec_of(
        computed,
        shapes,
        leading=leading,
        extents=extents,
        origin=origin,
        order=order,
        layouts=layouts,
        numerics=numerics,
    )


def spec_of(
    computed: Computation,
    shapes: dict[str, tuple[int, int]],
    *,
    leading: dict[str, Any] | None = None,
    extents: tuple[int, int] | None = None,
    origin: Any = None,
    order: Any = "C",
    layouts: dict[str, str] | None = None,
    numerics: str = "exact",
) -> EltwiseSpec:
    """Return the request for a computation on operands of these shapes. The arguments are those of `eltwise_spec`."""
    leading, types, outs = dict(leading or {}), computed.types, computed.outs
    if type(numerics) is not str or numerics not in NUMERICS:
        numerics = chosen("numerics", numerics, NUMERICS)
    shapes, m, n = _extents(shapes, extents, types)
    places = {}
    if layouts or type(order) is not str or order != "C":
        places = _layouts(
            dict.fromkeys((*shapes, *outs), (m, n)) | shapes,
            (m, n),
            {**types, **outs},
            orders.requested(order, [*shapes, *outs]) | (layouts or {}),
        )
    inputs = [_operand(x, shape, types[x], leading, places) for x, shape in shapes.items()]
    outputs = [_operand(y, (m, n), outs[y], leading, places, output=True) for y in outs]
    if leading:
        raise no_argument(next(iter(leading)), inputs + outputs)
    spec = EltwiseSpec(
        computed.name,
        m,
        n,
        computed.compute,
        computed.program,
        tuple(inputs),
        tuple(outputs),
        computed.accuracy,
        origin is RUNTIME,
        computed.algorithm,
        tuple(places.values()),
        numerics,
    )
    return _checked(_as_stored(spec) if computed.natural else spec, origin)


def _extents(
    shapes: dict[str, tuple[int, int]], extents: tuple[int, int] | None, types: dict[str, str]
) -> tuple[dict[str, tuple[int, int]], int, int]:
    """Return the shapes of the inputs as whole numbers, and the rows and columns of the output."""
    shapes = {
        x: (extent(f"rows of {x}", rows), extent(f"columns of {x}", columns)) for x, (rows, columns) in shapes.items()
    }
    m, n = extents or (max(sizes) for sizes in zip(*shapes.values()))
    m, n = extent("m", m), extent("n", n)
    for x, shape in shapes.items():
        if any(size not in (1, whole) for size, whole in zip(shape, (m, n))):
            raise ValueError(f"{x}: shape {shape} is neither ({m!r}, {n}) nor one row, column or element of it")
        if types[x] == BITS and shape not in ((m, n), (1, n)):
            raise UnsupportedError(
                f'{x}: a bit mask has a bit for each element, or, as "row", for each column; instead of a mask of '
                "one column or one bit compare an operand: lambda a, b, s: ts.select(s != 0, b, a)"
            )
    return shapes, m, n


def _as_stored(spec: EltwiseSpec) -> EltwiseSpec:
    """Compute a copy of elements of one type in that type, without conversions there and back."""
    types = {operand.dtype for operand in spec.operands}
    copies = all(step.op == "input" for step in spec.program.steps) and not spec.placed and not spec.numbers
    if len(types) > 1 or not copies or spec.bits or any(map(spec.narrow, spec.inputs)):
        return spec
    return replace(spec, compute=types.pop())


def _checked(spec: EltwiseSpec, origin: Any) -> EltwiseSpec:
    """Return the request, if its numbers, origin, orders and result types are consistent."""
    if spec.layouts:
        orders.moved(spec)
        if spec.dynamic and not {*spec.layouts} <= {"", orders.PLAIN, orders.COLUMNS}:
            raise UnsupportedError('rows given at the call (ts.RUNTIME): order "C" or "F"; ts.transpose packs')
        if spec.dynamic and spec.placed:
            raise UnsupportedError('ts.RUNTIME rows: random numbers and positions need order="C"; a number takes "F"')
    if origin not in (None, RUNTIME):
        raise ValueError(f"origin: None or RUNTIME, not {origin!r}")
    if spec.n > EXACT:
        check_columns(spec.program, spec.n)
    clash = {number.name for number in spec.numbers} & {operand.name for operand in spec.operands}
    if clash:
        raise ValueError(f"{min(clash)}: the call passes a number of this name; rename the operand")
    if origin is RUNTIME and not spec.placed:
        raise ValueError(f"origin: {spec.name} does not use the row or column of an element; leave origin= out")
    for y, step in zip(spec.outputs, spec.program.outputs):
        dtype = spec.program.steps[step].dtype
        if BITS_OF.get(spec.compute, BITS_OF[dtype]) != BITS_OF[dtype]:
            raise UnsupportedError(
                f"{y.name}: a result of type {dtype} is not possible in "
                f"{spec.compute} arithmetic; use "
                f'compute="{_OF_MASK.get(dtype, dtype)}"'
            )
    return spec


_OF_MASK = {"m32": "f32", "m64": "f64"}


def _layouts(
    shapes: dict[str, tuple[int, int]], extents: tuple[int, int], types: dict[str, Any], layouts: dict[str, str]
) -> dict[str, str]:
    """Return the layout of each operand by name; empty if every matrix is row-major."""
    if all(layouts.get(name, orders.PLAIN) == orders.PLAIN or shape != extents for name, shape in shapes.items()):
        return {}
    if BITS in types.values():
        raise UnsupportedError('order: together with a bit mask all matrices need order="C"')
    return {name: layouts.get(name, orders.PLAIN) if shape == extents else "" for name, shape in shapes.items()}


def _operand(
    name: str, shape: tuple[int, int], dtype: str, leading: dict[str, Any], places: dict[str, str], output: bool = False
) -> Operand:
    if places.get(name, orders.PLAIN) not in ("", orders.PLAIN):
        return orders.laid_out(name, places[name], *shape, dtype, leading)._replace(output=output)
    if dtype == BITS:
        dtype, shape = "u8", (shape[0], -(-shape[1] // 8))
    requested = leading.pop(f"ld{name}", None)
    view = View("C", leading_dimension(f"ld{name}", requested, dense("C", *shape)))
    return Operand(name, *shape, view, dtype, output)
