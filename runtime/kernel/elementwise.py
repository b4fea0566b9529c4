"""The kinds of elementwise kernels, and of those with reductions along rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...microkernels.eltwise.spec import EltwiseSpec
from ..arguments.eltwise import EltwiseCall
from ..fastcall.guards_array import array_entry
from .kind import Call, Kind, array_kind, pipeline_of, revalidation

if TYPE_CHECKING:
    from ...microkernels.attention import inverse_spec
    from ...microkernels.attention import pipeline as attention_pipeline
    from ...microkernels.attention import spec as attention_spec
    from ...microkernels.chain import pipeline as chain_pipeline
    from ...microkernels.chain import spec as chain_spec
    from ...microkernels.eltwise import pipeline as eltwise_pipeline
    from ...microkernels.fused import spec as fused_spec
    from ...microkernels.grouped import pipeline as grouped_pipeline
    from ...microkernels.grouped import spec as grouped_spec
    from ...microkernels.indexed import pipeline as indexed_pipeline
    from ...microkernels.indexed import spec as indexed_spec
    from ...microkernels.rowwise import pipeline as rowwise_pipeline
    from ...microkernels.rowwise import spec as rowwise_spec
    from ...microkernels.sweeps import pipeline as sweeps_pipeline
    from ..arguments import indexed as arguments_indexed
    from ..arguments import rowwise as arguments_rowwise
    from ..fastcall import guards_gather, guards_rows

eltwise_pipeline = lazy(__package__, "...microkernels.eltwise.pipeline")
attention_pipeline = lazy(__package__, "...microkernels.attention.pipeline")
sweeps_pipeline = lazy(__package__, "...microkernels.sweeps.pipeline")
grouped_pipeline = lazy(__package__, "...microkernels.grouped.pipeline")
chain_pipeline = lazy(__package__, "...microkernels.chain.pipeline")
indexed_pipeline = lazy(__package__, "...microkernels.indexed.pipeline")
rowwise_pipeline = lazy(__package__, "...microkernels.rowwise.pipeline")
attention_spec = lazy(__package__, "...microkernels.attention.spec")
inverse_spec = lazy(__package__, "...microkernels.attention.inverse_spec")
fused_spec = lazy(__package__, "...microkernels.fused.spec")
grouped_spec = lazy(__package__, "...microkernels.grouped.spec")
chain_spec = lazy(__package__, "...microkernels.chain.spec")
indexed_spec = lazy(__package__, "...microkernels.indexed.spec")
arguments_indexed = lazy(__package__, "..arguments.indexed")
guards_gather = lazy(__package__, "..fastcall.guards_gather")
rowwise_spec = lazy(__package__, "...microkernels.rowwise.spec")
guards_rows = lazy(__package__, "..fastcall.guards_rows")
arguments_rowwise = lazy(__package__, "..arguments.rowwise")


def of_lines(kind: Kind, call: Callable[[Any], Call] = EltwiseCall) -> Kind:
    """Return a kind whose calls also accept a row or column as an array of one axis."""
    return kind._replace(call=call, entry=partial(array_entry, lines=True))


ROWS: dict[type, Kind] = {
    EltwiseSpec: of_lines(
        array_kind(pipeline_of(eltwise_pipeline, "ELTWISE"), lambda spec: revalidation.eltwise(spec))
    ),
}


def attention() -> dict[type, Kind]:
    """Return the kinds of attention, forward and backward. Their classes are imported with the first request."""
    return {
        attention_spec.AttentionSpec: array_kind(
            pipeline_of(attention_pipeline, "ATTENTION"), lambda spec: revalidation.attention(spec)
        ),
        inverse_spec.InverseSpec: array_kind(
            pipeline_of(attention_pipeline, "INVERSE"), lambda spec: revalidation.attention_inverse(spec)
        ),
    }


def fused() -> dict[type, Kind]:
    """Return the kind of fused kernels. Its class is imported with the first of them."""
    return {
        fused_spec.FusedSpec: of_lines(
            array_kind(pipeline_of(sweeps_pipeline, "FUSED"), lambda spec: revalidation.fused(spec))
        )
    }


def grouped() -> dict[type, Kind]:
    """Return the kind of fused kernels on groups of rows."""
    return {
        grouped_spec.GroupedSpec: of_lines(
            array_kind(pipeline_of(grouped_pipeline, "GROUPED"), lambda spec: revalidation.grouped(spec))
        )
    }


def chains() -> dict[type, Kind]:
    """Return the kind of traced functions with products."""
    return {
        chain_spec.ChainSpec: of_lines(
            array_kind(pipeline_of(chain_pipeline, "CHAIN"), lambda spec: revalidation.chain(spec))
        )
    }


def indexed() -> dict[type, Kind]:
    """Return the kind of traced functions with indexed rows."""
    calls = arguments_indexed
    kind = array_kind(pipeline_of(indexed_pipeline, "INDEXED"), lambda spec: revalidation.indexed(spec))
    return {indexed_spec.IndexedSpec: kind._replace(call=calls.IndexedCall, entry=guards_gather.indexed_entry,
                                           signature=calls.indexed_signature)}  # fmt: skip


def rowwise() -> dict[type, Kind]:
    """Return the kind of kernels whose number of rows is given at the call."""
    calls = arguments_rowwise
    return {
        rowwise_spec.RowwiseSpec: Kind(
            pipeline_of(rowwise_pipeline, "ROWWISE"),
            calls.parameters_of,
            calls.RowwiseCall,
            guards_rows.rowwise_entry,
            calls.signature,
            calls.description,
            calls.regions,
            lambda spec: None,
            lambda spec: revalidation.rowwise(spec),
        ),
    }
