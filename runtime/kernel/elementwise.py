"""The kind of elementwise kernels."""

from __future__ import annotations

from ...microkernels.eltwise.spec import EltwiseSpec
from ..arguments.eltwise import EltwiseCall
from . import pipelines
from .kind import Kind, array_kind, revalidation

ROWS: dict[type, Kind] = {
    EltwiseSpec: array_kind(pipelines.eltwise, lambda spec: revalidation().eltwise(spec))._replace(call=EltwiseCall),
}
