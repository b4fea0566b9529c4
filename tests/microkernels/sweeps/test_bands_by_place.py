"""Bands of columns whose elements depend on their position (dropout, argmax), and bands of gathered rows: integers,
compared with numpy and the random bits of tests/threefry_model.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.threefry_model import words
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]
M, N, SEED = 3, 20021, 0x123456789ABCDEF
KEEP: dict[str, Any] = {"keepdims": True}
Function = Callable[..., Any]


def centred(x: Any) -> Any:
    """Return the differences from a reduction down the columns."""
    return x - ts.max(x, axis=0)


def kept(row: int = 0, column: int = 0) -> Any:
    """Return 2 for each element that a dropout rate of one half keeps, else 0."""
    return 2.0 * (words(M, N, SEED, row, column).astype(np.uint32).view(np.int32) >= 0)


RANDOM: dict[str, tuple[Function, Function, bool]] = {
    "dropout beside": (lambda x: ts.dropout(x, 0.5) - ts.sum(x, axis=0), lambda x, k: x * k - x.sum(0), False),
    "dropout inside": (lambda x: x - ts.sum(ts.dropout(x, 0.5), axis=0), lambda x, k: x - (x * k).sum(0), False),
    "reduced": (
        lambda x: x - ts.sum(ts.dropout(centred(x), 0.5), axis=1),
        lambda x, k: x - ((x - x.max(0)) * k).sum(1, **KEEP),
        True,
    ),
    "of rows": (
        lambda x: ts.dropout(x - ts.max(ts.sum(centred(x), axis=1), axis=0), 0.5),
        lambda x, k: (x - (x - x.max(0)).sum(1).max()) * k,
        True,
    ),
}


def drawn(rows: int, dtype: str = "f32") -> Any:
    """Return a matrix of -1, 0 and 1."""
    return np.random.default_rng(rows).integers(-1, 2, (rows, N)).astype(numpy_dtype(dtype))


@pytest.mark.parametrize("case", RANDOM)
@pytest.mark.parametrize("name", NATIVE)
def test_random_numbers(name: str, case: str) -> None:
    function, expected, phased = RANDOM[case]
    for side, dtype in zip(SIDES, ("f32", "f64")):
        kernel, x = ts.equation(function, x=(M, N), dtype=dtype, target=name), drawn(M, dtype)
        y = guarded(np.zeros_like(x), side, writable=True)
        kernel(guarded(x, side), SEED, y)
        check_canary(y)
        assert phases(kernel.plan) == 1 + phased
        assert (y == expected(x.astype(float), kept())).all()


@pytest.mark.parametrize(("target", "bits"), [("neon", None), ("sve256", 256)])
def test_random_numbers_under_qemu(target: str, bits: int | None, aarch64: Server) -> None:
    for function, expected, _ in RANDOM.values():
        x, y = drawn(M), np.zeros((M, N), np.float32)
        aarch64.call(ts.equation(function, x=(M, N), target=target).code, x, SEED, y, vector_bits=bits)
        assert (y == expected(x.astype(float), kept())).all()


def test_an_origin_a_mask_and_operands_called_row_and_column() -> None:
    x = drawn(M)
    kernel = ts.equation(RANDOM["dropout beside"][0], x=(M, N), origin=ts.RUNTIME)
    assert (kernel(x, SEED, 5, 77) == x * kept(5, 77) - x.sum(0)).all()
    y, mask = ts.equation(lambda x: ts.dropout_mask(centred(x), 0.5), x=(M, N))(x, SEED)
    assert (y == (x - x.max(0)) * kept()).all()
    assert (np.unpackbits(mask, axis=1, bitorder="little")[:, :N] == (kept() > 0)).all()
    kernel = ts.equation(lambda row, column: ts.dropout(row, 0.5) - ts.sum(column, axis=0), row=(M, N), column=(M, N))
    assert (kernel(x, x + 1, SEED) == x * kept() - (x + 1).sum(0)).all()
    best = ts.equation(lambda x: ts.argmax(x * 2 - ts.sum(x, axis=0), axis=1) + 0 * x, x=(M, N))
    assert phases(best.plan) > 1
    assert (best(x) == (x * 2 - x.sum(0)).argmax(1).reshape(-1, 1)).all()


# Rows by an index


def gathered(t: Any, i: Any) -> Any:
    """Return gathered rows minus their sums down the columns."""
    return ts.gather(t, i) - ts.sum(ts.gather(t, i), axis=0)


def in_phases(t: Any, i: Any) -> Any:
    """Return gathered rows times a reduction that goes down the columns, then along rows, then down that column."""
    y = ts.gather(t, i)
    return y * ts.max(ts.sum(centred(y), axis=1), axis=0)


GATHERED: dict[str, tuple[Function, Function, bool]] = {
    "bands": (gathered, lambda g: g - g.sum(0), False),
    "phases": (in_phases, lambda g: g * (g - g.max(0)).sum(1).max(), True),
}


def phases(plan: Any) -> int:
    """Return the number of phases of bands that a plan has."""
    return len({each.phase for each in plan.totals}) + bool(plan.loops)


def found(table: Any, index: Any) -> Any:
    """Return the gathered rows by numpy, with zeros for indices outside."""
    return np.where((index >= 0)[:, None], table[index], 0).astype(float)


@pytest.mark.parametrize("case", GATHERED)
@pytest.mark.parametrize("name", NATIVE)
def test_gathered_rows(name: str, case: str) -> None:
    function, expected, phased = GATHERED[case]
    table, index = drawn(7), np.array([6, 0, 3, 3, 5])
    for side, bounds in zip(SIDES, ("call", "kernel")):
        kernel = ts.equation(function, t=(7, N), i=(5,), target=name, bounds=bounds)
        index[4] = 5 if bounds == "call" else -1
        y, bad = guarded(np.zeros((5, N), np.float32), side, writable=True), np.zeros(1, np.int64)
        kernel(guarded(table, side), guarded(index, side), y, *[bad] * (bounds == "kernel"))
        check_canary(y)
        code = kernel.plan.code
        assert phases(code) == 1 + phased
        assert (y == expected(found(table, index))).all()
        assert bounds == "call" or bad == 4


@pytest.mark.parametrize(("target", "bits"), [("neon", None), ("sve256", 256)])
def test_gathered_rows_under_qemu(target: str, bits: int | None, aarch64: Server) -> None:
    table, index = drawn(7), np.array([6, 0, 3, 3, -1])
    for function, expected, _ in GATHERED.values():
        kernel = ts.equation(function, t=(7, N), i=(5,), target=target, bounds="kernel")
        y, bad = np.zeros((5, N), np.float32), np.zeros(1, np.int64)
        aarch64.call(kernel.code, table, index, y, bad, vector_bits=bits)
        assert (y == expected(found(table, index))).all() and bad == 4


@pytest.mark.parametrize("name", NATIVE)
def test_scattered_rows(name: str) -> None:
    kernel = ts.equation(
        lambda t, i, x: ts.scatter(x + ts.gather(t, i) - ts.sum(x, axis=0), i, 7, add=True),
        t=(7, N),
        i=(5,),
        x=(5, N),
        target=name,
        bounds="kernel",
    )
    assert kernel.plan.code.loops
    table, index, x = drawn(7), np.array([6, 0, 3, 3, -1]), drawn(5)
    y, bad = guarded(np.ones((7, N), np.float32), "end", writable=True), np.zeros(1, np.int64)
    kernel(guarded(table, "end"), index, guarded(x, "end"), y, bad)
    wanted, rows = np.ones((7, N)), x + found(table, index) - x.sum(0)
    np.add.at(wanted, index[:4], rows[:4])
    check_canary(y)
    assert (y == wanted).all() and bad == 4
