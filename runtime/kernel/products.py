"""The kinds of products without an epilogue."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import deferred
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.gemm.spec import parameters as gemm_parameters
from ..fastcall.guards_array import gemm_entry
from . import pipelines
from .kind import Call, Kind, Spec, regions, revalidation, signatures

if TYPE_CHECKING:
    from ...microkernels.choice import Pipeline


@deferred
def _call() -> Callable[[GemmSpec], Call]:
    from ..arguments.gemm import GemmCall

    return GemmCall


@deferred
def _bf16x3() -> type[GemmSpec]:
    from ...microkernels.precision.bf16x3_spec import Bf16x3Spec

    return Bf16x3Spec


@deferred
def _ozaki() -> type[GemmSpec]:
    from ...microkernels.precision.ozaki_spec import OzakiSpec

    return OzakiSpec


def _row(pipeline: Callable[[], Pipeline], pairs: Callable[[Any], int | None] | None,
         again: Callable[[Any], Spec]) -> Kind:  # fmt: skip
    return Kind(
        pipeline, gemm_parameters, lambda spec: _call()(spec), gemm_entry, lambda spec: signatures().signature(spec),
        lambda spec: signatures().description(spec), lambda spec, integers: regions().gemm_regions(spec, integers),
        pairs, again,
    )  # fmt: skip


ROWS: dict[type, Kind] = {GemmSpec: _row(pipelines.gemm, attrgetter("pairs"), lambda spec: revalidation().gemm(spec))}


def narrower() -> dict[type, Kind]:
    """Return the kinds of products that are made of products of a narrower type."""
    return {
        _bf16x3(): _row(pipelines.bf16x3, None, lambda spec: revalidation().bf16x3(spec)),
        _ozaki(): _row(pipelines.ozaki, None, lambda spec: revalidation().ozaki(spec)),
    }
