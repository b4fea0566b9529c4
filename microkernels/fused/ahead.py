"""Prefetches in rows that come from memory.

While a row is walked for the second and third time nothing is asked of memory, unless the lines that come next are
prefetched: in the second pass those of the row of each result, which a store would wait for, and in the last pass those
of the next rows of the inputs, into the second cache. Layer norm of 4096 x 1024 f32 takes 0.29 ns an element with both,
0.36 without, and 0.38 with the second alone (Zen 4, an L3 cache of 32 MiB). Where rows come from L3 both cost 5 %, and
so they do in softmax, whose stores are far enough apart as it is.
"""

from __future__ import annotations

from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME
from .passes import Pass
from .spec import FusedSpec

BUSY = 12
"""Operations for a vector in a pass beyond which it takes longer than its bytes do (11 in the derivative of layer norm,
which gains 13 %, 17 in log_softmax, which loses 5 %)."""


class Ahead:
    """What the passes of a request prefetch: names of operands."""

    def __init__(self, spec: FusedSpec, far_bytes: int, operations: int) -> None:
        """operations: for a vector, of the pass that has most."""
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
        """Inputs whose next rows a pass prefetches."""
        return self.inputs if each.level == self.levels[-1] else ()

    def written(self, each: Pass) -> tuple[str, ...]:
        """Results whose rows it prefetches."""
        return self.outputs if len(self.levels) > 1 and each.level == self.levels[1] else ()

    def __str__(self) -> str:
        return (
            f"prefetches: rows of {', '.join(self.outputs)} in the second pass, next rows of {', '.join(self.inputs)}"
        )
