"""All units of a program as steps, and these as a program."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import ExpressionTypeError
from ..executor.run import Executor, GraphSlot
from ..executor.steps import GraphStep
from . import program as programs
from .finished import FinishedProduct
from .lower_products import lower_product
from .lower_regions import lower_region
from .lower_singles import lower_single
from .lowering import Lowering, PlannedStep, arranged, lives_of
from .partition import Unit
from .program import Explanation, GraphProgram, UnitSummary
from .recurrence.lowering import lower_repeat
from .regions import FusedRegion
from .spaces import behind
from .storage import Storage, ValuePlace, extent_of, operand_array
from .values import RowsRefused, TensorGraph
from .views import contiguous

if TYPE_CHECKING:
    from . import lower_rows, members

lower_rows = lazy(__package__, ".lower_rows")
members = lazy(__package__, ".members")


class LoweredProgram:
    """A program with its steps. kept: whether the cache folder shall have it, and not the jobs of its segments, if
    another process can make its constants and functions of Python."""

    def __init__(self, graph: TensorGraph, threads: int | None, target: Target, kept: bool) -> None:
        self.graph = graph
        lowering = lowered(graph, threads, target)
        arena = arranged(*lives_of(lowering.calls))
        self.constants = list(dict.fromkeys(lowering.constants))
        first = 1 + len(graph.inputs) + len(graph.results)
        for number, each in enumerate(self.constants):
            each.slot = first + number
        self.steps = tuple(settled(each) for each in lowering.calls)
        self.kept = kept and programs.keepable(graph, self.constants, [each.entry for each in self.steps])
        slots = _slots(graph, arena, lowering.results, self.constants)
        self.executor = Executor(self.steps, slots, threads, keeps=not self.kept)
        held = [each.constant for each in self.executor.slots if each.constant is not None]
        results, units = tuple(lowering.results), explained(lowering)
        self.program = GraphProgram(self.executor, held, results, arena, len(self.steps), units)

    def keep(self, request: str) -> None:
        """Keep it in the cache folder as what answers a request."""
        if self.kept:
            programs.keep(request, self.graph, self.program, self.constants)


def _slots(
    graph: TensorGraph, arena: int, results: Sequence[ValuePlace], constants: Sequence[Storage]
) -> list[GraphSlot]:
    inputs = ((value, value.strides or contiguous(value.shape)) for value in graph.inputs)
    return [
        GraphSlot("arena", arena, True),
        *(GraphSlot(value.name, extent_of(value.kind, strides)) for value, strides in inputs),
        *(GraphSlot(f"result {number}", each.storage.bytes, True) for number, each in enumerate(results)),
        *(GraphSlot(f"constant {number}", constant=each.constant) for number, each in enumerate(constants)),
    ]


def settled(call: PlannedStep, counted: Collection[Storage] = ()) -> GraphStep:
    """Return a step with the addresses of its operands. counted: blocks of memory whose sizes only calls know."""
    operands = tuple(each.storage.at(each.offset) if isinstance(each, ValuePlace) else each for each in call.operands)
    arrays = tuple(
        None if isinstance(each, ValuePlace) and each.storage in counted else operand_array(each)
        for each in call.operands
    )
    return GraphStep(call.entry, operands, call.name, arrays)


def explained(lowering: Lowering) -> Explanation:
    """Return what became of the units of a program."""
    found = []
    for number, unit in enumerate(lowering.partition.units):
        kernels = tuple(call.name for call in lowering.calls if call.unit == number)
        kind = {FusedRegion: "region", FinishedProduct: "product"}.get(type(unit), unit.kind)
        first = unit.nodes[0]
        name = str(first.attributes["name"]) if kind == "foreign" else first.operator.name
        nodes = (name, *(node.operator.name for node in unit.nodes[1:]))
        found.append(UnitSummary(kind, nodes, kernels, str(first.attributes.get("reason", ""))))
    rest = tuple(call.name for call in lowering.calls if call.unit == len(lowering.partition.units))
    return Explanation([*found, *([UnitSummary("results", ("copy",), rest)] if rest else [])])


# Steps


def lowered(
    graph: TensorGraph, threads: int | None, target: Target, rows: int = 0, after: Lowering | None = None
) -> Lowering:
    """Return the steps of a program.

    rows    the number that stands for the rows of calls; 0: all extents are known
    after   the same program for another such number, whose packed weights are used again

    Raises RowsRefused for a program that depends on the rows in another way than by repeating its work.
    """
    lowering = Lowering(graph, threads, target, rows, members.copy_rows if rows else None)
    if after is not None:
        lowering.packed, lowering.members = after.packed, after.members
    for number, unit in enumerate(lowering.partition.units):
        lowering.unit = number
        (_lower_over_rows if rows else _lower)(lowering, unit)
    lowering.unit = len(lowering.partition.units)
    lowering.finish()
    return lowering


def _lower_over_rows(lowering: Lowering, unit: Unit) -> None:
    """Lower a unit by kernels of any number of rows, or as a loop over the rows."""
    before, places = len(lowering.calls), dict(lowering.places)
    try:
        _lower(lowering, unit)
    except RowsRefused as refused:
        del lowering.calls[before:]
        lowering.places = places
        try:
            members.lower_members(lowering, unit, partial(lowered, threads=1, target=lowering.target))
        except RowsRefused:
            raise refused from None


def _lower(lowering: Lowering, unit: Unit) -> None:
    if isinstance(unit, FusedRegion):
        _lower_region(lowering, unit)
    elif all(not each.size for node in unit.nodes for each in node.results) and unit.kind != "foreign":
        for node in unit.nodes:
            for value in node.results:
                lowering.result(value)
    elif isinstance(unit, FinishedProduct):
        _product(lowering, unit)
    elif unit.nodes[0].operator.name == "repeat":
        lower_repeat(lowering, unit.nodes[0], partial(lowered, threads=lowering.threads, target=lowering.target))
    else:
        lower_single(lowering, unit.nodes[0])


def _product(lowering: Lowering, unit: FinishedProduct) -> None:
    node = unit.nodes[0]
    if lowering.counted(node.results[0].size):
        lower_rows.lower_rows_product(lowering, unit)
    elif any(lowering.counted(each.size) for each in node.operands):
        lower_rows.lower_rows_terms(lowering, unit)
    else:
        lower_product(lowering, unit)


def _lower_region(lowering: Lowering, region: FusedRegion) -> None:
    """Lower a region; one that no kernel takes as a whole is lowered in two halves."""
    before, places = len(lowering.calls), dict(lowering.places)
    try:
        (lower_rows.lower_rows_region if lowering.counted(region.size) else lower_region)(lowering, region)
    except (UnsupportedError, ExpressionTypeError) as error:
        del lowering.calls[before:]
        lowering.places = places
        if len(region.nodes) == 1:
            refused = UnsupportedError(str(error))
            refused.node = region.nodes[0]  # type: ignore[attr-defined]
            raise refused from None
        _halved(lowering, region)


def _halved(lowering: Lowering, region: FusedRegion) -> None:
    middle = len(region.nodes) // 2
    parts = []
    for nodes in (region.nodes[:middle], region.nodes[middle:]):
        part = FusedRegion()
        for node in nodes:
            if not part.add(node):
                parts.append(part)
                part = FusedRegion()
                assert part.add(node)
        parts.append(part)
    for part in parts:
        for node in part.nodes:
            for value in node.operands:
                lowering.consumers.setdefault(behind(value)[0], set()).add(part)
    for part in parts:
        _lower_region(lowering, part)
