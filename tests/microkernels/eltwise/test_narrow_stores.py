"""Results of 8 and 16 bits are rounded and saturated as in numpy, with few instructions, and stored as whole cache
lines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.profiles import is_soak
from tilesmith.emulation.numerics import bf16
from tilesmith.encoder.decode import Decoded, instructions
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]

RANGES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16}
EXECUTED = ("avx2", "avx512")
EMULATED = ("avx512_bf16", "neon", "neon_bf16", "sve256", "sse")
SHAPES = ((3, 333), (5, 64), (1, 31)) if is_soak() else ((2, 333),)
SPECIAL = np.array(
    [
        np.nan,
        -np.nan,
        np.inf,
        -np.inf,
        -0.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        127.5,
        128,
        -128.5,
        -129,
        254.5,
        255.5,
        256,
        32767.5,
        -32768.5,
        65534.5,
        65535.5,
        2.0**31,
        -(2.0**31),
        2.0**31 - 128,
        2.0**32,
        1e38,
        -1e38,
        1e-40,
        -1e-40,
    ],
    np.float32,
)
"""Numbers that saturate or are ties, NaN, numbers beyond i32, denormals."""


def floats(shape: tuple[int, int], seed: int) -> Array:
    rng = np.random.default_rng(seed)
    any_bits = rng.integers(0, 1 << 32, shape, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.where(rng.random(shape) < 0.5, any_bits, (rng.normal(size=shape) * 200).astype(np.float32))
    places = rng.permutation(x.size)[: min(x.size, SPECIAL.size)]
    x.reshape(-1)[places] = SPECIAL[: places.size]
    return x


def saturated(x: Array, out: str) -> Array:
    """Return x rounded to nearest even and saturated to the range of `out`; NaN becomes 0."""
    info = np.iinfo(RANGES[out])
    whole = np.clip(np.rint(np.where(np.isnan(x), np.float32(0), x).astype(np.float64)), info.min, info.max)
    return whole.astype(RANGES[out])


def run(kernel: Kernel, target: str, x: Array, dtype: Any) -> Array:
    """Return the results, called natively between guard pages if this processor runs the kernel, else emulated."""
    y: Array = np.zeros(x.shape, dtype)
    if target in EXECUTED:
        y = guarded(y, "end")
        kernel(guarded(x, "start", writable=False), y)
        check_canary(y)
    else:
        kernel.run(x, y)
    return y


@pytest.mark.parametrize("target", EXECUTED + EMULATED)
def test_results_are_rounded_and_saturated_once(target):
    for number, shape in enumerate(SHAPES):
        x = floats(shape, number)
        with np.errstate(invalid="ignore"):
            whole = np.where(np.abs(x) < 1e9, x, x.view(np.int32)).astype(np.int32)
        for out in RANGES:
            found = run(ts.unary("identity", *shape, out=out, target=target), target, x, RANGES[out])
            assert np.array_equal(found, saturated(x, out)), out
            found = run(ts.unary("identity", *shape, dtype="i32", out=out, target=target), target, whole, RANGES[out])
            assert np.array_equal(found, saturated(whole, out)), out


@pytest.mark.parametrize("target", ["avx512", "avx512_bf16", "amx", "neon_bf16", "sve256"])
def test_bf16_results_where_denormals_may_be_zeros(target):
    """Accuracy "fast" gives the bits of VCVTNE2PS2BF16 by its model, which was compared with a processor. On targets
    without the instruction, "fast" and "exact" give the same bits."""
    x = floats((3, 333), 1)
    x[0, ::3].view(np.uint32)[:] &= 0x807FFFFF
    kernels = [ts.unary("identity", *x.shape, out="bf16", numerics=each, target=target) for each in ("exact", "fast")]
    exact, fast = (run(kernel, target, x, numpy_dtype("bf16")).view(np.uint16) for kernel in kernels)
    flushes = target in ("avx512_bf16", "amx")
    assert np.array_equal(fast, bf16.vcvtneps2bf16(x) if flushes else exact)
    assert np.array_equal(exact, bf16.bfcvt(x))
    assert ("vcvtne2ps2bf16" in kernels[1].listing()) == flushes


def test_roundings_and_bounds_that_the_conversion_repeats_are_left_out():
    shape = {"x": (2, 160), "out": "u8", "dtype": "f32"}
    plain = ts.equation(lambda x: x * 3.0, **shape)
    repeated = ts.equation(lambda x: ts.clamp(ts.rint(ts.relu(x * 3.0)), 0.0, 255.0), **shape)
    assert repeated.code == plain.code
    kept = ts.equation(lambda x: ts.clamp(ts.rint(x * 3.0), 1.0, 254.0), **shape)
    x = floats((2, 160), 3)
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.array_equal(kept(x), saturated(np.clip(np.rint(x * np.float32(3)), 1, 254), "u8"))


# Instructions


def vector_instructions(code: bytes, end: int) -> list[Decoded]:
    found = [instruction for _, _, instruction in instructions(code[:end]) if instruction is not None]
    return [each for each in found if "zmm" in each.text]


def between_loads_and_stores(found: list[Decoded]) -> int:
    """Count the instructions that compute, without moves from or to memory and loads of constants."""
    moves = ("vmovups", "vmovdqu8", "vbroadcastss")
    narrowing = ("vpmovusdb", "vpmovsdb")  # with memory destinations only
    assert all("ptr" in each.text for each in found if each.form.mnemonic in narrowing)
    return sum(each.form.mnemonic not in (*moves, *narrowing) for each in found)


def quantized(c: Any, s: Any, b: Any) -> Any:
    return ts.clamp(ts.rint(c * s + b), -128.0, 255.0)


@pytest.mark.parametrize("family", ["", "zen4"])
@pytest.mark.parametrize("out", ["u8", "i8"])
def test_quantizing_takes_at_most_six_instructions_a_vector(out, family):
    """round(c * scale + bias) of sums of i32 is saturated; the product and the sum are each rounded as in numpy."""
    spec = ts.equation(
        quantized, c=(1, 128), s=(1, 128), b=(1, 128), dtype=("i32", "f32", "f32"), out=out, target="avx512_vnni"
    ).spec
    kernel = Kernel(spec, replace(TARGETS["avx512_vnni"], family=family))
    count = between_loads_and_stores(vector_instructions(kernel.code, len(kernel.code)))
    assert count <= 6 * 128 // 16
    rng = np.random.default_rng(5)
    c = rng.integers(-(2**31), 2**31, (1, 128)).astype(np.int32)
    s, b = (np.where(rng.random((1, 128)) < 0.1, np.nan, rng.normal(size=(1, 128))).astype(np.float32) for _ in "sb")
    s *= np.float32(2.0 ** rng.integers(-31, 8))
    y = np.zeros((1, 128), RANGES[out])
    kernel.run(c, s, b, y)
    assert np.array_equal(y, saturated(c.astype(np.float32) * s + b, out))


@pytest.mark.parametrize("out", ["u8", "i8"])
def test_a_quantizing_epilogue_takes_at_most_six_instructions_a_vector(out):
    """The sums are in registers already, so the epilogue does not load them."""
    kernel = ts.brgemm(
        16,
        32,
        32,
        dtype=("u8", "i8", out),
        beta=0,
        epilogue=quantized,
        target="avx512_vnni",
        operands={"s": "row", "b": "row"},
    )
    found = vector_instructions(kernel.code, len(kernel.code))
    last = max(number for number, each in enumerate(found) if each.form.mnemonic == "vpdpbusd")
    stores = sum(each.form.mnemonic in ("vpmovusdb", "vpmovsdb") for each in found[last:])
    assert 0 < between_loads_and_stores(found[last + 1 :]) <= 6 * stores
