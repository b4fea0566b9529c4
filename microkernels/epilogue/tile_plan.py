"""An epilogue of a product on tile registers: it runs on the grid just stored, from a buffer, beside the next products.

The tiles of a grid are stored to the buffer, from which the expression loads its sums. Its lines are interleaved with
the products of the next grid, which leave the vector units idle: all of them in straight-line code, or a few columns at
each step of a loop over k. If that is not possible, a loop over the columns follows each grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...encoder.records import dataclass
from ..choice import Refusal, refused
from ..codegen.fitting import Straight, too_few_registers
from ..codegen.lowered import Lowered
from ..codegen.selection import arithmetic_of, stored_together
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..expr.graph import Expr
from ..gemm.blocking import Panel
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked
from ..gemm.search_tile import TileSearch, extents, largest
from ..prepack.emit import registers as product_registers
from ..prepack.operand_plan import OperandPrepackPlan
from .spec import EpilogueSpec
from .stored import overwritten, refusal, takes_splat

ON_GRIDS = "epilogue on each grid of tiles"
"""The way that this module plans."""
_BESIDE = 2  # vector registers in which the product interleaves plain rows, or pads the last step of k
_SHORTEST_LOOP = 4  # steps of k
_MOST_TILES = 4  # of a grid: 4 KiB of sums


@dataclass(frozen=True)
class TileEpiloguePlan(AroundProduct):
    """The plan of the product, the code of the expression, and the place of its lines."""

    spec: EpilogueSpec
    product: GemmPlan | OperandPrepackPlan
    code: Lowered
    interleaved: bool  # with the products of the next grid of a panel
    looped: bool  # in a loop over k
    why: str  # why it is not interleaved
    instruction_cycles: float

    @property
    def grids(self) -> GemmPlan:
        """The product of the packed operands."""
        return _grids(self.product)

    @property
    def of_long_sums(self) -> TileEpiloguePlan:
        """The plan of sums that have levels: nothing runs beside them."""
        return self if self.grids.levels is None else replace(self, interleaved=False, looped=False)

    @property
    def buffers(self) -> int:
        """The number of buffers: two if one is read while the last step of a single sum over k of fixed shape fills the
        other."""
        return 1 + (self.interleaved and self.grids.product.pairs == 1 and self.grids.product.fixed)

    @property
    def needed(self) -> int:
        """Vector registers for the expression, the sums, and the temporaries of loads and stores."""
        return self.code.vectors + self.code.unroll + self.code.arithmetic.spare

    @property
    def registers(self) -> int:
        """The most vector registers held at a time."""
        return max(self.needed + _BESIDE, product_registers(self.product))

    @property
    def buffer_bytes(self) -> int:
        """Bytes of one buffer, which holds the largest grid; 0 if lines can be taken from accumulators."""
        tile = self.grids.product.tile
        if tile is None:
            return 0
        grids = self.grids.panels
        high = max((len(panel.row_vectors) for panel in grids), default=1)
        wide = max((block.columns for panel in grids for block in panel.blocks), default=1)
        return high * -(-wide // tile.side) * tile.side * tile.row_bytes

    def columns_of_turn(self, columns: int, vectors: int) -> int:
        """Return how many columns a turn of a loop over those of a grid computes: as many as fill the unrolled code."""
        most = min(columns, max(1, self.code.unroll // vectors))
        return next(each for each in range(most, 0, -1) if columns % each == 0)

    def zeroed_after(self, columns: int, vectors: int) -> int:
        """Return the number of columns of an epilogue in a loop of its own after which a tile is zeroed, again and
        again; 0: none is. columns, vectors: those of the grid, whose tiles have been stored."""
        tile = self.grids.product.tile
        fewest, most = (0, 0) if tile is None else tile.lone_instructions
        lines, turn = vectors * lines_of_vector(self.code), self.columns_of_turn(columns, vectors)
        return max(1, fewest // (lines * turn)) * turn if fewest < lines * columns <= most else 0

    @property
    def _zeroed(self) -> str:
        grids = {(block.columns, len(panel.row_vectors)) for panel in self.grids.panels for block in panel.blocks}
        found = sorted({count for grid in grids if (count := self.zeroed_after(*grid))})
        return f", a tile zeroed after every {' or '.join(map(str, found))} columns" if found else ""

    @property
    def cycles(self) -> float:
        """Estimated cycles per pair of the batch, plus those of the epilogue. If another grid of the panel follows, a
        grid's epilogue counts only as far as it takes longer than that grid's products."""
        return self.product.cycles + sum(panel.repeat * self._beyond_products(panel) for panel in self.grids.panels)

    def _beyond_products(self, panel: Panel) -> float:
        column = len(panel.row_vectors) * lines_of_vector(self.code) * self.instruction_cycles
        if not self.interleaved:
            return column * sum(block.columns * block.repeat for block in panel.blocks)
        product = panel.cycles / panel.repeat / sum(block.columns * block.repeat for block in panel.blocks)
        last, pairs = panel.blocks[-1].columns, self.grids.product.pairs
        if isinstance(pairs, int) and pairs > 1:
            product *= last // columns_of_pair(last, pairs)  # a runtime batch runs all columns beside its first pair
        hidden = sum(block.columns * block.repeat for block in panel.blocks) - last
        return last * column + hidden * max(0.0, column - product)

    def __str__(self) -> str:
        if not self.interleaved:
            where = f"in a loop after each grid, {self.why}{self._zeroed}"
        elif self.grids.product.pairs != 1:
            known = isinstance(self.grids.product.pairs, int)
            where = f"beside the next grid's products, {'some columns at each' if known else 'at its first'} pair"
        elif self.looped:
            where = "beside the next grid's products, some columns at each step of a loop over k"
        else:
            where = "beside the next grid's products"
        buffers = f"{self.buffers} x {self.buffer_bytes} bytes of sums, " if self.buffer_bytes else ""
        return f"{self.product}\nepilogue: {where}; {buffers}{self.code}; about {self.cycles:.0f} cycles together"


def _grids(product: GemmPlan | OperandPrepackPlan) -> GemmPlan:
    """Return the product of operands as they are, or of the packed ones."""
    return product if isinstance(product, GemmPlan) else product.product


def _with_grids(product: GemmPlan | OperandPrepackPlan, grids: GemmPlan) -> GemmPlan | OperandPrepackPlan:
    return grids if isinstance(product, GemmPlan) else product.with_product(grids)


def in_tiles(product: GemmPlan | Prepacked) -> bool:
    """Whether sums end in tile registers or in outer-product accumulators."""
    grids = product.product if isinstance(product, OperandPrepackPlan) and product.loop is None else product
    return isinstance(grids, GemmPlan) and grids.product.unit is not None and grids.product.unit.accumulators > 0


def lines_of_vector(code: Lowered) -> int:
    """Return the lines per vector: the code's operations, and the load of the sums."""
    return code.operations + 1


