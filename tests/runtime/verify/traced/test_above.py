"""Upper bounds: `Above` finds the elements of which a node is the maximum."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilesmith.emulation.symbolic.equality import Prover
from tilesmith.emulation.symbolic.lanes import Lanes
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.values import Table
from tilesmith.runtime.verify.traced.above import Above

F32 = np.dtype("f4")


def lane(table: Table, name: str) -> Lanes:
    return Lanes(table.bytes_of(table.inputs(name, 1, 4), 4), F32, table)


def node(value: Any) -> int:
    return int(value.nodes()[0])


def larger(a: Any, b: Any) -> Any:
    return np.where(a < b, b, a)


def test_a_maximum_of_elements() -> None:
    table = Table(SIMPLIFIERS)
    x, y, z = (lane(table, name) for name in "xyz")
    above = Above(Prover(table), map(node, (x, y, z)), F32)
    most = node(larger(larger(x, y), z))
    assert above.of(most) == above.among[most] == frozenset(map(node, (x, y, z)))


def test_a_maximum_of_an_element_and_another_number_is_unknown() -> None:
    """Without a known maximum, powers would be right over the reals, but in floats all may underflow to zero."""
    table = Table(SIMPLIFIERS)
    x, y, other = (lane(table, name) for name in ("x", "y", "other"))
    above = Above(Prover(table), map(node, (x, y)), F32)
    assert not above.of(node(larger(larger(x, other), y)))


def test_the_smaller_one_is_no_maximum() -> None:
    table = Table(SIMPLIFIERS)
    x, y = lane(table, "x"), lane(table, "y")
    above = Above(Prover(table), map(node, (x, y)), F32)
    assert above.of(node(np.where(x < y, x, y))) == frozenset()
