"""The levels of an epilogue's sums over many lines of C: see codegen/long_sums.py.

The sums of a line are added to the statistic in memory. A product computes a panel of C at a time, all lines of some
elements, so the levels in scratch memory are those of a panel. After some lines its elements of the statistic are added
to the first level and set to 0; at the panel's end the levels are added to the statistic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..codegen.laid_by import LaidBy, RowSums, laid_by
from ..codegen.long_sums import DYNAMIC_TERMS, levels_of
from ..contract.machine import General, Lanes, Machine, Slot, Vector
from ..dtypes import ELEMENT_BYTES
from ..eltwise.moved_plan import MovedPlan
from ..eltwise.plan import EltwisePlan
from ..errors import UnsupportedError
from ..expr.graph import FLOATS
from ..gemm.blocking import Panel, Scheme
from ..gemm.plan import GemmPlan
from ..gemm.state import OperandAddresses
from ..reduce.ops import REDUCTIONS, add
from .spec import EpilogueSpec


def long_statistics(spec: EpilogueSpec) -> tuple[str, ...]:
    """Return the statistics that are sums over so many lines of C that they need levels."""
    if levels_of(_lines(spec), 1) is None:
        return ()
    sums = {name for name, reduction in spec.statistics.items() if REDUCTIONS[reduction].join is add}
    return tuple(each.name for each in spec.results if each.name in sums and each.dtype in FLOATS)


def _lines(spec: EpilogueSpec) -> int:
    """Return the lines of C, or the most that there can be if each call counts them."""
    return DYNAMIC_TERMS if spec.shared else spec.m if spec.order[2] == "C" else spec.n


def levels_of_panels(spec: EpilogueSpec, plan: GemmPlan) -> LaidBy | None:
    """Return the levels of the statistics of a panel, or None if they need none."""
    names, levels = long_statistics(spec), levels_of(_lines(spec), 1)
    if not names or levels is None:
        return None
    rows = max(panel.rows for panel in plan.panels)
    return LaidBy(tuple((name, rows) for name in names), levels, plan.vector, spec.compute)


def levels_of_rows(spec: EpilogueSpec, elementwise: EltwisePlan | MovedPlan | None) -> LaidBy | None:
    """Return the levels of the statistics of a walk along whole lines, or None if they need none."""
    names = long_statistics(spec)
    if not names or not isinstance(elementwise, EltwisePlan):
        return None
    sums = tuple((each.name, each.columns) for each in elementwise.spec.outputs if each.name in names)
    levels = laid_by(sums, spec.compute, elementwise.spec.m, elementwise.vector)
    if levels is None:
        raise UnsupportedError(
            f"{', '.join(names)}: sums over {elementwise.spec.m} lines of so many elements need more memory than a "
            "kernel has; compute them from the result with a second kernel (ts.reduce)"
        )
    return levels


class _PanelSums(RowSums):
    """Adds the elements that a panel has of each statistic, which one register points to in turn."""

    row_vectors: Sequence[int] = ()
    places: Mapping[str, General | Slot]

    def _each(self, name: str, pointers: Mapping[str, General], base: General, vector: Callable[[Lanes], None]) -> None:
        m, pointer, size, done = self.m, pointers[name], ELEMENT_BYTES[self.plan.compute], 0
        m.copy(pointer, self.places[name])
        for count in self.row_vectors:
            vector(m.lanes(self.plan.compute, count))
            m.advance(pointer, count * size)
            m.advance(base, count * size)
            done += count * size
        m.advance(base, -done)


class LongStatistics:
    """Lays the statistics of a panel by. `pointers` are those to the statistics, at the panel's first element.
    Registers of the product are borrowed for the addresses, and restored."""

    def __init__(
        self,
        m: Machine,
        plan: LaidBy,
        operands: OperandAddresses,
        base: General | Slot,
        pointers: Mapping[str, General | Slot],
    ) -> None:
        self.m, self.plan, self.base = m, plan, base
        borrowed = (operands.c, operands.b, operands.a)
        self.borrowed = [each for each in borrowed if not isinstance(each, Slot)][:2]
        self.saved = [m.counter("a borrowed register") for _ in self.borrowed]
        self.lines = m.counter("lines since sums were laid by")
        self.sums = _PanelSums(m, plan)
        self.sums.places = pointers

    @contextmanager
    def _addresses(self, free: Sequence[Vector]) -> Iterator[tuple[Mapping[str, General], General]]:
        """A scope with a pointer for the statistics and one to the levels."""
        m = self.m
        for place, register in zip(self.saved, self.borrowed):
            m.copy(place, register)
        base, row = self.borrowed
        m.copy(base, self.base)
        self.sums.free = free
        yield {name: row for name, _ in self.plan.sums}, base
        for place, register in zip(self.saved, self.borrowed):
            m.copy(register, place)

    def begin(self, panel: Panel, free: Sequence[Vector] = ()) -> None:
        """Set all levels to 0 before the first element of panels of this kind."""
        of_elements = panel.scheme is Scheme.ALONG_K
        self.sums.row_vectors = [1] * panel.rows if of_elements else panel.row_vectors
        for count in self.sums.row_vectors:
            self.m.lanes(self.plan.compute, count)
        self._clear(free)

    def _clear(self, free: Sequence[Vector]) -> None:
        self.m.copy(self.lines, 0)
        with self._addresses(free) as (pointers, base):
            self.sums.between(pointers, base).clear()

    def after(self, lines: int, free: Sequence[Vector] = ()) -> None:
        """Lay the sums by if there were enough lines since the last time. lines < 0: a step back, after which the same
        lines are counted again."""
        self.m.advance(self.lines, lines)
        if lines < 0:
            return
        with self.m.while_at_least(self.lines, self.plan.levels.steps), self._addresses(free) as (pointers, base):
            self.sums.between(pointers, base).lay_by()

    def end(self, free: Sequence[Vector] = ()) -> None:
        """Add all levels to the statistics of the panel, and set them to 0."""
        with self._addresses(free) as (pointers, base):
            self.sums.between(pointers, base).bring_back()
        self._clear(free)
