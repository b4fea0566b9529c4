"""A small C with a long k: k is cut into parts, which threads compute, and whose sums are then added."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.microkernels.tuning.gemm import GemmTuning
from tilesmith.runtime.ops import block_rules

RNG = np.random.default_rng(3)
LONG = ((32, 32, 20000, "C"), (8, 8, 100003, "C"), (33, 47, 8011, "F"), (1, 64, 70001, "C"))
SHORT = ((5, 9, 83, "C"), (8, 7, 96, "F"))


def product(m, n, k, order, dtype="f32", **more):
    return ts.gemm(m, n, k, dtype=dtype, beta=0.0, order=f"{order}CC", **more)


def numbers(m, n, k, order, dtype=np.float32):
    """Return integers so small that every sum is exact, and the product."""
    a, b = (RNG.integers(-2, 3, shape).astype(dtype) for shape in ((m, k), (k, n)))
    return np.asarray(a, order=order), b, (a.astype(np.int64) @ b.astype(np.int64)).astype(dtype)


@pytest.fixture
def short(monkeypatch):
    """Let small products be cut, which the emulator executes in little time."""
    few = GemmTuning(products_in_parts_of_k=1, least_part_of_k=16)
    facts = block_rules.facts_of
    monkeypatch.setattr(
        block_rules, "facts_of", lambda target: facts(target).weighed_by(facts(target).tuning.replaced(gemm=few))
    )
    monkeypatch.setenv("TILESMITH_CACHE", "off")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", LONG, ids=str)
def test_bits_do_not_depend_on_the_number_of_threads(shape, dtype):
    m, n, k, order = shape
    made = product(*shape, "f32" if dtype == np.float32 else "f64")
    assert made.plan.of_k and "parts of k" in str(made.plan)
    a, b, exact = numbers(*shape, dtype)
    assert np.array_equal(made(a, b), exact) and np.array_equal(ts.matmul(a, b), exact)
    a, b = np.asarray(RNG.standard_normal((m, k)), dtype, order), RNG.standard_normal((k, n)).astype(dtype)
    first = made(a, b, threads=1)
    assert all(np.array_equal(first, made(a, b, threads=threads)) for threads in (2, 3, 8))
    assert np.array_equal(first, ts.matmul(a, b, threads=2))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("shape", LONG[1:3], ids=str)
def test_between_guard_pages(shape, side):
    a, b, exact = numbers(*shape)
    a, b = guarded(a, side), guarded(b, side)
    c = guarded(np.full(exact.shape, 7, np.float32), side, writable=True)
    product(*shape)(a, b, c, threads=2)
    assert np.array_equal(c, exact)
    check_canary(c)


@pytest.mark.parametrize("target", ["sse", "avx2", "avx512", "neon", "sve256", "sme256"])
@pytest.mark.parametrize("shape", SHORT, ids=str)
def test_several_workers_in_the_emulator(shape, target, short):
    made = product(*shape, target=target)
    assert made.plan.of_k
    a, b, exact = numbers(*shape)
    for workers in (1, 3):
        assert np.array_equal(made.run(a, b, workers=workers, seed=workers), exact)


def test_proof(short):
    assert product(4, 8, 70, "C", target="avx2").verify()


def test_only_products_are_cut():
    """What is added to C, an epilogue, and a C with gaps between its rows have no parts."""
    m, n, k, _ = LONG[0]
    for made in (
        ts.gemm(m, n, k),
        ts.gemm(m, n, k, beta=0.0, epilogue=ts.relu),
        ts.gemm(m, n, k, beta=0.0, ldc=n + 1),
        ts.gemm(512, 512, k, beta=0.0),
        ts.gemm(m, n, 600, beta=0.0),
    ):
        assert not made.plan.of_k
