"""Large products equal numpy for every block, remainder, order, type and number of workers, between guard pages."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, laid_out
from tests.profiles import scaled
from tilesmith.emulation.cpu import Region, address_of, execute
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.ops.gemm import Gemm, gemm
from tilesmith.runtime.ops.schedules import Blocks, OwnB, OwnSums, SharedB, SharedSums

BF16 = ml_dtypes.bfloat16
TYPES: dict[Any, tuple[Any, Any, Any]] = {
    "f32": (np.float32, np.float32, np.float32),
    "f64": (np.float64, np.float64, np.float64),
    ("bf16", "bf16", "f32"): (BF16, BF16, np.float32),
    "bf16": (BF16, BF16, BF16),
    ("u8", "i8", "i32"): (np.uint8, np.int8, np.int32),
    "i16": (np.int16, np.int16, np.int32),
}


def cut(product: Gemm, sizes: tuple[int, int, int, int, int], packs_a: bool) -> Gemm:
    """Return the product with smaller blocks, so that small shapes have several of each."""
    plan = product.plan
    mb, nb, kb, nc, ng = sizes
    nb = min(nb, plan.n)
    kb = plan.kb if plan.kb == plan.k and product.product.dtypes[2] == "bf16" else min(kb, plan.k)
    nc = min(plan.n, nc * nb)
    packs_a = packs_a or product.product.order[0] == "F"
    schedule = SharedB(nc, min(nc, ng * nb), packs_a)
    product.__dict__["plan"] = Blocks(plan.m, plan.n, plan.k, min(mb, plan.m), nb, kb, schedule)
    return product


def own(product: Gemm) -> Gemm:
    """Return the product with blocks of B that each worker packs for itself, if A is not packed."""
    plan = product.plan
    product.__dict__["plan"] = plan if plan.packs_a else replace(plan, schedule=OwnB())
    return product


def filled(product: Gemm) -> Gemm:
    """Return the product with packed blocks that are padded with zeros to whole tiles, if A is packed."""
    plan, size = product.plan, ELEMENT_BYTES[product.product.dtypes[0]]
    whole = 64 // size
    if plan.packs_a and size < 4:
        kb = plan.kb if plan.kb == plan.k else min(plan.k, -(-plan.kb // whole) * whole)
        product.__dict__["plan"] = replace(plan, kb=kb, schedule=plan.schedule.filled(whole))
    return product


def summed(product: Gemm, kb: int, rb: int) -> Gemm:
    """Return the product with sums in scratch memory, `rb` rows per kernel call, if C is narrower than the sums."""
    plan, narrow = product.plan, product.product.dtypes[2] != product.product.acc_dtype
    if narrow and product.product.order[2] == "C":
        schedule = SharedSums(plan.nc, min(rb, plan.mb), plan.whole)
        product.__dict__["plan"] = replace(plan, kb=min(kb, plan.k), schedule=schedule)
    return product


def low(product: Gemm, kb: int, rb: int) -> Gemm:
    """Return the same with all rows in one block, and blocks of B that each worker packs for itself."""
    found = summed(product, kb, rb)
    if found.plan.rb:
        plan = found.plan
        product.__dict__["plan"] = replace(plan, mb=plan.m, schedule=OwnSums(plan.rb, whole=plan.whole))
    return product


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return small integers, whose sums are exact in every type."""
    low = 0 if dtype == np.uint8 else -2
    return rng.integers(low, 3, shape).astype(dtype)


sizes = st.tuples(
    st.sampled_from([4, 16, 30]),
    st.sampled_from([16, 32, 40]),
    st.sampled_from([4, 16, 48]),
    st.integers(1, 3),
    st.integers(1, 2),
)


