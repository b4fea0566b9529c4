"""Stochastic rounding has the bits of models in f64 and in fractions, and its mean is the number itself."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.eltwise_cases import MACHINES, check, floats
from tests.kernel_runs import in_turn
from tests.threefry_model import Array, call, long_words, words
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype

machines = pytest.mark.parametrize("name", MACHINES)


def neighbours(x: Array, to: Any) -> tuple[Array, Array]:
    """Return the numbers of the narrower type next to |x|, below and above, as f64."""
    size = np.abs(x).astype(np.float64)
    with np.errstate(over="ignore"):
        near = size.astype(np.float32).astype(to)
    word = near.view(np.uint16)
    below = np.where(near.astype(np.float64) <= size, word, word - 1).astype(np.uint16)
    above = np.where(below.view(to).astype(np.float64) == size, below, below + 1).astype(np.uint16)
    return below.view(to).astype(np.float64), above.view(to).astype(np.float64)


def stochastic(x: Array, random: Array, out: str) -> Array:
    """Round stochastically by a model in f64: up if the random number is below the fraction of the step."""
    to = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}[out]
    finite = np.where(np.isfinite(x), x, 0).astype(np.float32)
    below, above = neighbours(finite, to)
    size = np.abs(finite).astype(np.float64)
    largest = float(ml_dtypes.finfo(to).max)
    step = np.where(np.isinf(above) | (above == below), np.spacing(np.float64(1)), above - below)
    step = np.where(np.isinf(above), 2.0 ** (np.floor(np.log2(largest)) - (7 if out == "bf16" else 10)), step)
    part = (size - below) / step
    if out == "bf16":
        up = (random & np.uint32(0xFFFF)) + np.floor(part * 65536) >= 65536
        denormal = np.zeros_like(up)
    else:
        up = (random & np.uint32(0x1FFF)) + np.floor(part * 8192) >= 8192
        denormal = size < 2.0**-14
    up = np.where(denormal, (random >> np.uint32(8)) * 2.0**-24 < part, up) & (part > 0)
    chosen = np.copysign(np.where(up, above, below), x)
    with np.errstate(all="ignore"):
        narrow = np.where(size > largest * 2, np.copysign(np.inf, x), chosen).astype(np.float32).astype(to)
        return np.where(np.isfinite(x), narrow, x.astype(to)).astype(to)


@machines
@pytest.mark.parametrize("out", ["bf16", "f16"])
def test_round_stochastic(name, request, out):
    rng = np.random.default_rng(6)
    exact = floats(out, (3, 64), rng).astype(np.float32)
    x = np.concatenate([floats("f32", (3, 140), rng), exact, exact * np.float32(1.0000305)], axis=1)
    if out == "f16":  # numbers around its largest one, and denormals
        edge = np.array([65504, 65519, 65520, 65535.9, 65536, 1e38, 6e-8, 2e-8, 1e-30, 6.1e-5, 6.0e-5], np.float32)
        x = np.concatenate([x, np.tile(edge, (3, 1)), -np.tile(edge, (3, 1))], axis=1)
    n = x.shape[1]
    spec = primitive("unary", "round_stochastic", 3, n, out=out)
    found = call(spec, name, request, [np.ascontiguousarray(x)], [42], "end")
    check(found, [stochastic(x, words(3, n, 42), out)])


def step_of(size: Fraction, out: str) -> Fraction:
    """Return the distance between numbers of a type around `size`, as if its exponents had no upper bound."""
    info = ml_dtypes.finfo(numpy_dtype(out))
    scale = Fraction(float(info.smallest_normal))
    while size >= 2 * scale:
        scale *= 2
    return scale * Fraction(1, 1 << info.nmant)


def exactly(x: float, random: int, out: str, computed: str) -> float:
    """Round one number by definition, in fractions. `random` has as many bits as the type of the arithmetic."""
    if not np.isfinite(x):
        return x
    info, fraction = ml_dtypes.finfo(numpy_dtype(out)), {"f32": 23, "f64": 52}[computed]
    size = abs(Fraction(x))
    step = step_of(size, out)
    below = size // step
    part = size / step - below
    if size < Fraction(float(info.smallest_normal)):
        bits, width = {"f32": (24, 32), "f64": (50, 64)}[computed]
        up = Fraction(random >> width - bits, 1 << bits) < part
    else:
        cut = fraction - info.nmant
        up = (random & (1 << cut) - 1) + int(part * (1 << cut)) >= 1 << cut
    found = (below + up) * step
    beyond = np.nan if out == "f8e4m3" else np.inf
    return float(np.copysign(beyond if found > Fraction(float(info.max)) else float(found), x))


TYPES = [*(("f64", out) for out in ("f32", "bf16", "f16", "f8e5m2", "f8e4m3")), ("f32", "f8e5m2"), ("f32", "f8e4m3")]


@pytest.mark.parametrize(
    ("computed", "out", "name"), [(*types, name) for number, types in enumerate(TYPES) for name in in_turn(number)]
)
def test_round_stochastic_exactly(name, request, computed, out):
    """Special values, numbers at the limits of the type, its own numbers and numbers between them are rounded
    exactly."""
    rng, to = np.random.default_rng(8), numpy_dtype(out)
    info = ml_dtypes.finfo(to)
    edges = [float(each) for each in (info.max, info.smallest_normal, info.smallest_subnormal)]
    near = np.array([edge * factor for edge in edges for factor in (1, 1.01, 0.99, 1.06, 0.3, 1.5, 2, 1e-6)])
    exact = floats(out, (90,), rng).astype(numpy_dtype(computed))
    with np.errstate(all="ignore"):
        x = np.concatenate([near, -near, floats(computed, (90,), rng), exact, exact * (1 + 2.0**-20)])
    x = x.astype(numpy_dtype(computed)).reshape(2, -1)
    n = x.shape[1]
    spec = primitive("unary", "round_stochastic", 2, n, dtype=computed, out=out)
    (found,) = call(spec, name, request, [np.ascontiguousarray(x)], [77], "end")
    random = long_words(2, n, 77) if computed == "f64" else words(2, n, 77)
    wanted = [exactly(*pair, out, computed) for pair in zip(x.ravel().tolist(), random.ravel().tolist())]
    with np.errstate(all="ignore"):
        check([found], [np.array(wanted).reshape(x.shape).astype(np.float32).astype(to)])


@pytest.mark.parametrize(
    ("out", "value"),
    [("f32", 1 / 3), ("f32", 1e-40), ("bf16", -np.pi), ("f16", 1e-6), ("f8e4m3", 0.3), ("f8e5m2", 7e-5)],
)
def test_the_mean_is_the_number_in_f64(out, value):
    x = np.full((256, 512), value)
    y = ts.unary("round_stochastic", 256, 512, dtype="f64", out=out)(x, 17).astype(np.float64)
    low, high = np.unique(y)
    assert low < value < high
    assert abs(y.mean() - value) < 5 * (high - low) / 2 / np.sqrt(y.size)


@pytest.mark.parametrize("out", ["bf16", "f16"])
@pytest.mark.parametrize("value", [1.0009765625 / 1.5, 3.14159, -2.7182817, 1e-6, 5.2e-8])
def test_the_mean_is_the_number(out, value):
    x = np.full((256, 1024), value, np.float32)
    y = ts.unary("round_stochastic", 256, 1024, out=out)(x, 17).astype(np.float64)
    assert len(np.unique(y)) == 2
    low, high = np.unique(y)
    assert low < x[0, 0] < high
    deviation = (high - low) / 2 / np.sqrt(y.size)
    assert abs(y.mean() - float(x[0, 0])) < 5 * deviation
