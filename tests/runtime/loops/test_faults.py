"""Nests and products beside forks, exceptions, signals and threads: no hang, no leak, no wrong result."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded, run_forked
from tests.profiles import scaled
from tests.runtime.loops.test_nest import operands, product, squares
from tests.runtime.threads.test_processes import pytestmark as pytestmark
from tests.runtime.threads.test_processes import run
from tests.threads import together
from tilesmith.runtime.loops.nest import Nest

COUNTS = (6, 5, 3)
SHAPES = {"x": ((6, 4, 4), "f32"), "y": ((6, 4, 4), "f32")}


@pytest.fixture(autouse=True)
def default_threads() -> Any:
    yield
    ts.set_num_threads(0)


def right(nest: Nest, seed: int, workers: int | None = None) -> None:
    a, b, wanted = operands(COUNTS, seed)
    c = np.full_like(wanted, 7)
    nest(a, b, c, threads=workers)
    np.testing.assert_array_equal(c, wanted)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("string", ["bcaBCb", "aBC|", "b{R:2}ac{C}", "a~BC", "~BCa@schedule(dynamic,2)"])
def test_every_operand_between_guard_pages(string: str, side: str) -> None:
    nest = product(string, COUNTS)
    a, b, wanted = operands(COUNTS, 1)
    for workers in (1, 2, 7):
        c = guarded(np.full_like(wanted, 7), side, writable=True)
        nest(guarded(a, side), guarded(b, side), c, threads=workers)
        np.testing.assert_array_equal(c, wanted)
        check_canary(c)


def test_forks_while_nests_run() -> None:
    """A forked child has none of its parent's workers and starts its own; the parent's calls continue."""
    nest, stop = product("bcaBC|b", COUNTS), threading.Event()
    right(nest, 1)  # numpy imports lazily: a child forked during an import would wait for its lock forever

    def calls() -> None:
        while not stop.is_set():
            right(nest, 1, 3)

    def child() -> None:
        for workers in (1, 2, 3):
            right(nest, 2, workers)
            right(product("caB", COUNTS), 3, workers)
        os._exit(0)

    def forks() -> None:
        try:
            for _ in range(scaled(4, 400)):
                assert run_forked(child) == 0
        finally:
            stop.set()

    together(calls, forks)


def test_exceptions_leave_nothing_behind() -> None:
    """After an exception in a body or in a call, the next call is right."""
    nest = product("aBC", COUNTS)
    a, b, wanted = operands(COUNTS, 1)

    def body(i: Any, x: Any, y: Any) -> None:
        with ts.when(i.b == 0):
            raise ZeroDivisionError

    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            ts.nest("B", {"b": (0, 6, 1)}, body, **SHAPES)
        with pytest.raises(ValueError, match="C: f32 of shape"):
            nest(a, b, wanted[:1], threads=3)
        right(nest, 2, 3)


def test_signals_wait_for_the_end_of_a_call() -> None:
    """The exception of a signal handler is raised only after the nest has written everything."""
    nest = product("aBC|", (60, 50, 4))
    a, b, wanted = operands((60, 50, 4), 1)
    c = np.empty_like(wanted)
    before = signal.signal(signal.SIGALRM, lambda *_: 1 / 0)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        with pytest.raises(ZeroDivisionError):
            while True:
                c[...] = 7
                nest(a, b, c, threads=3)
                assert (c == wanted).all()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    nest(a, b, c, threads=3)
    np.testing.assert_array_equal(c, wanted)


@pytest.mark.slow
def test_exit_during_a_call() -> None:
    """The interpreter ends while a daemon thread runs a nest with several workers."""
    assert (
        run("""
        import numpy as np
        square = ts.unary("square", 64, 64)
        shape = ((512, 64, 64), "f32")
        def body(i, x, y):
            square(x[i.b], y[i.b])
        k = ts.nest("rB|", {"r": (0, 1 << 30, 1), "b": (0, 512, 1)}, body, x=shape, y=shape)
        x, y = np.ones(shape[0], np.float32), np.zeros(shape[0], np.float32)
        threading.Thread(target=lambda: k(x, y, threads=3), daemon=True).start()
        while not y[0, 0, 0]:
            time.sleep(0.001)
        print("ended", ts.matmul(np.ones((300, 300)), np.ones((300, 300)))[0, 0])
        """)
        == "ended 300.0"
    )


@pytest.mark.slow
def test_one_processor() -> None:
    assert (
        run("""
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        time.sleep(0.15)
        from tests.runtime.loops import test_faults as faults
        for string in ("aBC|", "b{R}ac"):
            nest = faults.product(string, faults.COUNTS)
            for workers in (None, 1, 2, 7):
                faults.right(nest, 3, workers)
        print(ts.num_threads())
        """)
        == "1"
    )


def test_two_python_threads_call_at_once() -> None:
    """Threads call shared nests whose code is not made yet, and nests of their own."""
    shared = [product(string, COUNTS) for string in ("aBC", "bc{R:2}ab", "cba")]

    def caller(seed: int) -> None:
        for each in range(scaled(15, 3000)):
            right(shared[(seed + each) % 3], seed, 1 + (seed + each) % 3)
        right(product("aBC|", COUNTS), seed, 2)

    together(*[lambda seed=seed: caller(seed) for seed in range(4)])  # type: ignore[misc]


def test_the_number_of_threads_changes_meanwhile() -> None:
    """Results keep their bits while another thread changes the number of threads."""
    stop = threading.Event()
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((300, 170), (170, 260)))
    nest, given = product("bcaBC|b", COUNTS), operands(COUNTS, 1)
    sums = np.empty_like(given[2])
    nest(given[0] + 0.1, given[1], sums, threads=1)
    wanted = ts.matmul(a, b, threads=1)

    def setter() -> None:
        try:
            for each in range(scaled(200, 20000)):
                ts.set_num_threads(each % 5)
                with ts.threads(1 + each % 3):
                    time.sleep(0.0002)
        finally:
            stop.set()

    def caller() -> None:
        while not stop.is_set():
            np.testing.assert_array_equal(ts.matmul(a, b), wanted)
            c = np.empty_like(sums)
            nest(given[0] + 0.1, given[1], c)
            np.testing.assert_array_equal(c, sums)

    together(setter, caller, caller)


def test_nests_made_and_dropped() -> None:
    """Memory and executable pages do not grow with the number of nests that were made, run and dropped."""
    x = np.ones((6, 4, 4), np.float32)
    y = np.zeros_like(x)
    count = scaled(120, 10_000)
    for number in range(2):
        for extent in range(count // 2):
            loops = {"b": (0, 6, 1), "r": (0, 1 + extent % 50, 1)}
            nest = ts.nest("rB" if extent % 2 else "Br", loops, squares, **SHAPES)
            nest(x, y, threads=1 + extent % 2)
        del nest
        gc.collect()
        maps = Path("/proc/self/maps").read_text().count("\n")
        used = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
        if number == 0:
            before = maps, used
    assert maps - before[0] <= 8
    assert used - before[1] < (4 << 20) + count * 200
    np.testing.assert_array_equal(y, 1)


def spawned(nest: Nest) -> list[float]:
    """Run the nest in a process that imported none of the parent's state."""
    x, y = np.full((6, 4, 4), 3, np.float32), np.zeros((6, 4, 4), np.float32)
    nest(x, y, threads=3)
    return [float(y.min()), float(y.max())]


@pytest.mark.slow
def test_spawn_and_fork_servers() -> None:
    """A nest is pickled as its request; the other process makes it anew and runs it on its own workers."""
    nest = ts.nest("B", {"b": (0, 6, 1)}, squares, **SHAPES)
    nest(np.ones((6, 4, 4), np.float32), np.zeros((6, 4, 4), np.float32), threads=3)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(spawned, [nest]) == [[9.0, 9.0]]
    with multiprocessing.get_context("fork").Pool(2) as forked:
        assert forked.map(spawned, [nest, nest]) == [[9.0, 9.0]] * 2
