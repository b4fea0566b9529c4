"""Attention in bf16 with products of f32, an alternative to products of pairs on machines without an instruction for
pairs (plan.py).

    Q'                     in f32
    for each block of keys, or each piece of it:   K'' = k in f32, S' = K'' Q';  powers are rounded to bf16 and stay f32
                                                   V'' = v in f32, O' = O' c + V'' p

Without the instruction, a product of pairs converts each of its operands whenever it loads it: a vector of Q' for every
few keys, and a vector of powers for every few columns of v. Here each element is converted once. The products add in
the order of the instruction, and blocks are those of products of pairs, so that the bits are the same. K'' and V'' are
in the same scratch memory, because K'' is not used after the scores. If a whole block of keys does not fit, it is
converted and multiplied in pieces of an even number of keys, which changes no order of addition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import sqrt
from typing import Any

from ..contract.dot_and_tile import PAIRED
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..gemm.plan import GemmPlan
from ..gemm.spec import GemmSpec
from .blocks import SCRATCH_BYTES, pieces
from .plan import AttentionPlan
from .planner import AttentionPlanner
from .requests import COPIES, converted, elementwise
from .spec import AttentionSpec

_BESIDE = 1024
"""Bytes of the mask of hidden keys, and of gaps between places, which begin at cache lines."""


def emulated_pairs(spec: AttentionSpec, facts: Facts) -> bool:
    """Whether products of pairs are FMAs of converted elements, which products of f32 can replace."""
    if spec.dtype != "bf16" or facts.unit("f32", "f32", PAIRED) is None:
        return False
    unit = facts.unit(spec.dtype, spec.dtype, "fast")
    return unit is not None and unit.emulated


class ConvertingPlanner(AttentionPlanner):
    """Plans the parts of a request with products of f32."""

    converted = True

    def plan(self) -> AttentionPlan:
        """Return the plan, with the conversions of k and v and their cycles."""
        made = super().plan()
        moved = {
            (f"{name} moved", 0, keys): self._moved(name, keys) for (_, _, keys), _ in made.products for name in "kv"
        }
        block = [moved["k moved", 0, keys].cycles for _, keys in pieces(made.largest[1], self.piece)]
        return replace(
            made,
            elementwise_parts=(*made.elementwise_parts, *moved.items()),
            converted=True,
            block_cycles=2 * sum(block),
        )

    @property
    def piece(self) -> int:
        """The keys that are converted at a time. Pieces are of equal length, except for the last one."""
        line = self.rows * self.size
        left = SCRATCH_BYTES - _BESIDE - (2 * self.spec.size + self.keys + 3) * line
        most = left // (self.spec.size * self.size)
        if most >= self.keys:
            return 0
        if most < 2:
            reason = f"two converted keys do not fit into the {left} bytes of scratch memory beside the sums"
            raise UnsupportedError(f"size {self.spec.size}: {reason}")
        count = -(-self.keys // (most // 2 * 2))
        return -(-self.keys // (2 * count)) * 2

    def more_places(self, products: Iterable[GemmPlan]) -> tuple[int, int]:
        """Return the bytes of a converted piece."""
        return (self.piece or self.keys) * self.spec.size * self.size, 0

    def asked(self, spec: GemmSpec) -> GemmPlan:
        """Return the plan of a product that adds in the order of pairs."""
        return super().asked(replace(spec, numerics=PAIRED))

    @property
    def _types(self) -> dict[str, Any]:
        return {"dtype": self.spec.compute}

    def _queries(self, rows: int) -> Any:
        """Plan q transposed and converted."""
        spec = self.spec
        return self._chosen(
            elementwise(
                COPIES["q"],
                "transposed",
                {"q": (rows, spec.size)},
                dtype=spec.dtype,
                out=spec.compute,
                leading={"ldq": self.leading("q"), "ldy": self.rows},
                order={"y": "F"},
            )
        )

    def leading(self, name: str) -> int:
        """Return the elements between neighbouring queries or keys. Products read a converted copy of k and v, which
        has no gaps."""
        return self.spec.size if name in "kv" else super().leading(name)

    def _moved(self, name: str, keys: int) -> Any:
        """Plan the conversion of keys of k or v."""
        return self._chosen(converted(self.spec, name, keys))


def with_conversions(plan: AttentionPlan, facts: Facts) -> AttentionPlan:
    """Return a plan of either way with the cycles of conversions in the loops of its products."""
    rows, keys = plan.largest
    count = sum(
        _conversions(plan.product[name, rows, piece])
        for name in ("scores", "sums")
        for _, piece in pieces(keys, plan.piece)
    )
    return replace(plan, block_cycles=plan.block_cycles + facts.tuning.attention.conversion_cycles * count)


def least_conversions(plan: AttentionPlan, facts: Facts) -> float:
    """Return a lower bound of the cycles of conversions in the loops of products of pairs, for a largest block.

    A step of a register block with r vectors and c columns converts r + c operands for r c FMAs. The accumulators are
    fewer than the registers R, so (r + c) / (r c) is at least 2 / sqrt(r c), which is more than 2 / sqrt(R).
    """
    rows, keys = plan.largest
    fmas = 2 * -(-rows // plan.vector) * keys * plan.spec.size
    return facts.tuning.attention.conversion_cycles * fmas * 2 / sqrt(facts.vector_registers)


def _conversions(plan: GemmPlan) -> float:
    """Return the number of instructions in the loops of a product that convert operands after loads."""
    product, unit = plan.product, plan.product.unit
    if unit is None:
        return 0
    a = unit.code.packed if product.a.steps == 1 else unit.code.plain
    b = unit.code.strided if product.b.order == "C" else unit.code.fetch
    of_a, of_b = (each.instructions - each.loads for each in (a, b))
    each = sum(
        panel.repeat * block.repeat * (len(panel.row_vectors) * of_a + block.columns * of_b)
        for panel in plan.panels
        for block in panel.blocks
    )
    return each * unit.phases * product.k