@pytest.mark.slow
@settings(max_examples=scaled(24, 3000))
@given(st.data())
def test_products(data: st.DataObject) -> None:
    draw = data.draw
    m, n, k = (draw(st.integers(1, 100)) for _ in range(3))
    dtype = draw(st.sampled_from(list(TYPES)))
    order = "".join(draw(st.sampled_from("CF")) for _ in "abc")
    gaps = [draw(st.sampled_from([0, 0, 3])) for _ in "abc"]
    beta = draw(st.sampled_from([0.0, 1.0]))
    shapes = (m, k), (k, n), (m, n)
    leading = {
        f"ld{name}": shape[1 if each == "C" else 0] + gap for name, shape, each, gap in zip("abc", shapes, order, gaps)
    }
    product = cut(gemm(m, n, k, dtype=dtype, order=order, beta=beta, **leading), draw(sizes), draw(st.booleans()))
    kind = draw(st.sampled_from(["shared", "own", "filled", "summed", "summed and filled", "low", "low and filled"]))
    product = own(product) if kind == "own" else product
    for name, change in ("summed", summed), ("low", low):
        if name in kind:
            product = change(product, draw(st.sampled_from([4, 16, 48])), draw(st.sampled_from([3, 16])))
    product = filled(product) if "filled" in kind else product
    gemm.cache_clear()  # type: ignore[attr-defined]
    rng, side = np.random.default_rng(draw(st.integers(0, 99))), draw(st.sampled_from(SIDES))
    values = [numbers(rng, shape, each) for shape, each in zip(shapes, TYPES[dtype])]
    a, b, _ = (laid_out(each, place, gap, side, False) for each, place, gap in zip(values, order, gaps))
    wanted = values[0].astype(np.int64) @ values[1].astype(np.int64) + int(beta) * values[2].astype(np.int64)
    for workers in (1, draw(st.sampled_from([2, 3, 7]))):
        c = laid_out(values[2], order[2], gaps[2], side)
        integers, keep = product._call(a, b, c)
        product._run(integers, workers)
        del keep
        np.testing.assert_array_equal(c.astype(np.int64), wanted.astype(TYPES[dtype][2]).astype(np.int64))
        check_canary(c)


SHALLOW: dict[str, Any] = {
    "f32": "f32",
    "f64": "f64",
    "bf16": "bf16",
    "bf16 into f32": ("bf16", "bf16", "f32"),
    "i16": "i16",
}


@pytest.mark.parametrize("m, n, k, gap", [(21, 500, 1, 0), (3, 403, 5, 3), (16, 900, 8, 0)])
@pytest.mark.parametrize("name", SHALLOW)
def test_shallow_products(name: str, m: int, n: int, k: int, gap: int) -> None:
    """If k is small, a block is whole rows of C, and B is not packed; its rows end at the end of the operand."""
    dtype = SHALLOW[name]
    product = gemm(m, n, k, dtype=dtype, beta=1.0, lda=k + gap, ldb=n + gap, ldc=n + gap)
    assert not product.plan.packs_b and product.plan.mb <= 8 and product.plan.kb == k
    rng = np.random.default_rng(k)
    values = [numbers(rng, shape, each) for shape, each in zip(((m, k), (k, n), (m, n)), TYPES[dtype])]
    wanted = values[0].astype(np.int64) @ values[1].astype(np.int64) + values[2].astype(np.int64)
    for side in SIDES:
        a, b = (laid_out(each, "C", gap, side, False) for each in values[:2])
        for workers in (1, 3):
            c = laid_out(values[2], "C", gap, side)
            integers, keep = product._call(a, b, c)
            product._run(integers, workers)
            del keep
            np.testing.assert_array_equal(c.astype(np.int64), wanted)
            check_canary(c)


@pytest.mark.parametrize("packs_a", [True, False])
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_sums_do_not_depend_on_threads(dtype: str, packs_a: bool) -> None:
    """The inputs are not integers, so the sums depend on their order."""
    rng = np.random.default_rng(1)
    product = own(cut(gemm(70, 90, 110, dtype=dtype, beta=0), (16, 32, 16, 2, 1), packs_a))
    gemm.cache_clear()  # type: ignore[attr-defined]
    a, b = (rng.standard_normal(shape).astype(TYPES[dtype][0]) for shape in ((70, 110), (110, 90)))
    found = []
    for workers in (1, 2, 3, 7):
        c = np.zeros((70, 90), TYPES[dtype][2])
        integers, _ = product._call(a, b, c)
        product._run(integers, workers)
        found.append(c.tobytes())
    assert len(set(found)) == 1
    wide = a.astype(np.float64) @ b.astype(np.float64)
    bound = 112 * 2.0**-24 * (np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)))
    rounding = 0 if dtype == "f32" else 2.0**-8 * np.abs(wide)
    assert (np.abs(c.astype(np.float64) - wide) <= bound + rounding + bound * 2**-8).all()


