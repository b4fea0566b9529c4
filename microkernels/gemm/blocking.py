"""Register blocking of a GEMM: the column-major product, its panels of rows, the blocks of columns in each panel; and
the search for the cheapest blocking with FMA instructions, by cycles of the busiest pipes or issue slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from math import ceil, inf, prod
from typing import Any

from ...encoder.records import NamedTuple, dataclass, new
from ..codegen.long_sums import STEPS_OF_PRODUCTS
from ..contract.dot_and_tile import UnitFacts
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..operands import REACH, RUNTIME, LeadingDimension
from ..tensor.extent import SymbolicExtent
from ..tuning.gemm import GemmTuning
from .pairs import BatchLevel
from .spec import GemmSpec, PairBatch


class Scheme(Enum):
    """How a panel multiplies. The values are printed in plans."""

    FMA = "fma"  # row vectors of A times broadcast elements of B
    ALONG_K = "along k"  # rows of A times columns of B, elementwise along k, with a sum over each register at the end
    DOT = "dot"  # row vectors of groups of A times broadcast groups of B, on dot-product instructions
    MMLA = "mmla"  # two rows by two columns at a time, on MMLA instructions
    OUTER_PRODUCT = "outer product"  # on outer-product accumulators
    TILE = "tile"  # on tile registers


class ProductOperand(NamedTuple):
    """A matrix of the column-major product: its order, its leading dimension, and the argument that holds it.

    `distance` leads to the next matrix of the batch, in places. That of a dense batch follows from the requested view:
    equivalent views of one row or column have other leading dimensions. A place is one element, or a step of k if
    packed.
    """

    order: str
    leading: LeadingDimension
    argument: str
    distance: LeadingDimension
    place: int  # bytes
    steps: int = 1  # places along k in one step of k
    across: int = 1  # rows or columns in a place
    copies: int = 1  # adjacent copies of the single element that a place holds


@dataclass(frozen=True)
class BlockedProduct:
    """The column-major product that is computed. a and c are stored by columns. k counts steps of the unit; if each
    call gives it, it is a SymbolicExtent."""

    m: int
    n: int
    k: int
    dtype: str  # type of the sums
    a: ProductOperand
    b: ProductOperand
    c: ProductOperand
    pairs: int | PairBatch  # in all levels; 1 if the whole batch is one long k
    unit: UnitFacts | None = None  # without one, a step is one multiplication and addition
    rest: int = 0  # elements of the last step of k; 0 if it is whole
    around: tuple[BatchLevel, ...] = ()  # the levels of the batch around the innermost one, the outermost first

    @property
    def tile(self) -> UnitFacts | None:
        """The unit, if it has tile registers."""
        return self.unit if self.unit is not None and self.unit.of_tiles else None

    @property
    def outer_product(self) -> UnitFacts | None:
        """The unit, if it has accumulators of outer products."""
        return self.unit if self.unit is not None and self.unit.of_outer_products else None

    @property
    def innermost(self) -> int:
        """The pairs of the innermost level of a batch whose size is known."""
        assert isinstance(self.pairs, int)
        return self.pairs // prod(level.times for level in self.around)

    @property
    def fixed(self) -> bool:
        """Whether every leading dimension is a number."""
        return RUNTIME not in (self.a.leading, self.b.leading, self.c.leading)

    @property
    def of_any_depth(self) -> bool:
        """Whether each call gives the steps of k."""
        return isinstance(self.k, SymbolicExtent)

    @property
    def bytes_along_k(self) -> int:
        """The bytes of a row of A or a column of B, if its elements have the type of the sums."""
        return self.k * (self.pairs if isinstance(self.pairs, int) else 1) * ELEMENT_BYTES[self.dtype]


class ProductBlock(NamedTuple):
    """A block of `columns` columns of a panel, repeated `repeat` times side by side."""

    columns: int
    repeat: int
    unroll: int  # steps of k in the loop body; all of k if there is no loop
    split: int  # sets of accumulators among which the sum over k is divided, to hide the FMA's latency
    group: int = 1  # elements of B per load, multiplied by lane; 1: each element is broadcast
    work: int = 0  # vector registers beside the accumulators
    step: float = 0  # instructions of a step of k, estimated

    def repeats(self, k: int) -> bool:
        """Whether a set's step is emitted more than once, in the loop over k and its remainder."""
        return self.steps(k) > self.split

    def steps(self, k: int) -> int:
        """Return the number of steps that are written out."""
        return k if k <= self.unroll else self.unroll + k % self.unroll


