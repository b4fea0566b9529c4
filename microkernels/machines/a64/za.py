"""SME: tiles of ZA as outer-product accumulators.

A tile of elements of e bytes consists of every e-th vector of ZA, so its row r is vector e * r + number. The same
vector is a row of a tile of narrower elements, through which exactly the needed number of narrow elements can be
loaded. x12 is the index of rows and columns; x13 holds addresses that advance. Sources: Arm ARM DDI 0487, B1.4 and C9;
AAPCS64 (IHI 0055), 6.6 (ZA and TPIDR2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.a64.names import STREAMING, SYSTEM_REGISTERS
from ....encoder.a64.registers import ZA, General, P, W, X, Z, mem, tiles, xzr, za
from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ...contract.dot_and_tile import UnitFacts
from ...contract.equation import sum_type
from ...contract.machine import Types, Vector
from ...contract.outer_product import OuterProductsOf
from ...contract.tensor_instruction import OUTER_PRODUCTS, instruction_of
from ...dtypes import ELEMENT_BYTES
from .core import A64Address, A64Machine
from .lanes import A64Lanes

_ALL = P[0]
_LETTERS = {1: "b", 2: "h", 4: "s", 8: "d"}
_MEMORY = {1: "b", 2: "h", 4: "w", 8: "d"}  # the same in names of loads and stores
_INDEX = 12
POINTER = X[13]
OWN = (X[_INDEX], POINTER)
"""General registers that are reserved for the accumulators."""
_SLICES = 16  # byte slices that one instruction reaches from its index register; fewer slices of wider elements
_MOST_KEPT = 16  # the most vectors that one transposition yields
_TPIDR2 = SYSTEM_REGISTERS["tpidr2_el0"]


class _ZaRow(NamedTuple):
    instruction: str
    feature: str


_PRODUCTS = {
    ("f32", "f32"): _ZaRow("fmopa", "SME"),
    ("f64", "f64"): _ZaRow("fmopa", "SME_F64F64"),
    ("f16", "f16"): _ZaRow("fmopa", "SME"),
    ("bf16", "bf16"): _ZaRow("bfmopa", "SME"),
    ("i8", "i8"): _ZaRow("smopa", "SME"),
    ("u8", "u8"): _ZaRow("umopa", "SME"),
    ("u8", "i8"): _ZaRow("usmopa", "SME"),
    ("i8", "u8"): _ZaRow("sumopa", "SME"),
}
"""Maps element types of x and y to the instruction and its feature."""


def _group_bytes(dtype: str) -> int:
    """The bytes of a group, which are also those of an element of its tile."""
    return max(4, ELEMENT_BYTES[dtype])


def outer_product_facts_of(target: Target) -> dict[Types, UnitFacts]:
    """Return `Facts.outer_products` of a target."""
    return {types: _facts(row, types, target) for types, row in _PRODUCTS.items() if row.feature in target.features}


def _facts(row: _ZaRow, types: Types, target: Target) -> UnitFacts:
    x = types[0]
    size = _group_bytes(x)
    side = target.vector_bits // 8 // size
    name = row.instruction.upper() if ELEMENT_BYTES[x] != 2 else f"{row.instruction.upper()} of {x}"
    depth = size // ELEMENT_BYTES[x]
    made = instruction_of(name, OUTER_PRODUCTS[depth], (*types, sum_type(x)), single=True, i=side, j=side)
    kept = min(side, _MOST_KEPT)
    return UnitFacts(name, depth, accumulators=size, side=side, transposed=kept, load_cycles=0.5, instruction=made)


class SmeOuterProducts(OuterProductsOf[General, A64Address]):
    """The accumulators of one kernel."""

    pointer = POINTER

    def __init__(self, m: A64Machine, facts: UnitFacts, x: str, y: str) -> None:
        self.m, self.asm, self.facts = m, m.asm, facts
        self.sizes = {"x": ELEMENT_BYTES[x], "y": ELEMENT_BYTES[y]}
        self.size = _group_bytes(x)
        self.letter = _LETTERS[self.size]
        self.words = "f64" if self.size == 8 else "f32"  # an element type as wide as a group
        self._product = getattr(m.asm, _PRODUCTS[x, y].instruction)
        self._load, self._store = (getattr(m.asm, f"{verb}1{_MEMORY[self.size]}") for verb in ("ld", "st"))

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Enable ZA, and disable it at the end."""
        self._commit_lazy_save()
        self.asm.smstart(STREAMING["za"])
        yield
        self.asm.smstop(STREAMING["za"])

    def _commit_lazy_save(self) -> None:
        """Save the caller's ZA contents, as __arm_tpidr2_save does, if TPIDR2_EL0 points to a block that asks for it.

        The block has the address of a buffer, 16 bits with the number of slices to save, and 48 zero bits. Their other
        uses are not defined yet, so a kernel stops if they are not zero.
        """
        asm, block, count = self.asm, X[16], X[17]
        ready, saved, done = (asm.label() for _ in range(3))
        asm.mrs(block, _TPIDR2)
        asm.cbz(block, done)
        asm.ldr(count, mem[block, 8])
        asm.lsr(POINTER, count, 16)
        asm.cbz(POINTER, ready)
        asm.udf(0)
        asm.bind(ready)
        asm.cbz(count, saved)
        asm.ldr(POINTER, mem[block])
        asm.cbz(POINTER, saved)
        asm.movz(W[_INDEX], 0)
        top = asm.here()
        asm.str(za[W[_INDEX], 0], mem[POINTER])
        asm.addsvl(POINTER, POINTER, 1)
        asm.add(X[_INDEX], X[_INDEX], 1)
        asm.cmp(X[_INDEX], count)
        asm.b_ne(top)
        asm.bind(saved)
        asm.msr(_TPIDR2, xzr)
        asm.bind(done)

    def prepare(self, count: int) -> None:
        """Set up a predicate of bytes, which serves elements of every size."""
        self._groups(count)

    def count(self, columns: General) -> int:
        """Make a predicate of groups, known by a number that no accumulator has."""
        beyond = self.facts.side + 1
        self.m.dynamic_lanes(self.words, beyond, columns)
        return beyond

    def prepare_elements(self, elements: int, which: str) -> None:
        """Set up lanes of this many elements."""
        self._elements(elements, which)

    def _groups(self, count: int) -> A64Lanes:
        return self.m.lanes(self.words, count)

    def _elements(self, count: int, which: str) -> A64Lanes:
        return self.m.lanes("u8", count * self.sizes[which])

    # Factors

    def load(self, dst: Vector, address: A64Address, count: int, which: str, elements: int) -> None:
        """Emit one load. Elements beyond the first ones of each group are masked out."""
        self.m.load(dst, address, self._groups(count))
        if elements < self.facts.depth:
            mask = (1 << 8 * self.sizes[which] * elements) - 1
            self.asm.and_(Z[dst].d, Z[dst].d, mask << 32 | mask)

    def interleave(
        self,
        dst: Sequence[Vector],
        places: Sequence[A64Address],
        counts: Sequence[int],
        which: str,
        spare: Sequence[Vector],
    ) -> None:
        """Zip the steps: pairs of single elements and, for groups of four, pairs of pairs."""
        depth, size = self.facts.depth, self.sizes[which]
        for first in range(0, len(dst), depth):
            part, offset = dst[first : first + depth], sum(counts[:first]) * size
            lanes = self._elements(sum(counts[first : first + depth]), which)
            for register, address in zip(spare, places):
                self.m.load(register, self.m.further(address, offset), lanes)
            for register in spare[len(places) : depth]:
                self.m.zero(register, lanes)
            (self._zip_pairs if depth == 2 else self._zip_fours)(part, spare)

    def _zip_pairs(self, dst: Sequence[Vector], rows: Sequence[Vector]) -> None:
        for register, zipped in zip(dst, (self.asm.zip1, self.asm.zip2)):
            zipped(Z[register].h, Z[rows[0]].h, Z[rows[1]].h)

    def _zip_fours(self, dst: Sequence[Vector], rows: Sequence[Vector]) -> None:
        asm = self.asm
        pairs = rows[4:6]
        for zipped, part in ((asm.zip1, dst[:2]), (asm.zip2, dst[2:])):
            if not part:
                return
            zipped(Z[pairs[0]].b, Z[rows[0]].b, Z[rows[1]].b)
            zipped(Z[pairs[1]].b, Z[rows[2]].b, Z[rows[3]].b)
            for register, joined in zip(part, (asm.zip1, asm.zip2)):
                joined(Z[register].h, Z[pairs[0]].h, Z[pairs[1]].h)

    def transpose(self, outer_product: int, places: Iterable[A64Address], elements: int, which: str) -> None:
        """Load rows of a tile as vectors of narrower elements, under a predicate of these."""
        size, mask = self.sizes[which], self._elements(elements, which).mask
        load = getattr(self.asm, f"ld1{_MEMORY[size]}")
        reach, at = _SLICES // size, -1
        for row, address in enumerate(places):
            index, number = divmod(self.size * row + outer_product, size)
            if index - index % reach != at:
                at = index - index % reach
                self.asm.movz(W[_INDEX], at)
            load(ZA[number].view(_LETTERS[size]).h[W[_INDEX], index % reach], mask.z, mem[self.m.place(address)])

    def columns(self, dst: Sequence[Vector], outer_product: int, first: int = 0) -> None:
        """Move vertical slices."""
        tile, reach, at = ZA[outer_product].view(self.letter), _SLICES // self.size, -1
        for number, register in enumerate(dst, first):
            if number - number % reach != at:
                at = number - number % reach
                self.asm.movz(W[_INDEX], at)
            self.asm.mova(getattr(Z[register], self.letter), _ALL.m, tile.v[W[_INDEX], number % reach])

    def product(self, outer_product: int, x: Vector, y: Vector, columns: int, rows: int) -> None:
        """Emit the product instruction of these types."""
        of_x, of_y = (_LETTERS[self.sizes[which]] for which in "xy")
        active = [self._groups(count).mask.m for count in (columns, rows)]
        self._product(ZA[outer_product].view(self.letter), *active, getattr(Z[x], of_x), getattr(Z[y], of_y))

    # Sums

    def zero(self, accumulator: int) -> None:
        """Emit zero."""
        self.asm.zero(tiles(ZA[accumulator].view(self.letter)))

    def lines(self, count: int | General, visit: Callable[[int], None]) -> None:
        """Let each iteration of the loop visit all lines that one index register reaches, or one line if a register
        has the count."""
        if not isinstance(count, int):
            self._dynamic_lines(count, visit)
            return
        reach, index = _SLICES // self.size, X[_INDEX]
        full, rest = divmod(count, reach)
        self.asm.movz(index, 0)
        if full:
            top = self.asm.here()
            for line in range(reach):
                visit(line)
            if full > 1 or rest:
                self.asm.add(index, index, reach)
            if full > 1:
                self.asm.cmp(index, full * reach)
                self.asm.b_ne(top)
        for line in range(rest):
            visit(line)

    def _dynamic_lines(self, count: General, visit: Callable[[int], None]) -> None:
        asm, index = self.asm, X[_INDEX]
        asm.movz(index, 0)
        top = asm.here()
        visit(0)
        asm.add(index, index, 1)
        asm.cmp(index, count)
        asm.b_ne(top)

    def _line(self, outer_product: int, line: int) -> Any:
        return ZA[outer_product].view(self.letter).h[W[_INDEX], line]

    def load_line(self, outer_product: int, line: int, address: A64Address, count: int) -> None:
        """Emit ld1w or ld1d."""
        self._load(self._line(outer_product, line), self._groups(count).mask.z, mem[self.m.place(address)])

    def store_line(self, address: A64Address, outer_product: int, line: int, count: int) -> None:
        """Emit st1w or st1d."""
        self._store(self._line(outer_product, line), self._groups(count).mask, mem[self.m.place(address)])

    def take(self, dst: Vector, outer_product: int, line: int) -> None:
        """Emit mova."""
        self.asm.mova(getattr(Z[dst], self.letter), _ALL.m, self._line(outer_product, line))

    def put(self, outer_product: int, line: int, src: Vector) -> None:
        """Emit mova."""
        self.asm.mova(self._line(outer_product, line), _ALL.m, getattr(Z[src], self.letter))


def outer_products_of(m: A64Machine, x: str, y: str) -> OuterProductsOf[General, A64Address]:
    """Implement `Machine.outer_products`."""
    facts = m.facts.outer_product(x, y)
    assert facts is not None, "planners use only outer products that the facts describe"
    return SmeOuterProducts(m, facts, x, y)
