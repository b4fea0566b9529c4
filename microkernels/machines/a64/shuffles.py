"""The shuffles of NEON and SVE: zip, uzp and trn of every element size, tbl, and their cost.

Shuffles are assumed to run on all vector pipes of the target, as on Neoverse V1: ASIMD permutes run on V0 to V3 of 128
bits, SVE permutes on V0 and V1 of 256 bits (Arm Neoverse V1 Software Optimization Guide, sections 3.16 and 3.26).
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from functools import cache, lru_cache, partial
from typing import Any

from ....encoder.a64.names import PREFETCHES
from ....encoder.a64.registers import General, Q, V, X, Z, listed, mem
from ....encoder.features import Target
from ...contract.machine import Vector
from ...contract.shuffle_network import Exchange, Shuffle, interleaved, separated, transposed
from ...contract.shuffle_set import Insert, Shuffles, ShuffleSet, ShuffleVerbsOf, TableRow
from ...errors import UnsupportedError
from .core import A64Address, A64Factor, A64Machine
from .lanes import A64Lanes

_LETTERS = {1: "b", 2: "h", 4: "s", 8: "d", 16: "q"}
_PREFETCH = PREFETCHES["pldl1keep"]
_STORE = 1 / 2  # cycles to store a register: two are stored per cycle


@lru_cache(maxsize=16)
def shuffle_sets(target: Target) -> tuple[ShuffleSet, ...]:
    """The shuffles of the target's one register width, that of NEON or of SVE."""
    sve = target.isa != "neon"
    width = target.vector_bits // 8
    if width & (width - 1):
        raise UnsupportedError(
            f"{target.name}: shuffles of vectors of {target.vector_bits} bits; the length must be a power of two"
        )
    cycles = 1 / target.fma_pipes
    units = [1, 2, 4, 8] + ([16] if "F64MM" in target.features and width >= 32 else [])
    exchanges = [exchange for unit in units if unit < width for exchange in _exchanges(unit, width, cycles)]
    tables = (TableRow("tbl", 1, 1, width, False, cycles),)
    inserts = () if sve else (Insert(8, 1 / target.load_pipes, cycles),)
    load = max(1, target.vector_bits // (target.load_bits or target.vector_bits)) / target.load_pipes
    return (ShuffleSet(width, 32, tuple(exchanges), tables, inserts, load, _STORE, target.issue_width),)


def _exchanges(unit: int, width: int, cycles: float) -> list[Exchange]:
    maps = {
        "trn": transposed(unit, width),
        "zip": interleaved(unit, width, width),
        "uzp": separated(unit, width, width),
    }
    if 2 * unit == width:  # on two elements, all three do the same
        del maps["trn"], maps["uzp"]
    return [
        Exchange(Shuffle(f"{name}1", unit, low), Shuffle(f"{name}2", unit, high), cycles)
        for name, (low, high) in maps.items()
    ]


@cache
def shuffles(target: Target) -> Shuffles:
    """The shuffles of a target, for its facts."""
    return Shuffles(partial(shuffle_sets, target))


class A64Shuffles(ShuffleVerbsOf[General, A64Address, A64Lanes, A64Factor]):
    """The verbs that NEON and SVE have in common."""

    m: A64Machine

    def __init__(self, m: A64Machine) -> None:
        super().__init__(m)
        self.asm: Any = m.asm

    @abstractmethod
    def view(self, register: Vector, unit: int) -> Any:
        """The register as elements of `unit` bytes."""

    def shuffle(self, dst: Vector, shuffle: Shuffle, a: Vector, b: Vector, table: Vector | None) -> None:
        """dst = the shuffle of a and b."""
        if table is not None:
            self.asm.tbl(self.view(dst, 1), listed(self.view(a, 1)), self.view(table, 1))
        else:
            views = (self.view(register, shuffle.unit) for register in (dst, a, b))
            getattr(self.asm, shuffle.mnemonic)(*views)

    def prefetch(self, address: A64Address) -> None:
        """Prefetch the cache line of an address into L1."""
        base, disp, index = address
        if index is not None or disp % 8 or not 0 <= disp < 8 << 12:
            base, disp = self.m.place(address), 0
        self.asm.prfm(_PREFETCH, mem[base, disp])

    def store_streaming(self, address: A64Address, src: Vector, lanes: A64Lanes) -> None:
        """Emit an ordinary store: AArch64 processors recognise streams of stores by themselves."""
        self.m.store(address, src, lanes)

    def store_streaming_pieces(self, address: A64Address, src: Vector, lanes: A64Lanes) -> None:
        """Emit an ordinary store, like `store_streaming`."""
        self.m.store(address, src, lanes)

    def streamed(self) -> None:
        """Do nothing: ordinary stores need no barrier."""

    def when_aligned(self, pointer: General, boundary: int, aligned: bool) -> AbstractContextManager[None]:
        """Raise an error: no plan of this machine has streaming stores."""
        raise NotImplementedError("streaming stores are ordinary ones")

    def to_boundary(self, dst: General, pointer: General, boundary: int) -> None:
        """Raise an error: no plan of this machine has streaming stores."""
        raise NotImplementedError("streaming stores are ordinary ones")


class NeonShuffles(A64Shuffles):
    """The verbs on v registers."""

    def view(self, register: Vector, unit: int) -> Any:
        """The v register in a 128-bit arrangement."""
        return getattr(V[register], f"{_LETTERS[unit]}{16 // unit}")

    def table(self, dst: Vector, shuffle: Shuffle) -> None:
        """Load the indices of a table shuffle from the constants behind the code."""
        self.asm.ldr(Q[dst], self.asm.const(_bytes_of(shuffle)))

    def move(self, dst: Vector, src: Vector, size: int) -> None:
        """dst = src."""
        self.asm.mov(V[dst].b16, V[src].b16)

    def insert(self, dst: Vector, number: int, address: A64Address, lanes: A64Lanes, piece: int, spare: Vector) -> None:
        """Load elements from memory into the upper half of dst. Less than a whole half is loaded into `spare` first."""
        if lanes.bytes == piece:
            self.asm.ld1(listed(V[dst].d)[number], mem[self.m.place(address)])
        else:
            self.m.load(spare, address, lanes)
            self.asm.mov(V[dst].d[number], V[spare].d[0])


class SveShuffles(A64Shuffles):
    """The verbs on z registers."""

    def view(self, register: Vector, unit: int) -> Any:
        """The z register with an element size."""
        return getattr(Z[register], _LETTERS[unit])

    def table(self, dst: Vector, shuffle: Shuffle) -> None:
        """Load the indices of a table shuffle from the constants behind the code, through their address in x16."""
        self.asm.adr(X[16], self.asm.const(_bytes_of(shuffle)))
        self.asm.ldr(Z[dst], mem[X[16]])

    def move(self, dst: Vector, src: Vector, size: int) -> None:
        """dst = src."""
        self.asm.mov(Z[dst].d, Z[src].d)

    def insert(self, dst: Vector, number: int, address: A64Address, lanes: A64Lanes, piece: int, spare: Vector) -> None:
        """Raise an error: SVE registers are loaded whole."""
        raise NotImplementedError("no shuffle set of SVE has inserts")


def _bytes_of(shuffle: Shuffle) -> bytes:
    assert shuffle.table is not None
    return shuffle.table
