"""`k.verify()` of traced functions with rows selected by an index, for the indices of its calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify

FUNCTIONS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "gather": (lambda x, i, e: ts.gather(x, i) * e, {"x": (6, 9), "i": (4,), "e": (4, 9)}),
    "scatter": (lambda x, i: ts.scatter(ts.relu(x), i, 6), {"x": (4, 9), "i": (4,)}),
    "add": (lambda x, i: ts.scatter(x * 2.0, i, 6, add=True), {"x": (4, 9), "i": (4,)}),
    "rows": (lambda x, i: ts.sum(ts.gather(x, i), axis=1), {"x": (10, 5), "i": (7,)}),
    "graph": (
        lambda x, i, j, w: (
            ts.scatter(ts.relu(ts.gather(x, i)) * w, j, 10, add=True),
            ts.sum(ts.gather(x, i) * ts.gather(x, j), axis=1),
        ),
        {"x": (10, 5), "i": (4,), "j": (4,), "w": (4, 1)},
    ),
}
PROVED = [(name, bounds) for name in FUNCTIONS for bounds in ("call", "kernel")[: 1 + (name != "graph")]]


def made(name: str, target: str, bounds: str) -> Any:
    function, shapes = FUNCTIONS[name]
    return ts.equation(function, target=target, bounds=bounds, **shapes)


@pytest.mark.parametrize(("name", "bounds"), PROVED)
@pytest.mark.parametrize("target", ["avx2", "neon"])
@pytest.mark.grid(5)
def test_rows_by_an_index_are_proved(target: str, name: str, bounds: str) -> None:
    proof = made(name, target, bounds).verify()
    assert proof, str(proof)


def test_reductions_beside_rows_that_are_scattered_are_refused_with_the_reason() -> None:
    with pytest.raises(ts.UnsupportedError, match="only with bounds="):
        made("graph", "avx2", "kernel").verify()


@pytest.mark.parametrize("target", ["avx512", "sve256"])
def test_another_function_and_another_way_are_refuted(target: str) -> None:
    """Adding instead of storing, storing instead of adding, and half of the values are refuted."""
    stored, added = made("scatter", target, "call"), made("add", target, "call")
    half = ts.equation(lambda x, i: ts.scatter(x * 0.5, i, 6, add=True), x=(4, 9), i=(4,), target=target)
    for one, other in ((stored, added), (added, stored), (half, added)):
        proof = verify(one.code, one.target, other.spec, other.kind)
        assert proof.refuted, str(proof)
