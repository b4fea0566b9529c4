"""Register blocking of a GEMM: panels of rows, and in each panel blocks of columns whose sums stay in registers.

Every request is planned as a column-major product (gemm/products.py). A *panel* is a group of rows held in a few vector
registers, its row vectors. It is combined with the columns of B in blocks:

    fma       acc[i][j] += A[row vector i, k] * broadcast(B[k, j])     one FMA per row vector, column and step of k
    along k   acc[j] += A[row, k..] * B[k.., j], and at the end the    for one to three leftover rows, if B is
              sum over each register by a tree of shuffles             contiguous along k

The dot-product, MMLA, outer-product and tile units are used in the same way. `fma` wastes the lanes of a row vector
beyond its rows; `along k` wastes only the time of the tree. The planner keeps the blocking with the fewest cycles on
the busiest resource (FMA pipes, load pipes, issue slots).
"""

from __future__ import annotations

from dataclasses import field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import dataclass
from ..choice import Plan, Refusal, best, refused, required
from ..codegen.laid_by import LaidBy, of_matrix
from ..codegen.long_sums import (
    DYNAMIC_TERMS,
    MOST_OF_BLOCK,
    MOST_OF_EACH,
    MOST_TERMS,
    Levels,
    levels_of_product,
)
from ..contract.dot_and_tile import OWN, TILED
from ..contract.machine import SCRATCH_ALIGNMENT, Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.graph import FLOATS
from ..hints import NONE, Hints, without_hints
from ..operands import CACHE_LINE, NOMINAL_ROWS
from ..tuning.gemm import GemmTuning
from .blocking import BlockedProduct, BlockSearch, Panel, Scheme, split_extent
from .products import changes, products, refusal, way_of
from .spec import GROUP_BYTES, GemmSpec

if TYPE_CHECKING:
    from ..contract.dot_and_tile import TileShape
    from . import hints as gemm_hints
    from . import search_fragment, search_outer, search_tile
    from .search_outer import OuterProductSearch
    from .search_tile import TileSearch

search_fragment = lazy(__package__, ".search_fragment")
search_outer = lazy(__package__, ".search_outer")
gemm_hints = lazy(__package__, ".hints")
search_tile = lazy(__package__, ".search_tile")


UNPACKED = "unpacked operands"
"""The way that packs nothing."""
PACKED_IN_BLOCKS = "blocks of one operand packed first"
"""The way of prepack/block_plan.py."""


class ProductPlan(Plan):
    """A plan whose calls multiply the pairs of a batch, possibly on tile registers that each call configures."""

    spec: Any
    cycles: Any
    """Estimated cycles per pair of the batch."""
    tile_shapes: Any
    """Shapes of the tile registers; empty if none are used."""
    tuning: Any
    """The tuning table of the target."""

    @property
    def pairs_without_levels(self) -> int:
        """The most pairs whose sums need no levels, if the call gives the number of pairs and one needs none; else
        0."""
        return 0

    @property
    def products(self) -> object:
        """The number of independent products of a call: 1, or that of a stack, which is RUNTIME if the call gives
        it."""
        return getattr(self.spec, "stack", 1)

    @property
    def without_levels(self) -> dict[str, int]:
        """The parameters of the C function that decide whether sums have levels, and the most of each without."""
        return {"count": self.pairs_without_levels} if self.pairs_without_levels else {}

    @property
    def call_cycles(self) -> float:
        """Estimated cycles per call: all pairs, or all products of a stack (a likely number if the call gives it), and
        the configuration of tiles."""
        every, tuning = self.products if self.spec.batch is None else self.spec.batch, self.tuning
        return float(self.cycles * (every if isinstance(every, int) else tuning.likely_pairs) + self.configure_cycles)

    @property
    def configure_cycles(self) -> float:
        """Estimated cycles to configure the tile registers, or 0 if none are used."""
        return float(self.tuning.configure_cycles) if self.tile_shapes else 0.0


