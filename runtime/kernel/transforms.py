"""The kind of transposes and layout transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...microkernels.transform.spec import TransformSpec
from .kind import Kind, array_kind, pipeline_of, revalidation

if TYPE_CHECKING:
    from ...microkernels.transform import pipeline as transform_pipeline

transform_pipeline = lazy(__package__, "...microkernels.transform.pipeline")

ROWS: dict[type, Kind] = {
    TransformSpec: array_kind(pipeline_of(transform_pipeline, "TRANSFORM"), lambda spec: revalidation.transform(spec))
}
