"""Constants for choosing an expression's code: the vectors at a time, and the constants that stay in registers."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class CodegenTuning:
    """Default values, fitted to the times of the activations on a Zen 4 (`tilesmith bench eltwise`).

    unrolled_time           the time per vector if 1, 2, ... 8 vectors are interleaved, as a fraction of the time of one
                            vector alone: interleaved vectors hide each other's latency
    constant_time           the time that each constant without a register adds, in instructions. Such a constant
                            becomes a memory operand or is reloaded for each use
    shared_unroll           the number of vectors up to which any number of constants may lose their registers. Beyond
                            it at most two may, because the last vectors hide less latency than three reloaded constants
                            cost
    """

    unrolled_time: tuple[float, ...] = (1.0, 0.92, 0.89, 0.875, 0.867, 0.848, 0.838, 0.83)
    constant_time: float = 0.2
    shared_unroll: int = 4
