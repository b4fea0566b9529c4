"""The request for a traced function with rows by an index: `ts.gather(table, index)`, and `ts.scatter` of a result.

    y[i] = f(x[source[i]], x[target[i]], e[i])        y[target[i]] += f(...)

Row i of the function reads row index[i] of a table, and writes its result to row index[i] of another one. `request` is
the elementwise or fused request on rows that are already located: its gathered and scattered matrices have m rows.
emit.py sets a pointer to each such row before it is walked. With products, the request is that of a chain, whose walks
locate rows; a product reads them from a band. `made.py` makes requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..chain.spec import ChainSpec
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..fused.spec import FusedSpec
from ..gather.spec import BOUNDS, INDEX_TYPES, index_extent
from ..names import chosen
from ..operands import (
    DEEP,
    RUNTIME,
    AnyRows,
    CheckedIndex,
    Interface,
    Number,
    Operand,
    View,
    again,
    aliasing_of,
    leading_dimension,
)

Request = EltwiseSpec | ChainSpec


class Found(NamedTuple):
    """A matrix of the request, the operand of the call that contains its rows, and the index that selects them."""

    name: str
    table: str
    by: str


@dataclass(frozen=True)
class IndexedSpec(AnyRows):
    """A checked request, made by `indexed_spec` (made.py).

    inputs, outputs   the operands of the call
    gathered, scattered   inputs and results of `request` that lie in tables; a result that is added to is in both
    """

    request: Request
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    gathered: tuple[Found, ...]
    scattered: tuple[Found, ...]
    bounds: str = "call"

    @property
    def m(self) -> int:  # type: ignore[override]
        """The number of rows that are walked."""
        return self.request.m

    @property
    def located(self) -> Request:
        """The request of the rows where the index locates them."""
        return self.request

    @property
    def counts_rows(self) -> bool:
        """Whether results depend on the number of a row."""
        return self.request.counts_rows

    def block(self, rows: int) -> IndexedSpec:
        """Return the request for a block of this many rows, which may take the number of its first row."""
        return replace(self.of(rows), request=self.request.block(rows))

    @property
    def compute(self) -> str:
        """The type of the arithmetic."""
        return self.request.compute

    @cached_property
    def bad(self) -> tuple[Operand, ...]:
        """The output of a kernel that checks its indices: the number of the first row with an index out of bounds, or
        -1."""
        return (Operand("bad", 1, 1, View("C", 1), "i64", True, True),) if self.bounds == "kernel" else ()

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """Inputs, numbers, outputs, bad."""
        return (*self.inputs, *self.request.numbers, *self.outputs, *self.bad)

    @cached_property
    def found(self) -> tuple[Found, ...]:
        """All matrices of the request that lie in tables."""
        return self.gathered + self.scattered

    def operand(self, name: str) -> Operand:
        """Return an operand of the call by its name."""
        return {each.name: each for each in self.operands}[name]

    @property
    def limits(self) -> dict[str, tuple[str, int]]:
        """For each index, the table with the fewest rows that it selects from, and the number of its rows."""
        found: dict[str, tuple[str, int]] = {}
        for each in self.found:
            rows = self.operand(each.table).rows
            if each.by not in found or rows < found[each.by][1]:
                found[each.by] = each.table, rows
        return found

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        checked = (CheckedIndex(name, table) for name, (table, _) in self.limits.items() if self.bounds == "call")
        return Interface(
            self.arguments,
            self.given,
            aliasing_of(self.arguments, self.in_place),
            DEEP,
            indices=tuple(checked),
            needed=bool(self.scattered),
        )

    def again(self) -> IndexedSpec:
        """Return the request made again: that of the rows, and the operands that they lie in."""
        names = {each.name for each in self.scattered}
        outputs = tuple(
            y._replace(view=View("C", y.columns)) if y.view.leading is RUNTIME and y.name in names else y
            for y in self.request.outputs
        )
        plain: Request = again(replace(self.request, outputs=outputs), EltwiseSpec, ChainSpec)
        return _checked(self, with_rows_by_index(plain, self.gathered, self.scattered))

    @property
    def in_place(self) -> tuple[str, ...]:
        """Inputs that may also be an output. Tables may not, and nothing may if rows are scattered."""
        if self.scattered:
            return ()
        tables = {each.table for each in self.found}
        return tuple(name for name in self.request.in_place if name not in tables and self._of_call(name))

    def _of_call(self, name: str) -> bool:
        return any(name == each.name for each in self.inputs)

    @property
    def equation(self) -> str:
        """The function call as one line."""
        names = {each.name: f"{each.table}[{each.by}[i]]" for each in self.found}
        made = ", ".join(names.get(y.name, y.name) for y in self.request.outputs)
        return f"{made} = {self.request.name}({', '.join(names.get(x.name, x.name) for x in self.request.inputs)})"

    @property
    def stem(self) -> str:
        """Function, types and shape."""
        return f"{self.request.stem}_indexed"

    @property
    def flops(self) -> int:
        """Floating-point operations of the request."""
        return self.request.flops

    @cached_property
    def banded(self) -> tuple[str, ...]:
        """The operands of the call that have the number of rows that are walked: indices, and matrices that are not
        tables."""
        walked = {each.by for each in self.found} | self._walked(self.request)
        return tuple(each.name for each in self.operands if each.name in walked)

    def _walked(self, request: Request) -> set[str]:
        """Return the operands of a request that have its rows, at their own places."""
        return set(request.banded) - {each.name for each in self.found}

    @property
    def walked(self) -> tuple[str, ...]:
        """The operands of the call that are walked row by row, including tables."""
        own = (
            self._walked(self.request)
            if isinstance(self.request, ChainSpec)
            else {each.name for each in self.request.operands}
        )
        return tuple(each.name for each in self.operands if each.name in own)

    def of(self, rows: int) -> IndexedSpec:
        """Return the same request for another number of rows."""

        def shorter(operands: Sequence[Operand], names: Sequence[str]) -> tuple[Operand, ...]:
            return tuple(each._replace(rows=rows) if each.name in names else each for each in operands)

        return replace(
            self,
            request=self.request.of(rows),
            inputs=shorter(self.inputs, self.banded),
            outputs=shorter(self.outputs, self.banded),
        )

    def __str__(self) -> str:
        types = ", ".join(f"{x.name} {x.dtype} {x.rows}x{x.columns}" for x in self.operands)
        return f"{self.equation}   {types}; computed in {self.compute}; bounds checked by the {self.bounds}{self.late}"


def with_rows_by_index(request: Request, gathered: Sequence[Found], scattered: Sequence[Found]) -> Request:
    """Return the request with scattered results, whose rows may lie anywhere."""
    if isinstance(request, FusedSpec) and any(
        request.outputs[i].name == each.name for each in scattered for i in request.column_sums
    ):
        raise UnsupportedError(
            "ts.scatter: cannot take a reduction down the columns, which has one row; return that as a result"
        )
    if request.dynamic and isinstance(request, FusedSpec) and (request.swept or request.divides_by_rows):
        raise UnsupportedError(
            "rows given at the call (ts.RUNTIME), found by an index: no reduction down the columns, "
            "or of all elements, which the rows take back, and no mean of them; ts.sum as a result "
            "works, and so does a number of rows"
        )
    names = {each.name for each in scattered}
    outputs = tuple(y._replace(view=View("C", RUNTIME)) if y.name in names else y for y in request.outputs)
    if any(y.rows == 1 < request.m for y in outputs if y.name in names):
        raise UnsupportedError(
            "ts.scatter: cannot take a reduction down the columns, which has one row; return that as a result"
        )
    if isinstance(request, (FusedSpec, ChainSpec)):
        by_index = tuple(dict.fromkeys(each.name for each in (*gathered, *scattered)))
        return replace(request, outputs=outputs, by_index=by_index)
    return replace(request, outputs=outputs)


def _checked(spec: IndexedSpec, request: Request) -> IndexedSpec:
    """Return the same spec, if its operands match the request and the rows in tables are valid. Raises ValueError
    otherwise."""
    chosen("bounds", spec.bounds, BOUNDS)
    own = {each.name: each for each in request.operands}
    _check_operands(spec, request, own)
    for each in spec.found:
        row, table, index = own[each.name], spec.operand(each.table), spec.operand(each.by)
        leading_dimension(f"ld{table.name}", table.view.leading, table.columns)
        known = Operand(
            table.name,
            index_extent("rows", table.rows),
            row.columns,
            View("C", table.view.leading),
            row.dtype,
            table.output,
        )
        rows = Operand(index.name, request.m, 1, View("C", 1), index.dtype)
        if (table, index) != (known, rows) or index.dtype not in INDEX_TYPES or not isinstance(table.view.leading, int):
            raise ValueError(f"request: rows of {row}, not those of {table} by {index}")
    return replace(spec, request=request)


def _check_operands(spec: IndexedSpec, request: Request, own: Mapping[str, Operand]) -> None:
    """Check that the call has the matrices of the request, with tables in place of located rows, and the indices."""
    by_index, results = {each.name for each in spec.found}, {y.name for y in request.outputs}
    inputs = {x.name for x in request.inputs} - by_index
    inputs |= {each.table for each in spec.gathered} - results | {each.by for each in spec.found}
    names = [[each.name for each in some] for some in (spec.inputs, spec.outputs)]
    scattered = {each.table for each in spec.scattered}
    same = all(
        each == own[each.name]
        for each in (*spec.inputs, *spec.outputs)
        if each.name in own and each.name not in by_index
    )
    ends = [each.output for each in (*spec.inputs, *spec.outputs)]
    if [sorted(each) for each in names] != [sorted(inputs), sorted(results)] or not same or not scattered <= results:
        raise ValueError(f"request: operands {names}, which are not those of the function")
    if ends != [False] * len(spec.inputs) + [True] * len(spec.outputs) or not all(
        each.name in results and each.name == each.table or each.name not in results for each in spec.found
    ):
        raise ValueError(f"request: {names} as inputs and outputs, which the function does not have as such")
