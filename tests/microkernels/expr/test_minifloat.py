"""8-bit floats in elementwise kernels: every byte, and roundings of numbers of all magnitudes, against ml_dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.eltwise_cases import check, run
from tests.kernel_runs import MACHINES, server_for
from tilesmith.microkernels.dtypes import FLOAT8
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype

machines = pytest.mark.parametrize("name", MACHINES)
types = pytest.mark.parametrize("dtype", FLOAT8)
SHAPE = 7, 331


def every_byte(dtype: str) -> np.ndarray:
    return np.arange(256, dtype=np.uint8).view(numpy_dtype(dtype)).reshape(4, 64)


def numbers() -> np.ndarray:
    """Return floats with every sign, exponent and upper half of a fraction. The lower bits are 0, 1, near a half, or
    all ones."""
    upper = np.arange(1 << 16, dtype=np.uint32)[:, None] << np.uint32(16)
    return (upper | np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)).view(np.float32)


@machines
@types
def test_every_byte_is_an_f32_exactly(name, dtype, request):
    x = every_byte(dtype)
    spec = primitive("unary", "identity", *x.shape, dtype=dtype, out="f32")
    check(run(spec, MACHINES[name], {"x": x}, server_for(name, request), "end"), [x.astype(np.float32)])


@machines
@types
def test_numbers_become_the_nearest_byte(name, dtype, request):
    x = numbers()
    spec = primitive("unary", "identity", *x.shape, dtype="f32", out=dtype)
    with np.errstate(all="ignore"):
        wanted = x.astype(numpy_dtype(dtype))
    check(run(spec, MACHINES[name], {"x": x}, server_for(name, request), "end"), [wanted])


@machines
@types
def test_arithmetic(name, dtype, request):
    """Arithmetic is in f32 and rounded once at the end, with tails of vectors and with mixed types."""
    server, to = server_for(name, request), numpy_dtype(dtype)
    rng = np.random.default_rng(2)
    a, b = (rng.integers(0, 256, SHAPE, np.uint8).view(to) for _ in range(2))
    with np.errstate(all="ignore"):
        product = a.astype(np.float32) * b.astype(np.float32)
        total = (product + np.float32(1)).astype(np.float16)
        fused = (a.astype(np.float64) * b.astype(np.float64) + 1).astype(np.float16)
    spec = primitive("binary", "mul", *SHAPE, dtype=dtype)
    check(run(spec, MACHINES[name], {"x0": a, "x1": b}, server, "start"), [product.astype(to)])
    spec = ts.eltwise_spec(lambda a, b: a * b + 1.0, "f", {"a": SHAPE, "b": SHAPE}, dtype=dtype, out="f16")
    found = run(spec, MACHINES[name], {"a": a, "b": b}, server, "end")
    assert ((found[0] == total) | (found[0] == fused) | (np.isnan(found[0]) & np.isnan(total))).all()


def test_reductions():
    x = np.arange(-8, 8).reshape(2, 8).astype(ml_dtypes.float8_e4m3fn)
    assert ts.reduce("sum", 2, 8, axis=0, dtype="f8e4m3", out="f32")(x).tolist() == [-8, -6, -4, -2, 0, 2, 4, 6]
    assert ts.reduce("max", 2, 8, axis=1, dtype="f8e4m3")(x).tolist() == [-1, 7]
