"""Emit a traced function with rows by an index as its plan says (plan.py). No decisions are made here.

Pointers to tables and indices lie in the stack frame. Before each row, a register is set to the address of each row
that an index selects.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..chain.emit import BandLoop
from ..chain.frame_values import FrameValues
from ..chain.laid_by import SumsOfBands
from ..chain.plan import ChainPlan
from ..chain.spec import ChainSpec
from ..codegen.scratch import lined
from ..contract.machine import Amount, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..eltwise.emit import Finder
from ..eltwise.spec import EltwiseSpec
from ..fused.emit import emit_start
from ..fused.inside import emit_elements
from ..fused.plan import FusedPlan
from ..operands import CACHE_LINE, RUNTIME, Operand, parameters
from ..sweeps.emit import emit_sweeps, into_frame
from ..sweeps.plan import SweepPlan
from .plan import IndexedPlan, row_bytes
from .spec import Found


def emit(m: Machine, plan: IndexedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    frame = FrameValues(m, [name for _, name in parameters(plan.spec.arguments)])
    laid_by = plan.code.laid_by(plan.spec.m) if isinstance(plan.code, ChainPlan) else None
    used = plan.bytes_of_scratch + plan.zeros + plan.dump
    frame.scratch(used if laid_by is None else lined(used) + laid_by.bytes)
    found = ByIndex(frame, plan, plan.bytes_of_scratch, plan.spec.m)
    rows = IndexedRows(frame, plan, found, plan.spec.banded if plan.spec.m > 1 else ())
    if laid_by is not None:
        rows.lay_by(SumsOfBands(frame, laid_by, lined(used)))
    frame.save()
    found.start()
    rows.start()
    rows.run()
    if rows.sums is not None:
        rows.sums.finish()
    found.finish()
    m.leave()


class IndexedRows:
    """The loop over all rows of a request, or of a block of them. The operands' pointers and the scratch pointer are
    kept in the frame. `sums` lays sums down the columns by where they are long."""

    sums: SumsOfBands | None = None

    def __init__(self, frame: FrameValues, plan: IndexedPlan, found: ByIndex, moving: Collection[str]) -> None:
        """moving: the operands whose pointers point past the last row when the loop has ended."""
        self.frame, self.plan, self.found, code = frame, plan, found, plan.code
        self.bands = BandLoop(frame, code, moving, found) if isinstance(code, ChainPlan) else None
        if isinstance(code, SweepPlan):
            into_frame(frame, code)
        indices = {each.by for each in plan.spec.found}
        self.walked = [] if self.bands else [name for name in moving if name not in indices]

    def lay_by(self, sums: SumsOfBands) -> None:
        """Lay sums down the columns by between bands, or else after each run."""
        self.sums = sums
        if self.bands is not None:
            self.bands.sums = sums

    def start(self) -> None:
        """Initialize reductions down the columns, before the first row."""
        code = self.plan.code
        if self.sums is not None and self.bands is None:
            self.sums.start()
        if self.bands is not None:
            self.bands.start()
        if isinstance(code, FusedPlan) and code.spec.column_sums:
            self.frame.free()
            pointers, values = self._given(code.spec, {each.name for each in self.plan.spec.found})
            some = pointers[next(iter(pointers))]  # a pointer for the operands that are neither read nor written
            others = {each.name: some for each in code.spec.operands if each.name not in pointers}
            with self.frame.aside(0, self.plan.bytes_of_scratch):
                emit_start(self.frame.m, code, others | pointers, values)

    def _given(self, spec: EltwiseSpec, by_index: Collection[str]) -> tuple[dict[str, General], dict[str, General]]:
        """Return registers with the pointers to operands whose rows are adjacent, and with the other arguments."""
        frame = self.frame
        pointers = {each.name: frame.register(each.name) for each in spec.operands if each.name not in by_index}
        runtime = [each.name for each in spec.operands if each.view.leading is RUNTIME and each.name not in by_index]
        names = (*(each.name for each in spec.numbers), *(f"ld{name}" for name in runtime))
        return pointers, {name: frame.register(name) for name in names}

    def run(self, rows: Amount | None = None) -> None:
        """Emit the rows. `rows` is as in `emit_elementwise`.

        Afterwards, pointers to matrices that are walked in bands, and to indices, point past the last row; the pointers
        of `walked` are unchanged. If `rows` is given, pointers to indices are unchanged too.
        """
        code, frame = self.plan.code, self.frame
        if self.bands is not None:
            self.bands.run(rows)
            return
        if isinstance(code, SweepPlan):
            emit_sweeps(frame, code, self.found)
        else:
            assert not isinstance(code, ChainPlan), "which has a loop over bands"
            frame.free()
            spec = code.spec
            pointers, values = self._given(spec, self.found.of(spec))
            with frame.aside(0, self.plan.bytes_of_scratch, self.found.kept):
                found, finder = self.found.begin(spec)
                emit_elements(frame.m, code, pointers | found, values, finder, True, rows)
        if rows is None:
            self.found.next(self.plan.spec.m)
        if self.sums is not None:
            self.sums.after(self.plan.spec.m if rows is None else rows)


class ByIndex:
    """Locates the rows in all walks of a kernel. Each walk goes through the indices from their positions in the
    frame."""

    def __init__(self, frame: FrameValues, plan: IndexedPlan, offset: int, left: int | General | Slot) -> None:
        """offset: bytes of scratch memory before the rows for indices out of bounds. left: the number of rows of the
        call."""
        self.m, self.frame, self.plan, self.spec = frame.m, frame, plan, plan.spec
        self.offset, self.left = offset, left
        self.indices = list(dict.fromkeys(each.by for each in self.spec.found))
        self.table = {each.table: self._table(each.table) for each in self.spec.found}
        self.tables = {each.name: self.table[each.table] for each in self.spec.found}
        names = [*(f"place in {index}" for index in self.indices), *["rows left", "left"] * bool(plan.far)]
        names += ["row number", "number", "first bad"] * bool(self.spec.bad)
        for name in names:
            frame.counter(name)
        if self.spec.bad:
            frame.copy_of("outside", "scratch")
        more = ["left"] * bool(plan.far) + ["number", "first bad", "outside"] * bool(self.spec.bad)
        self.kept = [
            frame.at[name] for name in (*self.table.values(), *(f"place in {index}" for index in self.indices), *more)
        ]

    def _table(self, name: str) -> str:
        """Return the name of the pointer to a table. It is a copy if the rows of the table are also walked."""
        request = self.spec.request
        walked = request.banded if isinstance(request, ChainSpec) else [each.name for each in request.operands]
        if name not in walked or any(name == each.name for each in self.spec.scattered):
            return name
        self.frame.copy_of(f"table {name}", name)
        return f"table {name}"

    def start(self) -> None:
        """Emit the setup before the first row."""
        m, at = self.m, self.frame.at
        self.frame.free()
        if self.plan.far:
            left = m.general("rows")
            m.copy(left, self.left)
            m.copy(at["rows left"], left)
        if self.spec.bad:
            m.copy(at["row number"], 0)
            m.copy(at["first bad"], -1)
            m.advance(at["outside"], self.offset)
            self._clear()

    def _clear(self) -> None:
        """Zero the row that replaces rows out of bounds."""
        m, size = self.m, self.plan.zeros
        base = self.frame.register("outside")
        m.zero_element()
        for offset in range(0, size, 8) if size <= CACHE_LINE else ():
            m.store_element(base, None, offset, 8)
        if size > CACHE_LINE:
            with m.loop(m.general("elements"), size // 8):
                m.store_element(base, None, 0, 8)
                m.advance(base, 8)

    def of(self, spec: EltwiseSpec) -> Collection[str]:
        """Return the operands of a walk whose rows are located by an index."""
        names = {each.name for each in spec.operands}
        return [each.name for each in self.spec.found if each.name in names]

    def begin(self, spec: EltwiseSpec) -> tuple[dict[str, General], Finder | None]:
        """Return pointers to these operands for a walk that begins at the indices in the frame, and the finder that
        sets them."""
        names = self.of(spec)
        if not names:
            return {}, None
        m, at = self.m, self.frame.at
        finder = _Finder(self, [each for each in self.spec.found if each.name in names], spec.m)
        for index in finder.indices:
            m.copy(finder.position, at[index])
            m.copy(at[f"place in {index}"], finder.position)
        for own, frame in (("left", "rows left"), ("number", "row number")):
            if own in at:
                m.copy(finder.position, at[frame])
                m.copy(at[own], finder.position)
        if spec.m == 1:
            finder.point()  # single elements are loaded before the first row
        return finder.pointers, finder

    def next(self, rows: Amount) -> None:
        """Advance the positions in the frame by `rows` rows, after all walks of them."""
        m, at = self.m, self.frame.at
        for index in self.indices:
            m.advance(at[index], rows, ELEMENT_BYTES[self.spec.operand(index).dtype])
        if "rows left" in at:
            m.advance(at["rows left"], rows, -1)
        if self.spec.bad:
            m.advance(at["row number"], rows)

    def finish(self) -> None:
        """Store the number of the first row with an index out of bounds."""
        if self.spec.bad:
            self.frame.free()
            place, number = self.frame.register("bad"), self.frame.register("first bad")
            self.m.store_general(place, number)


class _Finder:
    """Registers that point at the rows that indices select, in one walk."""

    def __init__(self, owner: ByIndex, found: list[Found], rows: int) -> None:
        self.m, self.owner, self.spec, self.plan, self.rows = owner.m, owner, owner.spec, owner.plan, rows
        self.at = owner.frame.at
        self.position = self.m.general("place")
        self.pointers: dict[str, General] = {}
        places: dict[tuple[str, str], General] = {}  # a row that is added to is read where it is written
        for each in found:
            place = each.table, each.by
            if place not in places:
                places[place] = self.m.general(f"row of {each.table}")
            self.pointers[each.name] = places[place]
        self.found = {id(self.pointers[each.name]): each for each in found}
        self.indices = sorted({each.by for each in found})
        if self.spec.bad or self.plan.far:
            self.limit = self.m.general("limit")

    @property
    def names(self) -> Collection[str]:
        """The matrices whose rows are located."""
        return self.pointers.keys()

    def find(self) -> None:
        """Point at the selected rows, before each row of a walk of several rows."""
        if self.rows > 1:
            self.point()

    def point(self) -> None:
        """Point at the rows for the next row of the walk."""
        m = self.m
        for each in self.found.values():
            self._point(each)
            if each.table in self.plan.far:
                self._prefetch(each)
        if self.plan.far:
            m.advance(self.at["left"], -1)
        for index in self.indices:
            m.advance(self.at[f"place in {index}"], ELEMENT_BYTES[self.spec.operand(index).dtype])
        if self.spec.bad:
            m.advance(self.at["number"], 1)

    def _table(self, each: Found) -> General | Slot:
        return self.at[self.owner.table[each.table]]

    def _point(self, each: Found) -> None:
        m, table, row = self.m, self.spec.operand(each.table), self.pointers[each.name]
        size = ELEMENT_BYTES[self.spec.operand(each.by).dtype]
        m.copy(self.position, self.at[f"place in {each.by}"])
        m.load_index(self.position, self.position, 0, size)
        m.copy(row, self._table(each))
        if self.spec.bad:
            m.copy(self.limit, table.rows)
            with m.beyond(self.position, self.limit):
                self._outside(row, table)
        m.advance(row, self.position, _stride(table))

    def _prefetch(self, each: Found) -> None:
        """Prefetch the lines of a later row. Near the end there is none, since its index would lie past the last
        one."""
        m, table, ahead = self.m, self.spec.operand(each.table), self.plan.ahead
        size = ELEMENT_BYTES[self.spec.operand(each.by).dtype]
        m.copy(self.position, ahead)
        m.copy(self.limit, self.at["left"])
        with m.within(self.position, self.limit):
            m.copy(self.position, self.at[f"place in {each.by}"])
            m.load_index(self.position, self.position, ahead * size, size)
            m.copy(self.limit, self._table(each))
            m.advance(self.limit, self.position, _stride(table))
            for disp in range(0, row_bytes(table), m.facts.tuning.gather.line_bytes):
                m.prefetch(self.limit, disp)

    def _outside(self, row: General, table: Operand) -> None:
        """Point at scratch memory, and keep the lowest number of such a row."""
        m = self.m
        m.copy(self.limit, self.at["first bad"])
        m.copy(self.position, self.at["number"])
        m.lower(self.limit, self.position)
        m.copy(self.at["first bad"], self.limit)
        m.copy(row, self.at["outside"])
        if table.output:
            m.advance(row, self.plan.zeros)
        m.copy(self.position, 0)


def _stride(table: Operand) -> int:
    leading: Any = table.view.leading
    return int(leading) * ELEMENT_BYTES[table.dtype]