@pytest.mark.parametrize("depth", [40, 110])
def test_epilogues_run_once(depth: int) -> None:
    """The epilogue, with a row, a column, a matrix and a number, runs once, after the last block of k."""
    rng = np.random.default_rng(2)
    operands = {"bias": "row", "scale": "col", "more": None, "one": "scalar"}
    product = cut(
        gemm(
            50,
            70,
            depth,
            beta=1,
            operands=operands,
            epilogue=lambda c, bias, scale, more, one: ts.relu(c * scale + bias) + more * one,
        ),
        (16, 32, 16, 2, 1),
        True,
    )
    a, b, c, more = (numbers(rng, shape, np.float32) for shape in ((50, depth), (depth, 70), (50, 70), (50, 70)))
    bias, scale = numbers(rng, (70,), np.float32), numbers(rng, (50,), np.float32)
    wanted = np.maximum((c + a @ b) * scale[:, None] + bias, 0) + more * 3
    product(a, b, c, bias, scale, more, np.array([3], np.float32))
    np.testing.assert_array_equal(c, wanted)


@pytest.mark.parametrize("change", [summed, low])
@pytest.mark.parametrize("beta", [0.0, 0.5])
def test_sums_in_scratch_memory(beta: float, change: Any) -> None:
    """Sums in scratch memory pass an epilogue with a row, a column, a matrix and a number, and are rounded once."""
    rng = np.random.default_rng(4)
    m, n, k = 50, 70, 110
    shapes = (m, k), (k, n), (m, n), (n,), (m,), (m, n)
    a, b, c, bias, scale, more = (rng.standard_normal(shape).astype(BF16) for shape in shapes)
    operands = {"bias": "row", "scale": "col", "more": None, "one": "scalar"}
    asked: dict[str, Any] = {"dtype": "bf16", "beta": beta, "alpha": 0.25, "operands": operands}
    plain = gemm(m, n, k, **asked, epilogue=lambda c, bias, scale, more, one: ts.relu(c * scale + bias) + more * one)
    product = filled(change(cut(plain, (20, 32, k, 2, 1), True), 64, 16))
    gemm.cache_clear()  # type: ignore[attr-defined]
    wide = [each.astype(np.float64) for each in (a, b, c, bias, scale, more)]
    total = 0.25 * wide[0] @ wide[1] + beta * wide[2]
    wanted = np.maximum(total * wide[4][:, None] + wide[3], 0) + wide[5] * 3
    sizes = np.abs(wide[0]) @ np.abs(wide[1]) + np.abs(wide[2]) + 1
    error = k * 2.0**-24 * sizes * (1 + np.abs(wide[4][:, None])) + np.abs(wide[5]) * 2.0**-22
    found = set()
    for workers in (1, 2, 7):
        into = c.copy()
        product(a, b, into, bias, scale, more, np.array([3], BF16), threads=workers)
        found.add(into.tobytes())
        assert (np.abs(into.astype(np.float64) - wanted) <= np.abs(wanted) * 2.0**-8 + error).all()
    assert len(found) == 1 and "sums in scratch memory" in str(product.plan)


