"""Batches whose size the call gives, SME and MMLA products and tiles of AMX added all terms one after the other:
100,000 pairs of 4 x 4 x 4 with equal elements were off by 3,000 u. What stands in for tiles had levels, tiles had none,
and so other bits beyond k = 4,096."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, guarded
from tests.profiles import is_soak
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.codegen import long_sums
from tilesmith.microkernels.gemm import blocking, plan
from tilesmith.microkernels.prepack import block_plan, operand_plan, pair_plan
from tilesmith.runtime.host.detect import runs
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.kernel.request_cache import forget_all

BF16 = np.dtype(ml_dtypes.bfloat16)
MIXED = ("bf16", "bf16", "f32")
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]
BATCHES = (ts.STRIDE, ts.OFFSET, ts.ADDRESS)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Levels from 16 terms on, each of 4 additions, which the emulator reaches."""
    for module in (long_sums, plan, block_plan, operand_plan, pair_plan):
        monkeypatch.setattr(module, "MOST_TERMS", 16)
    for module in (long_sums, plan):
        monkeypatch.setattr(module, "MOST_OF_BLOCK", 8)
    for module in (long_sums, blocking):
        monkeypatch.setattr(module, "STEPS_OF_PRODUCTS", 4)
    forget_all()
    yield
    forget_all()  # no other test gets these kernels


def called(kernel: Any, batch: Any, a: Any, b: Any, c: Any, *further: Any) -> Any:
    """Call a kernel on the pairs of two stacks of matrices."""
    run, count, sizes = kernel if kernel.address else kernel.run, len(a), (a[0].nbytes, b[0].nbytes)
    if batch is None:
        return run(a[0], b[0], c, *further)
    if batch is ts.STRIDE:
        return run(a[0], b[0], c, count, *sizes, *further)
    tables = [np.arange(count) * size for size in sizes]
    if batch is ts.OFFSET:
        return run(a[0], b[0], c, *tables, *further)
    starts = [x.__array_interface__["data"][0] + table for x, table in zip((a, b), tables)]
    return run(*(start.astype(np.uint64) for start in starts), c, *further)


def whole(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any = "f4") -> Any:
    return rng.integers(-3, 4, shape).astype(dtype)


def vnni(x: Any, layout: str) -> Any:
    """Pack the rows of each matrix in pairs."""
    count, k, n = x.shape
    even = np.zeros((count, k + k % 2, n), x.dtype)
    even[:, :k] = x
    return np.ascontiguousarray(even.reshape(count, -1, 2, n).transpose(0, 1, 3, 2)) if layout else x


def exact(a: Any, b: Any) -> Any:
    return sum(x @ y for x, y in zip(a.astype("f8"), b.astype("f8")))


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_many_pairs(target: str, batch: Any) -> None:
    """Equal and random terms. The first pairs are a block of any size; 4,096 terms are the last without levels."""
    rng = np.random.default_rng(1)
    cases = [((4, 7, 4), 9_000), ((16, 17, 3), 3_001), ((3, 5, 1500), 9), ((3, 5, 4200), 3)]
    cases += [((4, 7, 4), count) for count in (1024, 1025)] + [((5, 3, 1), 10**6), ((1, 5, 7), 9_000)] * is_soak()
    for (m, n, k), count in cases:
        a, b = np.full((count, m, k), 0.1, "f4"), np.full((count, k, n), 0.1, "f4")
        a[:, 0] = rng.random((count, k))
        for beta in (0.0, 1.0):
            c = np.ones((m, n), "f4")
            called(ts.brgemm(m, n, k, batch=batch, beta=beta, target=target), batch, a, b, c)
            wanted = exact(a, b) + beta
            assert (abs(c - wanted) <= 1100 * 2.0**-24 * wanted).all()  # 1,024 additions between two levels


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_pairs_packed_in_blocks_are_summed_by_themselves(batch: Any) -> None:
    m, n, k, count = 8, 9, 40, 300
    a, b = np.full((count, k, m), 0.1, "f4").transpose(0, 2, 1), np.full((count, n, k), 0.1, "f4").transpose(0, 2, 1)
    c = np.ones((m, n), "f4")
    called(ts.brgemm(m, n, k, batch=batch, order=("F", "F", "C"), target=NATIVE[-1]), batch, a, b, c)
    wanted = exact(a, b) + 1
    assert (abs(c - wanted) <= (k + count) * 2.0**-24 * wanted).all()


EVERY = [*((target, "f32") for target in NATIVE), (NATIVE[-1], MIXED), ("sme256", MIXED), ("neon", "f32")]
if is_soak():
    targets = (*NATIVE, "sme128", "sme256", "sme512", "neon", "neon_bf16", "sve256")
    EVERY = [(target, dtype) for target in targets for dtype in ("f32", MIXED, "f64")]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("order", ["C", ("F", "C", "C"), ("C", "F", "C"), "F"])
@pytest.mark.parametrize("target, dtype", EVERY)
def test_all_places_of_sums(target: str, dtype: Any, order: Any) -> None:
    """Whole numbers, whose sums are exact, in vectors and accumulators, with all tails and 0 to 11 pairs."""
    rng, native = np.random.default_rng(2), target in NATIVE
    numpy = BF16 if dtype is MIXED else np.dtype(dtype.replace("f", "float"))
    shapes = [(5, 7, 3), (3, 5, 43), (9, 33, 21)] if native or is_soak() else [(3, 7, 9)]
    batches = [*BATCHES, None] if native or is_soak() else [ts.STRIDE, None]
    for m, n, k in shapes:
        for batch in batches:
            kernel = ts.brgemm(m, n, k, dtype=dtype, batch=batch, order=order, target=target)
            for count in (1, 11) if batch is not None else (1,):
                a, b = whole(rng, (count, m, k), numpy), whole(rng, (count, k, n), numpy)
                orders = order if isinstance(order, tuple) else (order,) * 3
                given = [
                    x if each == "C" else np.ascontiguousarray(x.transpose(0, 2, 1)).transpose(0, 2, 1)
                    for x, each in zip((a, b), orders)
                ]
                c = np.array(whole(rng, (m, n)), "f4" if dtype is MIXED else numpy, order=orders[2])
                wanted = exact(a, b) + c
                called(kernel, batch, *given, c)
                np.testing.assert_array_equal(c, wanted)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("target", ["neon_bf16"] + ["sve128", "sve256", "sve512"] * is_soak())
