"""Rows given at the call without gaps between them are one column of elements, whose last vector is partial."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

R = ts.RUNTIME
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]


def function(x: Any, z: Any, s: Any) -> Any:
    """Compute a function that is exact for integers."""
    return ts.relu(x) * 2 + z * s


def expected(x: Any, z: Any, s: Any) -> Any:
    """Return the same by numpy."""
    return np.maximum(x.astype(float), 0) * 2 + z.astype(float) * s.astype(float)


def operands(m: int, n: int, dtype: str) -> list[Any]:
    """Return two matrices and a single element."""
    rng = np.random.default_rng(m)
    return [rng.integers(-3, 4, shape).astype(numpy_dtype(dtype)) for shape in ((m, n), (m, n), (1, 1))]


def made(n: int, dtype: str, target: str) -> Any:
    """Return the kernel that treats all rows as one column."""
    kernel = ts.equation(function, x=(R, n), z=(R, n), s=(1, 1), dtype=dtype, target=target)
    assert kernel.plan.columns is not None and f"one column of {n} elements each" in str(kernel.plan)
    return kernel


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
def test_between_guard_pages_and_in_place(name: str, side: str) -> None:
    for n, dtype in ((1, "f32"), (3, "f64"), (16, "f32"), (37, "bf16"), (64, "f32")):
        kernel = made(n, dtype, name)
        for m in (0, 1, 5, 23, 64):
            given = operands(m, n, dtype)
            y = guarded(np.zeros((m, n), numpy_dtype(dtype)), side, writable=True)
            kernel(*(guarded(each, side) for each in given), y)
            check_canary(y)
            assert (y.astype(float) == expected(*given)).all()
            over = guarded(given[0].copy(), side, writable=True)
            kernel(over, given[1], given[2], over)
            check_canary(over)
            assert (over == y).all()


def with_bits(m: int, n: int, dtype: str) -> tuple[Any, Any, Any, Any]:
    """Return two matrices, and a mask with its bits."""
    rng = np.random.default_rng(m + n)
    a, b = (rng.integers(-3, 4, (m, n)).astype(numpy_dtype(dtype)) for _ in range(2))
    mask = rng.integers(0, 256, (m, n // 8)).astype(np.uint8)
    return a, b, mask, np.unpackbits(mask, axis=1, bitorder="little").astype(bool)


def packed(bits: Any) -> Any:
    """Return a mask of these bits."""
    return np.packbits(bits, axis=1, bitorder="little")


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
def test_bit_masks_between_guard_pages(name: str, side: str) -> None:
    for n, dtype in ((16, "f64"), (48, "f32"), (64, "i8")):
        more, blend = (
            ts.binary("ge", R, n, dtype=dtype, target=name),
            ts.ternary("blend", R, n, dtype=dtype, target=name),
        )
        assert more.plan.columns is not None and blend.plan.columns is not None
        for m in (0, 1, 2, 3, 23, 64, 131):
            a, b, mask, bits = with_bits(m, n, dtype)
            for kernel, given, wanted in ((more, (a, b), packed(a >= b)), (blend, (a, b, mask), np.where(bits, b, a))):
                y = guarded(np.zeros(wanted.shape, wanted.dtype), side, writable=True)
                kernel(*(guarded(each, side) for each in given), y)
                check_canary(y)
                assert np.array_equal(y, wanted)


@pytest.mark.parametrize("name", ["neon", "sve256", "avx512"])
def test_bit_masks_in_the_emulator(name: str) -> None:
    kernel = ts.unary("relu_mask", R, 48, target=name)
    for m in (1, 5):
        x, *_ = with_bits(m, 48, "f32")
        y, mask = kernel.run(x)
        assert kernel.plan.columns is not None
        assert np.array_equal(y, np.maximum(x, 0)) and np.array_equal(mask, packed(x > 0))


def test_rows_that_end_amid_a_byte_or_a_vector_are_no_column() -> None:
    for n in (20, 24):
        assert ts.binary("ge", R, n, target="avx512").plan.columns is None


@pytest.mark.parametrize("name", [name for name, target in MACHINES.items() if target.arch == "a64"])
def test_under_qemu(name: str, aarch64: Server) -> None:
    for n, dtype in ((3, "f32"), (37, "f64"), (16, "bf16")):
        target = MACHINES[name]
        kernel, given = made(n, dtype, target.name), operands(9, n, dtype)
        y = np.zeros((9, n), numpy_dtype(dtype))
        bits = target.vector_bits if target.isa == "sve" else None
        for side in SIDES:
            aarch64.call(kernel.code, *given, y, 9, side=side, vector_bits=bits)
            assert (y.astype(float) == expected(*given)).all()


@pytest.mark.parametrize("target", ["avx512", "avx2"])
def test_it_is_proved_for_a_number_of_rows(target: str) -> None:
    assert ts.unary("relu", R, 5, target=target).verify()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ts.unary("relu", R, 16, ldx=17),
        lambda: ts.unary("relu", R, 16, ldy=R),
        lambda: ts.equation(lambda x, b: x + b, x=(R, 16), b=(1, 16)),
        lambda: ts.unary("dropout", R, 16, rate=0.5),
    ],
)
def test_gaps_broadcast_rows_and_random_numbers_take_blocks_of_rows(make: Any) -> None:
    assert make().plan.columns is None


def test_it_is_spread() -> None:
    for n in (3, 16):
        kernel = ts.spread(ts.unary("relu", R, n), threads=2)
        for m in (0, 1, 999):
            x = np.random.default_rng(m).normal(size=(m, n)).astype(np.float32)
            assert (kernel(x) == np.maximum(x, 0)).all()
