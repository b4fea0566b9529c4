"""RowwiseSpec: an elementwise or fused request, a traced function with products, or a reduction, for any number of
rows.

Rows do not depend on each other, so a block of code for a few rows, repeated until no row is left, computes any number
of them. If later expressions use the result of a reduction down the columns, there are several walks, each over all
rows.
"""

from __future__ import annotations

from dataclasses import replace

from ...encoder.records import cached_property, dataclass
from ..chain.spec import ChainSpec
from ..eltwise.orders import COLUMNS, PLAIN
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..fused.spec import FusedSpec
from ..fused.sweeps import Sweep
from ..indexed.spec import IndexedSpec
from ..operands import NOMINAL_ROWS, RUNTIME, AxisOf, GivenExtent, Interface, Number, Operand, View, again, aliasing_of
from ..reduce.spec import ReduceSpec

Request = EltwiseSpec | ChainSpec | ReduceSpec | IndexedSpec


@dataclass(frozen=True)
class RowwiseSpec:
    """A request for any number of rows. `rowwise_spec` makes and checks it. `request` is the same for NOMINAL_ROWS
    rows."""

    request: Request

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments with NOMINAL_ROWS rows; `interface.of` returns those of a call."""
        return self.request.arguments

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The matrices among the arguments."""
        return tuple(each for each in self.arguments if isinstance(each, Operand))

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        rows = GivenExtent(self.extent, tuple(AxisOf(name, 0) for name in self.banded))
        aliasing = aliasing_of(self.arguments, self.in_place)
        return self.request.interface._replace(extents=(rows,), aliasing=aliasing)

    def again(self) -> RowwiseSpec:
        """Return the request made again by its function, which checks it."""
        return rowwise_spec(again(self.request, EltwiseSpec, ChainSpec, ReduceSpec, IndexedSpec))

    @cached_property
    def in_place(self) -> tuple[str, ...]:
        """The names of the inputs that may be an output too, in calls with any number of rows."""
        names = self.request.in_place
        if self.by_columns and isinstance(self.request, FusedSpec):  # a single row of the call is a column of one
            if all(each.rows == 1 or each.columns == 1 for each in self.operands):
                return ()  # reductions of single columns write their results before others have read all
            single = self.of(1).in_place
            return tuple(name for name in names if name in single)
        return names

    @cached_property
    def banded(self) -> tuple[str, ...]:
        """The names of the operands whose number of rows is given at the call."""
        if isinstance(self.request, IndexedSpec):
            return self.request.banded
        if isinstance(self.request, ChainSpec):
            return tuple(each.name for each in self.operands if each.name in self.request.banded)
        return tuple(each.name for each in self.operands if each.rows > 1 or each.vector)

    @property
    def by_columns(self) -> bool:
        """Whether the elements of a column are contiguous. Then each block reduces along its own rows, and no reduction
        goes over all blocks."""
        request = self.request
        if isinstance(request, FusedSpec):  # of the transposes, even if no matrix has several rows and columns
            return bool(request.layouts)
        return isinstance(request, EltwiseSpec) and COLUMNS in request.layouts

    @cached_property
    def sweeps(self) -> tuple[tuple[Sweep, EltwiseSpec], ...]:
        """The walks and their requests, each over all rows or over the single row that all rows share. There are
        several if the result of a reduction down the columns is used again, or if it is a mean. Empty if one walk
        suffices."""
        request = self.request
        if not isinstance(request, FusedSpec) or not (request.swept or request.divides_by_rows):
            return ()
        return tuple(zip(*request.cut_by(self.extent)))

    @property
    def extent(self) -> str:
        """The name of the C function's parameter for the number of rows."""
        taken = {each.name for each in self.arguments}
        return next(name for name in ("m", "rows", "row_count", "number_of_rows", "m_") if name not in taken)

    def block(self, rows: int) -> Request:
        """Return the request for a block of this many rows. If results depend on the number of a row, the block takes
        the number of its first row as an argument."""
        made = self.of(rows)
        if isinstance(made, IndexedSpec) and isinstance(made.request, EltwiseSpec):
            return replace(made, request=replace(made.request, moved=made.request.placed))
        return replace(made, moved=made.placed) if isinstance(made, EltwiseSpec) else made

    @property
    def placed(self) -> bool:
        """Whether results depend on the number of a row. The walks then count rows; a chain has a count of its own."""
        walked = self.request.request if isinstance(self.request, IndexedSpec) else self.request
        return isinstance(walked, EltwiseSpec) and walked.placed

    def of(self, rows: int) -> Request:
        """Return the request for a fixed number of rows."""
        request = self.request
        if isinstance(request, (ChainSpec, IndexedSpec)):
            return request.of(rows)
        if isinstance(request, ReduceSpec):
            return replace(request, m=rows)
        inputs, outputs = (
            tuple(each._replace(rows=rows) if each.name in self.banded else each for each in operands)
            for operands in (request.inputs, request.outputs)
        )
        return replace(request, m=rows, inputs=inputs, outputs=outputs)

    @property
    def equation(self) -> str:
        """The equation in one line, with the name of the extent in place of NOMINAL_ROWS."""
        return self.request.equation.replace(f"i < {NOMINAL_ROWS}", f"i < {self.extent}")

    @property
    def flops(self) -> int:
        """Floating-point operations per row."""
        return self.request.flops // NOMINAL_ROWS

    @property
    def stem(self) -> str:
        """Part of the C symbol, with m in place of the number of rows."""
        return self.request.stem.replace(f"_{NOMINAL_ROWS}x", "_mx")

    def __str__(self) -> str:
        types = ", ".join(
            f"{x.name} {x.dtype} {'m' if x.name in self.banded else x.rows}x{x.columns}" for x in self.operands
        )
        return f"{self.equation}   {types}; computed in {self.request.compute}, rows m given at the call"


