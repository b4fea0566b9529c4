"""The search for register blocks of a product whose number of columns, in column-major terms, is given at the call.

Each panel of rows has a chain of blocks: the widest, then some narrower ones whose widths are powers of two, and last
one of a single column. Each block repeats while enough columns are left for it. The search chooses the panels and their
blocks. It weighs the cycles, as a mean over several numbers of columns, against the size of the code.

The code of the shortest product of a known number of columns bounds the code. Where the best blocks have more, the
search takes the panels and the widest blocks of products of known numbers, which these numbers have too, and makes code
dearer until the code fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf
from typing import TypeVar

from ...encoder.records import NamedTuple
from ..contract.machine import Facts
from ..gemm.blocking import (
    BlockedProduct,
    BlockSearch,
    Panel,
    ProductBlock,
    RowVectors,
    Scheme,
    cuts,
    cycles_of,
    split_extent,
    unroll,
)
from ..gemm.code_size import of_block, of_panels
from ..gemm.search_fragment import DotSearch, MmlaSearch
from ..gemm.search_outer import OuterProductSearch, transposed_sides
from ..gemm.spec import GemmSpec

T = TypeVar("T")

EXTENTS = (64, 77, 96, 100, 127, 128, 256, 1000)
"""The numbers of columns for which blocks are optimised: multiples of powers of two, which are most common, and
others."""

FEW = 4
"""The number of columns of the one grid whose width lies between a whole accumulator and a single column. There is only
one, because each further width takes predicates, and all grids share seven."""

MANY = (64, 96)
"""The columns of the products from which `InsideSearch` takes panels. They are numbers of rows of a band of a traced
function."""

KNOWN = (64, 100, 256, 360, 1000)
"""The columns of the products whose code bounds that of any number of columns."""

DEARER = (1, 2, 4, 8, 16, 32, 64, 128)
"""The factors by which code becomes dearer until it fits."""


class Price(NamedTuple):
    """The price that the search minimises: cycles, instructions of all blocks, and instructions of the widest
    blocks."""

    cycles: float
    code: float
    widest: float


class _Estimated(NamedTuple):
    """A block with its estimated cycles and number of instructions."""

    block: ProductBlock
    cycles: float
    code: float


class _Chain(NamedTuple):
    """The blocks of a panel, and their price with the cycles per column."""

    blocks: tuple[ProductBlock, ...]
    price: Price


_NONE = _Chain((), Price(inf, inf, inf))


class RowsSearch(BlockSearch):
    """The search for panels whose blocks handle any number of columns."""

    step = 1
    """The widest block has a multiple of this many columns."""

    known: type[BlockSearch] = BlockSearch
    """The search for a known number of columns."""

    models: tuple[int, ...] = KNOWN
    """The numbers of columns of the products from which panels may be taken."""

    bounds: tuple[int, ...] = KNOWN
    """The numbers of columns of the products whose code bounds the code."""

    def _along_k_rows(self) -> set[int]:
        return {0}

    def panels(self, product: BlockedProduct) -> tuple[Panel, ...]:
        """Return the best list of panels that covers all rows. It is empty if the registers do not suffice for any
        block."""
        found, along_k = self._of_rows(product), self._along_k(product)
        if along_k is not None and (not found or along_k.cycles < self.tuning.share_along_k * cycles_of(found)):
            return (along_k,)
        return found

    def _along_k(self, product: BlockedProduct) -> Panel | None:
        """Return a panel of a few rows that are multiplied along k with each column, or None. Each block has the bits
        of all others, since the sum of a column has registers of its own."""
        few = product.m <= self.tuning.most_along_k_rows and product.k >= self.vector
        if self.scheme is not Scheme.FMA or not few or product.b.order != "F" or product.b.copies > 1:
            return None
        if not product.fixed:
            return None
        self._begin(product)
        panel = self._along_k_panel(product.m)
        if panel.cycles == inf:
            return None
        most = min(panel.blocks[0].columns, self.tuning.most_far_columns)
        widest, steps = 1 << (most.bit_length() - 1), product.k // self.vector
        blocks = []
        for columns in sorted({widest, min(widest, FEW), 1}, reverse=True):
            step = (product.m + 1) * columns + product.m
            unrolled = steps if panel.held else unroll(self.tuning, step, steps)
            block = ProductBlock(columns, max(2, product.n // columns), unrolled, 1, step=step)
            blocks.append(block if panel.held or columns == widest else self._short(block._replace(repeat=1), step))
        return panel._replace(blocks=tuple(blocks))

    def _of_rows(self, product: BlockedProduct) -> tuple[Panel, ...]:
        """Return the best list of panels of row vectors."""
        known = {columns: self._known(product, columns) for columns in {*self.models, *self.bounds}}
        models = [known[columns] for columns in self.models if known[columns]]
        bounds = [of_panels(known[columns], product.k, 1) for columns in self.bounds if known[columns]]
        most = self.tuning.most_code * min(bounds, default=inf)
        self._listed: dict[tuple[tuple[int, ...], ProductBlock | None], list[_Chain]] = {}
        panels: tuple[Panel, ...] = ()
        for times, alike in self._tries():
            if models or not alike:
                panels, code = self._cheapest(product, models if alike else [()], times)
                if panels and code <= most:
                    break
        return panels

    def _tries(self) -> Iterator[tuple[float, bool]]:
        """Yield what is tried until the code is short enough: how much dearer code is, and whether the panels are those
        of a product of a known number of columns."""
        yield 1, False
        yield from self._dearer()

    def _dearer(self) -> Iterator[tuple[float, bool]]:
        for alike in (True, False):
            yield from ((times, alike) for times in DEARER)

    def _known(self, product: BlockedProduct, columns: int) -> tuple[Panel, ...]:
        """Return the panels for a known number of columns, or () if they multiply in another way."""
        panels = self.known(self.facts, self.spec).panels(replace(product, n=columns))
        return panels if all(panel.scheme is self.scheme for panel in panels) else ()

    def _cheapest(
        self, product: BlockedProduct, models: Sequence[tuple[Panel, ...]], times: float
    ) -> tuple[tuple[Panel, ...], float]:
        """Return the best list of panels, and the number of its instructions. models: lists of panels, of which one
        gives the panels and their widest blocks; the empty list leaves both open. times: how much dearer code is."""
        made: list[tuple[tuple[Panel, ...], Price]] = []
        given, tuning = any(models), self.tuning
        self._price_of_code = times * (tuning.cycles_for_code_inside if given else tuning.cycles_for_code)
        for model in models:
            self._widest = {panel.row_vectors: panel.blocks[0] for panel in model}
            self._begin(product)
            self._prices: dict[tuple[int, ...], Price] = {}
            same = tuple([self._repeated(panel.row_vectors, panel.repeat) for panel in model])
            for panels in [same] if model else self._covers():
                if cycles_of(panels) < inf:
                    made.append((panels, self._price(panels)))
        weight = self._price_of_code if given else times * tuning.cycles_for_code_of_panels
        panels, price = _best(made, [price for _, price in made], weight, ((), _NONE.price))
        return panels, price.code

    def _price(self, panels: Sequence[Panel]) -> Price:
        prices = [self._prices[panel.row_vectors] for panel in panels]
        return Price(cycles_of(panels), sum([each.code for each in prices]), sum([each.widest for each in prices]))

    def _make_fma_panel(self, row_vectors: tuple[int, ...]) -> Panel:
        chains = self._listed_chains(row_vectors)
        best = _best(chains, [each.price for each in chains], self._price_of_code, _NONE)
        self._prices[row_vectors] = best.price
        return Panel(self.scheme, row_vectors, 1, best.blocks, best.price.cycles * self.product.n, self._held())

    def _listed_chains(self, row_vectors: tuple[int, ...]) -> list[_Chain]:
        """Return the chains of these row vectors, which do not depend on the price of code."""
        key = row_vectors, self._widest.get(row_vectors)
        if key not in self._listed:
            costs = self._costs(row_vectors)
            self._listed[key] = [each for group in self._groupings for each in self._chains(costs, group)]
        return self._listed[key]

    def _chains(self, costs: RowVectors, group: int) -> Iterator[_Chain]:
        """Yield chains of blocks for any number of columns. The widest block has at least three quarters of the most
        columns that fit into registers, since the estimates of narrower blocks are rough, or the columns of a known
        block."""
        count, known = self._most_columns(costs, group), self._widest.get(costs.counts)
        both = [self._both(costs, columns, group) for columns in range(1, count + 1)]
        least = min(-(-3 * count // 4), count - count % self.step)
        for columns in range(max(1, least), count + 1):
            if known and (columns, group) != (known.columns, known.group):
                continue
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

    def _both(self, costs: RowVectors, columns: int, group: int) -> tuple[_Estimated, _Estimated]:
        """Return a block of this many columns in two forms: as the widest block of a panel, and as a narrower one."""
        k, tuning, estimate = self.product.k, self.tuning, self._estimate(costs, columns, group)
        block = self._made_block(costs, group, estimate, columns, 1)
        short = self._short(block, estimate.instructions)
        cycles = max(estimate.cycles, k * self._line_cycles(costs)) + tuning.block_cycles
        alone = max(cycles, estimate.instructions * k / tuning.narrow_instructions_a_cycle) + tuning.block_cycles
        code = [of_block(each, k, len(costs.counts)) for each in (block, short)]
        return _Estimated(block, cycles, code[0]), _Estimated(short, alone + k / short.unroll, code[1])

    def _line_cycles(self, costs: RowVectors) -> float:
        """Return the cycles for the cache lines of a panel that a step of k fetches again for each block: of a panel
        beyond L1, or one that fits but has so many lines in a set that they evict each other."""
        a, tuning = self.product.a, self.tuning
        if costs.lines or a.order != "F" or not isinstance(a.leading, int):
            return costs.lines * tuning.far_line_cycles
        evicted = self.product.k * a.steps > self.facts.lines_at_distance(a.leading * a.place)
        return sum(costs.counts) * self.size / tuning.line_bytes * tuning.evicted_line_cycles * evicted

    def _short(self, block: ProductBlock, step: float) -> ProductBlock:
        """Return the block with fewer steps of k unrolled: a narrower block runs only a few times per panel, so short
        code matters more."""
        if self.product.unit is not None and self.product.unit.block:
            return block  # its steps are those of a block of the sum
        steps = block.split * block.group
        while steps * step < self.tuning.narrow_body_instructions and steps < block.unroll:
            steps *= 2
        return block._replace(unroll=steps) if steps < block.unroll else block


class InsideSearch(RowsSearch):
    """The search for a product inside a longer kernel.

    Its panels and their widest blocks are always those of a product of MANY columns, whichever are better, so that many
    columns take the same time. Narrower blocks are chosen at a lower price of code, of which the longer kernel has
    more.
    """

    models = MANY

    def __init__(self, facts: Facts, spec: GemmSpec, bounds: tuple[int, ...]) -> None:
        super().__init__(facts, spec)
        self.bounds = bounds

    def _tries(self) -> Iterator[tuple[float, bool]]:
        yield from self._dearer()


class RowsDotSearch(RowsSearch, DotSearch):
    """The search for dot-product units."""

    known = DotSearch


class InsideDotSearch(InsideSearch, DotSearch):
    """The same inside a longer kernel."""

    known = DotSearch


class RowsMmlaSearch(RowsSearch, MmlaSearch):
    """The search for MMLA units, which process columns in pairs."""

    step = 2
    known = MmlaSearch


class RowsOuterSearch(OuterProductSearch):
    """The search for outer-product accumulators. If the columns are transposed, one grid, which is one accumulator
    wide, has as many columns as are left. Otherwise each panel has a widest grid and narrower ones."""

    def panels(self, product: BlockedProduct) -> tuple[Panel, ...]:
        """Return the panels of all rows, each with blocks for any number of columns."""
        made, side = [], self.facts.side
        for row_vectors, repeat in cuts(product.m, side, self._along(product)):
            if counts_columns(product):
                grid = (side,), -(-product.n // side)
                made.append(self._panel(product, row_vectors, repeat, iter([grid])))
                continue
            wide = self._free(product) // len(row_vectors)
            chain = sorted({side * wide, side, min(side, FEW), 1}, reverse=True)
            grids = [
                (split_extent(columns, side), max(1, product.n // columns) if columns == chain[0] else 1)
                for columns in chain
            ]
            made.append(self._panel(product, row_vectors, repeat, iter(grids)))
        return tuple(made)


def counts_columns(product: BlockedProduct) -> bool:
    """Whether a grid of outer-product accumulators has as many columns as are left: its vectors of B are transposed,
    row by row, and a predicate selects their elements."""
    return product.outer_product is not None and transposed_sides(product)[0]


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


def _cycles(extent: int, chain: Sequence[_Estimated]) -> float:
    """Return the cycles that `extent` columns take in this chain of blocks."""
    total = 0.0
    for each in chain:
        count, extent = divmod(extent, each.block.columns)
        total += count * each.cycles
    return total
