"""Software prefetches for rows that come from memory.

The second and third pass over a row read it from L1, so the memory system is idle meanwhile. Two prefetches use that
time: the second pass prefetches the row of each result, which its stores would wait for, and the last pass prefetches
the next rows of the inputs into L2. Layer norm of 4096 x 1024 f32 takes 0.29 ns per element with both, 0.36 without,
and 0.38 with the second alone (Zen 4, L3 of 32 MiB). If rows come from L3, the prefetches cost 5 %. They also cost 5 %
in softmax, whose stores are already far apart.
"""

from __future__ import annotations

from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME
from .passes import Pass
from .spec import FusedSpec

BUSY = 12
"""A pass with more operations per vector than this is bound by arithmetic, not by memory, and gets no prefetches. The
derivative of layer norm has 11 and gains 13 %; log_softmax has 17 and loses 5 %."""


class Ahead:
    """The names of the operands that the passes of a request prefetch."""

    def __init__(self, spec: FusedSpec, far_bytes: int, operations: int) -> None:
        """`operations` is the largest number of operations per vector in any pass."""
        matrices = [each for each in spec.operands if each.rows > 1 and each.columns > 1]
        size = sum(each.rows * each.columns * ELEMENT_BYTES[each.dtype] for each in matrices)
        self.far = size > far_bytes and operations <= BUSY and len(spec.passes.passes) > 1
        self.far = self.far and all(each.view.leading is not RUNTIME for each in matrices)
        inputs = {each.name for each in spec.inputs}
        self.matrices = [each for each in matrices if self.far and each.name not in spec.bits]
        self.inputs = tuple(each.name for each in self.matrices if each.name in inputs)
        self.outputs = tuple(each.name for each in self.matrices if each.name not in inputs)
        self.levels = [each.level for each in spec.passes.passes]

    def read(self, each: Pass) -> tuple[str, ...]:
        """Return the inputs whose next rows this pass prefetches."""
        return self.inputs if each.level == self.levels[-1] else ()

    def written(self, each: Pass) -> tuple[str, ...]:
        """Return the results whose rows this pass prefetches."""
        return self.outputs if len(self.levels) > 1 and each.level == self.levels[1] else ()

    def __str__(self) -> str:
        return (
            f"prefetches: rows of {', '.join(self.outputs)} in the second pass, next rows of {', '.join(self.inputs)}"
        )
