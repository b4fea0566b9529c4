"""Attention with both products on tile registers, an alternative to products on vectors (plan.py).

    S' = K Q'      K as it is in memory, Q' in pairs of neighbours: the layouts that tiles read
    O' = O' + V' P'    V' is a block of v, transposed into scratch memory; P' are powers in pairs

The kernel configures its tile registers once, and claims the scratch memory of products on tiles once. A product of a
remainder whose tiles have other shapes is configured separately. Scores are scaled in the softmax step, since scaling
tiles on their way to memory would need another walk over the scores.

The same blocks are planned for the stand-in of tiles: products by vector instructions that sum in the order of tiles
and give the same bits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..contract.dot_and_tile import HELD, TILED
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..gemm.plan import GemmPlan, scratch_sizes
from ..gemm.spec import GemmSpec
from .blocks import ROOM
from .plan import AttentionPlan, Planner
from .requests import COPIES, elementwise
from .spec import FULL, AttentionSpec

TILE_BYTES = 13 << 10
"""The most scratch memory that products on tiles need: six tiles of C, six of X and one of Y, of 1 KiB each."""
_LINE = 64
_KEYS = 32
"""Keys of a tile of V'."""


def fits(spec: AttentionSpec, facts: Facts) -> bool:
    """Whether products can be on tiles: the type is bf16, and the machine has tiles or their stand-in is requested."""
    return spec.dtype == "bf16" and (spec.numerics == TILED or facts.tile(spec.dtype, spec.dtype) is not None)


class TilePlanner(Planner):
    """Plans the parts of a request, with products on tiles."""

    def even(self, most: int) -> int:
        """Return `most`: blocks are whole tiles."""
        return most

    def keys_that_fit(self, wanted: int) -> int:
        """Return the number of keys that fit beside Q', O', V' and the scratch memory of products: all that are wanted,
        or a multiple of a tile."""
        values = self.spec.size * self._row_bytes(min(wanted, self.spec.keys))
        left = ROOM - 6 * self.rows * self.spec.size - values - TILE_BYTES - 1024
        most = left // (6 * self.rows)
        if most >= wanted:
            return wanted
        if most < _KEYS:
            reason = f"a transposed block of v leaves {left} bytes of scratch memory"
            raise UnsupportedError(f"size {self.spec.size}: {reason}")
        return most // _KEYS * _KEYS

    @staticmethod
    def _row_bytes(keys: int) -> int:
        """Return the bytes of a row of V'. Rows are whole cache lines, so that no row of a tile crosses one."""
        return -(-2 * keys // _LINE) * _LINE

    def plan(self) -> AttentionPlan:
        """Return the plan, with the tile shapes and the cycles of transposing v and reconfiguring tiles."""
        made = super().plan()
        turned = {("v moved", 0, keys): self._turned(keys) for (_, _, keys), _ in made.products}
        shapes = next((each.tile_shapes for _, each in made.products), ())
        block = [made.product[name, self.rows, self.keys] for name in ("scores", "sums")
                 if (name, self.rows, self.keys) in made.product]  # fmt: skip
        configure = self.facts.tuning.gemm.configure_cycles
        other = sum(each.tile_shapes != shapes for each in block)
        beside = next(iter(turned.values())).cycles + other * configure
        return replace(made, walks=(*made.walks, *turned.items()), tile_shapes=shapes, block_cycles=beside,
                       configure_cycles=configure)  # fmt: skip

    def asked(self, spec: GemmSpec) -> GemmPlan:
        """Return the plan of a product whose tiles the kernel configures."""
        if self.spec.numerics == TILED:
            return super().asked(replace(spec, numerics=TILED))
        return super().asked(replace(spec, numerics="exact", tiles=HELD))

    def more_places(self, products: Any) -> tuple[int, int]:
        """Return the bytes of V' and of the scratch memory of products."""
        values = self.spec.size * self._row_bytes(self.keys)
        return values, max(sum(scratch_sizes(each)) for each in products)

    @property
    def scaled_later(self) -> bool:
        """Whether scores are scaled in the softmax step. A full mask is their initial value, so they must be scaled
        before it."""
        return self.spec.mask != FULL

    @property
    def order_of_sums(self) -> tuple[str, int]:
        """The order of the second product, with V' contiguous along keys, and the leading dimension of V'."""
        return "FFF", self._row_bytes(self.keys) // 2

    def _turned(self, keys: int) -> Any:
        """Plan the transpose of a block of v."""
        spec, leading = self.spec, {"ldx": self.leading("v"), "ldy": self._row_bytes(self.keys) // 2}
        return self._chosen(elementwise(COPIES["x"], "turned", {"x": (keys, spec.size)}, dtype=spec.dtype,
                                        leading=leading, order={"y": "F"}))  # fmt: skip
