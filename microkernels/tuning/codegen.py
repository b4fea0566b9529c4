"""Numbers by which the code of an expression is chosen: how many vectors at a time, which constants in registers."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class CodegenTuning:
    """Default values: fitted to the times of the activations on a Zen 4 (`tilesmith bench eltwise`).

    unrolled_time           time of one vector when 1, 2, ... 8 vectors are interleaved, in the time of one vector
                            alone: interleaved vectors hide each other's latency
    constant_time           time that each constant without a register adds, in instructions: it becomes a memory
                            operand of an instruction, or is loaded again for each use
    shared_unroll           vectors up to which any number of constants may lose its register; beyond it at most two do,
                            because the last vectors hide less latency than three reloaded constants cost
    """

    unrolled_time: tuple[float, ...] = (1.0, 0.92, 0.89, 0.875, 0.867, 0.848, 0.838, 0.83)
    constant_time: float = 0.2
    shared_unroll: int = 4
