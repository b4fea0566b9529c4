"""The estimated cycles of a way to cut a contraction."""

from __future__ import annotations

import math

from ...microkernels.contract.machine import Facts
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.contractions import CONTRACTIONS
from .tiling import Tiling


class Costs:
    """What the cycles of a way depend on, besides the width of the panels of B and how many of them are in a group."""

    def __init__(self, way: Tiling, facts: Facts, threads: int | None = None) -> None:
        """Compute what the costs of a way depend on, on so many threads if they are known."""
        contraction, extents, roles = way.contraction, way.contraction.extents, way.roles
        size_a, size_b, size_c = (ELEMENT_BYTES[each.dtype] for each in (contraction.a, contraction.b, contraction.c))
        band = way.band(way.block) if way.copies else None
        self.way, self.facts = way, facts
        # the rows of a product, the products of a tile and a panel, and the number of tiles
        self.rows, self.over = roles.rows.extent, math.prod(each.extent for each in roles.over)
        self.tiles = math.prod(extents[name] for name in way.dealt)
        self.tiles *= -(-extents[way.loop] // way.block) if way.loop else 1
        # of B: the products with panels of their own, the columns beside each other, and the blocks of columns
        self.apart = math.prod(extents[name] for name in way.dealt if contraction.b.has(name))
        self.columns, self.across = roles.columns.extent, math.prod(each.extent for each in roles.across)
        # pairs of the batch, steps along them and the depth, and the bytes of B for a column of one of these
        self.pairs = math.prod(each.extent for each in roles.batch)
        self.steps, self.bytes_step = self.pairs * -(-roles.depth.extent // way.group), way.group * size_b
        # bytes of a band, of A that a tile reads, and of C
        self.band, self.transposes = (band.elements * size_a, band.axes[-1].apart != 1) if band else (0, False)
        self.reads = self.band or way.rows * roles.depth.extent * size_a
        self.stored = math.prod(extents[name] for name in extents if contraction.c.has(name)) * size_c
        # whether a unit of tiles multiplies the types, and the numbers of cores that are to get equal shares
        self.tiled = facts.tile(contraction.a.dtype, contraction.b.dtype) is not None
        self.cores = CONTRACTIONS.cores if threads is None else (threads,)

    def cycles(self, width: int, panels: int) -> tuple[float, bool]:
        """Estimate the cycles of one core: the products, the copies, and what comes from beyond L2. Return also whether
        a group of panels is to be multiplied by all tiles before the next one.

        A step of the depth loads the vectors of a panel's row once for each block of rows that the registers hold. A
        panel is read from L1, L2 or beyond for each block. Panels come from beyond L2 once for each tile, unless a tile
        and all of its panels fit, or tiles once for each group of panels, if these are what stays.
        """
        tuning, way = CONTRACTIONS, self.way
        all_panels = -(-self.columns // width)
        panel = self.steps * self.bytes_step * width
        one, blocks = self._along(width) if way.along else self._across(width, panel)
        call = one + blocks * (tuning.block + self.pairs * tuning.pair) + tuning.call
        groups = self.across * -(-all_panels // panels)
        products = self.tiles * self.over * self.across * all_panels * call
        rate = tuning.turned if self.transposes and not way.along else tuning.copied
        copied = self.tiles * groups * self.band / rate
        weights = self.across * all_panels * panel
        tile, l2 = self.reads + self.stored // self.tiles, self.facts.l2_bytes * tuning.of_l2
        once, each_tile = self.apart * weights + self.tiles * tile, self.tiles * (weights + tile)
        each_group = self.apart * weights + groups * self.tiles * tile
        by_panels = tile + weights >= l2 and panels * panel < l2 and each_group < each_tile and not way.along
        far = once if tile + weights < l2 else each_group if by_panels else each_tile
        if way.along:  # bands are copied, and tiles beyond L2 are read, once for each group
            again = self.tiles if tile + weights >= l2 else self.apart
            far = again * weights + self.tiles * tile * (groups if way.copies or tile + weights >= l2 else 1)
        turned = self.stored / (tuning.turned if way.turned else tuning.copied) if way.staged else 0
        beyond = 0.0
        if way.bytes_own > l2 and not way.along:
            beyond = 2 * (self.tiles * groups * self.band + self.stored * way.staged) / tuning.far
        total = products + copied + far / tuning.far / 2 + turned + beyond
        of_a, of_c = way.runs
        total += self.tiles * (groups * of_a + of_c) * tuning.run
        return self._uneven(total, panels, all_panels), by_panels

    def _across(self, width: int, panel: int) -> tuple[float, int]:
        """Estimate the cycles of all steps of a product, and its blocks of rows."""
        tuning, facts, bits = CONTRACTIONS, self.facts, self.facts.target.vector_bits
        vectors = max(1, width * max(4, self.bytes_step // self.way.group) * 8 // bits)
        blocks = -(-self.rows // max(1, (facts.vector_registers - 1 - vectors) // vectors))
        arithmetic = max(self.rows * vectors * facts.fma_cycles(bits), blocks * facts.fma_latency)
        loads = (self.rows + blocks * vectors) * facts.load_cycles(bits)
        if self.tiled:  # a step is a tile deep, and a block two tiles high
            blocks = -(-self.rows // (2 * tuning.tile))
            arithmetic = self.rows * vectors / tuning.tile
            loads = (-(-self.rows // tuning.tile) + blocks * vectors) * tuning.load_of_tile / tuning.tile
        one = max(arithmetic * (1 + tuning.narrow / vectors), loads)
        nearness = tuning.near if panel > facts.l1_bytes * tuning.of_l1 else math.inf
        nearness = tuning.far if panel > facts.l2_bytes * tuning.of_l2 else nearness
        return max(self.steps * one, blocks * panel / nearness), blocks

    def _along(self, width: int) -> tuple[float, int]:
        """Estimate the same with vectors along the rows: a block of some vectors of A by some broadcast columns reads
        these vectors once for each step of the depth."""
        tuning, facts, bits = CONTRACTIONS, self.facts, self.facts.target.vector_bits
        size, all_panels = self.bytes_step, -(-self.columns // width)
        vectors = -(-self.rows * size * 8 // bits)
        high, columns = min(vectors, 3), -(-self.columns // all_panels)
        wide = min(columns, (facts.vector_registers - 1 - high) // high)
        blocks = -(-vectors // high) * -(-columns // wide)
        arithmetic, loads = vectors * columns * facts.fma_cycles(bits), blocks * (high + wide) * facts.load_cycles(bits)
        step = max(arithmetic, loads)
        if high * bits // 8 * self.steps > facts.l1_bytes * tuning.of_l1:
            step = max(step, blocks * high * bits / 8 / tuning.near)
        if self.way.roles.depth.a * size >= tuning.page:
            step += blocks * tuning.stray
        return self.steps * step, blocks

    def _uneven(self, total: float, panels: int, all_panels: int) -> float:
        """Return the cycles with those that cores wait for each other, of which each gets whole parts."""
        parts = self.tiles * self.across * -(-all_panels // panels)
        worth = [cores for cores in self.cores if total > cores * CONTRACTIONS.share]
        return total * (sum(cores * -(-parts // cores) / parts for cores in worth) / len(worth) if worth else 1.0)
