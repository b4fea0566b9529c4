"""Kernels whose number of rows is given at the call give the bits of one thread on any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled

R = ts.RUNTIME
MADE: dict[str, Callable[[], Any]] = {
    "softmax": lambda: ts.fused("softmax", R, 90),
    "dropout": lambda: ts.unary("dropout", R, 90, rate=0.4),
    "placed": lambda: ts.unary("dropout", R, 90, rate=0.4, origin=R),
    "sums": lambda: ts.reduce("sum", R, 90, axis=1, ldx=R),
    "affine": lambda: ts.equation(lambda x, g, b: (x * g + b, ts.max(x, axis=1)), x=(R, 90), g=(1, 90), b=(R, 1)),
    "layer": lambda: ts.equation(lambda x, w: ts.relu(x @ w), x=(R, 90), w=(90, 20)),
}
NUMBERS = {"seed": 7, "row": 3, "column": 0}


@settings(max_examples=scaled(30, 2000), deadline=None)
@given(
    name=st.sampled_from(sorted(MADE)),
    rows=st.integers(1, 400),
    threads=st.sampled_from((1, 2, 3, 7)),
    side=st.sampled_from(SIDES),
)
def test_the_bits_of_one_thread(name: str, rows: int, threads: int, side: str) -> None:
    kernel = MADE[name]()
    rng, arguments = np.random.default_rng(rows), []
    for each in kernel.spec.interface.of([rows]).arguments:
        if not hasattr(each, "dtype"):
            arguments.append(NUMBERS[each.name])
        elif not each.output:
            arguments.append(guarded(rng.standard_normal(each.shape).astype(np.float32), side))
    wanted = kernel(*arguments)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    results = [guarded(np.empty_like(each), side, writable=True) for each in wanted]
    spread = ts.spread(kernel)
    integers, keep = kernel.kind.call(kernel.spec)(*arguments, *results)
    spread.at(integers, threads)  # on all threads, whatever the size
    for y, want in zip(results, wanted):
        assert y.tobytes() == want.tobytes()
        check_canary(y)


def test_calls_make_results_and_take_no_rows() -> None:
    spread = ts.spread(ts.fused("softmax", R, 512))
    for rows in (0, 1, 300):
        x = np.ones((rows, 512), np.float32)
        y = spread(x, threads=2)
        assert y.shape == x.shape and np.allclose(y, 1 / 512)
    with pytest.raises(ValueError, match="must agree on m"):
        spread(np.ones((300, 512), np.float32), np.ones((299, 512), np.float32), threads=2)
