"""The kind of reductions."""

from __future__ import annotations

from ...microkernels.reduce.spec import ReduceSpec
from . import pipelines
from .kind import Kind, array_kind, revalidation

ROWS: dict[type, Kind] = {ReduceSpec: array_kind(pipelines.reduce, lambda spec: revalidation().reduction(spec))}
