"""A barrier in a loop string orders the steps of the loops around the divided ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.workers import Race
from tilesmith.runtime.loops.code import Barrier

T, B = 4, 6
LOOPS = {"t": (0, T, 1), "b": (0, B, 1)}
SHAPES = {"y": ((T + 1, B + 2, 2, 8), "f32")}


def step(i: Any, y: Any) -> None:
    """A step of each block from both neighbours' last steps."""
    ts.binary("add", 2, 8)(y[i.t, i.b], y[i.t, i.b + 2], y[i.t + 1, i.b + 1])


def wanted(y: Any) -> Any:
    y = y.copy()
    for t in range(T):
        y[t + 1, 1:-1] = y[t, :-2] + y[t, 2:]
    return y


def given() -> Any:
    y = np.zeros(SHAPES["y"][0], np.float32)
    y[0] = np.random.default_rng(0).integers(-5, 6, y[0].shape)
    return y


@pytest.mark.parametrize("string", ["tB|", "tB|@schedule(dynamic)", "tbB|"])
def test_steps_that_read_their_neighbours(string: str) -> None:
    loops = LOOPS if "b" not in string else {**LOOPS, "b": (0, B, 1, [4])}
    nest = ts.nest(string, loops, step, **SHAPES)
    for threads in (1, 2, 3, 7):
        y = given()
        nest(y, threads=threads)
        np.testing.assert_array_equal(y, wanted(given()))
    for turns in range(3):
        y = given()
        nest.run(y, workers=3, turns=turns)
        np.testing.assert_array_equal(y, wanted(given()))


@pytest.mark.parametrize(("string", "place"), [("tB", 1), ("t|B", 2), ("Bt", 0), ("tB{R}", 1)])
def test_without_a_barrier(string: str, place: int) -> None:
    with pytest.raises(ts.RaceError, match="one worker may read what another writes; .* as in tB|") as caught:
        ts.nest(string, LOOPS, step, **SHAPES)
    assert caught.value.place == place


def test_the_barrier_is_needed() -> None:
    nest = ts.nest("tB|", LOOPS, step, **SHAPES)
    nest.__dict__["nodes"] = tuple(
        type(each)(each.header, tuple(node for node in each.body if not isinstance(node, Barrier)))
        for each in nest.nodes
    )
    with pytest.raises(Race):
        for turns in range(9):
            nest.run(given(), workers=3, turns=turns)


def test_the_same_step_is_still_a_race() -> None:
    add = ts.binary("add", 2, 8)
    with pytest.raises(ts.RaceError, match="another writes"):
        ts.nest("tB|", LOOPS, lambda i, y: add(y[i.t + 1, i.b], y[i.t, i.b], y[i.t + 1, i.b + 1]), **SHAPES)
    with pytest.raises(ts.RaceError, match="another writes"):  # t is not the same for all workers: B is outside
        loops = {"t": (0, T, 1), "b": (0, 4, 1, [2])}
        ts.nest("btB|", loops, lambda i, y: add(y[i.b, 0], y[i.b, 1], y[i.b + 1, 0]), **SHAPES)


def test_phases_by_conditions() -> None:
    """Conditions on a loop with a barrier are steps: the second reads what all workers have written in the first."""
    square, add = ts.unary("square", 2, 8), ts.binary("add", 2, 8)

    def body(i: Any, x: Any, y: Any, z: Any) -> None:
        with ts.when(i.t.first):
            square(x[i.b], y[i.b])
        with ts.when(i.t.last):
            add(y[i.b], y[B - 1 - i.b], z[i.b])

    loops, shape = {"t": (0, 2, 1), "b": (0, B, 1)}, ((B, 2, 8), "f32")
    nest = ts.nest("tB|", loops, body, x=shape, y=shape, z=shape)
    x = np.random.default_rng(1).integers(-5, 6, shape[0]).astype(np.float32)
    for threads in (1, 2, 3, 7):
        y, z = np.empty_like(x), np.empty_like(x)
        nest(x, y, z, threads=threads)
        np.testing.assert_array_equal(z, x**2 + x[::-1] ** 2)
    with pytest.raises(ts.RaceError):
        ts.nest("tB", loops, body, x=shape, y=shape, z=shape)
