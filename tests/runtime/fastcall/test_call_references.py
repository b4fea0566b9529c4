"""Calls keep no references and no memory; a kernel is freed as soon as it is dropped."""

import contextlib
import gc
import os
import resource
import sys

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import run_forked
from tests.profiles import scaled
from tests.runtime.fastcall.call_cases import (
    K,
    M,
    N,
    arguments,
    call_many,
    counts,
    flat,
    make,
    needs_native,
    resident,
    right,
)
from tilesmith.runtime.fastcall import entry


@pytest.mark.usefixtures("quick_collections")
@pytest.mark.seconds
def test_calls_keep_no_references(mode):
    kernel, allocating = make(mode, M, N, K), make(mode, M, N, K, beta=0)
    a, b, c = right()
    objects = (kernel, allocating, a, b, c, a.dtype, np.ndarray, M)

    def calls():
        kernel(a, b, c)
        allocating(a, b)
        for args in ((a, b), (a, b, 3), (a, a, c), (a, b, a[0])):
            with contextlib.suppress(TypeError, ValueError):
                kernel(*args)

    calls()
    gc.collect()
    before, none = counts(*objects), sys.getrefcount(None)
    for _ in range(1000):
        calls()
    gc.collect()
    assert counts(*objects) == before
    assert abs(sys.getrefcount(None) - none) < 200


@pytest.mark.slow
def test_ten_million_calls(mode):
    kernel, count = make(mode, M, N, K), scaled(1_000_000, 10_000_000) if mode == "native" else scaled(20_000, 100_000)
    a, b, c = right()
    kernel(a, b, c)  # the first call makes the checks of the arguments, once per kernel
    c[...] = 0
    before, none = counts(a, b, c, a.dtype, kernel), sys.getrefcount(None)
    grown = flat(call_many(kernel, (a, b, c)), count)
    after = counts(a, b, c, a.dtype, kernel)  # outside the assertion, since pytest may keep its parts
    assert after == before
    assert abs(sys.getrefcount(None) - none) < 100
    assert grown < 1 << 20


@pytest.mark.slow
@pytest.mark.parametrize("batch", (None, ts.STRIDE, ts.OFFSET, ts.ADDRESS), ids=str)
def test_a_million_calls_of_other_kinds(mode, batch):
    count = scaled(200_000, 1_000_000) if mode == "native" else scaled(10_000, 20_000)
    kernel = make(mode, M, N, K, batch=batch, beta=0, release_gil=True)
    keep = right(batch)
    args = keep[: len(arguments(batch))]
    if batch is None:
        args = args[:2]
    arrays = [x for x in keep if isinstance(x, np.ndarray)]
    before = counts(*arrays)
    grown = flat(call_many(kernel, args), count)
    after = counts(*arrays)
    assert after == before
    assert grown < 1 << 20


@pytest.mark.usefixtures("quick_collections")
@pytest.mark.slow
def test_twenty_thousand_kernels(mode):
    """Make, call and drop kernels. Planning leaves cycles for the collector, which runs as usual; kernels do not."""

    def body(count):
        args = right()
        for i in range(count):
            make(mode, M, N, K, beta=i % 7)(*args)

    count = scaled(1_200, 20_000)
    # qemu keeps its translations: 2.3 KB for each kernel that ran, 0.15 KB for one that did not
    translated = 4096 * count // 2 if "QEMU_CPU" in os.environ else 0
    body(count // 2)
    gc.collect()
    before = resident()
    body(count // 2)
    gc.collect()  # cycles that wait for a collection are no leak
    assert resident() - before < (2 << 20) + translated


def test_a_dropped_kernel_is_freed_at_once(mode):
    def mappings():
        with open("/proc/self/maps") as file:
            return sum("memfd:tilesmith" in line for line in file)

    make(mode, M, N, K)(*right())
    gc.collect()
    before = mappings()
    gc.disable()
    try:
        for _ in range(10):
            make(mode, M, N, K)(*right())
        assert mappings() == before
    finally:
        gc.enable()


def test_the_collector_sees_through_a_kernel(mode):
    kernel = make(mode, M, N, K)
    assert any(type(x).__name__ == "function" for x in gc.get_referents(kernel))
    assert gc.is_tracked(kernel)


@needs_native
def test_programs_cannot_change_data_of_the_entry():
    kernel = make("native", M, N, K)
    for change in (lambda: setattr(kernel, "_slow", None), lambda: delattr(kernel, "_slow")):
        with pytest.raises(AttributeError):
            change()
    for name in ("_block", "_checked"):  # programs can delete these, but they do not keep the code alive
        delattr(kernel, name)
    gc.collect()
    kernel(*right())
    with pytest.raises(TypeError):
        kernel(1, 2, 3)


@pytest.mark.skipif("QEMU_CPU" in os.environ, reason="qemu does not impose RLIMIT_AS")
def test_memory_limit_is_an_error():
    def child():
        kernel = make("native" if not entry.refusal() else "cffi", 4096, 4096, 1, beta=0)
        a, b = np.ones((4096, 1), np.float32), np.ones((1, 4096), np.float32)
        kernel(a, b)
        resource.setrlimit(resource.RLIMIT_AS, (resident() + (4 << 20), resource.RLIM_INFINITY))
        keep = []
        with pytest.raises(MemoryError):
            for _ in range(100):
                keep.append(kernel(a, b))

    assert run_forked(child) == 0
