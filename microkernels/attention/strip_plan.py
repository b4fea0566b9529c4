"""Forward attention with both products on tile registers, an alternative to products on vectors (plan.py).

    for each block of queries:    Q' and O' = 0 for each strip of 16 queries
        for each block of keys:   V' is a block of v, transposed into scratch memory
            for each strip:       S' = K Q'      K as it is in memory, Q' in pairs of neighbours: the layouts of tiles
                                  softmax step   S' becomes P', powers in pairs
                                  O' = O' correction + V' P'

A strip is the queries that fill the columns of a tile. It has its own Q', O', maxima and sums in scratch memory, one
strip after the other. S' and P' are those of the current strip, so that a step of a strip reads and writes some 28 KiB,
which stay in the first-level cache, and V' serves all strips of a block. Scores are scaled in the softmax step, since
scaling tiles on their way to memory would need another walk over the scores.

`TilePlanner` is shared with the backward pass (inverse_pairs_plan.py). The kernel configures its tile registers once,
and claims the scratch memory of products on tiles once. A product of a remainder whose tiles have other shapes is
configured separately. The same blocks are planned for the stand-in of tiles: products by vector instructions that sum
in the order of tiles and give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..contract.dot_and_tile import HELD, TILED
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..expr.graph import constant
from ..gemm.plan import GemmPlan, scratch_sizes
from ..gemm.spec import GemmSpec
from ..operands import CACHE_LINE
from .blocks import SCRATCH_BYTES, AttentionSchedule, QueryBlocks, ScratchOffsets, causal_blocks, keys_of_all
from .laid_by import FAR
from .plan import AttentionPlan
from .planner import AttentionPlanner
from .requests import COPIES, elementwise
from .spec import AttentionSpec

TILE_BYTES = 13 << 10
"""The most scratch memory that products on tiles need: six tiles of C, six of X and one of Y, of 1 KiB each."""
STRIP = 16
"""The queries of a strip: the columns of a tile of f32."""
OF_STRIP = ("queries", "sums", "largest", "total", "correction", *FAR)
"""The places that each strip has for itself."""
_KEYS = 32
"""Keys of a tile of V'."""


