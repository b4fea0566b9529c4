"""The request for a traced function with matrix products: y = f(x, w, ...), with `x @ w` among its operations.

Matrices of m rows are walked in bands of rows. Right factors, single rows and single elements are shared by all bands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import cached_property, dataclass
from ..dtypes import DTYPES, ELEMENT_BYTES
from ..eltwise.spec import result_names
from ..eltwise.traced import BITS, TracedFunction, by_name_or_order, stored_type, traced_function, traced_type
from ..errors import UnsupportedError
from ..expr.along import DOWN, MEAN, down
from ..expr.coordinates import COLUMN, ROW, check_columns
from ..expr.graph import FLOATS, MASKS, Expr, Program, constant, expressions, ordered, program, rebuilt, with_args
from ..expr.products import BATCHED, PRODUCT, TRANSPOSE
from ..expr.scores import ScheduledFunction, equation
from ..functions.accuracies import ACCURACIES, STANDARD
from ..functions.forms import chosen_forms
from ..fused.normalized import with_exact_column_sums
from ..fused.sweeps import Sweep, of_one_row, sweeps, used_again
from ..names import chosen
from ..operands import (
    BYTE,
    DEEP,
    ORIGIN,
    RUNTIME,
    AnyRows,
    Interface,
    Number,
    Operand,
    View,
    dense,
    extent,
    leading_dimension,
    no_argument,
)
from ..tensor.extent import SymbolicExtent
from ..units import NUMERICS
from .cut import ElementwiseStage, Stage, StageProduct, TransposeStage, cut
from .shapes import Shape, shapes_of

if TYPE_CHECKING:
    from ..functions import replay

replay = lazy(__package__, "..functions.replay")


@dataclass(frozen=True)
class ChainSpec(AnyRows):
    """A checked request, made by `chain_spec`. The operands are in the order of the call.

    by_index  operands whose rows are located by an index (microkernels/indexed)
    moved     whether the call gives the number of the first row, as in a part of a larger matrix
    column_major  whether the matrices of a call are column-major, and the operands their row-major transposes
    """

    name: str
    m: int
    compute: str
    program: Program
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    accuracy: str
    numerics: str = "exact"
    by_index: tuple[str, ...] = ()
    moved: bool = False
    column_major: bool = False

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """Inputs, numbers, outputs."""
        return (*map(self._of_call, self.inputs), *self.numbers, *map(self._of_call, self.outputs))

    def _of_call(self, operand: Operand) -> Operand:
        turned = View("F", operand.view.leading)
        return (
            operand._replace(rows=operand.columns, columns=operand.rows, view=turned) if self.column_major else operand
        )

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """Inputs, outputs."""
        return (*self.inputs, *self.outputs)

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers that the expressions use, and that of the first row if the call gives it."""
        words = dict.fromkeys(name for name, _ in self.program.number_words.values())
        return tuple(Number(name) for name in (*words, *ORIGIN[:1] * self.moved))

    @cached_property
    def placed(self) -> bool:
        """Whether a result depends on the row or column of an element."""
        return any(name in (ROW, COLUMN) for name, _ in self.program.inputs)

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        return Interface(self.arguments, self.given, axes=DEEP)

    @property
    def in_place(self) -> tuple[str, ...]:
        """The empty tuple: a product is stored before its factors' rows have been read for the last time."""
        return ()

    def again(self) -> ChainSpec:
        """Return the request made again: its program is traced step by step."""
        inputs = {each.name: each for each in self.inputs}
        found = dict(self.program.inputs)

        def function(*operands: Expr) -> tuple[Expr, ...]:
            types = {name: found.get(name, each.dtype) for name, each in zip(inputs, operands)}
            for name, dtype in types.items():
                natural = traced_type(inputs[name].dtype, self.compute, True)
                if dtype not in (natural, self.compute):
                    raise ValueError(f"program: {name} of type {dtype}, not {natural}")
            return replay.replayed(self.program, types)

        made = chain_spec(
            function,
            self.name,
            {name: (each.rows, each.columns) for name, each in inputs.items()},
            dtype={name: each.dtype for name, each in inputs.items()},
            out=[BITS if y.name in self.bits else y.dtype for y in self.outputs],
            compute=self.compute,
            accuracy=self.accuracy,
            by_name=False,
            numerics=self.numerics,
            leading={f"ld{each.name}": each.view.leading for each in self.operands if each.name not in self.by_index},
            by_index=[each.name for each in self.inputs if each.name in self.by_index],
        )
        return replace(made, moved=self.moved, column_major=self.column_major)

    @cached_property
    def shapes(self) -> dict[Expr, Shape]:
        """The shape of every node."""
        return shapes_of(expressions(self.program), {x.name: (x.rows, x.columns) for x in self.inputs})

    @cached_property
    def swept(self) -> bool:
        """Whether a value must be complete before it is used: a reduction down the columns that is used or converted to
        a narrower type, or a right factor or the operand of a transpose that is computed."""
        steps, compute = self.program.steps, self.compute
        narrow = (
            steps[number].op == DOWN and y.dtype != compute for number, y in zip(self.program.outputs, self.outputs)
        )
        used = (steps[arg].op == DOWN for step in steps for arg in step.args)
        whole = (steps[step.args[-1]].op not in ("input", DOWN) for step in steps if step.op in (PRODUCT, TRANSPOSE))
        return any(narrow) or any(used) or any(whole)

    @property
    def sweeps(self) -> tuple[Sweep, ...]:
        """The sweeps, if values must be complete before they are used; otherwise empty."""
        return tuple(sweep for sweep, _ in self._cut)

    @property
    def requests_of_sweeps(self) -> tuple[ChainSpec, ...]:
        """The requests of the sweeps, whose inputs are operands or the results of earlier sweeps."""
        return tuple(request for _, request in self._cut)

    def _swept(self) -> tuple[Sweep, ...]:
        forms = chosen_forms(expressions(self.program), self.accuracy)
        forms = forms if self.accuracy == "fast" else with_exact_column_sums(forms, self.m)
        given = {x.name: (x.rows, x.columns) for x in self.inputs}
        extents = {name: (rows > 1, columns > 1) for name, (rows, columns) in given.items()}
        return sweeps(forms, extents, [y.dtype == self.compute for y in self.outputs], (), shapes_of(forms, given))

    @cached_property
    def _cut(self) -> tuple[tuple[Sweep, ChainSpec], ...]:
        """The sweeps over matrices of one number of rows each, and their requests."""
        known, found = {x.name: x for x in self.inputs}, []
        for sweep in self._swept() if self.swept else ():
            shapes = shapes_of(sweep.expressions, {x.name: (x.rows, x.columns) for x in known.values()})
            rows_of = {expr: shapes[expr.args[0] if expr.op == DOWN else expr][0] for expr, _ in sweep.made}
            for rows in dict.fromkeys(rows_of.values()):
                part = sweep._replace(made=tuple(each for each in sweep.made if rows_of[each[0]] == rows))
                found.append((part, self._request(part, rows, shapes, known)))
        return tuple(found)

    def _request(self, sweep: Sweep, m: int, shapes: dict[Expr, Shape], known: dict[str, Operand]) -> ChainSpec:
        """Return the request of a sweep over m rows, and add its results to the `known` inputs of later ones."""
        _check_rows({each: shapes[each] for each in ordered(sweep.expressions)}, sweep.expressions, m)
        for expr, place in sweep.made:
            own = Operand(place.name, *shapes[expr], View("C", shapes[expr][1]), self.compute)
            result = own if place.result is None else self.outputs[place.result]
            known[place.name] = result._replace(name=place.name, output=False)
        made = program(*sweep.expressions)
        inputs, outputs = sweep.operands(made, known, self.outputs)
        return replace(self, m=m, program=made, inputs=inputs, outputs=outputs)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The walks and products, in the order of computation."""
        if self.swept:
            return tuple(stage for each in self.requests_of_sweeps for stage in each.stages)
        given = {x.name: (x.rows, x.columns) for x in self.inputs}
        wide = [y.dtype == self.compute and y.name not in self.by_index for y in self.outputs]
        return tuple(cut(expressions(self.program), given, [y.name for y in self.outputs], wide, self.by_index))

    @cached_property
    def copies(self) -> dict[str, str]:
        """The types of the bands that are plain copies of rows located by an index. They keep the type of the operand,
        in which a product reads them."""
        types = {x.name: x.dtype for x in self.inputs if x.name in self.by_index}
        return {
            band.name: types[str(expr.value)]
            for stage in self.stages
            if isinstance(stage, ElementwiseStage)
            for expr, band in stage.results
            if expr.op == "input" and expr.value in types and band.stored is None
        }

    @cached_property
    def banded(self) -> frozenset[str]:
        """The operands that are walked in bands of rows: results, left factors, and matrices of m rows in a walk."""
        read = {name for stage in self.stages for name in stage.reads}
        return frozenset(
            each.name
            for each in self.operands
            if each.name not in self.sums
            and (each.name in self.batched or (each.rows == self.m and (each.output or each.name in read)))
        )

    @cached_property
    def batched(self) -> frozenset[str]:
        """The left factors that are batches: several matrices of m rows, one below the other."""
        return frozenset(stage.left for stage in self.stages if isinstance(stage, StageProduct) and stage.batch > 1)

    def distances(self, stage: StageProduct) -> tuple[int, ...]:
        """Return the bytes between adjacent matrices of a batch, for the left and the right factor; nothing for a
        single pair."""
        if stage.batch == 1:
            return ()
        factors = {each.name: each for each in self.inputs}
        left, right = factors[stage.left], factors[stage.right]
        return tuple(
            each.rows // stage.batch * int(each.view.leading) * ELEMENT_BYTES[each.dtype]  # type: ignore[arg-type]
            for each in (left, right)
        )

    @cached_property
    def bits(self) -> frozenset[str]:
        """The results that have a bit for each element."""
        return frozenset(y.name for y, expr in zip(self.outputs, expressions(self.program)) if expr.dtype in MASKS)

    @cached_property
    def sums(self) -> frozenset[str]:
        """The results that are reductions down the columns. They have one row, to which every band is added."""
        return frozenset(y.name for y, expr in zip(self.outputs, expressions(self.program)) if expr.op == DOWN)

    @cached_property
    def transposed(self) -> frozenset[str]:
        """The operands that are transposed. Their columns are walked in bands."""
        return frozenset(stage.of for stage in self.stages if isinstance(stage, TransposeStage))

    @cached_property
    def whole(self) -> frozenset[str]:
        """The right factors."""
        return frozenset(stage.right for stage in self.stages if isinstance(stage, StageProduct))

    def of(self, rows: int) -> ChainSpec:
        """Return the same request for another number of rows. Raises UnsupportedError if a right factor is also walked
        in bands, or a reduction down the columns is used."""
        if self.swept:
            raise UnsupportedError(
                "a @ b, x.T: the number of rows cannot be given at the call or divided among threads if a value of all "
                "rows is used: a reduction down the columns (axis=0) or of all elements, or a right factor or the "
                "operand of a transpose that is computed; make a kernel for this number of rows, or one for that value"
            )
        if self.column_major:
            raise UnsupportedError(
                "order: beside products (a @ b) and transposes, the number of rows can only be given at the call or "
                'divided among threads with order="C"'
            )
        if self.batched:
            raise UnsupportedError(
                f"{min(self.batched)}: the rows of a batch of products (ts.brgemm) "
                "cannot be given at the call or divided among threads; make a "
                "kernel for this number of rows"
            )
        if turned := sorted(self.transposed & self.banded):
            raise UnsupportedError(
                f"{turned[0]}: its rows cannot be given at the call or divided among threads, because the function "
                f"reads it by rows and, as {turned[0]}.T, by columns; pass the same array as a second parameter for one"
            )
        both = sorted(self.whole & self.banded)
        if both and self.m > 1:
            raise UnsupportedError(
                f"{both[0]}: its rows cannot be given at the call or divided among "
                "threads, because it is also the right factor of a product; use a "
                "separate kernel for one of the two"
            )

        def shorter(each: Operand) -> Operand:
            if each.name in self.transposed:
                return each._replace(columns=rows)
            return each._replace(rows=rows) if each.name in self.banded else each

        inputs, outputs = (tuple(map(shorter, operands)) for operands in (self.inputs, self.outputs))
        return replace(self, m=rows, inputs=inputs, outputs=outputs)

    @property
    def equation(self) -> str:
        """The function call as one line."""
        return f"{', '.join(y.name for y in self.outputs)} = {self.name}({', '.join(x.name for x in self.inputs)})"

    @cached_property
    def schedule(self) -> ScheduledFunction:
        """The nodes in an order with few temporaries, with their register scores, for printing."""
        return equation(self.program)

    @property
    def stem(self) -> str:
        """Function, types and shapes, as part of a symbol name."""
        types = "_".join(dict.fromkeys(operand.dtype for operand in self.operands))
        columns = "_".join(str(y.columns) for y in self.outputs)
        return f"{self.name}_products_{types}_{self.m}x{columns}"

    @cached_property
    def flops(self) -> int:
        """Count two operations for each multiplication of a product, and one per element for each other node."""
        return self.per_row(sum(_flops(expr, shape, self.shapes) for expr, shape in self.shapes.items()))

    def __str__(self) -> str:
        types = ", ".join(f"{x.name} {x.dtype} {x.rows}x{x.columns}" for x in self.operands)
        return f"{self.equation}   {types}; computed in {self.compute}{self.late}"


def _flops(expr: Expr, shape: Shape, shapes: Mapping[Expr, Shape]) -> int:
    if expr.op in ("input", "const"):
        return 0
    steps = 1
    if expr.op == PRODUCT:
        steps = 2 * (shapes[expr.args[1]][0] if expr.value == BATCHED else shapes[expr.args[0]][1])
    return steps * shape[0] * shape[1]


def chain_spec(
    function: Callable[..., Any],
    name: str,
    shapes: Mapping[str, tuple[Any, Any]],
    *,
    dtype: Any = "f32",
    compute: Any = None,
    out: Any = None,
    accuracy: str = STANDARD,
    leading: Mapping[str, Any] | None = None,
    by_name: bool = True,
    numerics: str = "exact",
    traced: TracedFunction | None = None,
    by_index: Collection[str] = (),
) -> ChainSpec:
    """Return the request for a traced function with products. The arguments are those of `eltwise_spec`, except that a
    shape is the operand's shape in memory: a right factor is (k, n), or (n, k) if the function transposes it.

    Raises UnsupportedError with the reason and an alternative, or TypeError or ValueError naming the argument.
    """
    accuracy, numerics = chosen("accuracy", accuracy, ACCURACIES), chosen("numerics", numerics, NUMERICS)
    types, compute, traced_results = traced or traced_function(function, dict(shapes), dtype, compute, by_name)
    results = tuple(traced_results)
    given = {
        x: (extent(f"rows of {x}", rows), extent(f"columns of {x}", columns)) for x, (rows, columns) in shapes.items()
    }
    _refuse(results, types, compute, by_index)
    found = shapes_of(results, given)
    reduced = [each.args[0] for each in found if each.op == DOWN]
    m = max(found[each][0] for each in (*results, *reduced))
    if used_again(results) and all(found[each][0] == 1 for each in reduced):
        results = of_one_row(results)
        found = shapes_of(results, given)
    names = result_names(given, len(results))
    outs = {
        y: BITS if each.dtype in MASKS else stored_type(f"out of {y}", value)
        for (y, value), each in zip(
            by_name_or_order(_widest(types) if out is None else out, names, "out").items(), results, strict=True
        )
    }
    left = dict(leading or {})
    inputs = tuple(
        Operand(x, *shape, View("C", RUNTIME), types[x]) if x in by_index else _operand(x, shape, types[x], left)
        for x, shape in given.items()
    )
    outputs = tuple(_operand(y, found[each], outs[y], left)._replace(output=True) for y, each in zip(names, results))
    if left:
        raise no_argument(next(iter(left)), inputs + outputs)
    spec = ChainSpec(name, m, compute, program(*results), inputs, outputs, accuracy, numerics, tuple(by_index))
    if any(each.op == DOWN and each.value == MEAN for each in found):
        spec = replace(spec, program=program(*_means_of(results, found, spec.swept)))
    if spec.swept and by_index:
        raise UnsupportedError(
            "a @ b, x.T: together with them and with rows by an index, a reduction down the columns (axis=0) or of all "
            f"elements must be a result of type {compute}, which other expressions cannot use, and right factors and "
            "the operands of transposes must be parameters"
        )
    if spec.swept:
        spec.requests_of_sweeps  # noqa: B018  # raises what the requests of the sweeps refuse
    else:
        _check_rows(spec.shapes, expressions(spec.program), m)
    check_columns(spec.program, max(columns for _, columns in found.values()))
    clash = {each.name for each in spec.numbers} & {each.name for each in spec.operands}
    if clash:
        raise ValueError(f"{min(clash)}: the call passes a number of this name; rename the operand")
    turned = next((x.name for x in inputs if x.name in spec.transposed and isinstance(x.rows, SymbolicExtent)), None)
    if turned is not None:
        raise UnsupportedError(
            f"rows given at the call (ts.RUNTIME): {turned}.T has them as columns of {turned}, whose "
            "number the request says; ts.transpose turns it first"
        )
    if spec.dynamic:
        spec.of(1)  # raises if a matrix is a right factor and is also walked row by row
    return spec


def _refuse(results: tuple[Expr, ...], types: Mapping[str, str], compute: str, by_index: Collection[str]) -> None:
    """Refuse operations that functions with products do not support."""
    steps = program(*results).steps
    batched = {steps[arg].value for step in steps if step.op == PRODUCT and step.value == BATCHED for arg in step.args}
    if batched & set(by_index):
        raise UnsupportedError(
            f"{min(batched & set(by_index))}: rows selected by an index cannot be a "
            "factor of a batch of products (ts.brgemm); gather them with a separate "
            "kernel first"
        )
    if any(step.op == TRANSPOSE and step.dtype not in FLOATS for step in steps):
        raise UnsupportedError(
            "x.T: not supported for integers together with reductions or products; "
            'use ts.transpose, or compute="f32", which converts'
        )
    if compute not in FLOATS:
        raise UnsupportedError(
            f'a @ b: not supported in {compute} arithmetic; compute="f32" converts, '
            "and ts.brgemm has products of integers"
        )
    if BITS in types.values():
        raise UnsupportedError(
            "a @ b, x.T: together with them masks of bits may only be results; pass numbers, and compare them in the "
            "function: ts.select(mask != 0, x, y)"
        )


def _means_of(results: tuple[Expr, ...], shapes: Mapping[Expr, Shape], divided: bool) -> tuple[Expr, ...]:
    """Replace means down the columns by sums of scaled elements, since a walk knows only the rows of a band; with
    `divided`, by sums that are divided once."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op != DOWN or expr.value != MEAN:
            return with_args(expr, args)
        rows = shapes[expr.args[0]][0]
        if divided:
            return down("sum", args[0]) / constant(float(rows), expr.dtype)
        return down("sum", args[0] * constant(1.0 / rows, expr.dtype))

    return rebuilt(results, change)


