"""Regions as kernels: one traced function for all nodes, over rows and columns that follow from the strides."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.expr.graph import Expr, constant
from ...microkernels.expr.ops import FLOATS, MASKS
from ...microkernels.expr.trace import with_parameters
from ...microkernels.operands import RUNTIME
from ...microkernels.tuning.products import PROGRAMS
from ..api import functions as ts
from ..api.eltwise import equation
from ..executor.steps import Entry
from ..kernel.callable import Kernel
from .operators import BOOL, arithmetic, type_name
from .regions import FusedRegion, Use, downwards, over_axes, totals
from .spaces import boundary, places_of, refined, seen, steps_of
from .storage import ValuePlace
from .values import OPERATORS, DType, GraphNode, GraphValue, Operator, TensorType
from .views import contiguous

if TYPE_CHECKING:
    from .lowering import Lowering


# The expression of a region


def expression_of(
    region: FusedRegion, names: dict[GraphValue, str], given: dict[str, Expr], parts: bool = False
) -> dict[GraphValue, Expr]:
    """Return the expression of every value that a region computes, from those of its operands by name. parts: whether a
    kernel of some of the rows computes what it has of reductions of all rows."""
    compute = region.family or "i32"
    found: dict[GraphValue, Expr] = {}

    def read(value: GraphValue) -> Expr:
        number = value.number
        if number is not None and value not in names:
            if value.dtype == BOOL:
                return constant(int(number), compute) != constant(0, compute)
            return constant(float(number) if compute in FLOATS else int(number), compute)
        base = seen(value).base
        if base in found:
            return found[base]
        made = given[names[value]]
        return made != 0 if value.dtype == BOOL else made

    for node in region.nodes:
        inputs = [None if each is None else read(each) for each in node.inputs]
        row = of_parts(node) if parts and region.levels[node.results[0]] in ("column", "all") else node.operator
        found |= dict(zip(node.results, expressions_of(node, inputs, row)))
    return found


def of_parts(node: GraphNode) -> Operator:
    """Return the reduction of parts of the elements, which also joins what these have."""
    return OPERATORS["sum"] if node.operator.name == "mean" else node.operator


def expressions_of(node: GraphNode, inputs: Sequence[Expr | None], row: Operator) -> tuple[Expr, ...]:
    """Return the expressions of a node's results, by its operator or one like it."""
    attributes = dict(node.attributes)
    if row.name == "cast":
        assert inputs[0] is not None
        return (_cast(inputs[0], node.operands[0].dtype, node.results[0].dtype),)
    assert row.expression is not None
    if row.kind == "rowwise" and isinstance(attributes.get("axes"), tuple):
        attributes = {"axis": None if totals(node) and not row.name.startswith("arg") else 0 if downwards(node) else 1}
    if row.name == "where":
        inputs = [
            each if each is None or each.dtype in MASKS or place else each != 0 for place, each in enumerate(inputs)
        ]
    made = row.expression(*inputs, **attributes)
    results = made if isinstance(made, tuple) else (made,)
    return tuple(_wrapped(each, value.dtype) for each, value in zip(results, node.results)) if row.wraps else results


def _wrapped(x: Expr, dtype: DType) -> Expr:
    """Return an integer as its narrow type holds it."""
    bits = 8 * dtype.itemsize
    if x.dtype not in ("i32", "i64") or bits >= 8 * ELEMENT_BYTES[x.dtype]:
        return x
    low = x & ((1 << bits) - 1)
    return low if dtype.kind == "u" else (low ^ (1 << (bits - 1))) - (1 << (bits - 1))


def _cast(x: Expr, before: DType, after: DType) -> Expr:
    if before == after:
        return x
    if after == BOOL:
        return x if x.dtype in MASKS else x != 0
    if x.dtype in MASKS:
        compute = arithmetic(after) or "i32"
        wide = x.dtype == "m64"
        compute = ("f64" if wide else "f32") if compute in FLOATS else "i64" if wide else "i32"
        return ts.select(x, constant(1, compute), constant(0, compute))
    if after.kind in "iu" and x.dtype in FLOATS:
        return ts.trunc(x)
    return _wrapped(x, after) if after.kind in "iu" else x


