"""AMX: eight tile registers and their products.

Sources: Intel SDM vol. 2; optimization manual, 20.5 and table 20-2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ...encoder.features import Target
from ...encoder.x86.registers import REGISTERS, Mem, mem
from ..errors import UnsupportedError
from ..machine import Amount, Lanes, Vector
from ..units import TileFacts, Tiles, TileShape, UnitFacts
from .x86 import X86Address
from .x86_dots import Dot

if TYPE_CHECKING:
    from .avx2 import Avx2

_TMM = tuple(REGISTERS[f"tmm{i}"] for i in range(8))
_PALETTE = 1
_PRODUCTS = {
    ("bf16", "bf16"): ("tdpbf16ps", "AMX_BF16"),
    ("f16", "f16"): ("tdpfp16ps", "AMX_FP16"),
    ("i8", "i8"): ("tdpbssd", "AMX_INT8"),
    ("u8", "i8"): ("tdpbusd", "AMX_INT8"),
    ("i8", "u8"): ("tdpbsud", "AMX_INT8"),
}
"""Element types of X and Y -> instruction and feature."""


def facts_of(target: Target) -> Callable[[str, str], TileFacts | None]:
    """`Facts.tile` of a target."""

    def found(x: str, y: str) -> TileFacts | None:
        name, feature = _PRODUCTS.get((x, y), ("", ""))
        if feature not in target.features:
            return None
        return TileFacts(name.upper(), 4 if feature == "AMX_INT8" else 2)

    return found


class X86Tiles(Tiles):
    """Tiles of one kernel."""

    def __init__(self, m: Avx2, facts: TileFacts, y: str) -> None:
        self.m, self.asm, self.facts = m, m.asm, facts
        self._rows_of_y = Dot(m, UnitFacts(facts.name, facts.depth), y, y)
        self._product = getattr(m.asm, facts.name.lower())

    def configure(self, shapes: Sequence[TileShape]) -> None:
        """Bytes 0: palette; 16 to 31: bytes per row, 16 bits each; 48 to 55: rows."""
        data = bytearray(64)
        data[0] = _PALETTE
        for number, (rows, row_bytes) in enumerate(shapes):
            data[16 + 2 * number : 18 + 2 * number] = row_bytes.to_bytes(2, "little")
            data[48 + number] = rows
        self.asm.ldtilecfg(Mem(label=self.asm.const(bytes(data))))

    def release(self) -> None:
        """Back to the initial state, which is cheap to save."""
        self.asm.tilerelease()

    def prepare(self, lanes: Lanes) -> None:
        """What loads of plain rows need."""
        self._rows_of_y.prepare(lanes)

    def interleave(self, dst: Vector, places: Iterable[X86Address], lanes: Lanes, spare: Vector) -> None:
        """Widened, shifted and joined."""
        self._rows_of_y.pack_rows(dst, places, lanes, spare)

    def zero(self, tile: int) -> None:
        """tilezero."""
        self.asm.tilezero(_TMM[tile])

    def load(self, tile: int, place: X86Address, stride: Amount) -> None:
        """tileloadd."""
        self.asm.tileloadd(_TMM[tile], self._rows(place, stride))

    def store(self, place: X86Address, stride: Amount, tile: int) -> None:
        """tilestored."""
        self.asm.tilestored(self._rows(place, stride), _TMM[tile])

    def product(self, c: int, x: int, y: int) -> None:
        """The instruction of these types."""
        self._product(_TMM[c], _TMM[x], _TMM[y])

    def _rows(self, place: X86Address, stride: Amount) -> Mem:
        base, disp, index, _ = place
        if index is not None:
            raise UnsupportedError("a tile's address has its stride as index")
        return mem(base, disp, self.m.value(stride), 1)


def tiles_of(m: Avx2, x: str, y: str) -> Tiles:
    """`Machine.tiles`."""
    facts = facts_of(m.target)(x, y)
    assert facts is not None, "the planner asks the facts first"
    return X86Tiles(m, facts, y)
