"""Products with fixed sparse matrices have the values of the definition, between guard pages, on every machine, and
proofs."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES
from tests.kernel_runs import MACHINES, call, few_and_many, planned_kernel
from tests.profiles import quick
from tests.sparse_cases import Held, Pattern, patterns
from tilesmith.microkernels.baked import emit, plan
from tilesmith.microkernels.baked.plan import AS_CODE, IN_LOOP, BakedPlan
from tilesmith.microkernels.baked.spec import BakedSpec, FixedMatrix, baked_spec, sums_type
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.machines.registry import TARGETS, facts_of
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect
from tilesmith.runtime.sparse.fixed import fixed

Array = np.ndarray[Any, Any]
TYPES: list[Any] = ["f32", "f64", "bf16", "f16", ("bf16", "f32"), ("f32", "f16")]
FORMS = [("left", "C", 1), ("left", "C", 3), ("left", "C", 4), ("right", "F", 1), ("right", "C", 16), ("right", "C", 5)]


@st.composite
def matrices(draw: st.DrawFn) -> Array:
    """Return a matrix of small whole numbers with empty rows, full rows and columns, no entry at all, or one."""
    rows, columns, seed = draw(st.integers(1, 14)), draw(st.integers(1, 20)), draw(st.integers(0, 1 << 20))
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 5, (rows, columns)) * rng.choice([-1, 1], (rows, columns))
    kept = rng.random((rows, columns)) < draw(st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]))
    kept[rng.integers(rows)], kept[:, rng.integers(columns)] = draw(st.booleans()), draw(st.booleans())
    return values * kept


@st.composite
def requests(draw: st.DrawFn) -> tuple[BakedSpec, Array, int, str]:
    a, (side, order, packed), dtype = draw(matrices()), draw(st.sampled_from(FORMS)), draw(st.sampled_from(TYPES))
    n, gap = draw(st.integers(1, 40)) if packed < 3 else draw(st.integers(1, 9)), st.sampled_from([0, 3])
    named: dict[str, Any] = {"side": side, "order": order, "packed": packed, "dtype": dtype}
    made = fixed(a, sums_type(dtype))
    if made.places and draw(st.booleans()):
        made = made._replace(values="")
    dense = baked_spec(made, n, **named)
    spec = baked_spec(
        made, n, **named, beta=draw(st.integers(0, 1)), ldb=dense.ldb + draw(gap), ldc=dense.ldc + draw(gap)
    )
    return spec, a, draw(st.integers(0, 1 << 20)), draw(st.sampled_from(SIDES))


def drawn(spec: BakedSpec, seed: int) -> dict[str, Array]:
    """Return operands of whole numbers, whose sums are exact in every type, with the distances of the request."""
    rng, found = np.random.default_rng(seed), {}
    for each in spec.arguments:
        values, dtype = rng.integers(-4, 5, (each.rows, each.columns, each.group)), numpy_dtype(each.dtype)
        if each.vector:
            found[each.name] = values.ravel().astype(dtype)
            continue
        lines = values if each.view.order == "C" else values.swapaxes(0, 1)
        held = np.zeros((len(lines), int(each.view.leading), each.group), dtype)[:, : lines.shape[1]]
        held[...] = lines
        held = held if each.view.order == "C" else held.swapaxes(0, 1)
        found[each.name] = held if each.group > 1 else held[..., 0]
    return found


def expected(spec: BakedSpec, a: Array, arrays: dict[str, Array]) -> Array:
    """Compute the result by definition in f64, in which it is exact."""
    if spec.given:
        a = a.astype(np.float64)
        a[a != 0] = arrays["values"]
    b, c = (arrays[name].astype(np.float64) for name in "bc")
    if spec.side == "left":
        product = np.tensordot(a.astype(np.float64), b, (1, 0))
    else:
        product = np.moveaxis(np.tensordot(b, a.astype(np.float64), (1, 0)), -1, 1)
    return (product + c * spec.beta).astype(arrays["c"].dtype)


def one(spec: BakedSpec, a: Array, seed: int, side: str, name: str, server: Any) -> None:
    arrays = drawn(spec, seed)
    wanted = expected(spec, a, arrays)
    (c,) = call(spec, MACHINES[name], arrays, server, side).values()
    np.testing.assert_array_equal(c, wanted, err_msg=str(spec))


test_some, test_many = few_and_many(requests(), one, 5, 12)


@pytest.mark.parametrize("name", ["sse", "avx"])
def test_older_machines(name):
    if reason := detect.runs(TARGETS[name]):
        pytest.skip(reason)

    @settings(max_examples=quick(6))
    @given(requests())
    def test(case: Any) -> None:
        spec, a, seed, side = case
        arrays = drawn(spec, seed)
        wanted = expected(spec, a, arrays)
        (c,) = call(spec, TARGETS[name], arrays, None, side).values()
        np.testing.assert_array_equal(c, wanted, err_msg=str(spec))

    test()


@pytest.mark.parametrize("way", [AS_CODE, IN_LOOP])
def test_both_ways(way):
    """Each way to compute is right, whether or not the planner takes it, and skips what lies beside zeros."""
    a = np.array([[0, 2, 0, -1], [0, 0, 0, 0], [3, 0, 0, 0]])
    for beta in (0, 1):
        spec = baked_spec(fixed(a, "f32"), 37, beta=beta)
        made = next(each for each in plan.candidates(spec, facts_of(detect.host())) if getattr(each, "way", "") == way)
        assert isinstance(made, BakedPlan)
        b, c = np.arange(4 * 37, dtype=np.float32).reshape(4, 37), np.ones((3, 37), np.float32)
        wanted = a @ b + beta
        b[2] = np.inf  # column 2 of a has no entry
        planned_kernel(spec, detect.host(), made, emit.emit)(b, c)
        np.testing.assert_array_equal(c, wanted)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_loop_over_entries_whose_values_a_call_gives(side):
    """The loop finds them where they lie, in the order of rows, whichever side the matrix is on."""
    a, order = np.array([[0, 2, 0, -1], [0, 0, 0, 0], [3, 0, 0, 5]]), "C" if side == "left" else "F"
    spec = baked_spec(fixed(a, "f32")._replace(values=""), 37, side=side, order=order)
    for target in ("avx2", "sve256"):
        made = next(each for each in plan.candidates(spec, facts_of(TARGETS[target])) if each.way == IN_LOOP)
        k, arrays = planned_kernel(spec, TARGETS[target], made, emit.emit), drawn(spec, 1)
        wanted = expected(spec, a, arrays)
        k.run(*arrays.values())
        np.testing.assert_array_equal(arrays["c"], wanted)
        assert k.verify(), (side, target)


def test_patterns():
    """Stored zeros of sparse matrices are entries of a pattern; values are checked as every operand is."""
    held = Held("coo", (3, 4), row=np.array([2, 0, 0]), col=np.array([0, 3, 1]), data=np.array([3.0, 0.0, 1.0]))
    k = ts.sparse_kernel(held, 8, values=ts.RUNTIME)
    dense = np.array([[False, True, False, True], [False] * 4, [True, False, False, False]])
    assert ts.sparse_kernel(dense, 8, values=ts.RUNTIME) is k and pickle.loads(pickle.dumps(k)).code == k.code
    b = np.arange(32, dtype=np.float32).reshape(4, 8)
    for values in (np.float32([1, 2, 3]), np.float32([0, -1, 4])):
        a = np.zeros((3, 4))
        a[dense] = values
        np.testing.assert_array_equal(k(values, b), a @ b)
    with pytest.raises(ValueError, match=r"values: shape \(3,\), not \(2,\)"):
        k(np.ones(2, np.float32), b)
    unsorted = Held("csr", (1, 7), data=np.ones(2), has_canonical_format=False)
    with pytest.raises(ValueError, match="values: columns of a row do not ascend"):
        ts.sparse_kernel(unsorted, 8, values=ts.RUNTIME)
    with pytest.raises(ValueError, match="values: a has no entry"):
        ts.sparse_kernel(np.zeros((3, 4)), 8, values=ts.RUNTIME)
    with pytest.raises(TypeError, match="values: None .* or ts.RUNTIME"):
        ts.sparse_kernel(dense, 8, values=np.ones(3))


def test_more_entries_than_code_holds():
    a = np.random.default_rng(0).integers(1, 5, (40, 120))
    k = ts.sparse_kernel(a, 70)
    assert k.plan.way == IN_LOOP and len(k.code) < 128 * 1024
    assert {each.way for each in k.plan.rejected} == {AS_CODE, plan.DENSE}
    assert "ts.brgemm(40, 70, 120) takes about" in str(k.plan.rejected)
    b = np.random.default_rng(1).integers(-9, 9, (120, 70)).astype(np.float32)
    np.testing.assert_array_equal(k(b), a @ b)


def test_sums_of_floats():
    """Sums are rounded as often as they have terms, in the order of k."""
    rng = np.random.default_rng(3)
    a = rng.standard_normal((35, 35)) * (rng.random((35, 35)) < 0.3)
    b = rng.standard_normal((35, 144)).astype(np.float32)
    entries = a.astype(np.float32).astype(np.float64)
    error = np.abs(ts.sparse_kernel(a, 144)(b) - entries @ b)
    assert (error <= 35 * 2.0**-24 * (np.abs(entries) @ np.abs(b))).all()


@settings(max_examples=quick(30))
@given(patterns())
def test_sparse_matrices(case: tuple[Pattern, str]) -> None:
    """Of every format: duplicates are summed, zeros are left out, and equal matrices are one request."""
    pattern, form = case
    if 0 in pattern.shape:
        return
    for dtype in ("f32", "f64"):
        assert fixed(pattern.held(form, np.float64), dtype) == fixed(pattern.dense(), dtype)


def test_equal_matrices_share_a_kernel():
    a = np.array([[0, 2, 0, -1], [0, 0, 0, 0], [3, 0, 0, 1e-60]])
    held = Held(
        "coo", a.shape, row=np.array([2, 0, 0, 0]), col=np.array([0, 3, 1, 1]), data=np.array([3, -1, 1.5, 0.5])
    )
    k = ts.sparse_kernel(a, 8)
    assert ts.sparse_kernel(held, 8) is k and ts.sparse_kernel(ts.sparse(held), 8) is k
    assert k.flops == 2 * 3 * 8, "1e-60 is 0 in f32"
    b = np.arange(32, dtype=np.float32).reshape(4, 8)
    np.testing.assert_array_equal(k(b), a.astype(np.float32) @ b)
    a[1, 1] = 7  # the kernel has a copy
    assert ts.sparse_kernel(a, 8) is not k
    np.testing.assert_array_equal(k(b)[1], 0)
    held.col[0] = 4
    with pytest.raises(ValueError, match="entry 0: column 4, but there are 4 columns"):
        ts.sparse_kernel(held, 8)


@pytest.mark.parametrize("name", ["avx512", "avx2", "sse", "neon", "sve256"])
@pytest.mark.grid(2)
def test_proofs(name):
    """Both ways, both sides, a tail of columns, sums that begin with c: proved for all inputs."""
    a = np.array([[0, 2, -1], [0, 0, 0]])
    given = {"values": ts.RUNTIME, "packed": 3}
    for named in ({"dtype": "bf16"}, {"side": "right", "packed": 3, "beta": 1}, {"dtype": "f64", "ldb": 9}, given):
        k = ts.sparse_kernel(a, 5, target=name, **named)
        assert k.verify(), named
    loop = next(each for each in plan.candidates(k.spec, facts_of(k.target)) if getattr(each, "looped", False))
    assert planned_kernel(k.spec, k.target, loop, emit.emit).verify()


def test_a_wrong_kernel_is_refuted():
    a = np.array([[0, 2, 0, -1], [3, 1, 0, 0]])
    k, other = ts.sparse_kernel(a, 9, target="avx2"), a.copy()
    other[1, 1] = 2
    spec = ts.sparse_kernel(other, 9, target="avx2").spec
    found = planned_kernel(spec, k.target, k.plan, emit.emit).verify()
    assert not found and found.refutation is not None and found.refutation.confirmed


def test_the_emulator_agrees():
    """On a machine that this processor may lack; and code, object, pickle are those of the request."""
    spec = baked_spec(fixed(np.array([[1, 0, 2], [0, 0, 3]]), "f32"), 21)
    arrays = drawn(spec, 5)
    wanted = expected(spec, np.array([[1, 0, 2], [0, 0, 3]]), arrays)
    k = ts.sparse_kernel(spec.a, 21, target="sve512")
    k.run(*arrays.values())
    np.testing.assert_array_equal(arrays["c"], wanted)
    assert pickle.loads(pickle.dumps(k)).code == k.code
    assert "rows 0 to 1" in k.listing()


def test_code_does_not_exceed_its_budget():
    rng = np.random.default_rng(1)
    a = rng.standard_normal((60, 60)) * (rng.random((60, 60)) < 0.25)
    for name in ("avx2", "avx512", "neon", "sse"):
        made = ts.sparse_kernel(a, 576, target=name)
        assert len(made.code) <= 40 << 10, (name, made.plan)


A = np.array([[0, 1], [2, 0]])
BAD = FixedMatrix(2, 2, (0, 1, 2), (1, 2), "0000803f00000040")


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (ValueError, "a: a matrix of two axes, not of 1", lambda: ts.sparse_kernel(np.ones(3), 4)),
        (TypeError, "a: real numbers, not complex128", lambda: ts.sparse_kernel(A * 1j, 4)),
        (ValueError, "n: from 1", lambda: ts.sparse_kernel(A, 0)),
        (ValueError, "ldb: at least 4", lambda: ts.sparse_kernel(A, 4, ldb=3)),
        (UnsupportedError, "ldc: must be a number", lambda: ts.sparse_kernel(A, 4, ldc=ts.RUNTIME)),
        (UnsupportedError, "beta: 0 or 1, not 0.5", lambda: ts.sparse_kernel(A, 4, beta=0.5)),
        (ValueError, "side: one of 'left', 'right'", lambda: ts.sparse_kernel(A, 4, side="both")),
        (
            UnsupportedError,
            "lie apart in memory; give b and c in the other order",
            lambda: ts.sparse_kernel(A, 4, side="right"),
        ),
        (UnsupportedError, 'packed: only in order "C"', lambda: ts.sparse_kernel(A, 4, packed=4, order="F")),
        (UnsupportedError, "dtype: b and c of f64, or both", lambda: ts.sparse_kernel(A, 4, dtype=("f32", "f64"))),
        (UnsupportedError, "at most 32768 entries, not 90000", lambda: ts.sparse_kernel(np.ones((300, 300)), 4)),
        (UnsupportedError, "more than 4096 lose accuracy", lambda: ts.sparse_kernel(np.ones((1, 5000)), 4)),
        (ValueError, "a: the places of a row ascend, from 0 to 1", lambda: ts.sparse_kernel(BAD, 4)),
        (ValueError, "a: 2 values of f64", lambda: ts.sparse_kernel(BAD._replace(places=(1, 0)), 4, dtype="f64")),
        (ValueError, "a: its values are not 0", lambda: baked_spec(BAD._replace(places=(1, 0), values="00" * 8), 4)),
    ],
)
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()
