"""Rows or columns of C, or the depth, given at the call: every target against numpy in float64, between guard pages."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.fewer_types import FEWER
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak, scaled
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
NUMPY: dict[str, Any] = {"f32": np.float32, "f64": np.float64}
TYPES: tuple[tuple[str, str, str], ...] = (
    ("bf16", "bf16", "f32"),
    ("bf16", "bf16", "bf16"),
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("u8", "i8", "i32"),
    ("i8", "u8", "i32"),
    ("i8", "i8", "i32"),
    ("u8", "u8", "f32"),
    ("i16", "i16", "i32"),
    ("f8e5m2", "f8e5m2", "f32"),
    ("bf16", "f32", "f32"),
)
"""Types of a, b and c that a unit or its replacement multiplies."""
UNITS = (
    "avx2",
    "avx512",
    "avx2_vnni",
    "avx512_vnni",
    "avx512_bf16",
    "amx",
    "neon",
    "neon_dotprod",
    "neon_bf16",
    "sve256",
    "sme512",
)
EMULATED = ("sse", "avx2", "avx512", "neon", "sve256") if not is_soak() else tuple(ts.targets())


def values(rng: np.random.Generator, rows: int, columns: int, dtype: str, gap: int = 0, order: str = "C") -> Array:
    """Return integers so small that every sum is exact. Lines are followed by `gap` further elements."""
    shape = (rows, columns) if order == "C" else (columns, rows)
    made: Array = rng.integers(-4, 5, (shape[0], shape[1] + gap)).astype(NUMPY[dtype])[:, : shape[1]]
    return made if order == "C" else made.T


def expected(a: Array, b: Array, c: Array, alpha: float, beta: float) -> Array:
    """Return the result of numpy in float64, with the former C."""
    product: Array = alpha * (a.astype(np.float64) @ b.astype(np.float64))
    return product + beta * c.astype(np.float64) if beta else product


@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_columns_of_a_row_major_c(target: str) -> None:
    """Blocks along the lines of C: on other machines, and with the same bits whatever the number."""
    mm, rng = ts.brgemm(2, ts.RUNTIME, 3, target=target), np.random.default_rng(2)
    for n in (0, 37):
        a, b, c = (values(rng, *shape, "f32") for shape in ((2, 3), (3, n), (2, n)))
        wanted = expected(a, b, c, 1, 1)
        mm.run(a, b, c)
        assert (c == wanted).all(), n
    if is_soak():
        proof = ts.brgemm(1, ts.RUNTIME, 1, beta=0, target=target).verify()
        assert proof, str(proof)
    x, y = rng.standard_normal((3, 100), np.float32), rng.standard_normal((100, 90), np.float32)
    native = ts.brgemm(3, ts.RUNTIME, 100, beta=0)
    assert (native(x, y)[:, :37] == native(x, y[:, :37])).all()


@pytest.mark.parametrize("order", ["FFF", "FCF"])
def test_new_results_of_any_rows_of_a_column_major_c(order: str) -> None:
    """A new c has the rows of the call; it had the number that is assumed in planning, and more rows lay beyond it."""
    mm, rng = ts.brgemm(ts.RUNTIME, 9, 8, beta=0, order=order), np.random.default_rng(4)
    for m in (5, 300):
        a, b = np.asfortranarray(values(rng, m, 8, "f32")), np.asarray(values(rng, 8, 9, "f32"), order=order[1])
        made = mm(a, b)
        assert made.shape == (m, 9) and (made == a @ b).all()
    with pytest.raises(ts.UnsupportedError, match='m=ts.RUNTIME: c of order "C", .* not "F"; ts.brgemm takes it'):
        ts.gemm(ts.RUNTIME, 9, 8, beta=0, order=order)


@pytest.mark.parametrize("target", EMULATED)
@pytest.mark.parametrize("dtype", NUMPY)
def test_every_number_of_rows_in_the_emulator(target: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    if ts.supported(ts.brgemm(ts.RUNTIME, 11, 5, dtype=dtype, target="avx2").spec, target) is not True:
        pytest.skip("accumulators of this target are its own")
    mm = ts.brgemm(ts.RUNTIME, 11, 5, dtype=dtype, target=target)
    for m in range(0, 70, 1 if is_soak() else 23):
        a, b, c = (values(rng, *shape, dtype) for shape in ((m, 5), (5, 11), (m, 11)))
        wanted = expected(a, b, c, 1, 1)
        mm.run(a, b, c)
        assert (c == wanted).all(), m


@settings(max_examples=scaled(40, 3000), deadline=None)
@given(
    extent=st.integers(0, 100),
    other=st.integers(1, 40),
    k=st.integers(1, 40),
    dtype=st.sampled_from(sorted(NUMPY)),
    scale=st.sampled_from(((1, 0), (1, 1), (2, -1), (-1, 0))),
    order=st.sampled_from(("CCC", "CFC", "FFF", "CFF")),
    gaps=st.tuples(*[st.integers(0, 3)] * 3),
    runtime=st.booleans(),
    inner=st.booleans(),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_drawn_extents_between_guard_pages(
    extent: int,
    other: int,
    k: int,
    dtype: str,
    scale: tuple[int, int],
    order: str,
    gaps: tuple[int, int, int],
    runtime: bool,
    inner: bool,
    side: str,
    seed: int,
) -> None:
    """inner: the extent of the call is that of the lines of C."""
    (alpha, beta), rng = scale, np.random.default_rng(seed)
    rows = (order[2] == "C") != inner
    m, n = (extent, other) if rows else (other, extent)
    shapes = ((m, k), (k, n), (m, n))
    lines = [shape[1] if way == "C" else shape[0] for shape, way in zip(shapes, order)]
    leading = [ts.RUNTIME if runtime else line + gap for line, gap in zip(lines, gaps)]
    asked = (ts.RUNTIME, n) if rows else (m, ts.RUNTIME)
    request = {"dtype": dtype, "order": order, "alpha": alpha, "beta": beta}
    if len({*order}) > 1 and (other > 1 or inner):  # vectors lie along a strided dimension; one element has both orders
        with pytest.raises(ts.UnsupportedError, match="of order"):
            ts.brgemm(*asked, k + 1, **request)
        return
    if inner:
        leading[0 if rows else 1] = leading[2] = None
    mm = ts.brgemm(*asked, k, **request, lda=leading[0], ldb=leading[1], ldc=leading[2])
    arrays = [values(rng, *shape, dtype, gap, way) for shape, gap, way in zip(shapes, gaps, order)]
    wanted = expected(*arrays, alpha, beta)
    if not extent:
        mm(*arrays)
        return
    a, b, c = (guarded(x, side, writable=x is arrays[2]) for x in arrays)
    mm(a, b, c)
    assert (c == wanted).all()
    check_canary(c)


@settings(max_examples=scaled(20, 3000), deadline=None)
@given(
    extents=st.tuples(st.integers(1, 40), st.integers(1, 40), st.integers(0, 100)),
    dtype=st.sampled_from(sorted(NUMPY)),
    scale=st.sampled_from(((1, 0), (1, 1), (2, -1), (-1, 0))),
    order=st.sampled_from(("CCC", "FCC", "FFF", "FCF")),
    gaps=st.tuples(*[st.integers(0, 3)] * 3),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_drawn_depths_between_guard_pages(
    extents: tuple[int, int, int],
    dtype: str,
    scale: tuple[int, int],
    order: str,
    gaps: tuple[int, int, int],
    side: str,
    seed: int,
) -> None:
    """Lines along k lie as far apart as the arrays of the call say, all others as the request says."""
    (alpha, beta), (m, n, k), rng = scale, extents, np.random.default_rng(seed)
    shapes, of_k = ((m, k), (k, n), (m, n)), (order[0] == "C", order[1] == "F", False)
    lines = [shape[1] if way == "C" else shape[0] for shape, way in zip(shapes, order)]
    leading = [None if along else line + gap for along, line, gap in zip(of_k, lines, gaps)]
    mm = ts.brgemm(
        *(m, n, ts.RUNTIME),
        dtype=dtype,
        order=order,
        alpha=alpha,
        beta=beta,
        **dict(zip(("lda", "ldb", "ldc"), leading)),
    )
    arrays = [values(rng, *shape, dtype, gap, way) for shape, gap, way in zip(shapes, gaps, order)]
    wanted = expected(*arrays, alpha, beta)
    a, b, c = (guarded(x, side, writable=x is arrays[2]) if x.size else x for x in arrays)
    mm(a, b, c)
    assert (c == wanted).all()
    check_canary(c)


@pytest.mark.parametrize("types", [("f16", "f16", "f16"), ("bf16", "f32", "f32"), ("f8e5m2", "f8e5m2", "f32")], ids=str)
@pytest.mark.parametrize("target", ["avx2", "sve256"])
def test_narrow_types_of_any_depth(target: str, types: tuple[str, str, str]) -> None:
    """A unit that multiplies one element of k at a time takes any number of them."""
    mm, rng = ts.brgemm(5, 19, ts.RUNTIME, dtype=types, target=target), np.random.default_rng(4)
    for k in (0, 1, 13):
        shapes = zip(((5, k), (k, 19), (5, 19)), types)
        a, b, c = (rng.integers(-3, 4, shape).astype(numpy_dtype(dtype)) for shape, dtype in shapes)
        wanted = (c.astype(float) + a.astype(float) @ b.astype(float)).astype(c.dtype)
        mm.run(a, b, c)
        assert (c == wanted).all(), k


GROUPED = [("bf16", "bf16", "f32"), ("bf16", "bf16", "bf16"), ("u8", "i8", "i32"), ("i16", "i16", "i32")]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("types", GROUPED, ids="-".join)
@pytest.mark.parametrize("target", ["sse", "avx2", "avx512_vnni", "amx", "neon", "neon_bf16", "sve256"])
@pytest.mark.grid(4)
def test_depths_of_whole_groups(target: str, types: tuple[str, str, str], order: str) -> None:
    """An operand that is packed in groups along k says k in whole groups; a call of the other one must have them."""
    group, name = 4 // ELEMENT_BYTES[types[0]], "b" if order == "C" else "a"
    mm: Any = ts.brgemm(*(5, 19, ts.RUNTIME), dtype=types, order=order, target=target, **{f"{name}_layout": "vnni"})
    rng, native = np.random.default_rng(4), not runs(TARGETS[target])
    for k in (0, group, 3 * group, 17 * group, 300 * group)[: 5 if native else 3]:
        a, b, c = (
            rng.integers(0 if each == "u8" else -3, 4, shape).astype(numpy_dtype(each))
            for each, shape in zip(types, ((5, k), (k, 19), (5, 19)))
        )
        wanted = (c.astype(float) + a.astype(float) @ b.astype(float)).astype(c.dtype)
        of_a, of_b = (a, packed(b, 0)) if order == "C" else (packed(a.T, 0).swapaxes(0, 1), laid(b, "F"))
        made = laid(c, order)
        held = [guarded(x, SIDES[k % 2], writable=x is made) if native and x.size else x for x in (of_a, of_b, made)]
        (mm if native else mm.run)(*held)
        assert (held[2] == wanted).all(), k
    if order == "C":
        wrong = np.zeros((5, 3 * group + 1), a.dtype)
        with pytest.raises(ValueError, match=f"k: a multiple of {group}, .* not {3 * group + 1}"):
            (mm if native else mm.run)(wrong, packed(np.zeros((3 * group + 1, 19), b.dtype), 0), made)


@pytest.mark.parametrize("batch", [None, 3, ts.STRIDE], ids=repr)
def test_long_sums_of_any_depth_have_levels(batch: Any) -> None:
    """Without levels, the longest sum of equal terms in f32 is off by 2e-3."""
    mm = ts.brgemm(2, 64, ts.RUNTIME, beta=0, batch=batch)
    both = ((64, 64), (65, 1), (1, 65)) if batch is ts.STRIDE else ()
    for k, pairs in (*both, *((k, 3 if batch else 1) for k in (4096, 4097, 200_001))):
        a, b = np.full((pairs, 2, k), 0.1, np.float32), np.ones((pairs, k, 64), np.float32)
        behind = (None, pairs, a.strides[0], b.strides[0]) if batch is ts.STRIDE else ()
        found = mm(*((a, b) if batch else (a[0], b[0])), *behind)
        assert (abs(found / (np.float64(np.float32(0.1)) * pairs * k) - 1) < 1e-4).all(), k


def packed(x: Array, along: int) -> Array:
    """Return the operand with groups of four bytes along k side by side."""
    group = 4 // x.itemsize
    x = x if along else x.T
    whole = np.zeros((x.shape[0], -(-x.shape[1] // group) * group), x.dtype)
    whole[:, : x.shape[1]] = x
    made = whole.reshape(x.shape[0], whole.shape[1] // group, group)
    return made if along else np.ascontiguousarray(made.transpose(1, 0, 2))


def laid(x: Array, order: str) -> Array:
    """Return the same array in this order; groups stay together."""
    if order == "C":
        return x
    return np.ascontiguousarray(x.transpose(1, 0, *range(2, x.ndim))).transpose(1, 0, *range(2, x.ndim))


@pytest.mark.slow
@pytest.mark.parametrize("target", UNITS if not is_soak() else ts.targets())
def test_narrow_types_on_every_unit(target: str) -> None:
    """Every remainder has its own block: rows in order C, columns in order F, with plain and packed operands. A soak
    tests all of them on every target; otherwise a unit has a third or an eighth, other ones for each."""
    rng, made, native = np.random.default_rng(2), 0, not runs(TARGETS[target])
    for number, (types, layout, outer) in enumerate(
        (types, layout, outer) for types in TYPES for layout in ("", "a", "b") for outer in "mn"
    ):
        if not is_soak() and (number + number // 6 + UNITS.index(target)) % (3 if native else 8):
            continue
        other, k, order = 19, 11, "C" if outer == "m" else "F"
        request: dict[str, Any] = {"dtype": types, "order": order, "target": target}
        request |= {f"{layout}_layout": "vnni"} if layout else {}
        try:
            mm = ts.brgemm(*((ts.RUNTIME, other) if outer == "m" else (other, ts.RUNTIME)), k, **request)
        except ts.UnsupportedError:
            if target != "amx":  # amx has tiles for some types that vectors do not multiply
                with pytest.raises(ts.UnsupportedError):
                    ts.brgemm(other, other, k, **request)
            continue
        made += 1
        for extent in (0, 1, 22, 37)[number % 2 :: 2]:
            m, n = (extent, other) if outer == "m" else (other, extent)
            a, b, c = (
                rng.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(numpy_dtype(dtype))
                for shape, dtype in zip(((m, k), (k, n), (m, n)), types)
            )
            wanted = (c.astype(float) + a.astype(float) @ b.astype(float)).astype(c.dtype)
            arrays = [laid(packed(x, x is a) if layout == name else x, order) for name, x in zip("ab", (a, b))]
            c = laid(c, order)
            if native and extent:
                side = SIDES[number % len(SIDES)]
                arrays, c = [guarded(x, side) for x in arrays], guarded(c, side, writable=True)
                mm(*arrays, c)
                check_canary(c)
            else:
                mm.run(*arrays, c)
            assert (c == wanted).all(), (types, layout, outer, extent, str(mm.plan))
        if number % 8 == 0:
            assert pickle.loads(pickle.dumps(mm)).code == mm.code
    assert made >= 4


def test_sums_that_round_are_those_of_a_fixed_kernel_within_its_bound() -> None:
    rng = np.random.default_rng(3)
    mm = ts.brgemm(ts.RUNTIME, 50, 70, beta=0)
    for m in (1, 2, 31, 64, 100):
        a, b = rng.standard_normal((m, 70), np.float32), rng.standard_normal((70, 50), np.float32)
        bound = 70 * 2.0**-24 * (abs(a).astype(float) @ abs(b).astype(float))
        assert (abs(mm(a, b) - a.astype(float) @ b.astype(float)) <= bound).all()


def test_c_may_be_left_out_and_any_number_of_rows_is_one_kernel(tmp_path: Path) -> None:
    mm = ts.brgemm(ts.RUNTIME, 8, 4, beta=0)
    for m in (0, 1, 5, 33):
        c = mm(np.ones((m, 4), np.float32), np.ones((4, 8), np.float32))
        assert c.shape == (m, 8) and (c == 4).all()
    assert "int64_t m)" in mm.c_prototype
    again = pickle.loads(pickle.dumps(mm))
    assert again.code == mm.code and copy.copy(mm).spec == mm.spec
    assert "m is given at the call" in str(mm.plan) and mm.listing()
    mm.save(str(tmp_path / "rows.h"))
    assert "int64_t m)" in (tmp_path / "rows.h").read_text()
    assert mm.verify()


def test_any_depth_is_one_kernel(tmp_path: Path) -> None:
    mm = ts.brgemm(3, 9, ts.RUNTIME, beta=0, target="avx2")
    assert "c, int64_t k, int64_t lda)" in mm.c_prototype and "k is any number from 0 on" in (mm.__doc__ or "")
    assert pickle.loads(pickle.dumps(mm)).code == mm.code and mm.spec.again() == mm.spec
    assert "k given at the call" in str(mm.plan)
    mm.save(str(tmp_path / "depth.h"))
    assert "int64_t k, int64_t lda)" in (tmp_path / "depth.h").read_text()
    for beta, epilogue in ((1, None), (1, lambda c: c), (0, None)):  # C + 0 would be +0
        c = np.full((3, 9), -0.0, np.float32)
        ts.brgemm(3, 9, ts.RUNTIME, beta=beta, epilogue=epilogue)(np.ones((3, 0), "f"), np.ones((0, 9), "f"), c)
        assert (c == 0).all() and (np.signbit(c) == bool(beta)).all()
    assert mm.verify() and (not is_soak() or ts.brgemm(2, 3, ts.RUNTIME, batch=ts.STRIDE, target="avx2").verify())


def with_col(c: ts.Expr, col: ts.Expr, full: ts.Expr, one: ts.Expr) -> tuple[ts.Expr, ...]:
    return ts.relu(c * 2 + col) + full * one, c > 0


BATCHES: tuple[Any, ...] = (None, 3, ts.STRIDE, ts.OFFSET, ts.ADDRESS)
NATIVE = [name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])]
CROSSED = [
    pytest.param(target, batch, order, beta, extent, id=f"{target} {batch} {order} beta {beta} {extent}")
    for number, (target, batch, order, beta, extent) in enumerate(
        (target, batch, order, beta, extent)
        for target in (*NATIVE, "neon", "sve256", "sme128")
        for batch in BATCHES
        for order in "CF"
        for beta in (0, 1)
        for extent in ("lines", "k")
        if extent == "lines" or batch is not ts.ADDRESS
    )
    if is_soak() or number % 11 == 0
]


@pytest.mark.parametrize(("target", "batch", "order", "beta", "extent"), CROSSED)
def test_batches_and_epilogues_of_any_extent(target: str, batch: Any, order: str, beta: int, extent: str) -> None:
    """A batch in every mode, with and without an epilogue of operands of all shapes and a mask as a second result."""
    rng, native, other, pairs = np.random.default_rng(5), target in NATIVE, 19, 1 if batch is None else 3
    outer, depth = (ts.RUNTIME, 11) if extent == "lines" else (6, ts.RUNTIME)
    asked = (outer, other, depth) if order == "C" else (other, outer, depth)
    request: dict[str, Any] = {"order": order, "batch": batch, "beta": beta, "target": target}
    along, across = ("row", "col") if order == "C" else ("col", "row")
    shapes = {"col": across, "full": None, "one": "scalar"}
    kernels = [ts.brgemm(*asked, **request), ts.brgemm(*asked, **request, epilogue=with_col, operands=shapes)]
    for number in (0, 1, 21) if native or is_soak() else (5,):
        lines, k = (number, 11) if extent == "lines" else (6, number)
        m, n = (lines, other) if order == "C" else (other, lines)
        side = SIDES[number % len(SIDES)]

        def own(*shape: int, writable: bool = False, side: str = side) -> Array:
            made = rng.integers(-4, 5, shape if order == "C" else (*shape[:-2], *shape[:-3:-1])).astype(np.float32)
            made = guarded(made, side, writable=writable) if native and made.size else made
            return made if order == "C" else made.swapaxes(-1, -2)

        a, b, col, full = own(pairs, m, k), own(pairs, k, n), own(1, lines)[0], own(m, n)
        if order == "F":
            col = own(lines, 1)[:, 0]
        sums = (a.astype(float) @ b).sum(axis=0)
        for kernel in kernels:
            c, fused = own(m, n, writable=True), kernel is kernels[1]
            wanted = sums + beta * c
            mask = np.zeros((m, -(-n // 8)) if order == "C" else (-(-m // 8), n), np.uint8, order)  # type: ignore[call-overload]
            given, last = ([col, full, np.float32(2)], [mask]) if fused else ([], [])
            behind: list[Any] = []
            first: list[Any] = [a[0], b[0]] if batch is None else [a, b]
            if batch is ts.STRIDE:
                behind = [pairs, a.strides[0], b.strides[0]]
            elif batch is ts.OFFSET:
                behind = [np.arange(pairs) * each.strides[0] for each in (a, b)]
            elif batch is ts.ADDRESS:
                first = [np.array([x.ctypes.data for x in each], np.uint64) for each in (a, b)]
            (kernel if native else kernel.run)(*first, c, *given, *behind, *last)
            if fused:
                bits = np.packbits(wanted > 0, axis=1 if order == "C" else 0, bitorder="little")
                assert (mask == bits).all()
                wanted = np.maximum(2 * wanted + (col[:, None] if order == "C" else col), 0) + 2 * full
            assert (c == wanted).all(), (number, fused)
            if native and c.size:
                check_canary(c)


def test_an_operand_of_the_epilogue_may_have_the_name_of_the_extent() -> None:
    one = np.float32(1)
    for kernel in (
        ts.brgemm(3, 9, ts.RUNTIME, beta=0, epilogue=lambda c, k: c + k, operands={"k": "scalar"}),
        ts.brgemm(ts.RUNTIME, 9, 7, beta=0, epilogue=lambda c, m: c + m, operands={"m": "scalar"}),
    ):
        assert (kernel(np.ones((3, 7), np.float32), np.ones((7, 9), np.float32), None, one) == 8).all()
        assert kernel.spec.again() == kernel.spec


def test_random_numbers_and_statistics_of_any_number_of_rows() -> None:
    """Those of a kernel for the number of rows of the call."""

    def function(c: ts.Expr) -> tuple[Any, ...]:
        return ts.dropout(c, 0.5), ts.statistic("sum", c), ts.statistic("max", c)

    counted = ts.brgemm(ts.RUNTIME, 9, 4, beta=0, epilogue=function)
    for m in (1, 5, 4500):
        a, b = (np.random.default_rng(m).integers(-4, 5, shape).astype(np.float32) for shape in ((m, 4), (4, 9)))
        found, wanted = (mm(a, b, None, 7) for mm in (counted, ts.brgemm(m, 9, 4, beta=0, epilogue=function)))
        assert all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))
        assert (found[1] == (a @ b).sum(axis=0)).all()
    assert not counted(np.ones((0, 4), np.float32), b, None, 7)[1].any()


@pytest.mark.parametrize(
    ("asked", "shapes", "rule"),
    [
        ((ts.RUNTIME, 8, 4), ((5, 4), (4, 8), (6, 8)), r"m: .* a \(5, 4\) has 5 and c \(6, 8\) has 6"),
        ((ts.RUNTIME, 8, 4), ((5, 3), (4, 8), (5, 8)), r"a: shape \(5, 4\)"),
        ((ts.RUNTIME, 8, 4), ((5, 4), (4, 8), (5, 7)), r"c: shape \(5, 8\)"),
        ((ts.RUNTIME, 8, 4), ((5,), (4, 8), (5, 8)), r"a: shape \(5, 4\), not \(5,\)"),
        ((5, 8, ts.RUNTIME), ((5, 4), (3, 8), (5, 8)), r"b: shape \(4, 8\), not \(3, 8\)"),
        ((5, 8, ts.RUNTIME), ((6, 4), (4, 8), (5, 8)), r"a: shape \(5, 4\), not \(6, 4\)"),
        ((5, 8, ts.RUNTIME), ((4,), (4, 8), (5, 8)), "a: 2 axes or more"),
        ((5, 8, ts.RUNTIME), ((5, 0), (1, 8), (5, 8)), r"b: shape \(0, 8\)"),
    ],
    ids=range(8),
)
def test_arrays_that_do_not_agree(asked: Any, shapes: Any, rule: str) -> None:
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(ValueError, match=rule):
        ts.brgemm(*asked)(*arrays)
    assert (arrays[2] == 1).all()


@pytest.mark.parametrize(
    ("asked", "request_", "rule"),
    [
        ((ts.RUNTIME, ts.RUNTIME, 4), {}, "one of them"),
        ((8, ts.RUNTIME, 4), {"batch": ts.STRIDE}, "a known number of pairs"),
        ((8, ts.RUNTIME, 4), {"epilogue": ts.relu}, "n=ts.RUNTIME along the lines of C; count the other extent"),
        ((8, ts.RUNTIME, 5000), {}, "add up products of fewer"),
        ((ts.RUNTIME, 8, 4), {"order": "FCC"}, "a of order.*np.ascontiguousarray.a. makes it"),
        ((ts.RUNTIME, 8, 4), {"dtype": "bf16", "target": FEWER}, "this target multiplies no"),
        ((8, ts.RUNTIME, 8), {"dtype": "bf16", "order": "F", "b_layout": "mmla", "target": "neon_bf16"}, "two columns"),
        ((ts.RUNTIME, 8, 4), {"batch": (2, 3)}, "needs a pair of distances"),
        ((ts.RUNTIME, 8, 4), {"stack": 3}, "stack: products whose m, n and k are numbers, not m"),
        ((ts.RUNTIME, 8, 4), {"prefetch": "a"}, "prefetch"),
        ((ts.RUNTIME, 8, 4), {"epilogue": ts.relu, "dtype": "f16xf16", "target": "avx512_fp16"}, "in bands of rows"),
        ((ts.RUNTIME, 8, 4), {"dtype": "f64xi8"}, "not supported for dtype"),
        ((8, 8, ts.RUNTIME), {"batch": ts.ADDRESS}, "batch=ts.OFFSET and ts.STRIDE"),
        ((8, 8, ts.RUNTIME), {"dtype": "bf16", "target": "avx512_bf16"}, "several elements of k.*batch=ts.STRIDE"),
        ((8, 8, ts.RUNTIME), {"dtype": "bf16", "b_layout": "vnni", "target": "sme512"}, "contiguous along it"),
        ((8, 8, ts.RUNTIME), {"order": "CFC"}, "Pass a transposed copy"),
        ((8, 8, ts.RUNTIME), {"batch": (2, 3)}, "needs a pair of distances"),
        ((8, ts.RUNTIME, ts.RUNTIME), {"order": "F"}, "n, k: one of them"),
        ((8, 8, ts.RUNTIME), {"lda": 40}, "lda: cannot be a number, for lines lie along k"),
        ((8, 8, ts.RUNTIME), {"dtype": "f64xi8"}, "not supported for dtype"),
    ],
    ids=range(20),
)
def test_what_is_not_made_says_what_works(asked: Any, request_: Any, rule: str) -> None:
    with pytest.raises(ts.UnsupportedError, match=rule):
        ts.brgemm(*asked, **request_)
