"""Results of operations on vectors that are kept for the next execution of the same code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilesmith.emulation.symbolic import values
from tilesmith.emulation.symbolic.lanes import Lanes
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.values import Repeats, Table


def made(repeats: bool) -> tuple[Table, Any, Any]:
    """Return a table and two vectors of inputs."""
    table = Table(SIMPLIFIERS)
    table.repeats = Repeats() if repeats else None
    x, y = (Lanes(table.bytes_of(table.inputs(name, 8, 4), 4), np.float32, table) for name in "xy")
    return table, x, y


def results(x: Any, y: Any) -> list[Any]:
    """Operations that differ in one respect: the operation, the order, the type, the shape, one element."""
    u, v = x.view(np.uint32), y.view(np.uint32)
    other = x.copy()
    other[3] = y[5]
    return [
        x + y,
        x * y,
        x - y,
        y - x,
        u + v,
        u - v,
        u & v,
        x[:4] - y[:4],
        x.reshape(2, 4) - y.reshape(2, 4),
        other - y,
        x < y,
        u < v,
        (u - v).view(np.float32) - y,
    ]


def test_kept_results_are_those_of_the_operation() -> None:
    """The nodes are equal to those of a table that keeps nothing, at the first and at the second time."""
    table, x, y = made(True)
    _, p, q = made(False)
    wanted = [each.raw for each in results(p, q)]
    for _ in range(2):
        found = results(x, y)
        assert all(np.array_equal(each.raw, one) for each, one in zip(found, wanted))
    assert table.repeats and len(table.repeats.found) >= len(wanted)


def test_a_result_that_is_changed_later_is_not_the_kept_one() -> None:
    _, x, y = made(True)
    first = x + y
    wanted = first.raw.copy()
    first[0] = y[0]
    second = x + y
    assert np.array_equal(second.raw, wanted)
    second[1] = x[1]
    assert np.array_equal((x + y).raw, wanted)


def test_no_more_are_kept_than_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_REPEATS", 2)
    table, x, y = made(True)
    first = [each.raw for each in results(x, y)]
    assert table.repeats and len(table.repeats.found) == 2
    assert all(np.array_equal(each.raw, one) for each, one in zip(results(x, y), first))


def test_operands_that_are_not_symbolic_are_not_kept() -> None:
    table, x, _ = made(True)
    assert np.array_equal((x + np.float32(2)).raw, (x + np.float32(2)).raw)
    assert not np.array_equal((x + np.float32(2)).raw, (x + np.float32(3)).raw)
    assert table.repeats and not table.repeats.found