# Its rows and columns


class RegionOperand(NamedTuple):
    """An array of a region's kernel: its name, its place, and its strides over the region's axes."""

    name: str
    place: ValuePlace
    strides: tuple[int, ...]


class RegionSpace(NamedTuple):
    """How a kernel walks a region: axes of calls, rows and columns; each operand with its strides along these."""

    outer: tuple[int, ...]
    rows: int
    columns: int
    steps: dict[str, tuple[int, ...]]


def space_of(axes: tuple[int, ...], split: int | None, operands: Sequence[RegionOperand]) -> RegionSpace | str:
    """Return how operands are walked, or the name of one that must be copied first. split: the axes before the
    columns, if rows are reduced."""
    kept = [place for place, extent in enumerate(axes) if extent > 1]
    groups: list[list[int]] = []
    for place in kept:
        crosses = split is not None and place == next((each for each in kept if each >= split), None)
        if groups and not crosses and all(_follow(axes, each.strides, groups[-1][-1], place) for each in operands):
            groups[-1].append(place)
        else:
            groups.append([place])
    inside = [group for group in groups if split is not None and group[0] >= split]
    if len(inside) > 1:
        last = inside[-1]
        return next(each.name for each in operands if not _follow(axes, each.strides, inside[-2][-1], last[0]))
    if split is None:
        inside = groups[-1:]
        groups = groups[:-1]
    else:
        groups = [group for group in groups if group not in inside]
    rows = groups[-1:] if groups else []
    outer = groups[:-1]
    order = [*outer, *(rows or [[]]), *(inside or [[]])]
    extents = [_size(axes, group) for group in order]
    steps = {each.name: tuple(each.strides[group[-1]] if group else 0 for group in order) for each in operands}
    for each in operands:
        *_, row, column = steps[each.name]
        if column not in (0, 1) or row < 0 or column and extents[-2] > 1 and 0 < row < extents[-1]:
            return each.name
    return RegionSpace(tuple(extents[:-2]), extents[-2], extents[-1], steps)


def _follow(axes: tuple[int, ...], strides: tuple[int, ...], outer: int, inner: int) -> bool:
    return strides[outer] == strides[inner] * axes[inner]


def _size(axes: tuple[int, ...], group: Sequence[int]) -> int:
    size = 1
    for each in group:
        size *= axes[each]
    return size


# Lowering


def actual(use: Use, place: ValuePlace, region_axes: tuple[int, ...], columns: int | None) -> tuple[int, ...] | None:
    """Return the strides over a region's axes of an operand that lies at a place."""
    shape = use.shape
    ahead = len(shape) - len(place.kind.shape)
    steps = (*(0,) * ahead, *(s if e > 1 else 0 for e, s in zip(place.kind.shape, place.strides)))
    return over_axes(use._replace(strides=steps), region_axes, columns)


def operands_of(lowering: Lowering, region: FusedRegion) -> tuple[list[RegionOperand], dict[GraphValue, str]]:
    """Return the arrays that a region's kernel reads, each once, and the name of the one that holds each value."""
    names: dict[GraphValue, str] = {}
    operands: list[RegionOperand] = []
    same: dict[tuple[object, ...], str] = {}
    for use in region.outside:
        if use.value in names:
            continue
        place = lowering.place(use.value)
        steps = actual(use, place, region.axes, region.columns)
        if steps is None:
            place = lowering.copied(place)
            steps = actual(use, place, region.axes, region.columns)
            assert steps is not None
        steps = places_of(region.axes, steps)
        key = place.storage, place.offset, place.kind.dtype, steps
        if key not in same:
            same[key] = f"p{len(operands)}"
            operands.append(RegionOperand(same[key], place, steps))
        names[use.value] = same[key]
    if not operands:  # kernels read one array at least
        value = region.nodes[0].operands[0]
        names[value] = "p0"
        operands.append(RegionOperand("p0", lowering.place(value), (0,) * len(region.axes)))
    return operands, names


