"""Instructions that no processor at hand has, against exact rational numbers, hash functions of Python, and the
definitions in Intel's manuals."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.emulation.x86.exact import execute, nearest, number, state_with, zmm
from tests.profiles import scaled
from tilesmith.emulation.core.memory import address_of
from tilesmith.emulation.x86.control import CONDITIONS
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.registers import dword, mem, qword

RUNS = scaled(4, 400)
R = regs.R64
X, Y, T = regs.XMM, regs.YMM, regs.TMM


def halves(rng: np.random.Generator) -> Any:
    """Return 32 bf16: random ones of moderate and of extreme size, zeros, denormals, infinities, NaN."""
    exponent, fraction, sign = rng.integers(110, 144, 32), rng.integers(0, 128, 32), rng.integers(0, 2, 32)
    moderate = (exponent << 7 | fraction | sign << 15).astype(np.uint16)
    words = np.where(rng.random(32) < 0.3, rng.integers(0, 1 << 16, 32).astype(np.uint16), moderate)
    rare = np.array([0, 0x8000, 1, 0x8001, 0x7F, 0x80, 0x7F80, 0xFF80, 0x7FC1, 0xFF81, 0x7F7F, 0x3F80], np.uint16)
    return np.where(rng.random(32) < 0.2, rare[rng.integers(0, len(rare), 32)], words)


def bf16_values(bits: Any) -> list[Fraction | float]:
    """Return the values, with denormals as zeros."""
    return [0 if not int(each) & 0x7F80 else number(int(each), "bf16") for each in bits]


def finite(*values: Any) -> bool:
    return all(isinstance(value, (Fraction, int)) for value in values)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "vaddbf16": lambda a, b: a + b,
    "vsubbf16": lambda a, b: a - b,
    "vmulbf16": lambda a, b: a * b,
    "vdivbf16": lambda a, b: a / b,
}
_FUSED = {"fmadd": (1, 1), "fmsub": (1, -1), "fnmadd": (-1, 1), "fnmsub": (-1, -1)}
_ORDERS = {"132": (0, 2, 1), "213": (1, 0, 2), "231": (1, 2, 0)}


def same(bits: Any, wanted: list[float | None]) -> None:
    """Compare bf16 with values; None stands for any."""
    got = [float(number(int(each), "bf16")) for each in bits]
    for at, (value, right) in enumerate(zip(got, wanted)):
        assert right is None or value == right or (math.isnan(right) and math.isnan(value)), (at, value, right)


def test_arithmetic_of_bf16() -> None:
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        a, b, c = (halves(rng) for _ in range(3))
        x, y, z = (bf16_values(each) for each in (a, b, c))
        for name, operation in _ARITHMETIC.items():
            wanted = [
                nearest(operation(p, q), "bf16") if finite(p, q) and (q or "div" not in name) else None
                for p, q in zip(x, y)
            ]
            same(zmm(name, a, b), wanted)
            invalid = zmm(name, a, b)[[math.isnan(float(p)) or math.isnan(float(q)) for p, q in zip(x, y)]]
            assert ((invalid & 0x7FC0) == 0x7FC0).all(), "a NaN stays one and becomes quiet"
        for name, (product, addend) in _FUSED.items():
            for order, (i, j, k) in _ORDERS.items():
                given = list(zip(z, x, y))
                wanted = [
                    nearest(product * each[i] * each[j] + addend * each[k], "bf16") if finite(*each) else None
                    for each in given
                ]
                same(zmm(f"v{name}{order}bf16", a, b, to=c), wanted)


def test_functions_of_bf16() -> None:
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        a, b = halves(rng), halves(rng)
        x, y = bf16_values(a), bf16_values(b)
        positive = [value if finite(value) and value > 0 else None for value in x]
        roots = [None if v is None else nearest(Fraction(math.sqrt(v)), "bf16") for v in positive]
        same(zmm("vsqrtbf16", a), roots)
        same(zmm("vgetexpbf16", a), [None if v is None else float(math.frexp(v)[1] - 1) for v in positive])
        same(zmm("vrcpbf16", a), [nearest(1 / v, "bf16") if finite(v) and v else None for v in x])
        inverse = [None if v is None else nearest(1 / Fraction(math.sqrt(v)), "bf16") for v in positive]
        same(zmm("vrsqrtbf16", a), inverse)
        same(zmm("vmaxbf16", a, b), [float(max(p, q)) if finite(p, q) else None for p, q in zip(x, y)])
        same(zmm("vminbf16", a, b), [float(min(p, q)) if finite(p, q) else None for p, q in zip(x, y)])
        same(
            zmm("vrndscalebf16", a, extra=(0x30,)), [float(Fraction(round(v * 8), 8)) if finite(v) else None for v in x]
        )
        same(
            zmm("vreducebf16", a, extra=(0x10,)),
            [nearest(v - Fraction(round(v * 2), 2), "bf16") if finite(v) else None for v in x],
        )
        small = [v if finite(v) and abs(v) < 200 else None for v in y]
        same(
            zmm("vscalefbf16", a, b),
            [
                None if q is None or not finite(p) else nearest(p * Fraction(2) ** math.floor(q), "bf16")
                for p, q in zip(x, small)
            ],
        )
        mantissas = [None if v is None else math.frexp(v)[0] * 2 for v in positive]
        same(zmm("vgetmantbf16", a, extra=(0,)), mantissas)


def test_comparisons_of_bf16_and_flags() -> None:
    rng = np.random.default_rng(1)
    for _ in range(RUNS):
        a, b = halves(rng), halves(rng)
        x, y = ([float(v) for v in bf16_values(each)] for each in (a, b))
        state = state_with({2: a, 3: b})
        execute(state, "vcmpbf16", regs.K[1], regs.ZMM[2], regs.ZMM[3], 1)
        assert state.k[1] == sum((p < q) << at for at, (p, q) in enumerate(zip(x, y)))
        execute(state, "vfpclassbf16", regs.K[2], regs.ZMM[2], 0x18)
        assert state.k[2] == sum(math.isinf(p) << at for at, p in enumerate(x))
        execute(state, "vcomisbf16", X[2], X[3])
        unordered = math.isnan(x[0]) or math.isnan(y[0])
        assert (state.zf, state.pf, state.cf) == (unordered or x[0] == y[0], unordered, unordered or x[0] < y[0])


@pytest.mark.parametrize(("ending", "dtype"), [("ss", np.float32), ("sd", np.float64), ("sh", np.float16)])
def test_comparisons_for_signed_conditions(ending: str, dtype: type) -> None:
    """AVX10.2: OF, SF, ZF, PF, CF."""
    flags = {"greater": "00000", "less": "10001", "equal": "11100", "unordered": "11011"}
    given = {"greater": (2, 1), "less": (-1, 3), "equal": (0.0, -0.0), "unordered": (np.nan, 1)}
    for mnemonic in (f"vcomx{ending}", f"vucomx{ending}"):
        for relation, numbers in given.items():
            state = state_with({at: np.array([value], dtype) for at, value in enumerate(numbers)})
            execute(state, mnemonic, X[0], X[1])
            found = "".join(str(int(getattr(state, flag))) for flag in ("of", "sf", "zf", "pf", "cf"))
            assert found == flags[relation], (mnemonic, relation)
            assert CONDITIONS["l"](state) == (relation == "less")
            assert CONDITIONS["e"](state) == (relation == "equal")


def _minmax(a: float, b: float, choice: int) -> float:
    """IEEE 754-2019 minimum(Number), maximum(Number) and those of magnitudes, then the sign."""
    if math.isnan(a) or math.isnan(b):
        if not choice & 16 or (math.isnan(a) and math.isnan(b)):
            return math.nan
        found = b if math.isnan(a) else a
    else:
        by_value = lambda v: (v, math.copysign(1, v))  # noqa: E731
        key = (lambda v: (abs(v), *by_value(v))) if choice & 2 else by_value
        found = (max if choice & 1 else min)(a, b, key=key)
    sign = (math.copysign(1, a), math.copysign(1, found), 1, -1)[choice >> 2 & 3]
    return math.copysign(found, sign)


@pytest.mark.parametrize(("ending", "dtype"), [("ps", np.float32), ("pd", np.float64), ("ph", np.float16)])
def test_minimum_and_maximum_of_the_standard(ending: str, dtype: Any) -> None:
    values = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan, -np.nan, 7.0, -3.0]
    count = 64 // np.dtype(dtype).itemsize
    rng = np.random.default_rng(2)
    for choice in range(32):
        a, b = (rng.choice(values, count).astype(dtype) for _ in range(2))
        got = zmm(f"vminmax{ending}", a, b, extra=(choice,), result=dtype)
        wanted = np.array([_minmax(float(p), float(q), choice) for p, q in zip(a, b)], dtype)
        numbers = ~np.isnan(wanted)
        assert np.array_equal(np.isnan(got), ~numbers), choice
        assert np.array_equal(got[numbers], wanted[numbers]), choice
        assert np.array_equal(np.signbit(got[numbers]), np.signbit(wanted[numbers])), choice
        bits = [(each.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for each in (a, b)]
        if ending == "ps":
            small = zmm("vminmaxbf16", *(np.resize(each, 32) for each in bits), extra=(choice,))[:count]
            assert np.array_equal((small.astype(np.uint32) << 16).view(np.float32)[numbers], wanted[numbers])


# Conversions


def test_conversions_to_integers_saturate() -> None:
    rng = np.random.default_rng(3)
    edges = [
        0.0,
        0.5,
        1.5,
        -0.5,
        127.5,
        128,
        -128.5,
        -129,
        255.5,
        256,
        2.0**31,
        -(2.0**31),
        2.0**32,
        2.0**63,
        -(2.0**63),
        2.0**64,
        1e30,
        -1e30,
        np.inf,
        -np.inf,
        np.nan,
    ]
    kinds = {"ps": np.float32, "pd": np.float64, "ph": np.float16}

    def clipped(value: float, low: int, high: int, rounding: Callable[[float], int]) -> int:
        if math.isnan(value):
            return 0
        return max(low, min(high, rounding(value))) if math.isfinite(value) else (high if value > 0 else low)

    with np.errstate(all="ignore"):
        for kind, source in kinds.items():
            given = rng.choice(edges, 64 // np.dtype(source).itemsize).astype(source)
            floats = [float(each) for each in given]
            if kind != "ph":
                for ending, to in (("dqs", np.int32), ("udqs", np.uint32), ("qqs", np.int64), ("uqqs", np.uint64)):
                    info = np.iinfo(to)
                    wanted = [clipped(each, int(info.min), int(info.max), math.trunc) for each in floats]
                    wide = np.dtype(to).itemsize > np.dtype(source).itemsize
                    narrow = np.dtype(to).itemsize < np.dtype(source).itemsize
                    state = state_with({2: given})
                    execute(
                        state,
                        f"vcvttp{kind[1]}2{ending}",
                        (regs.YMM if narrow else regs.ZMM)[1],
                        (regs.YMM if wide else regs.ZMM)[2],
                    )
                    got = state.vectors[1].view(to).tolist()
                    count = min(len(got), len(floats))
                    assert got[:count] == wanted[:count], (kind, ending)
                scalar = state_with({2: given})
                for u, low, high in (("", -(1 << 63), (1 << 63) - 1), ("u", 0, (1 << 64) - 1)):
                    execute(scalar, f"vcvtts{kind[1]}2{u}sis", R[0], X[2])
                    assert scalar.r[0] == clipped(floats[0], low, high, math.trunc) % (1 << 64)
            if kind != "pd":
                unit = np.dtype(f"u{np.dtype(source).itemsize}")
                for t, rounding in (("", round), ("t", math.trunc)):
                    for u, low, high in (("", -128, 127), ("u", 0, 255)):
                        wanted = [clipped(each, low, high, rounding) % 256 for each in floats]
                        assert zmm(f"vcvt{t}{kind}2i{u}bs", given, result=unit).tolist() == wanted
    words = halves(rng)
    wanted = [clipped(float(v), -128, 127, round) % 256 for v in bf16_values(words)]
    assert zmm("vcvtbf162ibs", words).tolist() == wanted
    wanted = [clipped(float(v), 0, 255, math.trunc) % 256 for v in bf16_values(words)]
    assert zmm("vcvttbf162iubs", words).tolist() == wanted


_EIGHT = {"bf8": (5, 2, 15, 57344.0), "hf8": (4, 3, 7, 448.0)}
"""Bits of exponent and significand, bias, largest number: OCP OFP8, E5M2 and E4M3."""


def eighth(code: int, kind: str) -> float:
    """Return the value of an 8-bit float by its definition."""
    _, stored, bias, largest = _EIGHT[kind]
    sign, exponent, fraction = code >> 7, code >> stored & (1 << 7 - stored) - 1, code & (1 << stored) - 1
    value = (fraction / 2**stored + (exponent > 0)) * 2.0 ** (max(exponent, 1) - bias)
    if value > largest:
        value = math.inf if kind == "bf8" and not fraction else math.nan
    return -value if sign else value


@pytest.mark.parametrize("kind", _EIGHT)
@pytest.mark.parametrize("saturates", [False, True])
def test_eight_bit_floats_from_all_numbers_of_f16(kind: str, saturates: bool) -> None:
    codes = np.array([code for code in range(128) if math.isfinite(eighth(code, kind))])
    values = np.array([eighth(int(code), kind) for code in codes])
    largest, last = values[-1], int(codes[-1])
    over = last if saturates else last + 1  # infinity, or the only NaN
    step = values[-1] - values[-2]
    name = kind + "s" * saturates
    chosen = np.arange(0, 1 << 16, scaled(61, 1))
    for words in (np.resize(chosen[at : at + 64], 64).astype(np.uint16) for at in range(0, len(chosen), 64)):
        x = words.view(np.float16)
        size = np.nan_to_num(np.minimum(np.abs(x.astype(float)), 1e6))
        below = np.searchsorted(values, size, "right") - 1
        above = np.minimum(below + 1, len(values) - 1)
        gap = np.where(below == len(values) - 1, step, values[above] - values[below])
        excess = (size - values[below]) / gap
        up = (excess > 0.5) | ((excess == 0.5) & (codes[below] % 2 == 1))
        wanted = np.where(up & (below == len(values) - 1), over, codes[below] + up)
        wanted = np.where(size >= largest + step, over, wanted) | np.where(np.signbit(x), 0x80, 0)
        known = ~np.isnan(x)
        got = zmm(f"vcvt2ph2{name}", words[32:], words[:32], result=np.uint8)
        assert np.array_equal(got[known], wanted[known])
        assert np.isnan([eighth(int(code), kind) for code in got[~known]]).all()
        state = state_with({2: words[:32]})
        execute(state, f"vcvtph2{name}", regs.YMM[1], regs.ZMM[2])
        assert np.array_equal(state.vectors[1][:32][known[:32]], wanted[:32][known[:32]])
        _biased(words, name, kind, over, values, codes)


def _biased(words: Any, name: str, kind: str, over: int, values: Any, codes: Any) -> None:
    """AVX10.2, 9.3: an 8-bit bias is added below the last place of the result, which is then truncated."""
    bias = (np.arange(32) * 97 + int(words[0])).astype(np.uint16)
    state = state_with({2: bias, 3: words[:32]})
    execute(state, f"vcvtbiasph2{name}", regs.YMM[1], regs.ZMM[2], regs.ZMM[3])
    for at, word in enumerate(words[:32].tolist()):
        if word & 0x7C00 == 0x7C00:
            continue
        by, exponent = int(bias[at]) & 0xFF, word >> 10 & 31
        size = Fraction(abs(float(np.uint16(word).view(np.float16))))
        unit = Fraction(2) ** (max(exponent, 1) - 25)  # of f16
        if kind == "hf8" and exponent <= 8:
            unit = Fraction(1, 1 << 17)
        elif kind == "hf8":
            by //= 2
        total = size + by * unit
        limit = 65536 if kind == "bf8" else 480
        code = over if total >= limit else int(codes[np.searchsorted(values, float(total), "right") - 1])
        assert state.vectors[1][at] == code | (0x80 if word >> 15 else 0), (hex(word), by)


def test_widening_conversions() -> None:
    codes = np.arange(256, dtype=np.uint8)
    for part in codes.reshape(8, 32):
        state = state_with({2: part})
        execute(state, "vcvthf82ph", regs.ZMM[1], Y[2])
        got = state.vectors[1].view(np.float16)
        wanted = np.array([eighth(int(code), "hf8") for code in part], np.float16)
        assert np.array_equal(got, wanted, equal_nan=True)
    memory = np.arange(0x3C00, 0x3C20, dtype=np.uint16)
    for name, dtype, first in (("eeph", np.float16, 0), ("eoph", np.float16, 1)):
        state = state_with(memory=memory)
        state.r[7] = address_of(memory)
        execute(state, f"vcvtn{name}2ps", Y[1], mem(R[7]))
        assert np.array_equal(state.vectors[1].view(np.float32)[:8], memory[first:16:2].view(dtype).astype(np.float32))
    for name, first in (("eebf16", 0), ("eobf16", 1)):
        execute(state, f"vcvtn{name}2ps", Y[1], mem(R[7]))
        assert np.array_equal(state.vectors[1].view(np.uint32)[:8], memory[first:16:2].astype(np.uint32) << 16)
    execute(state, "vbcstnesh2ps", Y[1], mem(R[7]))
    assert np.array_equal(state.vectors[1].view(np.float32)[:8], np.ones(8, np.float32))
    execute(state, "vbcstnebf162ps", Y[1], mem(R[7]))
    assert np.array_equal(state.vectors[1].view(np.uint32)[:8], np.full(8, 0x3C00_0000, np.uint32))
    execute(state, "vmovrsb", Y[1], mem(R[7]))
    assert np.array_equal(state.vectors[1].view(np.uint16)[:16], memory[:16])


def test_two_sources_of_f32_to_f16() -> None:
    rng = np.random.default_rng(5)
    high, low = (rng.standard_normal(16).astype(np.float32) * np.float32(1000) for _ in range(2))
    got = zmm("vcvt2ps2phx", high, low, result=np.float16)
    assert np.array_equal(got, np.concatenate([low, high]).astype(np.float16))


def test_dot_product_of_f16() -> None:
    rng = np.random.default_rng(6)
    for _ in range(RUNS):
        a, b = (rng.standard_normal(32).astype(np.float16) for _ in range(2))
        c = rng.standard_normal(16).astype(np.float32)
        got = zmm("vdpphps", a, b, to=c, result=np.float32)
        x, y = ([Fraction(float(v)) for v in each] for each in (a, b))
        for at in range(16):
            total = Fraction(nearest(Fraction(float(c[at])) + x[2 * at + 1] * y[2 * at + 1], "f32"))
            assert got[at] == nearest(total + x[2 * at] * y[2 * at], "f32")


# Memory


@pytest.mark.parametrize("bits", [32, 64])
def test_instructions_that_change_memory(bits: int) -> None:
    rng, ones = random.Random(7), (1 << bits) - 1
    registers = regs.R64 if bits == 64 else regs.R32
    memory = np.zeros(1, np.uint64)
    place = (qword if bits == 64 else dword)[R[7]]
    operations = {"add": int.__add__, "and": int.__and__, "or": int.__or__, "xor": int.__xor__}
    for _ in range(RUNS):
        found, other = (rng.choice((rng.getrandbits(bits), rng.randrange(4))) for _ in range(2))
        for name, operation in operations.items():
            memory[0] = found
            state = state_with(memory=memory)
            state.r[7], state.r[1] = address_of(memory), other
            execute(state, f"a{name}", place, registers[1])
            state.memory.copy_back()
            assert int(memory[0]) == operation(found, other) & ones
        for name, holds in _conditions(found, other, bits).items():
            memory[0] = found
            state = state_with(memory=memory)
            state.r[7], state.r[1], state.r[2] = address_of(memory), other, 5
            execute(state, f"cmp{name}xadd", place, registers[1], registers[2])
            state.memory.copy_back()
            assert (int(memory[0]), state.r[1]) == (found + 5 * holds & ones, found), name


def _conditions(a: int, b: int, bits: int) -> dict[str, bool]:
    """Return the conditions of a comparison of a and b by arithmetic on whole numbers."""
    top = 1 << bits - 1
    x, y = ((v ^ top) - top for v in (a, b))
    rest = (a - b) % (1 << bits)
    true = {
        "o": not -top <= x - y < top,
        "b": a < b,
        "z": a == b,
        "be": a <= b,
        "s": rest >= top,
        "p": (rest & 0xFF).bit_count() % 2 == 0,
        "l": x < y,
        "le": x <= y,
    }
    return true | {f"n{name}": not value for name, value in true.items()}


def test_intersections() -> None:
    rng = np.random.default_rng(8)
    for letter, dtype in (("d", np.uint32), ("q", np.uint64)):
        a, b = (rng.integers(0, 12, 64 // np.dtype(dtype).itemsize).astype(dtype) for _ in range(2))
        state = state_with({2: a, 3: b})
        execute(state, f"vp2intersect{letter}", regs.K[4], regs.ZMM[2], regs.ZMM[3])
        assert state.k[4] == sum((x in b) << at for at, x in enumerate(a))
        assert state.k[5] == sum((y in a) << at for at, y in enumerate(b))
