"""AVX-512 F, BW, DQ and VL: 32 registers, eight masks, embedded broadcasts. Refines AVX2."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...encoder.asm import Assembler
from ...encoder.features import Target
from ...encoder.table import Emitter
from ...encoder.x86.registers import R32, XMM, K, Mem, Reg, mem
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..machine import Facts, Lanes, Vector
from .avx2 import Avx2
from .x86 import X86Address


class Avx512(Avx2):
    """Verbs on zmm, ymm and xmm registers under masks."""

    name = "avx512"

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self._free_masks = list(reversed(K[1:]))

    @classmethod
    def facts_of(cls, target: Target) -> Facts:
        """32 registers; masks have registers of their own."""
        return Facts(target, 32, embedded_broadcast=True, widths=(512, 256, 128))

    def _make_mask(self, count: int, capacity: int, dtype: str) -> Any:
        """k1, k2... in the order of need; the same mask serves every width and type."""
        for lanes in self._lanes.values():
            if lanes.count == count and lanes.mask is not None:
                return lanes.mask
        if not self._free_masks:
            raise UnsupportedError("seven masks at a time, all are taken")
        mask = self._free_masks.pop()
        self.asm.mov(R32[0], (1 << count) - 1)
        self.asm.kmovw(mask, R32[0])
        return mask

    def _release_mask(self, mask: Reg) -> None:
        self._free_masks.append(mask)

    def zero(self, dst: Vector, lanes: Lanes) -> None:
        """Clears all of the register."""
        if dst < 16:
            self.asm.vxorps(XMM[dst], XMM[dst], XMM[dst])
        else:
            self.asm.vpxord(XMM[dst], XMM[dst], XMM[dst])

    def load(self, dst: Vector, address: X86Address, lanes: Lanes) -> None:
        """Plain, or zero-masked."""
        ops = lanes.ops
        reg = ops.file[dst]
        ops.move(reg if lanes.mask is None else reg.kz(lanes.mask), mem(*address))

    def store(self, address: X86Address, src: Vector, lanes: Lanes) -> None:
        """Plain, or masked."""
        ops = lanes.ops
        ops.move(mem(*address) if lanes.mask is None else _masked(address, lanes.mask), ops.file[src])

    def scalar(self, address: X86Address) -> Mem:
        """An embedded broadcast."""
        base, disp, index, scale = address
        return mem(base, disp, index, scale, True)

    def _insert_quarter(self, dst: Vector, src: Reg, quarter: int, lanes: Lanes) -> None:
        self._quarters(lanes, "vinsert")(lanes.ops.file[dst], lanes.ops.file[dst], src, quarter)

    def _extract_quarter(self, dst: Reg, src: Vector, quarter: int, lanes: Lanes) -> None:
        self._quarters(lanes, "vextract")(dst, lanes.ops.file[src], quarter)

    def _quarters(self, lanes: Lanes, verb: str) -> Emitter:
        emitter: Emitter = getattr(self.asm, verb + ("f32x4" if ELEMENT_BYTES[lanes.dtype] == 4 else "f64x2"))
        return emitter

    def _pair_quarters(self, dst: Reg, x: Reg, y: Reg, *, high: bool) -> None:
        """zmm: even or odd quarters of both; two such levels put four quarters in order."""
        if dst.file == "zmm":
            self.asm.vshuff32x4(dst, x, y, 0xDD if high else 0x88)
        else:
            self.asm.vshuff32x4(dst, x, y, 0x3 if high else 0x0)


@lru_cache(maxsize=1 << 12)
def _masked(address: X86Address, mask: Reg) -> Mem:
    """A masked memory operand, made once: equal operands are one object, and encode fast."""
    return mem(*address).k(mask)
