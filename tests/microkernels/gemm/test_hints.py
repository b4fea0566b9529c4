"""Prefetches and streaming stores change no bit of a product. The plan prints them, and impossible hints are
refused."""

from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tilesmith.microkernels.gemm.plan import GemmPlan

Array = np.ndarray[Any, Any]

TYPES: dict[Any, tuple[Any, Any, Any]] = {
    "f32": (np.float32,) * 3,
    ("bf16", "bf16", "f32"): (ml_dtypes.bfloat16, ml_dtypes.bfloat16, np.float32),
    ("u8", "i8", "i32"): (np.uint8, np.int8, np.int32),
}
HINTS = (("abc", ""), ("ab@l1", None), ("b@l3", "c"), ("", "c"), ("c", "c"), ("ab", "a"), ("", "b"), ("a", "ab"))
EXECUTED, EMULATED = ("avx2", "avx512"), ("amx", "avx512_bf16", "neon", "sve256")


def operands(shape: tuple[int, int, int], dtype: Any, order: str, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    m, n, k = shape
    made = []
    for extents, each in zip(((m, k), (k, n), (m, n)), TYPES[dtype]):
        whole = np.issubdtype(each, np.integer)
        values = rng.integers(0, 100, extents) if whole else rng.normal(size=extents)
        made.append(np.asarray(values.astype(each), order=order))  # type: ignore[call-overload]
    return made


def products(shape: tuple[int, int, int], hints: tuple[str, str | None], **request: Any) -> tuple[ts.Kernel, ts.Kernel]:
    """Return the kernels with the hints and without any."""
    prefetch, streaming = hints
    hinted = ts.brgemm(*shape, prefetch=prefetch, streaming=streaming, **request)
    assert isinstance(hinted.plan, GemmPlan)
    return hinted, ts.brgemm(*shape, prefetch="", streaming="", **request)


cases = st.tuples(
    st.tuples(st.integers(1, 70), st.integers(1, 40), st.integers(1, 70)) | st.just((64, 24, 32)),
    st.sampled_from(list(TYPES)),
    st.sampled_from("CF"),
    st.sampled_from([0, 0, 1]),
    st.sampled_from(HINTS),
)


@pytest.mark.parametrize("target", EXECUTED)
@settings(max_examples=scaled(25, 2000), deadline=None)
@given(case=cases, side=st.sampled_from(SIDES), seed=st.integers(0, 99))
def test_the_bits_are_those_without_hints_between_guard_pages(target, case, side, seed):
    shape, dtype, order, beta, hints = case
    try:
        hinted, plain = products(shape, hints, dtype=dtype, order=order, beta=beta, target=target)
    except ts.UnsupportedError:
        return
    a, b, c = operands(shape, dtype, order, seed)
    wanted = c.copy(order="K")
    plain(a, b, wanted)
    found = guarded(c, side)
    hinted(guarded(a, side, writable=False), guarded(b, side, writable=False), found)
    check_canary(found)
    assert isinstance(plain.plan, GemmPlan) and isinstance(hinted.plan, GemmPlan)
    if [panel.scheme for panel in plain.plan.panels] == [panel.scheme for panel in hinted.plan.panels]:
        assert np.array_equal(found, wanted)
        return
    sizes = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)) + np.abs(c.astype(np.float64))
    assert (np.abs(found.astype(np.float64) - wanted) <= 2 * (shape[2] + 1) * 2.0**-24 * sizes).all()


