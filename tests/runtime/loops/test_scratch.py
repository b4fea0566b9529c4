"""Scratch memory of nests: each worker's own, or shared; what is read there has been written before."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests import c_jobs
from tilesmith.emulation.workers import Race
from tilesmith.runtime.loops import filled
from tilesmith.runtime.loops.trace import Scratch

LOOPS = {"b": (0, 12, 1), "c": (0, 3, 1)}
X, Y = ((12, 8, 16), "f32"), ((12, 3, 8, 16), "f32")


def kernels(target: str | None = None) -> tuple[Any, Any]:
    return ts.unary("square", 8, 16, target=target), ts.binary("add", 8, 16, target=target)


def squares_once(i: Any, x: Any, s: Any, y: Any) -> None:
    """The square of a block, made in the first iteration of c, and added to itself in each."""
    square, add = kernels()
    with ts.when(i.c.first):
        square(x[i.b], s[0])
    add(s[0], s[0], y[i.b, i.c])


def made(string: str, body: Any = squares_once, scratch: Scratch | None = None, **options: Any) -> Any:
    return ts.nest(string, LOOPS, body, x=X, s=scratch or ts.scratch((1, 8, 16)), y=Y, **options)


def called(nest: Any, **named: Any) -> None:
    x = np.random.default_rng(len(nest.title)).integers(-9, 9, X[0]).astype(np.float32)
    y = np.full(Y[0], np.nan, np.float32)
    nest(x, y, **named)
    np.testing.assert_array_equal(y, np.broadcast_to(2 * x[:, None] ** 2, Y[0]))


@pytest.mark.parametrize("string", ["Bc", "bc", "B{R}c", "Bc@schedule(dynamic,2)", "bBc"])
def test_what_a_worker_keeps_in_an_iteration(string: str) -> None:
    loops = {**LOOPS, "b": (0, 12, 1, [5])}
    nest = ts.nest(string, loops, squares_once, x=X, s=ts.scratch((1, 8, 16)), y=Y)
    for threads in (1, 2, 3, 7):
        called(nest, threads=threads)
    x, y = np.ones(X[0], np.float32), np.empty(Y[0], np.float32)
    nest.run(x, y, workers=3)
    np.testing.assert_array_equal(y, 2)


def test_scopes_that_are_refused() -> None:
    """What another iteration of a divided loop wrote may be another worker's, or of another place."""
    with pytest.raises(ts.RaceError, match="s: .* reads 128 elements where i.c is 1 that are not written in the same"):
        made("cB")
    with pytest.raises(ts.RaceError, match="in the same iteration of c, which is divided among workers"):
        made("BC")
    with pytest.raises(ts.RaceError, match="where i.b is 1 and i.c is 0 that are not written in"):
        made("Bc", lambda i, x, s, y: _when(i.b.first, i, x, s, y))
    with pytest.raises(ValueError, match="a curve goes back and forth in c"):
        made("~bc")
    square, add = kernels()

    def reads_first(i: Any, x: Any, s: Any, y: Any) -> None:
        add(s[0], s[0], y[i.b, i.c])
        square(x[i.b], s[0])

    with pytest.raises(ts.RaceError, match="reads 256 elements|reads 128 elements"):
        made("Bc", reads_first)

    def half(i: Any, x: Any, s: Any, y: Any) -> None:
        ts.unary("square", 7, 16)(x[i.b, 0, 0], s[0, 0, 0])
        add(s[0], s[0], y[i.b, i.c])

    with pytest.raises(ts.RaceError, match="reads 16 elements where i.b is 0|reads 16 elements that"):
        made("Bc", half)

    def adds(i: Any, x: Any, s: Any, y: Any) -> None:
        ts.brgemm(8, 16, 16)(x[i.b], y[0, 0, 0], s[0])

    with pytest.raises(ts.RaceError, match="reads 128 elements"):
        made("bc", adds)


def _when(condition: Any, i: Any, x: Any, s: Any, y: Any) -> None:
    square, add = kernels()
    with ts.when(i.c.first), ts.when(condition):
        square(x[i.b], s[0])
    add(s[0], s[0], y[i.b, i.c])


def test_bounds_of_scratch_memory() -> None:
    square, _ = kernels()
    with pytest.raises(
        IndexError, match="s: .* accesses 1 elements from 3 on along axis 0, which has 3 where i.c is 2"
    ):
        made("Bc", lambda i, x, s, y: square(x[i.b], s[i.c + 1]), ts.scratch((3, 8, 16)))
    with pytest.raises(IndexError, match="s: .* writes as far as 127 along axis 0, which has 120"):
        made("Bc", lambda i, x, s, y: square(x[i.b], s[0]), ts.scratch((120,)))
    with pytest.raises(ValueError, match='each: "worker" or "call", not "core"'.replace('"core"', "'core'")):
        ts.scratch((4, 4), each="core")
    with pytest.raises(ValueError, match="scratch: a shape of whole numbers of 1 or more"):
        ts.scratch((4, 0))


