"""Dropout: the mask by the model's random words, the rate, and kernels that use their own mask."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tilesmith as ts
from tests.eltwise_cases import MACHINES, NATIVE, check, floats, strided
from tests.kernel_runs import in_turn
from tests.threefry_model import call, words
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype

machines = pytest.mark.parametrize("name", MACHINES)


@pytest.mark.parametrize(
    ("rate", "dtype", "name"),
    [
        (rate, dtype, name)
        for number, (rate, dtype) in enumerate(product([0.0, 0.1, 0.5, 1.0], ["f64", "f32", "bf16", "f16", "f8e4m3"]))
        for name in in_turn(number)
    ],
)
def test_dropout(name, request, dtype, rate):
    """The values and the mask have the right bits, and so has the inverse by the mask. f64 has the same mask as f32."""
    m, n = 4, 77
    computed = np.float64 if dtype == "f64" else np.float32
    x = floats(dtype, (m, n), np.random.default_rng(4))
    spec = primitive("unary", "dropout_mask", m, n, dtype=dtype, out=(dtype, "bits"), rate=rate)
    y, mask = call(spec, name, request, [x], [123456789012345], "end")
    kept = words(m, n, 123456789012345).view(np.int32).astype(np.int64) + (1 << 31) >= round(rate * 2**32)
    assert (np.unpackbits(mask, axis=1, bitorder="little")[:, :n] == kept).all()
    with np.errstate(all="ignore"):
        scaled = x if rate in (0, 1) else (x.astype(computed) * computed(1 / (1 - rate))).astype(x.dtype)
    wanted = np.where(kept, scaled, np.zeros((), x.dtype)).astype(x.dtype)
    check([y], [wanted])
    plain = call(
        primitive("unary", "dropout", m, n, dtype=dtype, rate=rate), name, request, [x], [123456789012345], "start"
    )
    check(plain, [wanted])
    inverse = primitive("binary", "dropout_inv", m, n, dtype=dtype, rate=rate)
    check(call(inverse, name, request, [x, mask], [], "end"), [wanted])


def test_the_rate_may_be_a_numpy_number():
    x = np.ones((5, 7), np.float32)
    single = np.float32(0.1)  # this differs from 0.1 and is used as it is
    assert (ts.unary("dropout", 5, 7, rate=single)(x, 3) == ts.unary("dropout", 5, 7, rate=float(single))(x, 3)).all()


def test_rate_0_and_1_are_exact():
    x = floats("f32", (64, 64), np.random.default_rng(5))
    check([ts.unary("dropout", 64, 64, rate=0.0)(x, 3)], [x])
    gone, mask = np.empty_like(x), np.full((64, 8), 7, np.uint8)
    ts.unary("dropout_mask", 64, 64, rate=1.0, out=("f32", "bits"))(x, 3, gone, mask)
    assert (gone.view(np.uint32) == 0).all() and (mask == 0).all()


def test_in_a_traced_function():
    k = ts.equation(lambda x, b: ts.dropout(ts.relu(x + b), 0.25), x=(6, 40), b=(1, 40))
    assert [each.name for each in k.spec.arguments] == ["x", "b", "seed", "y"]
    x, b = np.random.default_rng(1).standard_normal((6, 40), np.float32), np.full((1, 40), 0.5, np.float32)
    kept = words(6, 40, 8).view(np.int32) >= (1 << 30) - (1 << 31)
    wanted = np.where(kept, np.maximum(x + b, 0) * np.float32(1 / 0.75), np.float32(0))
    assert (k(x, b, 8) == wanted).all()


@pytest.mark.parametrize("name", NATIVE)
def test_every_argument_at_once(name):
    """Nine arguments, some of them on the stack, include the origin, the mask and leading dimensions given at the
    call."""
    m, n, rate = 5, 43, 0.3
    k = ts.unary(
        "dropout_mask",
        m,
        n,
        rate=rate,
        out=("f32", "bits"),
        origin=ts.RUNTIME,
        ldx=ts.RUNTIME,
        ldy0=ts.RUNTIME,
        ldy1=ts.RUNTIME,
        target=name,
    )
    x = strided(np.ones((m, n), np.float32), n + 3)
    y, mask = strided(np.zeros((m, n), np.float32), n + 1), strided(np.zeros((m, 6), np.uint8), 8)
    k(x, 99, 4, 1000, y, mask)
    kept = words(m, n, 99, 4, 1000).view(np.int32).astype(np.int64) + (1 << 31) >= round(rate * 2**32)
    assert ((y != 0) == kept).all()
    assert (np.unpackbits(mask, axis=1, bitorder="little")[:, :n] == kept).all()


def test_in_place_and_in_tiles():
    x = np.random.default_rng(1).standard_normal((40, 64)).astype(np.float32)
    whole = ts.unary("dropout", 40, 64, rate=0.4)(x, 12)
    tile = ts.equation(lambda x: ts.dropout(x, 0.4), x=(8, 16), ldx=64, ldy=64, origin=ts.RUNTIME)
    for row in range(0, 40, 8):
        for column in range(0, 64, 16):
            part = x[row : row + 8, column : column + 16]
            tile(part, 12, row, column, part)
    assert (x == whole).all()


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.9])
def test_the_rate_is_met(rate, dtype):
    ones = np.ones((512, 512), numpy_dtype(dtype))
    kept = ts.unary("dropout", 512, 512, rate=rate, dtype=dtype)(ones, 77) != 0
    assert abs((~kept).mean() - rate) < 4.5 * np.sqrt(rate * (1 - rate) / kept.size)
