"""The shuffles of AVX2 and AVX-512: the instructions, their costs, and how they are emitted.

Costs in cycles come from the tuning table (`tuning/transform.py`). They depend on two facts of the target: the number
of shuffle pipes, and whether 512-bit operations are split in two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from typing import Any

from ....encoder.features import Target
from ....encoder.table import Emitter
from ....encoder.x86.registers import XMM, YMM, ZMM, Mem, Reg, mem
from ....encoder.x86.virtual import lowest
from ...contract.machine import Vector
from ...contract.shuffle_network import Exchange, Shuffle, halves, interleaved, separated
from ...contract.shuffle_set import Insert, Shuffles, ShuffleSet, ShuffleVerbsOf, TableRow
from ...tuning.families import tuning_of
from ...tuning.transform import ShuffleCosts
from .core import X86Address, X86Lanes, X86Machine

_FILE = {16: XMM, 32: YMM, 64: ZMM}
_LANE = 16  # bytes
_REGISTERS = {"avx512": 32, "avx2": 16, "avx": 13, "sse": 13}  # registers that the machine does not need itself
# instructions whose index register is the first source operand
_INDICES_FIRST = ("vpermb", "vpermw", "vpermd", "vpermq")


@lru_cache(maxsize=16)
def shuffle_sets(target: Target) -> tuple[ShuffleSet, ...]:
    """The shuffles of each register width, the widest first."""
    avx512 = target.isa == "avx512"
    return tuple(_shuffle_set(target, width, avx512) for width in (64, 32, 16) if 8 * width <= target.vector_bits)


def _shuffle_set(target: Target, width: int, avx512: bool) -> ShuffleSet:
    split = avx512 and target.fma_bits < target.vector_bits
    operations = 2 if split and width == 64 else 1  # the number of operations into which an instruction is split
    costs = _costs(target, split).scaled(operations)
    blend = costs.wide_blend if width == 64 else costs.blend
    load = max(1, 8 * width // (target.load_bits or target.vector_bits)) / target.load_pipes
    floats = width == 32 and "AVX2" not in target.features
    exchanges = _exchanges_of_floats(costs) if floats else _exchanges(width, avx512, costs)
    tables = [] if floats else _tables(target, width, avx512, costs)
    return ShuffleSet(
        width,
        _REGISTERS[target.isa],
        tuple(exchanges),
        tuple(tables),
        tuple(_inserts(width, operations / target.load_pipes, costs, blend)),
        load,
        float(operations),
        target.issue_width,
        target.shuffle_pipes,
        blend,
        True,
    )


def _costs(target: Target, split: bool) -> ShuffleCosts:
    tuning = tuning_of(target).transform
    if split:
        return tuning.shuffles_split
    return {1: tuning.shuffles_one_pipe, 2: tuning.shuffles_two_pipes}[target.shuffle_pipes]


def _exchanges(width: int, avx512: bool, costs: ShuffleCosts) -> list[Exchange]:
    exchanges = []
    for unit, letters in ((1, "bw"), (2, "wd"), (4, "dq"), (8, "qdq")):
        names = f"vpunpckl{letters}", f"vpunpckh{letters}"
        exchanges.append(_pair(names, unit, interleaved(unit, _LANE, width), (None, None), costs.unpack))
    exchanges.append(_pair(("vshufps", "vshufps"), 4, separated(4, _LANE, width), (0x88, 0xDD), costs.unpack))
    if width == 64:
        lanes = ("vshufi32x4", "vshufi32x4")
        exchanges.append(_pair(lanes, 16, halves(64, 16), (0x44, 0xEE), costs.cross))
        exchanges.append(_pair(lanes, 16, separated(16, 64, 64), (0x88, 0xDD), costs.cross))
    if width == 32:
        name, immediates = ("vshufi32x4", (0x0, 0x3)) if avx512 else ("vperm2i128", (0x20, 0x31))
        exchanges.append(_pair((name, name), 16, halves(32, 16), immediates, costs.cross))
    if width >= 32:
        eights = tuple(source + first for first in range(0, width // 8, 4) for source in (0, 2, 1, 3))
        exchanges.append(Exchange(Shuffle("vpermq", 8, eights, 0xD8), None, costs.cross))
    fours = tuple(source + first for first in range(0, width // 4, 4) for source in (0, 2, 1, 3))
    exchanges.append(Exchange(Shuffle("vpshufd", 4, fours, 0xD8), None, costs.unpack))
    return exchanges


def _exchanges_of_floats(costs: ShuffleCosts) -> list[Exchange]:
    """The exchanges of AVX on 256 bits. AVX2 added those on integers."""
    words, pairs = interleaved(4, _LANE, 32), interleaved(8, _LANE, 32)
    return [
        _pair(("vunpcklps", "vunpckhps"), 4, words, (None, None), costs.unpack),
        _pair(("vunpcklpd", "vunpckhpd"), 8, pairs, (None, None), costs.unpack),
        _pair(("vshufps", "vshufps"), 4, separated(4, _LANE, 32), (0x88, 0xDD), costs.unpack),
        _pair(("vperm2f128", "vperm2f128"), 16, halves(32, 16), (0x20, 0x31), costs.cross),
    ]


def _pair(
    names: tuple[str, str],
    unit: int,
    maps: tuple[tuple[int, ...], tuple[int, ...]],
    immediates: tuple[int | None, int | None],
    cycles: float,
) -> Exchange:
    low, high = (Shuffle(*fields) for fields in zip(names, (unit, unit), maps, immediates))
    return Exchange(low, high, cycles)


def _tables(target: Target, width: int, avx512: bool, costs: ShuffleCosts) -> list[TableRow]:
    rows = [TableRow("vpshufb", 1, 1, _LANE, False, costs.table)]
    if width == 32:
        rows.append(TableRow("vpermd", 4, 4, 32, False, costs.cross))
    if avx512:
        if width == 64:
            rows += [TableRow("vpermd", 4, 4, 64, False, costs.cross), TableRow("vpermq", 8, 8, 64, False, costs.cross)]
        rows.append(TableRow("vpermw", 2, 2, width, False, costs.fine_table))
        rows.append(TableRow("vpermt2q", 8, 8, width, True, costs.cross, True))
        rows.append(TableRow("vpermt2d", 4, 4, width, True, costs.cross, True))
        rows.append(TableRow("vpermt2w", 2, 2, width, True, costs.fine_table, True))
    if "AVX512_VBMI" in target.features:
        rows.append(TableRow("vpermb", 1, 1, width, False, costs.cross))
        rows.append(TableRow("vpermt2b", 1, 1, width, True, costs.fine_table, True))
    return rows


def _inserts(width: int, load: float, costs: ShuffleCosts, blend: float) -> list[Insert]:
    if width == 16:
        return [Insert(8, load, costs.unpack, blend)]  # vmovhps, which shuffles
    return [Insert(piece, load, costs.insert, blend) for piece in ((16,) if width == 32 else (32, 16))]


@cache
def shuffles(target: Target) -> Shuffles:
    """The shuffles of a target, for its facts."""
    tuning = tuning_of(target).transform
    third = min(target.l3 // tuning.streaming_l3_share, tuning.streaming_l3_bytes)
    streaming = max(tuning.streaming_l2_caches * target.l2, third)
    return Shuffles(partial(shuffle_sets, target), streaming)


class X86Shuffles(ShuffleVerbsOf[Reg, X86Address, X86Lanes, Mem]):
    """The verbs on xmm, ymm and zmm registers."""

    def __init__(self, m: X86Machine) -> None:
        super().__init__(m)
        self.asm: Any = m.asm
        self._ready: dict[int, tuple[Emitter, Sequence[Reg], bool, Shuffle]] = {}  # by the identity of a shuffle

    def table(self, dst: Vector, shuffle: Shuffle) -> None:
        """Load the indices of a table shuffle from the constants behind the code."""
        assert shuffle.table is not None
        self.asm.vmovups(_FILE[len(shuffle.table)][dst], Mem(label=self.asm.const(shuffle.table)))

    def shuffle(self, dst: Vector, shuffle: Shuffle, a: Vector, b: Vector, table: Vector | None) -> None:
        """dst = the shuffle of a and b. A destructive shuffle copies a first, unless dst is a."""
        emit, file, single, _ = self._ready.get(id(shuffle)) or self._prepared(shuffle)
        if shuffle.destructive and table is not None:
            if dst != a:
                self.move(dst, a, shuffle.unit * len(shuffle.sources))
            emit(file[dst], file[table], file[b])
        elif table is not None:
            sources = (table, a) if shuffle.mnemonic in _INDICES_FIRST else (a, table)
            emit(file[dst], *(file[source] for source in sources))
        elif single:
            emit(file[dst], file[a], shuffle.immediate)
        elif shuffle.immediate is None:
            emit(file[dst], file[a], file[b])
        else:
            emit(file[dst], file[a], file[b], shuffle.immediate)

    def _prepared(self, shuffle: Shuffle) -> tuple[Emitter, Sequence[Reg], bool, Shuffle]:
        """Find a shuffle's instruction and registers, and whether it has one source, once for all of its uses."""
        file = _FILE[shuffle.unit * len(shuffle.sources)]
        made = self._ready[id(shuffle)] = getattr(self.asm, shuffle.mnemonic), file, shuffle.single, shuffle
        return made

    def move(self, dst: Vector, src: Vector, size: int) -> None:
        """dst = src, registers of `size` bytes."""
        self.asm.vmovaps(_FILE[size][dst], _FILE[size][src])

    def insert(self, dst: Vector, number: int, address: X86Address, lanes: X86Lanes, piece: int, spare: Vector) -> None:
        """Load elements from memory into piece `number` > 0 of dst. Less than a whole piece is loaded into `spare`
        first."""
        width = 2 * piece if piece < 32 and number == 1 else 64
        if lanes.bytes == piece:
            source: Mem | Reg = mem(*address)
        else:
            self.m.load(spare, address, lanes)
            source = _FILE[max(16, piece)][spare]
        if piece == 8:
            if isinstance(source, Reg):
                self.asm.vpunpcklqdq(XMM[dst], XMM[dst], source)
            else:
                self.asm.vmovhps(XMM[dst], XMM[dst], source)
            return
        low = max(dst, spare) < 16
        name = "vinserti64x4" if piece == 32 else "vinserti128" if width == 32 and low else "vinserti32x4"
        getattr(self.asm, name)(_FILE[width][dst], _FILE[width][dst], source, number)

    def store_streaming(self, address: X86Address, src: Vector, lanes: X86Lanes) -> None:
        """Store a whole register to memory, bypassing the caches, at a multiple of the register's size."""
        self.asm.vmovntps(mem(*address), _FILE[lanes.bytes][src])

    def store_streaming_pieces(self, address: X86Address, src: Vector, lanes: X86Lanes) -> None:
        """Store the lowest 16 bytes of the register and rotate it, until it has its value again."""
        register = _FILE[lanes.bytes][src]
        for start in range(0, lanes.bytes, 16):
            self.asm.vmovntps(mem(*self.m.further(address, start)), XMM[src])
            if lanes.bytes == 64:
                self.asm.vshuff32x4(register, register, register, 0x39)
            elif lanes.bytes == 32:
                (self.asm.vperm2f128 if src < 16 else self.asm.vshuff32x4)(register, register, register, 1)

    @contextmanager
    def when_aligned(self, pointer: Reg, boundary: int, aligned: bool) -> Iterator[None]:
        """Run the body if the low bits of the pointer are zero, or, if not `aligned`, if they are not."""
        end = self.asm.label()
        self.asm.test(lowest(pointer), boundary - 1)
        (self.asm.jne if aligned else self.asm.je)(end)
        yield
        self.asm.bind(end)

    def to_boundary(self, dst: Reg, pointer: Reg, boundary: int) -> None:
        """dst = the low bits of the negated pointer, which are the number of bytes to the next boundary."""
        self.asm.mov(dst, pointer)
        self.asm.neg(dst)
        self.asm.and_(dst, boundary - 1)

    def prefetch(self, address: X86Address) -> None:
        """Prefetch the cache line of an address into L1."""
        self.asm.prefetcht0(mem(*address))

    def streamed(self) -> None:
        """Emit a barrier that orders the streaming stores before all stores that follow."""
        self.asm.sfence()
