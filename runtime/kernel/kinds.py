"""Kinds of kernels: what the runtime must know to generate, call and describe the kernel of a request.

A request is a frozen spec; its class says its kind. Kinds whose calls take matrices and numbers only are described by
the spec's `arguments` (see `array_kind`); a GEMM's batch modes have their own binding.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from types import ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...encoder.deferred import deferred
from ...microkernels.choice import Pipeline, Plan, choose
from ...microkernels.contract.machine import Facts, Machine
from ...microkernels.gemm.spec import Batch, GemmSpec
from ...microkernels.gemm.spec import parameters as gemm_parameters
from ...microkernels.operands import parameters
from ..arguments import signature
from ..arguments.arrays import Array
from ..arguments.eltwise import EltwiseCall
from ..arguments.gather import BagCall, GatherCall, gather_signature
from ..arguments.gemm import GemmCall
from ..arguments.operands import ArrayCall
from ..arguments.regions import Region, array_regions, gemm_regions
from ..fastcall import guards
from ..fastcall.guards_array import array_entry
from ..fastcall.guards_gather import bag_entry, gather_entry
from ..fastcall.guards_gemm import gemm_entry
from . import pipelines
from .request_cache import exact


class Spec(Protocol):
    """What every request has."""

    @property
    def stem(self) -> str:
        """Kind, types and shape, as part of a C identifier."""

    @property
    def flops(self) -> int:
        """Arithmetic of one call."""


class Call(Protocol):
    """Checks and converts the arguments of a request's calls."""

    dtype: np.dtype[Any]
    """Of the output that a call may leave out."""

    def __call__(self, *args: Any, **keywords: Any) -> tuple[list[int], list[Any]]:
        """(integers for the C function, objects to keep alive during the call)."""

    def with_output(self, args: tuple[Any, ...]) -> tuple[Array | None, tuple[Any, ...]]:
        """(new output or None, arguments with it)."""


class Kind(NamedTuple):
    """What is known of the requests of one class."""

    pipeline: Callable[[], Pipeline]
    parameters: Callable[[Any], list[tuple[str, str]]]
    call: Callable[[Any], Call]
    entry: Callable[[Any, str, int], tuple[guards.Entry, list[int]] | None]
    signature: Callable[[Any], inspect.Signature]
    description: Callable[[Any], str]
    regions: Callable[[Any, Sequence[int]], list[Region]]
    """The memory that a call with these integers may touch."""
    pairs: Callable[[Any], int | None]
    """How often the plan's cycles are spent in a call; None: as often as a count among its arguments says."""
    again: Callable[[Any], Spec]
    """The request made anew of what a spec says, checked as it was at first."""

    def plan(self, spec: Spec, facts: Facts) -> Plan:
        """The way of the fewest cycles; UnsupportedError where there is none."""
        return choose(self.pipeline().candidates(spec, facts))

    def emit(self, m: Machine, plan: Plan) -> None:
        """Append the kernel to the machine's assembler."""
        self.pipeline().emitter(plan)(m, plan)


def array_kind(pipeline: Callable[[], Pipeline], again: Callable[[Any], Spec]) -> Kind:
    """The kind of requests that are `ArraySpec`."""
    return Kind(
        pipeline, lambda spec: parameters(spec.arguments), ArrayCall, array_entry,
        signature.array_signature, signature.array_description, array_regions, lambda spec: 1, again,
    )  # fmt: skip


def _gemm_pairs(spec: GemmSpec) -> int | None:
    return None if isinstance(spec.batch, Batch) else 1 if spec.batch is None else spec.batch


def _stacked(spec: Any) -> int | None:
    return spec.stack if isinstance(spec.stack, int) else None


@deferred
def _again() -> ModuleType:
    from . import revalidation

    return revalidation


@deferred
def _epilogue() -> ModuleType:
    from . import fused

    return fused


@deferred
def _stack() -> ModuleType:
    from . import stacked

    return stacked


KINDS: dict[str, Kind] = {
    "EltwiseSpec": array_kind(pipelines.eltwise, lambda spec: _again().eltwise(spec))._replace(call=EltwiseCall),
    "EpilogueSpec": Kind(
        pipelines.epilogue, lambda spec: _epilogue().parameters(spec), lambda spec: _epilogue().EpilogueCall(spec),
        lambda *given: _epilogue().epilogue_entry(*given), lambda spec: _epilogue().signature(spec),
        lambda spec: _epilogue().description(spec), lambda *given: _epilogue().regions(*given), _gemm_pairs,
        lambda spec: _again().epilogue(spec),
    ),
    "BagSpec": array_kind(pipelines.bag, lambda spec: _again().bag(spec))._replace(call=BagCall, entry=bag_entry),
    "GatherSpec": array_kind(pipelines.gather, lambda spec: _again().gather(spec))._replace(
        call=GatherCall, entry=gather_entry, signature=gather_signature,
    ),
    "GemmSpec": Kind(
        pipelines.gemm, gemm_parameters, GemmCall, gemm_entry,
        signature.signature, signature.description, gemm_regions, _gemm_pairs, lambda spec: _again().gemm(spec),
    ),
    "StackSpec": Kind(
        pipelines.stack, lambda spec: _stack().parameters(spec), lambda spec: _stack().StackCall(spec),
        lambda *given: _stack().stack_entry(*given), lambda spec: _stack().signature(spec),
        lambda spec: _stack().description(spec), lambda *given: _stack().regions(*given), _stacked,
        lambda spec: _again().stack(spec),
    ),
    "Bf16x3Spec": Kind(
        pipelines.bf16x3, gemm_parameters, GemmCall, gemm_entry,
        signature.signature, signature.description, gemm_regions, lambda spec: 1, lambda spec: _again().bf16x3(spec),
    ),
    "OzakiSpec": Kind(
        pipelines.ozaki, gemm_parameters, GemmCall, gemm_entry,
        signature.signature, signature.description, gemm_regions, lambda spec: 1, lambda spec: _again().ozaki(spec),
    ),
    "ReduceSpec": array_kind(pipelines.reduce, lambda spec: _again().reduction(spec)),
    "TransformSpec": array_kind(pipelines.transform, lambda spec: _again().transform(spec)),
}  # fmt: skip
"""One row for each class of requests, by its name: whose module is imported when the first such request is made."""


def kind_of(spec: Any) -> Kind:
    """The kind of a request; TypeError for what is none."""
    found = KINDS.get(type(spec).__name__)
    if found is None:
        raise TypeError(f"request: one of {', '.join(KINDS)}, not {spec!r}")
    return found


def requested(spec: Spec) -> Spec:
    """A spec that comes from elsewhere (from a pickle, made by hand) as the request function of its kind makes it.

    Raises what that raises for a request that it does not take, and ValueError for fields that it never makes.
    """
    kind = kind_of(spec)
    try:
        asked: Any = exact(spec)
        made = kind.again(asked)
    except (AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"request: a {type(spec).__name__} as its function makes it, not one of which "
                         f"{type(error).__name__} comes: {error}") from error  # fmt: skip
    for each in fields(asked):
        meant, found = getattr(made, each.name), getattr(asked, each.name)
        if meant != found:
            raise ValueError(f"request: {each.name} {meant!r}, as it follows from the other fields, not {found!r}")
    return made
