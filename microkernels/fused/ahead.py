"""Software prefetches and streaming stores for rows that come from memory and go there.

The second and third pass over a row read it from L1, so the memory system is idle meanwhile. Two prefetches use that
time: the second pass prefetches the row of each result, which its stores would wait for, and all passes but the first
prefetch the next rows of the inputs into L2. Layer norm of 4096 x 1024 f32 takes 0.29 ns per element with both, 0.36
without, and 0.38 with the second alone (Zen 4, L3 of 32 MiB). There the prefetches cost 5 % if rows come from L3, and
in softmax, whose stores are already far apart. The tuning table says from how many bytes and for which passes they pay.

An ordinary store first reads the cache line that it writes. A streaming store does not, so a result that a single pass
writes is stored past the caches. A row must have whole vectors: ordinary stores into the same line would undo the gain
(docs/log/fused.md, "Streaming stores").
"""

from __future__ import annotations

from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME, Operand
from .passes import Pass
from .spec import FusedSpec

PIECE = 16
"""Streaming stores write pieces of this many bytes, at multiples of it: numpy's arrays begin there, and seldom at a
cache line."""


class Ahead:
    """The names of the operands that the passes of a request prefetch, and of the results that they stream."""

    def __init__(self, spec: FusedSpec, facts: Facts, operations: int) -> None:
        """`operations` is the largest number of operations per vector in any pass."""
        matrices = [each for each in spec.operands if each.rows > 1 and each.columns > 1]
        size = sum(each.rows * each.columns * ELEMENT_BYTES[each.dtype] for each in matrices)
        fixed = len(spec.passes.passes) > 1 and all(each.view.leading is not RUNTIME for each in matrices)
        from_memory = fixed and size > facts.tuning.fused.far_bytes
        self.far = from_memory and operations <= facts.tuning.fused.busy
        inputs = {each.name for each in spec.inputs}
        self.streamed: tuple[str, ...] = ()
        if from_memory and 0 < facts.shuffles.streaming_bytes < size:
            once = [each for each in matrices if each.name not in inputs | _kept(spec)]
            vector = facts.widths[0] // 8
            self.streamed = tuple(each.name for each in once if _is_in_pieces(each, spec.compute, vector))
        fetched = [each.name for each in matrices if self.far and each.name not in {*spec.bits, *self.streamed}]
        self.inputs = tuple(name for name in fetched if name in inputs)
        self.outputs = tuple(name for name in fetched if name not in inputs)
        self.levels = [each.level for each in spec.passes.passes]

    def read(self, each: Pass) -> tuple[str, ...]:
        """Return the inputs whose next rows this pass prefetches: all passes but the first, which itself reads them
        from memory."""
        return self.inputs if each.level != self.levels[0] else ()

    def written(self, each: Pass) -> tuple[str, ...]:
        """Return the results whose rows this pass prefetches."""
        return self.outputs if len(self.levels) > 1 and each.level == self.levels[1] else ()

    def __str__(self) -> str:
        rows = [f"rows of {', '.join(self.outputs)} in the second pass"] if self.outputs else []
        rows += [f"next rows of {', '.join(self.inputs)} from the second pass on"] if self.inputs else []
        told = [f"prefetches: {', '.join(rows)}"] if rows else []
        if self.streamed:
            told.append(f"{', '.join(self.streamed)} stored past the caches if at a multiple of {PIECE} bytes")
        return "; ".join(told)


def _kept(spec: FusedSpec) -> set[str]:
    """Return the names of the results whose rows hold values of earlier passes."""
    return {spec.outputs[each.result].name for each in spec.passes.kept if each.result is not None}


def _is_in_pieces(operand: Operand, compute: str, vector: int) -> bool:
    """Whether the rows of a result are whole vectors of `vector` bytes, stored without conversion, and all begin at a
    piece if the first one does."""
    leading, size = operand.view.leading, ELEMENT_BYTES[operand.dtype]
    even = isinstance(leading, int) and leading * size % PIECE == 0 == operand.columns * size % vector
    return even and operand.dtype == compute in ("f32", "f64")
