"""All units of a program as steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import ExpressionTypeError
from .finished import FinishedProduct
from .lower_products import lower_product
from .lower_regions import lower_region
from .lower_singles import lower_single
from .lowering import Lowering
from .partition import Unit
from .regions import FusedRegion
from .spaces import behind
from .values import TensorGraph

if TYPE_CHECKING:
    from ..api.typed import TargetLike
    from . import lower_rows

lower_rows = lazy(__package__, ".lower_rows")


def lowered(
    graph: TensorGraph, threads: int | None, target: TargetLike, rows: int = 0, after: Lowering | None = None
) -> Lowering:
    """Return the steps of a program.

    rows    the number that stands for the rows of calls; 0: all extents are known
    after   the same program for another such number, whose packed weights are used again

    Raises RowsRefused for a program that depends on the rows in another way than by repeating its work.
    """
    lowering = Lowering(graph, threads, target, rows)
    if after is not None:
        lowering.packed = after.packed
    for number, unit in enumerate(lowering.partition.units):
        lowering.unit = number
        _lower(lowering, unit)
    lowering.unit = len(lowering.partition.units)
    lowering.finish()
    return lowering


def _lower(lowering: Lowering, unit: Unit) -> None:
    if isinstance(unit, FusedRegion):
        _lower_region(lowering, unit)
    elif all(not each.size for node in unit.nodes for each in node.results) and unit.kind != "foreign":
        for node in unit.nodes:
            for value in node.results:
                lowering.result(value)
    elif isinstance(unit, FinishedProduct):
        _product(lowering, unit)
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