def _check_rows(found: Mapping[Expr, Shape], results: Sequence[Expr], m: int) -> None:
    """Check that every result and every left factor has m rows."""
    for number, each in enumerate(results):
        rows = found[each.args[0] if each.op == DOWN else each][0]
        if rows != m:
            raise ValueError(
                f"result {number}: has {rows} rows, another result has {m!r}; all results must have the "
                "same number of rows"
            )
    for expr in found:
        if expr.op == TRANSPOSE and found[expr][0] != m:
            raise UnsupportedError(
                f"{expr.args[0].value}.T: has {found[expr][0]} rows, the results "
                f"have {m!r}; pass a row as an operand of the shape (1, n)"
            )
        rows = found[expr if expr.value == BATCHED else expr.args[0]][0] if expr.op == PRODUCT else m
        if rows != m:
            raise UnsupportedError(
                f"a @ {expr.args[1].value}: a has {rows} rows, the results have {m!r}; "
                "compute a product of fewer rows with a separate kernel"
            )


def _widest(types: Mapping[str, str]) -> str:
    """Return the default type of results: the widest float type of the inputs."""
    return max((each for each in types.values() if DTYPES[each].real), key=lambda dtype: ELEMENT_BYTES[dtype])


def _operand(name: str, shape: Shape, dtype: str, leading: dict[str, Any]) -> Operand:
    if dtype == BITS:
        dtype, shape = "u8", (shape[0], -(-shape[1] // BYTE))
    requested = leading.pop(f"ld{name}", None)
    if requested is RUNTIME:
        raise UnsupportedError(f"ld{name}: must be a number in a function with products or transposes, not ts.RUNTIME")
    return Operand(name, *shape, View("C", leading_dimension(f"ld{name}", requested, dense("C", *shape))), dtype)
