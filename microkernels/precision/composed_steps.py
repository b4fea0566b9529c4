"""Elementwise steps of products in a composed precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...encoder.records import NamedTuple
from ..contract.machine import Facts
from ..eltwise.composed_plan import ComposedStep, InBuffer
from ..eltwise.plan import plan as walk_plan
from ..eltwise.spec import EltwiseSpec
from ..expr.graph import program
from ..expr.trace import trace
from ..operands import Operand, View


class Source(NamedTuple):
    """An operand of an elementwise step.

    dtype, leading    the element type and the leading dimension
    buffer, offset    its place
    shape             rows and columns of a broadcast input; None: those of the step
    """

    dtype: str
    leading: int
    buffer: str
    offset: int = 0
    shape: tuple[int, int] | None = None


def elementwise_step(
    facts: Facts,
    function: Callable[..., Any],
    shape: tuple[int, int],
    inputs: dict[str, Source],
    outputs: Sequence[Source],
    compute: str = "f64",
) -> ComposedStep:
    """Plan an elementwise step of a function of these inputs, by the names of its parameters."""
    results = dict(zip(["y"] if len(outputs) == 1 else [f"y{i}" for i in range(len(outputs))], outputs))
    traced = program(*trace(function, **dict.fromkeys(inputs, compute)))
    reads = tuple(Operand(name, *(x.shape or shape), View("C", x.leading), x.dtype) for name, x in inputs.items())
    writes = tuple(Operand(name, *shape, View("C", y.leading), y.dtype, output=True) for name, y in results.items())
    spec = EltwiseSpec(function.__name__, *shape, compute, traced, reads, writes, "fast")
    return ComposedStep.walk(
        walk_plan(spec, facts), {name: InBuffer(*each[2:4]) for name, each in (inputs | results).items()}
    )
