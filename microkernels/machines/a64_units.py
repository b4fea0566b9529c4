"""Tensor units of AArch64: BFDOT, SDOT and USDOT on NEON and SVE, and how sums go to and from C.

BFDOT is unfused, with every step rounded to odd and denormals flushed (FPCR.EBF = 0): docs/mixed-precision.md. Integer
sums are exact and wrap. Source: Arm ARM DDI 0487, C7 and C8.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...encoder.a64.registers import P, V, Z, listed, mem
from ...encoder.features import Target
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..machine import Lanes, Vector
from ..units import Result, Unit, UnitFacts
from .a64 import A64Address, A64Machine

_ALL = P[0]
_LETTERS = {1: "b", 2: "h"}


class A64Dot(Unit):
    """Dot products of groups of 32 bits; what differs between NEON and SVE is how registers are named."""

    def __init__(self, m: A64Machine, row: _Row) -> None:
        self.m, self.asm, self.facts, self.row = m, m.asm, row.facts, row
        self.size = ELEMENT_BYTES[row.chunks]
        self.dot = getattr(m.asm, row.instruction)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Nothing to set up."""
        yield

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Nothing to switch."""
        yield

    def prepare(self, lanes: Lanes) -> None:
        """Groups are loaded as f32 are, single elements as what they are."""
        self.m.lanes("f32", lanes.count)

    def load(self, phase: int, x: Vector, place: A64Address, lanes: Lanes, elements: int) -> None:
        """As it lies; what does not count is shifted out."""
        self.m.load(x, place, self.m.lanes("f32", lanes.count))
        if elements < self.facts.depth:
            words, bits = self.words(x), 32 - 8 * self.size * elements
            self.shift_left(words, bits)
            self.shift_right(words, bits)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: Lanes, spare: Sequence[Vector]
    ) -> None:
        """Rows widened, shifted to their place, and joined."""
        self.widen(x, places[0], lanes)
        for row, place in enumerate(places[1:], 1):
            self.widen(spare[0], place, lanes)
            self.shift_left(self.words(spare[0]), 8 * self.size * row)
            self.join(x, spare[0])

    def fetch(self, phase: int, y: Vector, place: A64Address, lanes: Lanes, embed: bool) -> Any:
        """Load and replicate."""
        self.m.broadcast(y, place, self.m.lanes("f32", lanes.count))
        return y

    def fetch_apart(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: Lanes) -> Any:
        """Elements inserted one by one, then replicated."""
        self.asm.movi(V[y].d2, 0)
        for number, place in enumerate(places):
            self.asm.ld1(listed(getattr(V[y], _LETTERS[self.size]))[number], mem[self.m.place(place)])
        self.replicate(y)
        return y

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: Lanes, spare: Sequence[Vector]) -> None:
        """The unsigned factor of a mixed product comes first."""
        first, second = (y, x) if self.row.flipped else (x, y)
        self.multiply(acc, first, second, lanes)

    @abstractmethod
    def words(self, register: Vector) -> Any:
        """Its elements of 32 bits."""

    @abstractmethod
    def shift_left(self, words: Any, bits: int) -> None:
        """Each of 32 bits."""

    @abstractmethod
    def shift_right(self, words: Any, bits: int) -> None:
        """With zeros."""

    @abstractmethod
    def join(self, dst: Vector, other: Vector) -> None:
        """dst |= other."""

    @abstractmethod
    def widen(self, dst: Vector, place: A64Address, lanes: Lanes) -> None:
        """Single elements, each in 32 bits, with zeros above."""

    @abstractmethod
    def replicate(self, register: Vector) -> None:
        """The lowest 32 bits everywhere."""

    @abstractmethod
    def multiply(self, acc: Vector, first: Vector, second: Vector, lanes: Lanes) -> None:
        """The instruction."""


class NeonDot(A64Dot):
    """On v registers."""

    def prepare(self, lanes: Lanes) -> None:
        """And rows of single elements."""
        super().prepare(lanes)
        self.m.lanes(self.row.chunks, lanes.count)

    def words(self, register: Vector) -> Any:
        """Four of them."""
        return V[register].s4

    def shift_left(self, words: Any, bits: int) -> None:
        """shl."""
        self.asm.shl(words, words, bits)

    def shift_right(self, words: Any, bits: int) -> None:
        """ushr."""
        self.asm.ushr(words, words, bits)

    def join(self, dst: Vector, other: Vector) -> None:
        """orr."""
        self.asm.orr(V[dst].b16, V[dst].b16, V[other].b16)

    def widen(self, dst: Vector, place: A64Address, lanes: Lanes) -> None:
        """ushll, once or twice."""
        self.m.load(dst, place, self.m.lanes(self.row.chunks, lanes.count))
        if self.size == 1:
            self.asm.ushll(V[dst].h8, V[dst].b8, 0)
        self.asm.ushll(V[dst].s4, V[dst].h4, 0)

    def replicate(self, register: Vector) -> None:
        """dup."""
        self.asm.dup(V[register].s4, V[register].s[0])

    def multiply(self, acc: Vector, first: Vector, second: Vector, lanes: Lanes) -> None:
        """Half a register where that is enough."""
        whole = lanes.capacity == 4
        view = {(1, True): "b16", (1, False): "b8", (2, True): "h8", (2, False): "h4"}[self.size, whole]
        sums = V[acc].s4 if whole else V[acc].s2
        self.dot(sums, getattr(V[first], view), getattr(V[second], view))


class SveDot(A64Dot):
    """On z registers."""

    def words(self, register: Vector) -> Any:
        """As many as there are."""
        return Z[register].s

    def shift_left(self, words: Any, bits: int) -> None:
        """lsl."""
        self.asm.lsl(words, words, bits)

    def shift_right(self, words: Any, bits: int) -> None:
        """lsr."""
        self.asm.lsr(words, words, bits)

    def join(self, dst: Vector, other: Vector) -> None:
        """orr."""
        self.asm.orr(Z[dst].d, Z[dst].d, Z[other].d)

    def widen(self, dst: Vector, place: A64Address, lanes: Lanes) -> None:
        """Loads extend."""
        verb = self.asm.ld1b if self.size == 1 else self.asm.ld1h
        verb(listed(Z[dst].s), lanes.mask.z, mem[self.m.place(place)])

    def replicate(self, register: Vector) -> None:
        """dup."""
        self.asm.dup(Z[register].s, Z[register].s[0])

    def multiply(self, acc: Vector, first: Vector, second: Vector, lanes: Lanes) -> None:
        """All of the register."""
        letter = _LETTERS[self.size]
        self.dot(Z[acc].s, getattr(Z[first], letter), getattr(Z[second], letter))


class _Row(NamedTuple):
    """A unit of processors with a feature."""

    chunks: str
    groups: str
    feature: str
    instruction: str
    facts: UnitFacts
    flipped: bool = False  # the group is the first factor


_BFDOT = UnitFacts("BFDOT", 2, latency=4, packed=1, plain=4, fetch=1, apart=4, temporaries=1)
_DOT = UnitFacts("SDOT", 4, latency=4, packed=1, plain=10, fetch=1, apart=6, temporaries=1)
_ROWS = (
    _Row("bf16", "bf16", "BF16",    "bfdot", _BFDOT),
    _Row("i8",   "i8",   "DOTPROD", "sdot",  _DOT),
    _Row("u8",   "i8",   "I8MM",    "usdot", _DOT._replace(name="USDOT")),
    _Row("i8",   "u8",   "I8MM",    "usdot", _DOT._replace(name="USDOT"), True),
)  # fmt: skip


def _row(target: Target, chunk: str, group: str) -> _Row | None:
    fits = (row for row in _ROWS if (row.chunks, row.groups) == (chunk, group) and row.feature in target.features)
    return next(fits, None)


def facts_of(target: Target) -> Callable[[str, str, str], UnitFacts | None]:
    """`Facts.unit` of a target."""

    def found(chunk: str, group: str, numerics: str) -> UnitFacts | None:
        row = _row(target, chunk, group)
        return row.facts if row else None

    return found


# Results


class Same(Result):
    """C has the type of the sums."""

    def __init__(self, m: A64Machine) -> None:
        self.m, self.asm = m, m.asm

    def load(self, acc: Vector, place: A64Address, of_c: Lanes, lanes: Lanes) -> None:
        """One load."""
        self.m.load(acc, place, of_c)

    def store(self, place: A64Address, acc: Vector, of_c: Lanes, lanes: Lanes, spare: Sequence[Vector]) -> None:
        """One store."""
        self.m.store(place, acc, of_c)


class NeonConverted(Same):
    """f32 from sums of i32, rounded as FPCR says."""

    scaled = "f32"

    def convert(self, acc: Vector, lanes: Lanes) -> None:
        """scvtf."""
        self.asm.scvtf(V[acc].s4, V[acc].s4)


class SveConverted(Same):
    """f32 from sums of i32, rounded as FPCR says."""

    scaled = "f32"

    def convert(self, acc: Vector, lanes: Lanes) -> None:
        """scvtf."""
        self.asm.scvtf(Z[acc].s, _ALL.m, Z[acc].s)


class NeonBfloat(Same):
    """bf16 by BFCVTN, which follows FPCR."""

    def load(self, acc: Vector, place: A64Address, of_c: Lanes, lanes: Lanes) -> None:
        """The upper half of an f32."""
        self.m.load(acc, place, of_c)
        self.asm.shll(V[acc].s4, V[acc].h4, 16)

    def store(self, place: A64Address, acc: Vector, of_c: Lanes, lanes: Lanes, spare: Sequence[Vector]) -> None:
        """Narrowed to 64 bits."""
        self.asm.bfcvtn(V[acc].h4, V[acc].s4)
        self.m.store(place, acc, of_c)


class SveBfloat(Same):
    """bf16 by BFCVT, which follows FPCR; loads and stores take halves of words."""

    def load(self, acc: Vector, place: A64Address, of_c: Lanes, lanes: Lanes) -> None:
        """The upper half of an f32."""
        self.asm.ld1h(listed(Z[acc].s), lanes.mask.z, mem[self.m.place(place)])
        self.asm.lsl(Z[acc].s, Z[acc].s, 16)

    def store(self, place: A64Address, acc: Vector, of_c: Lanes, lanes: Lanes, spare: Sequence[Vector]) -> None:
        """The low half of each word."""
        self.asm.bfcvt(Z[acc].h, _ALL.m, Z[acc].s)
        self.asm.st1h(listed(Z[acc].s), lanes.mask, mem[self.m.place(place)])


_DOTS: dict[str, type[A64Dot]] = {"neon": NeonDot, "sve": SveDot}
_BFLOATS: dict[str, type[Same]] = {"neon": NeonBfloat, "sve": SveBfloat}
_CONVERTED: dict[str, type[Same]] = {"neon": NeonConverted, "sve": SveConverted}


def unit_of(m: A64Machine, chunk: str, group: str, numerics: str) -> Unit:
    """`Machine.unit`."""
    row = _row(m.target, chunk, group)
    assert row is not None, "the planner asks the facts first"
    return _DOTS[m.name](m, row)


def result_of(m: A64Machine, dtype: str, sums: str) -> Result:
    """`Machine.result`."""
    if dtype == sums:
        return Same(m)
    if (dtype, sums) == ("bf16", "f32") and "BF16" in m.target.features:
        return _BFLOATS[m.name](m)
    if (dtype, sums) == ("f32", "i32"):
        return _CONVERTED[m.name](m)
    raise UnsupportedError(f"{m.target.name} converts no {sums} to {dtype}")