class Panel(NamedTuple):
    """Rows held in row vectors (the elements of each register), repeated `repeat` times one below the other."""

    scheme: Scheme
    row_vectors: tuple[int, ...]
    repeat: int
    blocks: tuple[ProductBlock, ...]
    cycles: float
    held: int = 0  # registers that hold rows of A (along k) or constants (dot) for all blocks

    @property
    def rows(self) -> int:
        """The number of rows of one repetition."""
        return sum(self.row_vectors)

    @property
    def registers(self) -> int:
        """The most vector registers that a block holds, without masks."""
        if self.scheme is not Scheme.ALONG_K:
            sums = max(block.columns * len(self.row_vectors) * block.split + block.work for block in self.blocks)
            return sums + self.held
        return max(block.columns for block in self.blocks) * self.rows + along_k_work(self.rows, self.held)


def cycles_of(panels: Sequence[Panel]) -> float:
    """Return the estimated cycles of all panels together."""
    return sum([panel.cycles for panel in panels])


def split_extent(extent: int, side: int) -> tuple[int, ...]:
    """Return the sizes of the tiles or accumulators that cover an extent: whole ones and the tail."""
    full, rest = divmod(extent, side)
    return (side,) * full + ((rest,) if rest else ())


def cuts(extent: int, side: int, most: int, overlaps: bool = False) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (neighbouring tiles or accumulators, at most `most`, number of repetitions) that cover an extent. overlaps:
    the tail is in the same group as the last whole one."""
    full, rest = divmod(extent, side)
    groups, left = divmod(full, most)
    alone = overlaps and groups > 0 and rest > 0 and not left
    if groups > alone:
        yield (side,) * most, groups - alone
    if alone:
        yield (side,) * (most - 1), 1
    last = (side,) * (left + alone) + ((rest,) if rest else ())
    if last:
        yield last, 1


def embedded(row_vectors: int, facts: Facts) -> bool:
    """Whether the FMA itself broadcasts elements of B. That pays if no second FMA needs the same element."""
    return facts.embedded_broadcast and row_vectors == 1


def along_k_work(rows: int, held: int) -> int:
    """Return the registers of a panel along k beside its accumulators: for B and C, and for the rows of A."""
    return 4 + (held + 1 if held else rows)


def unroll(tuning: GemmTuning, instructions: float, steps: int, multiple: int = 1) -> int:
    """Return the steps in a loop body: all if they are few, else the multiple that leaves the smallest remainder. If
    the call gives the steps, a power of two of at most `most_of_any_depth`, behind which single steps follow."""
    most = max(1, int(tuning.body_instructions / instructions) // multiple)
    if isinstance(steps, SymbolicExtent):
        return max(multiple, min(tuning.most_of_any_depth, 1 << (multiple * most).bit_length() - 1))
    if instructions * steps <= tuning.straight_instructions:
        return steps
    return _unrolled(most, steps, multiple)


def in_levels(k: int, steps: int) -> int:
    """Return the steps in a loop body, of so many at most: a power of two if long sums may be added to levels after
    blocks of steps, which then have the same length whatever the body."""
    return steps if k <= STEPS_OF_PRODUCTS else min(STEPS_OF_PRODUCTS // 2, 1 << steps.bit_length() - 1)


@lru_cache(maxsize=1024)
def _unrolled(most: int, steps: int, multiple: int) -> int:
    """Return the multiple with the smallest remainder, among `most` times `multiple` down to half of that."""
    candidates = range(multiple * most, multiple * max(1, most // 2) - 1, -multiple)
    rests = [steps % each for each in candidates]
    return candidates[rests.index(min(rests))]


def _even_blocks(columns: int, parts: int, together: int) -> list[tuple[int, int]]:
    """Return (columns of a block, number of blocks), as even as whole products of columns allow. If some columns are
    left over, the last block has them."""
    narrow, wider = divmod(-(-columns // together), parts)
    rest = columns % together
    last = (together * (narrow - 1) + rest, 1 if rest else 0)
    cut = (together * (narrow + 1), wider), (together * narrow, parts - wider - last[1]), last
    return [each for each in cut if each[1]]


_RUNTIME_COLUMNS = 6
"""The most columns of B that can be addressed by multiples of a leading dimension in general registers."""


Cut = tuple[tuple[tuple[int, ...], int], ...]
"""Rows cut into panels: the number of elements in each row vector, and how often the panel is repeated."""


def _cut(row_vectors: tuple[int, ...], repeat: int, last: tuple[int, ...]) -> Cut:
    return tuple([each for each in ((row_vectors, repeat), (last, 1)) if each[0] and each[1]])


class RowVectors(NamedTuple):
    """The vector registers that hold a panel's rows, and their total costs in cycles."""

    counts: tuple[int, ...]  # elements in each register
    embedded: bool  # whether elements of B are broadcast by the FMA
    fma: float
    load: float
    masks: int  # vector registers for masks
    lines: float  # cache lines that a step of k fetches again for each block; 0 if panels stay in the cache


