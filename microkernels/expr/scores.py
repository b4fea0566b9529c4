"""Scores of a matrix equation: the order in which its nodes are computed with the fewest temporaries for intermediates.

Source: algorithms 3 and 4 of the TPP paper, in a form that is exact for nodes of any number of operands. The paper's
rule for three operands counts one temporary too many if one of them is an intermediate and two are inputs.

Inputs of the equation need no temporary. An elementwise node overwrites one of its operands. A node that reads its
operands again after its first result (a product, a transpose) cannot; such a node is `apart`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from ...encoder.records import NamedTuple, dataclass
from .products import PRODUCT, TRANSPOSE
from .program import Program, postorder

T = TypeVar("T")


def registers(needs: Iterable[int]) -> int:
    """Return the registers of operands that are computed one after the other, the one with the largest need first,
    while earlier results are kept.

    Source: Sethi and Ullman, The Generation of Optimal Code for Arithmetic Expressions, JACM 1970.
    """
    return max([0, *(need + kept for kept, need in enumerate(sorted(needs, reverse=True)))])


class ScheduledNode(NamedTuple, Generic[T]):
    """A node of an equation: its score, and the temporary that it is written to."""

    node: T
    score: int
    temporary: int


@dataclass(frozen=True)
class Schedule(Generic[T]):
    """The computed nodes in order, and the number of temporaries that hold them."""

    steps: tuple[ScheduledNode[T], ...]
    temporaries: int


def scores(
    outputs: Sequence[T], operands: Callable[[T], Sequence[T]], apart: Callable[[T], bool] = lambda node: False
) -> dict[T, int]:
    """Return the number of temporaries that each node needs, 0 for an input. It is exact if only inputs are used
    twice."""
    score: dict[T, int] = {}
    for node in postorder(outputs, operands):
        computed = [score[each] for each in dict.fromkeys(operands(node)) if score[each]]
        least = len(computed) + 1 if apart(node) else 1
        score[node] = max(least, registers(computed)) if operands(node) else 0
    return score


def schedule(
    outputs: Sequence[T], operands: Callable[[T], Sequence[T]], apart: Callable[[T], bool] = lambda node: False
) -> Schedule[T]:
    """Return the order of computation, operands by decreasing score, and the temporary of each node.

    A node takes the temporary of its leftmost operand that is not read afterwards. The temporary of a value that is
    used several times is free after its last use; the temporary of a result is never free.
    """
    score = scores(outputs, operands, apart)
    order = [
        node
        for node in postorder(outputs, lambda node: sorted(operands(node), key=lambda each: -score[each]))
        if score[node]
    ]
    last = {operand: time for time, node in enumerate(order) for operand in operands(node)}
    last |= dict.fromkeys(outputs, len(order))
    free: list[int] = []
    place: dict[T, int] = {}
    steps: list[ScheduledNode[T]] = []
    count = 0
    for time, node in enumerate(order):
        ended = [place[each] for each in dict.fromkeys(operands(node)) if score[each] and last[each] == time]
        if ended and not apart(node):
            place[node], *ended = ended
        elif free:
            place[node] = free.pop()
        else:
            place[node], count = count, count + 1
        free += ended
        steps.append(ScheduledNode(node, score[node], place[node]))
    return Schedule(tuple(steps), count)


@dataclass(frozen=True)
class ScheduledFunction:
    """A traced function and its schedule, whose nodes are numbers of the program's steps."""

    program: Program
    schedule: Schedule[int]

    def __str__(self) -> str:
        computed = (number for number, step in enumerate(self.program.steps) if step.op not in ("input", "const"))
        text = dict(zip(computed, str(self.program).splitlines()))
        return "\n".join(f"score {step.score}  tmp{step.temporary}  {text[step.node]}" for step in self.schedule.steps)

    @property
    def summary(self) -> str:
        """The end of a plan's line; empty for a function of one node."""
        all_scores = [step.score for step in self.schedule.steps]
        if len(all_scores) < 2:
            return ""
        return f"; {len(all_scores)} nodes, score {max(all_scores)}, temporaries: {self.schedule.temporaries}"


def equation(program: Program) -> ScheduledFunction:
    """Return the order, scores and temporaries of a traced function. Its products and transposes are apart."""
    steps = program.steps
    return ScheduledFunction(
        program,
        schedule(
            program.outputs, lambda number: steps[number].args, lambda number: steps[number].op in (PRODUCT, TRANSPOSE)
        ),
    )
