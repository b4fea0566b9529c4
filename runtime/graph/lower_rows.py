"""Units over the rows of a call as steps: kernels that take any number of rows.

A graph of any number of rows is lowered with a number that stands in for it (`rows.StandIn`). What has a multiple of
that many rows becomes a kernel of ts.RUNTIME rows; what depends on the number in another way is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.expr.ops import FLOATS
from ...microkernels.expr.trace import settled, with_parameters
from ...microkernels.operands import RUNTIME, Leading
from ...microkernels.tuning.products import EXECUTOR, GROUPS, PROGRAMS
from ..api.eltwise import equation
from ..arguments.arrays import address_of, numpy_dtype
from ..executor.rows import RowsJoined, RowsKernel, RowsProduct, RowsTerms
from ..grouped.functions import pack_groups
from ..grouped.kernels import DepthKernels
from ..grouped.nest import DepthNest
from ..grouped.operands import AskedEpilogue, EpilogueArrays, finishing_of, with_sums
from ..kernel.callable import Kernel
from ..ops.row_kernels import Finishing, RowKernels, Steps, packed_block
from ..ops.row_nest import RowsNest
from .lower_products import Extra, epilogue_of, extras_of, product_title
from .lower_regions import RegionOperand, RegionSpace, kernel_of, of_parts, operands_of, space_of, title
from .lowering import Lowering
from .operators import type_name
from .spaces import boundary, places_of, refined
from .storage import ValuePlace
from .values import GraphValue, RowsRefused, TensorType
from .views import fake

if TYPE_CHECKING:
    from ..api.typed import Broadcast, OperandLike
    from ..arguments.arrays import Array
    from ..executor.rows import RowsEntry, RowsOfParts
    from .finished import FinishedProduct
    from .regions import FusedRegion


# Regions


def lower_rows_region(lowering: Lowering, region: FusedRegion) -> None:
    """Add the step of a region over the rows of a call, and those that join what its parts have of reductions."""
    results = [value for node in region.nodes for value in node.results if lowering.is_read(value, region)]
    if not results:
        return
    joined = {value for value in results if region.levels[value] in ("column", "all")}
    operands, names = operands_of(lowering, region)
    written = [
        (_of_parts if value in joined else _written)(lowering, region, number, value)
        for number, value in enumerate(results)
    ]
    space = _space(lowering, region, [*operands, *written])
    kernel = kernel_of(region, space, operands, results, names, written, any_rows=True)
    for number, each in enumerate(written):
        own = kernel.spec.operands[len(operands) + number].columns  # type: ignore[attr-defined]
        if own == 1 < space.columns and space.steps[each.name][-1]:
            raise RowsRefused(f"{title(region)}: a result whose columns are equal")
    steps = [space.steps[each.name][-2] * each.place.kind.dtype.itemsize for each in (*operands, *written)]
    if not any(steps[: len(operands)]):
        raise RowsRefused(f"{title(region)}: no operand has the rows of the call")
    apart = [0] * len(operands) + [
        each.place.kind.bytes // EXECUTOR.parts if value in joined else 0 for value, each in zip(results, written)
    ]
    entry = RowsKernel(kernel, space.rows // lowering.rows, tuple(steps), tuple(apart) if joined else ())
    lowering.call(entry, [each.place for each in operands], [each.place for each in written], title(region))
    for value, each in zip(results, written):
        if value in joined:
            _join(lowering, region, value, each.place, entry.table)


def _of_parts(lowering: Lowering, region: FusedRegion, number: int, value: GraphValue) -> RegionOperand:
    """Return where the parts of a region write what they have of a reduction, in the type of its arithmetic."""
    kind = TensorType((EXECUTOR.parts, value.size), numpy_dtype(region.family))
    own = _written(lowering, region, number, value, lowering.new(value.kind))
    return own._replace(place=lowering.new(kind))


def _join(lowering: Lowering, region: FusedRegion, value: GraphValue, parts: ValuePlace, cut: RowsOfParts) -> None:
    """Add the step that reduces what the parts wrote, and a copy where the result does not lie without gaps. Of a mean,
    they wrote their sums."""
    node, to = value.node, lowering.result(value)
    assert node is not None and region.family is not None
    reduction = of_parts(node).expression
    shapes: dict[str, tuple[Leading | int, int]] = {"x": (RUNTIME, value.size)}
    assert reduction is not None
    if node.operator.name == "mean":
        shapes["terms"] = 1, 1

    def function(x: Expr, *terms: Expr) -> Expr:
        joined = reduction(x, axis=0)
        assert isinstance(joined, Expr)
        return joined / terms[0] if terms else joined

    own = to if to.is_contiguous else lowering.new(value.kind)
    make: Callable[..., Kernel] = equation
    kernel = make(
        with_parameters(function, list(shapes)),
        **shapes,
        dtype=region.family,
        out=type_name(value.dtype),
        compute=region.family,
    )
    terms = node.operands[0].size // value.size // lowering.rows
    lowering.call(RowsJoined(kernel, cut, terms, region.family), [parts], [own], title(region))
    if own is not to:
        lowering.copy(own, to)


def _written(
    lowering: Lowering, region: FusedRegion, number: int, value: GraphValue, own: ValuePlace | None = None
) -> RegionOperand:
    """Return where a result lies, by itself or at a place of its shape, with its strides over the region's axes."""
    place, axes, columns = own or lowering.result(value), region.axes, region.columns
    level = region.levels[value]
    split = len(axes) if columns is None else boundary(axes, columns)
    first, last = {"full": (0, len(axes)), "row": (0, split), "column": (split, len(axes)), "all": (0, 0)}[level]
    steps = refined(place.kind.shape, place.strides, axes[first:last])
    if steps is None:
        raise RowsRefused(f"{title(region)}: a result whose rows do not follow one another")
    return RegionOperand(f"y{number}", place, places_of(axes, (*(0,) * first, *steps, *(0,) * (len(axes) - last))))


