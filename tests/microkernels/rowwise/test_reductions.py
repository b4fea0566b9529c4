"""Reductions along rows whose number is given at the call, in one loop over blocks, against numpy, between guard
pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import FOREIGN, MACHINES
from tests.profiles import scaled
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.rowwise.plan import RowwisePlan
from tilesmith.microkernels.rowwise.reductions_plan import WAY
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
R = ts.RUNTIME
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]
REDUCED: dict[str, Callable[[Array], Array]] = {
    "sum": lambda x: x.sum(1),
    "max": lambda x: x.max(1),
    "argmin": lambda x: x.argmin(1),
    "mean": lambda x: x.mean(1),
}


def whole(rng: np.random.Generator, rows: int, columns: int, gap: int, dtype: str) -> Array:
    """Return small integers in rows that are followed by `gap` further elements."""
    made: Array = rng.integers(-3, 4, (rows, columns + gap)).astype(numpy_dtype(dtype))[:, :columns]
    return made


@settings(max_examples=scaled(60, 5000), deadline=None)
@given(
    name=st.sampled_from(sorted(REDUCED)),
    target=st.sampled_from(NATIVE),
    m=st.integers(1, 300),
    n=st.integers(1, 90),
    dtype=st.sampled_from(("f32", "f64", "i32", "bf16")),
    gap=st.sampled_from((0, 3)),
    runtime=st.booleans(),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_drawn_rows_between_guard_pages(
    name: str, target: str, m: int, n: int, dtype: str, gap: int, runtime: bool, side: str, seed: int
) -> None:
    if name == "mean" and dtype != "f64":
        return  # a mean rounds, and is divided after the sum in every type
    if dtype == "bf16" and target in ("sse", "avx"):
        return  # these convert in their own way, tested in tests/microkernels/machines
    kernel = ts.reduce(name, R, n, axis=1, dtype=dtype, ldx=R if runtime else n + gap, target=target)
    x = whole(np.random.default_rng(seed), m, n, gap, dtype)
    y = guarded(np.empty(m, kernel(x).dtype), side, writable=True)
    kernel(guarded(x, side), y)
    assert (y == REDUCED[name](x.astype(np.float64))).all()
    check_canary(y)


@settings(max_examples=scaled(30, 2000), deadline=None)
@given(m=st.integers(0, 70), n=st.integers(1, 70), gap=st.booleans(), squares=st.booleans(), seed=st.integers(0, 99))
def test_an_init_is_added_once_and_may_be_the_result(m: int, n: int, gap: bool, squares: bool, seed: int) -> None:
    """Rows after the last whole block are not computed by an overlapping block, which would add their inits twice."""
    rng = np.random.default_rng(seed)
    x, init = whole(rng, m, n, 5 * gap, "f32"), rng.integers(-3, 4, m).astype(np.float32)
    wanted = init + x.sum(1)
    if squares:
        kernel = ts.reduce("sum", R, n, axis=1, squared="both", init=True, ldx=R if gap else n)
        y, y2 = kernel(x, init, init)
        assert (y == wanted).all() and (y2 == init + (x * x).sum(1)).all()
        return
    ts.reduce("sum", R, n, axis=1, init=True, ldx=R if gap else n)(x, init, init)
    assert (init == wanted).all()


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("n", [7, 64, 100])
def test_the_bits_of_a_row_depend_on_neither_its_place_nor_the_number_of_rows(n: int, target: str) -> None:
    """This holds from as many rows on as a block has. Fewer rows have the bits of a single row."""
    kernel = ts.reduce("sum", R, n, axis=1, target=target)
    x = np.random.default_rng(n).standard_normal((300, n)).astype(np.float32)
    assert isinstance(kernel.plan, RowwisePlan) and kernel.plan.way == WAY
    block, wanted = kernel.plan.blocks[0].rows, kernel(x)
    assert wanted[:64].tobytes() == ts.reduce("sum", 64, n, axis=1, target=target)(x[:64]).tobytes()
    for m in (block, block + 1, 2 * block - 1, 37, 150, 299):
        for first in (0, 300 - m):
            assert kernel(x[first : first + m]).tobytes() == wanted[first : first + m].tobytes()
    one = ts.reduce("sum", 1, n, axis=1, target=target)
    for m in range(1, block):
        assert kernel(x[:m]).tobytes() == b"".join(one(x[i : i + 1]).tobytes() for i in range(m))


@pytest.mark.parametrize("name", FOREIGN)
def test_under_qemu(name: str, aarch64: Server) -> None:
    target, rng = MACHINES[name], np.random.default_rng(4)
    bits = target.vector_bits if target.isa == "sve" else None
    for n, gap in ((5, 0), (37, 2), (64, 0)):
        kernel = ts.reduce("sum", R, n, axis=1, ldx=n + gap, target=target.name)
        for m in (1, 8, 27):
            x = whole(rng, m, n + gap, 0, "f32")
            for side in SIDES:
                y = np.zeros(m, np.float32)
                aarch64.call(kernel.code, x.reshape(-1)[: x.size - gap].copy(), y, m, side=side, vector_bits=bits)
                assert (y == x[:, :n].sum(1)).all()


@pytest.mark.parametrize("target", ["sse", "avx2", "avx512", "neon", "sve256"])
def test_in_the_emulator(target: str) -> None:
    rng = np.random.default_rng(5)
    kernel = ts.reduce("max", R, 21, axis=1, target=target)
    for m in (0, 3, 13):
        x = whole(rng, m, 21, 0, "f32")
        assert (kernel.run(x) == x.max(1, initial=-9)).all()


def test_long_rows_and_many_of_them_are_spread() -> None:
    x = np.random.default_rng(6).standard_normal((1003, 200)).astype(np.float32)
    kernel = ts.reduce("sum", R, 200, axis=1)
    for m in (0, 1, 3, 9, 1003):
        assert ts.spread(kernel, threads=3)(x[:m]).tobytes() == kernel(x[:m]).tobytes()
