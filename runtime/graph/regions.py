"""Regions: pointwise and rowwise nodes over one space of rows and columns, which become one kernel."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ...encoder.records import NamedTuple
from .operators import BOOL, arithmetic
from .rowwise import SCANS, is_first, is_last
from .spaces import (
    Level,
    SeenValue,
    Strides,
    axes_between,
    behind,
    boundary,
    cuts_of,
    merges,
    places_of,
    refined,
    seen,
    steps_of,
)
from .values import GraphNode, GraphValue, Shape


class Use(NamedTuple):
    """An operand of a node: the value, the one behind its views, and its strides over the node's space."""

    value: GraphValue
    view: SeenValue
    shape: Shape
    strides: Strides
    level: Level


def family(node: GraphNode) -> str:
    """Return the type of a node's arithmetic; "" if it has booleans only."""
    types = [arithmetic(each.dtype) for each in (*node.operands, *node.results)]
    if node.operator.name == "cast":
        before, after = types
        if not before or not after or before == after:
            return before or after
        mixed = {before, after}
        return "i64" if mixed == {"i32", "i64"} else "f32" if mixed == {"i32", "f32"} else "f64"
    if _through_floats(node) and types[0] == "i32":
        return "f64" if "i64" in types or node.operands[0].dtype.itemsize > 2 else "f32"  # both hold them exactly
    return next(filter(None, types), "")


def closes(node: GraphNode) -> bool:
    """Whether the result is not what the arithmetic has, but what rounding to its type makes of it."""
    if node.operator.name == "cast":
        before, after = node.operands[0].dtype, node.results[0].dtype
        if BOOL in (before, after):
            return False
        return after.itemsize < before.itemsize or (after.kind in "iu") != (before.kind in "iu") and after.kind in "iu"
    return node.results[0].dtype.kind in "iu" and _through_floats(node)


def _through_floats(node: GraphNode) -> bool:
    """Whether kernels compute a rowwise node of integers in floats: they reduce so, and scan in integers."""
    return node.operator.kind == "rowwise" and node.operator.name not in SCANS


def columns_of(node: GraphNode) -> int | None:
    """Return the elements in a row of a rowwise node's operand; None for others, and for sums of all elements."""
    if node.operator.kind != "rowwise":
        return None
    shape = node.operands[0].shape
    axes = node.attributes.get("axes", 1)
    if isinstance(axes, int):
        return prod(shape[len(shape) - axes :])
    assert isinstance(axes, tuple)
    if downwards(node):
        return prod(shape[len(axes) :])
    if len(axes) == len(shape) and not node.operator.name.startswith("arg"):
        return None
    return prod(shape[len(shape) - len(axes) :])


def downwards(node: GraphNode) -> bool:
    """Whether a node sums over the first axes, and not over the last ones."""
    axes = node.attributes.get("axes", 1)
    return isinstance(axes, tuple) and is_first(axes) and not is_last(axes, node.operands[0].ndim)


def totals(node: GraphNode) -> bool:
    """Whether a node reduces all elements to one."""
    axes = node.attributes.get("axes", 1)
    return isinstance(axes, tuple) and len(axes) == node.operands[0].ndim and not node.operator.name.startswith("arg")


class FusedRegion:
    """Pointwise and rowwise nodes over one space."""

    kind = "region"

    def __init__(self) -> None:
        self.nodes: list[GraphNode] = []
        self.size = 0
        self.cuts: frozenset[int] = frozenset({1})
        self.columns: int | None = None
        self.family = ""
        self.levels: dict[GraphValue, Level] = {}
        self.outside: list[Use] = []

    def copy(self) -> FusedRegion:
        """Return a region that may change without this one."""
        made = FusedRegion()
        made.nodes, made.levels, made.outside = [*self.nodes], dict(self.levels), [*self.outside]
        made.size, made.cuts, made.columns, made.family = self.size, self.cuts, self.columns, self.family
        return made

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the space, outermost first, fine enough for all nodes."""
        found = axes_between(self.cuts | {self.size} | ({self.columns} if self.columns else set()))
        assert found is not None
        return found

    def add(self, node: GraphNode) -> bool:
        """Let a node join, and return whether it did."""
        own, rowwise = family(node), node.operator.kind == "rowwise"
        if own and self.family and own != self.family:
            return False
        shape = node.operands[0].shape if rowwise else node.results[0].shape
        size, columns = prod(shape), columns_of(node)
        if size == 0:
            return False
        level: Level = "full"
        if not self.nodes:
            pass
        elif size != self.size:
            if rowwise or self.columns is None or size * self.columns != self.size:
                return False
            level = "row"
        if columns is not None and self.columns not in (None, columns):
            return False
        columns = columns or self.columns
        if columns is None and totals(node) and rowwise:
            columns = shape[-1] if shape else 1
        whole = size if level == "full" else self.size
        cuts = self.cuts | cuts_of(shape, 1 if level == "full" else (columns or 1)) | {whole}
        cuts = cuts | {columns} if columns is not None else cuts
        axes = axes_between(cuts)
        if axes is None:
            return False
        uses = self._uses(node, shape, level, axes, columns)
        if uses is None:
            return False
        checked = [*uses, *(self.outside if self.columns is None else ())] if self.nodes else []
        if columns is not None and not all(self._in_rows(each, axes, columns) for each in checked):
            return False  # a region's first node is computed in any case, and copies what it must
        self.nodes.append(node)
        self.size, self.cuts, self.columns, self.family = whole, cuts, columns, self.family or own
        self.outside += uses
        self.levels |= dict(zip(node.results, _levels(node, level)))
        return True

    def _uses(
        self, node: GraphNode, shape: Shape, level: Level, axes: tuple[int, ...], columns: int | None
    ) -> list[Use] | None:
        """Return what the node reads that the region does not compute; None if it reads the region elsewhere."""
        found = []
        for value in node.operands:
            if value.number is not None:
                continue
            view = seen(value)
            use = Use(value, view, shape, view.over(shape), level)
            if view.base not in self.levels:
                if behind(value)[0] in self.levels:
                    return None  # by views that need a copy of what the region computes
                found.append(use)
                continue
            inside = self.levels[view.base]
            if inside in ("column", "all") or view.base.node is not None and closes(view.base.node):
                return None
            mine = over_axes(use, axes, columns)
            if view.offset or mine is None or places_of(axes, mine) != places_of(axes, steps_of(axes, columns, inside)):
                return None
            if inside == "full" and level == "row":
                return None
        return found

    def _in_rows(self, use: Use, axes: tuple[int, ...], columns: int) -> bool:
        """Whether the columns of an operand are one axis."""
        steps = over_axes(use, axes, columns)
        if steps is None:
            return False
        split = boundary(axes, columns)
        return merges(axes[split:], steps[split:])


def _levels(node: GraphNode, level: Level) -> Iterator[Level]:
    """Yield the levels of a node's results."""
    if node.operator.kind != "rowwise":
        yield from (level for _ in node.results)
    elif "axes" in node.attributes and isinstance(node.attributes["axes"], tuple):
        yield "all" if totals(node) and columns_of(node) is None else "column" if downwards(node) else "row"
    else:
        for value in node.results:
            yield "full" if value.shape == node.operands[0].shape else "row"


def over_axes(use: Use, axes: tuple[int, ...], columns: int | None) -> Strides | None:
    """Return the strides of a use over the axes of its region."""
    if use.level == "full":
        return refined(use.shape, use.strides, axes)
    assert columns is not None
    split = boundary(axes, columns)
    rows = refined(use.shape, use.strides, axes[:split])
    return None if rows is None else (*rows, *(0,) * (len(axes) - split))