def on_grids(
    spec: EpilogueSpec, facts: Facts, product: GemmPlan | Prepacked, outputs: Sequence[Expr]
) -> TileEpiloguePlan | Refusal:
    """Return the plan of the epilogue on each grid, or the reason why it needs a walk over all sums."""
    if not isinstance(product, (GemmPlan, OperandPrepackPlan)) or not in_tiles(product):
        return refused(ON_GRIDS, "its blocks are no grids of tiles or of outer-product accumulators")
    if spec.acc_dtype == "f16":
        return refused(ON_GRIDS, "sums of f16 are narrower than what is computed with")
    of_product, arithmetic = product.spec, arithmetic_of(facts, spec.elementwise.numerics)
    if of_product.alpha != 1 or (of_product.beta != 0 and not of_product.starts_as_c):
        return refused(ON_GRIDS, "alpha and beta are applied to all sums first")
    product = _small_grids(product)
    grids = _grids(product)
    cannot = refusal(spec, grids)
    if cannot:
        return refused(ON_GRIDS, cannot)
    unroll = facts.tuning.eltwise.unroll_in_epilogue
    left = facts.vector_registers - _BESIDE - arithmetic.spare
    side_by_side = max((len(panel.row_vectors) for panel in grids.panels), default=1)
    together = stored_together(
        arithmetic, spec.elementwise.outputs[0].dtype, spec.elementwise.compute, facts, side_by_side
    )
    if together > 1:
        arithmetic = arithmetic.joining or arithmetic
        left = facts.vector_registers - _BESIDE - arithmetic.spare
    straight = Straight.of(outputs, facts, overwritten(spec), arithmetic=arithmetic, together=(together,))
    masks = arithmetic.masks
    if arithmetic.further_masks:
        masks += min(0, arithmetic.further_masks - _partial_counts(spec, grids))
    found = (straight.fitted(left - n, n, given="c") for n in range(unroll, 0, -1))
    codes = [code for code in found if code is not None and code.masks <= masks]
    if not codes:
        return refused(ON_GRIDS, f"the expression {too_few_registers(left - 1, arithmetic)}")
    code = min(codes, key=lambda each: each.time)
    cycles = max(1.0, facts.fma_cycles(facts.widths[0]) * 2) / facts.tuning.eltwise.instructions_per_cycle
    behind = TileEpiloguePlan(spec, product, code, False, False, "", cycles, way=ON_GRIDS, rejected=product.rejected)
    return _interleaved(behind, facts)


