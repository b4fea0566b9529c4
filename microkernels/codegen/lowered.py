"""Straight-line code of an expression with its registers chosen, and its execution on a machine's assembler.

    with code.constants(m, lanes) as body:      registers are claimed and constants loaded once, before the loop
        body.run(load, store, lanes)            the code, for as many vectors as it is unrolled

The code is plain data that prints. `codegen/fitting.py` makes it, without a machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from ...encoder.records import NamedTuple, cached_property, dataclass, new
from ..contract.machine import Address, Lanes, Machine
from ..tuning.codegen import CodegenTuning
from .selection import Arithmetic, Constant, Emission, InstructionRow

VECTOR, MASK, GIVEN, LOOP_INVARIANT = "vector", "mask", "given", "loop invariant"
"""The register files: vectors and masks are claimed by the code; the other two are the caller's registers that hold
inputs."""


class NumberedRegister(NamedTuple):
    """A register of the code: a file and a number within it."""

    file: str
    number: int


Source = NumberedRegister | Constant


class Line(NamedTuple):
    """One step of the code. It is an operation with a row, or one of "load", "store", "join", "constant", "move",
    "spill" and "reload". The value of a spill or reload is a slot of scratch memory.

    copy    the vector of the unrolled code that it computes
    tied    the operand that is in the result's register
    """

    op: str
    dst: NumberedRegister | None
    srcs: tuple[Source, ...]
    value: Any
    copy: int
    row: InstructionRow | None = None
    tied: int | None = None


Load = Callable[[str, int, int, Lanes], None]
"""(name of the input, copy, register to fill, lanes)"""
Store = Callable[[int, int, int, Lanes], None]
"""(number of the result, copy, register that holds it, lanes); may destroy the register."""
Join = Callable[[int, int, Sequence[int]], bool]
"""(number of the result, first copy, registers of the copies): store them as one vector; False if the caller must store
them one by one."""


@dataclass(frozen=True)
class Lowered:
    """Straight-line code with its registers."""

    lines: tuple[Line, ...]
    resident: tuple[tuple[NumberedRegister, Constant], ...]  # constants that stay in registers
    vectors: int
    masks: int
    unroll: int
    arithmetic: Arithmetic
    tuning: CodegenTuning
    missing: int = 0  # constants without a register
    slots: int = 0  # slots of scratch memory for spilled values, each the size of a register
    neighbours: frozenset[tuple[int, int]] = frozenset()
    """The first and the number of vector registers that hold a table together, so that the machine numbers them one
    after the other."""

    @property
    def time(self) -> float:
        """Estimated time of one copy, in instructions. Copies hide each other's latency; missing constants cost
        time."""
        unrolled = self.tuning.unrolled_time
        factor = unrolled[self.unroll - 1] if self.unroll <= len(unrolled) else 1.0
        return factor * (self.operations + self.tuning.constant_time * self.missing)

    @property
    def operations(self) -> int:
        """The number of instructions of one copy, including loads and stores."""
        return -(-len(self.lines) // self.unroll)

    @property
    def instructions(self) -> int:
        """About as many instructions as the machine executes for one copy. It exceeds `operations` where a row is
        several instructions."""
        return sum(1 if line.row is None else line.row.instructions for line in self.lines) // self.unroll

    @property
    def changing(self) -> tuple[int, ...]:
        """The numbers of the vector registers that hold no constant, so that other code may use them between runs."""
        constants = {register for register, _ in self.resident}
        return tuple(number for number in range(self.vectors) if NumberedRegister(VECTOR, number) not in constants)

    @cached_property
    def only_stores(self) -> bool:
        """Whether the code does nothing but store its given input as its result."""
        given = (NumberedRegister(GIVEN, 0),)
        return len(self.lines) == 1 and self.lines[0].op == "store" and self.lines[0].srcs == given

    @cached_property
    def has_tables(self) -> bool:
        """Whether constants have a value of their own for each lane."""
        sources = [source for line in self.lines for source in (line.value, *line.srcs)]
        constants = [each for each in (*sources, *(each for _, each in self.resident)) if isinstance(each, Constant)]
        return any(not isinstance(each.bits, int) for each in constants)

    def __str__(self) -> str:
        registers = f"{self.vectors} vector registers, {len(self.resident)} of them constants"
        waiting = f", {self.slots} values at a time wait in scratch memory" if self.slots else ""
        return f"{self.unroll} x {self.operations} operations in {registers}{waiting}"

    @contextmanager
    def constants(self, m: Machine, lanes: Lanes, waiting: Waiting | None = None) -> Iterator[LoweredBody]:
        """Claim the registers and load the constants. `lanes` are the widest lanes that `run` will get. waiting: see
        `on`."""
        if not self.vectors and not self.masks:
            yield self.on(m, (), (), lanes, waiting)
            return
        held = m.masks(self.masks) if self.masks else nullcontext(())
        with m.vectors(self.vectors, "the expression", self.neighbours) as vectors, held as masks:
            yield self.on(m, vectors, masks, lanes, waiting)

    def on(
        self, m: Machine, vectors: Sequence[int], masks: Sequence[Any], lanes: Lanes, waiting: Waiting | None = None
    ) -> LoweredBody:
        """Load the constants into registers that the caller holds, and return the body. waiting: memory with at least
        `slots` slots. If it is None, code with slots claims memory here, which must not be within a loop."""
        for register, constant in self.resident:
            self.arithmetic.constant(m, vectors[register.number], constant, lanes)
        if waiting is None and self.slots:
            waiting = Waiting(m, self.slots, lanes)
        return LoweredBody(m, self, {VECTOR: vectors, MASK: masks}, waiting)


class Waiting:
    """Scratch memory for spilled registers: claimed here, or the caller's memory at `base` + `offset`."""

    def __init__(self, m: Machine, slots: int, lanes: Lanes, base: Any = None, offset: int = 0) -> None:
        self.m, self.whole, self.offset = m, m.lanes(lanes.dtype, lanes.capacity), offset
        self.base = m.scratch(slots * self.whole.bytes) if base is None else base

    def line(self, line: Line, register: int) -> None:
        """Execute a spill or a reload."""
        (self.store if line.op == "spill" else self.load)(line.value, register)

    def store(self, slot: int, register: int) -> None:
        """Store a register to a slot."""
        self.m.store(self._place(slot), register, self.whole)

    def load(self, slot: int, register: int) -> None:
        """Load a register from a slot."""
        self.m.load(register, self._place(slot), self.whole)

    def _place(self, slot: int) -> Address:
        return self.m.at(self.base, self.offset + slot * self.whole.bytes)


