"""Operands of narrow types are converted to f32 as their blocks are packed, wherever kernels would convert them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.ops.block_rules import rules
from tilesmith.runtime.ops.blocks import is_bounded
from tilesmith.runtime.ops.gemm import Gemm
from tilesmith.runtime.ops.product_shapes import MatrixLayout, Work, is_small, shapes_of

ROWS = 12
"""The fewest rows for which two types of 16 bits are converted as they are packed."""
RNG = np.random.default_rng(5)
TYPES: tuple[Any, ...] = (
    "f16",
    ("f16", "f16", "f32"),
    "f8e5m2",
    "f8e4m3",
    ("f32", "i8", "f32"),
    ("u8", "bf16", "bf16"),
    ("f16", "f8e4m3", "f16"),
    ("f32", "f16", "f16"),
)


def operands(m: int, n: int, k: int, types: tuple[str, str, str], order: str = "CCC") -> list[Any]:
    """Return A, B and C of integers so small that every sum of a test is exact."""
    shapes = (m, k), (k, n), (m, n)
    return [
        np.asarray(RNG.integers(0, 2, shape), numpy_dtype(dtype), order=of)  # type: ignore[call-overload]
        for shape, dtype, of in zip(shapes, types, order)
    ]


def exact(a: Any, b: Any, c: Any, beta: float) -> Any:
    return a.astype(np.float64) @ b.astype(np.float64) + beta * c.astype(np.float64)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_products_in_every_order(dtype: Any) -> None:
    """Cut in all dimensions, with remainders, and with beta."""
    high, wide = (70, 33, 700), (64, 47, 300)
    for order, beta, (m, n, k) in (
        ("CCC", 0.0, high),
        ("CCC", 1.0, wide),
        ("CFC", 0.0, wide),
        ("FCC", 1.0, high),
        ("CFF", 0.0, high),
    ):
        made = ts.gemm(m, n, k, dtype=dtype, order=order, beta=beta)  # type: ignore[call-overload]
        a, b, c = operands(m, n, k, made.product.dtypes, order)
        wanted = exact(a, b, c, beta).astype(c.dtype)
        made(a, b, c)
        assert np.array_equal(c, wanted), (order, beta, m, n, k, made.plan)


@pytest.mark.parametrize("target", ["avx512", "avx2", "avx512_fp16", "neon", "neon_bf16", "sve256"])
@pytest.mark.parametrize("dtype", ["f16", ("f16", "f8e4m3", "f32"), ("i8", "bf16", "bf16")], ids=str)
def test_other_machines_in_the_emulator(target: str, dtype: Any) -> None:
    """Any number of workers computes the exact product; the emulator allows no other memory, and finds races."""
    made = ts.gemm(ROWS + 1, 5, 6, dtype=dtype, beta=0.0, target=target, epilogue=ts.relu)
    assert made.plan.widened and "converted to f32" in str(made)
    a, b, c = operands(ROWS + 1, 5, 6, made.product.dtypes)
    a = (a.astype(np.float32) - 1).astype(a.dtype)
    for workers in (1, 3):
        made.run(a, b, c, workers=workers, seed=workers)
        assert np.array_equal(c.astype(np.float64), np.maximum(exact(a, b, c, 0), 0))


@pytest.mark.parametrize("dtype", ["f16", ("f16", "f16", "f32"), ("bf16", "i8", "f32")], ids=str)
def test_they_are_proved(dtype: Any) -> None:
    made = Gemm(ts.gemm(ROWS, 2, 6, dtype=dtype, beta=0.0, target="avx2").request, None)
    made.__dict__["plan"] = replace(made.plan, kb=4)
    assert made.plan.widened and made.verify()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("dtype", ["f16", "f8e4m3", ("bf16", "i8", "bf16")], ids=str)
def test_memory_beside_the_operands(side: str, dtype: Any) -> None:
    made = ts.gemm(65, 50, 70, dtype=dtype, beta=0.0)
    a, b, c = operands(65, 50, 70, made.product.dtypes)
    out = guarded(c, side, writable=True)
    made(guarded(a, side), guarded(b, side), out)
    check_canary(out)
    assert np.array_equal(out.astype(np.float64), exact(a, b, c, 0))


def test_plans_cut_the_product_and_are_bounded() -> None:
    extents = (64, 333, 65536)
    for target, dtype, order in product(("avx512", "avx2"), TYPES, ("CCC", "FFC", "CFF")):
        for m, n, k in product(extents, extents, extents):
            spec: Any = ts.gemm_spec(m, n, k, dtype=dtype, order=order, beta=0.0)  # type: ignore[arg-type]
            for turns in {False, order[2] == "F"}:
                plan = rules(spec, TARGETS[target], 2, turns, False)
                seen = replace(spec, dtypes=("f32", "f32", spec.dtypes[2]))
                packed = replace(plan, turned=False)  # its block of C has its own bound
                bounded = is_bounded(packed, seen, TARGETS[target].l2, TARGETS[target].vector_bits // 32)
                assert not plan.widened or (plan.fits(spec) and bounded), (target, spec, turns, plan)


def test_what_is_not_converted() -> None:
    """Products of few rows, of types with instructions of their own, and of other numerics keep their types."""
    fp16 = host.resolve("avx512_fp16")
    others: tuple[Any, ...] = "bf16", "f32", "f64", "f16xf16", ("u8", "i8", "i32")
    few: tuple[Any, ...] = (ROWS - 1, "f16"), (47, ("f32", "i8", "f32")), (3, "f8e5m2")
    for m, dtype in few:
        assert rules(ts.gemm_spec(m + 1, 200, 200, dtype=dtype), fp16, 1, False, False).widened
    for m, dtype in (*few, *((200, dtype) for dtype in others)):
        assert not rules(ts.gemm_spec(m, 200, 200, dtype=dtype), fp16, 1, False, False).widened
    assert rules(ts.gemm_spec(200, 200, 200, dtype="f16"), fp16, 1, False, False).widened
    assert not rules(ts.gemm_spec(200, 200, 200, dtype="f16"), host.resolve("amx_fp16"), 1, False, False).widened


@pytest.mark.skipif(host.host().arch != "x86", reason="kernels of other machines convert other types")
def test_small_products_of_such_types_are_nests() -> None:
    def small(extent: int, dtype: str, batch: tuple[int, ...] = ()) -> bool:
        shapes = shapes_of((*batch, extent, extent), (*batch, extent, extent), None)
        return is_small(Work(shapes, (dtype,) * 3, None, 1), [MatrixLayout(("C", extent))] * 3)

    assert small(32, "f16") and not small(33, "f16") and small(33, "f16", (3,)) and small(33, "bf16")


def test_results_of_matmul() -> None:
    for dtype, shape in product((np.float16, numpy_dtype("f8e4m3")), ((40, 50, 60), (64, 300, 400))):
        m, n, k = shape
        a, b = (RNG.integers(0, 2, each).astype(dtype) for each in ((m, k), (n, k)))
        for right in (b.T, np.ascontiguousarray(b.T)):
            for _ in range(2):
                made = ts.matmul(a, right)
                assert np.array_equal(made.astype(np.float64), exact(a, right, made, 0))
