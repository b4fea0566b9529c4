"""The backward pass in bf16 with products of pairs, on the dot-product unit or on tile registers.

    for each block of queries:    Q', G' in pairs along size; q, g in pairs of queries; gq = 0
        for each block of keys:   S' = K Q',  H' = V G'
                                  P = e^(S' - lse),  dS = P (scale H' - scale D)     f32, then rounded to bf16
                                  gv += P g,  gk += dS q
                                  gq += dS' k     dS' is dS transposed, k a block of k in pairs of keys

Every left factor is row-major, contiguous along the summed dimension. Every right factor is packed in pairs along it.
Tiles read both directly, and the dot-product unit broadcasts pairs of the left factor. All gradients are f32 sums in
memory. The scale is a factor of dS, so that no product is scaled: scaling a product on tiles would need another walk
over C.

P and dS are stored in place of the scores and slopes, each row at the start of the row that it is computed from, and
dS' in place of P. A block of 64 queries by 64 keys of size 64 therefore fits into scratch memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf
from typing import Any

from ...encoder.records import dataclass
from ..codegen.laid_by import LaidBy
from ..dtypes import ELEMENT_BYTES
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.graph import Expr, constant, fma, operand, select
from ..functions.limits import coefficients
from ..gemm.long_products import in_blocks
from ..gemm.plan import GemmPlan, scratch_sizes
from ..operands import CACHE_LINE, Operand, View
from .blocks import SCRATCH_BYTES, QueryBlocks
from .inverse_plan import (
    InversePlaces,
    InversePlan,
    InversePlanner,
    Part,
    blocks_beside,
    gradients_of_step,
    placed,
)
from .requests import COPIES, elementwise, of_product
from .spec import AttentionSpec
from .strip_plan import TILE_BYTES, TilePlanner

_PRODUCTS = ("scores", "slopes", "gv", "gk", "gq")


@dataclass(frozen=True)
class PairsPlan(InversePlan):
    """A plan whose products are of pairs."""

    @property
    def moved_for_tiles(self) -> str:
        """The operands that are moved for gq: dS and k."""
        return "a block of dS is transposed and one of k packed in pairs"


class InPairs(InversePlanner):
    """Plans the parts of a request, with products on the dot-product unit."""

    kind = PairsPlan

    @staticmethod
    def bytes_of(rows: int, spec: AttentionSpec) -> int:
        """Return the bytes of scratch memory for a block of `rows` queries and keys, excluding the needs of
        products."""
        return _places(rows, spec, 0).end

    def _pairs(self) -> bool:
        return True

    def keys_that_fit(self, wanted: int) -> int:
        """Return the keys wanted, which are as many as the queries: `bytes_of` has counted them."""
        return wanted

    @property
    def scaled_later(self) -> bool:
        """Whether scores are scaled in the step. They must be scaled before it if the mask is their initial value, or
        if a function or the edge of a window changes them."""
        return not self.spec.begins_as_mask and self.spec.score is None and not self.spec.crossed

    @property
    def unit(self) -> float:
        """The factor of D. D is negative and in units of dS, so that one FMA applies both."""
        return -self.spec.scale

    def _inverse_places(self, products: Iterable[GemmPlan]) -> InversePlaces:
        places = _places(self.rows, self.spec, max(sum(scratch_sizes(each)) for each in products))
        if places.end > SCRATCH_BYTES:
            raise UnsupportedError(
                f"size {self.spec.size}: a block of {self.rows} queries takes {places.end} bytes of "
                f"scratch memory, there are {SCRATCH_BYTES}"
            )
        return places

    def _of_keys(self, rows: int, keys: int, stored: int, once: int) -> tuple[dict[Part, GemmPlan], dict[Part, Any]]:
        spec, pitch = self.spec, 2 * self.rows
        slopes = of_product(
            rows,
            keys,
            spec.size,
            order="FFF",
            lda=self.rows,
            ldb=self.leading("v"),
            ldc=self.rows,
            beta=0.0,
            **self._types,
        )
        return {
            ("scores", rows, keys): self._scores(rows, keys),
            ("slopes", rows, keys): self.asked(slopes),
            ("gv", once, keys): self._gradient("gv", keys, once, pitch, self.queries_added),
            ("gk", once, keys): self._gradient("gk", keys, once, pitch, self.queries_added),
            ("gq", stored, keys): self._gradient("gq", stored, keys, _pitch(self.keys), spec.keys),
        }, {
            ("transposed", rows, keys): self._transposed_slopes(rows, keys),
            ("k in pairs", 0, keys): self._in_pairs("k", keys),
        }

    def _of_queries_laid_by(self) -> LaidBy | None:
        """Return the levels of gq, which has a line for each query."""
        return self._laid_by((("gq", self.spec.size),), self.rows, -(-self.spec.keys // self.keys))

    def _gradient(self, name: str, lines: int, along: int, pitch: int, terms: int) -> GemmPlan:
        """Lines of a gradient, to which sums over keys or queries are added, of so many terms in all."""
        size = self.spec.size
        types = {"dtype": self._types["dtype"], "b_layout": "vnni", "numerics": "fast"}
        asked = of_product(lines, size, along, order="CCC", lda=pitch, ldb=size, ldc=self.leading(name), **types)
        return self.asked(in_blocks(asked, terms))

    def _transposed_slopes(self, rows: int, keys: int) -> Any:
        """Plan dS transposed, one row for each query."""
        leading = {"lds": 2 * self.rows, "ldy": _pitch(self.keys)}
        return self._chosen(
            elementwise(
                COPIES["s"], "transposed", {"s": (keys, rows)}, dtype=self.spec.dtype, leading=leading, order={"y": "F"}
            )
        )

    def _in_pairs(self, name: str, lines: int) -> Any:
        """Plan the packing of an operand's lines: the elements of each two lines are interleaved."""
        return self._chosen(
            elementwise(
                COPIES["x"],
                "packed",
                {"x": (lines, self.spec.size)},
                dtype=self.spec.dtype,
                leading={"ldx": self.leading(name)},
                layouts={"y": "vnni2"},
            )
        )

    def _of_queries(self, block: QueryBlocks) -> dict[Part, Any]:
        spec, rows, once = self.spec, block.stored, block.stored - block.back
        packed: dict[str, Any] = {
            "dtype": spec.dtype,
            "layouts": {"y": "vnni2t"},
            "leading": {"ldg": self.leading("g"), "ldy": 2 * self.rows},
        }
        gradients = elementwise(COPIES["g"], "packed", {"g": (rows, spec.size)}, **packed)
        made = super()._of_queries(block)
        del made["out", rows, 0]
        return made | {
            ("gradients", rows, 0): self._chosen(gradients),
            ("q in pairs", once, 0): self._in_pairs("q", once),
            ("g in pairs", once, 0): self._in_pairs("g", once),
            ("gq", rows, 0): self._zero(rows, spec.size, self.leading("gq")),
        }

    def _begin(self, lse: Expr) -> Expr:
        """Return lse negated and in the units of scores, so that it can be added."""
        unit = 1.0 if self.softmax.natural else coefficients(self.spec.compute).LOG2E
        return select(lse == -inf, -inf, lse * -unit)

    def _step(self, rows: int, keys: int, hidden: bool) -> Any:
        """Plan the step: P at the start of each row of scores, dS at the start of each row of slopes, both in bf16. The
        rest is computed as in f32."""
        spec, dtype = self.spec, self.spec.compute
        names = ["score", "slope", "lse", "delta", *["mask"] * spec.row_mask, *["window"] * hidden]
        score, slope, lse, delta, *masks = (operand(name, dtype) for name in names)
        factor = constant(self._factor, dtype)
        if spec.row_mask:
            score = fma(score, factor, masks.pop(0)) + lse
        else:
            score = fma(score, factor, lse) if self.scaled_later else score + lse
        for each in masks:
            score = score + each
        power = self.softmax.power(score)
        views = {"mask": View("C", 1), "window": View("C", -1)}
        lines, columns, block = {"lse": 1, "delta": 1}, {"mask": 1}, View("C", self.rows)
        reads = tuple(
            Operand(name, lines.get(name, keys), columns.get(name, rows), views.get(name, block), dtype)
            for name in (*names, *self.beside)
        )
        narrow = View("C", 2 * self.rows)
        writes = tuple(Operand(name, keys, rows, narrow, spec.dtype, output=True) for name in ("y0", "y1"))
        scale = constant(spec.scale, dtype)
        made = gradients_of_step(power, slope, lambda slope: fma(slope, scale, delta), self.beside)
        # "fast" selects instructions that flush denormals to 0, as the products that read the results do
        return self._chosen(EltwiseSpec("step", keys, rows, dtype, made, reads, writes, spec.accuracy, numerics="fast"))


