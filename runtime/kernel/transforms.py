"""The kind of transposes and layout transforms."""

from __future__ import annotations

from ...microkernels.transform.spec import TransformSpec
from . import pipelines
from .kind import Kind, array_kind, revalidation

ROWS: dict[type, Kind] = {TransformSpec: array_kind(pipelines.transform, lambda spec: revalidation().transform(spec))}
