"""The kinds of products without an epilogue."""

from __future__ import annotations

from ...microkernels.gemm.spec import Batch, GemmSpec
from ...microkernels.gemm.spec import parameters as gemm_parameters
from ...microkernels.precision.bf16x3_spec import Bf16x3Spec
from ...microkernels.precision.ozaki_spec import OzakiSpec
from ..arguments import signature
from ..arguments.gemm import GemmCall
from ..arguments.regions import gemm_regions
from ..fastcall.guards_gemm import gemm_entry
from . import pipelines
from .kind import Kind, revalidation


def pairs(spec: GemmSpec) -> int | None:
    """How many pairs a call multiplies; None: as many as it says."""
    return None if isinstance(spec.batch, Batch) else 1 if spec.batch is None else spec.batch


ROWS: dict[type, Kind] = {
    GemmSpec: Kind(
        pipelines.gemm, gemm_parameters, GemmCall, gemm_entry,
        signature.signature, signature.description, gemm_regions, pairs, lambda spec: revalidation().gemm(spec),
    ),
    Bf16x3Spec: Kind(
        pipelines.bf16x3, gemm_parameters, GemmCall, gemm_entry, signature.signature, signature.description,
        gemm_regions, lambda spec: 1, lambda spec: revalidation().bf16x3(spec),
    ),
    OzakiSpec: Kind(
        pipelines.ozaki, gemm_parameters, GemmCall, gemm_entry, signature.signature, signature.description,
        gemm_regions, lambda spec: 1, lambda spec: revalidation().ozaki(spec),
    ),
}  # fmt: skip
