"""emulation/numerics/fp16.py against the processor's F16C, AArch64 under qemu, numpy, and exact rational numbers.

If the processor has AVX512-FP16, the tests whose names end in `as_silicon` also compare with its instructions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.emulation.numerics.arm import on_arm
from tests.emulation.numerics.floats import floats
from tests.emulation.numerics.silicon import Silicon
from tests.emulation.numerics.test_fp import assert_same, blocks, rounded, triples
from tilesmith.emulation.numerics import fp, fp16
from tilesmith.emulation.numerics.rounding import F16, F32, F64, X86, Array, Environment, Rounding
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.registers import V
from tilesmith.encoder.x86.registers import XMM, YMM

IMMEDIATES = (Rounding.NEAREST, Rounding.DOWN, Rounding.UP, Rounding.ZERO)
"""The rounding modes of VCVTPS2PH, by the two low bits of its immediate."""
MXCSRS = (0x1F80, 0x9FC0, 0x3F80, 0x5F80, 0x7F80, 0xFFC0)
EVERY = np.arange(1 << 16).astype(np.uint16).view(np.float16)


def singles(seed: int, count: int = 1 << 16) -> Array:
    """Return f32: half of them any numbers, the others f16 values, midpoints of these, and the neighbours of both."""
    rng = np.random.default_rng(seed)
    halves = floats(rng, count, F16).view(np.float16)
    with np.errstate(all="ignore"):
        near = halves.astype(np.float32).view(np.uint32) + np.uint32(0x1000) * rng.integers(0, 2, count).astype(
            np.uint32
        )
    near += rng.integers(-1, 2, count).astype(np.uint32)
    return np.where(rng.integers(0, 2, count) == 0, near, floats(rng, count, F32)).view(np.float32)


# Conversions


def test_every_f16_widens() -> None:
    for dtype in (np.float32, np.float64):
        wide = fp16.widened(EVERY, dtype)
        assert wide.dtype == dtype
        with np.errstate(all="ignore"):
            assert np.array_equal(wide, EVERY.astype(dtype), equal_nan=True)
    back = fp16.narrowed(fp16.widened(EVERY)).view(np.uint16)
    quiet = np.where(np.isnan(EVERY), EVERY.view(np.uint16) | F16.quiet, EVERY.view(np.uint16))
    assert_same(back, quiet.astype(np.uint16))


@pytest.mark.parametrize("mxcsr", [0x1F80, 0x9FC0], ids=hex)
def test_widening_as_silicon(mxcsr: int) -> None:
    silicon = Silicon(lambda asm, z: asm.vcvtph2ps(z[0], XMM[0]), "F16C", step=32, result=32)
    padded = np.zeros((EVERY.size // 8, 16), np.float16)
    padded.view(np.uint16)[:, :8] = EVERY.view(np.uint16).reshape(-1, 8)
    assert_same(fp16.widened(EVERY), silicon(padded, mxcsr=mxcsr).view(np.float32))


@pytest.mark.parametrize("mxcsr", MXCSRS, ids=hex)
@pytest.mark.parametrize("immediate", [0, 1, 2, 3, 4])
def test_narrowing_as_silicon(immediate: int, mxcsr: int) -> None:
    silicon = Silicon(lambda asm, z: asm.vcvtps2ph(XMM[0], YMM[0], immediate), "F16C", step=32, result=16)
    for seed in blocks(1):
        x = singles(seed)
        mode = None if immediate == 4 else IMMEDIATES[immediate]
        ours = fp16.narrowed(x, Environment.of_mxcsr(mxcsr), mode)
        assert_same(ours, silicon(x, mxcsr=mxcsr).view(np.float16), x)


def test_narrowing_as_numpy() -> None:
    """Conversions from f64 round once; numpy rounds to nearest even."""
    with np.errstate(all="ignore"):
        doubles = floats(np.random.default_rng(4), 1 << 16, F64).view(np.float64)
        x = np.concatenate([singles(3).astype(np.float64), doubles])
        x = x[~np.isnan(x)]
        assert_same(fp16.narrowed(x), x.astype(np.float16), x)


# Arithmetic

OPERATIONS = {"vaddph": fp16.vaddph, "vsubph": fp16.vsubph, "vmulph": fp16.vmulph, "vdivph": fp16.vdivph}


@pytest.mark.parametrize("mxcsr", MXCSRS, ids=hex)
@pytest.mark.parametrize("name", [*OPERATIONS, "vfmaddph"])
def test_arithmetic_of_exact_numbers(name: str, mxcsr: int) -> None:
    """Results follow the definition: the exact result, rounded by MXCSR's mode; DAZ and FTZ do not flush denormals."""
    env = Environment.of_mxcsr(mxcsr)
    a, b, c = triples(40, F16, 3000)
    ours = fp16.vfmaddph(a, b, c, env) if name == "vfmaddph" else OPERATIONS[name](a, b, env)
    exact = {
        "vaddph": lambda x, y, z: x + y,
        "vsubph": lambda x, y, z: x - y,
        "vmulph": lambda x, y, z: x * y,
        "vdivph": lambda x, y, z: x / y,
        "vfmaddph": lambda x, y, z: x * y + z,
    }[name]
    checked = 0
    for operands in zip(a, b, c, ours):
        x, y, z, result = map(float, operands)
        if np.isfinite([x, y, z]).all() and (y or name != "vdivph"):
            checked += 1
            assert result == rounded(exact(Fraction(x), Fraction(y), Fraction(z)), F16, env.rounding), (x, y, z)
    assert checked > 2000


