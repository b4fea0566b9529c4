"""A tuning table: for each kind of kernel, the numbers by which its planner compares ways.

A number belongs here when another processor could want another value: costs, thresholds, limits of unrolling. Limits
that follow from an encoding, a calling convention or a definition stay where they are used. The module of a kind of
kernel (`transform`...) defines its part, with the default value, the unit and the source of each number.
"""

from __future__ import annotations

from ...encoder.records import dataclass
from .codegen import CodegenTuning
from .eltwise import EltwiseTuning
from .epilogue import EpilogueTuning
from .fused import FusedTuning
from .gather import GatherTuning
from .gemm import GemmTuning
from .reduce import ReduceTuning
from .transform import TransformTuning


@dataclass(frozen=True)
class Tuning:
    """The table of one family of processors."""

    codegen: CodegenTuning = CodegenTuning()
    eltwise: EltwiseTuning = EltwiseTuning()
    fused: FusedTuning = FusedTuning()
    gather: GatherTuning = GatherTuning()
    reduce: ReduceTuning = ReduceTuning()
    transform: TransformTuning = TransformTuning()
    gemm: GemmTuning = GemmTuning()
    epilogue: EpilogueTuning = EpilogueTuning()