def test_memory_that_workers_share() -> None:
    """`init` packs once for all workers; what is written in the body has an axis for each divided loop."""
    square, add = kernels()

    def body(i: Any, x: Any, s: Any, y: Any) -> None:
        add(s[i.b], s[i.b], y[i.b, i.c])

    def fill(x: Any, s: Any, y: Any) -> None:
        for b in range(12):
            square(x[b], s[b])

    shared = ts.scratch((12, 8, 16), each="call")
    nest = made("BC", body, shared, init=fill)
    for threads in (1, 2, 3, 7):
        called(nest, threads=threads)
    with pytest.raises(ts.RaceError, match="reads 128 elements|reads 256 elements"):
        made("BC", body, shared)
    with pytest.raises(ts.RaceError, match="not written before|not written in the same"):
        made("BC", body, ts.scratch((12, 8, 16)), init=fill)  # that of worker 0 alone
    with pytest.raises(ts.RaceError, match="workers with different b write the same elements of s"):
        made("Bc", squares_once, ts.scratch((1, 8, 16), each="call"))


def test_calls_at_once() -> None:
    """Calls from several threads have memory of their own: more calls than are kept, and each on two workers."""
    nest = made("Bc", threads=2)
    with ThreadPoolExecutor(8) as pool:
        for each in [pool.submit(called, nest) for _ in range(40)]:
            each.result()
    ts.trim()
    called(nest)


def test_regions_pickles_and_tails() -> None:
    square, add = kernels()
    first = made("Bc")
    second = ts.nest(
        "B",
        {"b": (0, 12, 1)},
        lambda i, y, t, z: (square(y[i.b, 0], t[0, 0]), add(t[0, 0], t[0, 0], z[i.b])),
        y=Y,
        t=ts.scratch((5, 2, 8, 16)),
        z=X,
    )
    region = ts.region(first, second)
    x, y, z = (np.ones(shape, np.float32) for shape in (X[0], Y[0], X[0]))
    region(x, y, z, threads=3)
    assert (y == 2).all() and (z == 8).all()
    z[...] = 0
    region.run(x, y, z, workers=2)
    assert (z == 8).all()
    again = pickle.loads(pickle.dumps(first))
    assert again.code == first.code and again.parameters == first.parameters
    called(again, threads=2)


def test_the_scratch_memory_of_workers_is_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The emulator finds a race if all workers have the same memory."""
    shared = ts.scratch((1, 8, 16), each="call")
    monkeypatch.setattr("tilesmith.runtime.loops.nest.check_races", lambda *_: None)
    nest = made("Bc", squares_once, shared)
    with pytest.raises(Race, match="a race"):
        nest.run(np.ones(X[0], np.float32), np.empty(Y[0], np.float32), workers=3)


def test_proofs() -> None:
    square = ts.unary("square", 1, 4)

    def body(i: Any, x: Any, s: Any, y: Any) -> None:
        with ts.when(i.c.first):
            square(x[i.b], s[0])
        square(s[0], y[i.b, i.c])

    loops, shape = {"b": (0, 2, 1), "c": (0, 2, 1)}, ((2, 2, 1, 4), "f32")
    assert ts.nest("Bc", loops, body, x=((2, 1, 4), "f32"), s=ts.scratch((1, 1, 4)), y=shape).verify()


def test_a_c_program_gives_the_memory(tmp_path: Path) -> None:
    nest = made("Bc")
    x, y = np.random.default_rng(0).integers(-9, 9, X[0]).astype(np.float32), np.zeros(Y[0], np.float32)
    found = c_jobs.run(tmp_path, nest, [x, y, c_jobs.NONE, c_jobs.WORKER], 3)
    np.testing.assert_array_equal(found[1], np.broadcast_to(2 * x[:, None] ** 2, Y[0]))
    assert "operands[3]: scratch memory of workers * " in (tmp_path / "job.h").read_text()


def test_too_many_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filled, "MOST", 2)
    with pytest.raises(ts.RaceError, match="more than the 2 in which"):
        made("Bc")


def test_zeros_need_no_elements() -> None:
    """A kernel whose result does not depend on its operand does not read it."""
    zero, add = ts.unary("zero", 8, 16), ts.binary("add", 8, 16)

    def body(i: Any, x: Any, s: Any, y: Any) -> None:
        with ts.when(i.c.first):
            zero(s[0], s[0])
        add(s[0], x[i.b], s[0])  # the sum over c, which is not divided
        with ts.when(i.c.last):
            add(s[0], s[0], y[i.b])

    nest = ts.nest("Bc", LOOPS, body, x=X, s=ts.scratch((1, 8, 16)), y=X)
    x = np.random.default_rng(0).integers(-9, 9, X[0]).astype(np.float32)
    for threads in (1, 2, 3, 7):
        y = np.zeros_like(x)
        nest(x, y, threads=threads)
        np.testing.assert_array_equal(y, 6 * x)