class InversePairsOnTiles(InPairs, TilePlanner):
    """Plans the same blocks with products on tiles, or on the vector instructions that stand in for tiles."""

    @staticmethod
    def bytes_of(rows: int, spec: AttentionSpec) -> int:
        """Return the bytes of scratch memory for a block. Products on tiles need their own if an extent is odd or C
        begins as a mask."""
        odd = spec.seen or any(each % 2 for each in (spec.queries, spec.keys, spec.size))
        simple = not spec.begins_as_mask and not odd
        return _places(rows, spec, 0 if simple else TILE_BYTES).end

    def inverse(self) -> InversePlan:
        """Return the plan, with the tile shapes and the cycles that their configuration takes."""
        made = super().inverse()
        of_block = [each.tile_shapes for (name, *_), each in made.products[: len(_PRODUCTS)]]
        shapes, configure = of_block[0], float(self.facts.tuning.gemm.configure_cycles)
        other = 2 * configure * sum(each != shapes for each in of_block)
        return replace(
            made,
            tile_shapes=shapes,
            configure_cycles=configure,
            pair_cycles_of_block=made.pair_cycles_of_block + other / (self.rows * self.keys),
        )


def _pitch(keys: int) -> int:
    """Return the elements between adjacent rows of dS'. Rows are whole cache lines, so that no row of a tile crosses
    one."""
    each = CACHE_LINE // ELEMENT_BYTES["bf16"]
    return -(-keys // each) * each


def _places(rows: int, spec: AttentionSpec, of_tiles: int) -> InversePlaces:
    """Lay out scratch memory for blocks of as many keys as queries. The products g * out, computed at the start of a
    block, share the memory of scores and slopes. So do dS' and a block of k."""
    pair, line, size = 2 * ELEMENT_BYTES[spec.dtype], rows * ELEMENT_BYTES[spec.compute], spec.size
    along_size, along_rows = -(-size // 2) * rows * pair, -(-rows // 2) * size * pair
    scores = max(rows * line, rows * _pitch(rows) * ELEMENT_BYTES[spec.dtype])
    slopes = max(rows * line, along_rows, size * line - scores)
    beside = (rows * line * (name in blocks_beside(spec)) for name in ("beside", "kept"))
    return placed(
        along_size,
        along_size,
        0,
        scores,
        slopes,
        line,
        line,
        size * ELEMENT_BYTES[spec.compute],
        2 * line,
        along_rows,
        along_rows,
        of_tiles,
        *beside,
    )
