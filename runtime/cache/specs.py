"""Specs and targets from the texts that `requests.text_of` writes. Only the classes below are made from a text."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from enum import Enum
from typing import Any

from ...encoder.deferred import deferred
from ...encoder.features import Target
from ...microkernels.eltwise.spec import EltwiseSpec
from ...microkernels.epilogue.packed_spec import PackedSpec
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.expr.program import Program, Step
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.spec import GatherSpec
from ...microkernels.gemm.spec import Batch, GemmSpec
from ...microkernels.operands import Leading, Number, Operand, View
from ...microkernels.precision.bf16x3_spec import Bf16x3Spec
from ...microkernels.precision.ozaki_spec import OzakiSpec
from ...microkernels.reduce.spec import ReduceSpec
from ...microkernels.rows.spec import RowsSpec
from ...microkernels.stack.spec import StackSpec
from ...microkernels.transform.spec import TransformSpec
from .requests import ENUMERATION, FLOAT, SET

CLASSES: dict[str, Any] = {
    made.__name__: made
    for made in (
        BagSpec, Bf16x3Spec, EltwiseSpec, EpilogueSpec, GatherSpec, GemmSpec, Number, Operand, OzakiSpec,
        PackedSpec, Program,
        ReduceSpec, RowsSpec, StackSpec, Step, Target, TransformSpec, View,
    )
}  # fmt: skip


@deferred
def _attention() -> type:
    from ...microkernels.attention.spec import AttentionSpec

    return AttentionSpec


@deferred
def _inverse() -> type:
    from ...microkernels.attention.inverse_spec import InverseSpec

    return InverseSpec


@deferred
def _chain() -> type:
    from ...microkernels.chain.spec import ChainSpec

    return ChainSpec


@deferred
def _counted() -> type:
    from ...microkernels.gather.counted_spec import CountedSpec

    return CountedSpec


@deferred
def _fused() -> type:
    from ...microkernels.fused.spec import FusedSpec

    return FusedSpec


@deferred
def _grouped() -> type:
    from ...microkernels.grouped.spec import GroupedSpec

    return GroupedSpec


@deferred
def _indexed() -> type:
    from ...microkernels.indexed.spec import IndexedSpec

    return IndexedSpec


@deferred
def _found() -> type:
    from ...microkernels.indexed.spec import Found

    return Found


@deferred
def _rowwise() -> type:
    from ...microkernels.rowwise.spec import RowwiseSpec

    return RowwiseSpec


LATER: dict[str, Callable[[], Any]] = {
    "AttentionSpec": _attention, "InverseSpec": _inverse, "ChainSpec": _chain, "CountedSpec": _counted,
    "FusedSpec": _fused, "GroupedSpec": _grouped, "IndexedSpec": _indexed, "Found": _found, "RowwiseSpec": _rowwise,
}  # fmt: skip
"""Classes that are imported with the first request of their kind."""
ENUMERATIONS: dict[str, type[Enum]] = {made.__name__: made for made in (Batch, Leading)}


def value_of(text: str) -> Any:
    """Return the value whose text `text_of` wrote. Raises ValueError for any other text."""
    try:
        return _value(literal_eval(text))
    except (LookupError, TypeError, AttributeError, ValueError, SyntaxError) as error:
        raise ValueError(f"request: {text[:200]} is not the text of a request ({error})") from None


def _value(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(_value(each) for each in data)
    if not isinstance(data, dict):
        return data
    ((name, given),) = data.items()
    if name == FLOAT:
        return float.fromhex(given)
    if name == SET:
        return frozenset(given)
    if name == ENUMERATION:
        kind, _, member = given.partition(".")
        return ENUMERATIONS[kind][member]
    made = CLASSES[name] if name in CLASSES else LATER[name]()
    return made(*map(_value, given))