def _whole_tiles(keys: int) -> int:
    """Round keys up to whole tiles of V'."""
    return -(-keys // _KEYS) * _KEYS


def strip_keys(rows: int, strip: int, keys: int) -> int:
    """Return the keys of a block that a strip is multiplied by, if the causal mask crosses the block: whole tiles of
    V', if there are as many."""
    return min(keys, _whole_tiles((strip + 1) * rows))


def fits(spec: AttentionSpec, facts: Facts) -> bool:
    """Whether products can be on tiles: the type is bf16, and the machine has tiles or their stand-in is requested."""
    return spec.dtype == "bf16" and (spec.numerics == TILED or facts.tile(spec.dtype, spec.dtype) is not None)


class TilePlanner(AttentionPlanner):
    """Plans products on tiles, or on the vector instructions that stand in for tiles."""

    def even(self, most: int) -> int:
        """Return `most`: blocks are whole tiles."""
        return most

    def asked(self, spec: GemmSpec) -> GemmPlan:
        """Return the plan of a product whose tiles the kernel configures."""
        if self.spec.numerics == TILED:
            return super().asked(replace(spec, numerics=TILED))
        return super().asked(replace(spec, numerics="exact", tiles=HELD))


class StripPlanner(TilePlanner):
    """Plans the parts of a request, for blocks of some strips and keys: blocks of queries are computed strip by strip.
    The plan's `rows` are the queries of a strip, and `QueryBlocks.rows` those of a block."""

    schedule = AttentionSchedule.STRIPS

    def __init__(self, spec: AttentionSpec, facts: Facts, strips: int, keys: int) -> None:
        super().__init__(spec, facts, min(STRIP, spec.queries), keys)
        self.strips = strips
        self.step = _whole_tiles(strips * self.rows)

    def keys_that_fit(self, wanted: int) -> int:
        """Return the keys that are wanted. `_places` raises UnsupportedError if they do not fit."""
        return wanted

    def _filled(self, queries: int) -> int:
        """Round queries up to whole strips."""
        return -(-queries // self.rows) * self.rows

    def blocks(self) -> tuple[QueryBlocks, ...]:
        """Return the blocks of queries. The last strip is a whole one, whose queries past the last one are computed and
        not stored."""
        spec, rows = self.spec, self.strips * self.rows
        if spec.causal:
            return tuple(causal_blocks(spec, rows, self.keys, self._filled, lambda n: min(_whole_tiles(n), self.keys)))
        full, rest = divmod(spec.queries, rows)
        whole, last, most = keys_of_all(spec, self.keys)
        made = [QueryBlocks(rows, full, whole, last, False, most=most)] if full else []
        if rest:
            filled = self._filled(rest)
            made.append(QueryBlocks(filled, 1, whole, last, False, beyond=filled - rest, most=most))
        return tuple(made)

    def queries_of(self, block: QueryBlocks) -> list[tuple[int, int]]:
        """Return the queries of a whole and of a partial strip, and how many of them exist."""
        counts = (self.rows if block.stored >= self.rows else 0, block.stored % self.rows)
        return [(self.rows, count) for count in counts if count]

    def _blocks_of_keys(self, block: QueryBlocks) -> list[int]:
        """Return the lengths of the blocks of keys for which v is transposed."""
        return [keys for _, _, keys in super().parts(block)]

    def parts(self, block: QueryBlocks) -> list[tuple[int, int, int]]:
        """Return the queries of a strip, how many of them exist, and its keys."""
        strips = range(block.rows // self.rows)
        every = self._blocks_of_keys(block)
        if block.hidden:
            every[-1:] = [strip_keys(self.rows, strip, block.last) for strip in strips]
        return [(rows, stored, keys) for keys in dict.fromkeys(every) for rows, stored in self.queries_of(block)]

    def plan(self) -> AttentionPlan:
        """Return the plan, with the tile shapes and the cycles of transposing v and reconfiguring tiles."""
        made = super().plan()
        blocks = {keys for block in made.blocks for keys in self._blocks_of_keys(block)}
        transposed = {("v moved", 0, keys): self._transposed(keys) for keys in sorted(blocks)}
        cleared = {("cleared", self.rows, 0): self._cleared()} if any(each.beyond for each in made.blocks) else {}
        shapes = next((each.tile_shapes for _, each in made.products), ())
        _, largest = made.largest
        block = [each for (_, _, keys), each in made.products if keys == largest]
        configure = self.facts.tuning.gemm.configure_cycles
        other = sum(each.tile_shapes != shapes for each in block)
        beside = max(each.cycles for each in transposed.values()) / self.strips + other * configure
        return replace(
            made,
            elementwise_parts=(*made.elementwise_parts, *transposed.items(), *cleared.items()),
            tile_shapes=shapes,
            block_cycles=beside,
            configure_cycles=configure,
            state=self._state,
        )

    def _places(self, products: Iterable[GemmPlan]) -> ScratchOffsets:
        """Lay out the places of each strip, then those of the current one. Every place begins at a cache line."""
        spec, line, at, found = self.spec, self.rows * self.size, 0, dict[str, int]()
        of_tiles = max(self._reserved, *(sum(scratch_sizes(each)) for each in products))
        lengths = {
            "queries": self._steps * line,
            "sums": spec.size * line,
            **dict.fromkeys(OF_STRIP[2:5], line),
            **self.far,
        }
        current = {
            "scores": self.keys * line,
            "powers": -(-self.keys // 2) * line,
            "window": 2 * self.vector * self.size if spec.causal else 0,
            **dict(zip(("beside", "kept"), self.bytes_beside(self.rows, self.keys))),
            "values": spec.size * self._row_bytes(self.keys),
            "tiles": of_tiles,
        }
        for name, length in (*lengths.items(), *current.items()):
            if name == "scores":
                self._state, at = at, at * self.strips
            found[name] = at
            at += -(-length // CACHE_LINE) * CACHE_LINE
        if at - self.strips * sum(self.far.values()) > SCRATCH_BYTES:
            taken = f"{self.strips} strips and {self.keys} keys take {at} bytes of scratch memory"
            reason = f"{taken}, there are {SCRATCH_BYTES}"
            raise UnsupportedError(f"size {spec.size}: {reason}")
        return ScratchOffsets(end=at, **found)

    @property
    def _reserved(self) -> int:
        """The scratch memory that is left to products on tiles, in a plan for their stand-in too: the blocks, and so
        the bits, of both are equal. Products on tiles need it if an extent is odd or C begins as a mask."""
        spec = self.spec
        return TILE_BYTES if spec.begins_as_mask or spec.seen or spec.keys % 2 or spec.size % 2 else 0

    @staticmethod
    def _row_bytes(keys: int) -> int:
        """Return the bytes of a row of V'. Rows are whole cache lines, so that no row of a tile crosses one."""
        return -(-2 * keys // CACHE_LINE) * CACHE_LINE

    @property
    def scaled_later(self) -> bool:
        """Whether scores are scaled in the softmax step. They must be scaled before it if the mask is their initial
        value, or if a function or the edge of a window changes them."""
        return not self.spec.begins_as_mask and self.spec.score is None and not self.spec.crossed

    @property
    def order_of_sums(self) -> tuple[str, int]:
        """The order of the second product, with V' contiguous along keys, and the leading dimension of V'."""
        return "FFF", self._row_bytes(self.keys) // 2

    def _transposed(self, keys: int) -> Any:
        """Plan the transpose of a block of v."""
        spec, leading = self.spec, {"ldx": self.leading("v"), "ldy": self._row_bytes(self.keys) // 2}
        return self._chosen(
            elementwise(
                COPIES["x"], "transposed", {"x": (keys, spec.size)}, dtype=spec.dtype, leading=leading, order={"y": "F"}
            )
        )

    def _cleared(self) -> Any:
        """Plan the zeros of Q' for queries that do not exist."""
        dtype = self.spec.compute
        return self._line("cleared", self.rows, lambda: constant(0.0, dtype), (), 1, self._steps)