def test_mmla(target: str) -> None:
    rng = np.random.default_rng(3)
    for (m, n, k), batch, count in [((5, 7, 33), ts.STRIDE, 9), ((3, 5, 90), None, 1), ((9, 4, 12), ts.OFFSET, 7)]:
        request = {"dtype": MIXED, "a_layout": "mmla", "b_layout": "mmla", "target": target}
        kernel = ts.brgemm(m, n, k, batch=batch, **request)
        assert kernel.plan.panels[0].scheme.value == "mmla" and kernel.plan.levels is not None
        a, b, c = whole(rng, (count, m, k), BF16), whole(rng, (count, k, n), BF16), whole(rng, (m, n))
        to_a, to_b = ts.transform("mmla2x4", m, k, dtype="bf16"), ts.transform("mmla2x4t", k, n, dtype="bf16")
        wanted = exact(a, b) + c
        called(kernel, batch, np.stack([to_a.run(x) for x in a]), np.stack([to_b.run(x) for x in b]), c)
        np.testing.assert_array_equal(c, wanted)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("layout", ["", "vnni"])
def test_tiles_and_what_stands_in_for_them(layout: str) -> None:
    """The same bits from both, at random and with whole numbers."""
    rng, given = np.random.default_rng(4), {"b_layout": layout} if layout else {}
    for (m, n, k), batch, count in [((3, 5, 300), None, 1), ((5, 20, 65), ts.STRIDE, 7), ((18, 3, 100), ts.OFFSET, 5)]:
        kernel = ts.brgemm(m, n, k, dtype=MIXED, batch=batch, target="amx", **given)
        other = Kernel(kernel.plan.stand_in, kernel.target)
        a, b = whole(rng, (count, m, k), BF16), whole(rng, (count, k, n), BF16)
        c = np.zeros((m, n), "f4")
        called(kernel, batch, a, vnni(b, layout), c)
        np.testing.assert_array_equal(c, exact(a, b))
        a, b = rng.random((count, m, k)).astype(BF16), vnni(rng.random((count, k, n)).astype(BF16), layout)
        found = [np.ones((m, n), "f4") for _ in range(2)]
        for each, result in zip((kernel, other), found):
            called(each, batch, a, b, result)
        assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("target", [*NATIVE[-2:], "amx"] + ["sme256"] * is_soak())
def test_epilogues(target: str) -> None:
    """Statistics and expressions on sums with levels, in registers, on grids and in walks."""
    rng, dtype = np.random.default_rng(5), MIXED if target in ("amx", "sme256") else "f32"
    functions = [(lambda c: ts.relu(c), 0), (lambda c: (c, ts.statistic("sum", c, 0)), 1)]
    for (m, n, k), batch, count in [((5, 39, 130), ts.STRIDE, 9), ((14, 7, 33), ts.ADDRESS, 5), ((7, 9, 650), None, 1)]:
        layout = "vnni" if target == "amx" else ""
        for function, statistics in functions:
            made = {"dtype": dtype, "batch": batch, "target": target, "epilogue": function}
            kernel = ts.brgemm(m, n, k, **made, **({"b_layout": layout} if layout else {}))
            shapes, numpy = ((count, m, k), (count, k, n), (m, n)), BF16 if dtype is MIXED else np.dtype("f4")
            a, b, c = (whole(rng, each, numpy) for each in shapes)
            c, sums = c.astype("f4"), [np.empty(n, "f4")] * statistics
            wanted = exact(a, b) + c
            called(kernel, batch, a, vnni(b, layout), c, *sums)
            np.testing.assert_array_equal(c, wanted if statistics else np.maximum(wanted, 0))
            for total in sums:
                np.testing.assert_array_equal(total, wanted.sum(0))


@pytest.mark.parametrize("side", SIDES)
def test_nothing_outside_the_operands_is_touched(side: str) -> None:
    m, n, k, count = 5, 7, 3, 3000
    a, b = (guarded(np.full((count, *each), 0.5, "f4"), side, False) for each in ((m, k), (k, n)))
    tables = [guarded(np.arange(count) * x[0].nbytes, side, False) for x in (a, b)]
    for target in NATIVE:
        c = [guarded(np.zeros((m, n), "f4"), side) for _ in range(2)]
        ts.brgemm(m, n, k, batch=ts.STRIDE, target=target)(a[0], b[0], c[0], count, a[0].nbytes, b[0].nbytes)
        ts.brgemm(m, n, k, batch=ts.OFFSET, target=target)(a[0], b[0], c[1], *tables)
        assert (np.array(c) == count * k / 4).all()


def test_a_pair_alone_has_the_code_of_before() -> None:
    """Few pairs run code without levels, which comes first; the stack of the other code is known."""
    kernel = ts.brgemm(8, 8, 8, batch=ts.STRIDE, target=NATIVE[-1])
    text = kernel.listing("gas")
    assert kernel.plan.pairs_without_levels == 512 and kernel.stack_bytes > 0
    assert text.index(".Lmany") < text.index("ret") < text.rindex(".Lmany")
