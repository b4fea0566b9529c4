"""Topological order of a graph: every node once and after its operands, whether recursion or a stack visits it."""

from __future__ import annotations

import random

import pytest

from tilesmith.microkernels.expr import program


def nested(outputs: list[int], operands: dict[int, tuple[int, ...]]) -> list[int]:
    """Return the order by definition, for graphs that are not deep."""
    order: list[int] = []

    def visit(node: int) -> None:
        for each in operands[node]:
            visit(each)
        if node not in order:
            order.append(node)

    for output in outputs:
        visit(output)
    return order


@pytest.mark.parametrize("depth", [0, 1, 3, 50])
def test_recursion_and_a_stack_give_the_same_order(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_NESTED", depth)
    for seed in range(40):
        draw = random.Random(seed)
        operands = {
            i: tuple(draw.randrange(max(0, i - 4), i) for _ in range(min(i, draw.randrange(3)))) for i in range(14)
        }
        outputs = [draw.randrange(14) for _ in range(3)]
        assert program.postorder(outputs, operands.__getitem__) == nested(outputs, operands)


def test_a_graph_may_be_deeper_than_calls_nest() -> None:
    assert program.postorder([9999], lambda node: range(node - 1, node) if node else ()) == list(range(10_000))
