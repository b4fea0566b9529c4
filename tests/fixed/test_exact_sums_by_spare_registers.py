"""On targets without FMA, products of narrow elements took the multiply-add of long products, of more than twice the
instructions, whenever a register block left a register over."""

import pytest

import tilesmith as ts
from tilesmith.microkernels.machines.registry import TARGETS, facts_of


@pytest.mark.parametrize("target", ["sse", "avx"])
def test_short_products_are_rounded_once_by_the_short_sequence(target: str) -> None:
    unit = facts_of(TARGETS[target]).unit("bf16", "i8", "exact")
    long = facts_of(TARGETS[target]).unit("bf16", "f32", "exact")
    assert unit is not None and long is not None
    assert 2 * unit.code.product.instructions < long.code.product.instructions
    assert 1.5 * step_of("i8", target) < step_of("f32", target)


def step_of(group: str, target: str) -> int:
    """Return the lines of the listing of a step of k of one row vector, whose block has registers left over."""
    one, two = (ts.brgemm(4, 1, k, dtype=("bf16", group, "f32"), order="F", target=target).listing() for k in (1, 2))
    return len(two.splitlines()) - len(one.splitlines())