@pytest.mark.parametrize("target, dtype", [("neon", "f32"), ("avx2", "f32"), ("avx512", "bf16"), ("neon", "bf16")])
def test_other_machines_in_the_emulator(target: str, dtype: str) -> None:
    rng = np.random.default_rng(3)
    product = cut(gemm(7, 20, 5, dtype=dtype, beta=0, target=target), (3, 16, 4, 1, 1), True)
    product = filled(summed(product, 4, 2)) if dtype == "bf16" else product
    gemm.cache_clear()  # type: ignore[attr-defined]
    shapes = (7, 5), (5, 20), (7, 20)
    a, b, c = (numbers(rng, shape, each) for shape, each in zip(shapes, TYPES[dtype]))
    kernels = product.kernels
    scratch = np.zeros(kernels.bytes_packed + kernels.bytes_own, np.uint8)
    arrays = [a, b, c, scratch, scratch[kernels.bytes_packed :]]
    table = np.array([*map(address_of, arrays), 0, 0], np.uint64)
    regions = [
        Region("table", table, False),
        Region("a", a, False),
        Region("b", b, False),
        Region("c", c),
        Region("scratch", scratch),
    ]
    execute(product.code, product.target, [address_of(table), 0, 1], regions)
    np.testing.assert_array_equal(c.astype(np.int64), a.astype(np.int64) @ b.astype(np.int64))


def test_sums_in_scratch_memory_are_proved() -> None:
    """The proof is over the reals with each element rounded once; the zeros that pad blocks do not change a sum."""
    product = gemm(9, 20, 40, dtype="bf16", beta=0, target="avx512_bf16")
    proof = filled(summed(cut(product, (8, 16, 40, 1, 1), True), 32, 4)).verify()
    gemm.cache_clear()  # type: ignore[attr-defined]
    assert proof and product.plan.rb == 4 and product.plan.whole == 32, str(proof)


def test_calls() -> None:
    product = gemm(200, 300, 100, beta=0)
    a, b = np.ones((200, 100), np.float32), np.ones((100, 300), np.float32)
    assert (product(a, b) == 100).all()
    assert pickle.loads(pickle.dumps(product)).request == product.request
    c = np.zeros((200, 300), np.float32)
    assert product(a, b, out=c, threads=2) is c and (c == 100).all()
    with pytest.raises(ValueError, match="b: "):
        product(a, a)
    with pytest.raises(UnsupportedError, match="leading dimensions must be numbers"):
        gemm(4, 4, 4, lda=ts.RUNTIME)
    with pytest.raises(ValueError, match="threads: 0"):
        gemm(4, 4, 4, threads=0)
    assert replace(product.plan, mb=4) != product.plan
    assert "call" in product.listing() and "blocks of" in str(product.plan)


def test_blocks_without_a_kernel_are_refused_when_the_product_is_made() -> None:
    """The error names a request that works instead."""
    relu: dict[str, Any] = {"dtype": ("i8", "i8", "i8"), "beta": 1.0, "epilogue": ts.relu, "target": "avx512"}
    with pytest.raises(UnsupportedError, match="compute its transpose, ts.gemm"):
        gemm(333, 64, 500, order="FCF", **relu)
    assert gemm(64, 333, 500, order="FCC", **relu).code


def test_stacks() -> None:
    """Independent products of a stack: small ones in one kernel call, many of them on threads."""
    rng = np.random.default_rng(0)
    kernel: Any = ts.gemm(17, 9, 12, stack=ts.RUNTIME, beta=0, threads=2)
    for count in (0, 1, 5, 3000):
        a = rng.integers(-3, 4, (count, 17, 12)).astype(np.float32)
        for b in (rng.integers(-3, 4, (count, 12, 9)).astype(np.float32), np.ones((12, 9), np.float32)):
            np.testing.assert_array_equal(kernel(a, b), a @ b)
            c = np.full((count, 17, 9), 77, np.float32)
            assert kernel(a, b, out=c) is c
            np.testing.assert_array_equal(c, a @ b)
    with pytest.raises(UnsupportedError, match="epilogue: not supported together with stack="):
        ts.gemm(4, 4, 4, stack=3, epilogue=ts.relu)


def test_calls_of_the_same_layout() -> None:
    """A call whose arrays have the layout of an earlier call is not checked again; a wrong call is refused again."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, (70, 70)).astype(np.float32) for _ in range(2))
    c = np.zeros((70, 70), np.float32)
    kernel = ts.gemm(70, 70, 70, beta=0.0)
    for _ in range(2):
        kernel(a, b, c)
        np.testing.assert_array_equal(c, a @ b)
        with pytest.raises(ValueError, match="must not overlap"):
            kernel(a, b, a)
    assert kernel._known.find((b, a, c)) is not None