@dataclass(frozen=True)
class GemmPlan(ProductPlan):
    """The register blocking of a product, and its estimate."""

    spec: GemmSpec
    product: BlockedProduct
    panels: tuple[Panel, ...]
    late_c: bool  # C is added to the finished sum instead of starting it: shortens the chain from call to call
    vector: int  # elements of the widest register
    product_cycles: float  # estimate for the product, which is the whole batch if its pairs are one long k
    tuning: GemmTuning = field(compare=False, repr=False)
    hints: Hints = NONE
    shifted: bool = False  # if dynamic, on tiles: whether the last block begins in the one before it, to be a whole one
    ahead: int = 0  # in a stack: how many products ahead each step of k prefetches a cache line of each operand
    along: tuple[GemmPlan, ...] = ()  # if dynamic, along the lines of C: blocks of fewer and fewer (rows/inner_plan.py)

    @property
    def dynamic(self) -> bool:
        """Whether the call gives the number of columns, in column-major terms: a panel repeats its widest block while
        enough are left, then narrower ones (rows/)."""
        return self.spec.counted not in ("", "k")

    @property
    def cycles(self) -> float:
        """Estimated cycles per pair."""
        if not self.panels:
            return 0.0
        if self.along:
            return self.product_cycles * NOMINAL_ROWS / self.along[0].width_along(self.spec.counted)
        batch, pairs = self.spec.batch, self.product.pairs
        if not isinstance(batch, int) or not isinstance(pairs, int) or pairs == batch:
            return self.product_cycles
        return self.product_cycles * pairs / max(1, batch)

    def width_along(self, name: str) -> int:
        """Return the extent m or n of the request."""
        return int(getattr(self.spec, name))

    @property
    def levels(self) -> Levels | None:
        """The levels in memory of long sums, or None if there are none."""
        p = self.product
        if not self.panels or p.dtype not in FLOATS:
            return None
        known = isinstance(p.pairs, int) and not p.of_any_depth
        every = self.additions(p.k) * int(p.pairs) if known else DYNAMIC_TERMS  # type: ignore[arg-type]
        if every <= (MOST_OF_BLOCK if self.spec.late else MOST_TERMS):
            return None
        levels = levels_of_product(every)
        if not self._packed_for_tiles:
            return levels
        extents = self.spec.m, self.spec.n, self.spec.order[2]
        fitting = of_matrix(*extents, levels, self.vector, self.spec.acc_dtype, every)
        return levels if fitting is None else fitting.levels  # no such pairs are packed if no levels fit

    @property
    def _packed_for_tiles(self) -> bool:
        """Whether tiles, or what stands in for them, add pairs of which each would be packed for tiles: such sums wait
        in memory, and have the levels that fit into it, so that every way gives the same bits."""
        p = self.product
        on_tiles = p.tile is not None or (p.unit is not None and p.unit.block > 0)
        return on_tiles and self.spec.batch is not None and bool(changes(self.spec, GROUP_BYTES // 2))

    def additions(self, steps: int) -> int:
        """Return the additions to a sum in so many steps of k of one pair."""
        block = self.product.unit.block if self.product.unit is not None else 0
        return -(-steps // block) if block else steps * self.depth

    def steps_of(self, additions: int) -> int:
        """Return the steps of k of so many additions to a sum, at least one."""
        block = self.product.unit.block if self.product.unit is not None else 0
        return additions * block if block else max(1, additions // self.depth)

    @property
    def levels_with_sums(self) -> Levels | None:
        """The levels of long sums, and below them one for the sums themselves if these are tiles, which are stored to
        be added."""
        if self.levels is None or self.product.tile is None:
            return self.levels
        return self.levels._replace(depth=self.levels.depth + 1)

    @property
    def pairs_without_levels(self) -> int:
        """See `ProductPlan`."""
        if self.levels is None or isinstance(self.product.pairs, int) or self.product.of_any_depth:
            return 0
        return MOST_TERMS // self.additions(self.product.k)

    @property
    def without_levels(self) -> dict[str, int]:
        """See `ProductPlan`."""
        if self.levels is None or not self.product.of_any_depth:
            return super().without_levels
        pairs = self.product.pairs
        if isinstance(pairs, int):
            return {"k": MOST_TERMS // max(1, pairs)}
        return {"k": MOST_OF_EACH, "count": MOST_OF_EACH}

    @property
    def depth(self) -> int:
        """The terms that a step of k adds to a sum."""
        unit = self.product.unit
        return 1 if unit is None or unit.of_tiles else unit.depth

    @property
    def sums_of_block(self) -> int:
        """The most vectors of a block's sums: vector registers, or lines of accumulators or tiles."""
        if self.product.tile is not None and self.panels:
            high, wide, _ = search_tile.largest(self.product, self.product.tile, self.panels)
            return int(high * wide * self.product.tile.side)
        two = self.product.unit is not None and self.product.unit.columns > 1
        blocks = ((panel, block) for panel in self.panels for block in panel.blocks)
        return max(
            (
                (block.columns + block.columns % 2 * two)
                * block.split
                * (panel.rows if panel.scheme is Scheme.ALONG_K else len(panel.row_vectors))
                for panel, block in blocks
            ),
            default=0,
        )

    def bytes_inside(self, vector: int) -> int:
        """Return the bytes of scratch memory for the levels of long sums."""
        levels = self.levels_with_sums
        return 0 if levels is None else levels.bytes(self.sums_of_block, vector) + SCRATCH_ALIGNMENT

    @property
    def set_up_once(self) -> bool:
        """Whether the masks and constants that a panel sets up before its blocks can serve several products. That holds
        if there is one panel and it holds no rows of A."""
        return len(self.panels) == 1 and not (self.panels[0].scheme is Scheme.ALONG_K and self.panels[0].held)

    @property
    def pointers_stay(self) -> bool:
        """Whether the pointers to the operands are unchanged after the product, which holds for a single block."""
        if len(self.panels) != 1:
            return False
        (panel,) = self.panels
        blocks = panel.repeat * sum(block.repeat for block in panel.blocks)
        return blocks == 1 and panel.scheme in (Scheme.FMA, Scheme.ALONG_K)

    @property
    def emulated(self) -> bool:
        """Whether a tensor unit that the target lacks is replaced by other instructions that give the same bits."""
        return self.product.unit is not None and self.product.unit.emulated

    @property
    def stand_in(self) -> GemmSpec | None:
        """The request that gives the same bits without tile registers, or None if none are used."""
        return None if self.product.tile is None else without_hints(replace(self.spec, numerics=TILED, tiles=OWN))

    @property
    def configure_cycles(self) -> float:
        """Estimated cycles to configure the tile registers, or 0 if none are used."""
        return float(self.tuning.configure_cycles) if self.product.tile and self.panels else 0.0

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Shapes of the tile registers; empty if none are used, or if those of the last columns have as many rows as
        the call leaves, so that no context can configure them beforehand."""
        tile = self.product.tile
        if not tile or not self.panels or self.dynamic:
            return ()
        search = search_tile
        shapes: tuple[TileShape, ...]
        shapes = search.registers(self.product, tile, search.largest(self.product, tile, self.panels)).shapes
        return shapes

    def __str__(self) -> str:
        p = self.product
        lines = [str(self.spec)]
        operand = {"a": "A", "b": "B", "c": "C"}
        kind = "row-major: computed as C' = B' A'" if p.a.argument == "b" else "column-major"
        lines.append(
            f"  {kind}; vectors along {'n' if p.a.argument == 'b' else 'm'} of {operand[p.a.argument]},"
            f" elements of {operand[p.b.argument]} are broadcast"
        )
        if self.along:
            widths = [str(each.width_along(self.spec.counted)) for each in self.along]
            rest = ", ".join(widths[1:])
            lines.append(f"  {self.spec.counted} is given at the call: {widths[0]} while they last, then {rest}")
        elif self.dynamic:
            rest = "the last one ends with the last column" if self.shifted else "then narrower ones"
            lines.append(
                f"  {self.spec.counted} is given at the call, {p.n} is likely: blocks repeat while columns last, {rest}"
            )
        if self.products != 1:
            lines.append(f"  a loop over {self.products!r} products, bytes apart that the call gives")
            which = ("", "next product", "product after the next one")[self.ahead]
            lines += [f"  each step of k prefetches a cache line of each operand of the {which}"] * bool(which)
        folded = p.pairs != self.spec.batch and isinstance(self.spec.batch, int)
        if p.unit:
            most = "up to " if p.unit.of_tiles else ""
            steps = f", {most}{p.unit.step} of k a step" if p.unit.step > 1 or p.unit.accumulators else ""
            lines.append(f"  {p.unit.name}{' (emulated)' if p.unit.emulated else ''}{steps}")
        lines.append(f"  k {'given at the call' if p.of_any_depth else p.k}{_batch(p, folded)}")
        lines += [_describe(panel, p) for panel in self.panels]
        if self.levels is not None:
            lines.append(f"  {self.levels}")
        early = self.spec.starts_as_c and not self.late_c
        when = "starts the accumulators" if early else "added to the finished sum" if self.spec.beta else "not read"
        lines.append(f"  C {when}; alpha {self.spec.alpha:g}, beta {self.spec.beta:g}")
        if self.hints != NONE:
            lines.append(f"  {self.hints}")
        if p.unit and p.unit.accumulators:
            lines.append(f"  about {self.cycles:.0f} cycles a pair")
            return "\n".join(lines)
        ideal = p.m * p.n * p.k / self.vector
        lines.append(
            f"  about {self.cycles:.0f} cycles a pair; {ideal:.0f} FMA instructions on full vectors would do the work"
        )
        return "\n".join(lines)


class AroundProduct(ProductPlan):
    """A plan that wraps a product; its properties follow from the product's."""

    product: Any

    def bytes_inside(self, vector: int) -> int:
        """Return the bytes of scratch memory that the product may claim inside another kernel. vector: bytes of a
        vector."""
        return int(self.product.bytes_inside(vector))

    @property
    def tuning(self) -> GemmTuning:
        """The tuning table of the target."""
        return self.product.tuning  # type: ignore[no-any-return]

    @property
    def configure_cycles(self) -> float:
        """Estimated cycles to configure the tile registers for the product."""
        return float(self.product.configure_cycles)

    @property
    def emulated(self) -> bool:
        """Whether the product's instructions stand in for a unit that the target lacks."""
        return bool(self.product.emulated)

    @property
    def stand_in(self) -> Any:
        """The request that gives the same bits without tile registers, or None if none are used."""
        other = self.product.stand_in
        return None if other is None else without_hints(replace(self.spec, numerics=other.numerics, tiles=other.tiles))

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Shapes of the tile registers; empty if none are used."""
        return self.product.tile_shapes  # type: ignore[no-any-return]


class Prepacked(ProductPlan):
    """A plan that packs operands into another layout before they are multiplied (prepack/)."""

    scratch: Any
    """Bytes of scratch memory for the packed operands."""
    laid_by: LaidBy | None = None
    """The levels of sums that wait in memory of C's shape between blocks or pairs."""

    @property
    def bytes_of_c_levels(self) -> int:
        """Bytes of scratch memory for them."""
        return 0 if self.laid_by is None else self.laid_by.bytes + SCRATCH_ALIGNMENT

    def bytes_inside(self, vector: int) -> int:
        """Return the bytes of scratch memory that the product may claim inside another kernel. vector: bytes of a
        vector."""
        product = getattr(self, "product", None)
        levels = product.bytes_inside(vector) if isinstance(product, GemmPlan) else 0
        return int(self.scratch) + self.bytes_of_c_levels + 4 * CACHE_LINE + levels

    def of_sums(self, long: bool) -> Prepacked:
        """Return the plan for a batch whose size the call gives: for more pairs than `pairs_without_levels`, or for
        fewer."""
        return self


class RoundedTwice(UnsupportedError):
    """Raised if a product would be computed in parts that are each rounded to the type of C."""


def _describe(panel: Panel, product: BlockedProduct) -> str:
    row_vectors = "+".join(map(str, panel.row_vectors))
    times = f"{panel.repeat} x " if panel.repeat > 1 else ""
    text = f"  panel {times}{panel.rows} rows ({panel.scheme.value}, {row_vectors}):"
    for block in panel.blocks:
        registers = block.columns * len(panel.row_vectors) * block.split
        if product.unit and product.unit.accumulators:
            registers = len(panel.row_vectors) * len(split_extent(block.columns, product.unit.side))
        loop = "k unrolled" if block.unroll == product.k else f"k by {block.unroll}"
        loop += " and 1" * (product.of_any_depth and block.unroll > 1)
        split = f", {block.split} sets" if block.split > 1 else ""
        split += f", B by {block.group}" if block.group > 1 else ""
        count = f"{block.repeat} x " if block.repeat > 1 else ""
        held = f"{registers} {_held(product)}"
        text += f" {count}{block.columns} columns [{held}{split}, {loop}]"
    return text


def _batch(product: BlockedProduct, folded: bool) -> str:
    """Return the pairs of a product as text, and whether pairs of the request are part of its k."""
    if folded and product.pairs == 1:
        return " (the batch lies contiguously along k)"
    loops = [*(level.times for level in product.around)]
    pairs = product.pairs if isinstance(product.pairs, int) else product.pairs.value
    text = f", batch {' x '.join(map(str, [*loops, product.innermost])) if loops else pairs}"
    return text + " (the inner levels lie contiguously along k)" * folded


def _held(product: BlockedProduct) -> str:
    return "tiles" if product.tile else "accumulators"


def plan(spec: GemmSpec, facts: Facts) -> GemmPlan:
    """Return the best blocking of the best column-major product. Raises UnsupportedError if there is none."""
    return required(planned(spec, facts))


def planned(spec: GemmSpec, facts: Facts) -> GemmPlan | Refusal:
    """Return the best blocking of the best column-major product that the orders allow. Its `rejected` lists the
    others."""
    every = list(products(spec, facts))
    if not any(isinstance(each, BlockedProduct) for each in every):
        return refused(UNPACKED, refusal(spec, facts))
    blocked = [blocking_of(spec, facts, each) if isinstance(each, BlockedProduct) else each for each in every]
    chosen = best(blocked, cost=attrgetter("product_cycles"))
    if isinstance(chosen, Refusal) and spec.names_hints:
        made = (each for each, product in zip(blocked, every) if isinstance(product, BlockedProduct))
        return next(each._replace(way=UNPACKED) for each in made if isinstance(each, Refusal))
    if isinstance(chosen, Refusal):
        return refused(UNPACKED, f"{spec}: no block of it fits into {facts.vector_registers} vector registers")
    return chosen


def unpacked_plan(spec: GemmSpec, facts: Facts) -> GemmPlan | Refusal:
    """Return the plan of the product without packing, under the name of that way."""
    direct = planned(spec, facts)
    return direct if isinstance(direct, Refusal) else replace(direct, way=f"{UNPACKED}: {direct.way}")


def blocking_of(spec: GemmSpec, facts: Facts, product: BlockedProduct) -> GemmPlan | Refusal:
    """Return the cheapest blocking of a column-major product into panels and blocks."""
    tuning, way = facts.tuning.gemm, way_of(product)
    panels = _search(product, facts, spec).panels(product)
    if not panels:
        return refused(way, f"no block of it fits into {facts.vector_registers} vector registers")
    cycles = sum(panel.cycles for panel in panels)
    if spec.batch == 0 and spec.beta == 1:
        panels = ()  # C stays unchanged
    pairs = product.pairs if isinstance(product.pairs, int) else 1
    # A short product starts from C if C is loaded anyway: one FMA instead of a product and an addition.
    shortest = 2 if facts.separate_loads else 0
    starts_as_c = spec.mixed or product.outer_product is not None
    short = shortest <= product.k * pairs <= tuning.longest_late_c
    late = spec.late or (spec.alpha == spec.beta == 1 and short and not starts_as_c)
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    prefetch = _prefetch(product, panels, facts) if spec.prefetch is None else spec.prefetch
    streaming = tuning.streaming if spec.streaming is None else spec.streaming
    wanted = panels and (prefetch or streaming) and not product.of_any_depth
    hints = gemm_hints.hints_of(spec, product, panels, facts, prefetch, streaming) if wanted else NONE
    if isinstance(hints, str):
        return refused(way, hints)
    return GemmPlan(spec, product, panels, late, vector, cycles, tuning, hints, way=way)


def _prefetch(product: BlockedProduct, panels: tuple[Panel, ...], facts: Facts) -> str:
    """Return the operands to prefetch if the request names none: columns along k, if L2 does not hold them."""
    along_k = all(panel.scheme is Scheme.ALONG_K for panel in panels)
    far = product.n * product.bytes_along_k > facts.l2_bytes
    return f"{product.b.argument}@l1" if along_k and far else facts.tuning.gemm.prefetch


def _search(product: BlockedProduct, facts: Facts, spec: GemmSpec) -> BlockSearch | TileSearch | OuterProductSearch:
    if product.outer_product:
        return search_outer.OuterProductSearch(product.outer_product, facts.tuning.gemm)
    if product.tile:
        return search_tile.TileSearch(product.tile, facts.tuning.gemm)
    if product.unit:
        return (search_fragment.MmlaSearch if product.unit.columns > 1 else search_fragment.DotSearch)(facts, spec)
    return BlockSearch(facts, spec)


def scratch_sizes(plan: GemmPlan) -> tuple[int, int, int]:
    """Return the bytes of scratch memory for tiles of C, X and Y."""
    spec, product, facts = plan.spec, plan.product, plan.product.tile
    if not facts or not plan.panels:
        return 0, 0, 0
    search = search_tile
    (high, wide, tiles), size = search.largest(product, facts, plan.panels), facts.side * facts.row_bytes
    scaled = spec.alpha != 1 or (spec.beta != 0 and not spec.starts_as_c)
    partial, plain = product.rest % facts.depth, search.is_plain(product, facts)
    of_c = tiles * size if scaled or spec.dtype != product.dtype else 0
    return of_c, wide * size if partial else 0, high * size if partial or plain else 0
