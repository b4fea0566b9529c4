"""emulation/numerics/bf16.py against the processor itself, AArch64 under qemu, ml_dtypes, and exact rational numbers.

100 million lanes of each:  HYPOTHESIS_PROFILE=soak pytest tests/emulation/numerics/test_bf16.py -k silicon -s
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.emulation.numerics.arm import on_arm
from tests.emulation.numerics.floats import floats
from tests.emulation.numerics.silicon import Silicon
from tests.emulation.numerics.test_fp import assert_same, blocks, rounded
from tilesmith.emulation.numerics import bf16, fp
from tilesmith.emulation.numerics.rounding import BF16, F32, X86_FLUSHED, Array, Environment, Rounding
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.registers import H, S, V, Z
from tilesmith.encoder.x86.registers import YMM

BLOCK = 1 << 16
FPCRS = (0, 1 << 25, 1 << 24, 1 << 22, 2 << 22, 3 << 22 | 1 << 24 | 1 << 25)


def dot_operands(seed: int, count: int = BLOCK) -> tuple[Array, Array, Array]:
    """Return c (f32) and a, b (bf16, twice as many); in a third of the lanes, two of the terms nearly cancel."""
    rng = np.random.default_rng(seed)
    a, b = floats(rng, 2 * count, BF16), floats(rng, 2 * count, BF16)
    kind = rng.integers(0, 6, count)
    pairs = a.reshape(-1, 2), b.reshape(-1, 2)
    for pair in pairs:
        pair[kind == 0, 1] = pair[kind == 0, 0] + rng.integers(-1, 2, (kind == 0).sum()).astype(np.uint16)
    pairs[0][kind == 0, 1] ^= 0x8000
    with np.errstate(all="ignore"):
        near = -(bf16.widened(a[1::2]) * bf16.widened(b[1::2]))
    near = (near.view(np.uint32) + rng.integers(-2, 3, count).astype(np.uint32)).view(np.float32)
    return np.where(kind == 1, near, floats(rng, count, F32).view(np.float32)), a, b


# x86


@pytest.mark.parametrize("mxcsr", [0x1F80, 0x7F80, 0xDFC0], ids=hex)
def test_vdpbf16ps_as_silicon(mxcsr: int) -> None:
    silicon = Silicon(lambda asm, z: asm.vdpbf16ps(z[0], z[1], z[2]), "AVX512_BF16")
    for seed in blocks(8):
        operands = dot_operands(seed)
        assert_same(bf16.vdpbf16ps(*operands), silicon(*operands, mxcsr=mxcsr), *operands[:1])


def test_vdpbf16ps_of_exact_numbers() -> None:
    """The result is two fused steps, the odd elements first; denormal operands and results are zeros."""
    c, a, b = dot_operands(77, 4000)
    results = bf16.vdpbf16ps(c, a, b)
    with np.errstate(all="ignore"):
        inputs = [fp.flushed(x).astype(np.float64) for x in (c, bf16.widened(a), bf16.widened(b))]
    checked = 0
    for i, result in enumerate(results):
        total = inputs[0][i]
        for j in (2 * i + 1, 2 * i):
            if not np.isfinite([total, inputs[1][j], inputs[2][j]]).all():
                break
            exact = Fraction(inputs[1][j]) * Fraction(inputs[2][j]) + Fraction(total)
            total = float(rounded(exact, F32, Rounding.NEAREST))
            if abs(total) < 2.0**-126 or abs(exact) < Fraction(2) ** -126 - Fraction(2) ** -151:
                total = 0.0
        else:
            checked += 1
            assert result == total, (c[i], a[2 * i : 2 * i + 2], b[2 * i : 2 * i + 2])
    assert checked > 2000


def even_first(c: Array, a: Array, b: Array) -> Array:
    """Compute with the even elements first."""
    pairs = [x.reshape(-1, 2)[:, ::-1].reshape(-1) for x in (a, b)]
    return bf16.vdpbf16ps(c, *pairs)


def unfused(c: Array, a: Array, b: Array) -> Array:
    """Compute with the sum of the products, which are exact, rounded before it is added."""
    wide = bf16.widened(a), bf16.widened(b)
    products = fp.mul(*wide, X86_FLUSHED)
    return fp.add(c, fp.add(products[::2], products[1::2], X86_FLUSHED), X86_FLUSHED)


def rounded_once(c: Array, a: Array, b: Array) -> Array:
    """Compute the sum of all three terms in f64, which rounds almost only once."""
    with np.errstate(all="ignore"):
        wide = bf16.widened(a).astype(np.float64) * bf16.widened(b).astype(np.float64)
        return (wide[::2] + wide[1::2] + c).astype(np.float32)


def unflushed(c: Array, a: Array, b: Array) -> Array:
    """Compute with denormals kept."""
    a, b = bf16.widened(a), bf16.widened(b)
    return fp.fma32(a[::2], b[::2], fp.fma32(a[1::2], b[1::2], c))


@pytest.mark.parametrize("variant", [even_first, unfused, rounded_once, unflushed, bf16.bfdot])
def test_operands_tell_variants_of_vdpbf16ps_apart(variant: Callable[..., Array]) -> None:
    """Every other formula gives other numbers on these operands, so comparisons with silicon can distinguish them."""
    operands = dot_operands(0)
    ours, other = bf16.vdpbf16ps(*operands), variant(*operands)
    number = ~np.isnan(ours) | ~np.isnan(other)
    assert np.mean((ours != other)[number]) > 0.01


def test_vcvtneps2bf16_as_silicon() -> None:
    silicon = Silicon(lambda asm, z: asm.vcvtneps2bf16(YMM[0], z[0]), "AVX512_BF16", result=32)
    for seed in blocks(4):
        x = floats(np.random.default_rng(seed), BLOCK, F32).view(np.float32)
        assert_same(bf16.vcvtneps2bf16(x), silicon(x, mxcsr=0x7F80).view(np.uint16))


def test_vcvtne2ps2bf16_as_silicon() -> None:
    silicon = Silicon(lambda asm, z: asm.vcvtne2ps2bf16(z[0], z[0], z[1]), "AVX512_BF16")
    for seed in blocks(4):
        rng = np.random.default_rng(seed)
        high, low = (floats(rng, BLOCK, F32).view(np.float32).reshape(-1, 16) for _ in range(2))
        assert_same(bf16.vcvtne2ps2bf16(high, low).reshape(-1), silicon(high, low).view(np.uint16))


# Conversions


def test_every_bf16_widens_and_comes_back() -> None:
    bits = np.arange(1 << 16).astype(np.uint16)
    wide = bf16.widened(bits)
    assert_same(wide, bits.view(ml_dtypes.bfloat16).astype(np.float32))
    quiet = np.where(np.isnan(wide), bits | 0x40, bits)
    assert_same(bf16.bfcvt(wide), quiet)
    assert_same(bf16.vcvtneps2bf16(wide), np.where(bits & 0x7F80 == 0, bits & 0x8000, quiet))


def test_every_tie_and_its_neighbours() -> None:
    """Each bf16, the midpoint to the next one, and the f32 on both sides of these round as in ml_dtypes."""
    offsets = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    x = ((np.arange(1 << 16, dtype=np.uint32) << 16)[:, None] + offsets).reshape(-1).view(np.float32)
    x = x[~np.isnan(x)]
    want = x.astype(ml_dtypes.bfloat16).view(np.uint16)
    assert_same(bf16.bfcvt(x), want, x)
    flushed = np.where(np.abs(x) < 2.0**-126, want & 0x8000, want)
    assert_same(bf16.vcvtneps2bf16(x), flushed, x)


# Arm


@pytest.mark.parametrize("fpcr", FPCRS, ids=hex)
@pytest.mark.parametrize("name", ["bfdot", "bfmmla"])
@pytest.mark.parametrize("registers", [(V[0].s4, V[1].h8, V[2].h8), (Z[0].s, Z[1].h, Z[2].h)], ids=["neon", "sve"])
@pytest.mark.grid(4)
def test_products_as_arm(aarch64: Server, registers: Any, name: str, fpcr: int) -> None:
    """FPCR has no effect."""
    model = getattr(bf16, name)

    def emit(asm: Any) -> None:
        getattr(asm, name)(*registers)

    for seed in range(2):
        c, a, b = dot_operands(100 * fpcr % 1009 + seed)
        if name == "bfmmla":
            # A matrix element multiplies several others, so the pairs rarely nearly cancel: repeat rows.
            a, b = (
                np.repeat(a.reshape(-1, 4)[::2], 2, 0).reshape(-1),
                np.repeat(b.reshape(-1, 4)[::2], 2, 0).reshape(-1),
            )
        assert_same(model(c, a, b), on_arm(aarch64, emit, c, a.view(np.float32), b.view(np.float32), fpcr=fpcr), c)


@pytest.mark.parametrize("fpcr", FPCRS, ids=hex)
@pytest.mark.parametrize("top", [False, True], ids=["bfmlalb", "bfmlalt"])
def test_bfmlal_as_arm(aarch64: Server, top: bool, fpcr: int) -> None:
    def emit(asm: Any) -> None:
        (asm.bfmlalt if top else asm.bfmlalb)(V[0].s4, V[1].h8, V[2].h8)

    c, a, b = dot_operands(500 + fpcr % 89)
    ours = bf16.bfmlal(c, a, b, top, Environment.of_fpcr(fpcr))
    assert_same(ours, on_arm(aarch64, emit, c, a.view(np.float32), b.view(np.float32), fpcr=fpcr), c)


@pytest.mark.parametrize("fpcr", FPCRS, ids=hex)
def test_bfcvt_as_arm(aarch64: Server, fpcr: int) -> None:
    x = floats(np.random.default_rng(9), BLOCK, F32).view(np.float32)
    ours = bf16.bfcvt(x, Environment.of_fpcr(fpcr))
    got = on_arm(aarch64, lambda asm: asm.bfcvtn(V[0].h4, V[0].s4), x, fpcr=fpcr).view(np.uint16)
    assert_same(ours, got.reshape(-1, 8)[:, :4].reshape(-1).copy(), x)
    first = on_arm(aarch64, lambda asm: asm.bfcvt(H[0], S[0]), x, fpcr=fpcr).view(np.uint16)
    assert_same(ours[::4].copy(), first[::8].copy(), x[::4].copy())
