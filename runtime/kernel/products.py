"""The kinds of products without an epilogue."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.gemm.spec import parameters as gemm_parameters
from ..fastcall.guards_array import gemm_entry
from .kind import Kind, Spec, pipeline_of, regions, revalidation, signature

if TYPE_CHECKING:
    from ...microkernels.choice import Pipeline
    from ...microkernels.precision import bf16x3_spec, ozaki_spec
    from ...microkernels.precision import pipeline as precision_pipeline
    from ...microkernels.products import pipeline as products_pipeline
    from ..arguments import gemm

products_pipeline = lazy(__package__, "...microkernels.products.pipeline")
precision_pipeline = lazy(__package__, "...microkernels.precision.pipeline")
gemm = lazy(__package__, "..arguments.gemm")
bf16x3_spec = lazy(__package__, "...microkernels.precision.bf16x3_spec")
ozaki_spec = lazy(__package__, "...microkernels.precision.ozaki_spec")


def _row(pipeline: Callable[[], Pipeline], pairs: Callable[[Any], int | None] | None,
         again: Callable[[Any], Spec]) -> Kind:  # fmt: skip
    return Kind(
        pipeline, gemm_parameters, lambda spec: gemm.GemmCall(spec), gemm_entry, lambda spec: signature.signature(spec),
        lambda spec: signature.description(spec), lambda spec, integers: regions.gemm_regions(spec, integers),
        pairs, again,
    )  # fmt: skip


ROWS: dict[type, Kind] = {
    GemmSpec: _row(pipeline_of(products_pipeline, "GEMM"), attrgetter("pairs"), lambda spec: revalidation.gemm(spec))
}


def narrower() -> dict[type, Kind]:
    """Return the kinds of products that are made of products of a narrower type."""
    return {
        bf16x3_spec.Bf16x3Spec: _row(
            pipeline_of(precision_pipeline, "BF16X3"), None, lambda spec: revalidation.bf16x3(spec)
        ),
        ozaki_spec.OzakiSpec: _row(
            pipeline_of(precision_pipeline, "OZAKI"), None, lambda spec: revalidation.ozaki(spec)
        ),
    }
