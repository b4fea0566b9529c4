"""Epilogues with several results: further values, bit masks, residuals, dropout, and statistics of columns.

The sums come from the kernel without an epilogue; numpy computes the epilogue from them here. Statistics must have the
bits of a loop over rows. If the processor lacks the target, the emulator executes the code and faults at every byte
beside the operands. Otherwise the arrays lie between guard pages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.profiles import scaled
from tests.threefry_model import words
from tilesmith.microkernels.choice import refused
from tilesmith.microkernels.epilogue import plan as epilogue_plan
from tilesmith.microkernels.epilogue.spec import epilogue_spec
from tilesmith.microkernels.epilogue.tile_plan import TileEpiloguePlan, in_tiles
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel, kernel

Array = np.ndarray[Any, Any]
BF16_F32, QUANTIZED = ("bf16", "bf16", "f32"), ("u8", "i8", "i8")
SEED, ROW, COLUMN = (7 << 40) + 3, 5, 1 << 20
RATE = 0.375
ZERO = np.float32(0)


class Case(NamedTuple):
    """An epilogue of c and p, and the same in numpy as a function of the sums, the broadcast p and the axis of rows."""

    traced: Callable[[Any, Any, int], Any]
    numpy: Callable[[Array, Array, int], tuple[Array, ...]]
    out: Any = None
    numbers: tuple[int, ...] = ()


def folded(step: Callable[[Array, Array], Array], start: float, x: Array, axis: int) -> Array:
    """Reduce the rows one after the other, from the first to the last."""
    total = np.full(x.shape[1 - axis], start, x.dtype)
    for row in np.moveaxis(x, axis, 0):
        total = step(total, row)
    return total


def dropped(c: Any, p: Any, axis: int) -> Any:
    y, kept = ts.dropout_mask(c, RATE)
    return y + p, kept


def dropped_in_numpy(c: Array, p: Array, axis: int) -> tuple[Array, ...]:
    kept = words(*c.shape, SEED, ROW, COLUMN).view(np.int32) >= np.int32(round(RATE * 2**32) - 2**31)
    return np.where(kept, c * np.float32(1 / (1 - RATE)), ZERO) + p, kept


def summed(c: Any, p: Any, axis: int) -> Any:
    y = c + p
    return (
        y,
        ts.statistic("sum", y, axis),
        ts.statistic("squares", y, axis),
        ts.statistic("max", y, axis),
        ts.statistic("min", y, axis),
        ts.statistic("absmax", y, axis),
    )


def summed_in_numpy(c: Array, p: Array, axis: int) -> tuple[Array, ...]:
    y = c + p
    return (
        y,
        folded(np.add, 0, y, axis),
        np.square(y, dtype=np.float64).sum(axis),
        y.max(axis),
        y.min(axis),
        abs(y).max(axis),
    )


CASES = {
    "relu and its mask": Case(
        lambda c, p, axis: (ts.relu(c + p), c + p > 0), lambda c, p, axis: (np.maximum(c + p, ZERO), c + p > 0)
    ),
    "two masks and what was before": Case(
        lambda c, p, axis: (c, c < p, ts.relu(c * p), c * p, c > p),
        lambda c, p, axis: (c, c < p, np.maximum(c * p, ZERO), c * p, c > p),
        ("bits", "bf16", "f32", "bits"),
    ),
    "statistics": Case(summed, summed_in_numpy),
    "dropout and a residual": Case(dropped, dropped_in_numpy, None, (SEED, ROW, COLUMN)),
}


def same(found: Array, wanted: Array, order: str, dtype: Any) -> None:
    """Check that a result has the bits that numpy computed, in the type of the result."""
    if wanted.dtype == bool:
        packed = np.packbits(wanted, axis=1 if order == "C" else 0, bitorder="little")
        np.testing.assert_array_equal(found, packed)
    elif wanted.dtype == np.float64:  # sums of squares: each of fewer than `many` fused steps may differ by an ulp
        many = 1 << 10
        assert (abs(found - wanted) <= many * np.finfo(np.float32).eps * wanted).all()
    else:
        np.testing.assert_array_equal(found, wanted.astype(found.dtype))
        assert found.dtype == numpy_dtype(dtype)


def one(
    name: str,
    target: str,
    shape: tuple[int, int, int],
    order: str,
    way: Any,
    seed: int,
    dtype: Any = "f32",
    **options: Any,
) -> Kernel:
    """Check one call and return the kernel."""
    case, (m, n, k), rng = CASES[name], shape, np.random.default_rng(seed)
    axis = 0 if order == "C" else 1
    if name == "statistics" and shape[1 - axis] == 1:
        shape = m, n, k = m + 1, n + 1, k
    types = dtype if isinstance(dtype, tuple) else (dtype,) * 3
    a, b = (
        np.asarray(rng.standard_normal(each), np.float32).astype(numpy_dtype(of))
        for each, of in zip(((m, k), (k, n)), types)
    )
    p = rng.standard_normal({"row": (1, n), "col": (m, 1), None: (m, n)}[way]).astype(np.float32)
    a, b, given_p = (np.asarray(each, order=order) for each in (a, b, p if way is None else p.reshape(-1)))
    request = {"dtype": dtype, "order": order, "beta": 0, "target": target}
    mm = ts.brgemm(
        m,
        n,
        k,
        epilogue=lambda c, p: case.traced(c, p, axis),
        operands={"p": (way, "f32")},
        out=case.out,
        origin=ts.RUNTIME if case.numbers else None,
        **request,
        **options,
    )
    plain = ts.brgemm(m, n, k, **{**request, "dtype": (*types[:2], "f32")})
    native = not host.runs(host.resolve(target))
    with np.errstate(all="ignore"):
        wanted = case.numpy(plain(a, b) if native else plain.run(a, b), p, axis)
    if not native:
        found = mm.run(a, b, None, given_p, *case.numbers)
    else:
        side = ("start", "end")[seed % 2]
        made = mm(a, b, None, given_p, *case.numbers)
        outputs = [guarded(np.asarray(np.zeros_like(each), order=order), side) for each in made]
        ins = [guarded(each, side, writable=False) for each in (a, b, given_p)]
        found = mm(*ins[:2], outputs[0], ins[2], *case.numbers, *outputs[1:])
        assert found is None
        for each in outputs:
            check_canary(each)
        found = tuple(outputs)
    stored = [types[2], *(result.dtype for result in mm.spec.results)]
    for each, want, of in zip(found, wanted, stored, strict=True):
        same(each, want, order, of)
    return mm


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("target", ["avx512", "avx2", "sse"])
def test_this_processor(target, name):
    if target == "sse" and name == "dropout and a residual":
        pytest.skip("needs more registers than sse has, as the same ts.equation does")

    @settings(max_examples=scaled(8, 300))
    @given(
        st.integers(1, 40),
        st.integers(1, 40),
        st.integers(1, 20),
        st.sampled_from("CF"),
        st.sampled_from(["row", "col", None]),
        st.integers(0, 99),
    )
    def test(m, n, k, order, way, seed):
        one(name, target, (m, n, k), order, way, seed)

    test()


EMULATED = [
    ("neon", "C"),
    ("neon", "F"),
    ("sve128", "C"),
    ("sve256", "C"),
    ("sve512", "F"),
    ("sme256", "C"),
    ("sme512", "F"),
]


@pytest.mark.parametrize(("target", "order"), EMULATED, ids=str)
@pytest.mark.grid(3)
def test_other_machines(target, order):
    for number, name in enumerate(CASES):
        one(name, target, (9, 21, 5), order, ("row", None)[number % 2], number)


@pytest.mark.parametrize("name", CASES)
def test_tiles(name, monkeypatch):
    """Every case runs on the grids, including bit masks, dropout and column statistics; relu and its mask run beside
    products."""
    walk = epilogue_plan._over_c
    grids = [refused("walk", "the test asks for grids")]
    monkeypatch.setattr(epilogue_plan, "_over_c", lambda *given: grids if in_tiles(given[2]) else walk(*given))
    made = one(name, "amx", (33, 70, 40), "C", "row", 3, BF16_F32)
    assert isinstance(made.plan, TileEpiloguePlan)
    if name == "relu and its mask":
        assert made.plan.interleaved
        assert isinstance(one(name, "amx", (20, 40, 70), "F", None, 4, BF16_F32).plan, TileEpiloguePlan)


def test_results_in_registers_without_a_walk():
    """If C is bf16, no kernel has scratch memory for 300 x 120 sums: all results are stored from registers."""
    for name in CASES:
        made = one(name, "avx512", (300, 120, 3), "C", "row", 2, "bf16")
        assert made.plan.elementwise is None
    assert one("relu and its mask", "avx2", (64, 48, 8), "C", "row", 2).plan.elementwise is None


@pytest.mark.parametrize("batch", [2, ts.STRIDE, ts.OFFSET, ts.ADDRESS], ids=str)
@pytest.mark.parametrize("leading", [None, ts.RUNTIME], ids=str)
def test_batches(batch, leading):
    """Every batch mode gives the results of the summed products; the sums of an empty batch are zeros."""
    m, n, k = 13, 24, 6
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-9, 9, shape).astype(np.float32) for shape in ((2, m, k), (2, k, n)))
    mm = ts.brgemm(
        m,
        n,
        k,
        batch=batch,
        beta=0,
        lda=leading,
        ldb=leading,
        epilogue=lambda c, p: (c + p, c + p > 0, ts.statistic("sum", c)),
    )
    p = rng.integers(-9, 9, n).astype(np.float32)
    rest: dict[Any, list[Any]] = {
        ts.STRIDE: [2, a.strides[0], b.strides[0]],
        ts.OFFSET: [np.arange(2) * a.strides[0], np.arange(2) * b.strides[0]],
    }
    first = (
        [np.array([x[i].ctypes.data for i in range(2)], np.uint64) for x in (a, b)] if batch is ts.ADDRESS else [a, b]
    )
    named = {"lda": k, "ldb": n} if batch is ts.ADDRESS and leading else {}
    sums = (a @ b).sum(0)
    c, mask, total = mm(*first, None, p, *rest.get(batch, []), **named)
    np.testing.assert_array_equal(c, sums + p)
    np.testing.assert_array_equal(mask, np.packbits(sums + p > 0, axis=1, bitorder="little"))
    np.testing.assert_array_equal(total, sums.sum(0))
    if batch is ts.STRIDE:
        c, mask, total = mm(a, b, None, p, 0, 0, 0)
        assert (c == p).all() and (total == 0).all()


def test_integers_and_quantized_results():
    m, n, k = 9, 20, 12
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 99, (m, k), np.uint8), rng.integers(-99, 99, (k, n), np.int8)
    scale = (rng.random(n) * 0.02).astype(np.float32)
    for target in ("avx512_vnni", "amx", "sme256", "neon"):
        mm = ts.brgemm(
            m,
            n,
            k,
            dtype=QUANTIZED,
            beta=0,
            target=target,
            out=("i32", "f32", "i32"),
            epilogue=lambda c, s: (c * s, c, c * s, ts.statistic("max", c)),
        )
        sums = a.astype(np.int32) @ b.astype(np.int32)
        c, raw, scaled_sums, largest = mm.run(a, b, None, scale)
        np.testing.assert_array_equal(raw, sums)
        np.testing.assert_array_equal(scaled_sums, sums.astype(np.float32) * scale)
        np.testing.assert_array_equal(c, np.clip(np.rint(scaled_sums), -128, 127))
        np.testing.assert_array_equal(largest, sums.max(0))
        assert largest.dtype == np.int32


# Requests


def test_pickles_and_equal_requests():
    mm = ts.brgemm(8, 24, 16, epilogue=lambda c, b: (ts.relu(c + b), c + b > 0, ts.statistic("sum", c)), beta=0)
    again = kernel(mm.spec, mm.target)
    assert again is mm
    moved = ts.brgemm(8, 8, 8, beta=0, epilogue=lambda c: (ts.dropout(c, 0.5), c), out="bf16", origin=ts.RUNTIME)
    assert kernel(moved.spec, moved.target) is moved and moved.spec.results[0].dtype == "bf16"
    for wrong in (
        {"results": ()},
        {"reductions": (None, "max")},
        {"reductions": ("sum", "sum")},
        {"reductions": (None, None)},
        {"results": tuple(each._replace(columns=2) for each in mm.spec.results)},
        {"results": tuple(each._replace(output=False) for each in mm.spec.results)},
    ):
        with pytest.raises((ValueError, ts.UnsupportedError)):
            kernel(replace(mm.spec, **wrong), mm.target)
    assert moved.c_prototype.endswith("int64_t seed, int64_t row, int64_t column, uint16_t *y1);")


def refused_with(error: type[Exception], text: str, function: Any, **options: Any) -> None:
    with pytest.raises(error, match=text):
        epilogue_spec(ts.gemm_spec(8, 24, 16, order=options.pop("order", "C")), function, **options)


def test_refusals_say_what_works():
    no = ts.UnsupportedError
    refused_with(no, "return masks after it", lambda c: c > 0)
    refused_with(no, "return statistics after it", lambda c: ts.statistic("sum", c))
    refused_with(no, 'needs a c of order "F".*ts.reduce', lambda c: (c, ts.statistic("sum", c, 1)))
    refused_with(no, 'needs a c of order "C"', lambda c: (c, ts.statistic("sum", c)), order="F")
    refused_with(no, "no operand.*ts.equation", lambda c: (c, ts.statistic("sum", c) * 2.0))
    refused_with(no, "no operand", lambda c: (c, c - ts.statistic("sum", c)))
    refused_with(no, "whole rows.*ts.equation", lambda c: c - ts.max(c, axis=1))
    refused_with(no, "ts.select", lambda c: (c, ts.statistic("sum", c > 0)))
    refused_with(no, "the type that it is computed in, f32", lambda c: (c, ts.statistic("sum", c)), out="bf16")
    refused_with(no, "comparisons are stored as bits", lambda c: (c, c), out="bits")
    refused_with(ValueError, "out: 1 types", lambda c: (c, c), out=("f32", "f32"))
    refused_with(ValueError, "statistic: sum, squares", lambda c: (c, ts.statistic("mode", c)))
    refused_with(ValueError, "origin: this epilogue does not use the row", lambda c: c, origin=ts.RUNTIME)
    refused_with(ValueError, "seed: the call passes a number of this name", lambda c, seed: ts.dropout(c, 0.5) + seed)
    with pytest.raises(no, match="elsewhere use ts.reduce"):
        ts.equation(lambda x: (x, ts.statistic("sum", x)), x=(3, 4))
    with pytest.raises(no, match="needs more than one of them"):
        ts.brgemm(8, 1, 8, epilogue=lambda c: (c, ts.statistic("sum", c)))
