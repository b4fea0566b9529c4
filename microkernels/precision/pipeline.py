"""The pipeline of products in a precision that is composed of several narrower ones."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal
from ..contract.machine import Facts
from ..dtypes import BF16X3
from ..prepack.ways import with_and_without_tiles
from . import bf16x3, ozaki_emit, ozaki_plan
from .bf16x3 import Bf16x3Plan
from .composed_spec import ComposedSpec
from .ozaki_plan import OzakiPlan


def _composed(spec: ComposedSpec, facts: Facts) -> list[Plan | Refusal]:
    return [bf16x3.plan(spec, facts) if spec.composition == BF16X3 else ozaki_plan.plan(spec, facts)]


COMPOSED = Pipeline(with_and_without_tiles(_composed), {Bf16x3Plan: bf16x3.emit, OzakiPlan: ozaki_emit.emit})
