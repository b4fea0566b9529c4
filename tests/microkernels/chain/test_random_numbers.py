"""Random numbers and argmax beside products: integers, compared with numpy and the random bits of
tests/threefry_model.py. Each band of rows uses the random numbers of its position in the whole matrix."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.threefry_model import words
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]
M, K, N, SEED = 203, 24, 37, 0x123456789ABCDEF
SHAPES = {"x": (M, K), "w": (K, N), "b": (1, N), "v": (N, 8), "z": (K, M)}
KEEP: dict[str, Any] = {"keepdims": True}
CASES: dict[str, tuple[Callable[..., Any], str, Callable[..., Any]]] = {
    "behind": (
        lambda x, w, b: ts.dropout(ts.relu(x @ w + b), 0.5),
        "xwb",
        lambda x, w, b: np.maximum(x @ w + b, 0) * kept(M, N),
    ),
    "before": (lambda x, w: ts.dropout(x, 0.5) @ w, "xw", lambda x, w: (x * kept(M, K)) @ w),
    "between": (lambda x, w, v: ts.dropout(x @ w, 0.5) @ v, "xwv", lambda x, w, v: (x @ w * kept(M, N)) @ v),
    "turned": (
        lambda x, z: ts.dropout(z.T, 0.5) + ts.max(x, axis=1),
        "xz",
        lambda x, z: z.T * kept(M, K) + x.max(1, **KEEP),
    ),
    "transposed": (
        lambda x, z: ts.dropout(z, 0.5).T + ts.max(x, axis=1),
        "xz",
        lambda x, z: (z * kept(K, M)).T + x.max(1, **KEEP),
    ),
    "largest": (
        lambda x, w: ts.argmax(x @ w, axis=1) + 0 * (x @ w),
        "xw",
        lambda x, w: (x @ w).argmax(1).reshape(-1, 1) + 0 * (x @ w),
    ),
    "mask": (
        lambda x, w: ts.dropout(x @ w, 0.5) > 0,
        "xw",
        lambda x, w: np.packbits(x @ w * kept(M, N) > 0, axis=1, bitorder="little"),
    ),
    "masks of rows": (
        lambda x, z: ts.max(z.T + x, axis=1) < x,
        "xz",
        lambda x, z: np.packbits((z.T + x).max(1, **KEEP) < x, axis=1, bitorder="little"),
    ),
    "summed": (
        lambda x, w: ts.sum(ts.dropout(x @ w, 0.5), axis=0),
        "xw",
        lambda x, w: (x @ w * kept(M, N)).sum(0, **KEEP),
    ),
}


def kept(m: int, n: int) -> Any:
    """Return 2 for each element that a dropout rate of one half keeps, else 0."""
    return 2.0 * (words(m, n, SEED).astype(np.uint32).view(np.int32) >= 0)


def _type(wanted: Any) -> Any:
    """Return the type of a kernel's result: masks are bytes."""
    return np.uint8 if wanted.dtype == np.uint8 else np.float32


def given(names: str) -> list[Any]:
    """Return operands of small integers."""
    rng = np.random.default_rng(1)
    return [rng.integers(-2, 3, SHAPES[name]).astype(np.float32) for name in names]


def made(case: str, target: str) -> tuple[Any, list[Any], Any]:
    """Return the kernel, its operands with the seed if it takes one, and the results of numpy."""
    function, names, expected = CASES[case]
    kernel = ts.equation(function, **{name: SHAPES[name] for name in names}, target=target)
    operands = given(names)
    return kernel, [*operands, *[SEED] * len(kernel.spec.numbers)], expected(*(each.astype(float) for each in operands))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NATIVE)
def test_between_guard_pages(name: str, case: str) -> None:
    kernel, operands, wanted = made(case, name)
    for side in SIDES:
        y = guarded(np.zeros(wanted.shape, _type(wanted)), side, writable=True)
        kernel(*(each if isinstance(each, int) else guarded(each, side) for each in operands), y)
        check_canary(y)
        assert (y == wanted).all()


@pytest.mark.parametrize(("target", "bits"), [("neon", None), ("sve256", 256)])
def test_under_qemu(target: str, bits: int | None, aarch64: Server) -> None:
    for case in CASES:
        kernel, operands, wanted = made(case, target)
        y = np.zeros(wanted.shape, _type(wanted))
        aarch64.call(kernel.code, *operands, y, vector_bits=bits)
        assert (y == wanted).all(), case


def test_rows_that_the_call_counts_and_rows_by_an_index() -> None:
    x, w = given("xw")
    kernel = ts.equation(lambda x, w: ts.dropout(x @ w, 0.5), x=(ts.RUNTIME, K), w=(K, N))
    on_all_cores = ts.spread(kernel)
    for rows in (0, 1, 7, M):
        assert (kernel(x[:rows], w, SEED) == x[:rows] @ w * kept(rows, N)).all()
        assert (on_all_cores(x[:rows], w, SEED, threads=3) == x[:rows] @ w * kept(rows, N)).all()
    index = np.random.default_rng(2).integers(0, M, 90)
    for count in (90, ts.RUNTIME):
        kernel = ts.equation(lambda x, i, w: ts.dropout(ts.gather(x, i) @ w, 0.5), x=(M, K), i=(count,), w=(K, N))
        assert (kernel(x, index, w, SEED) == x[index] @ w * kept(90, N)).all()
        with pytest.raises(ts.UnsupportedError, match="does not know where it begins"):
            ts.spread(kernel)


@pytest.mark.parametrize("case", ["behind", "mask"])
def test_on_all_cores(case: str) -> None:
    kernel, operands, wanted = made(case, NATIVE[-1])
    spread = ts.spread(kernel)
    for threads in (1, 2, 3):
        y = np.zeros(wanted.shape, _type(wanted))
        spread.at([*kernel.kind.call(kernel.spec)(*operands, y)[0]], threads)
        assert (y == wanted).all()
    assert (spread.run(*operands, workers=2) == wanted).all()


def test_pickles_and_names() -> None:
    kernel, operands, wanted = made("behind", "avx2")
    assert (pickle.loads(pickle.dumps(kernel)).run(*operands) == wanted).all()
    with pytest.raises(ValueError, match="a number of this name"):
        ts.equation(lambda x, seed: ts.dropout(x @ seed, 0.5), x=(M, K), seed=(K, N))
