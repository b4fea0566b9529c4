"""AMX tiles and SME's ZA array in the emulator: configurations, products, and the state that must be released."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.emulation.assembled import AVX512, SVE, R, X, assembled, fault_of, rdi
from tilesmith.emulation.cpu import AbiViolation, address_of, call
from tilesmith.emulation.numerics import amx
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.a64.targets import TARGETS as A64_TARGETS
from tilesmith.encoder.features import Target, closure
from tilesmith.encoder.x86 import registers as x86

TILES = Target("tiles", "x86", "avx512", AVX512.features | closure(["AMX_BF16", "AMX_INT8"]), 512, 512)


# Tiles


def tiles(config: bytes, shift: int = 0) -> bytes:
    """Return code that loads a configuration, `shift` bytes behind a multiple of 64."""

    def emit(m: Any) -> None:
        m.ldtilecfg(x86.ptr[rdi + shift])
        m.tilerelease()

    return assembled(TILES, emit)


def aligned(data: bytes) -> Any:
    """Return the bytes at a multiple of 64, followed by 64 more."""
    room = np.zeros(len(data) + 128, np.uint8)
    at = -address_of(room) % 64
    room[at : at + len(data)] = np.frombuffer(data, np.uint8)
    return room[at : at + len(data) + 64]


def test_wrong_tile_configurations_are_reported() -> None:
    right = amx.config({0: (16, 64)})
    call(tiles(right), TILES, aligned(right))
    assert "not aligned to 64" in fault_of(tiles(right, 8), TILES, aligned(right)).reason
    for wrong in (
        amx.config({0: (17, 64)}),
        amx.config({0: (16, 65)}),
        amx.config({0: (16, 0)}),
        amx.config({}, palette=2),
    ):
        fault = fault_of(tiles(wrong), TILES, aligned(wrong))
        assert "#GP" in fault.reason
        assert "ldtilecfg" in fault.text
    assert "no tiles are configured" in fault_of(assembled(TILES, lambda m: m.tilezero(x86.TMM[0])), TILES).reason


def test_tiles_multiply() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (3, 8), np.int8), rng.integers(-128, 128, (8, 5), np.int8)
    packed = np.ascontiguousarray(b.reshape(2, 4, 5).transpose(0, 2, 1))  # groups of four along k
    c = rng.integers(-100, 100, (3, 5), np.int32)
    expected = c + a.astype(np.int32) @ b.astype(np.int32)
    config = aligned(amx.config({0: (3, 20), 1: (3, 8), 2: (2, 20)}))
    t, strides = x86.TMM, (20, 8, 20)

    def emit(m: Any) -> None:
        m.ldtilecfg(x86.ptr[rdi])
        for tile, base, stride in zip(t, (R["rcx"], R["rsi"], R["rdx"]), strides):
            m.mov(R["r11"], stride)
            m.tileloadd(tile, x86.ptr[base + R["r11"]])
        m.tdpbssd(t[0], t[1], t[2])
        m.mov(R["r11"], 20)
        m.tilestored(x86.ptr[R["rcx"] + R["r11"]], t[0])
        m.tilerelease()

    call(assembled(TILES, emit), TILES, config, a, packed, c)
    assert c.tolist() == expected.tolist()


def test_tiles_left_configured_are_a_violation() -> None:
    config = aligned(amx.config({0: (16, 64)}))
    with pytest.raises(AbiViolation, match="tilerelease"):
        call(assembled(TILES, lambda m: m.ldtilecfg(x86.ptr[rdi])), TILES, config)


# SME


def test_outer_products_are_those_of_the_server(aarch64: Any) -> None:
    """za1.s += rows (x) columns with predicates, loads and stores of rows and columns, streaming mode on and off."""
    target = Target("sme", "a64", "sme", SVE.features | A64_TARGETS["neon_bf16"].features | {"SME"}, 256, 256)
    if aarch64.features().get("SME") or 256 not in aarch64.streaming_lengths():
        pytest.skip("the server's processor has no SME of 256 bits")
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((2, 8)).astype(np.float32), rng.standard_normal((2, 8)).astype(np.float32)
    c = rng.standard_normal((8, 8)).astype(np.float32)
    w, z, p, tile = a64.W, a64.Z, a64.P, a64.ZA[1].s

    def emit(m: Any) -> None:
        m.sub(a64.sp, a64.sp, 64)
        for i in range(4):
            m.stp(a64.D[8 + 2 * i], a64.D[9 + 2 * i], a64.mem[a64.sp, 16 * i])
        m.smstart()
        m.zero(a64.za)
        m.movz(X[9], 7)
        m.whilelo(p[0].s, a64.xzr, X[9])
        m.ptrue(p[1].s)
        m.movz(w[12], 0)
        for row in range(4):
            m.ld1w(tile.h[w[12], row], p[1].z, a64.mem[X[2]])
            m.add(X[2], X[2], 32)
        for k in range(2):
            m.ldr(z[0], a64.mem[X[0], k * a64.vl])
            m.ldr(z[1], a64.mem[X[1], k * a64.vl])
            m.fmopa(tile, p[0].m, p[1].m, z[0].s, z[1].s)
        m.mova(z[2].s, p[1].m, tile.v[w[12], 1])
        m.str(z[2], a64.mem[X[3]])
        for row in range(4):
            m.st1w(tile.h[w[12], row], p[0], a64.mem[X[4]])
            m.add(X[4], X[4], 32)
        m.smstop()
        for i in range(4):
            m.ldp(a64.D[8 + 2 * i], a64.D[9 + 2 * i], a64.mem[a64.sp, 16 * i])
        m.add(a64.sp, a64.sp, 64)

    code = assembled(target, emit)
    results = []
    for run in (lambda *x: call(code, target, *x), lambda *x: aarch64.call(code, *x, streaming_bits=256)):
        column, rows = np.zeros(8, np.float32), np.zeros((4, 8), np.float32)
        run(a, b, c[:4].copy(), column, rows)
        results.append((column, rows))
    assert results[0][0].tobytes() == results[1][0].tobytes()
    assert results[0][1].tobytes() == results[1][1].tobytes()
    expected = c[:4] + a[:, :4].T @ b
    np.testing.assert_allclose(results[0][1][:, :7], expected[:, :7], rtol=1e-5)
    with pytest.raises(AbiViolation, match="svcr"):
        call(assembled(target, lambda m: m.smstart()), target)
