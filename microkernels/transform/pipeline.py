"""The pipeline of transposes and layout transforms."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal, attempt
from ..contract.machine import Facts, Machine
from ..errors import UnsupportedError
from . import candidates, emit, in_place
from .plan import TransformPlan
from .spec import TransformSpec
from .streaming_emit import StreamingEmitter


def _candidates(spec: TransformSpec, facts: Facts) -> list[Plan | Refusal]:
    """Return the ways from x to y by tiles; or through scratch memory, if x and y may be one array."""
    if not spec.one_array:
        return candidates.candidates(spec, facts)
    overwritten = UnsupportedError(
        "x and y may be one array, of which tiles would overwrite what is still to be loaded"
    )
    return [
        attempt("blocks through scratch memory", lambda: in_place.plan(spec, facts)),
        Refusal("tiles from x to y", overwritten),
    ]


def _emit(m: Machine, plan: TransformPlan) -> None:
    if plan.pairs is not None:
        in_place.emit(m, plan, plan.pairs)
        return
    emit.emit(m, plan, StreamingEmitter if plan.streaming else emit.TransformEmitter)


TRANSFORM = Pipeline(_candidates, {TransformPlan: _emit})
