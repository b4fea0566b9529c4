"""Register blocking of a GEMM: the column-major product, panels of its rows, blocks of columns in each panel."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple, dataclass
from ..contract.dot_and_tile import TileFacts, UnitFacts
from ..contract.machine import Facts
from ..operands import RUNTIME, LeadingDimension
from ..tuning.gemm import GemmTuning
from .spec import Batch

if TYPE_CHECKING:
    from ..contract.outer_product import OuterProductFacts


class Scheme(Enum):
    """How a panel multiplies; as plans print it."""

    FMA = "fma"  # row vectors of A by broadcast elements of B
    ALONG_K = "along k"  # rows of A by columns of B, elementwise along k, and a sum over each register at the end
    DOT = "dot"  # row vectors of groups of A by broadcast groups of B, on dot-product instructions
    MMLA = "mmla"  # two rows by two columns at a time, on MMLA instructions
    OUTER_PRODUCT = "outer product"  # on outer-product accumulators
    TILE = "tile"  # on tile registers


class Operand(NamedTuple):
    """A matrix of the column-major product: the order it is stored in, its leading dimension, whose argument it is.

    `distance` is that of the next matrix of a dense batch, in places. It follows from the view that was asked for: an
    equivalent view of a single row or column has a leading dimension of its own. A place holds one element, or in a
    packed operand a whole step of k.
    """

    order: str
    leading: LeadingDimension
    argument: str
    distance: LeadingDimension
    place: int  # bytes
    steps: int = 1  # places along k in one step of k
    across: int = 1  # rows, or columns, in a place
    copies: int = 1  # of its one element that a place holds, side by side


@dataclass(frozen=True)
class Product:
    """The column-major product that is computed; a and c are stored by columns. k counts steps of the unit."""

    m: int
    n: int
    k: int
    dtype: str  # of the sums
    a: Operand
    b: Operand
    c: Operand
    pairs: int | Batch  # 1 where the whole batch is one long k
    unit: UnitFacts | None = None  # without it and without a tile: one multiplication and addition a step
    tile: TileFacts | None = None
    rest: int = 0  # elements of the last step of k; 0: it is whole
    outer_product: OuterProductFacts | None = None

    @property
    def fixed(self) -> bool:
        """Whether every leading dimension is a number."""
        return RUNTIME not in (self.a.leading, self.b.leading, self.c.leading)


class Block(NamedTuple):
    """`columns` columns of a panel, `repeat` times side by side."""

    columns: int
    repeat: int
    unroll: int  # steps of k in the loop body; all of k when there is no loop
    split: int  # sets of accumulators that share the sum over k, to hide the latency of the FMA
    group: int = 1  # elements of B that one load brings, multiplied by their place in a register; 1: each is broadcast
    work: int = 0  # vector registers beside the accumulators


class Panel(NamedTuple):
    """Rows in row vectors (the elements of each register), `repeat` times one below the other."""

    scheme: Scheme
    row_vectors: tuple[int, ...]
    repeat: int
    blocks: tuple[Block, ...]
    cycles: float
    held: int = 0  # registers that keep rows of A (along k) or constants (dot) for all blocks

    @property
    def rows(self) -> int:
        """Rows of one repetition."""
        return sum(self.row_vectors)

    @property
    def registers(self) -> int:
        """Vector registers that a block holds at most, without masks."""
        if self.scheme is not Scheme.ALONG_K:
            sums = max(block.columns * len(self.row_vectors) * block.split + block.work for block in self.blocks)
            return sums + self.held
        return max(block.columns for block in self.blocks) * self.rows + along_k_work(self.rows, self.held)


def embedded(row_vectors: int, facts: Facts) -> bool:
    """Whether elements of B are broadcast by the FMA itself: worth it when no second FMA needs them."""
    return facts.embedded_broadcast and row_vectors == 1


def along_k_work(rows: int, held: int) -> int:
    """Vector registers that a panel along k needs beside its accumulators: four for B and C, and the rows of A."""
    return 4 + (held + 1 if held else rows)


def unroll(tuning: GemmTuning, instructions: float, steps: int, multiple: int = 1) -> int:
    """Steps in a loop body: all of them if they are few, or the multiple that leaves the smallest remainder."""
    if instructions * steps <= tuning.straight_instructions:
        return steps
    most = max(1, int(tuning.body_instructions / instructions) // multiple)
    return multiple * min(range(most, max(1, most // 2) - 1, -1), key=lambda u: (steps % (u * multiple), -u))
