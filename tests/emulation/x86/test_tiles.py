"""Tile instructions that no processor at hand has, against exact sums and the definitions of ISE 319433. For those of
this processor, numerics/test_amx.py decides."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.emulation.x86.exact import execute, nearest, state_with
from tests.profiles import scaled
from tilesmith.emulation.core.memory import address_of
from tilesmith.emulation.numerics.amx import config
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.registers import mem

RUNS = scaled(1, 60)
M, N, STEPS = 3, 5, 4
EIGHTHS = {"b": ml_dtypes.float8_e5m2, "h": ml_dtypes.float8_e4m3fn}
R, T = regs.R64, regs.TMM


def tiled(c: Any, a: Any, b: Any) -> Any:
    """Return a processor with three tiles: c is M x N, a is M x STEPS, b is STEPS x N elements of four bytes."""
    state = state_with()
    state.tiles.ldtilecfg(config({0: (M, 4 * N), 1: (M, 4 * STEPS), 2: (STEPS, 4 * N)}))
    for tile, content in enumerate((c, a, b)):
        raw = content.view(np.uint8)
        state.tiles.data[tile, : raw.shape[0], : raw.shape[1]] = raw
    return state


@pytest.mark.parametrize("kinds", ["bb", "hh", "bh", "hb"])
def test_products_of_eight_bit_floats(kinds: str) -> None:
    """All products of an element are summed exactly, rounded once, and added to the result."""
    first, second = kinds
    mnemonic = f"tdp{first if first == second else kinds}f8ps"
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        a, b = (rng.integers(0, 256, shape, np.uint8) for shape in ((M, 4 * STEPS), (STEPS, 4 * N)))
        c = rng.standard_normal((M, N)).astype(np.float32)
        state = tiled(c, a, b)
        execute(state, mnemonic, T[0], T[1], T[2])
        got = state.tiles.data[0, :M, : 4 * N].view(np.float32)
        x, y = a.view(EIGHTHS[first]).astype(float), b.view(EIGHTHS[second]).astype(float)
        for m in range(M):
            for n in range(N):
                pairs = [(x[m, 4 * k + j], y[k, 4 * n + j]) for k in range(STEPS) for j in range(4)]
                with np.errstate(all="ignore"):
                    plain = sum(p * q for p, q in pairs)
                if not np.isfinite(plain):
                    assert np.array_equal(got[m, n], np.float32(plain), equal_nan=True)
                    continue
                total = nearest(sum((Fraction(p) * Fraction(q) for p, q in pairs), Fraction(0)), "f32")
                assert got[m, n] == nearest(Fraction(float(c[m, n])) + Fraction(total), "f32")


def test_products_of_tf32() -> None:
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        a, b, c = (rng.standard_normal(shape).astype(np.float32) for shape in ((M, STEPS), (STEPS, N), (M, N)))
        state = tiled(c, a, b)
        execute(state, "tmmultf32ps", T[0], T[1], T[2])
        got = state.tiles.data[0, :M, : 4 * N].view(np.float32)
        x, y = ((each.view(np.uint32) & 0xFFFF_E000).view(np.float32) for each in (a, b))
        for m in range(M):
            for n in range(N):
                total = 0.0
                for k in range(STEPS):
                    total = nearest(Fraction(float(x[m, k])) * Fraction(float(y[k, n])) + Fraction(total), "f32")
                assert got[m, n] == nearest(Fraction(float(c[m, n])) + Fraction(total), "f32")


def test_rows_of_tiles() -> None:
    rng = np.random.default_rng(9)
    state = state_with()
    state.tiles.ldtilecfg(config({1: (M, 64)}))
    words = rng.standard_normal((M, 16)).astype(np.float32) * np.float32(100)
    state.tiles.data[1, :M] = words.view(np.uint8)
    whole = words.view(np.int32)
    rows = {
        "tilemovrow": words.view(np.uint32),
        "tcvtrowd2ps": whole.astype(np.float32).view(np.uint32),
        "tcvtrowps2phl": words.astype(np.float16).view(np.uint16).astype(np.uint32),
        "tcvtrowps2phh": words.astype(np.float16).view(np.uint16).astype(np.uint32) << 16,
        "tcvtrowps2bf16l": words.astype(ml_dtypes.bfloat16).view(np.uint16).astype(np.uint32),
        "tcvtrowps2bf16h": words.astype(ml_dtypes.bfloat16).view(np.uint16).astype(np.uint32) << 16,
    }
    for mnemonic, wanted in rows.items():
        for number in (0, 2, M, 15):
            right = wanted[number] if number < M else np.zeros(16, np.uint32)
            state.r[3] = number + 16  # only the low four bits count
            for operand in (number, regs.R32[3]):
                state.vectors[7] = 0xAA
                execute(state, mnemonic, regs.ZMM[7], T[1], operand)
                assert np.array_equal(state.vectors[7].view(np.uint32), right), (mnemonic, number)


def test_loads_that_hint_at_sharing() -> None:
    memory = np.arange(M * 64, dtype=np.uint8).reshape(M, 64)
    for mnemonic in ("tileloaddrs", "tileloaddrst1"):
        state = state_with(memory=memory)
        state.tiles.ldtilecfg(config({1: (M, 64)}))
        state.r[7], state.r[6] = address_of(memory), 64
        execute(state, mnemonic, T[1], mem(R[7], 0, R[6], 1))
        assert np.array_equal(state.tiles.data[1, :M], memory)
