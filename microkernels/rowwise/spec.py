"""RowwiseSpec: an elementwise or fused request, a traced function with products, or a reduction, of any number of rows.

Rows do not depend on each other, so a kernel for some rows, called until none is left, computes any number of them.
Where a reduction down the columns is used again, each of several walks goes so over all rows.
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
from ..operands import LIKELY_ROWS, RUNTIME, Number, Operand, View, parameters
from ..reduce.spec import ReduceSpec

Request = EltwiseSpec | ChainSpec | ReduceSpec | IndexedSpec


@dataclass(frozen=True)
class RowwiseSpec:
    """A request for any number of rows; made by `rowwise_spec`, which checks. `request` is that for LIKELY_ROWS."""

    request: Request

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """Those of LIKELY_ROWS rows; `of` has those of a call."""
        return self.request.arguments

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The matrices among them."""
        return tuple(each for each in self.arguments if isinstance(each, Operand))

    @property
    def in_place(self) -> tuple[str, ...]:
        """Inputs that may be an output too."""
        return self.request.in_place

    @cached_property
    def banded(self) -> tuple[str, ...]:
        """The matrices whose rows the call counts."""
        if isinstance(self.request, IndexedSpec):
            return self.request.banded
        if isinstance(self.request, ChainSpec):
            return tuple(each.name for each in self.operands if each.name in self.request.banded)
        return tuple(each.name for each in self.operands if each.rows > 1 or each.vector)

    @property
    def by_columns(self) -> bool:
        """Whether the elements of a column lie one behind the other: then what is reduced along a row is the block's
        own, and nothing is reduced over all blocks."""
        return isinstance(self.request, EltwiseSpec) and COLUMNS in self.request.layouts

    @cached_property
    def walks(self) -> tuple[tuple[Sweep, EltwiseSpec], ...]:
        """The walks over all rows, or over the one that is the same for all, where a reduction down the columns is used
        again or a mean; empty where one walk suffices."""
        request = self.request
        if not isinstance(request, FusedSpec) or not (request.swept or request.divides_by_rows):
            return ()
        return tuple(zip(*request.cut_by(self.extent)))

    @property
    def extent(self) -> str:
        """The name of the number of rows among the parameters of the C function."""
        taken = {each.name for each in self.arguments}
        return next(name for name in ("m", "rows", "row_count", "number_of_rows", "m_") if name not in taken)

    def counted(self, argument: Operand | Number, rows: int) -> Operand | Number:
        """An argument of a call with so many rows."""
        if not isinstance(argument, Operand) or argument.name not in self.banded:
            return argument
        if argument.vector:
            return argument._replace(columns=rows, view=View("C", rows))
        return argument._replace(rows=rows)

    def block(self, rows: int) -> Request:
        """The request for rows among others, whose place is a number that the call gives where it matters."""
        made = self.of(rows)
        if isinstance(made, IndexedSpec) and isinstance(made.request, EltwiseSpec):
            return replace(made, request=replace(made.request, moved=made.request.placed))
        return replace(made, moved=made.placed) if isinstance(made, EltwiseSpec) else made

    @property
    def placed(self) -> bool:
        """Whether results depend on the number of a row, which walks then count; a chain has its own count."""
        walked = self.request.request if isinstance(self.request, IndexedSpec) else self.request
        return isinstance(walked, EltwiseSpec) and walked.placed

    def of(self, rows: int) -> Request:
        """The request for a number of rows."""
        request = self.request
        if isinstance(request, (ChainSpec, IndexedSpec)):
            return request.of(rows)
        if isinstance(request, ReduceSpec):
            return replace(request, m=rows)
        inputs, outputs = (tuple(each._replace(rows=rows) if each.name in self.banded else each for each in operands)
                           for operands in (request.inputs, request.outputs))  # fmt: skip
        return replace(request, m=rows, inputs=inputs, outputs=outputs)

    @property
    def equation(self) -> str:
        """One line."""
        return self.request.equation.replace(f"i < {LIKELY_ROWS}", f"i < {self.extent}")

    @property
    def flops(self) -> int:
        """Of one row: as many times that as the call says."""
        return self.request.flops // LIKELY_ROWS

    @property
    def stem(self) -> str:
        """Part of the C symbol, with m in place of the rows."""
        return self.request.stem.replace(f"_{LIKELY_ROWS}x", "_mx")

    def __str__(self) -> str:
        types = ", ".join(f"{x.name} {x.dtype} {'m' if x.name in self.banded else x.rows}x{x.columns}"
                          for x in self.operands)  # fmt: skip
        return f"{self.equation}   {types}; computed in {self.request.compute}, rows m given at the call"