def rowwise_spec(request: Request) -> RowwiseSpec:
    """Check a request for NOMINAL_ROWS rows and return it for any number of rows.

    Raises UnsupportedError with the reason and what would work.
    """
    spec = RowwiseSpec(request)
    walked = request.request if isinstance(request, IndexedSpec) else request
    if isinstance(walked, ChainSpec) and walked.transposed:
        name = min(walked.transposed)
        raise UnsupportedError(
            f"rows given at the call (ts.RUNTIME): {name}.T has them as columns of {name}, whose "
            "number the request says; ts.transpose turns it first"
        )
    if request.m != NOMINAL_ROWS:
        raise ValueError(f"request: of {NOMINAL_ROWS} rows, not {request.m}")
    if isinstance(walked, ChainSpec):
        walked.of(1)  # raises if a matrix is a right factor and is also walked row by row
        return spec
    if isinstance(request, ReduceSpec):
        if request.axis != 1:
            same = f"ts.equation(lambda x: ts.{request.name}(x, axis={request.axis}), x=(ts.RUNTIME, {request.n}))"
            raise UnsupportedError(f"m=ts.RUNTIME: axis=1, not {request.axis}; {same} takes any number of rows")
        return spec
    assert isinstance(walked, EltwiseSpec)
    if isinstance(walked, FusedSpec) and walked.layouts and not walked.along_alone:
        raise UnsupportedError(
            'rows given at the call (ts.RUNTIME): order "C" beside reductions down the columns, or '
            "of all elements; a number of rows works"
        )
    if walked.layouts and walked.placed:
        raise UnsupportedError(
            'rows given at the call (ts.RUNTIME): random numbers and positions need order="C"; a number of rows works '
            "in both orders"
        )
    if request is walked and walked.layouts:
        spec = RowwiseSpec(_by_columns(walked))
    if isinstance(request, IndexedSpec) and isinstance(walked, FusedSpec) and (walked.swept or walked.divides_by_rows):
        raise UnsupportedError(
            "rows given at the call (ts.RUNTIME), found by an index: no reduction down the columns, "
            "or of all elements, which the rows take back, and no mean of them; ts.sum as a result "
            "works, and so does a number of rows"
        )
    if not spec.banded:
        raise UnsupportedError("rows given at the call (ts.RUNTIME): no matrix has them")
    return spec


def _by_columns(request: EltwiseSpec) -> EltwiseSpec:
    """Return the request with a leading dimension given at the call for each matrix with contiguous columns: the number
    of rows is the length of these columns."""

    def dynamic(each: Operand) -> Operand:
        if request.layout_of(each) != COLUMNS:
            return each
        if each.view.leading not in (RUNTIME, NOMINAL_ROWS):
            raise UnsupportedError(
                f'ld{each.name}: no number beside ts.RUNTIME rows in order "F"; the array says '
                "how far its columns are apart"
            )
        return each._replace(view=View("F", RUNTIME))

    if not {*request.layouts} <= {"", PLAIN, COLUMNS}:
        raise UnsupportedError('rows given at the call (ts.RUNTIME): order "C" or "F"; ts.transpose packs')
    return replace(request, inputs=tuple(map(dynamic, request.inputs)), outputs=tuple(map(dynamic, request.outputs)))