def _space(lowering: Lowering, region: FusedRegion, operands: Sequence[RegionOperand]) -> RegionSpace:
    """Return how a kernel walks a region: its rows are those of the call, times the axes around and inside of them that
    have no gaps, and its columns the rest."""
    axes, name = region.axes, title(region)
    counted = [place for place, extent in enumerate(axes) if extent % lowering.rows == 0]
    if len(counted) != 1 or not lowering.counted(axes[counted[0]]):
        raise RowsRefused(f"{name}: an array with several axes of the call's rows")
    first = counted[0] + 1
    splits = range(first, len(axes) + 1)
    if region.columns is not None:
        split = boundary(axes, region.columns)
        if split < first:
            raise RowsRefused(f"{name}: a reduction over the rows of the call")
        splits = range(split, split + 1)
    for split in splits:
        space = space_of(axes, split, operands)
        if isinstance(space, RegionSpace) and not space.outer and lowering.counted(space.rows):
            return space
    raise RowsRefused(f"{name}: the rows of the call lie between other axes of an operand or a result")


# Products


class RowsMatrix(NamedTuple):
    """A matrix of a product: its place, and the elements between rows and columns; 0: all have the same one."""

    place: ValuePlace
    row: int
    column: int

    @property
    def steps(self) -> Steps:
        """The bytes between rows and columns."""
        size = self.place.kind.dtype.itemsize
        return Steps(self.row * size, self.column * size)

    @property
    def dtype(self) -> str:
        """The type of its elements."""
        return type_name(self.place.kind.dtype)

    @property
    def broadcast(self) -> OperandLike:
        """How it is an operand of an epilogue."""
        return _BROADCAST[bool(self.row), bool(self.column)], self.place.kind.dtype


