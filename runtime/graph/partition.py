"""The partition of a program into units, each of which becomes one kernel where possible.

A region is a set of pointwise and rowwise nodes over one space of rows and columns. A node joins the region of one of
its operands if

- its elements are those of the region, in the same order, or one for each row of it;
- what it reads of the region is the element (or row) at the same place, so that no element waits for another one;
- its arithmetic has the region's type;
- no path leaves the region and comes back, since the units between would need a part of it first.

Views need no kernel: an operand is the value behind its views, seen with other strides. A product takes the pointwise
nodes after it, as long as one of their values is read elsewhere: its kernel finishes sums before it stores them.
"""

from __future__ import annotations

from collections.abc import Sequence

from .finished import FinishedProduct, takes
from .operators import BOOL
from .regions import FusedRegion, closes, family
from .spaces import behind
from .values import GraphNode, GraphValue, TensorGraph


class Single:
    """A node that is a unit by itself: a whole kernel, a copy, or a foreign function."""

    def __init__(self, node: GraphNode) -> None:
        self.nodes = [node]
        self.kind = node.operator.kind


Unit = FusedRegion | FinishedProduct | Single


class GraphPartition:
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
            if kind == "view" or node in self.of:
                continue
            if kind == "product":
                self._put(FinishedProduct(node), node)
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
            if isinstance(unit, FinishedProduct) and (finishing := self._finishing(unit)):
                unit.nodes += finishing
                for each in finishing:
                    self._put(unit, each)
                return
        regions = [unit for unit in candidates if isinstance(unit, FusedRegion)]
        for unit in regions:
            if not self._cycle(unit, node) and unit.add(node):
                self._put(unit, node)
                self._absorb(unit, [other for other in regions if other is not unit])
                return
        made = FusedRegion()
        if not made.add(node):
            single = Single(node)
            self._put(single, node)
            return
        self._put(made, node)

    def _absorb(self, unit: FusedRegion, others: Sequence[FusedRegion]) -> None:
        """Take the nodes of other regions that a region reads, where all of them fit."""
        for other in others:
            trial, nodes = FusedRegion(), sorted([*unit.nodes, *other.nodes], key=self.place.__getitem__)
            if other.nodes[0] in unit.nodes or not all(trial.add(each) for each in nodes):
                continue
            inside = set(nodes)
            between = [p for node in nodes for p in self.producers(node) if p not in (unit, other)]
            if any(self._depends(each, which) for each in between for which in (unit, other)):
                continue
            unit.__dict__.update(trial.__dict__)
            for each in inside:
                self._put(unit, each)

    def _finishing(self, unit: FinishedProduct) -> list[GraphNode]:
        """Return the fewest pointwise nodes that may finish the sums of a product, so that one value of the unit is
        read elsewhere; none if there are no such nodes."""
        taken, inside = list[GraphNode](), {result for node in unit.nodes for result in node.results}
        read, wanted = self._readers_behind(unit.last)
        while True:
            if wanted or not read:
                return []
            node = min(read, key=self.place.__getitem__)
            if not self._finishes(unit, node, inside):
                return []
            taken.append(node)
            result = node.results[0]
            inside.add(result)
            read.remove(node)
            more, wanted = self._readers_behind(result)
            if not read and result.dtype == unit.last.dtype:
                return taken
            read |= more

    def _readers_behind(self, value: GraphValue) -> tuple[set[GraphNode], bool]:
        """Return the nodes that read a value, through views, and whether it is a result of the program."""
        found, todo, wanted = set[GraphNode](), [value], False
        while todo:
            each = todo.pop()
            wanted |= each in self.wanted
            for node in self.readers.get(each, []):
                if node.operator.kind == "view":
                    todo += node.results
                else:
                    found.add(node)
        return found, wanted

    def _finishes(self, unit: FinishedProduct, node: GraphNode, inside: set[GraphValue]) -> bool:
        """Whether a pointwise node may be one of those that finish the sums of a product; `inside` are the values that
        these compute."""
        if node.operator.kind != "pointwise" or len(node.results) > 1 or closes(node) or node in self.of:
            return False
        if node.results[0].dtype not in (unit.last.dtype, BOOL):
            return False
        if family(node) != unit.family or unit.family[:1] != "f" or not takes(unit, node, inside):
            return False
        bases = {behind(value)[0] for value in node.operands} - inside
        others = [self.of.get(each.node) for each in bases if each.node is not None and each.constant is None]
        return not any(each is None or self._depends(each, unit) for each in others)

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
