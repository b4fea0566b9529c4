"""The calls with which each class of request is proved, and the function that proves its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...emulation.symbolic.machine import Done
from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.attention.spec import AttentionSpec
from ...microkernels.baked.spec import BakedSpec
from ...microkernels.chain.spec import ChainSpec
from ...microkernels.depthwise.spec import DepthwiseSpec
from ...microkernels.eltwise.spec import EltwiseSpec
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.fused.spec import FusedSpec
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.spec import GatherSpec
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.grouped.spec import GroupedSpec
from ...microkernels.indexed.spec import IndexedSpec
from ...microkernels.reduce.spec import ReduceSpec
from ...microkernels.stack.spec import StackSpec
from ...microkernels.transform.spec import TransformSpec
from . import bitwise, calls, epilogues, extents, gathers, indexed, operands, products, reductions
from .coverage import Numbers, planned
from .operands import Call, any_of
from .proof import Claim, Refutation
from .traced import attention, by_index, groups, rows
from .traced import calls as of_rows

Calls = Callable[[Any, Any], tuple[str, Iterator[Call]]]
Values = Callable[[bytes, Target, Any, Call, Done], tuple[Claim, Refutation | None]]


class ProvedRequest(NamedTuple):
    """How a class of request is proved.

    calls       returns a description of the calls of a request, and an iterator over them
    values      checks the values that an execution leaves
    """

    calls: Calls
    values: Values


def _of_bags(code: bytes, target: Target, spec: BagSpec, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    return (gathers.extrema_of_bags if gathers.compared(spec) else bitwise.values)(code, target, spec, call, done)


def _indexed(code: bytes, target: Target, spec: IndexedSpec, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    prove: Values = by_index.values if indexed.has_reductions(spec) else bitwise.values
    return prove(code, target, spec, call, done)


REQUESTS: dict[type, ProvedRequest] = {
    TransformSpec: ProvedRequest(operands.calls_of, bitwise.values),
    EltwiseSpec: ProvedRequest(operands.calls_of, bitwise.values),
    BakedSpec: ProvedRequest(operands.calls_of, bitwise.values),
    DepthwiseSpec: ProvedRequest(operands.calls_of, epilogues.of_taps),
    ReduceSpec: ProvedRequest(operands.calls_of, reductions.values),
    GemmSpec: ProvedRequest(calls.calls_of, products.values),
    StackSpec: ProvedRequest(calls.calls_of, products.values),
    EpilogueSpec: ProvedRequest(calls.calls_of, epilogues.values),
    GatherSpec: ProvedRequest(gathers.described, bitwise.values),
    BagSpec: ProvedRequest(gathers.described, _of_bags),
    IndexedSpec: ProvedRequest(indexed.calls_of, _indexed),
    FusedSpec: ProvedRequest(of_rows.calls_of, rows.values),
    GroupedSpec: ProvedRequest(of_rows.calls_of, groups.values),
    ChainSpec: ProvedRequest(operands.calls_of, rows.values),
    AttentionSpec: ProvedRequest(operands.calls_of, attention.values),
}
"""Requests by class. Those whose calls give extents are these, with the extents of a call (`extents`)."""


def every_call(spec: Any, kind: Any) -> tuple[str, Iterator[tuple[Any, Call]]]:
    """Return a description of the calls, and an iterator over pairs of a request with nothing left to the call and a
    call of it."""
    if extents.at_call(spec):
        words, pairs = extents.calls_of(spec, kind)
    else:
        words, made = REQUESTS[type(spec)].calls(spec, kind)
        pairs = ((spec, call) for call in made)
    numbers = any_of(each.name for each in getattr(getattr(spec, "request", spec), "numbers", ()))
    return "; ".join(filter(None, (words, numbers))), pairs


def numbers_of(spec: Any, kind: Any, target: Target | None = None) -> Numbers | None:
    """Return the numbers that a call gives, or None if the request says them. target: of the code, whose plan may have
    other code for fewer numbers than the request tells"""
    if extents.at_call(spec):
        return extents.counts_of(spec, kind)
    if type(spec) not in REQUESTS or REQUESTS[type(spec)].calls is not calls.calls_of:
        return None
    return calls.counts_of(spec, kind, None if target is None else planned(spec, target, kind.pipeline()))
