"""Specs and targets from the texts that `requests.text_of` writes. Only the classes below are made from a text."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
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

if TYPE_CHECKING:
    from ...microkernels.attention import inverse_spec, spec
    from ...microkernels.chain import spec as chain_spec
    from ...microkernels.fused import spec as fused_spec
    from ...microkernels.gather import counted_spec
    from ...microkernels.grouped import spec as grouped_spec
    from ...microkernels.indexed import spec as indexed_spec
    from ...microkernels.rowwise import spec as rowwise_spec

spec = lazy(__package__, "...microkernels.attention.spec")
inverse_spec = lazy(__package__, "...microkernels.attention.inverse_spec")
chain_spec = lazy(__package__, "...microkernels.chain.spec")
counted_spec = lazy(__package__, "...microkernels.gather.counted_spec")
fused_spec = lazy(__package__, "...microkernels.fused.spec")
grouped_spec = lazy(__package__, "...microkernels.grouped.spec")
indexed_spec = lazy(__package__, "...microkernels.indexed.spec")
rowwise_spec = lazy(__package__, "...microkernels.rowwise.spec")

CLASSES: dict[str, Any] = {
    made.__name__: made
    for made in (
        BagSpec, Bf16x3Spec, EltwiseSpec, EpilogueSpec, GatherSpec, GemmSpec, Number, Operand, OzakiSpec,
        PackedSpec, Program,
        ReduceSpec, RowsSpec, StackSpec, Step, Target, TransformSpec, View,
    )
}  # fmt: skip


LATER: dict[str, Callable[[], Any]] = {
    "AttentionSpec": lambda: spec.AttentionSpec,
    "InverseSpec": lambda: inverse_spec.InverseSpec,
    "ChainSpec": lambda: chain_spec.ChainSpec,
    "CountedSpec": lambda: counted_spec.CountedSpec,
    "FusedSpec": lambda: fused_spec.FusedSpec,
    "GroupedSpec": lambda: grouped_spec.GroupedSpec,
    "IndexedSpec": lambda: indexed_spec.IndexedSpec,
    "Found": lambda: indexed_spec.Found,
    "RowwiseSpec": lambda: rowwise_spec.RowwiseSpec,
}
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