def lower_region(lowering: Lowering, region: FusedRegion) -> None:
    """Add the steps of a region."""
    axes, columns = region.axes, region.columns
    split = None if columns is None else boundary(axes, columns)
    operands, names = operands_of(lowering, region)
    results = [value for node in region.nodes for value in node.results if lowering.is_read(value, region)]
    if not results:
        return
    afterwards: list[tuple[ValuePlace, ValuePlace]] = []
    written: list[RegionOperand] = []
    for number, value in enumerate(results):
        made = RegionOperand(f"y{number}", lowering.result(value), ())
        steps = _by_strides(made.place, axes) if region.levels[value] == "full" else None
        if steps is None:
            made = _without_gaps(lowering, made, steps_of(axes, columns, region.levels[value]), afterwards)
        written.append(made._replace(strides=places_of(axes, steps or made.strides)))
    summed = any(region.levels[value] in ("column", "all") for value in results)
    while True:
        found = space_of(axes, split, [*operands, *written])
        if isinstance(found, RegionSpace):
            found = _to_expand(axes, split, found, operands, summed) or _to_join(found, written) or found
        if not isinstance(found, RegionSpace):
            if found in (gaps := {each.name: number for number, each in enumerate(written)}):
                made = _without_gaps(lowering, written[gaps[found]], contiguous(axes), afterwards)
                written[gaps[found]] = made._replace(strides=places_of(axes, made.strides))
                continue
            number = next(number for number, each in enumerate(operands) if each.name == found)
            operands[number] = _expanded(lowering, operands[number], axes)
            continue
        kernel = kernel_of(region, found, operands, results, names, written)
        narrow = [number for number, each in enumerate(written) if _is_narrow(kernel, number, found, each)]
        for number in narrow:
            written[number], copied = _by_rows(lowering, written[number], axes, columns)
            afterwards.insert(0, copied)
        if not narrow:
            break
    entry: Entry = kernel
    if found.rows * found.columns >= PROGRAMS.spread:
        entry = lowering.spread(kernel)
    for index in itertools.product(*map(range, found.outer)):
        places = [
            each.place.moved(sum(i * s for i, s in zip(index, found.steps[each.name])))
            for each in (*operands, *written)
        ]
        lowering.call(entry, places[: len(operands)], places[len(operands) :], title(region))
    for own, place in afterwards:
        lowering.copy(own, place)


