"""The pipelines of products in a precision that is made of several narrower ones."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal, attempt
from ..contract.machine import Facts
from ..products.pipeline import with_and_without_tiles
from . import bf16x3, ozaki_emit, ozaki_plan
from .bf16x3 import LadderPlan
from .bf16x3_spec import LadderSpec
from .ozaki_plan import SlicePlan
from .ozaki_spec import SliceSpec


def _bf16x3(spec: LadderSpec, facts: Facts) -> list[Plan | Refusal]:
    return [attempt("six products of bf16", lambda: bf16x3.plan(spec, facts))]


def _ozaki(spec: SliceSpec, facts: Facts) -> list[Plan | Refusal]:
    return [attempt("products of int8 slices", lambda: ozaki_plan.plan(spec, facts))]


BF16X3 = Pipeline(with_and_without_tiles(_bf16x3), {LadderPlan: bf16x3.emit})
OZAKI = Pipeline(with_and_without_tiles(_ozaki), {SlicePlan: ozaki_emit.emit})
