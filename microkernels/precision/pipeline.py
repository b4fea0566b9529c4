"""The pipelines of products in a precision that is composed of several narrower ones."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal
from ..contract.machine import Facts
from ..prepack.ways import with_and_without_tiles
from . import bf16x3, ozaki_emit, ozaki_plan
from .bf16x3 import Bf16x3Plan
from .bf16x3_spec import Bf16x3Spec
from .ozaki_plan import OzakiPlan
from .ozaki_spec import OzakiSpec


def _bf16x3(spec: Bf16x3Spec, facts: Facts) -> list[Plan | Refusal]:
    return [bf16x3.plan(spec, facts)]


def _ozaki(spec: OzakiSpec, facts: Facts) -> list[Plan | Refusal]:
    return [ozaki_plan.plan(spec, facts)]


BF16X3 = Pipeline(with_and_without_tiles(_bf16x3), {Bf16x3Plan: bf16x3.emit})
OZAKI = Pipeline(with_and_without_tiles(_ozaki), {OzakiPlan: ozaki_emit.emit})
