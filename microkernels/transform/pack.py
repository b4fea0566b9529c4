"""Packing: a block of an operand is transposed into scratch memory, where the kernel that needs it finds it dense.

    scratch[p][s][r] = operand[p][r][s]      r < rows (along the vectors), s < steps (along k), p < pairs of a batch

Rows of scratch begin at cache lines. The plan of a block is that of a transpose, or of another change of layout, with
its cost in cycles.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from ..contract.machine import Amount, Facts, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..operands import LeadingDimension
from .emit import Cursor, Walk
from .layouts import layout
from .plan import TransformPlan, plan
from .spec import TransformSpec

_LINE = 64  # bytes


def padded(rows: int, size: int) -> int:
    """The leading dimension of packed rows, in elements of `size` bytes."""
    line = _LINE // size
    return -(-rows // line) * line


@lru_cache(maxsize=256)
def packing(
    rows: int, steps: int, dtype: str, leading: LeadingDimension, facts: Facts, result: str = "plaint"
) -> TransformPlan:
    """The plan of one block of an operand whose rows lie `leading` elements apart, into a layout."""
    size = ELEMENT_BYTES[dtype]
    columns = layout(result, size).shape(rows, steps)[1]
    return plan(TransformSpec("plain", result, rows, steps, dtype, leading, padded(columns, size)), facts, far=True)


def packed_bytes(rows: int, steps: int, size: int) -> int:
    """Scratch memory of one transposed block."""
    return padded(rows, size) * steps * size


def block_bytes(spec: TransformSpec) -> int:
    """Scratch memory of one block in its layout."""
    assert isinstance(spec.ldy, int)
    return spec.arguments[1].rows * spec.ldy * ELEMENT_BYTES[spec.dtype]


class Packer:
    """Emits packing; its counters are claimed before the first loop, its pointers when nothing else needs registers."""

    def __init__(self, m: Machine, plans: Iterable[TransformPlan], pairs: int) -> None:
        self.m = m
        depth = max(sum(len(sizes) for _, sizes in each.nest) for each in plans)
        self.counters = [m.counter("loop") for _ in range(depth)]
        self.pair_counter: Any = m.counter("packed pairs") if pairs > 1 else None

    @property
    def preserved(self) -> list[Any]:
        """What must not be claimed again."""
        return [*self.counters, *([self.pair_counter] if self.pair_counter is not None else [])]

    def claim_pointers(self) -> None:
        """The last claims: what was claimed for other parts of the kernel is not in use while blocks are packed."""
        self.source, self.target = self.m.general("source"), self.m.general("target")

    def block(self, plan: TransformPlan, first: General | Slot, scratch: General | Slot, leading: Amount,
              pairs: int = 1, distance: Amount = 0) -> None:  # fmt: skip
        """Pack blocks at `first` and, `distance` bytes apart, of further pairs, one behind the other into scratch.

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
            Walk(m, plan, x, y, self.counters).run(rewind=pairs > 1)
            if pairs > 1:
                m.advance(self.source, distance)
                m.advance(self.target, block_bytes(spec))