def lower_rows_product(lowering: Lowering, unit: FinishedProduct) -> None:
    """Add the step of a product whose rows are those of a call."""
    node, name = unit.nodes[0], product_title(unit)
    if node.operator.name != "matmul":
        raise RowsRefused(f"{name}: a convolution over the rows of the call")
    b = lowering.place(node.operands[1])
    *batch, k, n = b.kind.shape
    if lowering.counted(b.kind.size) or any(extent != 1 for extent in batch):
        raise RowsRefused(f"{name}: a product of matrices with the rows of the call")
    shape, stored = node.results[0].shape, unit.last
    rows = node.results[0].size // n
    given, names = extras_of(lowering, unit)
    a = _matrix(name, lowering.place(node.operands[0]), (rows, k))
    c = _matrix(name, lowering.result(stored), (rows, n))
    extras = {each.name: _over(name, each, shape, (rows, n)) for each in given}
    weights = RowsMatrix(b, *b.strides[-2:])
    epilogue = epilogue_of(unit, given, names)
    product = RowsOperands(a, weights, c, extras, rows, n, k)
    by_rows = (weights.column == 1 or n == 1) and weights.row >= n
    small = by_rows and k * n * b.kind.dtype.itemsize <= PROGRAMS.banded
    try:
        entry, operands = (_in_bands if small else _in_blocks)(lowering, product, epilogue)
    except UnsupportedError:
        if not small:
            raise
        entry, operands = _in_blocks(lowering, product, epilogue)
    lowering.step(entry, [each.place for each in operands], [c.place], name)


class RowsOperands(NamedTuple):
    """The matrices of a product, those of its epilogue by name, and its extents."""

    a: RowsMatrix
    b: RowsMatrix
    c: RowsMatrix
    extras: dict[str, RowsMatrix]
    rows: int
    n: int
    k: int


def _matrix(name: str, place: ValuePlace, shape: tuple[int, int]) -> RowsMatrix:
    """Return a matrix of the rows of the call, as kernels read and write it."""
    steps = refined(place.kind.shape, place.strides, shape)
    if steps is None or steps[1] != 1 and shape[1] > 1 or steps[0] < shape[1]:
        raise RowsRefused(f"{name}: a matrix whose rows have gaps between their elements")
    return RowsMatrix(place, *steps)


def _over(name: str, extra: Extra, shape: tuple[int, ...], rows: tuple[int, int]) -> RowsMatrix:
    """Return an operand of the epilogue, over rows and columns of the result."""
    steps = refined(shape, extra.place.strides, rows)
    if steps is None or steps[1] not in (0, 1) or steps[0] < 0:
        raise RowsRefused(f"{name}: an operand whose rows do not follow one another")
    return RowsMatrix(extra.place, *steps)


