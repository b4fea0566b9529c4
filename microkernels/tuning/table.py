"""What a tuning table holds: for each kind of kernel the numbers that its planner weighs ways by.

A number belongs here when another processor could want another value: costs, thresholds, limits of unrolling. Limits
that follow from an encoding, a calling convention or a definition stay where they are used. The module of a kind
(`gemm`, `transform`, `reduce`...) defines its part, with the default value, the unit and the source of each number.
"""

from __future__ import annotations

from dataclasses import dataclass

from .epilogue import EpilogueTuning
from .gemm import GemmTuning


@dataclass(frozen=True)
class Tuning:
    """The table of one family of processors."""

    gemm: GemmTuning = GemmTuning()
    epilogue: EpilogueTuning = EpilogueTuning()
