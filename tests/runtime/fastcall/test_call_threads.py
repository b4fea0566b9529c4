"""Kernels in threads, in forked children and at the end of the interpreter; calls from inside a call."""

import gc
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import run_forked
from tests.runtime.fastcall.call_cases import MODES, K, M, N, is_native, make, needs_native, numbers, right
from tests.threads import switching, ticks_during, together
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system import environment


@pytest.mark.seconds
def test_four_threads_make_and_call_kernels(mode, monkeypatch):
    monkeypatch.setenv(environment.ENTRY, mode)

    def work(number):
        def run():
            for i in range(30):
                m = 1 + (number * 7 + i) % 9
                kernel = Kernel(ts.gemm_spec(m, N, K), ts.host(), bool(i % 2))
                a, b, c = numbers((m, K)), numbers((K, N)), numbers((m, N))
                for _ in range(50):
                    expected = c + a @ b
                    kernel(a, b, c)
                    np.testing.assert_allclose(c, expected, rtol=1e-5)
                    with pytest.raises(ValueError):
                        kernel(b, a, c)

        return run

    with switching(1e-5):
        together(*map(work, range(4)))


def test_the_environment_may_change_at_any_time(mode, monkeypatch):
    """Another thread may change the variable between a kernel's making and its setup; the mode at its making stays."""
    if entry.refusal():
        pytest.skip(entry.refusal())
    other = MODES[mode == "native"]
    monkeypatch.setenv(environment.ENTRY, mode)
    kernel = Kernel.__new__(Kernel, ts.gemm_spec(M, N, K), ts.host())
    monkeypatch.setenv(environment.ENTRY, other)
    kernel.__init__(ts.gemm_spec(M, N, K), ts.host())
    a, b, c = right()
    expected = c + a @ b
    kernel(a, b, c)
    np.testing.assert_array_equal(c, expected)
    assert is_native(kernel) == (mode == "native")


LONG = {"batch": ts.STRIDE, "beta": 0.0}


def long_call(kernel, size, seconds):
    """Return (arguments of a call that takes at least `seconds`, the seconds that it took)."""
    a, b, c = (np.zeros((size, size), np.float32) for _ in range(3))
    count = 1000
    while True:
        start = time.perf_counter()
        kernel(a, b, c, count, 0, 0)
        took = time.perf_counter() - start
        if took > seconds:
            return (a, b, c, count, 0, 0), took
        count = min(count * 4, (1 << 30) - 1)


@pytest.mark.seconds
@pytest.mark.parametrize("release", (None, True))
def test_other_threads_run_during_a_long_kernel(mode, release):
    """A counting thread makes progress while a kernel runs; if the kernel kept the GIL, it would not."""
    kernel = make(mode, 16, 16, 16, release_gil=release, **LONG)
    args, took = long_call(kernel, 16, 0.15)
    ticks, start, end = ticks_during(lambda: kernel(*args))
    assert sum(start < at < end for at in ticks) > 3  # a busy machine wakes it late; if the GIL were kept: none


@pytest.mark.seconds
@needs_native
def test_no_thread_runs_during_a_kernel_that_keeps_the_gil():
    kernel = make("native", 16, 16, 16, release_gil=False, **LONG)
    args, took = long_call(kernel, 16, 0.2)

    def ticks_amid() -> int:
        ticks, start, end = ticks_during(lambda: kernel(*args))
        return sum(start + 0.02 < at < end - 0.02 for at in ticks)

    # On a busy machine this thread may lose its processor before the kernel begins, so one of three attempts suffices.
    assert min(ticks_amid() for _ in range(3)) == 0


@pytest.mark.seconds
def test_two_threads_in_one_kernel(mode):
    kernel = make(mode, 16, 16, 16, release_gil=True, **LONG)
    args, took = long_call(kernel, 16, 0.2)
    spans = []

    def work():
        own = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
        start = time.perf_counter()
        kernel(*own)
        spans.append((start, time.perf_counter()))

    together(work, work)
    (first, end), (second, other) = sorted(spans)
    assert second < end  # the calls overlapped


def test_fork(mode):
    kernel = make(mode, M, N, K)
    args = right()

    def child():
        expected = args[2] + args[0] @ args[1]
        kernel(*args)
        np.testing.assert_array_equal(args[2], expected)
        another = make(mode, M, N, K, beta=0)
        np.testing.assert_array_equal(another(*args[:2]), args[0] @ args[1])
        with pytest.raises(TypeError):
            another(1, 2)

    assert run_forked(child) == 0
    kernel(*args)
    made_after = make(mode, M, N, K, beta=0)
    np.testing.assert_array_equal(made_after(*args[:2]), args[0] @ args[1])
    assert run_forked(child) == 0


SHUTDOWN = """
import sys, threading, time
import numpy as np
import tilesmith as ts
k = ts.brgemm(16, 16, 16, batch=ts.STRIDE, beta=0, release_gil=True)
a, b, c = (np.zeros((16, 16), np.float32) for _ in range(3))
started = threading.Event()
def work():
    while True:
        started.set()
        k(a, b, c, 3_000_000, 0, 0)
threading.Thread(target=work, daemon=True).start()
started.wait()
time.sleep(0.05)
print("end", flush=True)
"""


@pytest.mark.seconds
def test_shutdown_during_a_kernel(mode):
    variables = {**os.environ, environment.ENTRY: mode}
    done = subprocess.run([sys.executable, "-c", SHUTDOWN], env=variables, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


@pytest.mark.seconds
def test_shutdown_with_kernels_alive(mode):
    program = """
import numpy as np, tilesmith as ts
class Cycle: pass
cycle, kept = Cycle(), ts.brgemm(4, 4, 4)
cycle.me, cycle.kernel, np.kept = cycle, ts.brgemm(4, 4, 5), kept
x = [np.zeros((4, 4), np.float32) for _ in range(3)]
kept(*x)
"""
    variables = {**os.environ, environment.ENTRY: mode}
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("quick_collections")
@pytest.mark.seconds
def test_recursion_through_an_argument(mode):
    """Code of an argument may call the kernel or drop it while the call's arguments are checked."""
    a, b, c = right()
    holder = [make(mode, M, N, K)]

    class Hostile:
        @property
        def __array_interface__(self):
            if holder[0] is not None:  # numpy reads the property more than once
                holder[0](a, b, c)
            holder[0] = None
            gc.collect()
            return a.__array_interface__

    for _ in range(3):
        holder[0](Hostile(), b, c)
        assert holder[0] is None
        holder[0] = make(mode, M, N, K)


def test_deep_recursion_ends_in_an_error(mode):
    kernel = make(mode, M, N, K)

    class Deep:
        @property
        def __array_interface__(self):
            return kernel(self, self, self)

    with pytest.raises(RecursionError):
        kernel(Deep(), *right()[1:])
