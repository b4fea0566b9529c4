"""emulation/numerics/fp.py against the processor itself, AArch64 under qemu, and exact rational numbers.

100 million lanes of each:  HYPOTHESIS_PROFILE=soak pytest tests/emulation/numerics/test_fp.py -k silicon -s
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.emulation.numerics.arm import on_arm
from tests.emulation.numerics.floats import floats, nearly_cancelling
from tests.emulation.numerics.silicon import Silicon
from tests.profiles import scaled
from tilesmith.emulation.numerics import fp
from tilesmith.emulation.numerics.rounding import ARM, BF16, F16, F32, F64, X86, Array, Environment, Format, Rounding
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.registers import V
from tilesmith.encoder.x86.registers import XMM, rd_sae, rn_sae, ru_sae, rz_sae

SOAK = scaled(0, 100_000_000)  # lanes
BLOCK = 1 << 16
STATIC = {Rounding.NEAREST: rn_sae, Rounding.DOWN: rd_sae, Rounding.UP: ru_sae, Rounding.ZERO: rz_sae}
TYPES = {F16: np.float16, F32: np.float32, F64: np.float64}
SUFFIX = {F32: "ps", F64: "pd"}
OPERANDS = {"231": (2, 0, 1), "213": (1, 0, 2), "132": (0, 2, 1)}
"""Maps a form to the operand numbers of a, b, c in a * b + c. The first factor's NaN has priority."""
FLUSHING = (0x1F80, 0x1FC0, 0x9F80, 0x9FC0, 0xBFC0, 0xDFC0, 0xFFC0)

modes = pytest.mark.parametrize("mode", STATIC, ids=lambda mode: mode.name)
formats = pytest.mark.parametrize("fmt", SUFFIX, ids=lambda fmt: fmt.name)


def triples(seed: int, fmt: Format, count: int = BLOCK) -> tuple[Array, Array, Array]:
    """Return operands of a * b + c."""
    rng = np.random.default_rng(seed)
    a, b, c = (floats(rng, count, fmt).view(TYPES[fmt]) for _ in range(3))
    return a, b, nearly_cancelling(rng, a, b, c)


