"""Blocks of products on targets with sixteen vector registers: panels of B, within the bounds of scratch memory."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.tuning.products import BLOCKS, PANELS
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.ops.blocks import blocks, is_bounded, private
from tilesmith.runtime.ops.gemm import Gemm
from tilesmith.runtime.ops.panel_blocks import narrow, panels
from tilesmith.runtime.ops.schedules import Blocks, SharedB

EXTENTS = (1, 25, 64, 65, 333, 1000, 4096, 65536)


def plan_of(m: int, n: int, k: int, l2: int = 1 << 19, lanes: int = 8, **request: Any) -> tuple[Blocks, Any]:
    spec = ts.gemm_spec(m, n, k, **request)
    return panels(private(blocks(spec, l2, lanes, 2, 2, PANELS.unpacked), spec, l2, 2), spec, l2, lanes, 2), spec


def narrow_plan_of(m: int, n: int, k: int, l2: int = 1 << 20, lanes: int = 16, **request: Any) -> tuple[Blocks, Any]:
    """Return blocks for thirty-two vector registers, and the product."""
    spec = ts.gemm_spec(m, n, k, **request)
    return narrow(private(blocks(spec, l2, lanes, 2, 2), spec, l2, 2), spec, l2, lanes), spec


@pytest.mark.parametrize(
    ("size", "dtype", "l2", "rows"),
    [
        (1024, "f64", 1 << 20, 32),
        (2048, "f64", 1 << 20, 32),  # 24 rows leave one of two cores 520 of 1024 rows
        (1000, "f64", 1 << 20, 24),
        (1024, "f64", 1 << 19, 16),  # a quarter of L2 does not hold 32 rows
        (4096, "bf16", 1 << 20, 24),
    ],
)
def test_rows_that_divide_the_work_evenly(size: int, dtype: str, l2: int, rows: int) -> None:
    spec = ts.gemm_spec(size, size, size, dtype=dtype)
    assert blocks(spec, l2, 8 if dtype == "f64" else 16, 2, 2).mb == rows


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", ("u8", "i8", "i32")], ids=str)
@pytest.mark.parametrize(
    ("planned", "bits", "l2"),
    [
        *((plan_of, 256, l2) for l2 in (1 << 18, 1 << 19, 2 << 20)),
        *((narrow_plan_of, 512, l2) for l2 in (1 << 18, 1 << 20, 2 << 20)),
    ],
)
def test_blocks_cut_the_product_and_are_bounded(planned: Any, bits: int, l2: int, dtype: Any) -> None:
    lanes = bits // (64 if dtype == "f64" else 32)
    for order, m, n, k in product(("CCC", "FCC", "CFF"), EXTENTS, EXTENTS, EXTENTS):
        plan, spec = planned(m, n, k, l2, lanes, dtype=dtype, order=order)
        assert plan.fits(spec) and is_bounded(plan, spec, l2, lanes), (order, m, n, k, plan)


@pytest.mark.parametrize(
    "size, l2, dtype, expected",
    [
        ((1024, 1024, 1024), 1 << 20, "f32", (48, 8)),
        ((1024, 1024, 1024), 1 << 20, "bf16", (64, 0)),
        ((4096, 4096, 64), 1 << 20, "f32", (192, 0)),
        ((1024, 1024, 1024), 2 << 20, "f32", (192, 0)),
        ((64, 4096, 4096), 1 << 20, "f32", (192, 0)),
        ((4096, 64, 4096), 1 << 20, "f32", (64, 0)),
    ],
)
def test_narrow_blocks_are_panels(size: tuple[int, int, int], l2: int, dtype: str, expected: tuple[int, int]) -> None:
    """Blocks stay wide if k is short, if each worker packs its own ones, if L2 is large, or if C is narrow."""
    plan, _ = narrow_plan_of(*size, l2=l2, dtype=dtype, beta=0.0)
    assert (plan.nb, plan.lines) == expected and plan.packs_b


@pytest.mark.parametrize(
    "target, dtype",
    [
        ("avx512_bf16", "f32"),
        ("avx512_bf16", "bf16"),
        ("avx2", "f32"),
        ("avx2", ("u8", "i8", "i32")),
        ("sse", "f64"),
    ],
)
def test_layers_of_any_number_of_rows_read_the_same_panels(target: str, dtype: Any) -> None:
    """The layout of packed weights does not depend on the number of rows, so a layer takes those of another one."""
    layers = [ts.linear(m, 600, 1700, dtype=dtype, bias=False, target=target) for m in (1, 7, 64, 513, 5000)]
    assert len({(layer.plan.nb, layer.plan.kb) for layer in layers}) == 1


@pytest.mark.parametrize(
    "size, dtype, expected",
    [
        ((1024, 1024, 1024), "f32", (24, 1024, 8)),
        ((64, 4096, 4096), "f32", (24, 512, 8)),
        ((1024, 1024, 1024), "bf16", (24, 1024, 0)),
        ((256, 256, 256), "f32", (24, 256, 8)),
    ],
)
def test_columns_depth_and_lines(size: tuple[int, int, int], dtype: str, expected: tuple[int, int, int]) -> None:
    plan, _ = plan_of(*size, dtype=dtype, beta=0.0)
    assert (plan.nb, plan.kb, plan.lines) == expected and plan.packs_b and not plan.own_b


def test_a_small_b_is_not_packed() -> None:
    assert not plan_of(200, 200, 200)[0].packs_b and PANELS.unpacked < BLOCKS.unpacked


@pytest.mark.parametrize("target", ["sse", "avx2"])
def test_targets_of_sixteen_registers_have_panels(target: str) -> None:
    if why := host.runs(host.resolve(target)):
        pytest.skip(why)
    rng = np.random.default_rng(0)
    m, n, k = 70, 3001, 530
    op = ts.gemm(m, n, k, target=target, beta=0.0)
    assert isinstance(op, Gemm) and op.plan.lines
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(op(a, b, threads=threads), a @ b)


def test_weights_of_few_rows_are_read_as_streams_where_no_near_cache_holds_them() -> None:
    """The bytes of the weights decide, as a multiple of L2, and whether reading takes longer than multiplying."""
    rng, target = np.random.default_rng(2), replace(ts.host(), l2=1 << 13)
    for rows, n, streams in ((8, 100, False), (8, 300, True), (12, 300, True), (13, 300, False)):
        layer = ts.linear(rows, n, 120, target=target)
        assert bool(layer.plan.lines) == streams, (rows, n)
        x, w = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((rows, 120), (120, n)))
        for threads in (1, 3):
            np.testing.assert_array_equal(layer(x, layer.pack(w), np.ones(n, np.float32), threads=threads), x @ w + 1)


@pytest.mark.slow
def test_lines_that_are_packed_at_a_time_are_proved() -> None:
    """Rows of B are packed three at a time, with a partial group and a partial panel; the proof also excludes races."""
    op = ts.gemm(5, 20, 11, beta=0.0, target="avx2")
    assert isinstance(op, Gemm)
    made = Gemm(op.request, None)
    made.__dict__["plan"] = replace(op.plan, mb=4, nb=8, kb=8, schedule=SharedB(16, 16, lines=3))
    assert made.plan.fits(made.product) and made.verify()
    if not host.runs(made.target):
        a, b = np.arange(55, dtype=np.float32).reshape(5, 11), np.arange(220, dtype=np.float32).reshape(11, 20)
        np.testing.assert_array_equal(made(a, b, threads=2), a @ b)
