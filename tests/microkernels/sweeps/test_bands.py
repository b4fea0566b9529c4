"""Sweeps over so many columns that scratch memory does not hold the rows: one kernel per band of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tests.profiles import is_soak
from tilesmith.emulation.qemu.server import Server
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("avx2", "avx512") if not runs(TARGETS[name])]
WIDE = 2 * 8192 + 21
"""Two bands, and a last band that is not a whole number of vectors."""


def function(x: Any, g: Any, c: Any) -> tuple[Any, Any, Any]:
    """Return a matrix, a row and a mask, exact for integers, from operands of one row and of one column."""
    largest, total = ts.max(x, axis=0), ts.sum(x * g, axis=0)
    return x * g - largest + c, total + largest, x - total > c


def expected(x: Any, g: Any, c: Any) -> tuple[Any, Any, Any]:
    """Return the same by numpy."""
    largest, total = x.max(0, keepdims=True), (x * g).sum(0, keepdims=True)
    return x * g - largest + c, total + largest, x - total > c


def made(target: str, dtype: str, gap: int) -> tuple[Any, dict[str, Any]]:
    """Return the kernel and its operands, with `gap` elements after each row."""
    rng, kind = np.random.default_rng(gap), numpy_dtype(dtype)
    kernel = ts.equation(
        function, x=(3, WIDE), g=(WIDE,), c=(3, 1), ldx=WIDE + gap, ldy0=WIDE + gap, dtype=dtype, target=target
    )
    x = np.zeros((3, WIDE + gap), kind)
    x[:] = rng.integers(-3, 4, x.shape)
    return kernel, {"x": x, "g": rng.integers(-3, 4, (1, WIDE)).astype(kind), "c": np.array([[1], [-2], [0]], kind)}


def check(values: dict[str, Any], y: Any, row: Any, bits: Any) -> None:
    """Check the results against numpy, and that elements between rows are unchanged."""
    wanted = expected(values["x"][:, :WIDE].astype(float), values["g"].astype(float), values["c"].astype(float))
    assert np.array_equal(y[:, :WIDE].astype(float), wanted[0]) and np.array_equal(row.astype(float), wanted[1])
    assert np.array_equal(np.unpackbits(bits, axis=1, bitorder="little")[:, :WIDE], wanted[2])
    assert not y[:, WIDE:].any()


def outputs(dtype: str, gap: int) -> list[Any]:
    """Return a matrix with gaps, a row and a mask."""
    kind = numpy_dtype(dtype)
    return [np.zeros((3, WIDE + gap), kind), np.zeros((1, WIDE), kind), np.zeros((3, -(-WIDE // 8)), np.uint8)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        *(("f32", name) for name in (*MACHINES, "sme256") if is_soak()),
        ("f64", "sve512"),
        ("bf16", "avx512"),
        ("f16", "sme256"),
    ],
)
@pytest.mark.grid(1)
def test_bands_on_every_machine(name: str, dtype: str) -> None:
    kernel, values = made(name, dtype, 0)
    assert "columns: y0, y1, y2" in str(kernel.plan)
    found = outputs(dtype, 0)
    kernel.run(*values.values(), *found)
    check(values, *found)


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
def test_between_guard_pages(name: str, side: str) -> None:
    for dtype, gap in (("f32", 0), ("f64", 3), ("bf16", 1)):
        kernel, values = made(name, dtype, gap)
        held = [guarded(each, side) for each in values.values()]
        found = [guarded(each, side, writable=True) for each in outputs(dtype, gap)]
        kernel(held[0][:, :WIDE], *held[1:], found[0][:, :WIDE], *found[1:])
        check(values, *found)
        for each in found:
            check_canary(each)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_under_qemu(target: str, side: str, aarch64: Server) -> None:
    kernel, values = made(target, "f32", 0)
    found = outputs("f32", 0)
    aarch64.call(kernel.code, *values.values(), *found, side=side, vector_bits=256 if "sve" in target else None)
    check(values, *found)


def test_in_place_and_batch_norm_of_any_width() -> None:
    x = np.random.default_rng(1).normal(size=(4, 30000)).astype(np.float32)
    wanted = x - x.astype(float).mean(0)
    kernel = ts.equation(lambda x: x - ts.mean(x, axis=0), x=x.shape)
    assert kernel.spec.in_place == ("x",)
    kernel(x, x)
    assert (abs(x - wanted) <= 8 * 2.0**-24 * 4).all()  # four terms of magnitude below 8
    assert "columns: " in str(ts.fused("batchnorm_training", 8, 100_000).plan)
