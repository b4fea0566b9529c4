"""The shuffles of AVX2 and AVX-512: which there are, what they cost, how they are emitted.

Costs are reciprocal throughputs in cycles. Where 512-bit operations are split (Zen 4) they were measured on an EPYC of
family 25, model 17: unpack and shufps three a cycle for 256 bits, others two, all twice as long for 512. With two pipes
of full width two shuffles start in a cycle. With one (Intel's port 5) every shuffle takes a cycle, but what is inserted
from memory is blended, and that any of three vector ports does, or of two for 512 bits (Intel optimization manual,
2.6.1 and 15.11; uops.info).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any, NamedTuple

from ....encoder.features import Target
from ....encoder.x86.registers import R32, XMM, YMM, ZMM, Mem, Reg, mem
from ...contract.machine import Vector
from ...contract.shuffle_network import Exchange, Shuffle, halves, interleaved, separated
from ...contract.shuffle_set import Insert, Repertoire, Shuffles, ShuffleVerbsOf, TableRow
from .core import X86Address, X86Machine
from .lanes import X86Lanes

_FILE = {16: XMM, 32: YMM, 64: ZMM}
_LANE = 16
_CACHES = 4  # second caches: beyond that, x and y are taken to come from memory
_THIRD = 24 << 20  # of a third cache, however large, that many cores share (docs/transposes.md)
_TABLE_FIRST = ("vpermb", "vpermw", "vpermd", "vpermq")  # whose indices come before the source


class _Costs(NamedTuple):
    """Cycles of one instruction on a register of the width."""

    unpack: float
    cross: float  # between lanes
    table: float
    fine_table: float  # two sources, elements of 8 or 16 bits
    insert: float  # from memory, beside the load


_SPLIT = _Costs(1 / 3, 1 / 2, 1 / 2, 1 / 2, 0.55)
_PIPES = {1: _Costs(1, 1, 1, 2, 0), 2: _Costs(1 / 2, 1 / 2, 1 / 2, 1, 1 / 2)}
_BLENDED = {64: 1 / 2, 32: 1 / 3, 16: 1 / 3}  # cycles of all vector ports, beside the one that shuffles


@lru_cache(maxsize=16)
def repertoires(target: Target) -> tuple[Repertoire, ...]:
    """For each register width, the widest first."""
    wide = target.isa == "avx512"
    return tuple(_repertoire(target, width, wide) for width in (64, 32, 16) if width < 64 or wide)


def _repertoire(target: Target, width: int, wide: bool) -> Repertoire:
    split = wide and target.fma_bits < target.vector_bits
    times = 2 if split and width == 64 else 1
    costs = _Costs(*(times * each for each in (_SPLIT if split else _PIPES[target.shuffle_pipes])))
    load = max(1, 8 * width // (target.load_bits or target.vector_bits)) / target.load_pipes
    return Repertoire(
        width, 32 if wide else 16, tuple(_exchanges(width, wide, costs)), tuple(_tables(target, width, wide, costs)),
        tuple(_inserts(target, width, times, costs)), load, float(times), target.issue_width, target.shuffle_pipes,
        _BLENDED[width] if target.shuffle_pipes == 1 else 0.0, True,
    )  # fmt: skip


def _exchanges(width: int, wide: bool, costs: _Costs) -> list[Exchange]:
    made = []
    for unit, letters in ((1, "bw"), (2, "wd"), (4, "dq"), (8, "qdq")):
        low, high = interleaved(unit, _LANE, width)
        names = f"vpunpckl{letters}", f"vpunpckh{letters}"
        made.append(_pair(names, unit, (low, high), (None, None), costs.unpack))
    made.append(_pair(("vshufps", "vshufps"), 4, separated(4, _LANE, width), (0x88, 0xDD), costs.unpack))
    if width == 64:
        lanes = ("vshufi32x4", "vshufi32x4")
        made.append(_pair(lanes, 16, halves(64, 16), (0x44, 0xEE), costs.cross))
        made.append(_pair(lanes, 16, separated(16, 64, 64), (0x88, 0xDD), costs.cross))
    if width == 32:
        name, immediates = ("vshufi32x4", (0x0, 0x3)) if wide else ("vperm2i128", (0x20, 0x31))
        made.append(_pair((name, name), 16, halves(32, 16), immediates, costs.cross))
    if width >= 32:
        mmla = tuple(source + at for at in range(0, width // 8, 4) for source in (0, 2, 1, 3))
        made.append(Exchange(Shuffle("vpermq", 8, mmla, 0xD8), None, costs.cross))
    pairs = tuple(source + at for at in range(0, width // 4, 4) for source in (0, 2, 1, 3))
    made.append(Exchange(Shuffle("vpshufd", 4, pairs, 0xD8), None, costs.unpack))
    return made


def _pair(names: tuple[str, str], unit: int, maps: tuple[tuple[int, ...], tuple[int, ...]],
          immediates: tuple[Any, Any], cycles: float) -> Exchange:  # fmt: skip
    low, high = (Shuffle(*each) for each in zip(names, (unit, unit), maps, immediates))
    return Exchange(low, high, cycles)


def _tables(target: Target, width: int, wide: bool, costs: _Costs) -> list[TableRow]:
    rows = [TableRow("vpshufb", 1, 1, _LANE, False, costs.table)]
    if width == 32:
        rows.append(TableRow("vpermd", 4, 4, 32, False, costs.cross))
    if wide:
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


def _inserts(target: Target, width: int, times: int, costs: _Costs) -> list[Insert]:
    one = times / target.load_pipes
    blended = _BLENDED[width] if target.shuffle_pipes == 1 else 0.0
    if width == 16:
        return [Insert(8, one, costs.unpack, blended)]  # vmovhps shuffles
    return [Insert(piece, one, costs.insert, blended) for piece in ((16,) if width == 32 else (32, 16))]


def shuffles(target: Target) -> Shuffles:
    """For the facts of a target."""
    streaming = max(_CACHES * target.l2, min(target.l3 // 2, _THIRD))
    return Shuffles(partial(repertoires, target), target.l1d, streaming)


class X86Shuffles(ShuffleVerbsOf[Reg, X86Address, X86Lanes, Mem]):
    """On xmm, ymm and zmm registers."""

    def __init__(self, m: X86Machine) -> None:
        super().__init__(m)
        self.asm: Any = m.asm

    def table(self, dst: Vector, shuffle: Shuffle) -> None:
        """dst = the indices of a table shuffle."""
        assert shuffle.table is not None
        self.asm.vmovups(_FILE[len(shuffle.table)][dst], Mem(label=self.asm.const(shuffle.table)))

    def shuffle(self, dst: Vector, shuffle: Shuffle, a: Vector, b: Vector, table: Vector | None) -> None:
        """dst = the shuffle of a and b. A destructive one copies a first, unless dst is a."""
        file = _FILE[shuffle.unit * len(shuffle.sources)]
        emit = getattr(self.asm, shuffle.mnemonic)
        if shuffle.destructive and table is not None:
            if dst != a:
                self.move(dst, a, shuffle.unit * len(shuffle.sources))
            emit(file[dst], file[table], file[b])
        elif table is not None:
            sources = (table, a) if shuffle.mnemonic in _TABLE_FIRST else (a, table)
            emit(file[dst], *(file[each] for each in sources))
        elif shuffle.single:
            emit(file[dst], file[a], shuffle.immediate)
        elif shuffle.immediate is None:
            emit(file[dst], file[a], file[b])
        else:
            emit(file[dst], file[a], file[b], shuffle.immediate)

    def move(self, dst: Vector, src: Vector, size: int) -> None:
        """dst = src, registers of `size` bytes."""
        self.asm.vmovaps(_FILE[size][dst], _FILE[size][src])

    def insert(self, dst: Vector, place: int, address: X86Address, lanes: X86Lanes, piece: int, spare: Vector) -> None:
        """The elements of memory become piece number `place` > 0 of dst; fewer than a piece go through `spare`."""
        width = 2 * piece if piece < 32 and place == 1 else 64
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
        getattr(self.asm, name)(_FILE[width][dst], _FILE[width][dst], source, place)

    def store_streaming(self, address: X86Address, src: Vector, lanes: X86Lanes) -> None:
        """A whole register, past the caches, to an address that is a multiple of its size."""
        self.asm.vmovntps(mem(*address), _FILE[lanes.bytes][src])

    @contextmanager
    def when_aligned(self, pointer: Reg, boundary: int, aligned: bool) -> Iterator[None]:
        """A test of the low bits."""
        end = self.asm.label()
        self.asm.test(R32[pointer.num], boundary - 1)
        (self.asm.jne if aligned else self.asm.je)(end)
        yield
        self.asm.bind(end)

    def to_boundary(self, dst: Reg, pointer: Reg, boundary: int) -> None:
        """The low bits of the negative."""
        self.asm.mov(dst, pointer)
        self.asm.neg(dst)
        self.asm.and_(dst, boundary - 1)

    def prefetch(self, address: X86Address) -> None:
        """Ask for the cache line of an address."""
        self.asm.prefetcht0(mem(*address))

    def streamed(self) -> None:
        """Order streaming stores before what follows."""
        self.asm.sfence()
