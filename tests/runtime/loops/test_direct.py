"""Calls of nests through machine code are those through Python: results, errors, threads, overlaps."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.system.libc import ffi

SHAPE = (6, 2, 4, 8)


def made(string: str = "Bc", **options: Any) -> Any:
    add = ts.binary("add", 4, 8)
    loops = {"b": (0, 6, 1), "c": (0, 2, 1)}
    operand = (SHAPE, "f32")
    return ts.nest(
        string,
        loops,
        lambda i, x, v, y: add(x[i.b, i.c], v[i.c], y[i.b, i.c]),
        x=operand,
        v=(SHAPE[1:], "f32"),
        y=operand,
        **options,
    )


def given() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    x, v = rng.standard_normal(SHAPE).astype(np.float32), rng.standard_normal(SHAPE[1:]).astype(np.float32)
    return x, v, np.zeros(SHAPE, np.float32)


def direct(nest: Any) -> Any:
    """Return a nest whose calls go through machine code, which is checked by a slow path that fails."""
    nest(*given())
    if entry.native_of(nest) is None:
        pytest.skip("calls go through Python here")
    return nest


def test_calls_do_not_come_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    nest = direct(made())
    x, v, y = given()
    monkeypatch.setattr(type(nest).__mro__[1], "__call__", None)
    for _ in range(3):
        y[...] = 0
        assert nest(x, v, y) is None
        np.testing.assert_array_equal(y, x + v)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("string", ["Bc", "Bc@schedule(dynamic,2)"])
def test_results(string: str, threads: int) -> None:
    nest = direct(made(string, threads=threads))
    x, v, y = given()
    y = guarded(y, "end", writable=True)
    nest(guarded(x, "end"), guarded(v, "end"), y)
    np.testing.assert_array_equal(y, x + v)
    check_canary(y)
    y[...] = 0
    nest(x, y=y, v=v, threads=threads)
    np.testing.assert_array_equal(y, x + v)


def test_errors_are_those_of_python() -> None:
    nest = direct(made())
    x, v, y = given()
    read_only = y.copy()
    read_only.flags.writeable = False
    memory = np.zeros(2 * y.size, np.float32)
    other = memory[: y.size].reshape(SHAPE), memory[y.size - 1 : 2 * y.size - 1].reshape(SHAPE)
    unaligned = np.zeros(y.nbytes + 4, np.uint8)[1 : y.nbytes + 1].view(np.float32).reshape(SHAPE)
    wrong: list[tuple[tuple[Any, ...], str]] = [
        ((x[:5], v, y), "x: f32 of shape"),
        ((x.astype(np.float64), v, y), "x: f32 of shape"),
        ((x, v[None], y), "v: f32 of shape"),
        ((x, v, np.zeros((6, 2, 8, 4), np.float32).swapaxes(2, 3)), "y: a contiguous array"),
        ((np.zeros((2, 6, 4, 8), np.float32).swapaxes(0, 1), v, y), "x: a contiguous array"),
        ((x, v, read_only), "y: is written, but this array is read-only"),
        ((x, v, unaligned), "y: elements aligned to 4 bytes"),
        ((y, v, y), "y: is written, so it must not share memory with x"),
        ((x, x[5], x), "y: is written, so it must not share memory with"),
        ((other[0], v, other[1]), "y: is written, so it must not share memory with x"),
        ((x, y[5], y), "y: is written, so it must not share memory with v"),
        ((x, v), "takes 3 arguments"),
    ]
    for arguments, message in wrong:
        before = y.copy()
        with pytest.raises((TypeError, ValueError), match=message):
            nest(*arguments)
        np.testing.assert_array_equal(y, before)


def test_a_vector_a_number_and_scratch_memory() -> None:
    drop = ts.unary("dropout", 1, 16, rate=0.5, origin=ts.RUNTIME)
    square = ts.unary("square", 1, 16)

    def body(i: Any, x: Any, s: Any, seed: Any, y: Any) -> None:
        square(x[16 * i.b], s[0])
        drop(s[0], seed, i.b, 0, y[i.b])

    nest = ts.nest(
        "B", {"b": (0, 4, 1)}, body, x=((64,), "f32"), s=ts.scratch((1, 16)), seed=ts.RUNTIME, y=((4, 16), "f32")
    )
    x = np.arange(64, dtype=np.float32)
    whole = ts.unary("dropout", 4, 16, rate=0.5)
    for seed in (3, 3, 4, 0, np.int64(9), 2**40):
        y = np.zeros((4, 16), np.float32)
        nest(x, seed, y)
        np.testing.assert_array_equal(y, whole((x * x).reshape(4, 16), seed))


def test_nests_are_freed() -> None:
    nest = direct(made())
    block, gone = weakref.ref(nest.job.block), weakref.ref(nest)
    del nest
    gc.collect()
    assert gone() is None and block() is None
    assert ffi is not None


def test_the_estimate_of_a_call() -> None:
    """It counts every iteration, and a condition on one value of an index as one of its iterations."""
    first, more = (ts.brgemm(4, 16, 3, beta=beta) for beta in (0, 1))

    def body(i: Any, a: Any, b: Any, c: Any) -> None:
        with ts.when(i.a.first):
            first(a[i.b, i.a], b[i.a], c[i.b])
        with ts.when(i.a > 0):
            more(a[i.b, i.a], b[i.a], c[i.b])

    loops = {"a": (0, 10, 1), "b": (0, 6, 1)}
    nest = ts.nest("Ba", loops, body, a=((6, 10, 4, 3), "f32"), b=((10, 3, 16), "f32"), c=((6, 4, 16), "f32"))
    cycles = [each._origin.pair_cycles for each in (first, more)]
    assert 60 * cycles[1] <= nest.cycles <= 1 + 6 * cycles[0] + 60 * cycles[1]


def test_what_takes_a_nest_takes_one_that_was_called() -> None:
    nest = direct(made())
    assert repr(nest).startswith("<Nest Bc of x, v, y") and isinstance(nest, type(nest).__mro__[1])
    assert nest.verify and ts.region(nest, nest).nests == (nest, nest)
    tuned = ts.tune(nest, budget="20ms")
    x, v, y = given()
    tuned.nest(x, v, y)
    np.testing.assert_array_equal(y, x + v)