def blocks(few: int = 2) -> Iterator[int]:
    """Yield seeds of the blocks of operands that a test compares; a soak prints the number of lanes at the end."""
    count = max(few, -(-SOAK // BLOCK))
    yield from range(count)
    if SOAK:
        print(f" {count * BLOCK:,} lanes, no mismatch")


def assert_same(got: Array, want: Array, *operands: Array) -> None:
    """Check that the bits are equal, also those of NaN."""
    kind = f"u{want.itemsize}"
    got, want = got.view(kind), want.view(kind)
    wrong = np.flatnonzero(got != want)
    shown = [[hex(x.view(f"u{x.itemsize}")[i]) for x in (*operands, got, want)] for i in wrong[:4]]
    assert not wrong.size, f"{wrong.size} of {got.size} differ; operands, ours, wanted: {shown}"


@formats
@modes
@pytest.mark.parametrize("form", OPERANDS)
def test_fma_as_silicon(fmt: Format, mode: Rounding, form: str) -> None:
    def emit(asm: Any, z: Any) -> None:
        getattr(asm, f"vfmadd{form}{SUFFIX[fmt]}")(z[0], z[1], z[2], STATIC[mode])

    silicon = Silicon(emit, "AVX512F")
    for seed in blocks():
        factors = triples(seed, fmt)
        ours = fp.fma(*factors, X86.rounded(mode))
        assert_same(ours, silicon(*(factors[i] for i in OPERANDS[form])), *factors)


@formats
@pytest.mark.parametrize("mxcsr", FLUSHING, ids=hex)
def test_fma_under_mxcsr(fmt: Format, mxcsr: int) -> None:
    silicon = Silicon(
        lambda asm, z: getattr(asm, f"vfmadd231{SUFFIX[fmt]}")(z[0], z[1], z[2]), "FMA", step=32, result=32
    )
    for seed in blocks():
        a, b, c = triples(1000 + seed, fmt)
        assert_same(fp.fma(a, b, c, Environment.of_mxcsr(mxcsr)), silicon(c, a, b, mxcsr=mxcsr), a, b, c)


@formats
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
@pytest.mark.parametrize("mxcsr", [*FLUSHING, 0x3F80, 0x5F80, 0x7F80], ids=hex)
def test_arithmetic_under_mxcsr(fmt: Format, name: str, mxcsr: int) -> None:
    silicon = Silicon(lambda asm, z: getattr(asm, f"v{name}{SUFFIX[fmt]}")(z[0], z[0], z[1]), step=32, result=32)
    operation: Callable[..., Array] = getattr(fp, name)
    for seed in blocks(1):
        a, b, _ = triples(2000 + seed, fmt)
        assert_same(operation(a, b, Environment.of_mxcsr(mxcsr)), silicon(a, b, mxcsr=mxcsr), a, b)


@formats
@pytest.mark.parametrize("mxcsr", [*FLUSHING, 0x3F80, 0x5F80, 0x7F80], ids=hex)
def test_sqrt_under_mxcsr(fmt: Format, mxcsr: int) -> None:
    silicon = Silicon(lambda asm, z: getattr(asm, f"vsqrt{SUFFIX[fmt]}")(z[0], z[0]), step=32, result=32)
    for seed in blocks(1):
        a, _, _ = triples(3000 + seed, fmt)
        assert_same(fp.sqrt(a, Environment.of_mxcsr(mxcsr)), silicon(a, mxcsr=mxcsr), a)


# Exact numbers


def rounded(exact: Fraction, fmt: Format, mode: Rounding) -> Fraction | float:
    """Return the number of the format to which an exact number is rounded, by the definition with integers."""
    magnitude = abs(exact)
    exponent = max(fmt.emin, magnitude.numerator.bit_length() - magnitude.denominator.bit_length() - 1)
    exponent += magnitude >= Fraction(2) ** (exponent + 1)
    unit = Fraction(2) ** (exponent - fmt.precision + 1)
    units, rest = divmod(magnitude, unit)
    up = {
        Rounding.NEAREST: rest > unit / 2 or (rest == unit / 2 and units % 2 == 1),
        Rounding.ZERO: False,
        Rounding.UP: rest > 0 and exact > 0,
        Rounding.DOWN: rest > 0 and exact < 0,
        Rounding.ODD: rest > 0 and units % 2 == 0,
    }[mode]
    result = (units + up) * unit
    limit = Fraction(2) ** (2 - fmt.emin)
    if result >= limit:
        toward = {Rounding.UP: exact < 0, Rounding.DOWN: exact > 0, Rounding.NEAREST: False}.get(mode, True)
        if not toward:
            return math.inf if exact > 0 else -math.inf
        result = limit - limit / (1 << fmt.precision)
    return result if exact > 0 else -result


@pytest.mark.parametrize("fmt", TYPES, ids=lambda fmt: fmt.name)
@pytest.mark.parametrize("mode", Rounding, ids=lambda mode: mode.name)
def test_fma_of_exact_numbers(fmt: Format, mode: Rounding) -> None:
    operands = triples(4000, fmt, 1500)
    results = fp.fma(*operands, X86.rounded(mode))
    for a, b, c, result in zip(*operands, results):
        if np.isfinite(a) and np.isfinite(b) and np.isfinite(c):
            exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
            assert float(result) == rounded(exact, fmt, mode), (a, b, c, result)


def test_fma_is_not_a_product_and_a_sum() -> None:
    """Trap 2 of the design notes, and a case in f64: the product's last bit decides a tie of the sum."""
    tiny = 2.0**-12
    a, b, c = (np.array([x], np.float32) for x in (tiny * (1 + 2**-23), tiny * (1 - 2**-23), 1 + 2**-23))
    assert fp.fma32(a, b, c) == c
    assert np.float32(float(a[0]) * float(b[0]) + float(c[0])) != c  # the result by way of f64
    a, b, c = (np.array([x]) for x in (2.0**-27 * (1 + 2**-52), 2.0**-26 * (1 - 2**-52), 1 + 2.0**-52))
    assert fp.fma64(a, b, c) == c


@pytest.mark.parametrize("dtype", TYPES.values())
def test_shapes_and_types(dtype: Any) -> None:
    a, b, c = np.full((2, 3), 2, dtype), np.full(3, 3, dtype), np.full((2, 1), -6, dtype)
    for mode in (Rounding.NEAREST, Rounding.DOWN):
        result = fp.fma(a, b, c, X86.rounded(mode))
        assert result.shape == (2, 3) and result.dtype == dtype
        result_sign = mode is Rounding.DOWN
        assert np.array_equal(np.signbit(result), np.full((2, 3), result_sign))
        scalars = [np.array(x, dtype) for x in (2, 3, -6)]
        assert (
            fp.fma(*scalars, X86.rounded(mode)) == 0 and np.signbit(fp.fma(*scalars, X86.rounded(mode))) == result_sign
        )
        empty = np.zeros((0, 3), dtype)
        assert fp.fma(empty, empty, c[:1], X86.rounded(mode)).shape == (0, 3)
        assert fp.div(scalars[0], scalars[1], X86.rounded(mode)) == fp.div(a, b, X86.rounded(mode))[0, 0]
    with pytest.raises(TypeError, match="an array of float32 is wanted, not of float64"):
        fp.fma32(np.zeros(2), np.zeros(2), np.zeros(2))


# Conversions

ML_TYPES: dict[Format, Any] = {F16: np.float16, BF16: ml_dtypes.bfloat16, F32: np.float32}


@pytest.mark.parametrize("fmt", ML_TYPES, ids=lambda fmt: fmt.name)
@pytest.mark.parametrize("mode", Rounding, ids=lambda mode: mode.name)
def test_conversions_round_once(fmt: Format, mode: Rounding) -> None:
    """Conversions of f64 round once; near ties, a detour through f32 would round twice."""
    rng = np.random.default_rng(5)
    bits = floats(rng, 3000, fmt)
    with np.errstate(all="ignore"):
        near = bits.view(ML_TYPES[fmt]).astype(np.float64)
        half = np.abs(near - (bits ^ 1).astype(bits.dtype).view(ML_TYPES[fmt]).astype(np.float64)) / 2
        x = near + half * rng.integers(-2, 3, near.size) + half * 2.0**-26 * rng.integers(-1, 2, near.size)
    x = x[np.isfinite(x)]
    ours = fp.convert(x, fmt, X86.rounded(mode)).view(ML_TYPES[fmt]).astype(np.float64)
    for given, got in zip(x, ours):
        assert got == rounded(Fraction(given), fmt, mode), (given, got)


@pytest.mark.parametrize("mxcsr", [*FLUSHING, 0x3F80, 0x5F80, 0x7F80], ids=hex)
def test_conversions_as_silicon(mxcsr: int) -> None:
    """VCVTPD2PS and VCVTPS2PD agree in NaN payloads, DAZ, FTZ and the rounding mode of MXCSR."""
    env = Environment.of_mxcsr(mxcsr)
    narrow = Silicon(lambda asm, z: asm.vcvtpd2ps(XMM[0], z[0]), step=32, result=16)
    wide = Silicon(lambda asm, z: asm.vcvtps2pd(z[0], XMM[0]), step=32, result=32)
    for seed in blocks(1):
        rng = np.random.default_rng(seed)
        x, y = floats(rng, BLOCK, F64).view(np.float64), floats(rng, BLOCK, F32)
        with np.errstate(all="ignore"):
            # Half of them are close to f32 numbers, denormal ones too, or to midpoints of two.
            near = y.view(np.float32).astype(np.float64).view(np.int64) + rng.choice(
                [-1, 0, 1, 2**27, 2**28, 3 << 27], BLOCK
            )
        x[::2] = near.view(np.float64)[::2]
        assert_same(fp.convert(x, F32, env), narrow(x, mxcsr=mxcsr).view(np.uint32), x)
        padded = np.zeros((BLOCK // 4, 8), np.uint32)
        padded[:, :4] = y.reshape(-1, 4)
        assert_same(fp.extend(y.view(np.float32), np.float64, env), wide(padded, mxcsr=mxcsr).view(np.float64), y)


# Arm


@pytest.mark.parametrize("fmt, arrangement", [(F16, "h8"), (F32, "s4"), (F64, "d2")], ids=["f16", "f32", "f64"])
@pytest.mark.parametrize(
    "fpcr", [0, 1 << 25, 1 << 24 | 1 << 19, 1 << 22, 2 << 22, 3 << 22 | 1 << 24 | 1 << 19 | 1 << 25], ids=hex
)
@pytest.mark.parametrize("name", ["fmla", "fadd", "fsub", "fmul", "fdiv", "fsqrt"])
def test_as_arm(aarch64: Server, fmt: Format, arrangement: str, fpcr: int, name: str) -> None:
    a, b, c = triples(6000 + fpcr % 97, fmt, 1 << 14)
    env = Environment.of_fpcr(fpcr, half=fmt is F16)
    registers = [getattr(register, arrangement) for register in V[:3]]

    def emit(asm: Any) -> None:
        getattr(asm, name)(*{"fmla": registers, "fsqrt": registers[:1] * 2}.get(name, [registers[0], *registers[:2]]))

    if name == "fmla":
        assert_same(fp.fma(a, b, c, env), on_arm(aarch64, emit, c, a, b, fpcr=fpcr), a, b, c)
    elif name == "fsqrt":
        assert_same(fp.sqrt(a, env), on_arm(aarch64, emit, a, fpcr=fpcr), a)
    else:
        assert_same(getattr(fp, name[1:])(a, b, env), on_arm(aarch64, emit, a, b, fpcr=fpcr), a, b)


def test_environments() -> None:
    assert Environment.of_mxcsr(0x1F80) == X86
    assert not Environment.of_mxcsr(0x9780).ftz  # underflow is not masked, so it would trap
    assert Environment.of_fpcr(0) == ARM
