"""Fused kernels that work on groups of rows: prove each group as a request of its own.

The sum of all elements of a group may be computed as a sum of row sums, or as one sum over the group as a single row.
Code may add either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ....emulation.symbolic.machine import Done
from ....encoder.features import Target
from ....microkernels.expr.along import ALONG, DOWN
from ....microkernels.expr.graph import Expr, expressions, operand, ordered, program, rebuilt, with_args
from ..definition.programs import refuse_flushed
from ..definition.traced import of_group
from ..numbers import trials
from ..operands import Call
from ..proof import Claim, Refutation
from .rows import RequestedRows

Array = np.ndarray[Any, Any]


def values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every result of every group is the request's expression of its reductions."""
    refuse_flushed(spec.request, target)
    how, count = "", 0
    for number, (request, regions, memory) in enumerate(_parts(spec, call, done)):
        part = SimpleNamespace(table=done.table, memory=memory)
        missing, how = _missing(request, target, SimpleNamespace(regions=regions), part)
        count += 1
        if missing:
            wrong = trials.wrong(code, target, spec, call, any_mode=False)
            return Claim("arithmetic", False, f"group {number}: {missing}"), wrong
    return Claim("arithmetic", True, f"{count} groups, of each: {how}"), None


def _parts(spec: Any, call: Call, done: Done) -> Iterator[tuple[Any, list[Any], Any]]:
    """Yield requests with the regions and the memory of their rows. There is one for each group of a sample, or for
    each group of all samples if some results are sums over the samples."""
    added = [y.name for y in spec.request.outputs if y.name in spec.shared]
    if not added:
        for sample in range(spec.samples):
            for group in range(spec.groups):
                places = {each.name: (each.name, sample, group) for each in spec.request.operands}
                yield _part(spec, call, done, spec.request, places)
        return
    request = _of_samples(spec, added)
    for group in range(spec.groups):
        yield _part(
            spec,
            call,
            done,
            request,
            {
                _name(each.name, sample, spec): (each.name, sample, group)
                for sample in range(spec.samples)
                for each in spec.request.operands
            },
        )


def _name(name: str, sample: int, spec: Any) -> str:
    """Return the name of an operand of one sample."""
    return name if name in spec.shared else f"{name} of sample {sample}"


def _of_samples(spec: Any, added: list[str]) -> Any:
    """Return the request for one group of all samples at once. Each result belongs to one sample, or is the sum over
    the samples."""
    request, sums, results = spec.request, dict[str, Expr](), dict[str, Expr]()
    for sample in range(spec.samples):
        for y, expr in zip(request.outputs, _of_sample(spec, sample)):
            if y.name in added:
                sums[y.name] = sums[y.name] + expr if y.name in sums else expr
            else:
                results[_name(y.name, sample, spec)] = expr
    results |= sums
    every = {_name(each.name, sample, spec): each for sample in range(spec.samples) for each in request.operands}
    inputs = tuple(each._replace(name=name) for name, each in every.items() if not each.output)
    outputs = tuple(every[name]._replace(name=name) for name in results)
    return replace(request, program=program(*results.values()), inputs=inputs, outputs=outputs)


def _of_sample(spec: Any, sample: int) -> tuple[Expr, ...]:
    """Return the request's expressions with the operands of one sample."""

    def change(each: Expr, args: tuple[Expr, ...]) -> Expr:
        return operand(_name(each.value, sample, spec), each.dtype) if each.op == "input" else with_args(each, args)

    return rebuilt(expressions(spec.request.program), change)


def _part(spec: Any, call: Call, done: Done, request: Any, places: dict[str, tuple[str, int, int]]) -> Any:
    """Return a request with what an execution left of its operands. `places` maps each name to the operand, the sample
    and the group."""
    regions = {each.name: each for each in call.regions}

    def held(region: Any) -> Array:
        own, sample, group = places[region.name]
        return of_group(spec, own, done.memory.held(regions[own]), sample, group)

    inputs = {
        name: of_group(spec, own, done.memory.inputs[own], sample, group)
        for name, (own, sample, group) in places.items()
        if own in done.memory.inputs
    }
    named = [SimpleNamespace(name=name) for name in places]
    return request, named, SimpleNamespace(inputs=inputs, held=held)


def _missing(spec: Any, target: Target, call: Any, done: Any) -> tuple[str, str]:
    """Return what has no proof ("" if everything has one), and how the rest was proved."""
    ways: dict[str, type[RequestedRows]] = {"": RequestedRows}
    if _sums_of_all(expressions(spec.program)):
        ways = {"as one row: ": _Flat, "by rows: ": RequestedRows}
    found = []
    for words, kind in ways.items():
        looked = kind(spec, target, call, done)
        missing = looked.missing()
        if not missing:
            return "", looked.how
        found.append(f"{words}{missing}")
    return "; ".join(found), ""


def _sums_of_all(results: tuple[Expr, ...]) -> bool:
    """Whether every reduction first reduces rows and then reduces the results of the rows in the same way."""
    order = ordered(results)
    pairs = {
        each.args[0]
        for each in order
        if each.op == DOWN and each.args[0].op == ALONG and each.args[0].value == each.value
    }
    others = {arg for each in order if each.op != DOWN for arg in each.args} | set(results)
    return all(each.args[0] in pairs for each in order if each.op == DOWN) and all(
        each in pairs and each not in others for each in order if each.op == ALONG
    )


class _Flat(RequestedRows):
    """A group treated as a single row of all its elements: reductions along the row reduce the whole group."""

    flat = True

    def _groups(self, step: Any, nodes: list[Array]) -> list[Array]:
        return [np.ascontiguousarray(each).reshape(1, -1) for each in nodes]
