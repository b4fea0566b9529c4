"""Expressions as plain data: steps in the order of computation.

Both machines (codegen/selection.py) and numpy (emulation/numerics/expressions.py) compute programs, with the same bits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from ...encoder.records import NamedTuple, cached_property, dataclass, new
from .ops import BITS

PACK = {"f32": "<f", "f64": "<d", "i32": "<i", "i64": "<q"}
"""The `struct` format of a number of each type."""

T = TypeVar("T")


class Node(Protocol):
    """The attributes of a node that a program reads. The class is in expr/node.py."""

    op: str
    dtype: str
    value: Any

    @property
    def args(self) -> Sequence[Node]:
        """The operands."""


class Step(NamedTuple):
    """One operation of a program. `args` are numbers of earlier steps."""

    op: str
    dtype: str
    args: tuple[int, ...] = ()
    value: Any = None


@dataclass(frozen=True)
class Program:
    """An expression as plain data: steps in the order of computation, and the numbers of the steps that are results."""

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    @cached_property
    def inputs(self) -> tuple[tuple[str, str], ...]:
        """(name, type) of the inputs that are used."""
        return tuple((step.value, step.dtype) for step in self.steps if step.op == "input")

    @cached_property
    def number_words(self) -> dict[str, tuple[str, int]]:
        """(number, word) of each input that is a word of a number given at the call, keyed by the input's name."""
        words = {name: number_word(name) for name, _ in self.inputs}
        return {name: word for name, word in words.items() if word is not None}

    def __str__(self) -> str:
        lines = []
        for number, step in enumerate(self.steps):
            if step.op not in ("input", "const"):
                lines.append(f"{self._name(number)} = {self._right(step)}")
        names = ", ".join(map(self._name, self.outputs))
        return "\n".join([*lines, f"return {names}"])

    def _name(self, number: int) -> str:
        step = self.steps[number]
        if step.op == "input":
            return str(step.value)
        if step.op == "const":
            return f"{number_of(step.value, step.dtype)!r}"
        return f"t{number}"

    def _right(self, step: Step) -> str:
        value = "" if step.value is None else f", {step.value}"
        return f"{step.op}({', '.join(map(self._name, step.args))}{value}): {step.dtype}"


def program(*outputs: Node) -> Program:
    """Return expressions as plain data."""
    order = postorder(outputs, lambda expr: expr.args)
    number = {id(expr): i for i, expr in enumerate(order)}
    steps = [
        new(Step, (expr.op, expr.dtype, tuple([number[id(arg)] for arg in expr.args]), expr.value)) for expr in order
    ]
    return Program(tuple(steps), tuple([number[id(output)] for output in outputs]))


def postorder(outputs: Iterable[T], operands: Callable[[T], Sequence[T]]) -> list[T]:
    """Return every node of an acyclic graph once, operands first. A node's operands come in the order that `operands`
    gives."""
    order: dict[T, None] = {}
    for output in outputs:
        if output not in order:
            _add(output, operands, order, _NESTED)
    return list(order)


_NESTED = 50
"""Nested calls by which a graph is walked, which take two thirds of the time of a stack; deeper nodes take a stack."""


def _add(node: T, operands: Callable[[T], Sequence[T]], order: dict[T, None], depth: int) -> None:
    """Add a node behind everything below it."""
    for each in operands(node):
        if each not in order:
            if depth:
                _add(each, operands, order, depth - 1)
            else:
                _add_by_stack(each, operands, order)
    order[node] = None


def _add_by_stack(top: T, operands: Callable[[T], Sequence[T]], order: dict[T, None]) -> None:
    """The same for graphs of any depth."""
    stack: list[T | None] = [top]
    pop = stack.pop
    while stack:
        node = pop()
        if node is None:  # below this mark is a node whose operands are done
            done = pop()
            assert done is not None
            order[done] = None
        elif node not in order:
            args = operands(node)
            if args:
                stack += (node, None)
                stack += args[::-1]
            else:
                order[node] = None


def number_of(bits: int, dtype: str) -> float:
    """Return the number that a constant's bits represent."""
    number: float = struct.unpack(PACK[dtype], bits.to_bytes(BITS[dtype] // 8, "little"))[0]
    return number


def number_word(name: str) -> tuple[str, int] | None:
    """Return (number, word) of an input created by `number`, or None for other inputs."""
    number_name, dot, word = name.removeprefix("@").rpartition(".")
    return (number_name, int(word)) if dot and name.startswith("@") else None
