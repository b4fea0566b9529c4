"""Tensor units of x86-64: VDPBF16PS, VPDPBUSD and VPDPWSSD, the sequences that replace them, and conversions.

A replacement gives the same bits. VDPBF16PS is two fused multiply-adds, the high (odd) product first, to nearest even,
with denormals taken and given as zero whatever MXCSR says: so the emulation runs under an MXCSR of its own. Sums of
integers wrap, so widening to 16 bits and VPMADDWD give what VPDPBUSD and VPDPWSSD give; VPMADDUBSW would saturate.
Sources: Intel SDM vol. 2; docs/mixed-precision.md.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ...encoder.features import Target
from ...encoder.x86.registers import XMM, YMM, ZMM, Mem, Reg, mem
from ..dtypes import ELEMENT_BYTES
from ..gemm_spec import TILED
from ..machine import Lanes, Vector
from ..units import Unit, UnitFacts
from .x86 import X86Address

if TYPE_CHECKING:
    from .avx2 import Avx2

FILES = {64: XMM, 128: XMM, 256: YMM, 512: ZMM}
_FLUSHED = 0x9FC0  # MXCSR: all exceptions masked, to nearest even, FTZ and DAZ
_HIGH = 0xFFFF_0000  # the odd element of a pair of 16 bits


class X86Unit(Unit):
    """What the units of AVX2 and AVX-512 share. `evex` machines have 32 registers and broadcast from memory."""

    def __init__(self, m: Avx2, facts: UnitFacts, chunk: str, group: str) -> None:
        self.m, self.asm, self.facts = m, m.asm, facts
        self.chunk, self.group = chunk, group
        self.evex = m.facts.embedded_broadcast
        self.files = FILES[m.facts.widths[0]]
        self.size = ELEMENT_BYTES[chunk]

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Constants in registers."""
        with self.m.vectors(self.facts.constants, "constants") as registers:
            self.constants = [self.files[each] for each in registers]
            for register, value in zip(self.constants, self.values()):
                self.asm.vpbroadcastd(register, Mem(label=self.asm.const(struct.pack("<I", value))))
            yield

    def values(self) -> Sequence[int]:
        """The constants, 32 bits each."""
        return ()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Nothing to switch."""
        yield

    def prepare(self, lanes: Lanes) -> None:
        """Rows of single elements are loaded as many at a time."""
        self.m.lanes(self.chunk, lanes.count)

    # Parts

    def bitwise(self, verb: str) -> Callable[..., None]:
        """vpand, vpor or vpxor; EVEX forms name the size of an element."""
        emitter: Callable[..., None] = getattr(self.asm, verb + "d" if self.evex else verb)
        return emitter

    def splat(self, value: int, lanes: Lanes) -> Mem:
        """A constant of 32 bits in every element of a memory operand as wide as the register."""
        return Mem(label=self.asm.const(struct.pack("<I", value) * (lanes.ops.bits // 32)))

    def widen(self, dst: Vector, place: X86Address, lanes: Lanes, *, signed: bool = False) -> None:
        """dst = single elements of 8 or 16 bits, each in 32 bits."""
        verb = f"vpmov{'s' if signed else 'z'}x{'bw'[self.size - 1]}d"
        file = lanes.ops.file
        if lanes.full:
            getattr(self.asm, verb)(file[dst], mem(*place))
            return
        self.m.load(dst, place, self.m.lanes(self.chunk, lanes.count))
        getattr(self.asm, verb)(file[dst], XMM[dst] if lanes.ops.bits * self.size // 4 <= 128 else YMM[dst])

    def keep(self, dst: Vector, lanes: Lanes, elements: int) -> None:
        """Only the first elements of each group stay."""
        file = lanes.ops.file
        self.bitwise("vpand")(file[dst], file[dst], self.splat((1 << 8 * self.size * elements) - 1, lanes))

    def pack_rows(self, dst: Vector, places: Sequence[X86Address], lanes: Lanes, spare: Vector) -> None:
        """dst = groups from rows of single elements."""
        file = lanes.ops.file
        self.widen(dst, places[0], lanes)
        for row, place in enumerate(places[1:], 1):
            self.widen(spare, place, lanes)
            self.asm.vpslld(file[spare], file[spare], 8 * self.size * row)
            self.bitwise("vpor")(file[dst], file[dst], file[spare])

    def gather_group(self, y: Vector, places: Sequence[X86Address], lanes: Lanes) -> None:
        """Every group of y = these elements, then zeros."""
        low = XMM[y]
        self.bitwise("vpxor")(low, low, low)
        insert = self.asm.vpinsrb if self.size == 1 else self.asm.vpinsrw
        for number, place in enumerate(places):
            insert(low, low, mem(*place), number)
        self.asm.vpbroadcastd(lanes.ops.file[y], low)

    def broadcast(self, y: Vector, place: X86Address, lanes: Lanes) -> None:
        """Every group of y = 32 bits of memory."""
        self.asm.vpbroadcastd(lanes.ops.file[y], mem(*place))

    def embedded(self, place: X86Address) -> Mem:
        """32 bits of memory, broadcast by the instruction that reads them."""
        base, disp, index, scale = place
        return mem(base, disp, index, scale, True)


class Dot(X86Unit):
    """One instruction for each product: sums of two or four products in 32 bits."""

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: Lanes, spare: Sequence[Vector]) -> None:
        """The instruction of these types."""
        file = lanes.ops.file
        group = file[y] if y.__class__ is int else y
        if self.chunk == "bf16":
            self.asm.vdpbf16ps(file[acc], file[x], group)
        elif self.chunk == "i16":
            self.asm.vpdpwssd(file[acc], file[x], group)
        elif self.chunk == "u8":
            self.asm.vpdpbusd(file[acc], file[x], group)
        else:  # the unsigned factor comes first
            self.asm.vpdpbusd(file[acc], group, file[x])

    def load(self, phase: int, x: Vector, place: X86Address, lanes: Lanes, elements: int) -> None:
        """As it lies."""
        self.m.load(x, place, lanes)
        if elements < self.facts.depth:
            self.keep(x, lanes, elements)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: Lanes, spare: Sequence[Vector]
    ) -> None:
        """Rows interleaved."""
        self.pack_rows(x, places, lanes, spare[0])

    def fetch(self, phase: int, y: Vector, place: X86Address, lanes: Lanes, embed: bool) -> Any:
        """A broadcast, by the product itself where it can."""
        if embed and self.facts.embeds:
            return self.embedded(place)
        self.broadcast(y, place, lanes)
        return y

    def fetch_apart(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: Lanes) -> Any:
        """Elements inserted one by one."""
        self.gather_group(y, places, lanes)
        return y


class BiasedDot(Dot):
    """i8 by i8 on VPDPBUSD: a b = (a + 128) b - 128 b, with the sums of 128 b kept beside, exact modulo 2^32."""

    def values(self) -> Sequence[int]:
        """128 in every byte: to be added without a carry, and the factor of the correction."""
        return (0x8080_8080,)

    def fetch(self, phase: int, y: Vector, place: X86Address, lanes: Lanes, embed: bool) -> Any:
        """Biased."""
        if self.evex:
            self._bias(y, lanes, self.embedded(place))
            return y
        self.broadcast(y, place, lanes)
        self._bias(y, lanes, lanes.ops.file[y])
        return y

    def fetch_apart(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: Lanes) -> Any:
        """Biased, the missing elements too: the correction has them as well."""
        self.gather_group(y, places, lanes)
        self._bias(y, lanes, lanes.ops.file[y])
        return y

    def _bias(self, y: Vector, lanes: Lanes, group: Any) -> None:
        self.bitwise("vpxor")(lanes.ops.file[y], self._constant(lanes), group)

    def _constant(self, lanes: Lanes) -> Reg:
        register: Reg = lanes.ops.file[self.constants[0].num]
        return register

    def correct(self, correction: Vector, x: Vector, lanes: Lanes) -> None:
        """correction += 128 times the sum of each group."""
        self.asm.vpdpbusd(lanes.ops.file[correction], self._constant(lanes), lanes.ops.file[x])

    def subtract(self, acc: Vector, correction: Vector, lanes: Lanes) -> None:
        """acc -= correction."""
        file = lanes.ops.file
        self.asm.vpsubd(file[acc], file[acc], file[correction])


class Halves(X86Unit):
    """Two phases: each takes one half of every group, widened; `high` says which half a phase takes."""

    def high(self, phase: int) -> bool:
        """The odd elements."""
        return phase == 1

    def half(self, phase: int, dst: Vector, source: Any, lanes: Lanes, signed: bool) -> None:
        """dst = one half of the groups in `source`, a register or, with EVEX, memory."""
        raise NotImplementedError

    def load(self, phase: int, x: Vector, place: X86Address, lanes: Lanes, elements: int) -> None:
        """The half from memory where an instruction does both, else from the loaded groups."""
        file = lanes.ops.file
        signed = self.chunk[0] == "i"
        whole = elements == self.facts.depth
        if whole and self.evex and (lanes.full or lanes.mask is not None):
            dst = file[x] if lanes.full else file[x].kz(lanes.mask)
            self._half_of_memory(phase, dst, x, mem(*place), lanes, signed)
            return
        self.m.load(x, place, lanes)
        if not whole:
            self.keep(x, lanes, elements)
        self.half(phase, x, file[x], lanes, signed)

    def _half_of_memory(self, phase: int, dst: Reg, x: Vector, source: Mem, lanes: Lanes, signed: bool) -> None:
        raise NotImplementedError

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: Lanes, spare: Sequence[Vector]
    ) -> None:
        """Interleaved, then halved."""
        self.pack_rows(x, places, lanes, spare[0])
        self.half(phase, x, lanes.ops.file[x], lanes, self.chunk[0] == "i")

    def fetch_apart(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: Lanes) -> Any:
        """Gathered, then halved."""
        self.gather_group(y, places, lanes)
        self.half(phase, y, lanes.ops.file[y], lanes, self.group[0] == "i")
        return y


class PairsByFma(Halves):
    """VDPBF16PS by two FMAs: a bf16 is the upper half of the f32 of the same value."""

    def values(self) -> Sequence[int]:
        """The mask of high elements."""
        return (_HIGH,)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Under an MXCSR of its own, and back to the caller's, flags included: VDPBF16PS raises none."""
        with super().opened():
            self.saved = self.m.word(self.m.slot())
            self.asm.vstmxcsr(self.saved)
            self._flush()
            yield
            self.asm.vldmxcsr(self.saved)

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Under the caller's MXCSR."""
        self.asm.vldmxcsr(self.saved)
        yield
        self._flush()

    def _flush(self) -> None:
        self.asm.vldmxcsr(Mem(label=self.asm.const(struct.pack("<I", _FLUSHED)), size=32))

    def high(self, phase: int) -> bool:
        """The odd product first."""
        return phase == 0

    def half(self, phase: int, dst: Vector, source: Any, lanes: Lanes, signed: bool) -> None:
        """Masked, or shifted up."""
        file = lanes.ops.file
        if self.high(phase):
            self.bitwise("vpand")(file[dst], file[self.constants[0].num], source)
        else:
            self.asm.vpslld(file[dst], source, 16)

    def _half_of_memory(self, phase: int, dst: Reg, x: Vector, source: Mem, lanes: Lanes, signed: bool) -> None:
        if self.high(phase):
            self.asm.vpandd(dst, lanes.ops.file[self.constants[0].num], source)
        else:
            self.asm.vpslld(dst, source, 16)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: Lanes, spare: Sequence[Vector]
    ) -> None:
        """One row a phase; a missing one is zeros."""
        row = 1 if self.high(phase) else 0
        if row >= len(places):
            self.m.zero(x, lanes)
            return
        self.widen(x, places[row], lanes)
        self.asm.vpslld(lanes.ops.file[x], lanes.ops.file[x], 16)

    def fetch(self, phase: int, y: Vector, place: X86Address, lanes: Lanes, embed: bool) -> Any:
        """One instruction with EVEX."""
        if self.evex:
            self.half(phase, y, self.embedded(place), lanes, signed=False)
        else:
            self.broadcast(y, place, lanes)
            self.half(phase, y, lanes.ops.file[y], lanes, signed=False)
        return y

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: Lanes, spare: Sequence[Vector]) -> None:
        """acc = fma(x, y, acc)."""
        self.m.fma(acc, x, y, lanes)


