"""The choice among plans, refusals and ways: what is chosen, which ways are planned at all, and why others are
rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

import tilesmith as ts
from tilesmith.microkernels.choice import Later, Plan, Refusal, Slower, Way, attempt, choose
from tilesmith.microkernels.errors import UnsupportedError


@dataclass(frozen=True)
class Timed(Plan):
    cycles: float


def refused(reason: str) -> Callable[[], Plan]:
    def plan() -> Plan:
        raise UnsupportedError(reason)

    return plan


def test_the_fewest_cycles_and_of_equal_ones_the_first() -> None:
    plans = [Timed(cycles, way=way) for way, cycles in (("slow", 9.0), ("a", 4.0), ("b", 4.0))]
    chosen = choose([*plans, Refusal("none", UnsupportedError("no registers"))])
    assert chosen.way == "a"
    assert [type(other) for other in chosen.rejected] == [Slower, Slower, Refusal]
    assert str(chosen.rejected) == (
        "slow: about 9 cycles, the chosen way takes 4\nb: about 4 cycles, the chosen way takes 4\nnone: no registers"
    )


def test_the_only_way_has_no_rejected_ones() -> None:
    chosen = choose([Timed(1.0)])
    assert chosen.rejected == () and str(chosen.rejected) == "there is no other way"


def test_ways_are_planned_until_one_fits() -> None:
    planned: list[str] = []

    def way(name: str, plan: Callable[[], Plan]) -> Way:
        def noted() -> Plan:
            planned.append(name)
            return plan()

        return Way(name, noted)

    chosen = choose(
        [
            way("many", refused("needs 40 registers")),
            way("some", lambda: Timed(7.0)),
            way("few", lambda: Timed(3.0)),
            way("one", refused("never asked")),
        ]
    )
    assert planned == ["many", "some"] and chosen.way == "some"
    assert chosen.rejected[0].way == "many" and str(chosen.rejected[0]) == "many: needs 40 registers"
    assert chosen.rejected[1:] == (Later("few"), Later("one"))
    assert "few: not planned" in str(chosen.rejected)


def test_where_all_refuse() -> None:
    """If all plans are refused, the first refusal is raised; of ways it is the last one, which needs the least."""
    first, second = (Refusal(name, UnsupportedError(name)) for name in ("first", "second"))
    with pytest.raises(UnsupportedError, match="^first$"):
        choose([first, second])
    with pytest.raises(UnsupportedError, match="^one: needs 3$"):
        choose([Way("many", refused("needs 9")), Way("one", refused("needs 3"))])


def test_an_attempt_names_its_way_and_keeps_other_errors() -> None:
    assert attempt("name", lambda: Timed(1.0)).way == "name"
    refusal = attempt("name", refused("reason"))
    assert isinstance(refusal, Refusal) and str(refusal) == "name: reason"
    with pytest.raises(ZeroDivisionError):
        attempt("name", lambda: Timed(1 / 0))


# Kernels


def test_reductions_say_what_each_way_lacks() -> None:
    """A maximum on AVX2 needs several registers per accumulator, so most ways with interleaved rows have too few."""
    plan = ts.reduce("max", 64, 97, axis=1, target="avx2").plan
    tried = [other for other in plan.rejected if isinstance(other, Refusal)]
    short = [str(other.error) for other in tried if "vector registers" in str(other.error)]
    assert plan.way == "2 accumulators for a row" and len(short) > 5
    for reason in short:
        needed = int(reason.removeprefix("needs ").split()[0])
        assert needed > 16 and reason == f"needs {needed} vector registers, the target has 16"
    later = [other for other in plan.rejected if isinstance(other, Later)]
    assert later and plan.rejected[-len(later) :] == tuple(later)


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("name", ["sum", "max", "argmax"])
def test_the_chosen_reduction_is_the_first_that_fits(name: str, axis: int | None, target: str) -> None:
    plan = ts.reduce(name, 61, 517, axis=axis, target=target).plan
    assert plan.vectors <= {"avx2": 16}.get(target, 32)  # type: ignore[attr-defined]
    kinds = [type(other) for other in plan.rejected]
    assert kinds == sorted(kinds, key=lambda kind: kind is Later) and set(kinds) <= {Refusal, Later}
    assert len({other.way for other in plan.rejected} | {plan.way}) == len(plan.rejected) + 1, "ways have names"


def test_elementwise_kernels_compare_numbers_of_vectors() -> None:
    plan = ts.unary("gelu", 64, 47, target="avx2", accuracy="fast").plan
    assert plan.way.startswith("2 vectors at a time")
    reasons = dict(str(other).split(" vector", 1) for other in plan.rejected)
    assert set(reasons) == {"8", "7", "6", "5", "4", "3", "1"}
    assert "needs more than 16 vector registers" in reasons["8"] and "cycles" in reasons["1"]
    for other in plan.rejected:
        assert not isinstance(other, Slower) or other.cycles >= other.chosen


def test_gathers_say_which_way_serves_the_index() -> None:
    rows = ts.gather("rows", 3, 5, size=9).plan
    columns = ts.gather("columns", 3, 5, size=9).plan
    assert (rows.way, columns.way) == ("vectors of rows", "single elements")
    assert [other.way for other in rows.rejected] == [columns.way]
    assert [other.way for other in columns.rejected] == [rows.way]


def test_an_expression_that_no_number_of_vectors_fits() -> None:
    """Every product is needed until the last division, and there are more products than registers."""

    def function(x: ts.Expr) -> ts.Expr:
        products = [x * float(i) for i in range(2, 40)]
        total = products[0]
        for product in reversed(products):
            total = ts.select(total < product, total / product, product / total)
        return total / sum(products[1:], products[0])

    plan = ts.equation(function, x=(2, 9), target="avx512").plan
    assert plan.way == "values wait in scratch memory" and plan.rejected
    assert all("needs more than 32 vector registers or 5 mask" in str(other) for other in plan.rejected)
