"""MMLA units: matrix multiplications of two rows by two columns in every 128 bits of a register.

    C (2, 2) += X (2, depth) @ Y (2, depth).T        for each 128 bits of registers

A *row vector* of R rows, where R is the number of sums in a register, fills two registers of X with R/2 rows each, 8
bytes of a row side by side. Y is the same for all of X: two columns of 8 bytes each, repeated every 128 bits. The
accumulators of a row vector and two columns occupy two registers, the same number as two columns of sums; `split` and
`join` convert between both forms. Operands may be packed in *blocks* of 16 bytes: 8 bytes, neighbours along k, of each
of two rows (columns).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeAlias

from ..units import BLOCK_BYTES as BLOCK_BYTES
from ..units import COLUMNS as COLUMNS
from .dot_and_tile import Columns, FragmentsOf, GroupsOf, Registers
from .vector_verbs import Address, AddressT, Factor, FactorT, General, GeneralT, Lanes, LanesT, Slot

ROW_BYTES = 8
"""Bytes of one row of a block."""


class MmlaUnitOf(FragmentsOf[AddressT, LanesT, FactorT], Generic[GeneralT, AddressT, LanesT, FactorT]):
    """The verbs of a unit. x and acc are pairs of registers; `lanes` describes a row vector's sums.

    `elements` is how many elements of a step of k are used. It is less than `facts.depth` in a partial last step, where
    the other elements may be read but have no effect.
    """

    registers = 2
    apart: int | None = None
    """The register with the offsets of blocks that are not neighbours."""

    def load_a(
        self, phase: int, x: Registers, places: Sequence[AddressT], groups: GroupsOf, lanes: LanesT, spare: Registers
    ) -> None:
        """Load blocks of two rows, or rows."""
        if groups.across > 1:
            self.load_blocks(x, places, lanes, groups.used, self.apart, spare)
        else:
            self.load_rows(x, places, groups.bytes, lanes, groups.used, spare)

    def load_b(
        self, phase: int, y: int, places: Columns[AddressT], groups: GroupsOf, lanes: LanesT, spare: Registers
    ) -> int | FactorT:
        """Load a block of two columns, or one or two columns."""
        if groups.across > 1:
            self.fetch_block(y, places[0][0], groups.used, spare)
        else:
            self.fetch(y, places, groups.bytes, groups.used, spare)
        return y

    def mma(self, phase: int, acc: Registers, x: Registers, y: int | FactorT, lanes: LanesT, spare: Registers) -> None:
        """Emit the products of both registers of x."""
        assert isinstance(y, int), "columns are in a register"
        self.product(acc, x, y, lanes, spare)

    @abstractmethod
    def prepare(self, lanes: LanesT, width: int) -> None:
        """Set up loads. Call it before any loop for each count of rows; `width` is that of `load_rows`, or 16 for
        packed blocks."""

    @abstractmethod
    def offsets(self, register: int, stride: int | GeneralT | Slot) -> None:
        """Set `register` to the offsets that `load_blocks` needs for blocks a stride apart. Only where a register holds
        several blocks."""

    @abstractmethod
    def load_blocks(
        self,
        x: Sequence[int],
        places: Sequence[AddressT],
        lanes: LanesT,
        elements: int,
        offsets: int | None,
        spare: Sequence[int],
    ) -> None:
        """Load a packed row vector. `places` are the addresses of the first block of each register of x. Without
        offsets, the blocks of a register are neighbours."""

    @abstractmethod
    def load_rows(
        self,
        x: Sequence[int],
        places: Sequence[AddressT],
        width: int,
        lanes: LanesT,
        elements: int,
        spare: Sequence[int],
    ) -> None:
        """Load a row vector of rows that are neighbours in memory. `places` has one address per `width` bytes of k."""

    @abstractmethod
    def fetch_block(self, y: int, address: AddressT, elements: int, spare: Sequence[int]) -> None:
        """Load a packed block of two columns."""

    @abstractmethod
    def fetch(
        self, y: int, columns: Sequence[Sequence[AddressT]], width: int, elements: int, spare: Sequence[int]
    ) -> None:
        """Load one or two columns, each from addresses of `width` bytes; 8 where a step of k is contiguous."""

    @abstractmethod
    def product(self, acc: Sequence[int], x: Sequence[int], y: int, lanes: LanesT, spare: Sequence[int]) -> None:
        """acc += x * y."""


MmlaUnit: TypeAlias = MmlaUnitOf[General, Address, Lanes, Factor]


def halves(count: int, capacity: int) -> int:
    """The number of registers of X, or of accumulators of two columns, that `count` rows occupy."""
    return 1 if 2 * count <= capacity else 2