def _by_strides(place: ValuePlace, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the strides of a result over a region's axes, if a kernel may write it where it lies."""
    steps = refined(place.kind.shape, place.strides, axes)
    return None if steps is None or min(place.strides, default=0) < 0 else steps


def _without_gaps(
    lowering: Lowering,
    written: RegionOperand,
    steps: tuple[int, ...],
    afterwards: list[tuple[ValuePlace, ValuePlace]],
) -> RegionOperand:
    """Return a result in C order, which is copied to its place afterwards."""
    if written.place.is_contiguous:
        return written._replace(strides=steps)
    own = lowering.new(written.place.kind)
    afterwards.append((own, written.place))
    return RegionOperand(written.name, own, steps)


def _is_narrow(kernel: Kernel, number: int, space: RegionSpace, written: RegionOperand) -> bool:
    """Whether a kernel writes one element in each row of a result that has all columns, since they are equal."""
    own = kernel.spec.outputs[number].columns  # type: ignore[attr-defined]
    return own == 1 < space.columns and space.steps[written.name][-1] != 0


def _by_rows(
    lowering: Lowering, written: RegionOperand, axes: tuple[int, ...], columns: int | None
) -> tuple[RegionOperand, tuple[ValuePlace, ValuePlace]]:
    """Return a result of one element in each row, and the copy that repeats it in all columns."""
    place, steps = written.place, places_of(axes, steps_of(axes, columns, "row"))
    kind = place.kind
    own = lowering.new(TensorType((prod(axes) // (columns or 1),), kind.dtype))
    seen = own._replace(kind=TensorType(axes, kind.dtype), strides=steps)
    wide = place._replace(kind=TensorType(axes, kind.dtype), strides=written.strides)
    return RegionOperand(written.name, own, steps), (seen, wide)


def _to_expand(
    axes: tuple[int, ...], split: int | None, space: RegionSpace, operands: Sequence[RegionOperand], summed: bool
) -> str | None:
    """Return the name of an operand that the kernel must read with every element of the region: one that cuts the rows
    where a sum goes over all of them, or into too many calls, or the first one where none has all rows or columns."""
    if space.outer and (summed or prod(space.outer) > PROGRAMS.products):
        rows = [place for place, extent in enumerate(axes[:split]) if extent > 1]
        for outer, inner in zip(rows, rows[1:]):
            for each in operands:
                if not _follow(axes, each.strides, outer, inner):
                    return each.name
    for place, extent in ((-2, space.rows), (-1, space.columns)):
        if extent > 1 and not any(steps[place] for name, steps in space.steps.items() if name.startswith("p")):
            return operands[0].name
    return None


def _to_join(space: RegionSpace, written: Sequence[RegionOperand]) -> str | None:
    """Return the name of a result with gaps where there are too many calls."""
    many = prod(space.outer) > PROGRAMS.products
    return next((each.name for each in written if many and not each.place.is_contiguous), None)


def _expanded(lowering: Lowering, operand: RegionOperand, axes: tuple[int, ...]) -> RegionOperand:
    """Return an operand as a copy that has every element of the region."""
    kind = operand.place.kind
    wide = ValuePlace(operand.place.storage, operand.place.offset, TensorType(axes, kind.dtype), operand.strides)
    made = lowering.copied(wide)
    return RegionOperand(operand.name, made, places_of(axes, made.strides))


def kernel_of(
    region: FusedRegion,
    space: RegionSpace,
    operands: Sequence[RegionOperand],
    results: Sequence[GraphValue],
    names: dict[GraphValue, str],
    written: Sequence[RegionOperand],
    any_rows: bool = False,
) -> Kernel:
    """Return the kernel of a region. written: where results lie, perhaps with gaps between their rows, and which types
    they have there. any_rows: whether the call gives the number of rows."""
    compute = region.family or "i32"

    def function(*given: Expr) -> Expr | tuple[Expr, ...]:
        found = expression_of(region, names, dict(zip(order, given)), any_rows)
        made = []
        for value in results:
            each = found[value]
            if each.dtype in MASKS:
                each = ts.select(each, constant(1, compute), constant(0, compute))
            made.append(each)
        return made[0] if len(made) == 1 else tuple(made)

    order = [each.name for each in operands]
    shapes: dict[str, object] = {}
    rows = RUNTIME if any_rows else space.rows
    for each in operands:
        *_, row, column = space.steps[each.name]
        wide = column or space.columns == 1
        shapes[each.name] = (rows if row else 1, space.columns if wide else 1)
        if row and space.rows > 1 and row != (space.columns if wide else 1):
            shapes[f"ld{each.name}"] = row
    for each in written:
        *_, row, column = space.steps[each.name]
        if row and row != (space.columns if column else 1):
            shapes[f"ld{each.name if len(written) > 1 else 'y'}"] = row
    types = {each.name: type_name(each.place.kind.dtype) for each in operands}
    out = tuple(type_name(each.place.kind.dtype) for each in written)
    make: Callable[..., Kernel] = equation
    return make(
        with_parameters(function, order),
        dtype=types,
        out=out if len(out) > 1 else out[0],
        compute=compute,
        **shapes,
    )


def title(region: FusedRegion) -> str:
    """Return what a region computes, in a word for each node."""
    return " ".join(dict.fromkeys(node.operator.name for node in region.nodes))
