"""Emit a traced function with products as its plan says (plan.py). No decisions are made here.

Pointers into the operands lie in the stack frame. Each stage claims registers only while it runs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from ..codegen.scratch import lined
from ..contract.machine import Amount, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..epilogue.emit import emit_on_sums
from ..fused.emit import emit_start
from ..fused.inside import FoundRows, emit_elements
from ..fused.plan import FusedPlan
from ..gemm.plan import GemmPlan
from ..operands import ORIGIN, parameters
from ..prepack.emit import emit_product
from ..rows.emit import emit_columns
from ..rows.emit import emit_product as emit_rows
from .back_to_back import BackToBack
from .cut import StageProduct, TransposeStage
from .frame_values import FrameValues
from .laid_by import SumsOfBands
from .parts import PlannedBlocks, PlannedStage, beside, right_of
from .plan import ChainPlan
from .with_epilogue import ElementwiseEpilogue


def emit(m: Machine, plan: ChainPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    frame = FrameValues(m, [name for _, name in parameters(plan.spec.arguments)])
    frame.scratch(plan.bytes_with_levels)
    bands = BandLoop.of_all_rows(frame, plan)
    frame.save()
    bands.all_rows()
    m.leave()


_ROW, _ROWS = "first row", "rows of the band"
"""The names of the frame values that hold the first row and the number of rows of the current band. No operand has
these names."""


class BandLoop:
    """The loop over all rows of a traced function. The operands' pointers at the current band and the scratch
    pointer are kept in the frame. `sums` lays sums down the columns by where they are long."""

    sums: SumsOfBands | None = None

    def __init__(
        self,
        frame: FrameValues,
        plan: ChainPlan,
        moving: Collection[str],
        found: FoundRows | None = None,
        base: int = 0,
    ) -> None:
        """moving: the operands whose pointers point past the last row when the loop has ended.

        found: locates the rows of operands that an index selects.
        base: the bytes of scratch memory that lie before that of this loop.
        """
        self.found, self.base = found, base
        self.m, self.frame, self.plan, self.spec = frame.m, frame, plan, plan.spec
        # bytes between adjacent rows
        self.moving = {
            each.name: int(each.view.leading) * ELEMENT_BYTES[each.dtype]  # type: ignore[arg-type]
            for each in plan.spec.operands
            if each.name in moving and each.name not in plan.spec.by_index
        }
        self.turned = {name: name for name in plan.spec.transposed}
        for name in sorted(self.moving.keys() & self.turned.keys()):
            self.turned[name] = _columns(name)
            frame.copy_of(_columns(name), name)
        if plan.spec.m > 1:
            types = {each.name: each.dtype for each in plan.spec.operands}
            self.moving |= {place: ELEMENT_BYTES[types[name]] for name, place in self.turned.items()}
        for name in sorted(self.spec.whole & self.moving.keys()):
            frame.copy_of(_whole(name), name)
        frame.counter("bands")
        if plan.spec.placed:
            frame.counter(_ROW)
        self.rows: General | Slot | None = None  # the number of rows of a band, if the call gives it
        if plan.dynamic:
            frame.counter(_ROWS)
        self._claim_for_blocks()

    @classmethod
    def of_all_rows(cls, frame: FrameValues, plan: ChainPlan, base: int = 0) -> BandLoop:
        """Return the loop over the rows of a request that knows their number."""
        made = cls(frame, plan, plan.spec.banded if plan.spec.m > 1 else (), base=base)
        if plan.levels is not None:
            made.sums = SumsOfBands(frame, plan.levels, base + lined(plan.bytes_of_scratch))
        return made

    def all_rows(self) -> None:
        """Emit the loop and what is done before and after it."""
        self.start()
        self.run()
        if self.sums is not None:
            self.sums.finish()

    def back(self) -> None:
        """Move the pointers back to the first row."""
        self.frame.free()
        for name, pitch in self.moving.items():
            self.m.advance(self.frame.at[name], -pitch * self.spec.m)

    def _claim_for_blocks(self) -> None:
        """Keep a counter of the blocks of columns, and the pointers that advance with the blocks."""
        plans = [part.code for part in (*self.plan.whole, *self.plan.rest) if isinstance(part.code, PlannedBlocks)]
        for name in ("blocks", *sorted({each.pointer for plan in plans for each in plan.moving})) if plans else ():
            self.frame.counter(name)
        self.in_block: set[str] = set()  # pointers at the current block of columns

    def start(self) -> None:
        """Before the first band, initialize the results that are reductions down the columns, and the number of the
        first row."""
        if self.spec.placed:
            self.m.copy(self.frame.at[_ROW], self.frame.at[ORIGIN[0]] if self.spec.moved else 0)
        if self.sums is not None:
            self.sums.start()
        _, _, parts = self.plan.blocks[0]
        for part in parts:
            code = part.code
            if isinstance(code, FusedPlan) and code.spec.column_sums:
                self.frame.free()
                own = {code.spec.outputs[number].name for number in code.spec.column_sums}
                pointers = {name: self.frame.register(name) for name in sorted(own)}
                other = pointers[min(own)]  # a pointer for the operands that are neither read nor written
                with self._aside():
                    emit_start(
                        self.m, code, {each.name: pointers.get(each.name, other) for each in code.spec.operands}, {}
                    )

    def run(self, left: Amount | None = None) -> None:
        """Emit the loops over all bands. left: a register or slot with the number of rows, if the call gives it."""
        m, at = self.m, self.frame.at
        if self.plan.dynamic:
            assert left is not None and not isinstance(left, int)
            self._dynamic(self.plan, left)
            return
        for rows, times, parts in self.plan.blocks:
            self.frame.free()
            with m.loop(at["bands"], times):
                self._band(parts, rows)

    def _band(self, parts: Sequence[PlannedStage], rows: Amount) -> None:
        """Emit the stages of a band, and advance past its rows."""
        m, at = self.m, self.frame.at
        for part in parts:
            self._stage(part)
        for name, pitch in self.moving.items():
            m.advance(at[name], rows, pitch)
        if self.spec.placed:
            m.advance(at[_ROW], rows)
        if self.found is not None:
            self.found.next(rows)
        if self.sums is not None:
            self.sums.after(rows)

    def _dynamic(self, plan: ChainPlan, left: General | Slot) -> None:
        """Emit the loop over bands of as many rows as are left, at most those of the longest band."""
        m = self.m
        self.rows = rows = self.frame.at[_ROWS]
        self.frame.free()
        with m.while_at_least(left, plan.least):
            m.advance(left, plan.least)  # the loop has subtracted these rows, the band subtracts all
            self.frame.free()
            self._rows_of_band(plan, left)
            self._band(plan.whole, rows)
            m.advance(left, rows, -1)

    def _rows_of_band(self, plan: ChainPlan, left: General | Slot) -> None:
        m = self.m
        rows, limit, every = m.general("rows"), m.general("limit"), m.general("rows left")
        m.copy(every, left)
        m.copy(rows, every)
        m.copy(limit, plan.rows + 1)
        with m.beyond(every, limit):
            m.copy(rows, plan.half or plan.rows)
            if plan.half:
                m.copy(limit, plan.rows + plan.half + 1)
                with m.beyond(every, limit):
                    m.copy(rows, plan.rows)
        m.copy(self.frame.at[_ROWS], rows)

    def _stage(self, part: PlannedStage) -> None:
        m, stage = self.m, part.stage
        self.frame.free()
        m.note(str(stage))
        if isinstance(stage, BackToBack):
            self._back_to_back(stage, part.code)
        elif part.then is not None:
            self._with_epilogue(part, part.then)
        elif isinstance(stage, StageProduct):
            given: list[Any] = [self._pointer(stage.left), self._factor(stage), self._pointer(stage.band.name)]
            given += self.spec.distances(stage)
            with self._aside():
                if isinstance(part.code, GemmPlan) and part.code.dynamic:
                    emit_rows(m, part.code, self._extent(), given, long=True)
                else:
                    emit_product(m, part.code, given, self.frame.kept)
        else:
            own = {"x": self.turned[stage.of], "y": stage.band.name} if isinstance(stage, TransposeStage) else {}
            by_index = () if self.found is None or isinstance(stage, TransposeStage) else self.found.of(part.code.spec)
            named = {
                each.name: self._operand(own.get(each.name, each.name))
                for each in part.code.spec.operands
                if each.name not in by_index
            }
            numbers = {
                each.name: self.frame.register(_ROW if each.name == ORIGIN[0] else each.name)
                for each in part.code.spec.numbers
                if each.name != ORIGIN[1]
            }
            with self._aside(self.found.kept if self.found is not None and by_index else ()):
                found, finder = self.found.begin(part.code.spec) if self.found is not None and by_index else ({}, None)
                emit_elements(m, part.code, named | found, numbers, finder, started=True, rows=self.rows)

    def _with_epilogue(self, part: PlannedStage, then: ElementwiseEpilogue) -> None:
        """Emit a product whose sums pass through an expression before they are stored."""
        m, stage = self.m, part.stage
        assert isinstance(stage, StageProduct)
        given: dict[str, Any] = {
            "a": self._pointer(stage.left),
            "b": self._factor(stage),
            "c": self._pointer(then.elementwise.results[0][1].name),
        }
        given.update(zip(("a_stride", "b_stride"), self.spec.distances(stage)))
        given |= {extra.name: self._operand(name) for extra, name in zip(then.extras, then.names)}
        with self._aside():
            if self.rows is None:
                emit_on_sums(m, part.code, given, long=True)
            else:
                emit_on_sums(m, part.code, given, partial(emit_columns, extent=self._extent()), long=True)

    def _extent(self) -> General | Slot:
        """Return the place of the number of rows of the current band."""
        assert self.rows is not None
        return self.rows

    def _aside(self, kept: Collection[General | Slot] = ()) -> AbstractContextManager[None]:
        """Return the context of a stage: its own scratch memory begins after the bands."""
        kept = kept if self.rows is None else [*kept, self.rows]
        return self.frame.aside(self.base + self.plan.bytes_of_bands, self.plan.scratch_bytes, kept)

    def _back_to_back(self, stage: BackToBack, plan: PlannedBlocks) -> None:
        """Emit the loop over the blocks of columns."""
        m, at = self.m, self.frame.at
        self._stage(plan.zero)
        self.frame.free()
        for each in plan.moving:
            right = each.pointer != beside(each.operand)
            register = self._right(each.operand) if right else self._pointer(each.operand)
            m.copy(at[each.pointer], register)
            m.release(register)
        self.in_block = {each.pointer for each in plan.moving}
        for columns, times, parts in plan.blocks:
            with m.loop(at["blocks"], times):
                for part in parts:
                    self._stage(part)
                for each in plan.moving:
                    m.advance(at[each.pointer], columns * each.step)
        self.in_block = set()

    def _right(self, name: str) -> Any:
        """Return a register with the address of a right factor."""
        return self._pointer(_whole(name) if name in self.moving else name)

    def _factor(self, stage: StageProduct) -> Any:
        """Return a register with the address of the right factor, at the current block of columns."""
        moved = right_of(stage)
        return self._pointer(moved) if moved in self.in_block else self._right(stage.right)

    def _operand(self, name: str) -> Any:
        """Return a register with the address of a walk's operand or band, at the current block of columns."""
        return self._pointer(beside(name) if beside(name) in self.in_block else name)

    def _pointer(self, name: str) -> Any:
        """Return a register with the address of an operand or a band."""
        place = self.plan.place.get(name)
        if place:
            return self.frame.register("scratch", self.base + place.offset)
        return self.frame.register(self.plan.stored.get(name, name))


def _columns(name: str) -> str:
    """Return the name of the pointer to the columns of an operand that is also read by rows."""
    return f"columns of {name}"


def _whole(name: str) -> str:
    """Return the name of the slot of a right factor that is also walked in bands."""
    return f"all of {name}"
