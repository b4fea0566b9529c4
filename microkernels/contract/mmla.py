"""Units that multiply two rows by two columns at a time: every 128 bits of an accumulator hold a quad, 2 x 2 of C.

    C (2, 2) += X (2, depth) @ Y (2, depth).T        for each 128 bits of registers

A *chunk* of R rows (as many as a register has sums) fills two registers of X, R/2 rows in each, 8 bytes of a row side
by side. Y is the same for all of X: two columns, 8 bytes each, repeated every 128 bits. So the accumulators of a chunk
and two columns are two registers, as two columns of sums would be; `split` and `join` change between these forms.

Operands may come packed: a *block* has 16 bytes, 8 of each of two rows (or columns), its neighbours along k.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeAlias

from .dot_and_tile import Scopes, UnitFacts
from .values import Address, AddressT, General, GeneralT, Lanes, LanesT, Slot

BLOCK_BYTES = 16
ROW_BYTES = 8  # of a row of a block
COLUMNS = 2  # of a quad; as many rows


class MmlaUnitOf(Scopes, ABC, Generic[GeneralT, AddressT, LanesT]):
    """The verbs of a unit. x and accumulators come two by two; `lanes` are those of a chunk's sums.

    `elements` of a step of k count, all of them but in a last step that is not whole; what else is read is ignored.
    """

    facts: UnitFacts

    @abstractmethod
    def prepare(self, lanes: LanesT, width: int) -> None:
        """To be asked before any loop for each count of rows; `width` is the bytes of a place of X, as below."""

    @abstractmethod
    def offsets(self, register: int, stride: int | GeneralT | Slot) -> None:
        """What `load_blocks` needs of blocks of X that lie a stride apart; only where a register holds several."""

    @abstractmethod
    def load_blocks(self, x: Sequence[int], places: Sequence[AddressT], lanes: LanesT, elements: int, offsets: int | None,
                    spare: Sequence[int]) -> None:  # fmt: skip
        """A packed chunk: where the first block of each register of x lies. Without offsets blocks are neighbours."""

    @abstractmethod
    def load_rows(self, x: Sequence[int], places: Sequence[AddressT], width: int, lanes: LanesT, elements: int,
                  spare: Sequence[int]) -> None:  # fmt: skip
        """A chunk from rows along the vectors: for each `width` bytes of a step of k, the place where they begin."""

    @abstractmethod
    def fetch_block(self, y: int, place: AddressT, elements: int, spare: Sequence[int]) -> None:
        """A packed block of two columns."""

    @abstractmethod
    def fetch(
        self, y: int, columns: Sequence[Sequence[AddressT]], width: int, elements: int, spare: Sequence[int]
    ) -> None:
        """One or two columns, each in places of `width` bytes, 8 if a step of k lies side by side."""

    @abstractmethod
    def product(self, acc: Sequence[int], x: Sequence[int], y: int, lanes: LanesT, spare: Sequence[int]) -> None:
        """acc += x * y."""

    @abstractmethod
    def split(self, acc: Sequence[int], spare: int) -> None:
        """Two columns of sums become accumulators."""

    @abstractmethod
    def join(self, acc: Sequence[int], spare: int) -> None:
        """Accumulators become two columns of sums."""

    @abstractmethod
    def finish(self, acc: int, lanes: LanesT) -> None:
        """What is left to be done to an accumulator when all products have been added."""


MmlaUnit: TypeAlias = MmlaUnitOf[General, Address, Lanes]


def halves(count: int, capacity: int) -> int:
    """Registers of X, and of accumulators of two columns, that hold any of `count` rows."""
    return 1 if 2 * count <= capacity else 2
