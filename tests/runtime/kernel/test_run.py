"""`k.run(...)` emulates any kernel of any target; expected values come from numpy, expected bits from the hardware."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.cpu import Fault
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel

M, N, K = 5, 11, 7
RNG = np.random.default_rng(5)


def draws(*shape, dtype=np.float32):
    return RNG.integers(-8, 9, shape).astype(dtype)  # products and sums are exact in every order


@pytest.mark.parametrize("target", ts.targets())
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_every_target_runs_here(target, dtype):
    kind = np.dtype({"f32": np.float32, "f64": np.float64}[dtype])
    a, b, c = draws(M, K, dtype=kind), draws(K, N, dtype=kind), draws(M, N, dtype=kind)
    expected = c + a @ b
    assert ts.brgemm(M, N, K, dtype=dtype, target=target).run(a, b, c) is None
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
def test_every_batch_mode(target):
    a, b = draws(3, M, K), draws(3, K, N)
    expected = (a @ b).sum(0)

    def emulated(*args, **request):
        c = np.zeros((M, N), np.float32)
        ts.brgemm(M, N, K, target=target, **request).run(*(c if each is None else each for each in args))
        np.testing.assert_array_equal(c, expected)

    emulated(a, b, None, batch=3)
    emulated(a, b, None, 3, a.strides[0], b.strides[0], batch=ts.STRIDE)
    order = [2, 0, 1]
    offsets = [np.array([i * x.strides[0] for i in order]) for x in (a, b)]
    emulated(a, b, None, *offsets, batch=ts.OFFSET)
    addresses = [np.array([x[i].ctypes.data for i in order], np.uint64) for x in (a, b)]
    emulated(*addresses, None, batch=ts.ADDRESS)


def test_leading_dimensions_and_new_outputs():
    wide = draws(M, 20)
    a, b = wide[:, :K], draws(K, N)
    k = ts.brgemm(M, N, K, lda=ts.RUNTIME, beta=0, target="neon")
    np.testing.assert_array_equal(k.run(a, b), a @ b)


@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_the_bits_are_those_of_the_processor(target):
    k = ts.brgemm(M, N, K, target=target)
    if k.address is None:
        pytest.skip(host.runs(host.resolve(target)))
    a, b, c = (RNG.standard_normal(shape).astype(np.float32) for shape in ((M, K), (K, N), (M, N)))
    emulated = c.copy()
    k(a, b, c)
    k.run(a, b, emulated)
    np.testing.assert_array_equal(c.view(np.uint32), emulated.view(np.uint32))


def test_arguments_are_checked_as_in_a_call():
    k = ts.brgemm(M, N, K, target="neon")
    with pytest.raises(ValueError, match=r"b: shape \(7, 11\)"):
        k.run(draws(M, K), draws(K, N + 1), draws(M, N))


def test_errors_of_calls_name_run():
    k = ts.brgemm(M, N, K, target="neon" if host.host().arch == "x86" else "avx2")
    with pytest.raises(ts.UnsupportedError, match=r"k\.run\(\.\.\.\), which emulates it"):
        k(draws(M, K), draws(K, N), draws(M, N))


def test_a_fault_names_the_instruction():
    right, longer = (ts.brgemm(M, n, K, target="avx512", ldb=16, ldc=16) for n in (N, N + 1))
    a, b, c = draws(M, K), draws(K, 16)[:, :N], draws(M, 16)[:, :N]
    right.run(a, b, c)
    forged: Kernel = object.__new__(Kernel)
    forged._keep(spec=right.spec, kind=right.kind, target=right.target)
    forged._origin = longer._origin
    before = c.copy()
    with pytest.raises(Fault, match=r"zmmword ptr|ymmword ptr|xmmword ptr"):
        forged.run(a, b, c)
    np.testing.assert_array_equal(c, before)


def test_executed_instructions_are_counted():
    k = ts.brgemm(16, 16, 8, target="avx512")
    done = k.emulate(draws(16, 8), draws(8, 16), draws(16, 16))
    # the first step of k multiplies, the other seven add
    assert (done.counts["vmulps"], done.counts["vfmadd231ps"]) == (16, 7 * 16)
    assert done.classes["fma"] == 7 * 16
    assert done.steps == sum(done.counts.values())
