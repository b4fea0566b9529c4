"""The partition of a program into units, each of which becomes one kernel where possible.

A region is a set of pointwise and rowwise nodes over one space of rows and columns. A node joins the region of one of
its operands if

- its elements are those of the region, in the same order, or one for each row of it;
- what it reads of the region is the element (or row) at the same place, so that no element waits for another one;
- its arithmetic has the region's type;
- no path leaves the region and comes back, since the units between would need a part of it first.

Views need no kernel: an operand is the value behind its views, seen with other strides. A product takes the pointwise
nodes after it, as long as each is the only reader of the one before: its kernel finishes sums before it stores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Literal

from ...encoder.records import NamedTuple
from ..arguments.arrays import address_of
from .operators import BOOL, arithmetic
from .rowwise import is_first, is_last
from .values import GraphNode, GraphValue, Shape, TensorGraph
from .views import NoView, contiguous, fake, reshaped

Level = Literal["full", "row", "column", "all"]
"""Which elements of a region a value has: all, one for each row, one for each column, or one."""
Strides = tuple[int, ...]


class Seen(NamedTuple):
    """A value behind views: the elements of `base` from `offset` on, by strides in its order."""

    base: GraphValue
    offset: int
    shape: Shape
    strides: Strides

    def over(self, shape: Shape) -> Strides:
        """Return the strides over a shape to which the value is broadcast."""
        ahead = len(shape) - len(self.shape)
        return (*(0,) * ahead, *(step if extent > 1 else 0 for extent, step in zip(self.shape, self.strides)))


def seen_as(value: GraphValue, base: GraphValue, strides: Strides, chain: Sequence[GraphNode]) -> tuple[int, Strides]:
    """Return where a chain of views of a value begins and its strides, in elements; `strides` are those of the base.
    Raises NoView."""
    array = fake(base.shape, strides, base.dtype)
    first = address_of(array)
    for node in chain:
        assert node.operator.view is not None
        array = node.operator.view(array, **node.attributes)
    size = base.dtype.itemsize
    return (address_of(array) - first) // size, tuple(step // size for step in array.strides)


def behind(value: GraphValue) -> tuple[GraphValue, list[GraphNode]]:
    """Return the value behind a value's views, and the views, innermost first."""
    chain: list[GraphNode] = []
    while value.constant is None and value.node is not None and value.node.operator.kind == "view":
        chain.insert(0, value.node)
        (value,) = value.node.operands
    return value, chain


def seen(value: GraphValue) -> Seen:
    """Return a value as its views show the elements of the one behind it; the longest part of them that has strides."""
    base, chain = behind(value)
    while True:
        try:
            return Seen(base, *_shown(value, base, chain))
        except NoView:
            base, chain = chain[0].results[0], chain[1:]


def _shown(value: GraphValue, base: GraphValue, chain: Sequence[GraphNode]) -> tuple[int, Shape, Strides]:
    offset, strides = seen_as(value, base, contiguous(base.shape), chain)
    return offset, value.shape, strides


# Spaces


def cuts_of(shape: Shape, inner: int = 1) -> frozenset[int]:
    """Return how many elements each axis and those inside of it have, times `inner`."""
    return frozenset(prod(shape[axis:]) * inner for axis in range(len(shape) + 1)) | {1}


