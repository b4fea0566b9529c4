"""Attention of few queries, with vectors along keys and along columns instead of queries.

    Q' = scale q
    for each block of keys:   S = Q' K'                 one row for each query, a product of one row at a time
                              S becomes powers          a fused kernel: maxima and sums are reductions along rows
                              O = O correction + S V
    out = O / sums

A vector of queries has idle elements if queries are fewer. Here no element is idle, and each block of k and v is read
for all queries of a block. A step of the softmax of one query and 64 keys takes 54 cycles instead of 384 on AVX-512.
k and v of 16 bits are converted to f32 in scratch memory, block by block, and powers stay f32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..choice import Plan, choose
from ..contract.machine import Facts
from ..eltwise.spec import EltwiseSpec, eltwise_spec
from ..errors import UnsupportedError
from ..expr.along import along
from ..expr.graph import Expr, constant, fma_or_twice, program
from ..expr.trace import results
from ..fused import plan as fused
from ..fused.inside import scratch_bytes_of
from ..fused.spec import fused_spec
from ..gemm.long_products import in_blocks
from ..gemm.plan import GemmPlan
from ..operands import Operand, View
from .blocks import SCRATCH_BYTES, AttentionSchedule, blocks_of
from .laid_by import keys_of_block, laid
from .plan import AttentionPlan
from .planner import AttentionPlanner
from .requests import converted, elementwise, of_product, scaled
from .scores import parts_of_scores
from .spec import AttentionSpec

MOST = 8
"""Queries of a block."""
KEYS = 128
"""Keys of a block: their rows of k or v stay in L1 for up to 64 columns of f32."""
CONVERTED = 64
"""Keys of a block that is converted: it stays in L1 beside the rows that it is converted from."""
SCORE_PLACES = {"y0": "scores", "y1": "largest", "y2": "total", "y3": "correction"}
"""The places of the results of a softmax step."""


class FewPlanner(AttentionPlanner):
    """Plans the parts of a request on a machine."""

    upright = True

    def plan(self) -> AttentionPlan:
        """Return the plan. Raises UnsupportedError if a part has none."""
        spec = self.spec
        self._scratch_bytes: list[int] = []
        blocks = tuple(blocks_of(spec, self.rows, self.keys, [1]))
        products: dict[tuple[str, int, int], GemmPlan] = {}
        parts: dict[tuple[str, int, int], Any] = {}
        for block in blocks:
            rows = block.rows
            for keys in (*block.lengths(self.keys), *(keys for _, _, keys in block.parts(self.step))):
                products["scores", 1, keys] = self._scores(1, keys)
                products["sums", rows, keys] = self._sums(rows, keys)
                parts["softmax", rows, keys] = self._softmax(rows, keys)
                parts |= parts_of_scores(self, rows, rows, keys)
            parts["corrected", rows, 0] = self._corrected(rows)
            self._scratch_bytes += [
                scratch_bytes_of(made, self.facts) for (name, *_), made in parts.items() if name == "softmax"
            ]
            parts |= {(name, rows, 0): made(rows) for name, made in self._elementwise_parts().items()}
            if self._narrow:
                parts |= {
                    (f"{name} moved", 0, keys): self._moved(name, keys)
                    for (which, _, keys) in products
                    for name in "kv"
                    if which == "sums"
                }
        rows, keys = blocks[0].rows, self.keys if blocks[0].whole != 0 else blocks[0].last
        cycles = (
            rows * products["scores", 1, keys].cycles
            + products["sums", rows, keys].cycles
            + parts["softmax", rows, keys].cycles
            + parts["corrected", rows, 0].cycles
            + sum(parts[f"{name} moved", 0, keys].cycles for name in "kv" if self._narrow)
        )
        return AttentionPlan(
            spec,
            self.rows,
            self.keys,
            1,
            self.step,
            self._places(products.values()),
            blocks,
            None,
            tuple(products.items()),
            tuple(parts.items()),
            0.0,
            laid_by=self.laid_by,
            schedule=AttentionSchedule.FEW,
            pair_cycles_of_block=cycles / (rows * keys),
        )

    def _pairs(self) -> bool:
        """Return False: operands of 16 bits are converted."""
        return False

    @property
    def _narrow(self) -> bool:
        return self.spec.dtype != self.spec.compute

    def keys_that_fit(self, wanted: int) -> int:
        """Return the number of keys per block that fit into scratch memory. Raises UnsupportedError if none does."""
        left = SCRATCH_BYTES - 2 * self.rows * self.spec.size * self.size - 1024
        fitting = left // ((self.rows * (1 + len(self.beside)) + self.spec.size * self._narrow) * self.size)
        if fitting < 1:
            raise UnsupportedError(
                f"size {self.spec.size}: a key of {self.rows} queries does not fit into "
                f"{SCRATCH_BYTES} bytes of scratch memory"
            )
        return fitting

    def leading(self, name: str) -> int:
        """Return the elements between neighbouring queries or keys. Converted blocks of k and v have no gaps."""
        return self.spec.size if self._narrow and name in "kv" else super().leading(name)

    @property
    def _types(self) -> dict[str, Any]:
        return {"dtype": self.spec.compute}

    def _moved(self, name: str, keys: int) -> Any:
        """Plan the conversion of keys of k or v."""
        return self._chosen(converted(self.spec, name, keys))

    def _scores(self, rows: int, keys: int) -> GemmPlan:
        beta = 1.0 if self.spec.begins_as_mask else 0.0
        return self.asked(
            of_product(
                1, keys, self.spec.size, order="FFF", lda=1, ldb=self.leading("k"), ldc=1, beta=beta, **self._types
            )
        )

    def _sums(self, rows: int, keys: int) -> GemmPlan:
        size = self.spec.size
        asked = of_product(rows, size, keys, order="CCC", lda=self.keys, ldb=self.leading("v"), ldc=size, **self._types)
        return self.asked(in_blocks(asked, self.spec.keys))

    def _queries(self, rows: int) -> Any:
        """Plan q scaled."""
        spec = self.spec
        return self._chosen(
            elementwise(
                scaled("q", self._factor),
                "scaled",
                {"q": (rows, spec.size)},
                dtype=spec.dtype,
                out=spec.compute,
                leading={"ldq": self.leading("q")},
            )
        )

    def _start(self, rows: int) -> Any:
        dtype, size = self.spec.compute, self.spec.size
        made = results(lambda: constant(0.0, dtype), [])
        y = Operand("y", rows, size, View("C", size), dtype, output=True)
        return self._chosen(EltwiseSpec("start", rows, size, dtype, program(*made), (), (y,), self.spec.accuracy))

    def _out(self, rows: int) -> Any:
        spec, shapes = self.spec, {"o": (rows, self.spec.size), "r": (rows, 1)}
        return self._chosen(
            elementwise(
                _times,
                "divided",
                shapes,
                dtype=spec.compute,
                out=spec.dtype,
                accuracy="fast",
                leading={"ldy": self.leading("out")},
            )
        )

    def _corrected(self, rows: int) -> Any:
        shapes = {"o": (rows, self.spec.size), "r": (rows, 1)}
        return self._chosen(elementwise(_times, "corrected", shapes, dtype=self.spec.compute))

    def _laid(self, rows: int) -> Plan:
        block = rows, self.spec.size
        shapes = {"o": block, "far": block, "correction": (rows, 1)}
        return self._chosen(elementwise(laid, "laid", shapes, dtype=self.spec.compute))

    def _softmax(self, rows: int, keys: int) -> Any:
        """Plan the step: scores become powers; the largest score, the total and the correction of each query."""
        spec, shapes = self.spec, {"s": (rows, keys), "largest": (rows, 1), "total": (rows, 1)}
        if spec.row_mask:
            shapes["mask"] = (1, keys)
        if spec.rate:
            shapes["kept"] = (rows, keys)
        asked = eltwise_spec(
            _step(self, keys),
            "softmax",
            shapes,
            dtype=spec.compute,
            accuracy=spec.accuracy,
            leading={"lds": self.keys, "ldy0": self.keys, **({"ldkept": self.keys} if spec.rate else {})},
        )
        return choose(fused.candidates(fused_spec(asked), self.facts)) if keys > 1 else self._chosen(asked)

    def more_places(self, products: Iterable[GemmPlan]) -> tuple[int, int]:
        """Return the bytes of a converted block, and of the scratch memory that softmax steps claim."""
        converted = self.keys * self.spec.size * self.size if self._narrow else 0
        return converted, max(self._scratch_bytes, default=0)


def _times(o: Expr, r: Expr) -> Expr:
    return o * r


def _step(planner: AttentionPlanner, keys: int) -> Callable[..., tuple[Expr, ...]]:
    """Return the step as a function of blocks. A reduction of a single key is left out."""
    softmax = planner.softmax

    def step(
        s: Expr, largest: Expr, total: Expr, mask: Expr | None = None, kept: Expr | None = None
    ) -> tuple[Expr, ...]:
        score = s if mask is None else s + mask
        new = softmax.larger(largest, along("max", score) if keys > 1 else score)
        power, correction = softmax.power(score - new), softmax.power(largest - new)
        added = along("sum", power) if keys > 1 else power
        stored = power if kept is None else power * kept
        return stored, new, fma_or_twice(total, correction, added), correction

    return step


def few(spec: AttentionSpec, facts: Facts) -> AttentionPlan:
    """Return the plan for few queries. Raises UnsupportedError for requests that have none."""
    keys = KEYS if spec.dtype == spec.compute else CONVERTED
    return FewPlanner(spec, facts, min(spec.queries, MOST), keys_of_block(spec.keys, keys)).plan()
