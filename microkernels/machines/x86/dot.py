"""Code that the tensor units of AVX2 and AVX-512 share: constants, loads of packed and plain rows, loads of groups."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from ....encoder.x86.registers import XMM, YMM, ZMM, Mem, mem
from ...contract.dot_and_tile import UnitFacts, UnitOf
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .core import X86Address, X86Lanes, X86Machine

FILES = {64: XMM, 128: XMM, 256: YMM, 512: ZMM}


class X86Unit(UnitOf[X86Address, X86Lanes, Mem]):
    """Base class of the units of AVX2 and AVX-512. `evex` machines have 32 registers and broadcast from memory."""

    def __init__(self, m: X86Machine, facts: UnitFacts, row_vector: str, group: str) -> None:
        self.m, self.asm, self.facts = m, m.asm, facts
        self.row_vector, self.group = row_vector, group
        self.evex = m.facts.embedded_broadcast
        self.files = FILES[m.facts.widths[0]]
        self.size = ELEMENT_BYTES[row_vector]

    @contextmanager
    def opened(self) -> Iterator[None]:
        """A scope that holds the constants in registers."""
        with self.m.vectors(len(self.values()), "constants") as registers:
            self.constants = [self.files[each] for each in registers]
            for register, value in zip(self.constants, self.values()):
                self.asm.vpbroadcastd(register, Mem(label=self.asm.const(struct.pack("<I", value))))
            yield

    def values(self) -> Sequence[int]:
        """The constants, 32 bits each."""
        return ()

    def prepare(self, lanes: X86Lanes) -> None:
        """Set up lanes of the same count of single elements, for `load_rows`."""
        self.m.lanes(self.row_vector, lanes.count)

    # Parts

    def bitwise(self, verb: str) -> Callable[..., None]:
        """The emitter of vpand, vpor or vpxor. The names of EVEX forms include the element size."""
        emitter: Callable[..., None] = getattr(self.asm, verb + "d" if self.evex else verb)
        return emitter

    def splat(self, value: int, lanes: X86Lanes) -> Mem:
        """A memory operand as wide as the register, with a 32-bit constant in every element."""
        return Mem(label=self.asm.const(struct.pack("<I", value) * (lanes.ops.bits // 32)))

    def widen(self, dst: Vector, address: X86Address, lanes: X86Lanes, *, signed: bool = False) -> None:
        """dst = single elements of 8 or 16 bits, each extended to 32 bits."""
        verb = f"vpmov{'s' if signed else 'z'}x{'bw'[self.size - 1]}d"
        file = lanes.ops.file
        if lanes.full:
            getattr(self.asm, verb)(file[dst], mem(*address))
            return
        self.m.load(dst, address, self.m.lanes(self.row_vector, lanes.count))
        getattr(self.asm, verb)(file[dst], XMM[dst] if lanes.ops.bits * self.size // 4 <= 128 else YMM[dst])

    def keep(self, dst: Vector, lanes: X86Lanes, elements: int) -> None:
        """Clear all but the first elements of each group of dst."""
        file = lanes.ops.file
        self.bitwise("vpand")(file[dst], file[dst], self.splat((1 << 8 * self.size * elements) - 1, lanes))

    def pack_rows(self, dst: Vector, places: Iterable[X86Address], lanes: X86Lanes, spare: Vector) -> None:
        """dst = groups from rows of single elements."""
        file = lanes.ops.file
        for row, address in enumerate(places):
            if row == 0:
                self.widen(dst, address, lanes)
                continue
            self.widen(spare, address, lanes)
            self.asm.vpslld(file[spare], file[spare], 8 * self.size * row)
            self.bitwise("vpor")(file[dst], file[dst], file[spare])

    def gather_group(self, y: Vector, places: Sequence[X86Address], lanes: X86Lanes) -> None:
        """Every group of y = these elements, then zeros."""
        low = XMM[y]
        self.bitwise("vpxor")(low, low, low)
        insert = self.asm.vpinsrb if self.size == 1 else self.asm.vpinsrw
        for number, address in enumerate(places):
            insert(low, low, mem(*address), number)
        self.asm.vpbroadcastd(lanes.ops.file[y], low)

    def broadcast(self, y: Vector, address: X86Address, lanes: X86Lanes) -> None:
        """Every group of y = 32 bits of memory."""
        self.asm.vpbroadcastd(lanes.ops.file[y], mem(*address))

    def embedded(self, address: X86Address) -> Mem:
        """A memory operand of 32 bits, broadcast by the instruction that reads it."""
        base, disp, index, scale = address
        return mem(base, disp, index, scale, 1)
