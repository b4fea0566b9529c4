"""The multiply-add of vectors as a unit: row vectors of single elements times one element, in the verbs of a machine.

With it every product of a GEMM is one of units, whose interface, row and counts are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic

from .dot_and_tile import UnitFacts, UnitOf
from .vector_verbs import AddressT, FactorT, GeneralT, LanesT

if TYPE_CHECKING:
    from .machine import MachineOf


class MultiplyAddOf(UnitOf[AddressT, LanesT, FactorT], Generic[GeneralT, AddressT, LanesT, FactorT]):
    """acc = fma(x, y, acc), in the type of the operands. A unit of single elements whose instruction takes them as they
    are stored, but adds in another type, differs in `product` alone."""

    def __init__(
        self, m: MachineOf[GeneralT, AddressT, LanesT, FactorT], facts: UnitFacts, row_vector: str, group: str
    ) -> None:
        self.m, self.facts, self.dtype = m, facts, row_vector

    def prepare(self, lanes: LanesT) -> None:
        """Set up lanes of the operands."""
        self._stored(lanes)

    def load(self, phase: int, x: int, address: AddressT, lanes: LanesT, elements: int) -> None:
        """Load the row vector as it is stored."""
        self.m.load(x, address, self._stored(lanes))

    def load_rows(self, phase: int, x: int, places: Sequence[AddressT], lanes: LanesT, spare: Sequence[int]) -> None:
        """Load the only row of a step."""
        self.m.load(x, places[0], self._stored(lanes))

    def fetch(self, phase: int, y: int, address: AddressT, lanes: LanesT, embed: bool) -> int | FactorT:
        """Broadcast one element, by the product's own memory operand if `embed` allows it."""
        if embed and self.facts.embeds:
            return self.m.scalar(address)
        self.m.broadcast(y, address, self._stored(lanes))
        return y

    def fetch_strided(self, phase: int, y: int, places: Sequence[AddressT], lanes: LanesT) -> int | FactorT:
        """Fetch the only element of a step."""
        return self.fetch(phase, y, places[0], lanes, False)

    def product(self, phase: int, acc: int, x: int, y: int | FactorT, lanes: LanesT, spare: Sequence[int]) -> None:
        """Emit one multiply-add."""
        self.m.fma(acc, x, y, lanes)

    def _stored(self, lanes: LanesT) -> LanesT:
        """The lanes of as many elements of an operand."""
        return self.m.lanes(self.dtype, lanes.count)
