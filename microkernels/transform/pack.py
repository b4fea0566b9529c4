"""Packing: a block of an operand is transposed into scratch memory, where the kernel reads it contiguously.

    scratch[p][s][r] = operand[p][r][s]      r < rows (along the vectors), s < steps (along k), p < pairs of a batch

Rows of scratch memory begin at cache lines. The plan of a block is that of a transpose or of another layout transform.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from ..contract.machine import Amount, Facts, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..operands import CACHE_LINE, LeadingDimension
from . import candidates
from .emit import Cursor, TransformEmitter
from .layouts import layout
from .plan import TransformPlan
from .spec import TransformSpec


def padded(rows: int, size: int) -> int:
    """Return the leading dimension of packed rows, in elements of `size` bytes."""
    line = CACHE_LINE // size
    return -(-rows // line) * line


@lru_cache(maxsize=256)
def packing(
    rows: int, steps: int, dtype: str, leading: LeadingDimension, facts: Facts, result: str = "plaint"
) -> TransformPlan:
    """Return the plan that brings one block of an operand, whose rows are `leading` elements apart, into a layout.

    The operand is assumed to be cold: it comes from L2 or beyond.
    """
    size = ELEMENT_BYTES[dtype]
    columns = layout(result, size).shape(rows, steps)[1]
    spec = TransformSpec("plain", result, rows, steps, dtype, leading, padded(columns, size))
    return candidates.plan(spec, facts, cold=True)


def packed_bytes(rows: int, steps: int, size: int) -> int:
    """Return the scratch memory of one transposed block, in bytes."""
    return padded(rows, size) * steps * size


def block_bytes(spec: TransformSpec) -> int:
    """Return the scratch memory of one block in its layout, in bytes."""
    assert isinstance(spec.ldy, int)
    return spec.arguments[1].rows * spec.ldy * ELEMENT_BYTES[spec.dtype]


class Packer:
    """Emits packing inside another kernel. Its counters are claimed first, before any loop. Its pointers are claimed
    last, after everything that the kernel needs while blocks are packed."""

    def __init__(self, m: Machine, plans: Iterable[TransformPlan], pairs: int) -> None:
        self.m = m
        depth = max(sum(len(sizes) for _, sizes in plan.nest) for plan in plans)
        self.counters = [m.counter("loop") for _ in range(depth)]
        self.pair_counter: Any = m.counter("packed pairs") if pairs > 1 else None

    @property
    def preserved(self) -> list[Any]:
        """The registers that the kernel must not claim again."""
        return [*self.counters, *([self.pair_counter] if self.pair_counter is not None else [])]

    def claim_pointers(self) -> None:
        """Claim the pointers. Registers that only other parts of the kernel use are free while blocks are packed."""
        self.source, self.target = self.m.general("source"), self.m.general("target")

    def block(
        self,
        plan: TransformPlan,
        first: General | Slot,
        scratch: General | Slot,
        leading: Amount,
        pairs: int = 1,
        distance: Amount = 0,
    ) -> None:
        """Emit the packing of the block at `first`, and of the blocks of further pairs, `distance` bytes apart.

        leading: bytes between rows of the operand, a number or in a register.
        """
        m, size, spec = self.m, ELEMENT_BYTES[plan.spec.dtype], plan.spec
        assert isinstance(spec.ldy, int)
        m.note(f"pack {spec.m} x {spec.n}")
        m.copy(self.source, first)
        m.copy(self.target, scratch)
        x = Cursor(m, self.source, leading, "source")
        y = Cursor(m, self.target, spec.ldy * size, "target")
        with m.loop(self.pair_counter, pairs):
            TransformEmitter(m, plan, x, y, self.counters).run(rewind=pairs > 1)
            if pairs > 1:
                m.advance(self.source, distance)
                m.advance(self.target, block_bytes(spec))
