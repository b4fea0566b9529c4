"""Stacks of independent products on all cores: a few parts, whose addresses and counts the call works out.

From a product to the next one there may be any distance, as arrays have them, so addresses are no affine forms of an
index: each part has its own operands in the job's table, which the same kernel is called with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...microkernels.operands import RUNTIME
from ...microkernels.stack.spec import StackSpec
from ..kernel.callable import Kernel, kept
from ..loops.code import Address, Call, Header, Share, When, affine, index
from ..loops.job import Job

PARTS = 16
_OWN = 4
"""Operands of a part: the first matrices of A, B and C, and how many products it has."""


class StackParts:
    """How a stack is cut, and its job."""

    def __init__(self, kernel: Kernel, spec: StackSpec) -> None:
        self.spec, self.target = spec, kernel.target
        self.kernel = kept(replace(spec, stack=RUNTIME), kernel.target)

    def job(self) -> Job:
        """Part p has the operands from _OWN * p on; strides and leading dimensions follow those of all parts."""
        shared = len(self.kernel.kind.parameters(self.kernel.spec)) - _OWN
        behind = [Address(_OWN * PARTS + number) for number in range(shared)]
        body = tuple(
            When(index("part") - part, "==",
                 (Call(self.kernel, (*(Address(_OWN * part + number) for number in range(_OWN)), *behind)),))
            for part in range(PARTS)
        )  # fmt: skip
        return Job((Share((Header("part", affine(0), (affine(PARTS),), 1, PARTS),), body),), self.target)

    def operands(self, integers: Sequence[int]) -> list[int]:
        """The job's table for the arguments of the kernel."""
        matrices, rest = integers[:3], list(integers[3:])
        count = self.spec.stack if isinstance(self.spec.stack, int) else rest.pop(0)
        table: list[int] = []
        for part in range(PARTS):
            first, behind = count * part // PARTS, count * (part + 1) // PARTS
            table += [start + first * stride for start, stride in zip(matrices, rest)]
            table.append(behind - first)
        return table + rest
