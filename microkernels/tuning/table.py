"""A tuning table: for each kind of kernel, the constants by which its planner compares ways.

A constant belongs here if another processor could need another value: costs, thresholds, unroll limits. Limits that
follow from an encoding, a calling convention or a definition stay where they are used. The module of a kind of kernel
(`transform`...) defines its part, with the default value, the unit and the source of each constant.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from ...encoder.deferred import deferred
from ...encoder.records import cached_property

if TYPE_CHECKING:
    from .attention import AttentionTuning
    from .codegen import CodegenTuning
    from .eltwise import EltwiseTuning
    from .epilogue import EpilogueTuning
    from .fused import FusedTuning
    from .gather import GatherTuning
    from .gemm import GemmTuning
    from .reduce import ReduceTuning
    from .rowwise import RowwiseTuning
    from .transform import TransformTuning


@deferred
def _attention() -> type[AttentionTuning]:
    from .attention import AttentionTuning

    return AttentionTuning


@deferred
def _codegen() -> type[CodegenTuning]:
    from .codegen import CodegenTuning

    return CodegenTuning


@deferred
def _eltwise() -> type[EltwiseTuning]:
    from .eltwise import EltwiseTuning

    return EltwiseTuning


@deferred
def _epilogue() -> type[EpilogueTuning]:
    from .epilogue import EpilogueTuning

    return EpilogueTuning


@deferred
def _fused() -> type[FusedTuning]:
    from .fused import FusedTuning

    return FusedTuning


@deferred
def _gather() -> type[GatherTuning]:
    from .gather import GatherTuning

    return GatherTuning


@deferred
def _gemm() -> type[GemmTuning]:
    from .gemm import GemmTuning

    return GemmTuning


@deferred
def _reduce() -> type[ReduceTuning]:
    from .reduce import ReduceTuning

    return ReduceTuning


@deferred
def _rowwise() -> type[RowwiseTuning]:
    from .rowwise import RowwiseTuning

    return RowwiseTuning


@deferred
def _transform() -> type[TransformTuning]:
    from .transform import TransformTuning

    return TransformTuning


class Tuning:
    """The default table. Each part is made when a planner first reads it. A family overrides the parts that differ."""

    @cached_property
    def attention(self) -> AttentionTuning:
        """Constants of attention."""
        return _attention()()

    @cached_property
    def codegen(self) -> CodegenTuning:
        """Constants of expressions."""
        return _codegen()()

    @cached_property
    def eltwise(self) -> EltwiseTuning:
        """Constants of elementwise kernels."""
        return _eltwise()()

    @cached_property
    def fused(self) -> FusedTuning:
        """Constants of kernels with reductions along rows."""
        return _fused()()

    @cached_property
    def gather(self) -> GatherTuning:
        """Constants of gathers and scatters."""
        return _gather()()

    @cached_property
    def reduce(self) -> ReduceTuning:
        """Constants of reductions."""
        return _reduce()()

    @cached_property
    def rowwise(self) -> RowwiseTuning:
        """Constants of kernels for any number of rows."""
        return _rowwise()()

    @cached_property
    def transform(self) -> TransformTuning:
        """Constants of transposes and layout transforms."""
        return _transform()()

    @cached_property
    def gemm(self) -> GemmTuning:
        """Constants of matrix products."""
        return _gemm()()

    @cached_property
    def epilogue(self) -> EpilogueTuning:
        """Constants of the epilogues of products."""
        return _epilogue()()

    def replaced(self, **parts: object) -> Tuning:
        """Return a copy of the table with these parts replaced."""
        other = copy(self)
        vars(other).update(parts)
        return other
