"""The code of the parts of a fused kernel: passes over a row, and row values between two passes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic, Constant
from ..expr.graph import MASKS
from ..reduce.code import Output
from .passes import KEPT, Pass, RowPart, inputs_of


class Banks:
    """The banks of registers: each holds the whole row of a matrix, or of a kept element, between two passes.

    Values that are not live together share a bank. A kept element may take the bank of a value that its pass reads for
    the last time.
    """

    def __init__(self, passes: Sequence[Pass], matrices: Collection[str], vectors: int) -> None:
        """matrices: names of the inputs that may have a bank if two passes read them. vectors: registers of a bank."""
        self.vectors = vectors
        self.first: dict[str, int] = {}
        """The level at which a value is read from memory or made."""
        self.last: dict[str, int] = {}
        """The level of the last pass that reads it."""
        for each in passes:
            for name in inputs_of(each.values):
                if name in matrices or name.startswith(KEPT):
                    self.first.setdefault(name, each.level)
                    self.last[name] = each.level
            made = dict.fromkeys((f"{KEPT}{number}" for number, _ in each.kept), each.level)
            self.first.update(made)
            self.last.update(made)
        self.places: dict[str, int] = {}
        free_from: list[int] = []  # for each bank, the level after which it may be overwritten
        lasting = [name for name, level in self.first.items() if name.startswith(KEPT) or self.last[name] > level]
        for name in sorted(lasting, key=lambda name: self.first[name]):
            soonest = self.first[name] + name.startswith(KEPT)
            bank = next((i for i, level in enumerate(free_from) if level < soonest), len(free_from))
            free_from[bank : bank + 1] = [self.last[name]]
            self.places[name] = bank
        self.registers = len(free_from) * vectors
        """The number of registers for one row."""

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def number(self, name: str, vector: int) -> int:
        """Return the number of the register that holds a vector of the row of a value."""
        return self.places[name] * self.vectors + vector

    def of(self, each: Pass) -> list[str]:
        """Return the values in banks that a pass makes and reads: first one for each kept element, whose register the
        code may overwrite with it, because it is in the same bank."""
        reads = [name for name in inputs_of(each.values) if name in self]
        made = [f"{KEPT}{number}" for number, _ in each.kept] if self.places else []
        firsts = [next((x for x in reads if self.places[x] == self.places[name]), name) for name in made]
        return [*firsts, *(name for name in reads if name not in firsts)]

    def preserved(self, each: Pass) -> list[str]:
        """Return the values that a pass reads and a later one too."""
        return [name for name in inputs_of(each.values) if name in self and self.last[name] > each.level]

    def disposable(self, each: Pass) -> list[str]:
        """Return the values that no later pass reads and whose bank no kept element takes."""
        preserved = self.preserved(each)
        return [name for name in self.of(each)[len(each.kept) :] if name not in preserved]


@dataclass(frozen=True)
class AccumulatorPool:
    """The registers for the accumulators of a pass, for its compensated sums, and for folding them."""

    outputs: tuple[Output, ...]
    arithmetic: Arithmetic
    accumulators: int
    compensated: tuple[Output, ...] = ()  # each has two more registers, the sum and its rounding error
    holds_powers: bool = False  # whether accumulators of compensated sums hold the powers of a single step
    carries: tuple[Constant, ...] = ()  # of each scan, what its carry starts with; a register behind the accumulators

    @cached_property
    def in_masks(self) -> tuple[bool, ...]:
        """For each register of an accumulator, whether it is a mask register."""
        types = (dtype for output in self.outputs for dtype in output.running.types)
        states = tuple(dtype in MASKS and self.arithmetic.masks > 0 for dtype in types)
        return (*states, *(False for _ in self.carries))

    @property
    def masks(self) -> int:
        """The number of mask registers of all accumulators."""
        return self.accumulators * sum(self.in_masks)

    @cached_property
    def vectors(self) -> int:
        """The number of vector registers for accumulating, or for folding if that needs more."""
        parts = [output.parts for output in self.outputs]
        states = self.accumulators * (len(self.in_masks) - sum(self.in_masks))
        return 2 * len(self.compensated) + max(states, sum(parts) + max(parts, default=0))


class PassCode(NamedTuple):
    """The code of a pass.

    step    the code of `unroll` vectors
    repeats how often the step is emitted in sequence, for vectors whose mask bits share a byte
    tail    the code of the partial last vector of a row, or None
    banked  the values in banks of registers that the code reads or makes, in the order of its inputs
    """

    cut: Pass
    step: Lowered
    repeats: int
    tail: Lowered | None
    outputs: tuple[Output, ...]
    pool: AccumulatorPool
    banked: tuple[str, ...] = ()

    @property
    def vectors(self) -> int:
        """The number of vectors between two advances of the pointers."""
        return self.repeats * self.step.unroll

    @property
    def operations(self) -> int:
        """Instructions per vector, including the four of each compensated addition, spread over its vectors."""
        return self.step.operations + -(-4 * len(self.pool.compensated) // self.vectors)

    @property
    def states(self) -> int:
        """The number of registers of one accumulator."""
        return len(self.pool.in_masks)


class RowCode(NamedTuple):
    """The code of row values, on registers that hold the same value in all lanes.

    narrow  the elements that it computes, fewer than a vector has: a division of 128 bits takes a third of the time of
            one of 512; 0 if its code has tables that fill a register
    """

    cut: RowPart
    code: Lowered
    narrow: int
