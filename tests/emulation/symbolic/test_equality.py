"""Proofs that two symbolic values are equal: proved values are equal on numbers, and different values have no proof."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.profiles import scaled
from tilesmith.emulation.numerics.expressions import SEMANTICS
from tilesmith.emulation.symbolic import movements as movements
from tilesmith.emulation.symbolic import primitives as primitives
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.equality import Prover
from tilesmith.emulation.symbolic.exact import OPERATIONS
from tilesmith.emulation.symbolic.lanes import Lanes
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.values import Table

SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, 3.5, -7.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40], np.float32)


def random_value(rng: np.random.Generator, given: list[Any], depth: int) -> Any:
    """Return a selection among values and constants, by comparisons of further selections."""
    if depth == 0 or rng.random() < 0.2:
        return given[rng.integers(len(given))] if rng.random() < 0.8 else np.float32(SPECIAL[rng.integers(5)])
    a, b, c, d = (random_value(rng, given, depth - 1) for _ in range(4))
    way = rng.integers(5)
    if way < 3:
        return np.where((np.less, np.equal, np.greater_equal)[way](a, b), c, d)
    return (SEMANTICS if not any(isinstance(x, Lanes) for x in (a, b)) else OPERATIONS["x86"])[("max", "min")[way - 3]](
        np.asarray(a) if not isinstance(a, Lanes) else a, np.asarray(b) if not isinstance(b, Lanes) else b, value=None
    )


def test_proved_values_are_equal() -> None:
    rng = np.random.default_rng(5)
    x, y = (grid.reshape(-1) for grid in np.meshgrid(SPECIAL, SPECIAL))
    proved = refuted = 0
    for _ in range(scaled(250, 20_000)):
        table = Table(SIMPLIFIERS)
        nodes = table.inputs("x", 2, 4)
        given = [Lanes(table.bytes_of(nodes[at : at + 1], 4), np.float32, table) for at in range(2)]
        pair = [random_value(rng, given, 2) for _ in range(2)]
        if not all(isinstance(each, Lanes) for each in pair):
            continue
        roots = [int(each.nodes()[0]) for each in pair]
        data = {int(nodes[0]): x, int(nodes[1]): y}
        found = evaluated(table, roots, lambda node, d=data: d[node].view(np.uint8).reshape(-1, 4), len(x))
        values = [np.ascontiguousarray(found[root]).view(np.float32).reshape(-1) for root in roots]
        equal = bool(
            ((values[0].view("u4") == values[1].view("u4")) | (np.isnan(values[0]) & np.isnan(values[1]))).all()
        )
        said = Prover(table).equal(*roots)
        assert equal or not said
        proved, refuted = proved + (said and roots[0] != roots[1]), refuted + (not said)
    assert proved and refuted > 10, (proved, refuted)


@pytest.mark.parametrize("arch", ["x86", "a64"])
@pytest.mark.parametrize("op", sorted(OPERATIONS["x86"]))
def test_operations_agree_with_expressions(op: str, arch: str) -> None:
    mine = OPERATIONS[arch].get(op)
    if mine is None:
        return
    a, b = (grid.reshape(-1) for grid in np.meshgrid(SPECIAL, SPECIAL))
    value = {"shr": 3, "lookup": ("f32", (5, 1 << 30, 7, 1 << 31))}.get(op)
    given: list[Any] = [a, b] if op in ("max", "min", "size_within") else [a]
    if op in ("scale", "scale_floor"):
        given = [a[np.isfinite(a)], np.float32(5)]
    if op in ("to_int", "round_int"):
        given = [a[np.isfinite(a)]]
    if op == "lookup":
        given = [np.arange(4, dtype=np.int32)]
    if op == "from_bits":
        given = [a.view(np.int32)]
    with np.errstate(all="ignore"):
        found, wanted = (np.asarray(function(*given, value=value)) for function in (mine, SEMANTICS[op]))
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    if found.dtype.kind == "f":
        real = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[real], np.signbit(wanted)[real])
