"""AMX: eight tile registers and their products.

Sources: Intel SDM vol. 2; optimization manual, 20.5, table 20-2, and 20.11.3 for the port that sleeps beside products.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from ....encoder.features import Target
from ....encoder.x86.registers import R32, REGISTERS, ZMM, Mem, Reg, byte, dword, mem
from ....encoder.x86.virtual import lowest
from ...contract.dot_and_tile import GROUP_BYTES, HELD, OWN, TileShape, TilesOf, UnitFacts
from ...contract.equation import sum_type
from ...contract.machine import Types, Vector
from ...contract.tensor_instruction import TILES, instruction_of
from ...dtypes import ELEMENT_BYTES
from ...errors import UnsupportedError
from .core import Amount, X86Address, X86Lanes, X86Machine
from .dot_native import NativeDot

_TMM = tuple(REGISTERS[f"tmm{i}"] for i in range(8))
_PALETTE = 1
_CONFIGURATION = 64  # bytes
_ROWS = 48  # offset of the row counts
_NOT_EQUAL = 4  # predicate of vpcmpd
_PRODUCTS = {
    ("bf16", "bf16"): ("tdpbf16ps", "AMX_BF16"),
    ("f16", "f16"): ("tdpfp16ps", "AMX_FP16"),
    ("i8", "i8"): ("tdpbssd", "AMX_INT8"),
    ("u8", "i8"): ("tdpbusd", "AMX_INT8"),
    ("i8", "u8"): ("tdpbsud", "AMX_INT8"),
    ("u8", "u8"): ("tdpbuud", "AMX_INT8"),
}
"""Maps element types of X and Y to the instruction and its feature."""
_TILES = UnitFacts(
    "",
    0,
    latency=52,
    accumulators=8,
    side=16,
    steps=16,
    product_cycles=16,
    load_cycles=8,
    split_cycles=45,
    store_cycles=16,
    lone_instructions=(100, 300),
)


@cache
def tile_units_of(target: Target) -> dict[Types, UnitFacts]:
    """`Facts.tile_units` of a target."""
    return {types: _facts(types, name) for types, (name, feature) in _PRODUCTS.items() if feature in target.features}


def _facts(types: Types, instruction: str) -> UnitFacts:
    depth = GROUP_BYTES // ELEMENT_BYTES[types[0]]
    row = instruction_of(instruction.upper(), TILES[depth], (*types, sum_type(types[0])), single=True)
    return _TILES._replace(name=row.name, depth=depth, instruction=row)


def configuration(shapes: Sequence[TileShape]) -> bytes:
    """Return the operand of LDTILECFG. Byte 0: palette; 16 to 31: bytes per row, 16 bits each; 48 to 55: rows."""
    data = bytearray(_CONFIGURATION)
    data[0] = _PALETTE
    for number, (rows, row_bytes) in enumerate(shapes):
        data[16 + 2 * number : 18 + 2 * number] = row_bytes.to_bytes(2, "little")
        data[_ROWS + number] = rows
    return bytes(data)


class X86Tiles(TilesOf[Reg, X86Address, X86Lanes]):
    """The tile registers of one kernel."""

    state_bytes = 2 * _CONFIGURATION  # the thread's configuration, and a flag that says whether it differs

    def __init__(self, m: X86Machine, facts: UnitFacts, y: str) -> None:
        self.m, self.asm, self.facts = m, m.asm, facts
        self._rows_of_y = NativeDot(m, UnitFacts(facts.name, facts.depth), y, y)
        self._product = getattr(m.asm, facts.name.lower())

    @contextmanager
    def opened(self, shapes: Sequence[TileShape], who: str, address: X86Address | None) -> Iterator[None]:
        """Configure the tiles by LDTILECFG, and release them by TILERELEASE, together 204 cycles. Released tiles make
        context switches cheap."""
        if who == HELD:
            yield
            return
        if who == OWN:
            self.configure(shapes)
            yield
            self.asm.tilerelease()
            return
        wanted = Mem(label=self.asm.const(configuration(shapes)))
        assert address is not None, "SHARED needs memory to compare configurations"
        with self._unless_equal(wanted, address) as differs:
            self.asm.ldtilecfg(wanted)
        yield
        ready = self.asm.label()
        self.asm.cmp(differs, 0)
        self.asm.je(ready)
        self.asm.tilerelease()
        self.asm.bind(ready)

    def configure(self, shapes: Sequence[TileShape]) -> None:
        """Emit ldtilecfg."""
        self.asm.ldtilecfg(Mem(label=self.asm.const(configuration(shapes))))

    @contextmanager
    def opened_dynamic(self, shapes: Sequence[TileShape], address: X86Address) -> Iterator[None]:
        """Copy the configuration to memory, and release the tiles by TILERELEASE."""
        with self.m.vectors(1, "configuration") as (number,):
            self.asm.vmovdqu32(ZMM[number], Mem(label=self.asm.const(configuration(shapes))))
            self.asm.vmovdqu32(mem(*address), ZMM[number])
        yield
        self.asm.tilerelease()

    def configure_dynamic(self, dynamic: Iterable[int], rows: Amount, address: X86Address) -> None:
        """Store the row count of each counted register into the configuration, and emit ldtilecfg."""
        base, disp, _, _ = address
        low = lowest(self.m.value(rows), 8)
        for each in dynamic:
            self.asm.mov(byte[base + disp + _ROWS + each], low)
        self.asm.ldtilecfg(mem(*address))

    @contextmanager
    def _unless_equal(self, wanted: Mem, address: X86Address) -> Iterator[Mem]:
        """Run the body unless the thread has the wanted configuration: STTILECFG, 19 cycles, and a comparison."""
        base, disp, _, _ = address
        differs, difference, ready = dword[base + disp + _CONFIGURATION], R32[0], self.asm.label()
        self.asm.sttilecfg(mem(*address))
        with self.m.vectors(1, "configuration") as (number,), self.m.masks(1) as (mask,):
            self.asm.vmovdqu32(ZMM[number], mem(*address))
            self.asm.vpcmpd(mask, ZMM[number], wanted, _NOT_EQUAL)
            self.asm.kmovw(difference, mask)
        self.asm.mov(differs, difference)
        self.asm.test(difference, difference)
        self.asm.je(ready)
        yield differs
        self.asm.bind(ready)

    def prepare(self, lanes: X86Lanes) -> None:
        """Set up the lanes for loads of plain rows."""
        self._rows_of_y.prepare(lanes)

    def interleave(self, dst: Vector, places: Iterable[X86Address], lanes: X86Lanes, spare: Vector) -> None:
        """Widen the rows, shift them and join them by OR."""
        self._rows_of_y.pack_rows(dst, places, lanes, spare)

    def zero(self, accumulator: int) -> None:
        """Emit tilezero."""
        self.asm.tilezero(_TMM[accumulator])

    def load(self, tile: int, address: X86Address, stride: Amount, streaming: bool = False) -> None:
        """Emit tileloadd, or, if streaming, tileloaddt1, whose hint keeps the rows out of L1."""
        (self.asm.tileloaddt1 if streaming else self.asm.tileloadd)(_TMM[tile], self._rows(address, stride))

    def store(self, address: X86Address, stride: Amount, tile: int) -> None:
        """Emit tilestored."""
        self.asm.tilestored(self._rows(address, stride), _TMM[tile])

    def product(self, c: int, x: int, y: int) -> None:
        """Emit the product instruction of these types."""
        self._product(_TMM[c], _TMM[x], _TMM[y])

    def _rows(self, address: X86Address, stride: Amount) -> Mem:
        base, disp, index, _ = address
        if index is not None:
            raise UnsupportedError("a tile's address has its stride as index")
        return mem(base, disp, self.m.value(stride), 1)


def tiles_of(m: X86Machine, x: str, y: str) -> TilesOf[Reg, X86Address, X86Lanes]:
    """Implement `Machine.tiles`."""
    facts = m.facts.tile(x, y)
    assert facts is not None, "planners use only tiles that the facts describe"
    return X86Tiles(m, facts, y)