def test_every_square_root() -> None:
    for mxcsr in MXCSRS:
        env = Environment.of_mxcsr(mxcsr)
        roots = fp16.vsqrtph(EVERY, env)
        positive = np.isfinite(EVERY) & (EVERY > 0)
        x, root = EVERY[positive].astype(np.float64), roots[positive].astype(np.float64)
        if env.rounding is Rounding.NEAREST:
            below, above = (np.nextafter(roots[positive], np.float16(to)).astype(np.float64) for to in (0, np.inf))
            assert (((root + below) / 2) ** 2 < x).all() and (((root + above) / 2) ** 2 > x).all()  # exact in f64
        elif env.rounding is Rounding.UP:
            assert (root**2 >= x).all() and (
                np.nextafter(roots[positive], np.float16(0)).astype(np.float64) ** 2 < x
            ).all()
        else:
            up = np.nextafter(roots[positive], np.float16(np.inf)).astype(np.float64)
            assert (root**2 <= x).all() and (up**2 > x).all()
        assert np.isnan(roots[EVERY < 0]).all() and np.isposinf(roots[np.isposinf(EVERY)]).all()


@pytest.mark.parametrize("name", [*OPERATIONS, "vfmadd231ph"])
@pytest.mark.parametrize("mxcsr", MXCSRS, ids=hex)
def test_arithmetic_as_silicon(name: str, mxcsr: int) -> None:
    def emit(asm: Any, z: Any) -> None:
        getattr(asm, name)(z[0], z[1], z[2]) if name == "vfmadd231ph" else getattr(asm, name)(z[0], z[0], z[1])

    silicon = Silicon(emit, "AVX512_FP16")
    env = Environment.of_mxcsr(mxcsr)
    for seed in blocks(2):
        a, b, c = triples(seed, F16)
        if name == "vfmadd231ph":
            assert_same(fp16.vfmaddph(a, b, c, env), silicon(c, a, b, mxcsr=mxcsr), a, b, c)
        else:
            assert_same(OPERATIONS[name](a, b, env), silicon(a, b, mxcsr=mxcsr), a, b)


# Arm


@pytest.mark.parametrize("fpcr", [0, 1 << 25, 1 << 24, 1 << 19, 1 << 22 | 1 << 24 | 1 << 19], ids=hex)
def test_fmlal_as_arm(aarch64: Server, fpcr: int) -> None:
    """FMLAL multiplies the low halves of its factors; FZ16 flushes these, and FZ the f32 numbers."""
    a, b, _ = triples(50, F16)
    c = floats(np.random.default_rng(51), a.size // 2, F32).view(np.float32)
    with np.errstate(all="ignore"):
        c[::3] = -(fp16.widened(a) * fp16.widened(b)).reshape(-1, 8)[:, :4].reshape(-1)[::3]
    low = [x.reshape(-1, 8)[:, :4].reshape(-1).copy() for x in (a, b)]
    ours = fp16.fmlal(c, *low, Environment.of_fpcr(fpcr))
    emitted = on_arm(
        aarch64,
        lambda asm: asm.fmlal(V[0].s4, V[1].h4, V[2].h4),
        *(c, a.view(np.float32), b.view(np.float32)),
        fpcr=fpcr,
    )
    assert_same(ours, emitted, *low, c)


def test_flushing_plays_no_part() -> None:
    denormal = np.array([2.0**-24, -(2.0**-15)], np.float16)
    one = np.ones(2, np.float16)
    env = Environment.of_mxcsr(0x9FC0)
    assert np.array_equal(fp16.vmulph(denormal, one, env), denormal)
    assert np.array_equal(fp.mul(denormal, one, env), np.array([0, -0.0]))  # DAZ and FTZ in other types
    assert np.array_equal(fp16.narrowed(fp16.widened(denormal), env), denormal)
    assert fp16.environment(X86) == X86
