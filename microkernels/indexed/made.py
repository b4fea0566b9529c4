"""Make requests for traced functions with rows by an index from what was traced (spec.py describes them)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..chain.shapes import shapes_of
from ..chain.spec import chain_spec
from ..dtypes import ELEMENT_BYTES
from ..eltwise.spec import eltwise_spec, result_names
from ..eltwise.traced import BITS, TracedFunction, by_name_or_order, stored_type, traced_function
from ..errors import UnsupportedError
from ..expr.along import has_reductions
from ..expr.graph import Expr, operand, ordered, rebuilt, with_args
from ..expr.indexing import ADD, GATHER, SCATTER
from ..expr.products import TRANSPOSE, has_products
from ..fused.spec import BEFORE, fused_spec, is_fused
from ..fused.sweeps import NodeShapes
from ..gather.spec import BOUNDS, INDEX_TYPES, index_extent
from ..names import chosen
from ..operands import RUNTIME, Operand, View, extent, leading_dimension, no_argument
from .spec import Found, IndexedSpec, Request, with_rows_by_index


def indexed_spec(
    function: Callable[..., Any],
    name: str,
    shapes: Mapping[str, tuple[Any, Any]],
    *,
    dtype: Any = "f32",
    compute: Any = None,
    out: Any = None,
    leading: Mapping[str, Any] | None = None,
    bounds: str = "call",
    by_name: bool = True,
    traced: TracedFunction | None = None,
    **more: Any,
) -> IndexedSpec:
    """Return a request for a traced function with gathers and scatters. The arguments are those of `eltwise_spec`.

    shapes  of a table (rows, n), of an index (m, 1) or (1, m)
    bounds  as in ts.gather

    Raises UnsupportedError with the reason and an alternative, or TypeError or ValueError naming the argument.
    """
    bounds = chosen("bounds", bounds, BOUNDS)
    made = traced or traced_function(function, dict(shapes), dtype, compute, by_name)
    indices = _indices(made, shapes, not isinstance(dtype, (Mapping, list, tuple)))
    if compute is None:  # an index does not determine the type of the arithmetic
        values = {x: made.types[x] for x in shapes if x not in indices}
        natural = traced_function(lambda *given: given[0], dict.fromkeys(values, (1, 1)), values, by_name=False)
        if natural.compute != made.compute:
            made = traced_function(function, dict(shapes), made.types, natural.compute, by_name)
    return _Maker(name, shapes, made, indices, dict(leading or {}), out, bounds, more).spec()


def _indices(made: TracedFunction, shapes: Mapping[str, tuple[Any, Any]], single: bool) -> dict[str, int]:
    """Return the number of elements of each index by its name. single: one type was given for all operands, which does
    not apply to an index."""
    found: dict[str, int] = {}
    for expr in ordered(made.results):
        if expr.op not in (GATHER, SCATTER):
            continue
        index = str(expr.args[1].value)
        rows, columns = shapes[index]
        if 1 not in (rows, columns):
            raise ValueError(f"{index}: an index has the shape (m, 1) or (m,), not ({rows}, {columns})")
        if single:
            made.types[index] = "i64"
        if made.types[index] not in INDEX_TYPES:
            types = " or ".join(INDEX_TYPES)
            raise UnsupportedError(
                f'{index}: an index is of type {types}, not {made.types[index]}; dtype={{"{index}": "i64", ...}}'
            )
        found[index] = extent(f"rows of {index}", columns if rows == 1 else rows)
    if len(set(found.values())) > 1:
        counts = ", ".join(map(str, found.values()))
        raise ValueError(
            f"{', '.join(found)}: have {counts} elements; all indices need the same number, one for each row"
        )
    return found


class _Maker:
    """The state of making one request."""

    def __init__(
        self,
        name: str,
        shapes: Mapping[str, tuple[Any, Any]],
        made: TracedFunction,
        indices: dict[str, int],
        leading: dict[str, Any],
        out: Any,
        bounds: str,
        more: dict[str, Any],
    ) -> None:
        self.name, self.shapes, self.made, self.indices = name, shapes, made, indices
        self.leading, self.out, self.bounds, self.more = leading, out, bounds, more
        self.m = next(iter(indices.values()))
        self.gathered: list[Found] = []
        self.scattered: list[Found] = []

    def spec(self) -> IndexedSpec:
        """Return the request on located rows, with the operands of the call."""
        names = result_names(self.shapes, len(self.made.results))
        results = tuple(self._result(y, expr) for y, expr in zip(names, self.made.results))
        request = self._request(names, self._without(results))
        inputs = tuple(self._input(name, request) for name in self.shapes)
        rows = {each.table: expr.value[1] for each, expr in zip(self._tables(names), self._scatters())}
        outputs = tuple(self._output(y, rows.get(y.name)) for y in request.outputs)
        if self.leading:
            raise no_argument(next(iter(self.leading)), inputs + outputs)
        return IndexedSpec(request, inputs, outputs, tuple(self.gathered), tuple(self.scattered), self.bounds)

    def _scatters(self) -> list[Expr]:
        return [expr for expr in self.made.results if expr.op == SCATTER]

    def _tables(self, names: Sequence[str]) -> list[Found]:
        """Return the results that are scattered, in order."""
        return [each for each in self.scattered if each.name in names]

    # Expressions

    def _result(self, y: str, expr: Expr) -> Expr:
        """Return the expression of a row of a result."""
        if expr.op != SCATTER:
            return expr
        value, index = expr.args
        self.scattered.append(Found(y, y, str(index.value)))
        return value

    def _named(self, table: str, index: str) -> str:
        """Return the name of the request's input for rows of a table."""
        known = next((each.name for each in self.gathered if (each.table, each.by) == (table, index)), None)
        if known is None:
            known = f"{table}_{index}"
            while known in self.shapes or any(known == each.name for each in self.gathered):
                known += "_"
            self.gathered.append(Found(known, table, index))
        return known

    def _without(self, results: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return the results with inputs for gathered rows. A result that is added to has its own rows as an input."""

        def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
            if expr.op == SCATTER:
                raise UnsupportedError(
                    "ts.scatter(x, index, rows) must be a result of the function "
                    "and cannot be used in it; use it in a second kernel"
                )
            if expr.op == GATHER:
                return operand(self._named(str(args[0].value), str(args[1].value)), expr.dtype)
            return with_args(expr, args)

        plain = list(rebuilt(results, change))
        for number, expr in enumerate(self.made.results):
            if expr.op == SCATTER and expr.value[0] == ADD:
                own = next(each for each in self.scattered if each.name == self._names[number])
                before = f"{own.name}{BEFORE}"
                self.gathered.append(Found(before, own.table, own.by))
                plain[number] = operand(before, expr.dtype) + plain[number]
        return tuple(plain)

    @property
    def _names(self) -> list[str]:
        return result_names(self.shapes, len(self.made.results))

    # Operands

    def _request(self, names: list[str], results: tuple[Expr, ...]) -> Request:
        used = {str(expr.value) for expr in ordered(results) if expr.op == "input"}
        types = by_name_or_order(self._widest() if self.out is None else self.out, names, "out")
        shapes: dict[str, tuple[int, int]] = {}
        kinds: dict[str, str] = {}
        for name, (rows, columns) in self.shapes.items():
            if name in used and name not in self.indices:
                shapes[name], kinds[name] = (rows, columns), self.made.types[name]
        for each in self.gathered:
            own = each.table in names
            columns = self._columns(each, names, results) if own else self.shapes[each.table][1]
            shapes[each.name] = self.m, columns
            kinds[each.name] = (
                stored_type(f"out of {each.table}", types[each.table]) if own else (self.made.types[each.table])
            )
        if BITS in kinds.values():
            raise UnsupportedError(
                "ts.gather, ts.scatter: not supported together with bit masks; use "
                "the comparison in ts.select inside the function"
            )
        leading: dict[str, Any] = {f"ld{each.name}": RUNTIME for each in self.gathered}
        self._own_leading = {name: self.leading.pop(f"ld{name}", None) for name in self._found_tables()}
        leading |= {
            f"ld{name}": self.leading.pop(f"ld{name}") for name in (*shapes, *names) if f"ld{name}" in self.leading
        }
        leading |= {f"ld{name}": value for name, value in self._own_leading.items() if name in shapes and value}
        traced = TracedFunction(kinds, self.made.compute, results)
        words = {
            **self.more,
            "dtype": kinds,
            "out": types,
            "leading": leading,
            "traced": traced,
            "compute": self.made.compute,
        }
        if self._in_bands:
            for each in self.gathered:
                del leading[f"ld{each.name}"]
            by_index = tuple(each.name for each in self.gathered)
            request: Request = chain_spec(lambda: None, self.name, shapes, by_index=by_index, **words)
        else:
            spec = eltwise_spec(lambda: None, self.name, shapes, **words)
            request = fused_spec(spec) if is_fused(spec) else spec
        if request.m != self.m:
            raise ValueError(
                f"{next(iter(self.indices))}: has {self.m} elements, but the other operands have {request.m} rows"
            )
        return with_rows_by_index(request, self.gathered, self.scattered)

    @property
    def _in_bands(self) -> bool:
        """Whether bands of rows are walked, as products and transposes require."""
        operations = {each.op for each in ordered(self.made.results)}
        return has_products(operations) or TRANSPOSE in operations

    def _found_tables(self) -> list[str]:
        return list(dict.fromkeys(each.table for each in (*self.gathered, *self.scattered)))

    def _columns(self, before: Found, names: Sequence[str], results: Sequence[Expr]) -> int:
        """Return the columns of a result that is added to: one if a fused kernel computes a value per row."""
        if self._in_bands:
            return self._columns_of_bands(results[names.index(before.table)].args[1], names)
        given = {x: (True, columns > 1) for x, (_, columns) in self.shapes.items()}
        tables = [each for each in self.gathered if each.table not in names]
        given |= {each.name: (True, self.shapes[each.table][1] > 1) for each in tables}
        value = results[names.index(before.table)].args[1]
        n = max(columns for x, (_, columns) in self.shapes.items() if x not in self.indices)
        narrow = has_reductions(expr.op for expr in ordered(results)) and not NodeShapes([value], given).wide[value]
        return 1 if narrow else n

    def _columns_of_bands(self, value: Expr, names: Sequence[str]) -> int:
        """Return the columns of an expression with products."""
        given = {x: (int(rows), int(columns)) for x, (rows, columns) in self.shapes.items()}
        given |= {each.name: (self.m, self.shapes[each.table][1]) for each in self.gathered if each.table not in names}
        return shapes_of([value], given)[value][1]

    def _widest(self) -> str:
        kinds = [kind for name, kind in self.made.types.items() if name not in self.indices]
        return max(kinds, key=lambda kind: (kind in ("f64", "f32", "bf16", "f16"), ELEMENT_BYTES[kind]))

    def _input(self, name: str, request: Request) -> Operand:
        rows, columns = self.shapes[name]
        if name in self.indices:
            return Operand(name, self.m, 1, View("C", 1), self.made.types[name])
        known = next((x for x in request.inputs if x.name == name), None)
        if any(name == each.table for each in self.gathered):
            rows = index_extent(f"rows of {name}", rows)
            return self._table(name, rows, columns, self.made.types[name])
        if known is None:
            raise ValueError(f"{name}: the traced function does not use it")
        return known

    def _table(self, name: str, rows: int, columns: int, dtype: str) -> Operand:
        requested = self._own_leading.get(name)
        if requested is RUNTIME:
            raise UnsupportedError(
                f"ld{name}: must be a number for a matrix whose rows an index selects, not ts.RUNTIME"
            )
        return Operand(name, rows, columns, View("C", leading_dimension(f"ld{name}", requested, columns)), dtype)

    def _output(self, y: Operand, rows: Any) -> Operand:
        if rows is None:
            return y
        count = index_extent(f"rows of {y.name}", rows)
        return self._table(y.name, count, y.columns, y.dtype)._replace(output=True)
