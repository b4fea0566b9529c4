"""a * b + c of f64 and f32, rounded once, on targets without an FMA instruction. The reference is the emulator's exact
FMA, which tests/emulation/numerics/test_fp.py compares with processors and rational numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.eltwise_cases import SPECIAL
from tests.profiles import scaled
from tilesmith.emulation.numerics import fp
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
COUNT = scaled(4096, 1 << 20)
MAX = np.finfo(np.float64).max
ENDS = np.array([*SPECIAL["f64"], -MAX, 2.0**450, 2.0**-450, 2.0**1000, 2.0**-1022 - 2.0**-1074])


def sized(rng: np.random.Generator, low: Any, high: Any) -> Array:
    """Return numbers of either sign with exponents of a given range."""
    exponents = rng.integers(low, high, COUNT)
    return np.ldexp(rng.uniform(1, 2, COUNT) * rng.choice([-1, 1], COUNT), exponents)


def short(rng: np.random.Generator, bits: int, low: int, high: int) -> Array:
    """Return numbers of few significant bits, whose sums often are ties."""
    whole = rng.integers(1, 1 << bits, COUNT) * rng.choice([-1.0, 1.0], COUNT)
    return np.ldexp(whole, rng.integers(low, high, COUNT))


def operands(rng: np.random.Generator) -> Iterator[tuple[Array, Array, Array]]:
    """Yield operands: random bits, cancelling sums, results that are denormal, ties or nearly too large, special
    numbers."""
    yield tuple(rng.integers(0, 1 << 64, COUNT, np.uint64).view(np.float64) for _ in "abc")  # type: ignore[misc]
    a, b = sized(rng, -500, 500), sized(rng, -500, 500)
    yield a, b, -(a * b) * rng.choice([1, 1 + 2**-52, 1 - 2**-53, 0.5], COUNT)
    low = rng.integers(-1074, 0, COUNT)
    a, b = sized(rng, low, low + 1), sized(rng, np.clip(-1022 - low - 55, -1074, 900), np.clip(-1016 - low, -1073, 901))
    yield a, b, sized(rng, -1080, -1015)
    yield a, b, np.zeros(COUNT)
    yield short(rng, 20, -550, -530), short(rng, 20, -550, -530), short(rng, 20, -1074, -1044)
    yield short(rng, 27, 0, 1), short(rng, 27, 0, 1), short(rng, 30, -60, 110)
    yield short(rng, 30, -1000, 900), short(rng, 30, -40, 40), short(rng, 53, -1074, 900)
    a = sized(rng, 400, 1024)
    yield a, sized(rng, 1020 - np.frexp(a)[1], 1026 - np.frexp(a)[1]), sized(rng, 1015, 1024)
    yield sized(rng, -300, 450), sized(rng, -300, 450), rng.choice([MAX, -MAX, MAX / 2], COUNT)
    for c in (rng.choice(ENDS, COUNT), sized(rng, -1074, 1024)):
        yield rng.choice(ENDS, COUNT), rng.choice(ENDS, COUNT), c
        yield rng.choice(ENDS, COUNT), sized(rng, -1074, 1024), c


@pytest.mark.parametrize("target", [name for name in ("sse", "avx") if not runs(TARGETS[name])])
def test_it_is_rounded_once(target: str) -> None:
    shape = 1, COUNT
    kernel = ts.equation(lambda a, b, c: ts.fma(a, b, c), a=shape, b=shape, c=shape, dtype="f64", target=target)
    for drawn in operands(np.random.default_rng(5)):
        a, b, c = (each.reshape(shape) for each in drawn)
        for first, second in ((a, b), (b, a)):
            found = kernel(first, second, c)
            with np.errstate(all="ignore"):
                wanted = fp.fma64(first, second, c)
            same = (found.view(np.int64) == wanted.view(np.int64)) | (np.isnan(found) & np.isnan(wanted))
            wrong = np.argmin(same)
            assert same.all(), [float(each[0, wrong]).hex() for each in (first, second, c, found, wanted)]


def beside_ties(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return operands of f32 whose sum lies beside the middle of two f32, by less than the last bit of an f64."""
    c = np.ldexp(rng.integers(1 << 23, 1 << 24, COUNT) * rng.choice([-1.0, 1.0], COUNT), rng.integers(-40, 40, COUNT))
    half = np.spacing(abs(c).astype(np.float32)).astype(np.float64) / 2
    apart = np.ldexp(rng.integers(-64, 65, COUNT), -23)
    b = (1 - apart) * half * rng.choice([-1.0, 1.0], COUNT)  # a * b is `half`, less its part apart^2
    return (1 + apart).astype(np.float32), b.astype(np.float32), c.astype(np.float32)


@pytest.mark.parametrize("target", [name for name in ("sse", "avx") if not runs(TARGETS[name])])
def test_sums_of_f32_beside_ties(target: str) -> None:
    """The sum in f64 is the middle itself, and only its error says to which side the result is rounded."""
    shape = 1, COUNT
    kernel = ts.equation(lambda a, b, c: ts.fma(a, b, c), a=shape, b=shape, c=shape, target=target)
    a, b, c = (each.reshape(shape) for each in beside_ties(np.random.default_rng(6)))
    found, wanted = kernel(a, b, c), fp.fma32(a, b, c)
    decided = wanted != (a.astype(np.float64) * b + c).astype(np.float32)
    assert decided.mean() > 0.1 and (found == wanted).all()


def test_by_the_emulator() -> None:
    a, b, c = (
        np.array([each])
        for each in ([1 + 2.0**-30, 2.0**-700, 3.0], [1 - 2.0**-30, 2.0**-374, 5.0], [-1.0, 2.0**-1074, np.inf])
    )
    for target in ("sse", "avx"):
        kernel = ts.equation(lambda a, b, c: ts.fma(a, b, c), a=(1, 3), b=(1, 3), c=(1, 3), dtype="f64", target=target)
        found = np.zeros((1, 3))
        kernel.emulate(a, b, c, found)
        assert (found == [[-(2.0**-60), 2.0**-1073, np.inf]]).all()
