"""Machine code handles calls of products of any size: after the first call, with the number of threads that applies."""

from __future__ import annotations

import gc
import pickle
import re
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.threads import together
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.ops import calls
from tilesmith.runtime.ops.gemm import Gemm
from tilesmith.runtime.ops.matmul import PRODUCTS
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads import policy

pytestmark = pytest.mark.skipif(bool(entry.refusal()), reason="calls go through Python here")

RNG = np.random.default_rng(3)
A, B = (RNG.integers(-4, 5, (140, 140)).astype(np.float32) for _ in "ab")
EXACT = A @ B


@pytest.fixture(autouse=True)
def unset() -> Iterator[None]:
    yield
    ts.set_num_threads(0)


@pytest.fixture
def product() -> Gemm:
    made: Any = ts.gemm(140, 140, 140, beta=0.0)
    fresh = Gemm(made.request, None)
    assert np.array_equal(fresh(A, B), EXACT) and fresh.direct
    return fresh


@pytest.fixture
def no_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("this call went through Python")

    monkeypatch.setattr(Gemm, "__call__", refuse)
    monkeypatch.setattr(calls.PlannedCall, "__call__", refuse)


def words() -> Any:
    return ffi.cast("int64_t *", policy.words())


def test_calls_after_the_first(product: Gemm, no_python: None) -> None:
    for count in (0, 1, 2, 7):
        ts.set_num_threads(count)
        c = np.full_like(EXACT, np.nan)
        assert product(A, B, c) is None
        made: Any = product(A, B)
        assert made.tobytes() == c.tobytes() == EXACT.tobytes()


def test_a_product_for_a_number_of_threads() -> None:
    made: Any = ts.gemm(139, 140, 140, beta=0.0, threads=2)
    for _ in range(3):
        assert np.array_equal(made(A[:139], B), EXACT[:139])
        assert np.array_equal(made(A[:139], B, threads=1), EXACT[:139])


def test_contexts_and_threads_of_the_call(product: Gemm) -> None:
    for _ in range(3):
        with ts.threads(2):
            assert words()[0] == 0  # the number depends on the Python thread
            assert np.array_equal(product(A, B), EXACT)
        assert words()[0] == policy.default()
        assert np.array_equal(product(A, B, threads=3), EXACT)
    assert set(product._fixed) == {2, 3}
    for count in range(4, 30):
        assert np.array_equal(product(A, B, threads=count), EXACT)
    assert len(product._fixed) <= 8
    with pytest.raises(TypeError, match="threads: a whole number"):
        product(A, B, threads=1.5)


def test_the_number_is_asked_again_after_some_work(product: Gemm, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ts.num_threads() == policy.default()
    monkeypatch.setattr(policy, "_until", 0.0)
    monkeypatch.setattr(policy, "processors", lambda: 1)
    words()[1] = product.cycles
    assert np.array_equal(product(A, B), EXACT) and words()[1] == 0
    assert np.array_equal(product(A, B), EXACT)  # this call asks
    assert words()[0] == 1 and words()[1] > product.cycles


def test_errors_are_those_of_python(product: Gemm) -> None:
    fresh = Gemm(product.request, None)
    sealed = np.zeros_like(EXACT)
    sealed.setflags(write=False)
    for wrong in ((A[:-1], B), (A, B.astype(np.float64)), (A, B, sealed), (A, A, A), (A,), (A, B, EXACT.copy(), A)):
        with pytest.raises((TypeError, ValueError)) as found:
            fresh(*wrong)
        with pytest.raises(type(found.value), match=re.escape(str(found.value))):
            product(*wrong)


@pytest.fixture
def met() -> None:
    """Let matmul meet the shapes before calls through Python are refused."""
    ts.matmul(A, B)
    ts.matmul(A, B, np.empty_like(EXACT))


def test_matmul(met: None, no_python: None) -> None:
    out = np.full_like(EXACT, np.nan)
    for _ in range(2):
        assert np.array_equal(ts.matmul(A, B), EXACT)
        assert ts.matmul(A, B, out) is out and np.array_equal(out, EXACT)


def test_products_are_found_again_after_they_are_forgotten() -> None:
    for _ in range(3):
        assert np.array_equal(ts.matmul(A, B), EXACT)
        PRODUCTS.forget()
        assert not PRODUCTS.found and not PRODUCTS.table.records


def test_an_object_is_freed_and_pickled(product: Gemm) -> None:
    again = pickle.loads(pickle.dumps(product))
    assert np.array_equal(again(A, B), EXACT)
    fresh = Gemm(product.request, None)
    assert np.array_equal(fresh(A, B), EXACT) and np.array_equal(fresh(A, B, threads=2), EXACT)
    gone = weakref.ref(fresh)
    del fresh
    gc.collect()
    assert gone() is None


@pytest.fixture(params=["CCC", "CFC"])  # without scratch memory, and with it
def shared(request: pytest.FixtureRequest) -> tuple[Gemm, Any, Any]:
    made: Any = ts.gemm(140, 140, 140, beta=0.0, order=request.param)
    fresh, b = Gemm(made.request, None), B if request.param == "CCC" else np.asfortranarray(B)
    assert np.array_equal(fresh(A, b), EXACT) and fresh.direct and any(fresh._scratch) == (request.param == "CFC")
    return fresh, A, b


@pytest.mark.parametrize("threads", [1, 6])  # more calls at a time than slots
def test_several_python_threads(shared: tuple[Gemm, Any, Any], threads: int) -> None:
    product, a, b = shared

    def work() -> None:
        c = np.empty_like(EXACT)
        for turn in range(40):
            c[...] = 0
            product(a, b, c)
            assert np.array_equal(c, EXACT)
            if turn % 8 == 0:
                ts.trim()

    together(*[work] * threads)
    ts.trim()
    product(a, b)
    assert ts.trim() == sum(product._scratch[:1]) + ts.num_threads() * product._scratch[1]
    assert ts.trim() == 0


def test_scratch_memory_is_found_by_machine_code(shared: tuple[Gemm, Any, Any], no_python: None) -> None:
    product, a, b = shared
    for _ in range(5):
        c = np.full_like(EXACT, np.nan)
        product(a, b, c)
        assert np.array_equal(c, EXACT) and np.array_equal(product(a, b), EXACT)


def test_an_epilogue(monkeypatch: pytest.MonkeyPatch) -> None:
    bias = np.arange(140, dtype=np.float32)
    made: Any = ts.gemm(140, 140, 140, beta=0.0, epilogue=lambda c, bias: ts.relu(c + bias), operands={"bias": "row"})
    made(A, B, None, bias)
    assert made.direct
    monkeypatch.setattr(Gemm, "__call__", None)
    c = np.empty_like(EXACT)
    for _ in range(3):
        assert np.array_equal(made(A, B, None, bias), np.maximum(EXACT + bias, 0))
        made(A, B, c, bias)
        assert np.array_equal(c, np.maximum(EXACT + bias, 0))