def axes_between(cuts: Iterable[int]) -> tuple[int, ...] | None:
    """Return the axes between cuts, outermost first; None if they do not divide each other."""
    ordered = sorted(cuts)
    if any(outer % inner for inner, outer in zip(ordered, ordered[1:])):
        return None
    return tuple(outer // inner for inner, outer in zip(ordered, ordered[1:]))[::-1]


def refined(shape: Shape, strides: Strides, axes: tuple[int, ...]) -> Strides | None:
    """Return the strides of an array over finer axes of the same elements; None if they are not finer."""
    try:
        return reshaped(shape, strides, axes)
    except NoView:
        return None


def places_of(axes: tuple[int, ...], strides: Strides) -> Strides:
    """Return strides with 0 for axes of one element."""
    return tuple(step if extent > 1 else 0 for extent, step in zip(axes, strides))


def merges(axes: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether axes are one axis in memory."""
    inside = [(extent, step) for extent, step in zip(axes, strides) if extent > 1]
    return all(outer[1] == inner[1] * inner[0] for outer, inner in zip(inside, inside[1:]))


# Regions


class Use(NamedTuple):
    """An operand of a node: the value, the one behind its views, and its strides over the node's space."""

    value: GraphValue
    view: Seen
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
    if node.operator.kind == "rowwise":
        return (
            "f64"
            if types[0] == "i32" and node.operands[0].dtype.itemsize > 2
            else "f32"
            if types[0] == "i32"
            else types[0]
        )
    return next(filter(None, types), "")


def closes(node: GraphNode) -> bool:
    """Whether the result is not what the arithmetic has, but what rounding to its type makes of it."""
    if node.operator.name == "cast":
        before, after = node.operands[0].dtype, node.results[0].dtype
        if BOOL in (before, after):
            return False
        return after.itemsize < before.itemsize or (after.kind in "iu") != (before.kind in "iu") and after.kind in "iu"
    return node.results[0].dtype.kind in "iu" and node.operator.kind == "rowwise"


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


class Region:
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

    def copy(self) -> Region:
        """Return a region that may change without this one."""
        made = Region()
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


def boundary(axes: tuple[int, ...], columns: int) -> int:
    """Return the number of axes before the columns."""
    split = len(axes)
    inside = 1
    while inside < columns:
        split -= 1
        inside *= axes[split]
    return split


def steps_of(axes: tuple[int, ...], columns: int | None, level: Level) -> Strides:
    """Return the strides of a value that the region computes, in its own elements."""
    steps = contiguous(axes)
    if level == "full":
        return steps
    assert columns is not None
    split = boundary(axes, columns)
    if level == "row":
        return (*(step // columns for step in steps[:split]), *(0,) * (len(axes) - split))
    return (*(0,) * split, *(steps[split:] if level == "column" else (0,) * (len(axes) - split)))


def over_axes(use: Use, axes: tuple[int, ...], columns: int | None) -> Strides | None:
    """Return the strides of a use over the axes of its region."""
    if use.level == "full":
        return refined(use.shape, use.strides, axes)
    assert columns is not None
    split = boundary(axes, columns)
    rows = refined(use.shape, use.strides, axes[:split])
    return None if rows is None else (*rows, *(0,) * (len(axes) - split))


# Units


class Product:
    """A product, and the pointwise nodes that finish its sums."""

    kind = "product"

    def __init__(self, node: GraphNode) -> None:
        self.nodes = [node]
        self.family = arithmetic(node.results[0].dtype)

    @property
    def last(self) -> GraphValue:
        """The result that is stored."""
        return self.nodes[-1].results[0]


class Single:
    """A node that is a unit by itself: a whole kernel, a copy, or a foreign function."""

    def __init__(self, node: GraphNode) -> None:
        self.nodes = [node]
        self.kind = node.operator.kind


Unit = Region | Product | Single


class Partition:
    """The units of a program, in an order in which they may run."""

    def __init__(self, graph: TensorGraph) -> None:
        self.graph = graph
        self.of: dict[GraphNode, Unit] = {}
        self.place = {node: number for number, node in enumerate(graph.nodes)}
        self.readers: dict[GraphValue, list[GraphNode]] = {}
        for node in graph.nodes:
            for value in node.operands:
                self.readers.setdefault(value, []).append(node)
        self.wanted = set(graph.results)
        self._first: dict[Unit, int] = {}
        for node in graph.nodes:
            kind = node.operator.kind
            if kind == "view":
                continue
            if kind == "product":
                self._put(Product(node), node)
            elif kind in ("pointwise", "rowwise"):
                self._join(node)
            else:
                self._put(Single(node), node)
        self.units = self._ordered()

    def _put(self, unit: Unit, node: GraphNode) -> None:
        self.of[node] = unit
        self._first[unit] = min(self._first.get(unit, self.place[node]), self.place[node])

    def producers(self, node: GraphNode) -> list[Unit]:
        """Return the units whose results a node reads, through views."""
        found: dict[Unit, None] = {}
        for value in node.operands:
            base = behind(value)[0]
            if base.node is not None and base.constant is None:
                found[self.of[base.node]] = None
        return list(found)

    def _depends(self, unit: Unit, on: Unit) -> bool:
        """Whether a unit reads what another one computes, directly or not."""
        todo, met = [unit], {unit}
        while todo:
            here = todo.pop()
            for node in here.nodes:
                for each in self.producers(node):
                    if each is on:
                        return True
                    if each not in met and max(self.place[n] for n in each.nodes) > self._first[on]:
                        met.add(each)
                        todo.append(each)
        return False

    def _cycle(self, unit: Unit, node: GraphNode) -> bool:
        """Whether a node reads something that depends on the unit, other than the unit itself."""
        return any(each is not unit and self._depends(each, unit) for each in self.producers(node))

    def _join(self, node: GraphNode) -> None:
        candidates = sorted(self.producers(node), key=lambda unit: -self._first[unit])
        for unit in candidates:
            if isinstance(unit, Product) and self._finishes(unit, node) and not self._cycle(unit, node):
                unit.nodes.append(node)
                self._put(unit, node)
                return
        regions = [unit for unit in candidates if isinstance(unit, Region)]
        for unit in regions:
            if not self._cycle(unit, node) and unit.add(node):
                self._put(unit, node)
                self._absorb(unit, [other for other in regions if other is not unit])
                return
        made = Region()
        if not made.add(node):
            single = Single(node)
            self._put(single, node)
            return
        self._put(made, node)

    def _absorb(self, unit: Region, others: Sequence[Region]) -> None:
        """Take the nodes of other regions that a region reads, where all of them fit."""
        for other in others:
            trial, nodes = Region(), sorted([*unit.nodes, *other.nodes], key=self.place.__getitem__)
            if other.nodes[0] in unit.nodes or not all(trial.add(each) for each in nodes):
                continue
            inside = set(nodes)
            between = [p for node in nodes for p in self.producers(node) if p not in (unit, other)]
            if any(self._depends(each, which) for each in between for which in (unit, other)):
                continue
            unit.__dict__.update(trial.__dict__)
            for each in inside:
                self._put(unit, each)

    def _finishes(self, unit: Product, node: GraphNode) -> bool:
        """Whether a pointwise node may finish the sums of a product."""
        from .products import takes  # the forms of operands that kernels take

        last = unit.last
        if node.operator.kind != "pointwise" or last in self.wanted or len(node.results) > 1:
            return False
        readers, value = self.readers.get(last, []), last
        while len(readers) == 1 and readers[0].operator.kind == "view":
            value = readers[0].results[0]
            if value in self.wanted:
                return False
            readers = self.readers.get(value, [])
        if readers != [node] or sum(each is value for each in node.operands) != 1 or closes(node):
            return False
        if node.results[0].dtype != last.dtype or family(node) != unit.family or unit.family[:1] != "f":
            return False
        return takes(unit, node, value)

    def _ordered(self) -> tuple[Unit, ...]:
        """Return the units, each after those that it reads."""
        order: list[Unit] = []
        state: dict[Unit, int] = {}
        for node in self.graph.nodes:
            if node in self.of:
                self._visit(self.of[node], state, order)
        return tuple(order)

    def _visit(self, unit: Unit, state: dict[Unit, int], order: list[Unit]) -> None:
        stack = [(unit, False)]
        while stack:
            here, done = stack.pop()
            if done:
                order.append(here)
                continue
            if here in state:
                continue
            state[here] = 1
            stack.append((here, True))
            stack += [(each, False) for node in here.nodes for each in self.producers(node) if each not in state]