class Estimate(NamedTuple):
    """The cycles of a block over all steps of k, and the instructions and sets of accumulators of one step."""

    cycles: float
    instructions: float
    split: int


class BlockSearch:
    """The register blockings of a product on a machine, and their costs in cycles."""

    scheme = Scheme.FMA
    groups = True  # loads of B may bring several elements
    together = 1  # columns of a product

    def __init__(self, facts: Facts, spec: GemmSpec) -> None:
        self.facts, self.spec, self.tuning = facts, spec, facts.tuning.gemm

    def panels(self, product: BlockedProduct) -> tuple[Panel, ...]:
        """Return the cheapest list of panels that covers all rows, or () if no block fits into the registers."""
        self._begin(product)
        best = min(self._covers(), key=cycles_of)
        return best if cycles_of(best) < inf else ()

    def _begin(self, product: BlockedProduct) -> None:
        """Compute what depends only on the product."""
        self.product = product
        self.size = ELEMENT_BYTES[product.dtype]
        widest = (product.unit.widest if product.unit else 0) or self.facts.widths[0]
        self.capacities = [bits // 8 // self.size for bits in self.facts.widths if 8 * self.size <= bits <= widest]
        self.vector = self.capacities[0]
        self._made: dict[tuple[int, ...], Panel] = {}
        self._priced: dict[Any, tuple[float, tuple[ProductBlock, ...]]] = {}
        self._of_counts: dict[int, tuple[float, float, int]] = {}
        self._broadcasts = 1 if product.b.copies > 1 else self.facts.broadcast_instructions(self.size)  # per element
        self._groupings = {1, self.facts.group(self.size)} if self.groups else {1}  # elements per load of B

    def _covers(self) -> Iterator[tuple[Panel, ...]]:
        """Yield lists of panels that cover all rows."""
        for along_k_rows in self._along_k_rows():
            tail = (self._along_k_panel(along_k_rows),) if along_k_rows else ()
            for cut in self._cuts(self.product.m - along_k_rows):
                yield (*[self._repeated(*each) for each in cut], *tail)

    def _along_k_rows(self) -> set[int]:
        """Return the numbers of rows that a panel along k may take: none, or those left over from full registers."""
        rows = self.product.m
        of_b = self.product.b
        fits = self.product.fixed and of_b.order == "F" and of_b.copies == 1
        if self.spec.ordered or not fits or self.product.of_any_depth:
            return {0}
        left = {rows % capacity for capacity in self.capacities} | {rows}
        return {0} | {count for count in left if count <= self.tuning.most_along_k_rows}

    def _cuts(self, rows: int) -> Iterator[Cut]:
        """Yield the cuts into full registers, in panels of equal size, and a tail. Few rows also try half the width."""
        if rows == 0:
            yield ()
            return
        for capacity in self.capacities[: 2 if rows <= self.vector else 1]:
            full, rest = divmod(rows, capacity)
            most = min(full, self._most_row_vectors())
            for tail in self._tails(rest, capacity):
                for size in range(1 if full < 3 else 2, most + 1):
                    repeat, left = divmod(full, size)
                    last = (capacity,) * left + tail
                    yield _cut((capacity,) * size, repeat, last)
                    if last and size + len(last) <= self.tuning.most_row_vectors:
                        yield _cut((capacity,) * size, repeat - 1, (capacity,) * size + last)
                if not full:
                    yield _cut((), 0, tail)

    def _most_row_vectors(self) -> int:
        """Return the most vector registers for one column of a panel."""
        few = self.product.n < self.tuning.few_columns
        return self.tuning.most_row_vectors if few else self.tuning.most_row_vectors_of_many_columns

    def _tails(self, rest: int, widest: int) -> Iterator[tuple[int, ...]]:
        """Yield the ways to hold a tail: in one register, or split over two narrower ones."""
        yield (rest,) if rest else ()
        for capacity in self.capacities:
            if capacity < widest and capacity < rest <= 2 * capacity:
                yield capacity, rest - capacity

    def _repeated(self, row_vectors: tuple[int, ...], repeat: int) -> Panel:
        panel = self._fma_panel(row_vectors)
        return panel if repeat == 1 else panel._replace(repeat=repeat, cycles=panel.cycles * repeat)

    def _fma_panel(self, row_vectors: tuple[int, ...]) -> Panel:
        """Return the best panel of these row vectors. It is searched once per product."""
        if row_vectors not in self._made:
            self._made[row_vectors] = self._make_fma_panel(row_vectors)
        return self._made[row_vectors]

    def _make_fma_panel(self, row_vectors: tuple[int, ...]) -> Panel:
        costs = self._costs(row_vectors)
        alike = self._alike(costs)
        if alike not in self._priced:
            self._priced[alike] = self._cheapest_blocks(costs)
        cycles, blocks = self._priced[alike]
        return new(Panel, (self.scheme, row_vectors, 1, blocks, cycles, self._held()))

    def _alike(self, costs: RowVectors) -> tuple[Any, ...]:
        """Return all that the blocks of a panel depend on."""
        return len(costs.counts), costs[1:]

    def _cheapest_blocks(self, costs: RowVectors) -> tuple[float, tuple[ProductBlock, ...]]:
        """Return the cycles of a panel, and its blocks."""
        n, together = self.product.n, self.together
        best: tuple[float, tuple[ProductBlock, ...]] = (inf, ())
        for group in self._groupings:
            most = self._most_columns(costs, group)
            most -= most % together if most < n else 0
            fewest = -(-n // most) if most else 0
            for parts in range(fewest, min(fewest + 1, -(-n // together)) + 1) if most else ():
                cut = _even_blocks(n, parts, together)
                found = [(self._estimate(costs, columns, group), columns, count) for columns, count in cut]
                cycles = sum([estimate.cycles * count for estimate, _, count in found]) + 2 * len(found)
                if cycles < best[0]:
                    best = cycles, tuple([self._made_block(costs, group, *each) for each in found])
        return best

    def _costs(self, counts: tuple[int, ...]) -> RowVectors:
        product, size, rows = self.product, self.size, sum(counts)
        each = [self._of_count(count) for count in counts]
        masks = sum([self._of_count(count)[2] for count in {*counts}])
        far = (rows + product.n) * product.bytes_along_k > self.facts.l1_bytes
        few = len(counts) <= self.tuning.most_gapless_row_vectors
        gapless = few and product.a.order == "F" and product.a.leading == rows == product.m
        fma, load = sum([fma for fma, _, _ in each]), sum([load for _, load, _ in each])
        lines = rows * size / self.tuning.line_bytes * (self.tuning.of_gapless_lines if gapless else 1) if far else 0.0
        return new(RowVectors, (counts, embedded(len(counts), self.facts), fma, load, masks, lines))

    def _of_count(self, count: int) -> tuple[float, float, int]:
        """Return the cycles of an FMA and of a load of `count` elements, and the vector registers of their mask."""
        found = self._of_counts.get(count)
        if found is None:
            facts, bits = self.facts, self.facts.lanes_bits(count, self.size)
            masks = int(facts.needs_mask_register(count, self.size))
            found = self._of_counts[count] = facts.fma_cycles(bits), facts.load_cycles(bits), masks
        return found

    def _held(self) -> int:
        """Return the number of vector registers that hold values for all blocks."""
        return 0

    def _most_columns(self, row_vectors: RowVectors, group: int) -> int:
        """Return the most columns whose accumulators fit beside their work registers."""
        count, b = len(row_vectors.counts), self.product.b
        most = min(self.product.n, self.facts.vector_registers // count)
        if b.order == "F" and b.leading is RUNTIME:
            most = min(most, _RUNTIME_COLUMNS)
        elif b.order == "F" and isinstance(b.leading, int):
            most = min(most, self.facts.lines_at_distance(b.leading * b.place))
        while most and most * count > self._accumulators(row_vectors, most, group):
            most -= 1
        while most and group > 1 and self._groups(most, group) > self.facts.group_registers(self.size):
            most -= 1
        return most

    def _accumulators(self, row_vectors: RowVectors, columns: int, group: int) -> int:
        """Return the vector registers left for accumulators."""
        return self.facts.vector_registers - row_vectors.masks - self._work(len(row_vectors.counts), columns, group)

    def _work(self, row_vectors: int, columns: int, group: int) -> int:
        """Return the vector registers beside the accumulators: for A and B, and later for beta and C."""
        broadcast = row_vectors + (0 if embedded(row_vectors, self.facts) else 1)
        work = broadcast if group == 1 else 2 + self._groups(columns, group)
        return max(work, 1 if self.spec.beta in (0, 1) else 2)

    def _groups(self, columns: int, group: int) -> int:
        """Return the registers for B: one per column if B is contiguous along k, else one per `group` columns."""
        return columns if self.product.b.order == "F" else -(-columns // group)

    def _made_block(self, of_a: RowVectors, group: int, estimate: Estimate, columns: int, repeat: int) -> ProductBlock:
        steps = self._unroll(estimate.instructions, group)
        work = self._work(len(of_a.counts), columns, group)
        return new(ProductBlock, (columns, repeat, steps, estimate.split, group, work, estimate.instructions))

    def _unroll(self, instructions: float, group: int) -> int:
        """Return the steps of k in a loop body."""
        along_k = group > 1 and self.product.b.order == "F"
        steps = unroll(self.tuning, instructions, self.product.k, group if along_k else 1)
        return in_levels(self.product.k, steps) if self.spec.ordered else steps

    def _estimate(self, of_a: RowVectors, columns: int, group: int) -> Estimate:
        """Estimate one block of an FMA panel."""
        facts, product, tuning = self.facts, self.product, self.tuning
        k, row_vectors = product.k, len(of_a.counts)
        by_columns = product.b.order == "F"
        fmas = columns * of_a.fma
        of_b: float = columns
        if group > 1:
            of_b = self._groups(columns, group) / (min(group, k) if by_columns else 1)
        loads = of_a.load + of_b * facts.broadcast_cycles
        instructions = facts.products(row_vectors, columns) + row_vectors / facts.loads_together
        instructions += 0 if of_a.embedded else of_b * self._broadcasts
        step = max(fmas, loads, instructions / facts.issue_width)
        split = 1
        if step < facts.fma_latency and instructions * k > tuning.window_instructions and not self.spec.ordered:
            most = min(4, k, self._accumulators(of_a, columns, group) // (row_vectors * columns))
            while step < facts.fma_latency / split and split < most:
                split += 1
            step = max(step, facts.fma_latency / split)
        step += tuning.instruction_cycles * instructions
        if of_a.lines:
            lines = columns * self.size / tuning.line_bytes
            step += tuning.line_cycles * (of_a.lines + (lines if by_columns else ceil(lines)))
        update = columns * 2 * of_a.load + 4
        return new(Estimate, (step * k + update, instructions, split))

    def _along_k_panel(self, rows: int) -> Panel:
        """Return the panel of leftover rows, multiplied along k with each column of B; endless if A is out of reach."""
        facts, vector, n, k = self.facts, self.vector, self.product.n, self.product.k
        row_vectors, steps, strided = -(-k // vector), k // vector, self.product.a.leading != 1
        holds = strided and self.product.pairs == 1 and rows * row_vectors <= self.tuning.most_held_row_vectors
        held = rows * row_vectors if holds else 0  # named by their place in k, so all steps are then written out
        masks = 2 if self.product.c.leading == 1 else 0  # sums of at most two lengths
        work = along_k_work(rows, held) + masks + facts.needs_mask_register(k % vector or vector, self.size)
        wide = vector if n * self.product.bytes_along_k <= facts.l1_bytes else self.tuning.most_far_columns
        parts = -(-n // max(1, min(vector, wide, (facts.vector_registers - work) // rows, n)))
        narrow, wider = divmod(n, parts)
        cut = [
            (columns, count, (rows + 1) * columns + rows)  # columns, blocks, instructions of a step
            for columns, count in ((narrow + 1, wider), (narrow, parts - wider))
            if count
        ]
        blocks = tuple(
            ProductBlock(columns, count, steps if held else unroll(self.tuning, each, steps), 1, step=each)
            for columns, count, each in cut
        )
        of_fmas, of_loads = n * rows * facts.fma_cycles(facts.widths[0]), n * facts.load_cycles(facts.widths[0])
        gathers = 2 * rows * k * (1 if held else parts) / facts.issue_width if strided else 0
        update = n * rows * (4 if self.product.c.leading != 1 or rows > 1 else 1) / facts.issue_width + 10 * parts
        cycles = max(of_fmas, of_loads) * row_vectors + 3 * of_fmas + gathers + update  # with the trees of the sums
        far = isinstance(leading := self.product.a.leading, int) and k * leading * self.product.a.place > REACH
        return Panel(Scheme.ALONG_K, (1,) * rows, 1, blocks, inf if far else cycles, held)