class FastPairsByFma(PairsByFma):
    """The same under the caller's MXCSR: other bits where operands, sums or results are denormal, or rounding is."""

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Only the mask."""
        with X86Unit.opened(self):
            yield

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Nothing to switch."""
        yield


class TilePairsByFma(PairsByFma):
    """TDPBF16PS: odd and even products of up to 16 pairs in two chains from +0, then acc + (even + odd)."""

    def fold(self, acc: Vector, parts: Sequence[Vector], lanes: Lanes) -> None:
        """Two additions."""
        odd, even = parts
        self.m.add(even, even, odd, lanes)
        self.m.add(acc, acc, even, lanes)


class TileHalvesByFma(TilePairsByFma):
    """TDPFP16PS: the same of f16, whose denormals count: VCVTPH2PS converts them whatever MXCSR says."""

    def values(self) -> Sequence[int]:
        """None."""
        return ()

    def half(self, phase: int, dst: Vector, source: Any, lanes: Lanes, signed: bool) -> None:
        """The high or low words side by side, then converted."""
        file = lanes.ops.file
        part = FILES[lanes.ops.bits // 2][dst]
        if self.high(phase):
            self.asm.vpsrld(file[dst], source, 16)
            source = file[dst]
        if self.evex:
            self.asm.vpmovdw(part, source)
        else:
            self.bitwise("vpand")(file[dst], source, self.splat(0xFFFF, lanes))
            self.asm.vpackusdw(file[dst], file[dst], file[dst])
            if lanes.ops.bits == 256:
                self.asm.vpermq(file[dst], file[dst], 0x08)
        self.asm.vcvtph2ps(file[dst], part)

    def load(self, phase: int, x: Vector, place: X86Address, lanes: Lanes, elements: int) -> None:
        """Loaded, then halved."""
        self.m.load(x, place, lanes)
        if elements < self.facts.depth:
            self.keep(x, lanes, elements)
        self.half(phase, x, lanes.ops.file[x], lanes, signed=False)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: Lanes, spare: Sequence[Vector]
    ) -> None:
        """One row a phase; a missing one is zeros."""
        row = 1 if self.high(phase) else 0
        if row >= len(places):
            self.m.zero(x, lanes)
            return
        self.m.load(x, places[row], self.m.lanes(self.chunk, lanes.count))
        self.asm.vcvtph2ps(lanes.ops.file[x], FILES[lanes.ops.bits // 2][x])

    def fetch(self, phase: int, y: Vector, place: X86Address, lanes: Lanes, embed: bool) -> Any:
        """One word to all, then converted."""
        self._element(y, self.m.further(place, 2 if self.high(phase) else 0), lanes)
        return y

    def fetch_apart(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: Lanes) -> Any:
        """The element of the phase; a missing one is zero."""
        number = 1 if self.high(phase) else 0
        if number < len(places):
            self._element(y, places[number], lanes)
        else:
            self.m.zero(y, lanes)
        return y

    def _element(self, y: Vector, place: X86Address, lanes: Lanes) -> None:
        part = FILES[lanes.ops.bits // 2][y]
        self.asm.vpbroadcastw(part, mem(*place))
        self.asm.vcvtph2ps(lanes.ops.file[y], part)


class QuadsByWords(Halves):
    """VPDPBUSD by VPMADDWD: bytes 0 and 2 of each group, then 1 and 3, widened to 16 bits."""

    def half(self, phase: int, dst: Vector, source: Any, lanes: Lanes, signed: bool) -> None:
        """Shifts within words, which fill up with the sign or with zeros."""
        register = lanes.ops.file[dst]
        shift_right = self.asm.vpsraw if signed else self.asm.vpsrlw
        if self.high(phase):
            shift_right(register, source, 8)
        elif signed:
            self.asm.vpsllw(register, source, 8)
            shift_right(register, register, 8)
        else:
            self.bitwise("vpand")(register, lanes.ops.file[self.constants[0].num], source)

    def values(self) -> Sequence[int]:
        """The mask of even bytes."""
        return (0x00FF_00FF,)

    def load(self, phase: int, x: Vector, place: X86Address, lanes: Lanes, elements: int) -> None:
        """Loaded, then halved: no shift of words takes a mask of groups."""
        self.m.load(x, place, lanes)
        if elements < self.facts.depth:
            self.keep(x, lanes, elements)
        self.half(phase, x, lanes.ops.file[x], lanes, self.chunk[0] == "i")

    def fetch(self, phase: int, y: Vector, place: X86Address, lanes: Lanes, embed: bool) -> Any:
        """A broadcast, then halved."""
        self.broadcast(y, place, lanes)
        self.half(phase, y, lanes.ops.file[y], lanes, self.group[0] == "i")
        return y

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: Lanes, spare: Sequence[Vector]) -> None:
        """Two products of 16 bits each fit, and sums of 32 bits wrap."""
        file = lanes.ops.file
        self.asm.vpmaddwd(file[spare[0]], file[x], file[y])
        self.asm.vpaddd(file[acc], file[acc], file[spare[0]])


class PairsByWords(Dot):
    """VPDPWSSD by VPMADDWD: -32768 squared twice wraps to -2^31, as it does in VPDPWSSD."""

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: Lanes, spare: Sequence[Vector]) -> None:
        """Two products, their sum added."""
        file = lanes.ops.file
        self.asm.vpmaddwd(file[spare[0]], file[x], file[y])
        self.asm.vpaddd(file[acc], file[acc], file[spare[0]])


class _Row(NamedTuple):
    """A unit that a processor has with one of these sets of features; of the first row that fits."""

    chunks: str
    groups: str
    features: tuple[str, ...]
    numerics: str
    unit: type[X86Unit]
    facts: UnitFacts


_EXACT, _ANY = "exact", ""
_VNNI = ("AVX512_VNNI", "AVX_VNNI")
_DPBF16 = UnitFacts("VDPBF16PS", 2, latency=6, plain=4, apart=4, embeds=True, temporaries=1)
_FMA16 = UnitFacts("VDPBF16PS", 2, emulated=True, phases=2, plain=2, fetch=2, apart=5, temporaries=0, constants=1)
_BUSD = UnitFacts("VPDPBUSD", 4, latency=4, plain=10, apart=6, temporaries=1)
_WORDS = UnitFacts("VPDPBUSD", 4, emulated=True, phases=2, product=2, packed=2, plain=12, fetch=2, apart=7,
                   temporaries=1, constants=1)  # fmt: skip
_WSSD = UnitFacts("VPDPWSSD", 2, latency=4, plain=4, apart=4, embeds=True, temporaries=1)

_TILE = _FMA16._replace(name="TDPBF16PS", block=16)
_TILE_HALVES = UnitFacts("TDPFP16PS", 2, emulated=True, phases=2, packed=4, plain=2, fetch=2, apart=2, block=16)

_ROWS = (
    _Row("bf16", "bf16", ("FMA",), TILED, TilePairsByFma, _TILE),
    _Row("f16", "f16", ("F16C",), TILED, TileHalvesByFma, _TILE_HALVES),
    _Row("bf16", "bf16", ("AVX512_BF16",), _ANY, Dot, _DPBF16),
    _Row("bf16", "bf16", ("FMA",), _EXACT, PairsByFma, _FMA16),
    _Row("bf16", "bf16", ("FMA",), _ANY, FastPairsByFma, _FMA16._replace(name="VDPBF16PS but for denormals")),
    _Row("u8", "i8", _VNNI, _ANY, Dot, _BUSD._replace(embeds=True)),
    _Row("i8", "u8", _VNNI, _ANY, Dot, _BUSD),
    _Row("i8", "i8", _VNNI, _ANY, BiasedDot, _BUSD._replace(constants=1, corrected=True)),
    _Row("u8", "i8", ("AVX2",), _ANY, QuadsByWords, _WORDS),
    _Row("i8", "u8", ("AVX2",), _ANY, QuadsByWords, _WORDS),
    _Row("i8", "i8", ("AVX2",), _ANY, QuadsByWords, _WORDS._replace(packed=3)),
    _Row("i16", "i16", _VNNI, _ANY, Dot, _WSSD),
    _Row("i16", "i16", ("AVX2",), _ANY, PairsByWords,
         _WSSD._replace(emulated=True, product=2, embeds=False)),
)  # fmt: skip
"""Native units before those that replace them."""


def _row(target: Target, chunk: str, group: str, numerics: str) -> _Row | None:
    wide = target.vector_bits == 512
    for row in _ROWS:
        usable = {each for each in row.features if not wide or each != "AVX_VNNI"}  # no VEX unit for zmm registers
        asked = (row.chunks, row.groups) == (chunk, group) and row.numerics in (_ANY, numerics)
        if asked and target.features & usable:
            return row
    return None


def facts_of(target: Target) -> Callable[[str, str, str], UnitFacts | None]:
    """`Facts.unit` of a target."""

    def found(chunk: str, group: str, numerics: str) -> UnitFacts | None:
        row = _row(target, chunk, group, numerics)
        return row.facts if row else None

    return found


def unit_of(m: Avx2, chunk: str, group: str, numerics: str) -> Unit:
    """`Machine.unit`."""
    row = _row(m.target, chunk, group, numerics)
    assert row is not None, "the planner asks the facts first"
    return row.unit(m, row.facts, chunk, group)
