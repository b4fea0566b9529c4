"""The backward pass of bf16 with products of pairs: on the dot-product unit, and on tile registers.

    for each block of queries:    Q', G' in pairs along size; q, g in pairs of queries; gq = 0
        for each block of keys:   S' = K Q',  H' = V G'
                                  P = e^(S' - lse),  dS = P (scale H' - scale D)     f32, then rounded to bf16
                                  gv += P g,  gk += dS q
                                  gq += dS' k     dS' is dS transposed, k a block of k in pairs of keys

Every left factor lies row by row, with what is summed over contiguous; every right factor is packed in pairs along it.
Tiles take both so, and the dot-product unit broadcasts pairs of the left one. All gradients are sums in f32 memory. The
scale is a factor of dS, so that no product has one: a product on tiles that is scaled takes a walk over C more.

P and dS take the place of scores and slopes, each row at the start of the row that it is made of, and dS' that of P:
so a block of 64 by 64 of size 64 fits into scratch memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf
from typing import Any

from ...encoder.records import dataclass
from ..dtypes import ELEMENT_BYTES
from ..eltwise.spec import EltwiseSpec, eltwise_spec
from ..errors import UnsupportedError
from ..expr.graph import Expr, constant, fma, operand, program, select
from ..functions.limits import coefficients
from ..gemm.plan import GemmPlan, scratch_sizes
from ..gemm.spec import gemm_spec
from ..operands import Operand, View
from .blocks import ROOM, Blocks
from .inverse_plan import InversePlaces, InversePlan, InversePlanner, Part, placed
from .inverse_spec import InverseSpec
from .spec import FULL, ROW
from .tile_plan import TILE_BYTES, TilePlanner

_LINE = 64
_PRODUCTS = ("scores", "slopes", "gv", "gk", "gq")


@dataclass(frozen=True)
class PairsPlan(InversePlan):
    """A plan whose products are of pairs."""

    @property
    def moved_for_tiles(self) -> str:
        """dS and k, for gq."""
        return "a block of dS is transposed and one of k packed in pairs"


class InPairs(InversePlanner):
    """The parts of a request, products on the dot-product unit."""

    kind = PairsPlan

    @staticmethod
    def bytes_of(rows: int, spec: InverseSpec) -> int:
        """Bytes of scratch memory for a block of so many queries and keys, but what products need."""
        return _places(rows, spec, 0).end

    def _pairs(self) -> bool:
        return True

    def keys_that_fit(self, wanted: int) -> int:
        """As many as queries: `bytes_of` counts them."""
        return wanted

    @property
    def scaled_later(self) -> bool:
        """Whether scores are scaled in the step: a mask that sums of products begin with needs them scaled."""
        return self.spec.mask != FULL

    @property
    def unit(self) -> float:
        """D is negative and in units of dS, so that both are one fused operation."""
        return -self.spec.scale

    def _inverse_places(self, products: Iterable[GemmPlan]) -> InversePlaces:
        places = _places(self.rows, self.spec, max(sum(scratch_sizes(each)) for each in products))
        if places.end > ROOM:
            raise UnsupportedError(f"size {self.spec.size}: a block of {self.rows} queries takes {places.end} bytes of "
                                   f"scratch memory, there are {ROOM}")  # fmt: skip
        return places

    def _of_keys(self, rows: int, keys: int, stored: int, once: int) -> tuple[dict[Part, GemmPlan], dict[Part, Any]]:
        spec, pitch = self.spec, 2 * self.rows
        slopes = gemm_spec(rows, keys, spec.size, order="FFF", lda=self.rows, ldb=spec.size, ldc=self.rows, beta=0.0,
                           **self._types)  # fmt: skip
        return {
            ("scores", rows, keys): self._scores(rows, keys),
            ("slopes", rows, keys): self.asked(slopes),
            ("gv", once, keys): self._gradient(keys, once, pitch),
            ("gk", once, keys): self._gradient(keys, once, pitch),
            ("gq", stored, keys): self._gradient(stored, keys, _pitch(self.keys)),
        }, {
            ("turned", rows, keys): self._turned_slopes(rows, keys),
            ("k in pairs", 0, keys): self._in_pairs(keys),
        }  # fmt: skip

    def _gradient(self, lines: int, along: int, pitch: int) -> GemmPlan:
        """Lines of a gradient, to which sums over keys or queries are added."""
        size = self.spec.size
        types = {"dtype": self._types["dtype"], "b_layout": "vnni", "numerics": "fast"}
        return self.asked(gemm_spec(lines, size, along, order="CCC", lda=pitch, ldb=size, ldc=size, **types))

    def _turned_slopes(self, rows: int, keys: int) -> Any:
        """dS, a row for each query."""
        leading = {"lds": 2 * self.rows, "ldy": _pitch(self.keys)}
        return self._chosen(eltwise_spec(lambda s: s, "turned", {"s": (keys, rows)}, dtype=self.spec.dtype,
                                         leading=leading, order={"y": "F"}))  # fmt: skip

    def _in_pairs(self, lines: int) -> Any:
        """Lines of an operand, each two with their elements side by side."""
        return self._chosen(eltwise_spec(lambda x: x, "packed", {"x": (lines, self.spec.size)}, dtype=self.spec.dtype,
                                         layouts={"y": "vnni2"}))  # fmt: skip

    def _of_queries(self, block: Blocks) -> dict[Part, Any]:
        spec, rows, once = self.spec, block.stored, block.stored - block.back
        packed: dict[str, Any] = {"dtype": spec.dtype, "leading": {"ldy": 2 * self.rows}, "layouts": {"y": "vnni2t"}}
        gradients = eltwise_spec(lambda g: g, "packed", {"g": (rows, spec.size)}, **packed)
        made = super()._of_queries(block)
        del made["out", rows, 0]
        return made | {
            ("gradients", rows, 0): self._chosen(gradients),
            ("in pairs", once, 0): self._in_pairs(once),
            ("gq", rows, 0): self._zero(rows, spec.size, spec.size),
        }

    def _begin(self, lse: Expr) -> Expr:
        """In the units of scores, and negative, to be added."""
        unit = 1.0 if self.softmax.natural else coefficients(self.spec.compute).LOG2E
        return select(lse == -inf, -inf, lse * -unit)

    def _step(self, rows: int, keys: int, hidden: bool) -> Any:
        """P at the start of each row of scores, dS at that of each row of slopes, both bf16; the rest as of f32."""
        spec, dtype = self.spec, self.spec.compute
        names = ["score", "slope", "lse", "delta", *["mask"] * (spec.mask == ROW), *["window"] * hidden]
        score, slope, lse, delta, *masks = (operand(name, dtype) for name in names)
        factor = constant(self._factor, dtype)
        if spec.mask == ROW:
            score = fma(score, factor, masks.pop(0)) + lse
        else:
            score = fma(score, factor, lse) if self.scaled_later else score + lse
        for each in masks:
            score = score + each
        power = self.softmax.normal_power(score)
        views = {"mask": View("C", 1), "window": View("C", -1)}
        lines, columns, block = {"lse": 1, "delta": 1}, {"mask": 1}, View("C", self.rows)
        reads = tuple(Operand(name, lines.get(name, keys), columns.get(name, rows), views.get(name, block), dtype)
                      for name in names)  # fmt: skip
        narrow = View("C", 2 * self.rows)
        writes = tuple(Operand(name, keys, rows, narrow, spec.dtype, output=True) for name in ("y0", "y1"))
        made = program(power, power * fma(slope, constant(spec.scale, dtype), delta))
        # by instructions that round denormal numbers to 0, as which products take them
        return self._chosen(EltwiseSpec("step", keys, rows, dtype, made, reads, writes, spec.accuracy, numerics="fast"))


class OnTiles(InPairs, TilePlanner):
    """The parts of a request, products on tiles, or by what stands in for these, in the same blocks."""

    @staticmethod
    def bytes_of(rows: int, spec: InverseSpec) -> int:
        """Products on tiles need scratch memory where an extent is odd, or a mask is there already."""
        simple = spec.mask != FULL and not any(each % 2 for each in (spec.queries, spec.keys, spec.size))
        return _places(rows, spec, 0 if simple else TILE_BYTES).end

    def inverse(self) -> InversePlan:
        """The plan, with the shapes of the tiles and the time that their configuration takes."""
        made = super().inverse()
        of_block = [each.tile_shapes for (name, *_), each in made.products[: len(_PRODUCTS)]]
        shapes, configure = of_block[0], float(self.facts.tuning.gemm.configure_cycles)
        other = 2 * configure * sum(each != shapes for each in of_block)
        return replace(made, tile_shapes=shapes, configure_cycles=configure,
                       pair_cycles_of_block=made.pair_cycles_of_block + other / (self.rows * self.keys))  # fmt: skip


def _pitch(keys: int) -> int:
    """Elements from a row of dS' to the next: whole cache lines, so that no row of a tile crosses one."""
    each = _LINE // ELEMENT_BYTES["bf16"]
    return -(-keys // each) * each


def _places(rows: int, spec: InverseSpec, of_tiles: int) -> InversePlaces:
    """For blocks of as many keys as queries. Products of g and out, with which a block begins, lie in the place of
    scores and slopes; so do dS' and a block of k."""
    pair, line, size = 2 * ELEMENT_BYTES[spec.dtype], rows * ELEMENT_BYTES[spec.compute], spec.size
    along_size, along_rows = -(-size // 2) * rows * pair, -(-rows // 2) * size * pair
    scores = max(rows * line, rows * _pitch(rows) * ELEMENT_BYTES[spec.dtype])
    slopes = max(rows * line, along_rows, size * line - scores)
    return placed(along_size, along_size, 0, scores, slopes, line, line, size * ELEMENT_BYTES[spec.compute], 2 * line,
                  along_rows, along_rows, of_tiles)  # fmt: skip