def rowwise_spec(request: Request) -> RowwiseSpec:
    """A checked request for any number of rows, of that for LIKELY_ROWS rows.

    Raises UnsupportedError with the reason and what would work.
    """
    spec = RowwiseSpec(request)
    walked = request.request if isinstance(request, IndexedSpec) else request
    if isinstance(walked, ChainSpec) and walked.turned:
        name = min(walked.turned)
        raise UnsupportedError(f"rows given at the call (ts.RUNTIME): {name}.T has them as columns of {name}, whose "
                               "number the request says; ts.transpose turns it first")  # fmt: skip
    if request.m != LIKELY_ROWS:
        raise ValueError(f"request: of {LIKELY_ROWS} rows, not {request.m}")
    if isinstance(walked, ChainSpec):
        walked.of(1)  # no matrix is a right factor and walked as well
        return spec
    if isinstance(request, ReduceSpec):
        if request.axis != 1:
            same = f"ts.equation(lambda x: ts.{request.name}(x, axis={request.axis}), x=(ts.RUNTIME, {request.n}))"
            raise UnsupportedError(f"m=ts.RUNTIME: axis=1, not {request.axis}; {same} takes any number of rows")
        return spec
    assert isinstance(walked, EltwiseSpec)
    if isinstance(walked, FusedSpec) and walked.layouts and not walked.along_alone:
        raise UnsupportedError('rows given at the call (ts.RUNTIME): order "C" beside reductions down the columns, or '
                               "of all elements; a number of rows works")  # fmt: skip
    if request is walked and walked.layouts:
        spec = RowwiseSpec(_by_columns(walked))
    if isinstance(request, IndexedSpec) and isinstance(walked, FusedSpec) and (walked.swept or walked.divides_by_rows):
        raise UnsupportedError("rows given at the call (ts.RUNTIME), found by an index: no reduction down the columns, "
                               "or of all elements, which the rows take back, and no mean of them; ts.sum as a result "
                               "works, and so does a number of rows")  # fmt: skip
    if not spec.banded:
        raise UnsupportedError("rows given at the call (ts.RUNTIME): no matrix has them")
    return spec


def _by_columns(request: EltwiseSpec) -> EltwiseSpec:
    """The request whose matrices with contiguous columns are as far from column to column as the call says: rows that
    are counted are the elements of a column."""

    def counted(each: Operand) -> Operand:
        if request.layout_of(each) != COLUMNS:
            return each
        if each.view.leading not in (RUNTIME, LIKELY_ROWS):
            raise UnsupportedError(f"ld{each.name}: no number beside ts.RUNTIME rows in order \"F\"; the array says "
                                   "how far its columns are apart")  # fmt: skip
        return each._replace(view=View("F", RUNTIME))

    if not {*request.layouts} <= {"", PLAIN, COLUMNS}:
        raise UnsupportedError('rows given at the call (ts.RUNTIME): order "C" or "F"; ts.transpose packs')
    return replace(request, inputs=tuple(map(counted, request.inputs)), outputs=tuple(map(counted, request.outputs)))


def parameters_of(spec: RowwiseSpec) -> list[tuple[str, str]]:
    """(C type, name) of each parameter of the C function: the arguments, the number of rows, leading dimensions."""
    made = parameters(spec.arguments)
    count = len(spec.arguments)
    return [*made[:count], ("int64_t ", spec.extent), *made[count:]]
