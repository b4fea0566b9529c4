"""Repeated calls of matmul with arrays of the same layout: vectors, batches by one matrix, batches that are packed."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.kept_products import forget, kept_calls
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.ops import products
from tilesmith.runtime.ops.calls import OneKernel, PlannedCall

RNG = np.random.default_rng(5)
SHAPES = [
    ((30,), (30,)),
    ((30,), (30, 9)),
    ((9, 30), (30,)),
    ((4, 5, 30), (30, 7)),
    ((4, 5, 30), (30,)),
    ((2, 3, 5, 30), (30, 7)),
    ((300,), (300, 200)),
    ((200, 300), (300,)),
    ((70, 9, 90), (90, 110)),
]


def whole(*shape: int) -> Any:
    return RNG.integers(-3, 4, shape).astype(np.float32)


def kept() -> int:
    """Return the number of calls that Python remembers."""
    return len(kept_calls())


def remembered() -> set[str]:
    """Return what computes the calls that Python remembers."""
    return set(map(named, kept_calls()))


def named(call: PlannedCall) -> str:
    """Return the name of what computes a call; of a kernel, that of its request."""
    run = call.run
    return type(run.kernel.spec if isinstance(run, OneKernel) else run).__name__


@pytest.mark.parametrize(("of_a", "of_b"), SHAPES)
def test_vectors_and_batches_by_one_matrix(of_a: tuple[int, ...], of_b: tuple[int, ...]) -> None:
    gc.collect()
    first = whole(*of_a), whole(*of_b)
    ts.matmul(*first)
    before = kept()
    for _ in range(2):
        a, b = whole(*of_a), whole(*of_b)
        made = ts.matmul(a, b)
        assert made.shape == (a @ b).shape and np.array_equal(made, a @ b)
    assert kept() == before  # the first call was remembered
    out = np.full_like(a @ b, np.nan)
    for values in (first, (a, b)):
        assert ts.matmul(*values, out=out) is out
        assert np.array_equal(out, values[0] @ values[1])


def test_results_over_operands_and_read_only_ones() -> None:
    a, b = whole(6, 6), whole(6)
    ts.matmul(a, b, out=np.empty(6, np.float32))
    expected = a @ b
    assert ts.matmul(a, b, out=b) is b and np.array_equal(b, expected)
    sealed = np.zeros(6, np.float32)
    sealed.setflags(write=False)
    with pytest.raises(ValueError, match="out: a writable array"):
        ts.matmul(a, b, out=sealed)


def test_a_result_with_gaps_between_rows() -> None:
    a, b, wide = whole(4, 5, 30), whole(30, 7), np.zeros((4, 6, 7), np.float32)
    for _ in range(3):
        wide[...] = -1
        ts.matmul(a, b, out=wide[:, :5])
        assert np.array_equal(wide[:, :5], a @ b) and (wide[:, 5] == -1).all()


@pytest.mark.parametrize("size", [8, 40])  # each product has a copy of an operand, or is a call
def test_batches_that_would_be_packed(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    refused: list[Any] = []
    make: Any = products.brgemm

    def counted(*given: Any, **named: Any) -> Any:
        try:
            return make(*given, **named)
        except UnsupportedError:
            refused.append(named)
            raise

    monkeypatch.setattr(products, "brgemm", counted)
    for order in ("C", "F"):
        a, b = (whole(20, size, size).swapaxes(1, 2) for _ in "ab")
        a, b = (a.swapaxes(1, 2), b.swapaxes(1, 2)) if order == "F" else (a, b)
        out = np.empty((20, size, size), np.float32)
        out = out.swapaxes(1, 2) if order == "F" else out
        for number in range(3):
            refused.clear()
            assert np.array_equal(ts.matmul(a, b, out=out), a @ b)
            assert not refused or number == 0  # a request that no kernel takes is not tried again


VIEWS = {
    "every second column": lambda x: x[..., ::2],
    "from the last row on": lambda x: x[..., ::-1, :],
    "from the last column on": lambda x: x[..., ::-1],
}


@pytest.mark.parametrize("of_a", VIEWS)
@pytest.mark.parametrize("of_b", [None, *VIEWS])
@pytest.mark.parametrize("size", [9, 200])
def test_matrices_that_are_copied(of_a: str, of_b: str | None, size: int) -> None:
    gc.collect()
    forget()
    out, before = np.empty((size, size), np.float32), 0
    for number in range(3):
        a, b = VIEWS[of_a](whole(size, 2 * size)), whole(size, 2 * size)
        a, b = a[:, :size], VIEWS[of_b](b)[:, :size] if of_b else b[:, :size]
        assert np.array_equal(ts.matmul(a, b), a @ b)
        assert ts.matmul(a, b, out=out) is out and np.array_equal(out, a @ b)
        assert number == 0 or kept() == before  # the first calls were remembered
        before = kept()
    assert all(any(call.copies) for call in kept_calls())
    memory = whole(size, 2 * size)
    a, b, into = memory[:, ::2], whole(size, size), memory[:, :size]
    for _ in range(2):
        expected = a @ b
        assert np.array_equal(ts.matmul(a, b, out=into), expected)


LIGHT = {"small", "two axes", "many", "larger", "one shared"}
"""The batches that one call of a kernel computes. Machine code takes those with one axis into an output."""
BATCHES = {
    "small": ((7, 5, 6), (7, 6, 8)),
    "two axes": ((2, 3, 5, 6), (2, 3, 6, 8)),
    "one shared": ((5, 6), (7, 6, 8)),
    "broadcast": ((2, 1, 5, 6), (1, 3, 6, 8)),
    "many": ((600, 4, 4), (600, 4, 4)),
    "larger": ((3, 40, 50), (3, 50, 60)),
}


@pytest.mark.parametrize("shapes", BATCHES)
@pytest.mark.parametrize("into", [False, True])
def test_batches(shapes: str, into: bool) -> None:
    gc.collect()
    forget()
    before = 0
    for number in range(3):
        a, b = (whole(*each) for each in BATCHES[shapes])
        expected = np.matmul(a, b)
        out = np.full_like(expected, np.nan) if into else None
        made = ts.matmul(a, b, out=out)
        assert np.array_equal(made, expected) and (out is None or made is out)
        assert number == 0 or kept() == before
        before = kept()
    if not into:
        assert ("StackSpec" in remembered()) == (shapes in LIGHT)


def heads(batch: int, length: int, count: int, size: int) -> Any:
    """Return the heads of a projection, which lie side by side in each row."""
    return whole(batch, length, count * size).reshape(batch, length, count, size).transpose(0, 2, 1, 3)


@pytest.mark.parametrize("size", [16, 40])
def test_heads_of_attention(size: int) -> None:
    """Scores of heads that lie side by side: strides of the batch that are not those of one axis, and a transposed
    operand."""
    gc.collect()
    forget()
    before = 0
    for number in range(4):
        q, k = heads(2, 34, 3, size), heads(2, 35, 3, size)
        assert np.array_equal(ts.matmul(q, k.swapaxes(-1, -2)), q @ k.swapaxes(-1, -2))
        assert number < 3 or kept() == before
        before = kept()
    assert size == 16 or remembered() == {"BatchLoop"}  # operands of smaller products are copied each time
    q, k = heads(2, size, 3, size), heads(2, size, 3, size)
    expected = q @ k.swapaxes(-1, -2)
    assert np.array_equal(ts.matmul(q, k.swapaxes(-1, -2), out=q), expected)


def test_few_rows_by_a_matrix_beyond_l2() -> None:
    n = 1 << 10
    k = (ts.host().l2 or 1 << 20) // (4 * n) + 100
    for m in (1, 4):
        a, b = whole(m, k), whole(k, n)
        for _ in range(2):
            assert np.array_equal(ts.matmul(a, b), a @ b)


def finished(c: Any, p: Any, q: Any) -> Any:
    return ts.relu(c + p) * q


@pytest.mark.parametrize("size", [9, 200])  # one kernel; a product in blocks
@pytest.mark.parametrize("order", ["C", "F"])
def test_epilogues(size: int, order: str) -> None:
    gc.collect()
    out, before = np.empty((size, size), np.float32, order=order), 0
    for number in range(3):
        a, b, p, q = whole(size, size), whole(size, size), whole(size, size), whole(size)
        p = np.asarray(p, order=order)
        expected = np.maximum(a @ b + p, 0) * q
        for given in ({"p": p, "q": q}, {"q": q, "p": p}):
            assert ts.matmul(a, b, out, epilogue=finished, operands=given) is out
            assert np.array_equal(out, expected)
            assert np.array_equal(ts.matmul(a, b, epilogue=finished, operands=given, threads=2), expected)
        assert number == 0 or kept() == before  # the first calls were remembered if the operands have the order of C
        before = kept()
    for same in (a, b, p):  # a result that overlaps an input is computed in a copy
        values = a.copy(), b.copy(), p.copy(order="K")
        at = next(number for number, each in enumerate((a, b, p)) if each is same)
        into = values[at]
        ts.matmul(values[0], values[1], into, epilogue=finished, operands={"p": values[2], "q": q})
        assert np.array_equal(into, expected)


def test_epilogues_of_other_functions_types_and_strides() -> None:
    a, b, wide = whole(9, 9), whole(9, 9), whole(9, 18)
    for function, expected in ((ts.relu, np.maximum(a @ b, 0)), (lambda c: c + 1, a @ b + 1)):
        for _ in range(2):
            assert np.array_equal(ts.matmul(a, b, epilogue=function), expected)
    for operand in (wide[:, ::2], wide[:, :9], wide[:, ::2].copy(), wide[0, ::2], wide[0, :9]):
        for _ in range(2):
            made = ts.matmul(a, b, epilogue=added, operands={"x": operand})
            assert np.array_equal(made, a @ b + operand)
    with pytest.raises(TypeError, match="x: "):
        ts.matmul(a, b, epilogue=added, operands={"x": wide[0, :9].astype(">f4")})


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_operands_that_one_kernel_would_take_for_another(library: str) -> None:
    """A kernel takes n numbers as a row or as a column, whichever it was made for; a square product has both. Nor do
    the types of a and b say that of the result."""
    of: Any = (lambda each: each) if library == "numpy" else pytest.importorskip("torch").from_numpy
    a, b, x = whole(9, 9), whole(9, 9), whole(9)
    for _ in range(3):
        for operand in (x[:, None], x, x[None], np.stack([x] * 9)):
            made = ts.matmul(of(a), of(b), epilogue=added, operands={"x": of(operand)})
            assert np.array_equal(np.asarray(made), a @ b + operand)
    p, q = (each.astype(np.int8) for each in (a, b))
    for _ in range(3):
        for out in (np.empty((9, 9), np.float32), None):
            made = ts.matmul(of(p), of(q), out if out is None else of(out), epilogue=doubled)
            assert np.array_equal(np.asarray(made), 2 * (a @ b))
            assert np.asarray(made).dtype == (np.int32 if out is None else np.float32)


def doubled(c: Any) -> Any:
    return c + c


def test_types_of_results() -> None:
    a, b = whole(9, 9).astype(np.int8), whole(9, 9).astype(np.int8)
    wide = {np.float32: "float32", "f32": "float32", "i32": "int32", np.dtype("i4"): "int32", None: "int32"}
    for _ in range(2):
        for dtype, found in wide.items():
            made = ts.matmul(a, b, dtype=dtype)
            assert made.dtype == found and np.array_equal(made, a.astype("i4") @ b)
    assert ts.matmul(a, b).dtype == np.int32


def added(c: Any, x: Any) -> Any:
    return c + x


@pytest.mark.parametrize(
    ("of_a", "of_b", "kind"),
    [
        ((0, 8), (8, 5), "Zeros"),
        ((3, 0, 8), (8, 5), "Zeros"),
        ((4, 0), (0, 0), "Zeros"),
        ((6, 8), (4, 8, 5), "StackSpec"),
        ((0,), (0, 0), "Zeros"),
    ],
)
def test_results_without_elements_and_a_shared_first_matrix(
    of_a: tuple[int, ...], of_b: tuple[int, ...], kind: str
) -> None:
    forget()
    for _ in range(3):
        a, b = whole(*of_a), whole(*of_b)
        made = ts.matmul(a, b)
        assert made.shape == (a @ b).shape and made.dtype == np.float32 and np.array_equal(made, a @ b)
        out = np.full_like(made, np.nan)
        assert ts.matmul(a, b, out=out) is out and np.array_equal(out, a @ b)
    assert kind in remembered()
    frozen = np.empty_like(made)
    frozen.flags.writeable = False
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            ts.matmul(a, b, out=frozen)


def test_remembered_calls_of_kernels_notice_overlap_and_odd_addresses() -> None:
    """The kernel refuses such arrays, so the call is examined again; it must not compute before it refuses."""
    for of_a, of_b in (((6, 6), (6, 6)), ((4, 6, 6), (4, 6, 6)), ((6, 6), (4, 6, 6)), ((6, 6), (6,))):
        a, b = whole(*of_a), whole(*of_b)
        for _ in range(2):
            ts.matmul(a, b, threads=1)
            ts.matmul(a, b, out=np.empty_like(a @ b), threads=1)
        odd = np.zeros(b.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(b.shape)
        odd[...] = b
        assert np.array_equal(ts.matmul(a, odd, threads=1), a @ b)
        memory = np.zeros(2 * b.size + 1, np.float32)
        over = memory[: b.size].reshape(b.shape)
        over[...] = b
        behind = memory[1 : 1 + (a @ b).size].reshape((a @ b).shape)
        assert np.array_equal(ts.matmul(a, over, out=behind, threads=1), a @ b)


@pytest.mark.parametrize("cores", [1, 2])
def test_products_of_a_size_that_pays_off_on_two_threads(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    """On several cores, 64 cubed by rows is a nest, but neither 32 cubed nor products by columns are."""
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    forget()
    for dtype in (np.float32, np.float64):
        a, b = (whole(64, 64).astype(dtype) for _ in "ab")
        expected = a.astype(np.float64) @ b
        for threads in (1, 2, 2, 3):
            assert np.array_equal(ts.matmul(a, b, threads=threads), expected)
            assert np.array_equal(ts.matmul(a, b, out=np.empty_like(a), threads=threads), expected)
        assert remembered() == ({"OneNest"} if cores > 1 else {"GemmSpec"})
        for x, y in ((a[:32, :32], b[:32, :32]), (a.T, b)):
            forget()
            assert np.array_equal(ts.matmul(x, y, threads=2), x.astype(np.float64) @ y)
            assert remembered() == {"GemmSpec"}
        forget()