def _partial_counts(spec: EpilogueSpec, grids: GemmPlan) -> int:
    """Return the most counts of elements for which a panel and its epilogue hold a mask: those of vectors of sums that
    are not whole, those of the last step of k if it ends within a group, and one for elements that are splat."""
    product, tile, counts = grids.product, grids.product.tile, set[int]()
    if tile is not None and product.rest % tile.depth:
        rows, _ = extents(product, tile)
        counts |= {product.rest} | ({rows * tile.depth} if rows < tile.side else set())
    lines = (each for each in spec.extras if each.rows == 1 or each.columns == 1)
    if any(takes_splat(each.dtype, spec.elementwise.compute) for each in lines):
        counts.add(1)
    return max(
        (len(counts | {each for each in panel.row_vectors if each < grids.vector}) for panel in grids.panels), default=0
    )


def _small_grids(product: GemmPlan | OperandPrepackPlan) -> GemmPlan | OperandPrepackPlan:
    """Return the product in grids whose sums fit into a buffer: 1 x 4 and 4 x 1 instead of 1 x 6 and 6 x 1."""
    grids = _grids(product)
    tile = grids.product.tile
    if tile is None or not grids.panels:
        return product
    high, wide, _ = largest(grids.product, tile, grids.panels)
    if high * wide <= _MOST_TILES:
        return product
    panels = TileSearch(tile, grids.tuning, _MOST_TILES).panels(grids.product)
    smaller = replace(grids, panels=panels, product_cycles=sum(panel.cycles for panel in panels))
    return _with_grids(product, smaller)


def _interleaved(plan: TileEpiloguePlan, facts: Facts) -> TileEpiloguePlan:
    """Return the plan with its lines beside products, if these allow it; else with the reason why not."""
    product, panels = plan.grids.product, plan.grids.panels
    vectors = max((len(panel.row_vectors) for panel in panels), default=1)
    columns = max((block.columns for panel in panels for block in panel.blocks), default=1)
    copies = sum(_copies(panel) for panel in panels)
    lines, most = vectors * lines_of_vector(plan.code), facts.tuning.epilogue.most_lines_beside_products
    if product.outer_product is not None:
        return replace(plan, why="because lines of the accumulators are read one by one")
    if product.pairs == 0:
        return replace(plan, why="because there are no products")
    if product.around:
        return replace(plan, why="because the pairs lie in several levels, which are loops of their own")
    if isinstance(product.pairs, int) and plan.grids.levels is not None:
        return replace(plan, why="because long sums have levels in memory")
    if not isinstance(product.pairs, int) and not isinstance(plan.product, GemmPlan):
        return replace(plan, why="because the number of pairs is given at the call and each pair is packed")
    if not product.fixed and product.pairs != 1:
        return replace(plan, why="because leading dimensions given at the call leave too few registers for a batch")
    if not isinstance(plan.product, GemmPlan) and plan.product.scratch + 2 * plan.buffer_bytes > SCRATCH_LIMIT:
        return replace(plan, why="because the packed operand leaves scratch memory for one buffer only")
    if not copies:
        return replace(plan, why="because no other grid of its panel follows")
    if product.pairs != 1:
        written = copies * _columns_written(plan) * lines
        if written > most:
            return replace(plan, why=f"because its {written} lines are too many to interleave with products")
        return replace(plan, interleaved=True)
    in_a_loop = any(block.unroll < product.k for panel in panels for block in panel.blocks)
    if copies * columns * lines <= most and not (in_a_loop and product.k >= _SHORTEST_LOOP):
        return replace(plan, interleaved=True)
    if product.k < _SHORTEST_LOOP or 2 * copies * -(-columns // product.k) * lines > most:
        return replace(
            plan, why=(f"because its {copies * columns * lines} lines are too many to interleave with products")
        )
    shorter = tuple(_looped(panel, product.k // 2) for panel in panels)
    chosen = _with_grids(plan.product, replace(plan.grids, panels=shorter))
    return replace(plan, product=chosen, interleaved=True, looped=True)


def columns_of_pair(columns: int, pairs: int) -> int:
    """Return how many columns of an epilogue run beside each pair of a batch: the fewest for which the pairs
    suffice."""
    return next(count for count in range(1, columns + 1) if columns % count == 0 and columns // count <= pairs)


def _columns_written(plan: TileEpiloguePlan) -> int:
    """Return the most columns whose code is beside one pair of a batch: all if the call gives the number of pairs."""
    pairs = plan.grids.product.pairs
    blocks = [block.columns for panel in plan.grids.panels for block in panel.blocks]
    return max(columns_of_pair(columns, pairs) if isinstance(pairs, int) else columns for columns in blocks)


def _copies(panel: Panel) -> int:
    """Return how often the epilogue's code is repeated beside products."""
    return sum(block.repeat > 1 for block in panel.blocks) + len(panel.blocks) - 1


def _looped(panel: Panel, unroll: int) -> Panel:
    """Return the panel with a loop over k."""
    return panel._replace(blocks=tuple(each._replace(unroll=min(each.unroll, unroll)) for each in panel.blocks))