def _in_bands(
    lowering: Lowering, product: RowsOperands, epilogue: Callable[..., Expr] | None
) -> tuple[RowsEntry, list[RowsMatrix]]:
    """Return a product in one kernel, with weights that stay in the caches, and its operands."""
    a, b, c, extras, rows, n, k = product
    leading = {"ldx": (a.row, k), "ldw": (b.row, n), "ldy": (c.row, n)}
    shapes: dict[str, object] = {"x": (RUNTIME, k), "w": (k, n)}
    for name, each in extras.items():
        shapes[name] = RUNTIME if each.row else 1, n if each.column or n == 1 else 1
        if each.row:
            leading[f"ld{name}"] = each.row, n if each.column else 1
    given = {name: own for name, (own, dense) in leading.items() if own != dense}

    def function(x: Expr, w: Expr, *more: Expr) -> Expr:
        return x @ w if epilogue is None else epilogue(x @ w, *more)

    types = {"x": a.dtype, "w": b.dtype, **{name: each.dtype for name, each in extras.items()}}
    make: Callable[..., Kernel] = equation
    kernel = make(with_parameters(function, list(types)), dtype=types, out=c.dtype, **shapes, **given)
    steps = (a.steps.row, 0, *(each.steps.row for each in extras.values()), c.steps.row)
    return RowsKernel(kernel, rows // lowering.rows, steps), [a, b, *extras.values(), c]


def _in_blocks(
    lowering: Lowering, product: RowsOperands, epilogue: Callable[..., Expr] | None
) -> tuple[RowsEntry, list[RowsMatrix]]:
    """Return a product by blocks of weights, which are packed now if they never change, and its operands."""
    a, b, c, extras, rows, n, k = product
    types = a.dtype, b.dtype, c.dtype
    constant = b.place.storage.constant
    sums, target = with_sums(types), lowering.target
    order, ldb = ("C", b.row) if b.column == 1 or n == 1 else ("F", b.column)
    if constant is None and (b.row if order == "F" else b.column) != 1 and n > 1:
        raise RowsRefused("matmul: weights without neighbours in memory")
    if constant is not None:
        array = b.place.on(address_of(constant)).reshape(k, n)
        key = address_of(array), array.shape, array.strides, b.dtype, a.dtype
        if key not in lowering.packed:
            lowering.packed[key] = pack_groups(array[None], dtype=a.place.kind.dtype).array
        packed = lowering.constant(lowering.packed[key], None)
        b, order, ldb = b._replace(place=packed, row=0, column=0), "C", n
    block = packed_block(n, k, sums, target)
    finishing = _finishing(product, epilogue, {"m": GROUPS.nominal, "n": n, "k": k, "dtype": types})
    kernels = RowKernels(n, k, sums, a.row, order, ldb, c.row, finishing is None, block, target)
    nest = RowsNest(kernels, a.steps, b.steps, c.steps, finishing, constant is not None)
    return RowsProduct(nest, rows // lowering.rows), [a, b, c, *extras.values()]


def _finishing(
    product: RowsOperands, epilogue: Callable[..., Expr] | None, request: dict[str, object]
) -> Finishing | None:
    """Return what makes the result of the sums of a product in blocks; None if they are the result."""
    a, b, c, extras, rows, n, _ = product
    arrays = {name: _array(each, rows, n) for name, each in extras.items()}
    found = EpilogueArrays(arrays, {name: each.broadcast for name, each in extras.items()})
    asked = AskedEpilogue(None if epilogue is None else settled(epilogue), arrays, None)
    return finishing_of(asked, found, request, (a.dtype, b.dtype, c.dtype), c.row)


def lower_rows_terms(lowering: Lowering, unit: FinishedProduct) -> None:
    """Add the step of a product whose terms are the rows of a call, as of the gradient of weights."""
    node, name = unit.nodes[0], product_title(unit)
    a, b = (lowering.place(value) for value in node.operands)
    *batch, m, terms = a.kind.shape
    n = b.kind.shape[-1]
    if node.operator.name != "matmul" or any(extent != 1 for extent in (*batch, *b.kind.shape[:-2])):
        raise RowsRefused(f"{name}: several products whose terms are the rows of the call")
    given, names = extras_of(lowering, unit)
    shape, epilogue = node.results[0].shape, epilogue_of(unit, given, names)
    left = RowsMatrix(a, *a.strides[-2:])
    right, c = _matrix(name, b, (terms, n)), _matrix(name, lowering.result(unit.last), (m, n))
    extras = {each.name: _over(name, each, shape, (m, n)) for each in given}
    types = left.dtype, right.dtype, c.dtype
    if left.row != 1 and m > 1 or left.column < m or with_sums(types)[2] not in FLOATS:
        raise RowsRefused(f"{name}: a product whose terms are the rows of the call, and whose left factor has others")
    request: dict[str, object] = {"m": m, "n": n, "k": GROUPS.pair, "dtype": types}
    finishing = _finishing(RowsOperands(left, right, c, extras, m, n, terms), epilogue, request)
    kernels = DepthKernels(
        m, n, with_sums(types), "F", left.column, right.row, c.row, finishing is None, lowering.target
    )
    entry = RowsTerms(DepthNest(kernels, left.steps, right.steps, c.steps, finishing), terms // lowering.rows)
    lowering.step(entry, [a, b, c.place, *(each.place for each in extras.values())], [c.place], name)


_BROADCAST: dict[tuple[bool, bool], Broadcast | None] = {
    (True, True): None,
    (True, False): "col",
    (False, True): "row",
    (False, False): "scalar",
}


def _array(matrix: RowsMatrix, rows: int, n: int) -> Array:
    """Return an array of one member that lies as an operand does; nothing reads it."""
    shape = 1, rows if matrix.row else 1, n if matrix.column else 1
    return fake(shape, (0, matrix.row, matrix.column), matrix.place.kind.dtype)
