"""The search for register blocks of a product whose number of columns, in column-major terms, is given at the call.

Each panel of rows has a chain of blocks: the widest, then some narrower ones whose widths are powers of two, and last
one of a single column. Each block repeats while enough columns are left for it. The search chooses the panels and their
blocks. It weighs the cycles, as a mean over several numbers of columns, against the size of the code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf
from typing import TypeVar

from ...encoder.records import NamedTuple
from ..gemm.blocking import Block, Panel, Product, RowVectors, Search, cycles_of
from ..gemm.search_dot import DotSearch
from ..gemm.search_mmla import MmlaSearch
from ..gemm.search_outer import OuterProductSearch, cuts, split, turned

T = TypeVar("T")

EXTENTS = (64, 77, 96, 100, 127, 128, 256, 1000)
"""The numbers of columns for which blocks are optimised: multiples of powers of two, which are most common, and
others."""

OF_A_SUM, OF_A_BLOCK = 2.5, 12
"""Instructions of a block outside its steps of k: `OF_A_SUM` per accumulator, and `OF_A_BLOCK` for loops and
pointers."""

FEW = 4
"""The number of columns of the one grid whose width lies between a whole accumulator and a single column. There is only
one, because each further width takes predicates, and all grids share seven."""


MANY = (64, 96)
"""The columns of the products from which `Inside` takes panels, numbers of rows of a band of a traced function."""


class Price(NamedTuple):
    """The price that the search minimises: cycles, instructions of all blocks, and instructions of the widest
    blocks."""

    cycles: float
    code: float
    widest: float


class _Made(NamedTuple):
    """A block with its estimated cycles and number of instructions."""

    block: Block
    cycles: float
    code: float


class _Chain(NamedTuple):
    """The blocks of a panel, and their price with the cycles per column."""

    blocks: tuple[Block, ...]
    price: Price


_NONE = _Chain((), Price(inf, inf, inf))


class RowsSearch(Search):
    """The search for panels whose blocks handle any number of columns."""

    step = 1
    """The widest block has a multiple of this many columns."""

    def _along_k_rows(self) -> set[int]:
        return {0}

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """Return the best list of panels that covers all rows. It is empty if the registers do not suffice for any
        block."""
        self._begin(product)
        self._prices: dict[tuple[int, ...], Price] = {}
        covers = [panels for panels in self._covers() if cycles_of(panels) < inf]
        return _best(covers, [self._price(panels) for panels in covers], self.tuning.cycles_for_code_of_panels, ())

    def _price(self, panels: Sequence[Panel]) -> Price:
        prices = [self._prices[panel.row_vectors] for panel in panels]
        return Price(cycles_of(panels), sum([each.code for each in prices]), sum([each.widest for each in prices]))

    def _make_fma_panel(self, row_vectors: tuple[int, ...]) -> Panel:
        costs = self._costs(row_vectors)
        chains = [each for group in self._groupings for each in self._chains(costs, group)]
        best = _best(chains, [each.price for each in chains], self._cycles_for_code(), _NONE)
        self._prices[row_vectors] = best.price
        return Panel(self.scheme, row_vectors, 1, best.blocks, best.price.cycles * self.product.n, self._held())

    def _cycles_for_code(self) -> float:
        return self.tuning.cycles_for_code

    def _chains(self, costs: RowVectors, group: int) -> Iterator[_Chain]:
        """Yield chains of blocks for any number of columns. The widest block has at least three quarters of the most
        columns that fit into registers, since the estimates of narrower blocks are rough."""
        count = self._most_columns(costs, group)
        both = [self._both(costs, columns, group) for columns in range(1, count + 1)]
        least = min(-(-3 * count // 4), count - count % self.step)
        for columns in range(max(1, least), count + 1):
            if columns % self.step and columns > 1:
                continue
            first = both[columns - 1][0]
            widest = first.block._replace(repeat=max(2, self.product.n // columns))
            for narrower in _narrower(columns):
                rest = [both[each - 1][1] for each in narrower]
                chain = [first, *rest]
                cycles = sum([_cycles(extent, chain) / extent for extent in EXTENTS]) / len(EXTENTS)
                price = Price(cycles, sum([each.code for each in chain]), first.code)
                yield _Chain((widest, *[each.block for each in rest]), price)

    def _both(self, costs: RowVectors, columns: int, group: int) -> tuple[_Made, _Made]:
        """Return a block of this many columns in two forms: as the widest block of a panel, and as a narrower one."""
        k, tuning, estimate = self.product.k, self.tuning, self._estimate(costs, columns, group)
        block = self._made_block(costs, group, estimate, columns, 1)
        short = self._short(block, estimate.instructions)
        cycles = max(estimate.cycles, k * costs.lines * tuning.far_line_cycles) + tuning.block_cycles
        alone = max(cycles, estimate.instructions * k / tuning.narrow_instructions_a_cycle) + tuning.block_cycles
        code = [self._instructions(each, estimate.instructions, len(costs.counts)) for each in (block, short)]
        return _Made(block, cycles, code[0]), _Made(short, alone + k / short.unroll, code[1])

    def _instructions(self, block: Block, step: float, row_vectors: int) -> float:
        """Return the number of instructions of a block: its steps of k, of `step` instructions each, and those that
        initialise and store the sums."""
        k = self.product.k
        steps = k if k <= block.unroll else block.unroll + k % block.unroll
        return step * steps + OF_A_SUM * block.columns * row_vectors * block.split + OF_A_BLOCK

    def _short(self, block: Block, step: float) -> Block:
        """Return the block with fewer steps of k unrolled: a narrower block runs only a few times per panel, so short
        code matters more."""
        if self.product.unit is not None and self.product.unit.block:
            return block  # its steps are those of a block of the sum
        steps = block.split * block.group
        while steps * step < self.tuning.narrow_body_instructions and steps < block.unroll:
            steps *= 2
        return block._replace(unroll=steps) if steps < block.unroll else block


class Inside(RowsSearch):
    """The search for a product inside a longer kernel.

    Its panels and their widest blocks are those of a product of MANY columns, whichever are better, so that many
    columns take the same time. Narrower blocks are chosen at a lower price of code, of which the longer kernel has
    more.
    """

    known: type[Search]
    """The search for a known number of columns."""

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """Return the panels, or () if the registers do not suffice."""
        made = []
        for columns in MANY:
            known = self.known(self.facts, self.spec).panels(replace(product, n=columns))
            if not known or any(panel.scheme is not self.scheme for panel in known):
                continue
            self._widest = {panel.row_vectors: panel.blocks[0] for panel in known}
            self._begin(product)
            self._prices = {}
            panels = tuple(self._repeated(panel.row_vectors, panel.repeat) for panel in known)
            if all(panel.blocks for panel in panels):
                made.append((panels, self._price(panels)))
        self._widest = {}
        prices = [price for _, price in made]
        return _best([panels for panels, _ in made], prices, self._cycles_for_code(), ()) or super().panels(product)

    def _cycles_for_code(self) -> float:
        return self.tuning.cycles_for_code_inside

    def _chains(self, costs: RowVectors, group: int) -> Iterator[_Chain]:
        known, chains = self._widest.get(costs.counts), list(super()._chains(costs, group))
        same = [each for each in chains if known and each.blocks[0].columns == known.columns and group == known.group]
        yield from chains if not known else same


class InsideSearch(Inside):
    """The search for FMA."""

    known = Search


class RowsDotSearch(RowsSearch, DotSearch):
    """The search for dot-product units."""


class InsideDotSearch(Inside, DotSearch):
    """The same inside a longer kernel."""

    known = DotSearch


class RowsMmlaSearch(RowsSearch, MmlaSearch):
    """The search for MMLA units, which process columns in pairs."""

    step = 2


class RowsOuterSearch(OuterProductSearch):
    """The search for outer-product accumulators: each panel has a widest grid and narrower ones."""

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """Return the panels of all rows, each with blocks for any number of columns."""
        made, side = [], self.facts.side
        for row_vectors, repeat in cuts(product.m, side, self._along(product)):
            wide = 1 if turned(product)[0] else self._free(product) // len(row_vectors)
            chain = sorted({side * wide, side, min(side, FEW), 1}, reverse=True)
            grids = [(split(columns, side), max(1, product.n // columns) if columns == chain[0] else 1)
                     for columns in chain]  # fmt: skip
            made.append(self._panel(product, row_vectors, repeat, iter(grids)))
        return tuple(made)


def _best(made: Sequence[T], prices: Sequence[Price], weight: float, none: T) -> T:
    """Return the item with the lowest sum of relative cycles and weighted code, or `none` if there is no item. Code as
    long as the widest blocks counts as the fraction `weight` of the cycles."""
    if not made:
        return none
    least = min(prices)
    costs = [each.cycles / least.cycles + weight * each.code / least.widest for each in prices]
    return made[costs.index(min(costs))]


def _narrower(most: int) -> list[tuple[int, ...]]:
    """Return the possible widths of the blocks that follow a widest block of `most` columns: up to two of the smaller
    powers of two, or all of them, then a single column."""
    if most == 1:
        return [()]
    powers = [1 << bit for bit in reversed(range(1, (most - 1).bit_length()))]
    few = [(*each, 1) for count in (0, 1, 2) for each in combinations(powers, count)]
    return few if len(powers) < 3 else [*few, (*powers, 1)]


def _cycles(extent: int, chain: Sequence[_Made]) -> float:
    """Return the cycles that `extent` columns take in this chain of blocks."""
    total = 0.0
    for each in chain:
        count, extent = divmod(extent, each.block.columns)
        total += count * each.cycles
    return total