class LoweredBody:
    """The code on claimed registers."""

    def __init__(
        self, m: Machine, code: Lowered, registers: dict[str, Sequence[Any]], waiting: Waiting | None = None
    ) -> None:
        self.m, self.code, self.registers, self.waiting = m, code, registers, waiting

    def run(
        self,
        load: Load,
        store: Store,
        lanes: Sequence[Lanes],
        given: Sequence[int] = (),
        loop_invariant: Sequence[int] = (),
        join: Join | None = None,
    ) -> None:
        """Append the code. `lanes` has one item per copy; copies beyond them are left out.

        given           the registers of the given inputs, the first copy's registers first; destroyed. A result
                        with the number of such an input is left in its register where possible
        loop_invariant  the registers of the inputs that all copies share; preserved
        """
        for _ in self.lines(load, store, lanes, given, loop_invariant, join):
            pass

    def lines(
        self,
        load: Load,
        store: Store,
        lanes: Sequence[Lanes],
        given: Sequence[int] = (),
        loop_invariant: Sequence[int] = (),
        join: Join | None = None,
    ) -> Iterator[None]:
        """Append the code line by line, so that the caller can append other instructions between two lines."""
        registers = {**self.registers, GIVEN: given, LOOP_INVARIANT: loop_invariant}
        arithmetic = self.code.arithmetic

        m, copies = self.m, len(lanes)
        for line in self.code.lines:
            op, place, sources, value, copy, row, tied = line
            if copy >= copies:
                continue
            copy_lanes = lanes[copy]
            dst: Any = None if place is None else registers[place[0]][place[1]]
            if op == "join":
                sources = sources[: copies - copy]  # the sources of the copies that are present
            srcs: tuple[Any, ...] = tuple(
                [source if isinstance(source, Constant) else registers[source[0]][source[1]] for source in sources]
            )
            if row is not None:
                row.emit(m, new(Emission, (dst, srcs, value, copy_lanes, tied)))
            elif op == "load":
                load(value, copy, dst, copy_lanes)
            elif op == "store":
                store(value, copy, srcs[0], copy_lanes)
            elif op == "join":
                if join is None or not join(value, copy, srcs):
                    for number, register in enumerate(srcs, copy):
                        store(value, number, register, lanes[number])
            elif op in ("spill", "reload") and self.waiting is not None:
                self.waiting.line(line, srcs[0] if op == "spill" else dst)
            elif op == "constant":
                arithmetic.constant(m, dst, value, copy_lanes)
            else:
                arithmetic.move(m, dst, srcs[0], copy_lanes)
            yield
