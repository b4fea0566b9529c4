"""Neighbouring nodes as programs of the graph compiler: their kernels compute several nodes each, in one call.

Shapes are known from a first call. A node without a rule, or whose rule refuses it, is computed by its row between two
programs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...graph.builder import GraphBuilder
from ...graph.compiled import CompiledGraph, compile
from ...graph.values import GraphValue
from .library import Array
from .lowering import LoweredNode
from .steps import NodeStep

Kinds: TypeAlias = Mapping[str, tuple[tuple[int, ...], np.dtype[np.generic]]]
"""The shape and type of each value."""
_REFUSALS = (UnsupportedError, TypeError, ValueError)
"""What rules and the compiler raise for nodes that they do not take."""


class CompiledRegion(NamedTuple):
    """Steps that one program computes: the names of the values that it reads and makes, the program, and its nodes."""

    reads: tuple[str, ...]
    outputs: tuple[str, ...]
    program: CompiledGraph
    nodes: int

    def run(self, values: dict[str, Array]) -> None:
        """Compute the values that the region makes."""
        made = self.program(*(values[name] for name in self.reads))
        values.update(zip(self.outputs, made if isinstance(made, tuple) else (made,)))


class RegionBuilder:
    """Builds the program of steps."""

    def __init__(self, kinds: Kinds, constants: Mapping[str, Array]) -> None:
        self.kinds, self.constants = kinds, constants
        self.graph = GraphBuilder()
        self.inputs: list[str] = []
        self.values: dict[str, GraphValue] = {}

    def value(self, name: str) -> GraphValue:
        """Return a value, which is a constant or an input if no step made it."""
        found = self.values.get(name)
        if found is None:
            known = self.constants.get(name)
            if known is not None:
                found = self.graph.constant(known, name=name)
            else:
                found = self.graph.input(*self.kinds[name], name=name)
                self.inputs.append(name)
            self.values[name] = found
        return found

    def add(self, step: NodeStep) -> None:
        """Add a step. Raises UnsupportedError, TypeError or ValueError if the compiler does not compute it."""
        if step.row is None or step.row.rule is None:
            raise UnsupportedError("the graph compiler, docs/graph.md, has no such operator")
        known = {place: self.constants[name] for place, name in enumerate(step.inputs) if name in self.constants}
        shapes, types = zip(*(self.kinds[name] for name in step.outputs if name))
        made = step.row.rule(
            LoweredNode(self.graph, step.call, shapes, types, known),
            *(self.value(name) if name else None for name in step.inputs),
        )
        for name, value in zip(step.outputs, made if isinstance(made, tuple) else (made,)):
            if not name:
                continue
            if (value.shape, value.dtype) != self.kinds[name]:
                raise UnsupportedError(f"{value.shape} {value.dtype} in place of {self.kinds[name]}")
            self.values[name] = value

    def finish(self, outputs: Sequence[str], count: int) -> CompiledRegion:
        """Return the region of the steps that were added."""
        program = compile(self.graph.finish(*(self.values[name] for name in outputs)))
        return CompiledRegion(tuple(self.inputs), tuple(outputs), program, count)


def _refusal(step: NodeStep, kinds: Kinds, constants: Mapping[str, Array]) -> str:
    """Return why the compiler does not compute a step, or an empty text."""
    if step.branches:
        return "each call chooses the branch"
    if step.row is None:
        return step.reason or "no kernel computes it"
    if any(name not in kinds for name in step.outputs if name):
        return "its row computes fewer results"
    if step.varies:
        return "the shape of its result depends on elements of the inputs"
    if any(0 in kinds[name][0] for name in step.outputs if name):
        return "no elements"
    try:
        RegionBuilder(kinds, constants).add(step)
    except _REFUSALS as error:
        return str(error)
    return ""


def _levels(steps: Sequence[NodeStep], taken: Sequence[bool]) -> list[int]:
    """Return for each step the number of its program: those that the compiler takes come first in each level, and what
    they read of others is of an earlier one."""
    of: dict[str, tuple[int, bool]] = {}
    found = list[int]()
    for step, own in zip(steps, taken):
        before = [of[name] for name in step.reads if name in of]
        level = max((number + (own and not other) for number, other in before), default=0)
        found.append(level)
        of.update((name, (level, own)) for name in step.outputs if name)
    return found


def compiled(
    steps: Sequence[NodeStep],
    kinds: Kinds,
    constants: Mapping[str, Array],
    outputs: Sequence[str],
    refused: list[str],
) -> Iterator[NodeStep | CompiledRegion]:
    """Yield the steps, in an order in which they can run, with programs in place of those that the compiler takes. Why
    it did not take some steps that compute, alone or together, is added to `refused`."""
    reasons = [_refusal(step, kinds, constants) for step in steps]
    taken = [not reason for reason in reasons]
    alone = Counter(
        f"{step.call.operator}: {reason}"
        for step, reason in zip(steps, reasons)
        if reason and step.row is not None and not step.row.moves
    )
    refused += [f"{count} {each}" for each, count in alone.items()]
    levels = _levels(steps, taken)
    for level in range(max(levels, default=-1) + 1):
        mine = [step for step, own, each in zip(steps, taken, levels) if own and each == level]
        region = _region(mine, steps, kinds, constants, outputs, refused)
        yield from mine if region is None else [region]
        yield from (step for step, own, each in zip(steps, taken, levels) if not own and each == level)


def _region(
    mine: Sequence[NodeStep],
    steps: Sequence[NodeStep],
    kinds: Kinds,
    constants: Mapping[str, Array],
    outputs: Sequence[str],
    refused: list[str],
) -> CompiledRegion | None:
    """Return the program of steps, or None if none of them computes or the compiler refuses them together."""
    if all(step.row is not None and step.row.moves for step in mine):
        return None
    inside = {id(step) for step in mine}
    read = {name for step in steps if id(step) not in inside for name in step.reads} | set(outputs)
    builder = RegionBuilder(kinds, constants)
    try:
        for step in mine:
            builder.add(step)
        made = [name for step in mine for name in step.outputs if name and name in read]
        return builder.finish(made, len(mine))
    except _REFUSALS as error:
        refused.append(f"{len(mine)} nodes from {mine[0].call.name} on, each: {error}")
        return None
