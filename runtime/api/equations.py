"""The requests of `ts.equation`: the kind of request depends on the operations in the traced function."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.choice import Refusal, tried
from ...microkernels.eltwise.orders import TRANSPOSED as TURNED
from ...microkernels.eltwise.spec import EltwiseSpec, eltwise_spec
from ...microkernels.eltwise.traced import TracedFunction, traced_function
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.along import DOWN, MEAN, has_reductions
from ...microkernels.expr.graph import MASKS, Expr, node, ordered, rebuilt
from ...microkernels.expr.indexing import GATHER, SCATTER, has_indices
from ...microkernels.expr.products import BATCHED, PRODUCT, TRANSPOSE, has_products
from ...microkernels.expr.trace import required
from ...microkernels.operands import ROWS, RUNTIME, extent

if TYPE_CHECKING:
    from ...microkernels.chain import spec as chain_spec
    from ...microkernels.expr import transposes
    from ...microkernels.fused import spec as fused_spec
    from ...microkernels.grouped import along_axis
    from ...microkernels.grouped.spec import GroupedSpec
    from ...microkernels.indexed import made as indexed_made
    from ...microkernels.indexed.spec import IndexedSpec

along_axis = lazy(__package__, "...microkernels.grouped.along_axis")
indexed_made = lazy(__package__, "...microkernels.indexed.made")
chain_spec = lazy(__package__, "...microkernels.chain.spec")
transposes = lazy(__package__, "...microkernels.expr.transposes")
fused_spec = lazy(__package__, "...microkernels.fused.spec")


class EquationArguments(NamedTuple):
    """The arguments of `ts.equation`. `options` are those that every kind of request accepts."""

    function: Callable[..., Any]
    order: Any
    bounds: Any
    options: dict[str, Any]
    axis: int | None = None

    def _check_names(self, missing: list[str]) -> None:
        """Raise TypeError if a parameter has the name of an argument of ts.equation, which takes its shape away."""
        own = [name for name in missing if name in (*self.options, "order", "bounds", "axis", "target", "release_gil")]
        if own:
            raise TypeError(
                f"equation: {own[0]} is an argument of ts.equation itself; give the function's parameter another name"
            )

    def request(self, operands: dict[str, Any]) -> Any:
        """Return the request. `operands` holds the shapes of parameters, which are removed, and leading dimensions and
        the origin."""
        found = required(self.function, operands)
        shapes = {name: operands.pop(name) for name in found if name in operands}
        shapes = {name: tuple(shape) if isinstance(shape, list) else shape for name, shape in shapes.items()}
        missing = [name for name in found if name not in shapes]
        self._check_names(missing)
        if missing or not shapes:
            raise TypeError(
                f"equation: a shape for each parameter of the function ({', '.join(found)}); "
                f"missing {', '.join(missing) or 'all: it has none'}"
            )
        if self.axis is not None:
            return self._along_axis(shapes, operands)
        asked = shapes
        shapes = {name: _matrix(name, shape) for name, shape in shapes.items()}
        lists = [name for name, shape in shapes.items() if shape == (1, RUNTIME)]  # indices, or a mistake
        shapes |= dict.fromkeys(lists, (RUNTIME, 1))
        dynamic = [name for name, (rows, _) in shapes.items() if rows is RUNTIME]
        shapes |= {name: (ROWS, shapes[name][1]) for name in dynamic}
        traced = traced_function(self.function, shapes, self.options["dtype"], self.options["compute"])
        operations = {each.op for each in ordered(traced.results)}
        for each in ordered(traced.results):
            if each.op == PRODUCT and each.value == BATCHED:
                _check_batch(asked, *(str(arg.value) for arg in each.args))
        indices = {str(each.args[1].value) for each in ordered(traced.results) if each.op in (GATHER, SCATTER)}
        for name in lists:
            if name not in indices:
                raise UnsupportedError(
                    f"{name}: the number of columns cannot be ts.RUNTIME, because registers are "
                    f"blocked for it; rows may be ts.RUNTIME, and {name}=(ts.RUNTIME, 1) is a "
                    "column"
                )
        if has_indices(operations):
            return self._indexed(shapes, dynamic, operands, traced)
        if self.bounds is not None:
            raise TypeError("bounds: only functions with ts.gather or ts.scatter take it")
        if has_products(operations) or (TRANSPOSE in operations and has_reductions(operations)):
            return self._chain(shapes, dynamic, operands, traced)
        if TRANSPOSE in operations:
            return self._transposed(shapes, dynamic, operands, traced)
        return self._elementwise(shapes, dynamic, operands, traced)

    def _along_axis(self, shapes: Mapping[str, tuple[int, ...]], leading: Collection[str]) -> GroupedSpec:
        """Return the request of a function whose rows lie along an axis of arrays of any rank."""
        if self.order != "C" or leading:
            raise UnsupportedError(
                f"axis: arrays are in C order without gaps, so {min(leading, default='order')}= is not possible; a "
                "function of matrices, without axis=, takes it"
            )
        axes = along_axis.array_axes(self.axis, shapes)
        one = self._replace(axis=None, order="F" if axes.inner > 1 else "C")
        made = tried("one matrix", lambda: one.request(dict(along_axis.matrices(axes))))
        if isinstance(made, Refusal):
            raise UnsupportedError(f"axis: each matrix is computed as one of order={one.order!r}: {made.error}")
        return along_axis.grouped(axes, made)

    def _elementwise(
        self, shapes: Mapping[str, Any], dynamic: Sequence[str], leading: dict[str, Any], traced: TracedFunction
    ) -> Any:
        """Return an elementwise request, or a fused one if there are reductions."""
        used = _read(traced) & shapes.keys()
        _check_used(shapes, used)
        spec: EltwiseSpec = eltwise_spec(
            self.function,
            "equation",
            dict(shapes),
            order=self.order,
            origin=leading.pop("origin", None),
            leading=leading,
            traced=traced,
            **self.options,
        )
        return fused_spec.fused_spec(spec) if has_reductions(step.op for step in spec.program.steps) else spec

    def _chain(
        self, shapes: Mapping[str, Any], dynamic: Sequence[str], leading: dict[str, Any], traced: TracedFunction
    ) -> Any:
        """Return a request with products."""
        column_major = self.order == "F"
        if column_major:
            _check_by_columns(dynamic, traced)
            shapes = {name: shape[::-1] for name, shape in shapes.items()}
            traced = traced._replace(results=transposes.of_transposes(traced.results))
        elif self.order != "C":
            raise UnsupportedError('order: products (a @ b) and transposes need one order of all matrices, "C" or "F"')
        if dynamic and any(each.op == DOWN and each.value == MEAN for each in ordered(traced.results)):
            raise UnsupportedError(
                "rows given at the call (ts.RUNTIME): a mean down the columns is not supported, "
                "because the code does not know the number of rows to divide by; ts.sum "
                "works"
            )
        _check_read(dynamic, traced)
        _check_right_factors(dynamic, traced)
        chain = chain_spec.chain_spec(self.function, "equation", shapes, leading=leading, traced=traced, **self.options)
        _check_rows(dynamic, {each.name: each.rows for each in chain.inputs if each.name in chain.banded})
        return dataclasses.replace(chain, column_major=column_major)

    def _transposed(
        self, shapes: Mapping[str, Any], dynamic: Sequence[str], leading: dict[str, Any], traced: TracedFunction
    ) -> Any:
        """Return a request with transposes but without reductions: in registers if one order suffices, else in
        bands."""
        transposed = {str(each.args[0].value) for each in ordered(traced.results) if each.op == TRANSPOSE}
        plain = {str(arg.value) for each in ordered(traced.results) if each.op != TRANSPOSE for arg in each.args}
        plain |= {str(each.value) for each in traced.results}
        narrow = any(1 in shapes[name] for name in transposed)
        if (
            not dynamic
            and self.order == "C"
            and not narrow
            and not transposed & plain
            and RUNTIME not in leading.values()
        ):
            made = tried("in registers", lambda: self._in_registers(shapes, leading, traced, transposed))
            if not isinstance(made, Refusal):
                return made
        return self._chain(shapes, dynamic, leading, traced)

    def _in_registers(
        self, shapes: Mapping[str, Any], leading: dict[str, Any], traced: TracedFunction, transposed: set[str]
    ) -> EltwiseSpec:
        """Return a request that changes the order of elements in registers."""

        def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
            return args[0] if expr.op == TRANSPOSE else node(expr.op, args, expr.dtype, expr.value)

        traced = traced._replace(results=rebuilt(traced.results, change))
        laid = {name: shape[::-1] if name in transposed else shape for name, shape in shapes.items()}
        return eltwise_spec(
            self.function,
            "equation",
            laid,
            layouts=dict.fromkeys(transposed, TURNED),
            leading=dict(leading),
            traced=traced,
            **self.options,
        )

    def _indexed(
        self, shapes: Mapping[str, Any], dynamic: Sequence[str], leading: dict[str, Any], traced: TracedFunction
    ) -> IndexedSpec:
        """Return a request with gathers or scatters."""
        if self.order != "C":
            raise UnsupportedError(
                'order: ts.gather and ts.scatter need order="C"; ts.transpose converts a column-major matrix'
            )
        _check_read(dynamic, traced)
        spec = indexed_made.indexed_spec(
            self.function,
            "equation",
            shapes,
            leading=leading,
            traced=traced,
            bounds=self.bounds or "call",
            **self.options,
        )
        tables = [name for name in dynamic if name not in spec.banded]
        if tables:
            raise UnsupportedError(
                f"{tables[0]}: must have a fixed number of rows, not ts.RUNTIME, because it is a "
                "table that an index selects rows of; a kernel made for more rows also takes a "
                "smaller table, if the index stays inside it"
            )
        _check_rows(dynamic, {each.name: each.rows for each in spec.inputs if each.name in spec.banded})
        return spec


def _check_batch(shapes: Mapping[str, Any], left: str, right: str) -> None:
    """Check that the factors of a batch of products are (batch, m, k) and (batch, k, n)."""
    a, b = shapes[left], shapes[right]
    if len(a) != 3 or len(b) != 3 or a[0] != b[0] or a[2] != b[1]:
        raise ValueError(
            f"ts.brgemm({left}, {right}): {left} must have shape (batch, m, k) and {right} (batch, k, n), "
            f"not {a} and {b}; the products of a batch are summed"
        )
    if RUNTIME in (*a, *b):
        raise UnsupportedError(
            f"ts.brgemm({left}, {right}): ts.RUNTIME is not supported in the shapes of its operands; give numbers"
        )


def _check_by_columns(dynamic: Sequence[str], traced: TracedFunction) -> None:
    """Check that products and transposes of column-major matrices are those of row-major transposes."""
    batched = any(each.op == PRODUCT and each.value == BATCHED for each in ordered(traced.results))
    if dynamic or batched or any(each.dtype in MASKS for each in traced.results):
        raise UnsupportedError(
            "order: products (a @ b) and transposes beside ts.RUNTIME rows, ts.brgemm or results that are masks of "
            'bits need order="C"; pass a column-major (m, n) matrix as x.T of a row-major (n, m) matrix'
        )


def _read(traced: TracedFunction) -> set[str]:
    """Return the names that the expressions read: parameters, and coordinates of an element."""
    return {str(each.value) for each in ordered(traced.results) if each.op == "input"}


def _check_read(dynamic: Sequence[str], traced: TracedFunction) -> None:
    """Check that the function uses all matrices whose rows are given at the call: no walk would count the others."""
    unread = [name for name in dynamic if name not in _read(traced)]
    if unread:
        raise UnsupportedError(
            f"{unread[0]}: cannot have ts.RUNTIME rows beside products or an index, because the "
            "traced function does not use it; leave it out, or give a number of rows"
        )


def _check_used(shapes: Mapping[str, Any], used: Collection[str]) -> None:
    """Report a parameter that the function does not use, if the used ones fit each other but not its shape."""
    unused = [name for name in shapes if name not in used]
    if not unused or len(unused) == len(shapes) or all(_fits(shape, _whole(shapes)) for shape in shapes.values()):
        return
    whole = _whole({name: shapes[name] for name in used})
    for name in unused:
        if not _fits(shapes[name], whole):
            raise ValueError(
                f"{name}: the traced function does not use it, and its shape "
                f"{shapes[name]} is neither {whole} nor one row, "
                "column or element of it"
            )


def _whole(shapes: Mapping[str, Any]) -> tuple[int, int]:
    """Return the largest numbers of rows and columns."""
    rows, columns = (
        max(extent(f"{what} of {name}", shape[axis]) for name, shape in shapes.items())
        for axis, what in enumerate(("rows", "columns"))
    )
    return rows, columns


def _fits(shape: Any, whole: tuple[int, int]) -> bool:
    """Whether a matrix of this shape has the whole extents, or is repeated along them."""
    return all(size in (1, extent) for size, extent in zip(shape, whole))


def _check_rows(dynamic: Sequence[str], rows: Mapping[str, int]) -> None:
    """Check that, next to matrices whose rows are given at the call, there are only such matrices and single rows."""
    for name, count in rows.items():
        if dynamic and count > 1 and name not in dynamic:
            raise ValueError(
                f"{name}: must have ts.RUNTIME rows, as {dynamic[0]} has, or one row for all of them, not {count}"
            )


def _check_right_factors(dynamic: Sequence[str], traced: TracedFunction) -> None:
    """Check that the call does not give the rows of a right factor. If the function also reads that matrix row by row,
    the request has the error."""
    nodes = ordered(traced.results)
    right = {str(each.args[1].value) for each in nodes if each.op == PRODUCT and each.args[1].op == "input"}
    read = {str(arg.value) for each in nodes for arg in (each.args[:1] if each.op == PRODUCT else each.args)}
    fixed = [name for name in dynamic if name in right - read]
    if fixed:
        raise UnsupportedError(
            f"{fixed[0]}: must have a fixed number of rows, not ts.RUNTIME, because it is the right factor of a product"
        )


def _matrix(name: str, shape: Any) -> tuple[Any, Any]:
    """Return the rows and columns of a shape: (n,) is one row, and of more than two axes, all but the last are rows."""
    if not isinstance(shape, tuple) or not shape:
        found = getattr(shape, "shape", None)
        given = f"an array; write {name}={tuple(found)}" if isinstance(found, tuple) else repr(shape)
        raise TypeError(f"{name}: a shape (rows, columns), not {given}")
    if len(shape) <= 2:
        return shape[0] if len(shape) == 2 else 1, shape[-1]
    if RUNTIME in shape[:-1]:
        return RUNTIME, shape[-1]
    return prod(extent(f"{name}, axis {axis}", size) for axis, size in enumerate(shape[:-1])), shape[-1]
