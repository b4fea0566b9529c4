"""Emit a kernel whose number of rows is given at the call, exactly as planned (plan.py).

Pointers are kept in the stack frame. A block loads them into registers, and after the block they advance by its rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..chain.emit import BandLoop
from ..chain.frame_values import FrameValues
from ..chain.laid_by import SumsOfBands
from ..chain.plan import ChainPlan
from ..codegen.scratch import lined
from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..eltwise.emit import emit_elementwise
from ..eltwise.plan import EltwisePlan
from ..fused.emit import emit_rows, emit_start
from ..fused.inside import OneWalk, emit_elements
from ..fused.plan import FusedPlan
from ..indexed.emit import ByIndex, IndexedRows
from ..indexed.plan import IndexedPlan
from ..operands import ORIGIN, RUNTIME, Number
from ..reduce.emit import emit_inside as emit_reduction
from ..reduce.plan import ReducePlan
from ..sweeps.emit import emit_sweeps
from ..sweeps.plan import SweepPlan
from . import dynamic_emit, reductions_emit
from .plan import Remainder, RowBlock, RowwisePlan
from .without_rows import emit_without_rows

_MANY = 6
"""With more frame values than this, a frame without scratch memory may have too few slots. Scratch memory is then
claimed even if no block needs it."""


def emit(m: Machine, plan: RowwisePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    if plan.columns is not None:
        dynamic_emit.emit(m, plan)
    elif plan.remainder is not Remainder.NARROWER:
        reductions_emit.emit(m, plan)
    elif plan.dynamic and isinstance(plan.blocks[0].code, (EltwisePlan, FusedPlan)):
        _one_loop(m, plan, plan.blocks[0].code)
    else:
        _blocks(m, plan)
    m.leave()


def _one_loop(m: Machine, plan: RowwisePlan, code: EltwisePlan | FusedPlan) -> None:
    """Emit the code of one plan, whose loop takes the number of rows from the call."""
    arguments = m.named_arguments(plan.spec.interface.parameters())
    rows = m.in_slot(arguments.pop(plan.spec.extent))
    given = {name: m.in_register(value, name) for name, value in arguments.items()}
    pointers = {each.name: given.pop(each.name) for each in plan.spec.operands}
    if isinstance(code, EltwisePlan):
        emit_elementwise(m, code, pointers, given, rows=rows, least=0)
    else:
        emit_rows(m, code, pointers, given, rows=rows)


def _blocks(m: Machine, plan: RowwisePlan) -> None:
    """Emit blocks of rows, whose pointers are kept in the stack frame."""
    frame = FrameValues(m, [name for _, name in plan.spec.interface.parameters()])
    outside = max(each.code.zeros + each.code.dump if isinstance(each.code, IndexedPlan) else 0 for each in plan.blocks)
    laid_by, used = plan.laid_by, plan.bytes_of_scratch + outside
    if laid_by is None:
        frame.scratch(used or 64 * (len(frame.at) > _MANY))
    else:
        frame.scratch(lined(used) + laid_by.bytes)
    rows = RowBlocks(frame, plan, plan.spec.extent)
    sums = SumsOfBands(frame, laid_by, lined(used)) if laid_by is not None else None
    if sums is not None:
        rows.lay_by(sums)
    frame.save()
    if plan.alone is not None:
        emit_without_rows(frame, plan.alone, plan.spec.extent)
    rows.run()
    if sums is not None:
        sums.finish()


class RowBlocks:
    """The blocks of rows, repeated until no row is left.

    extent   the name of the parameter with the number of rows
    places   for an operand that lies in another's place: its name, mapped to the name of the other
    offset   where the scratch memory of the blocks begins
    """

    def __init__(
        self,
        frame: FrameValues,
        plan: RowwisePlan,
        extent: str,
        places: Mapping[str, str] | None = None,
        offset: int = 0,
    ) -> None:
        self.m, self.frame, self.plan, self.spec = frame.m, frame, plan, plan.spec
        self.extent, self.places, self.offset = extent, places or {}, offset
        self.bands = {
            each.rows: BandLoop(frame, each.code, plan.spec.banded)
            for each in plan.blocks
            if isinstance(each.code, ChainPlan)
        }
        self.indexed = self._indexed()
        self.pitches = {each.name: each for each in self.spec.operands if each.name in self.spec.banded}
        self.numbers = [each.name for each in self.spec.arguments if isinstance(each, Number)]
        self.placed = self.spec.counts_rows
        if self.placed and not self.numbers_of_places():
            for name in ORIGIN:
                self.m.copy(frame.counter(name), 0)

    def lay_by(self, sums: SumsOfBands) -> None:
        """Lay sums down the columns by between bands and blocks."""
        for bands in self.bands.values():
            bands.sums = sums
        for rows in self.indexed.values():
            rows.lay_by(sums)

    def _indexed(self) -> dict[int, IndexedRows]:
        """Return the emitters of blocks that find rows by an index, keyed by their number of rows."""
        codes = [each.code for each in self.plan.blocks if isinstance(each.code, IndexedPlan)]
        if not codes:
            return {}
        self.found = ByIndex(self.frame, codes[0], self.plan.bytes_of_scratch, self.frame.at[self.extent])
        return {each.spec.m: IndexedRows(self.frame, each, self.found, self.spec.banded) for each in codes}

    def numbers_of_places(self) -> list[str]:
        """Return the names of the parameters for the row and column of the first element, if the call gives them."""
        return [name for name in ORIGIN if name in self.numbers]

    def run(self) -> None:
        """Emit the code for all rows. In a call with no rows it writes nothing but the results of reductions down the
        columns."""
        m = self.m
        left = self.frame.at[self.extent]
        widest = self.plan.blocks[0]
        if self.indexed:
            self.found.start()
            self.indexed[widest.rows].start()
        elif widest.rows in self.bands:
            self.bands[widest.rows].start()
        elif isinstance(widest.code, FusedPlan) and widest.code.spec.column_sums and not self.spec.by_columns:
            self._block(widest, widest.code)
        if self.plan.dynamic:
            self._dynamic(widest, left)
        for block in self.plan.blocks[self.plan.dynamic :]:
            self.frame.free()
            with m.while_at_least(left, block.rows):
                self.frame.free()
                m.note(f"{block.rows} rows")
                if block.rows in self.bands:
                    self.bands[block.rows].run()
                elif block.rows in self.indexed:
                    self.found.plan = self.indexed[block.rows].plan
                    self.indexed[block.rows].run()
                    self._next(block.rows, self.indexed[block.rows].walked)
                    self._next_place(block.rows)
                else:
                    self._block(block)
        if self.indexed:
            self.found.finish()

    def _dynamic(self, block: RowBlock, left: General | Slot) -> None:
        """Emit the block whose loop takes its number of rows from the call."""
        self.frame.free()
        if block.rows in self.bands:
            self.bands[block.rows].run(left)
        elif block.rows not in self.indexed:
            with self.m.unless_zero(left):
                self._block(block, rows=left)
        elif self.indexed[block.rows].bands is not None:
            self.indexed[block.rows].run(left)
        else:
            with self.m.unless_zero(left):
                self.indexed[block.rows].run(left)

    def _block(self, block: RowBlock, start: FusedPlan | None = None, rows: General | Slot | None = None) -> None:
        """Emit the code of a block or, with `start`, the initial values of reductions down the columns. rows: the
        number of rows, if the block's loop takes it from the call."""
        m, frame, code = self.m, self.frame, block.code
        frame.free()
        if isinstance(code, SweepPlan):
            emit_sweeps(frame, code)
            frame.free()
            self._next(block.rows, self.pitches)
            return
        assert isinstance(code, (OneWalk, ReducePlan)), "others have loops of their own"
        found = {self._own(each.name): frame.register(self._own(each.name)) for each in code.spec.arguments}
        pointers = {each.name: found[self._own(each.name)] for each in self.spec.operands}
        registers = {each.name: found[each.name] for each in code.spec.arguments if isinstance(each, Number)}
        registers |= {f"ld{name}": frame.register(f"ld{self._own(name)}") for name in self._runtime()}
        with frame.aside(self.offset, self.plan.bytes_of_scratch, () if rows is None else (rows,)):
            if isinstance(code, ReducePlan):
                emit_reduction(m, code, pointers | registers)
            elif start is not None:
                emit_start(m, start, pointers, registers)
                return
            else:
                emit_elements(m, code, pointers, registers, started=not self.spec.by_columns, rows=rows)
        if rows is not None:
            return
        frame.free()
        self._next(block.rows, self.pitches)
        self._next_place(block.rows)

    def _next_place(self, rows: int) -> None:
        """Advance the number of the first row past a block."""
        if self.placed:
            self.m.advance(self.frame.at[ORIGIN[0]], rows)

    def _next(self, rows: int, names: Collection[str]) -> None:
        """Advance the pointers of these operands past a block of `rows` rows."""
        m, frame = self.m, self.frame
        moved = {self._own(name): self.pitches[name] for name in names}
        for own, each in moved.items():
            size, leading = ELEMENT_BYTES[each.dtype], 1 if each.vector else each.view.leading
            if each.view.order == "F":
                m.advance(frame.at[own], size, rows)
            elif isinstance(leading, int):
                m.advance(frame.at[own], leading * size, rows)
            else:
                m.advance(frame.at[own], frame.at[f"ld{own}"], size * rows)

    def _own(self, name: str) -> str:
        """Return the name under which the pointer to an operand is kept in the frame."""
        return self.places.get(name, name)

    def _runtime(self) -> list[str]:
        """Return the names of the matrices whose leading dimension is given at the call."""
        return [each.name for each in self.spec.operands if each.view.leading is RUNTIME]
