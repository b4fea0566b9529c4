"""AVX-512 F, BW, DQ and VL: 32 registers, eight masks, embedded broadcasts. Refines AVX2."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from ....encoder.asm import Assembler
from ....encoder.deferred import lazy
from ....encoder.features import Target
from ....encoder.table import Emitter
from ....encoder.x86.registers import R32, R64, XMM, YMM, ZMM, K, Mem, Reg, mem
from ....encoder.x86.virtual import lowest
from ...contract.machine import Facts, InstructionSelection, Types, Vector, facts_of, no_units
from ...dtypes import ELEMENT_BYTES
from ...errors import UnsupportedError
from .avx2 import FILE, Avx2, Moves, TypedInstructions, shuffles_of, units_of
from .core import X86Address, X86Lanes

if TYPE_CHECKING:
    from ...contract.dot_and_tile import TilesOf, UnitFacts
    from . import amx, avx512_selection

avx512_selection = lazy(__package__, ".avx512_selection")
amx = lazy(__package__, ".amx")

_LOW = {4: "vmovd", 8: "vmovq"}  # moves of a register's first bytes, cheaper than masked moves
_EXPANDS = {1: ("vpexpandb", "kmovq", R64[0]), 2: ("vpexpandw", "kmovd", R32[0]), 4: ("vpexpandd", "kmovw", R32[0])}
"""Bytes of an element -> the expanding load, the move of its mask, and a register for the number of its bits."""
_MASKED = {1: "vmovdqu8", 2: "vmovdqu16", 4: "vmovdqu32", 8: "vmovdqu64"}


def _tiled(target: Target) -> bool:
    """Whether the target has tile registers."""
    return any(name.startswith("AMX") for name in target.features)


def _tile_units_of(target: Target) -> Mapping[Types, UnitFacts]:
    """The tile products of machines/x86/amx.py."""
    return amx.tile_units_of(target)


def _untiled_of(target: Target) -> Facts | None:
    """The facts without tile registers, for planners to compare. None if there are no tiles or they are always used."""
    if not target.chooses_tiles or not _tiled(target):
        return None
    others = frozenset(name for name in target.features if not name.startswith("AMX"))
    return facts_of(Avx512, replace(target, features=others))


def _arithmetic() -> InstructionSelection:
    return avx512_selection.ARITHMETIC


def _bfloat_arithmetic() -> InstructionSelection:
    return avx512_selection.BFLOAT_ARITHMETIC


class Avx512(Avx2):
    """Verbs on zmm, ymm and xmm registers under masks."""

    name = "avx512"

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self._free_masks = list(reversed(K[1:]))
        self._odd: Reg | None = None  # inside `folding`: a mask of every other element

    @classmethod
    def facts_of(cls, target: Target) -> Facts:
        """Describe a machine with 32 vector registers, whose masks have registers of their own."""
        bfloat = "AVX512_BF16" in target.features
        return Avx512Facts(
            target,
            32,
            (512, 256, 128),
            _bfloat_arithmetic if bfloat else _arithmetic,
            shuffles_of,
            embedded_broadcast=True,
            interleaved_rows=8,
            halves=True,
            fold_masks=1,
            expands=frozenset((1, 2, 4) if "AVX512_VBMI2" in target.features else (4,)),
            branches_on_masks=True,
            units_of=partial(units_of, cls),
            tile_units_of=_tile_units_of if _tiled(target) else no_units,
            untiled_of=_untiled_of,
        )

    def tiles(self, x: str, y: str) -> TilesOf[Reg, X86Address, X86Lanes]:
        """The tiles of machines/x86/amx.py."""
        return amx.tiles_of(self, x, y)

    def keep_low(self, dst: Vector, bits: int, lanes: X86Lanes) -> None:
        """Emit a bitwise AND with a constant."""
        register = lanes.ops.file[dst]
        self.asm.vpandd(register, register, Mem(label=self.asm.const(((1 << bits) - 1).to_bytes(4, "little") * 16)))

    def _make_mask(self, count: int, capacity: int, dtype: str) -> Any:
        """Return a mask register, k1 first. One mask serves every width and type."""
        for lanes in self._lanes.values():
            if lanes.count == count and lanes.mask is not None:
                return lanes.mask
        if not self._free_masks:
            raise UnsupportedError("seven masks at a time, all are taken")
        mask = self._free_masks.pop()
        scratch, move = (R32[0], "kmovw" if count <= 16 else "kmovd") if count <= 32 else (R64[0], "kmovq")
        if self._many is None:
            self.asm.mov(scratch, (1 << count) - 1)
        else:
            self.asm.mov(scratch, -1)
            self.asm.bzhi(scratch, scratch, lowest(self._many, scratch.width))
        getattr(self.asm, move)(mask, scratch)
        return mask

    def _has_own_moves(self, count: int, capacity: int, dtype: str) -> bool:
        """Whether the elements are a whole register or its first 4 or 8 bytes."""
        return count == capacity or count * ELEMENT_BYTES[dtype] in _LOW

    def _moves(self, dtype: str, bits: int, count: int) -> Moves | TypedInstructions:
        """The move: one instruction, under a mask if the elements are not a whole register."""
        size = ELEMENT_BYTES[dtype]
        name = "vmovups" if count * size * 8 == bits else _LOW.get(count * size, _MASKED[size])
        moves = Moves(FILE[bits], bits, getattr(self.asm, name))
        return self._halves(moves, count) if dtype == "f16" and "AVX512_FP16" in self.target.features else moves

    def _halves(self, moves: Moves, count: int) -> TypedInstructions:
        """The instructions of f16 arithmetic. A memory operand is as wide as the elements."""
        suffix = "sh" if count == 1 else "ph"
        names = ("vfmadd231ph", f"vfmadd231{suffix}", "vmulph", "vaddph", f"vadd{suffix}", "vpbroadcastw")
        return TypedInstructions(*moves, *(getattr(self.asm, name) for name in names))

    def _release_mask(self, mask: Reg) -> None:
        self._free_masks.append(mask)

    @contextmanager
    def masks(self, count: int) -> Iterator[Sequence[Any]]:
        """Claim k registers other than those that lanes use."""
        if count > len(self._free_masks):
            raise UnsupportedError(f"{count} mask registers: {len(self._free_masks)} of seven are free")
        taken = [self._free_masks.pop(0) for _ in range(count)]
        yield taken
        self._free_masks[:0] = taken

    @contextmanager
    def unless_all(self, masks: Sequence[Any], lanes: X86Lanes) -> Iterator[None]:
        """Test the masks in eax, because kortest cannot test fewer than 8 bits."""
        first, *others = masks
        for mask in others:
            self.asm.kandw(first, first, mask)
        end = self.asm.label()
        self.asm.kmovw(R32[0], first)
        self.asm.not_(R32[0])
        self.asm.test(R32[0], (1 << lanes.capacity) - 1)
        self.asm.je(end)
        yield
        self.asm.bind(end)

    def zero(self, dst: Vector, lanes: X86Lanes) -> None:
        """Clear the whole register."""
        if dst < 16:
            self.asm.vxorps(XMM[dst], XMM[dst], XMM[dst])
        else:
            self.asm.vpxord(XMM[dst], XMM[dst], XMM[dst])

    def load(self, dst: Vector, address: X86Address, lanes: X86Lanes) -> None:
        """Emit a plain load, or a zero-masked one."""
        ops = lanes.ops
        reg = ops.file[dst]
        ops.move(reg if lanes.mask is None else reg.kz(lanes.mask), mem(*address))

    def store(self, address: X86Address, src: Vector, lanes: X86Lanes) -> None:
        """Emit a plain store, or a masked one."""
        ops = lanes.ops
        ops.move(mem(*address) if lanes.mask is None else _masked(address, lanes.mask), ops.file[src])

    def expand(self, dst: Vector, elements: Reg, mask: X86Address, size: int) -> None:
        """Load the mask twice, as a mask and as a number whose bits are counted."""
        spread, move, count = _EXPANDS[size]
        bits = 64 // size
        if not self._free_masks:
            raise UnsupportedError("seven masks at a time, all are taken")
        k = self._free_masks[-1]
        getattr(self.asm, move)(k, mem(*mask, size=bits))
        (self.asm.movzx if bits < 32 else self.asm.mov)(count, mem(*mask, size=bits))
        self.asm.popcnt(count, count)
        getattr(self.asm, spread)(ZMM[dst].kz(k), mem(elements))
        self.asm.lea(elements, mem(elements, 0, R64[0], size))

    def scalar(self, address: X86Address) -> Mem:
        """Return an embedded broadcast."""
        base, disp, index, scale = address
        return mem(base, disp, index, scale, 1)

    def _insert_quarter(self, dst: Vector, src: Reg, quarter: int, lanes: X86Lanes) -> None:
        self._quarters(lanes, "vinsert")(lanes.ops.file[dst], lanes.ops.file[dst], src, quarter)

    def _extract_quarter(self, dst: Reg, src: Vector, quarter: int, lanes: X86Lanes) -> None:
        self._quarters(lanes, "vextract")(dst, lanes.ops.file[src], quarter)

    def _quarters(self, lanes: X86Lanes, verb: str) -> Emitter:
        emitter: Emitter = getattr(self.asm, verb + ("f32x4" if ELEMENT_BYTES[lanes.dtype] == 4 else "f64x2"))
        return emitter

    @contextmanager
    def folding(self) -> Iterator[None]:
        """Set up a mask of every other element, for blends."""
        with self.masks(self.facts.fold_masks) as (mask,):
            self.asm.mov(R32[0], 0xAA)
            self.asm.kmovw(mask, R32[0])
            self._odd = mask
            yield
            self._odd = None

    def neighbours(self, level: int, low: Vector, high: Vector, x: Vector, y: Vector, lanes: X86Lanes) -> None:
        """Use a blend, which runs on any vector pipe, and shuffles that run on more pipes than others do; only within
        128 bits.

        Elements of 32 bits: level 0 pairs 64-bit halves of x and y in every 128 bits, level 1 takes even and odd
        elements.
        """
        words = ELEMENT_BYTES[lanes.dtype] == 4
        file, asm = lanes.ops.file, self.asm
        if self._odd is None or level > words:
            super().neighbours(level, low, high, x, y, lanes)
        elif level == 0:
            asm.vblendmpd(file[low].k(self._odd), file[x], file[y])
            asm.vshufpd(file[high], file[x], file[y], 0x55)
        else:
            asm.vshufps(file[low], file[x], file[y], 0x88)
            asm.vshufps(file[high], file[x], file[y], 0xDD)

    def halve(self, dst: Vector, src: Vector, lanes: X86Lanes) -> None:
        """Extract two quarters of a zmm, or the second half of a ymm."""
        if lanes.ops.file[src].file == "zmm":
            self.asm.vextractf64x4(YMM[dst], lanes.ops.file[src], 1)
        else:
            super().halve(dst, src, lanes)

    def _pair_quarters(self, dst: Reg, x: Reg, y: Reg, *, high: bool) -> None:
        """For zmm, take the even or odd quarters of both; two such levels put four quarters in order."""
        if dst.file == "zmm":
            self.asm.vshuff32x4(dst, x, y, 0xDD if high else 0x88)
        else:
            self.asm.vshuff32x4(dst, x, y, 0x3 if high else 0x0)


@lru_cache(maxsize=1 << 12)
def _masked(address: X86Address, mask: Reg) -> Mem:
    """Return a masked memory operand. Equal operands are one object, so that their encoding is cached."""
    return mem(*address).k(mask)


class Avx512Facts(Facts):
    """Facts of a machine whose masks have registers of their own, valid for all types."""

    def counts_lanes(self, sizes: Collection[int]) -> bool:
        """True for elements of any size."""
        return True