@pytest.mark.parametrize("target", EMULATED)
def test_emulated_targets_give_the_same_bits(target):
    made = 0
    for number, (prefetch, streaming) in enumerate(HINTS):
        dtype = "f32" if target in ("neon", "sve256") else list(TYPES)[number % 3]
        shape = ((33, 20, 40), (64, 17, 32))[number % 2] if target == "amx" else ((17, 6, 9), (16, 5, 8))[number % 2]
        request = {"dtype": dtype, "order": "CF"[number % 2], "beta": 0, "target": target}
        try:
            hinted, plain = products(shape, (prefetch, streaming), **request)
        except ts.UnsupportedError:
            continue
        a, b, c = operands(shape, dtype, request["order"], number)
        wanted, found = c.copy(order="K"), c.copy(order="K")
        plain.run(a, b, wanted)
        hinted.run(a, b, found)
        assert np.array_equal(found, wanted)
        made += 1
    assert made >= 2


def test_what_the_code_contains_and_the_plan_says():
    kernel = ts.brgemm(64, 24, 32, order="F", beta=0, prefetch="abc", streaming="c", target="avx512_vnni")
    listing = kernel.listing()
    assert all(name in listing for name in ("prefetcht1", "prefetchw", "vmovntps", "sfence"))
    assert listing.count("vmovntps") == 4 * 6  # a block of six columns, whose code is in a loop
    assert "steps of k ahead, into L2" in str(kernel.plan) and "past the caches" in str(kernel.plan)
    assert "prefetcht2" in ts.brgemm(64, 24, 32, prefetch="a@l3", target="avx512").listing()
    plain = ts.brgemm(64, 24, 32, order="F", beta=0, target="avx512_vnni")
    assert plain.code == ts.brgemm(64, 24, 32, order="F", beta=0, prefetch="", streaming="", target="avx512_vnni").code
    again = pickle.loads(pickle.dumps(kernel))
    assert again.code == kernel.code and again.spec == kernel.spec


@pytest.mark.parametrize(("streaming", "loads"), [("a", {"a"}), ("b", {"b"}), ("ab", {"a", "b"})])
def test_tiles_past_the_first_cache(streaming, loads):
    """Each of the four loads per step of the 2 x 2 grid uses one of the two load instructions."""
    kernel = ts.brgemm(
        32, 32, 32, dtype=("bf16", "bf16", "f32"), b_layout="vnni", beta=0, streaming=streaming, target="amx"
    )
    listing = kernel.listing()
    assert listing.count("tileloaddt1") == 2 * len(loads) and listing.count("tileloadd ") == 4 - 2 * len(loads)
    a, b, c = operands((32, 32, 32), ("bf16", "bf16", "f32"), "C", 1)
    packed = np.ascontiguousarray(b.reshape(16, 2, 32).swapaxes(1, 2))
    kernel.run(a, packed, c)
    wanted = np.empty_like(c)
    ts.brgemm(32, 32, 32, dtype=("bf16", "bf16", "f32"), b_layout="vnni", beta=0, target="amx").run(a, packed, wanted)
    assert np.array_equal(c, wanted)


@pytest.mark.parametrize(
    ("request_", "error", "says"),
    [
        ({"streaming": "c"}, ts.UnsupportedError, "beta=0"),
        ({"streaming": "c", "beta": 0, "epilogue": lambda c: c * 2.0}, ts.UnsupportedError, "leave one of them out"),
        ({"streaming": "c", "beta": 0, "ldc": 50}, ts.UnsupportedError, "multiple of 64 bytes"),
        ({"streaming": "c", "beta": 0, "target": "neon"}, ts.UnsupportedError, "no stores past the caches"),
        ({"streaming": "a", "beta": 0}, ts.UnsupportedError, "only tiles"),
        ({"prefetch": "a", "lda": ts.RUNTIME, "order": "F"}, ts.UnsupportedError, "not RUNTIME"),
        ({"prefetch": "x"}, ValueError, "letters of operands"),
        ({"prefetch": "aa"}, ValueError, "letters of operands"),
        ({"prefetch": "a@l4"}, ValueError, "l1"),
        ({"streaming": 1}, ValueError, "letters of operands"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_what_is_refused(request_, error, says):
    with pytest.raises(error, match=says):
        ts.brgemm(64, 48, 64, **{"target": "avx512", **request_})
