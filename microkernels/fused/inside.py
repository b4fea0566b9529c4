"""Elementwise and fused kernels inside other kernels: their scratch memory and their code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Protocol, cast

from ..contract.machine import Amount, Facts, General, Machine, Slot
from ..eltwise.emit import Finder, emit_elementwise
from ..eltwise.moved_plan import MovedPlan
from ..eltwise.pipeline import emit_inside
from ..eltwise.plan import EltwisePlan
from ..eltwise.spec import EltwiseSpec
from ..operands import CACHE_LINE
from .emit import emit_rows
from .long_sums import slots_of_sums
from .plan import FusedPlan

OneWalk = EltwisePlan | MovedPlan | FusedPlan
"""The plans of one walk, which other kernels emit among their own code."""


class FoundRows(Protocol):
    """Rows that are found by an index, for kernels of several sweeps. microkernels/indexed/emit.py implements it."""

    @property
    def kept(self) -> Collection[General | Slot]:
        """Registers and slots that a sweep reads while it runs, so that they must not move elsewhere."""

    @property
    def tables(self) -> Mapping[str, str]:
        """For each operand whose rows are found by an index, the name under which its table's pointer is kept in the
        frame."""

    def of(self, spec: EltwiseSpec) -> Collection[str]:
        """Return the operands of a sweep whose rows are found by an index."""

    def begin(self, spec: EltwiseSpec) -> tuple[dict[str, General], Finder | None]:
        """Return pointers to those operands, and the code that sets them before each row (None without any)."""

    def next(self, rows: Amount) -> None:
        """Advance the indices past `rows` rows, after all sweeps over them."""


def level_bytes_of(codes: Iterable[object]) -> int:
    """Return the bytes of the levels of long sums, for which there is memory beside all else (`LEVELS_LIMIT`)."""
    levels = [code.laid_by for code in codes if isinstance(code, FusedPlan)]
    return max((each.bytes + CACHE_LINE for each in levels if each is not None), default=0)


class WithScratch(Protocol):
    """A plan that knows its scratch memory, as those of several walks do."""

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch memory inside another kernel."""


def scratch_bytes_of(code: OneWalk | WithScratch, facts: Facts) -> int:
    """Return the bytes of scratch memory that the code may claim."""
    walk = _OF_WALKS.get(type(code))
    return walk(code, facts.widths[0] // 8) if walk is not None else cast(WithScratch, code).bytes_of_scratch


def _of_rows(code: FusedPlan, vector: int) -> int:
    slots = code.slots + len(code.stored) + max(16, slots_of_sums(code))
    slots = slots if code.slots or code.stored or code.passes else 0
    laid_by = code.laid_by.bytes + CACHE_LINE if code.laid_by is not None else 0
    return len(code.scratch) * code.line * code.interleave + slots * vector + 2 * CACHE_LINE + laid_by


def _of_elements(code: EltwisePlan, vector: int) -> int:
    return code.code.slots * vector + 2 * CACHE_LINE if code.code.slots else 0


_OF_WALKS: dict[type, Callable[[Any, int], int]] = {
    FusedPlan: _of_rows,
    MovedPlan: MovedPlan.bytes_of_scratch,
    EltwisePlan: _of_elements,
}
"""The scratch memory of plans of one walk, for vectors of so many bytes."""


def emit_elements(
    m: Machine,
    code: OneWalk,
    pointers: dict[str, General],
    values: dict[str, General],
    finder: Finder | None = None,
    started: bool = False,
    rows: Amount | None = None,
) -> None:
    """Emit the code of a kernel inside another one.

    pointers, values  its operands by name, and the other arguments of a call
    finder            sets pointers before each row, for rows found by an index
    started           as in `emit_rows`
    rows              as in `emit_elementwise`
    """
    if isinstance(code, FusedPlan):
        emit_rows(m, code, pointers, values, finder, started, rows)
    elif isinstance(code, EltwisePlan) and (finder is not None or rows is not None):
        emit_elementwise(m, code, pointers, values, finder, rows)
    else:
        emit_inside(m, code, pointers, values)
