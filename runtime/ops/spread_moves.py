"""How `spread` cuts kernels that move or reduce elements: reductions, transforms, gathers, bags, norms of groups."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ...encoder.deferred import lazy
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.eltwise import orders
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import CACHE_LINE, Operand
from ...microkernels.tuning.products import SPREAD
from .spread_cuts import Fold, FurtherCalls, SpreadCut, block_of, check_leading, of_parts

if TYPE_CHECKING:
    from ...microkernels.eltwise.spec import EltwiseSpec
    from ...microkernels.gather.bag_spec import BagSpec
    from ...microkernels.gather.spec import GatherSpec
    from ...microkernels.grouped import spec as grouped_spec
    from ...microkernels.grouped.spec import GroupedSpec
    from ...microkernels.reduce import spec as reduce_spec
    from ...microkernels.reduce.spec import ReduceSpec
    from ...microkernels.transform.layouts import Digit, Layout
    from ...microkernels.transform.spec import TransformSpec

reduce_spec = lazy(__package__, "...microkernels.reduce.spec")
grouped_spec = lazy(__package__, "...microkernels.grouped.spec")


def _row(operand: Operand) -> int:
    """Return the bytes between neighbouring rows; of a vector, between neighbouring elements."""
    leading = 1 if operand.vector else operand.view.leading
    assert isinstance(leading, int)
    return leading * ELEMENT_BYTES[operand.dtype]


# Reductions


def reductions(spec: ReduceSpec) -> SpreadCut:
    """Cut rows, if each has a result; else columns, if they are many; else rows whose results are joined."""
    check_leading(spec.arguments)
    size = ELEMENT_BYTES[spec.dtype]
    if spec.axis == 1:

        def down(operand: Operand) -> int:
            return _row(operand)

        row = sum(map(down, spec.arguments))
        return SpreadCut(spec, spec.m, block_of(spec.m, row, 1), lambda count: replace(spec, m=count), down)
    searches = spec.axis is None and spec.arg_reduction
    if spec.axis == 0 and (spec.n * size >= SPREAD.wide or spec.m < 2 * SPREAD.least_rows or spec.arg_reduction):

        def across(operand: Operand) -> int:
            return ELEMENT_BYTES[operand.dtype]

        def columns(count: int) -> ReduceSpec:
            return replace(spec, n=count)

        block = block_of(spec.n, spec.m * size, CACHE_LINE)
        return SpreadCut(spec, spec.n, block, columns, across, bytes=spec.m * size, same=False)
    if searches:
        raise UnsupportedError(
            f"spread: {spec.name} of all elements counts them from the first one; use axis=1, and search its results"
        )
    return _joined(spec)


def _joined(spec: ReduceSpec) -> SpreadCut:
    """Cut the rows of a reduction to few results: each part has results of its own."""

    def part(count: int) -> ReduceSpec:
        total = "sum" if spec.name == reduce_spec.MEAN else spec.name
        return replace(spec, m=count, name=total, init=False, out=spec.compute)

    def step(operand: Operand) -> int:
        return _row(operand) if operand.name == "x" else 0

    row = _row(spec.x)
    block = max(SPREAD.least_rows, block_of(spec.m, row, 1))
    folds = tuple(_fold(spec, y.name, name) for y, name in zip(spec.outputs, spec.reductions))
    return SpreadCut(spec, spec.m, min(spec.m, block), part, step, folds)


def _fold(spec: ReduceSpec, name: str, reduction: str) -> Fold:
    """Return how the results of parts are joined. A mean is the sum of their sums, over the number of all elements."""
    total = reduce_spec.MEAN if spec.name == reduce_spec.MEAN else of_parts(reduction)

    def request(parts: int, width: int, leading: int) -> ReduceSpec:
        asked: dict[str, Any] = {"axis": 0, "dtype": spec.compute, "out": spec.out, "ldx": leading, "init": spec.init}
        return reduce_spec.reduce_spec(total, parts, width, **asked, terms=spec.divisor if total == "mean" else 0)

    return Fold(name, spec.count, spec.compute, request, f"init{name[1:]}" if spec.init else "")


# Transposes and transforms


def transforms(spec: TransformSpec) -> SpreadCut:
    """Cut the dimension that becomes the rows of y, or the other one if the first is short."""
    if spec.one_array:
        raise UnsupportedError("spread: a transpose in place swaps elements of all rows; use an array of its own")
    check_leading(spec.arguments)
    size = ELEMENT_BYTES[spec.dtype]
    extents = {"i": spec.m, "j": spec.n}
    first = spec.layouts[1].digits[0].dim
    units = {dim: math.lcm(CACHE_LINE // size, *(each.block(dim) for each in spec.layouts)) for dim in "ij"}
    dim = max("ij", key=lambda each: (min(16, extents[each] // units[each]), each == first))
    unit, other = units[dim], extents["j" if dim == "i" else "i"]
    name = "m" if dim == "i" else "n"
    steps = {
        operand.name: _apart(layout, dim, unit, cast(int, operand.view.leading), (spec.m, spec.n)) * size
        for operand, layout in zip(spec.arguments, spec.layouts)
    }
    one = 2 * other * size

    def part(count: int) -> TransformSpec:
        return replace(spec, m=count) if name == "m" else replace(spec, n=count)

    block = block_of(extents[dim], one, unit)
    return SpreadCut(spec, extents[dim], block, part, lambda operand: steps[operand.name], bytes=one, unit=unit)


def _apart(layout: Layout, dim: str, unit: int, leading: int, extents: tuple[int, int]) -> int:
    """Return the elements from one unit of rows or columns to the next."""

    def bounds(pair: tuple[Digit, int]) -> bool:
        return pair[0].dim == dim and not pair[0].radix

    digit, stride = next(filter(bounds, layout.strides(*extents)))
    return unit // digit.step * (stride or leading)


def reordered(spec: EltwiseSpec) -> SpreadCut:
    """Cut an elementwise kernel whose matrices lie in other layouts, as conversions with a transpose do: whole blocks
    of all layouts along the dimension that becomes the rows of y, or the other one if the first is short."""
    check_leading(spec.operands)
    if spec.placed:
        raise UnsupportedError(
            'spread: random numbers and positions need row-major matrices (order "C"), since a part of others does not '
            "know where it begins"
        )
    extents = {"i": spec.m, "j": spec.n}
    layouts = {
        each.name: orders.memory(where, ELEMENT_BYTES[each.dtype])
        for each in spec.operands
        if (where := spec.layout_of(each))
    }
    y = spec.outputs[0]
    first, line = layouts[y.name].digits[0].dim, CACHE_LINE // ELEMENT_BYTES[y.dtype]
    units = {dim: math.lcm(line, *(each.block(dim) for each in layouts.values())) for dim in "ij"}
    dim = max("ij", key=lambda each: (min(16, extents[each] // units[each]), each == first))
    unit, other = units[dim], extents["j" if dim == "i" else "i"]

    def step(operand: Operand) -> int:
        if operand.name in layouts:
            leading = cast(int, operand.view.leading)
            apart = _apart(layouts[operand.name], dim, unit, leading, (spec.m, spec.n))
            return apart * ELEMENT_BYTES[operand.dtype]
        if (operand.rows if dim == "i" else operand.columns) == 1:
            return 0
        return unit * (_row(operand) if dim == "i" else ELEMENT_BYTES[operand.dtype])

    def part(count: int) -> EltwiseSpec:
        m, n = (count, spec.n) if dim == "i" else (spec.m, count)

        def cut(operand: Operand) -> Operand:
            if operand.name not in layouts:
                return operand._replace(rows=min(operand.rows, m), columns=min(operand.columns, n))
            whole = spec.layout_of(operand) == orders.COLUMNS  # an array of order "F", with the shape of the matrix
            rows, columns = (m, n) if whole else layouts[operand.name].shape(m, n)
            return operand._replace(rows=rows, columns=columns)

        inputs, outputs = (tuple(map(cut, each)) for each in (spec.inputs, spec.outputs))
        return replace(spec, m=m, n=n, inputs=inputs, outputs=outputs)

    one = other * sum(ELEMENT_BYTES[each.dtype] for each in spec.operands if each.name in layouts)
    return SpreadCut(spec, extents[dim], block_of(extents[dim], one, unit), part, step, bytes=one, unit=unit)


# Gathers, scatters and bags


def moved_rows(spec: GatherSpec) -> SpreadCut:
    """Cut the rows of the matrix that no index points into; columns, if rows are scattered, which keeps their order."""
    if spec.bad is not None:
        raise UnsupportedError('spread: needs bounds="call"; kernels that check indices number rows within a part')
    check_leading(each for each in spec.arguments if isinstance(each, Operand) and not each.vector)
    if spec.verb == "scatter" and spec.by == "offsets":
        raise UnsupportedError(
            "spread: elements are scattered to offsets in order, so that the last one stays; "
            'by="rows" and by="columns" can be spread'
        )
    by_rows = spec.by == "rows"
    if by_rows and spec.verb == "scatter":

        def across(operand: Operand) -> int:
            return 0 if operand.name == "index" else ELEMENT_BYTES[operand.dtype]

        column = spec.m * sum(ELEMENT_BYTES[each] for each in (spec.dtype, spec.out))
        unit = CACHE_LINE // min(ELEMENT_BYTES[spec.dtype], ELEMENT_BYTES[spec.out])
        return SpreadCut(
            spec, spec.n, block_of(spec.n, column, unit), lambda count: replace(spec, n=count), across, bytes=column
        )
    moving = {"rows": {"index", spec.narrow.name}, "offsets": {"index", spec.narrow.name}}
    moves = moving.get(spec.by, {spec.wide.name, spec.narrow.name})

    def down(operand: Operand) -> int:
        return _row(operand) if operand.name in moves else 0

    row = spec.n * (ELEMENT_BYTES[spec.dtype] + ELEMENT_BYTES[spec.out])
    return SpreadCut(spec, spec.m, block_of(spec.m, row, 1), lambda count: replace(spec, m=count), down, bytes=row)


def bags(spec: BagSpec) -> SpreadCut:
    """Cut the bags: each has its own row of y and its own part of the index."""
    if spec.bounds == "kernel":
        raise UnsupportedError('spread: needs bounds="call"; kernels that check indices number entries within a part')
    check_leading(each for each in spec.arguments if isinstance(each, Operand) and not each.vector)

    def step(operand: Operand) -> int:
        return _row(operand) if operand.name in ("offsets", "y") else 0

    row = spec.n * ELEMENT_BYTES[spec.dtype]
    size = sum(step(each) for each in spec.arguments if isinstance(each, Operand)) + -(-spec.count // spec.bags) * row
    return SpreadCut(
        spec, spec.bags, block_of(spec.bags, size, 1), lambda count: replace(spec, bags=count), step, bytes=size
    )


# Groups of rows


def groups(spec: GroupedSpec) -> SpreadCut:
    """Cut the groups of a sample, or the samples. A part of some groups computes all samples, one after the other, so
    that sums over the samples are added in their order."""
    check_leading(spec.operands)
    own = {each.name: each.rows * _row(each) for each in spec.request.operands}
    sums = [each for each in spec.outputs if each.name in spec.shared]

    def of_group(operand: Operand) -> int:
        return own[operand.name]

    def of_sample(operand: Operand) -> int:
        return 0 if operand.name in spec.shared else spec.groups * of_group(operand)

    group = sum(map(of_group, spec.operands))
    if spec.given or not sums and spec.samples >= spec.groups:
        part = block_of(spec.samples, spec.groups * group, 1)
        return SpreadCut(spec, int(spec.samples), part, spec.of, of_sample, same=False)
    later = spec.later or spec.request

    def first(count: int) -> GroupedSpec:
        return grouped_spec.grouped_spec(spec.request, count, 1, ())

    def again(count: int) -> GroupedSpec:
        return grouped_spec.grouped_spec(later, count, 1, ())

    repeats = FurtherCalls(spec.samples, again, of_sample) if spec.samples > 1 else None
    block = block_of(spec.groups, spec.samples * group, 1)
    return SpreadCut(spec, spec.groups, block, first, of_group, repeats=repeats, bytes=spec.samples * group, same=False)
