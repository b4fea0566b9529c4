"""The kinds of elementwise kernels, and of those with reductions along rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from ...encoder.deferred import deferred
from ...microkernels.eltwise.spec import EltwiseSpec
from ..arguments.eltwise import EltwiseCall
from ..fastcall.guards import Entry
from ..fastcall.guards_array import array_entry
from . import pipelines
from .kind import Call, Kind, array_kind, revalidation


@deferred
def _attention_spec() -> type:
    from ...microkernels.attention.spec import AttentionSpec

    return AttentionSpec


@deferred
def _inverse_spec() -> type:
    from ...microkernels.attention.inverse_spec import InverseSpec

    return InverseSpec


@deferred
def _fused_spec() -> type:
    from ...microkernels.fused.spec import FusedSpec

    return FusedSpec


@deferred
def _grouped_spec() -> type:
    from ...microkernels.grouped.spec import GroupedSpec

    return GroupedSpec


@deferred
def _chain_spec() -> type:
    from ...microkernels.chain.spec import ChainSpec

    return ChainSpec


@deferred
def _indexed_spec() -> type:
    from ...microkernels.indexed.spec import IndexedSpec

    return IndexedSpec


@deferred
def _indexed_calls() -> ModuleType:
    from ..arguments import indexed

    return indexed


@deferred
def _indexed_entry() -> Callable[..., tuple[Entry, list[int]] | None]:
    from ..fastcall.guards_gather import indexed_entry

    return indexed_entry


@deferred
def _rowwise_spec() -> type:
    from ...microkernels.rowwise.spec import RowwiseSpec

    return RowwiseSpec


@deferred
def _rowwise_entry() -> Callable[..., tuple[Entry, list[int]] | None]:
    from ..fastcall.guards_rows import rowwise_entry

    return rowwise_entry


@deferred
def _rowwise_calls() -> ModuleType:
    from ..arguments import rowwise

    return rowwise


def of_lines(kind: Kind, call: Callable[[Any], Call] = EltwiseCall) -> Kind:
    """Return a kind whose calls also accept a row or column as an array of one axis."""
    return kind._replace(call=call, entry=partial(array_entry, lines=True))


ROWS: dict[type, Kind] = {
    EltwiseSpec: of_lines(array_kind(pipelines.eltwise, lambda spec: revalidation().eltwise(spec))),
}


def attention() -> dict[type, Kind]:
    """Return the kinds of attention, forward and backward. Their classes are imported with the first request."""
    return {
        _attention_spec(): array_kind(pipelines.attention, lambda spec: revalidation().attention(spec)),
        _inverse_spec(): array_kind(pipelines.attention_inverse, lambda spec: revalidation().attention_inverse(spec)),
    }


def fused() -> dict[type, Kind]:
    """Return the kind of fused kernels. Its class is imported with the first of them."""
    return {_fused_spec(): of_lines(array_kind(pipelines.fused, lambda spec: revalidation().fused(spec)))}


def grouped() -> dict[type, Kind]:
    """Return the kind of fused kernels on groups of rows."""
    return {_grouped_spec(): of_lines(array_kind(pipelines.grouped, lambda spec: revalidation().grouped(spec)))}


def chains() -> dict[type, Kind]:
    """Return the kind of traced functions with products."""
    return {_chain_spec(): of_lines(array_kind(pipelines.chain, lambda spec: revalidation().chain(spec)))}


def indexed() -> dict[type, Kind]:
    """Return the kind of traced functions with indexed rows."""
    calls = _indexed_calls()
    kind = array_kind(pipelines.indexed, lambda spec: revalidation().indexed(spec))
    return {_indexed_spec(): kind._replace(call=calls.IndexedCall, entry=_indexed_entry(),
                                           signature=calls.indexed_signature)}  # fmt: skip


def rowwise() -> dict[type, Kind]:
    """Return the kind of kernels whose number of rows is given at the call."""
    calls = _rowwise_calls()
    return {
        _rowwise_spec(): Kind(
            pipelines.rowwise, calls.parameters_of, calls.RowwiseCall, _rowwise_entry(), calls.signature,
            calls.description, calls.regions, lambda spec: None, lambda spec: revalidation().rowwise(spec),
        ),
    }  # fmt: skip
