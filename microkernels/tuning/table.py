"""A tuning table: for each kind of kernel, the constants by which its planner compares ways.

A constant belongs here if another processor could need another value: costs, thresholds, unroll limits. Limits that
follow from an encoding, a calling convention or a definition stay where they are used. The module of a kind of kernel
(`transform`...) defines its part, with the default value, the unit and the source of each constant.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import cached_property

if TYPE_CHECKING:
    from . import attention as tuning_attention
    from . import baked as tuning_baked
    from . import codegen as tuning_codegen
    from . import depthwise as tuning_depthwise
    from . import eltwise as tuning_eltwise
    from . import epilogue as tuning_epilogue
    from . import fused as tuning_fused
    from . import gather as tuning_gather
    from . import gemm as tuning_gemm
    from . import reduce as tuning_reduce
    from . import rowwise as tuning_rowwise
    from . import transform as tuning_transform
    from .attention import AttentionTuning
    from .baked import BakedTuning
    from .codegen import CodegenTuning
    from .depthwise import DepthwiseTuning
    from .eltwise import EltwiseTuning
    from .epilogue import EpilogueTuning
    from .fused import FusedTuning
    from .gather import GatherTuning
    from .gemm import GemmTuning
    from .reduce import ReduceTuning
    from .rowwise import RowwiseTuning
    from .transform import TransformTuning

tuning_attention = lazy(__package__, ".attention")
tuning_baked = lazy(__package__, ".baked")
tuning_codegen = lazy(__package__, ".codegen")
tuning_depthwise = lazy(__package__, ".depthwise")
tuning_eltwise = lazy(__package__, ".eltwise")
tuning_epilogue = lazy(__package__, ".epilogue")
tuning_fused = lazy(__package__, ".fused")
tuning_gather = lazy(__package__, ".gather")
tuning_gemm = lazy(__package__, ".gemm")
tuning_reduce = lazy(__package__, ".reduce")
tuning_rowwise = lazy(__package__, ".rowwise")
tuning_transform = lazy(__package__, ".transform")


class Tuning:
    """The default table. Each part is made when a planner first reads it. A family overrides the parts that differ."""

    @cached_property
    def attention(self) -> AttentionTuning:
        """Constants of attention."""
        return tuning_attention.AttentionTuning()

    @cached_property
    def baked(self) -> BakedTuning:
        """Constants of products with fixed sparse matrices."""
        return tuning_baked.BakedTuning()

    @cached_property
    def codegen(self) -> CodegenTuning:
        """Constants of expressions."""
        return tuning_codegen.CodegenTuning()

    @cached_property
    def depthwise(self) -> DepthwiseTuning:
        """Constants of depthwise convolutions."""
        return tuning_depthwise.DepthwiseTuning()

    @cached_property
    def eltwise(self) -> EltwiseTuning:
        """Constants of elementwise kernels."""
        return tuning_eltwise.EltwiseTuning()

    @cached_property
    def fused(self) -> FusedTuning:
        """Constants of kernels with reductions along rows."""
        return tuning_fused.FusedTuning()

    @cached_property
    def gather(self) -> GatherTuning:
        """Constants of gathers and scatters."""
        return tuning_gather.GatherTuning()

    @cached_property
    def reduce(self) -> ReduceTuning:
        """Constants of reductions."""
        return tuning_reduce.ReduceTuning()

    @cached_property
    def rowwise(self) -> RowwiseTuning:
        """Constants of kernels for any number of rows."""
        return tuning_rowwise.RowwiseTuning()

    @cached_property
    def transform(self) -> TransformTuning:
        """Constants of transposes and layout transforms."""
        return tuning_transform.TransformTuning()

    @cached_property
    def gemm(self) -> GemmTuning:
        """Constants of matrix products."""
        return tuning_gemm.GemmTuning()

    @cached_property
    def epilogue(self) -> EpilogueTuning:
        """Constants of the epilogues of products."""
        return tuning_epilogue.EpilogueTuning()

    def replaced(self, **parts: object) -> Tuning:
        """Return a copy of the table with these parts replaced."""
        other = copy(self)
        vars(other).update(parts)
        return other
