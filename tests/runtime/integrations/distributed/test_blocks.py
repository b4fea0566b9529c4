"""Products of arrays of Dask."""

from __future__ import annotations

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
import ml_dtypes  # noqa: E402

import tilesmith as ts  # noqa: E402
from tilesmith.integrations import dask as tsd  # noqa: E402
from tilesmith.microkernels.errors import UnsupportedError  # noqa: E402
from tilesmith.runtime.integrations.distributed import blocks  # noqa: E402

RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((50, 90)).astype(np.float32), RNG.standard_normal((90, 40)).astype(np.float32)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize(
    "chunks", [((50, 90), (90, 40)), ((16, 32), (50, 40)), ((50, 90), (7, 13))], ids=["whole", "uneven", "small"]
)
def test_products_of_blocks(scheduler: str, chunks: tuple) -> None:
    a, b = (da.from_array(each, chunks=of) for each, of in zip((A, B), chunks))
    made = tsd.matmul(a, b)
    assert made.shape == (50, 40) and made.dtype == np.float32
    found = made.compute(scheduler=scheduler)
    exact = A.astype(np.float64) @ B
    assert np.abs(found - exact).max() < 1e-5 * (np.abs(A).astype(np.float64) @ np.abs(B)).max()
    assert (found == tsd.matmul(a, b).compute(scheduler="synchronous")).all()


def test_integers_are_exact() -> None:
    a, b = (RNG.integers(-128, 128, shape, dtype=np.int8) for shape in ((20, 70), (70, 30)))
    made = tsd.matmul(da.from_array(a, chunks=(20, 30)), da.from_array(b, chunks=(30, 16)))
    assert made.dtype == np.int32
    assert (made.compute(scheduler="synchronous") == a.astype(np.int64) @ b).all()


def test_narrow_sums_are_rounded_once() -> None:
    a, b = A.astype(ml_dtypes.bfloat16), B.astype(ml_dtypes.bfloat16)
    made = tsd.matmul(da.from_array(a, chunks=(50, 30)), da.from_array(b, chunks=(30, 40)))
    found = made.compute(scheduler="synchronous")
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert found.dtype == ml_dtypes.bfloat16
    # half a unit in the last of 8 bits, and the error of sums in f32
    assert (np.abs(found.astype(np.float64) - exact) <= np.abs(exact) * 2**-8 + 1e-5).all()


def test_tasks_use_the_threads_that_are_asked_for(monkeypatch) -> None:
    seen: list[int] = []
    product = blocks.product
    monkeypatch.setattr(
        blocks, "product", lambda *args, **more: (seen.append(ts.num_threads()), product(*args, **more))[1]
    )
    a, b = da.from_array(A, chunks=(50, 45)), da.from_array(B, chunks=(45, 40))
    for threads in (1, 2):
        seen.clear()
        tsd.matmul(a, b, threads=threads).compute(scheduler="threads")
        assert seen[-2:] == [threads] * 2


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda a, b: (A, b), TypeError, "da.from_array"),
        (lambda a, b: (a, a), ValueError, "90"),
        (lambda a, b: (a, b.astype("f8")), TypeError, "astype"),
        (lambda a, b: (a[None], b), UnsupportedError, "map_blocks"),
    ],
)
def test_mistakes(call, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        tsd.matmul(*call(da.from_array(A), da.from_array(B)))
