"""`ts.varlen_attention` and its gradients are those of each sequence in f64, within the bounds of `ts.attention`,
whatever the lengths, layouts and threads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.microkernels.attention.test_attention import wanted
from tests.microkernels.attention.test_inverse import TINY, drawn
from tilesmith.microkernels.attention.spec import attention_spec, inverse_spec
from tilesmith.runtime.arguments.arrays import numpy_dtype

QUERIES = (3, 0, 70, 9, 1, 84)
KEYS = (0, 2, 67, 5, 3, 90)
HEADS, KV, SIZE = 4, 2, 6
CASES = [("f32", False, "end"), ("f32", True, "start"), ("bf16", True, "end"), ("f16", False, "start")]
"""Types, whether the mask is causal, and sides of guard pages."""


def bounds(lengths: tuple[int, ...]) -> Any:
    return np.cumsum([0, *lengths])


def side_by_side(rng: np.random.Generator, parts: list[Any], side: str, apart: bool) -> Any:
    """Return heads (heads, rows, size) of sequences as tokens between guard pages, with gaps between rows or none."""
    whole = np.concatenate(parts, axis=1).transpose(1, 0, 2)
    wide = rng.standard_normal((*whole.shape[:1], whole.shape[1] + apart, SIZE)).astype(whole.dtype)
    wide[:, : whole.shape[1]] = whole
    return guarded(wide[:, : whole.shape[1]], side, writable=False)


def by_sequence(array: Any, ends: Any) -> list[Any]:
    """Return the heads of each sequence."""
    return [array[a:b].transpose(1, 0, 2) for a, b in zip(ends, ends[1:])]


@pytest.mark.parametrize(("dtype", "causal", "side"), CASES)
@pytest.mark.grid(2)
def test_each_sequence_is_attention(dtype: str, causal: bool, side: str) -> None:
    rng, starts, of_keys = np.random.default_rng(len(dtype) + causal), bounds(QUERIES), bounds(KEYS)
    narrow, apart = numpy_dtype(dtype), side == "end"
    q, k, v = (
        side_by_side(rng, [rng.standard_normal((heads, n, SIZE)).astype(narrow) for n in lengths], side, apart)
        for heads, lengths in ((HEADS, QUERIES), (KV, KEYS), (KV, KEYS))
    )
    out = guarded(np.zeros((len(q), 2 * HEADS, SIZE), narrow)[:, ::2], side)
    found, lse = ts.varlen_attention(q, k, v, starts, of_keys, out, causal=causal, lse=True, threads=1)
    assert found is out
    check_canary(out)
    for threads in (2, 3):
        again = ts.varlen_attention(q, k, v, starts.tolist(), of_keys.astype(np.int32), causal=causal, threads=threads)
        assert again.tobytes() == out.tobytes()
    pieces = zip(
        *(by_sequence(x, ends) for x, ends in ((q, starts), (k, of_keys), (v, of_keys), (out, starts))), starts
    )
    for *operands, part, start in pieces:
        (_, queries, _), (_, keys, _) = operands[0].shape, operands[1].shape
        own = lse[:, start : start + queries]
        if not keys:
            assert not part.any() and (own == -np.inf).all()
        elif queries:
            spec = attention_spec(HEADS, queries, keys, SIZE, kv_heads=KV, causal=causal, dtype=dtype, lse=True)
            exact, bound, of_lse, far = wanted(SimpleNamespace(spec=spec), *operands)
            assert (abs(part - exact) <= bound).all() and (abs(own - of_lse) <= far).all()


@pytest.mark.parametrize(("dtype", "causal", "side"), CASES)
@pytest.mark.grid(1)
def test_gradients_of_each_sequence(dtype: str, causal: bool, side: str) -> None:
    """Of arrays between guard pages, into arrays that are parts of one."""
    rng, queries, keys = np.random.default_rng(causal), QUERIES[2:], KEYS[2:]
    requests = [
        inverse_spec(attention_spec(HEADS, n, m, SIZE, kv_heads=KV, causal=causal, dtype=dtype))
        for n, m in zip(queries, keys)
    ]
    every = [drawn(each, rng) for each in requests]
    lse = np.concatenate([given[-1] for given, *_ in every], axis=1)
    g, q, k, v, out = (side_by_side(rng, [given[place] for given, *_ in every], side, place == 2) for place in range(5))
    starts, of_keys = bounds(queries), bounds(keys)
    made = guarded(np.full((max(len(q), len(k)), HEADS + 2 * KV, SIZE), 7, np.float32), side)
    gradients = made[: len(q), :HEADS], made[: len(k), HEADS : HEADS + KV], made[: len(k), HEADS + KV :]
    found = ts.varlen_attention_backward(g, q, k, v, out, lse, starts, of_keys, gradients, causal=causal, threads=2)
    assert found is gradients
    check_canary(made)
    alone = ts.varlen_attention_backward(g, q, k, v, out, lse, starts, of_keys, causal=causal, threads=1)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(alone, gradients))
    for array, ends, place in zip(gradients, (starts, of_keys, of_keys), range(3)):
        for part, (_, exact, bound) in zip(by_sequence(array, ends), every):
            assert (abs(part - exact[place]) <= bound[place] + TINY).all()


def test_no_key_and_no_query() -> None:
    """Empty sequences leave nothing unwritten: keys that no query sees have no gradient."""
    q, k = np.ones((0, 2, 4), np.float32), np.ones((5, 2, 4), np.float32)
    assert ts.varlen_attention(q, k, k, [0, 0], [0, 5]).shape == (0, 2, 4)
    assert ts.varlen_attention(q, q, q, [0]).shape == (0, 2, 4)
    gq, gk, gv = ts.varlen_attention_backward(q, q, k, k, q, np.ones((2, 0), np.float32), [0, 0], [0, 5])
    assert gq.shape == q.shape and not gk.any() and not gv.any() and gk.shape == k.shape


def test_windows() -> None:
    rng, starts, options = np.random.default_rng(3), bounds((70, 23)), {"causal": True, "window": 9}
    q, k, v = rng.standard_normal((3, 93, 1, SIZE)).astype(np.float32)
    found, lse = ts.varlen_attention(q, k, v, starts, lse=True, **options)
    grads = ts.varlen_attention_backward(q, q, k, v, found, lse, starts, **options)
    for a, b in zip(starts, starts[1:]):
        spec = attention_spec(1, b - a, b - a, SIZE, **options)
        operands = [each[a:b].transpose(1, 0, 2) for each in (q, k, v)]
        exact, bound, *_ = wanted(SimpleNamespace(spec=spec), *operands)
        assert (abs(found[a:b].transpose(1, 0, 2) - exact) <= bound).all()
        alone = ts.attention_inv(1, b - a, b - a, SIZE, **options)
        given = [each[a:b].transpose(1, 0, 2).copy() for each in (q, q, k, v, found)]
        for one, other in zip(alone(*given, lse[:, a:b].copy()), grads):
            assert np.allclose(one, other[a:b].transpose(1, 0, 2), rtol=1e-4, atol=1e-5)
    with pytest.raises(ts.UnsupportedError, match="window: needs as many keys"):
        ts.varlen_attention(q, k[:90], v[:90], [0, 93], [0, 90], **options)


def test_arrays_of_other_layouts() -> None:
    """Columns, negative steps, broadcast heads, results that overlap operands, and tensors."""
    rng, torch = np.random.default_rng(0), pytest.importorskip("torch")
    q, k, v = rng.standard_normal((3, 20, 2, 4)).astype(np.float32)
    offsets = [0, 7, 20]
    right = ts.varlen_attention(q, k, v, offsets)
    back = q[::-1].copy()[::-1]
    assert np.array_equal(ts.varlen_attention(back, np.asfortranarray(k), v, offsets), right)
    one = np.broadcast_to(k[:, :1], k.shape)
    assert np.array_equal(ts.varlen_attention(q, one, v, offsets), ts.varlen_attention(q, one.copy(), v, offsets))
    made = ts.varlen_attention(*map(torch.from_numpy, (q, k, v)), torch.tensor(offsets))
    assert torch.equal(made, torch.from_numpy(right))
    assert ts.varlen_attention(q, k, v, offsets, None, q) is q and np.array_equal(q, right)


def test_what_is_refused() -> None:
    """Before anything is written."""
    q, k = np.ones((6, 4, 8), np.float32), np.ones((6, 2, 8), np.float32)
    out = np.full_like(q, 7)
    lse = np.ones((4, 6), np.float32)

    def call(offsets: Any = (0, 2, 6), key_offsets: Any = None, q: Any = q, k: Any = k, v: Any = k, **more: Any) -> Any:
        return ts.varlen_attention(q, k, v, offsets, key_offsets, out, **more)

    def back(offsets: Any, out: Any = q, lse: Any = lse, gradients: Any = None) -> Any:
        return ts.varlen_attention_backward(q, q, k, k, out, lse, offsets, None, gradients)

    cases = {
        "offsets: integers of one axis, .*; number 2 is 2, less than the 4 before it": lambda: call([0, 4, 2, 6]),
        "offsets: the last one must be 6": lambda: call([0, 4, 1 << 40]),
        "offsets: .*; the first one is 2": lambda: call([2, 6]),
        "offsets: .*; there is none": lambda: call([]),
        "offsets: integers .*, not float64": lambda: call(np.array([0.0, 6.0])),
        "key_offsets: 3 numbers": lambda: call(key_offsets=[0, 6]),
        "key_offsets: the last one must be 6": lambda: call(key_offsets=[0, 6, 7]),
        "key_offsets: needed": lambda: call(k=k[:5], v=k[:5]),
        "kv_heads: a divisor of 4": lambda: call(k=q[:, :3], v=q[:, :3]),
        r"v: must have shape \(6, 2, 8\)": lambda: call(v=q),
        r"q: \(tokens, heads, size\)": lambda: call(q=q[0]),
        "k: must have the type of q": lambda: call(k=k.astype(np.float64)),
        "size: must be 2 or more": lambda: call(q=q[..., :1], k=k[..., :1], v=k[..., :1]),
        "out: must be f32 of shape": lambda: call(q=q[:, :2], k=k),
        "dtype: attention supports": lambda: call(q=q.astype(int), k=k.astype(int), v=k.astype(int)),
        "causal: True or False": lambda: call(causal=1),
        "lse: must be f32": lambda: back([0, 6], lse=lse.T),
        "gradients: three arrays": lambda: back([0, 6], gradients=(q,)),
        "gk: must be f32 of shape": lambda: back([0, 6], gradients=(q, q, k)),
    }
    for text, refused in cases.items():
        with pytest.raises((ValueError, TypeError, ts.UnsupportedError), match=text):
            refused()
    assert (out == 7).all()
    many = np.ones((1 << 18, 1, 2), np.float32)
    with pytest.raises(ts.UnsupportedError, match="at most 2048; compute them for some of the queries"):
        ts.varlen_attention_backward(
            many, many, many[:1], many[:1], many, np.ones((1, 1 << 18), np.float32), [0, 1 << 18], [0, 1]
        )


def test_a_plan_can_be_printed() -> None:
    x = np.ones((5, 1, 4), ml_dtypes.bfloat16)
    (plan,) = ts.plans(ts.varlen_attention, x, x, x, [0, 2, 5])
    assert "attention of 2 sequences, bf16" in str(plan) and "attention_" in str(plan)
    (plan,) = ts.plans(ts.varlen_attention_backward, *[x] * 5, np.ones((1, 5), np.float32), [0, 2, 5])
    with pytest.raises(ts.UnsupportedError, match="gradients of attention: the backward pass computes powers"):
        plan.verify()
