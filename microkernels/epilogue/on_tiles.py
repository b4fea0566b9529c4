"""Emit an epilogue that reads the sums of a grid of tiles from a buffer, as tile_panel.py requests them.

The expression keeps its own registers for a whole panel, since the products run in other ones. Lines of both may
therefore be interleaved. A sum is loaded from the buffer, and the result is stored to C once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..contract.machine import Address, General, Slot, Vector
from ..contract.vector_verbs import claimed, known
from ..gemm.epilogue_hook import ColumnSums, Sum
from ..gemm.state import KernelState
from .sums import Expression
from .tile_plan import TileEpiloguePlan


class OnTiles(Expression):
    """Applies the expression to the columns of a buffer of sums."""

    def __init__(
        self,
        state: KernelState,
        plan: TileEpiloguePlan,
        pointers: Mapping[str, General | Slot],
        buffers: Sequence[General | Slot],
    ) -> None:
        """buffers: one, or two that are swapped."""
        self.buffers, self.interleaved, self.looped = [*buffers], plan.interleaved, plan.looped
        self.plan = plan
        self.needed = plan.needed
        self.ready = not any(isinstance(buffer, Slot) for buffer in buffers)
        slots = any(isinstance(value, Slot) for value in (*pointers.values(), *buffers))
        super().__init__(state, plan.spec, plan.code, pointers, slots or plan.interleaved)
        self.counter = self.m.counter("columns of the epilogue")

    def _idle(self) -> list[General]:
        """Return no registers if a product runs at the same time."""
        return [] if self.interleaved else super()._idle()

    @contextmanager
    def opened(self, parts: Sequence[ColumnSums], line: int) -> Iterator[None]:
        """Claim the registers of the expression, and load its constants."""
        m, code = self.m, self.code
        self.prepare(sorted({part.elements for part in parts}))
        self.pitch, dtype = line, self.state.product.dtype
        self.parts = [(part, m.lanes(dtype, part.elements)) for part in parts]
        self.bits_of([part.row for part in parts])
        widest = m.lanes(self.compute, max(part.elements for part in parts))
        with m.vectors(self.needed, "the epilogue") as registers, m.masks(code.masks) as masks:
            self.body = code.on(m, registers[: code.vectors], masks, widest)
            self.sums = registers[code.vectors : code.vectors + code.unroll]
            self.spare = registers[code.vectors + code.unroll :]
            self.free = [*self.sums, *(registers[number] for number in code.changing)]
            yield
            self.free = ()

    # The buffer

    def buffer(self, disp: int) -> Address:
        """Return a place in the last of the buffers."""
        return self.m.at(self._base(" sums", self.buffers[-1]), disp)

    def swap(self) -> None:
        """Swap the pointers to the two buffers. A single buffer has been read before the next sums are stored."""
        if len(self.buffers) == 1:
            return
        (reads, writes), spare = self.buffers, claimed(self.pointer)
        for dst, src in ((spare, reads), (reads, writes), (writes, spare)):
            self.m.copy(dst, src)
        self.held = None

    # Columns

    def lines_of(self, count: int) -> int:
        """Return the number of lines. Each sum is also loaded, which is one line more than its operations."""
        return len(self.parts) * count * (self.code.operations + 1)

    def columns(self, first: int, count: int) -> Iterator[None]:
        """Compute columns in groups of as many sums as the code is unrolled for, and yield after each line."""
        self.held = None
        every = [(column, part, lanes) for column in range(first, first + count) for part, lanes in self.parts]
        for start, behind in self._together(len(every)):
            group: list[Sum] = []
            for (column, part, lanes), register in zip(every[start:behind], self.sums):
                base = self._base(" sums to read", self.buffers[0])
                self.m.load(register, self.m.at(base, column * self.pitch + part.disp), lanes)
                group.append(Sum(register, lanes, part.row, column))
                yield
            yield from self.lines(group)

    def _together(self, count: int) -> list[tuple[int, int]]:
        """Return which sums are computed together. With statistics, a group stays within a column, since each column
        continues the values of the one before."""
        span = len(self.parts) if self.spec.statistics else count
        return [
            (start, min(start + self.code.unroll, first + span))
            for first in range(0, count, span)
            for start in range(first, first + span, self.code.unroll)
        ]

    def line(self, take: Callable[[int, Vector], None]) -> None:
        """Compute a column whose sums `take` loads directly."""
        self.held = None
        for start in range(0, len(self.parts), self.code.unroll):
            group: list[Sum] = []
            numbered = list(enumerate(self.parts))[start : start + self.code.unroll]
            for (number, (part, lanes)), register in zip(numbered, self.sums):
                take(number, register)
                group.append(Sum(register, lanes, part.row, 0))
            for _ in self.lines(group):
                pass

    def forward(self, columns: int, buffer: bool = False) -> None:
        """Advance C and the operands, and within a loop also the buffer."""
        self.held = None
        self.m.advance(self.state.operands.c, columns * known(self.c.column))
        self.move(0, columns)
        if buffer:
            self.m.advance(self.buffers[0], columns * self.pitch)

    def rewind(self, columns: int) -> None:
        """Move the buffer's pointer back after loops."""
        self.m.advance(self.buffers[0], -columns * self.pitch)

    def all_columns(self, count: int, zero: Callable[[], None] | None = None) -> None:
        """Compute all columns in a loop whose body has enough columns to fill the unrolled code. zero: zeros a tile
        that holds nothing; called between parts of the loop, if the plan says so."""
        together = self.plan.columns_of_turn(count, len(self.parts))
        turns, after = count // together, self.plan.zeroed_after(count, len(self.parts)) if zero is not None else 0
        part = after // together or turns
        self.m.note(f"epilogue of {count} columns")
        for first in range(0, turns, part):
            if first and zero is not None:
                zero()
            with self.m.loop(self.counter, min(part, turns - first)):
                for _ in self.columns(0, together):
                    pass
                self.forward(together, buffer=True)
        self.rewind(count)
        self.held = None
