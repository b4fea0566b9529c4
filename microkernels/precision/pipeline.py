"""The pipeline of products in a precision that is composed of several narrower ones."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal
from ..contract.machine import Facts
from ..dtypes import BF16X3
from ..prepack.ways import with_and_without_tiles
from . import bf16x3, composed_emit, ozaki_plan
from .composed_plan import ComposedPlan
from .composed_spec import ComposedSpec


def _composed(spec: ComposedSpec, facts: Facts) -> list[Plan | Refusal]:
    return [bf16x3.plan(spec, facts) if spec.composition == BF16X3 else ozaki_plan.plan(spec, facts)]


COMPOSED = Pipeline(with_and_without_tiles(_composed), {ComposedPlan: composed_emit.emit})
