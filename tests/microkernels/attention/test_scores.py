"""Functions of scores, masks of sequences and heads, and dropped probabilities: forward within bounds from numpy, the
gradients by differences, on every machine and in every way to compute them."""

from __future__ import annotations

import math
import pickle
import re
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests import threefry_model
from tests.kernel_runs import called, runs_here
from tests.microkernels.attention.test_attention import arrays, wanted
from tilesmith.microkernels.attention.blocks import AttentionSchedule
from tilesmith.microkernels.machines.registry import TARGETS

TARGETS_OF_TESTS = ("avx2", "avx512", "neon", "sve256")
SEED = 1 << 40 | 12345


def spread_mask(spec: Any, mask: Any) -> Any:
    """Return a mask as (heads, queries, keys)."""
    (sequences, heads), queries, keys = spec.masks, spec.queries, spec.keys
    shape = {"row": (1, keys), "full": (queries, keys), "distance": (1, queries + keys - 1)}[spec.mask]
    each = mask.reshape(sequences, heads, *shape)
    if spec.mask == "distance":
        i, j = np.ogrid[:queries, :keys]
        each = each[:, :, 0][:, :, i - j + keys - 1]
    together = np.broadcast_to(each, (spec.sequences, spec.heads // spec.sequences, queries, keys))
    return together.reshape(spec.heads, queries, keys)


def factors(spec: Any) -> Any:
    """Return what probabilities are multiplied by: those of `ts.dropout` of a matrix (heads * queries, keys)."""
    words = threefry_model.words(spec.heads * spec.queries, spec.keys, SEED).view(np.int32)
    kept = words >= round(spec.rate * 2**32) - 2**31
    return np.where(kept, 1 / (1 - spec.rate), 0.0).reshape(spec.heads, spec.queries, spec.keys)


def cap(s: Any) -> Any:
    return 3 * ts.tanh(s / 3)


def slopes(s: Any, query: Any, key: Any, head: Any) -> Any:
    """ALiBi within a window."""
    return ts.select(query - key < 5.0, s - (head + 1) * 0.25 * abs(query - key), -math.inf)


def slopes_in_numpy(s: Any) -> Any:
    head, query, key = np.ogrid[tuple(slice(each) for each in s.shape)]
    return np.where(query - key < 5, s - (head + 1) * 0.25 * abs(query - key), -np.inf)


def times_mask(s: Any, mask: Any) -> Any:
    return ts.maximum(s * 0.5 + mask, -4.0)


FUNCTIONS: dict[Any, Any] = {None: None, cap: lambda s: 3 * np.tanh(s / 3), slopes: slopes_in_numpy}
CASES: list[tuple[tuple[int, int, int, int], dict[str, Any]]] = [
    ((4, 20, 18, 6), {"dropout": 0.3, "causal": True}),
    ((4, 9, 21, 6), {"score": cap, "mask": "full", "masks": (2, 1), "kv_heads": 2}),
    ((4, 21, 18, 6), {"score": slopes, "kv_heads": 2, "dropout": 0.1}),
    ((4, 20, 11, 5), {"mask": "distance", "masks": (1, 2), "causal": True}),
    ((8, 18, 7, 4), {"mask": "full", "masks": (2, 4), "kv_heads": 4, "dropout": 0.5}),
    ((4, 3, 40, 6), {"mask": "row", "masks": (2, 1), "kv_heads": 2, "dropout": 0.3}),
    ((4, 2, 40, 6), {"mask": "row", "masks": (1, 4), "score": cap}),
    ((2, 3, 20, 4), {"score": slopes, "mask": "row"}),
]


def prepared(kernel: Any, seed: int) -> tuple[list[Any], list[Any], Any, Any]:
    """Return operands, numbers of the call, the mask of each pair, and the factors of probabilities."""
    spec = kernel.spec
    operands = arrays(spec.forward, np.random.default_rng(seed))
    mask = spread_mask(spec, operands[3]) if spec.mask else None
    return operands, [SEED] if spec.rate else [], mask, factors(spec) if spec.rate else 1.0


def extents_of(case: Any, target: str) -> tuple[int, ...]:
    """Return the extents of a case, or small ones where its code is emulated."""
    (heads, queries, keys, size), _ = case
    return (heads, queries, keys, size) if runs_here(target) else (heads, min(queries, 5), min(keys, 6), 2)


def _named(case: object) -> str:
    """Return a case as text that is the same in every process."""
    return re.sub(r"<function (\w+) at \w+>", r"\1", str(case))


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("target", TARGETS_OF_TESTS)
@pytest.mark.parametrize("case", CASES, ids=_named)
@pytest.mark.grid(8)
def test_scores(target: str, dtype: str, case: Any) -> None:
    extents, options = extents_of(case, target), case[1]
    kernel = ts.attention(*extents, lse=True, dtype=dtype, target=TARGETS[target].name, **options)
    operands, numbers, mask, kept = prepared(kernel, 1)
    found = called(kernel, [*operands, *numbers])
    out, bound, lse, far = wanted(kernel, *operands[:3], mask, FUNCTIONS[options.get("score")], kept)
    assert np.all(abs(found[0] - out) <= bound)
    assert np.all(abs(found[1] - lse) <= far)


@pytest.mark.parametrize("target", TARGETS_OF_TESTS)
@pytest.mark.parametrize("case", CASES, ids=_named)
@pytest.mark.grid(6)
def test_gradients(target: str, case: Any) -> None:
    """The gradients agree with central differences of sum(g * out), whose error is of the step squared and the rounding
    of sums by the step, as in test_inverse.py."""
    extents, options = extents_of(case, target), case[1]
    kernel = ts.attention_inv(*extents, dtype="f64", target=TARGETS[target].name, **options)
    spec, step = kernel.spec, 1e-5
    (q, k, v, *masks), numbers, mask, kept = prepared(kernel, 2)
    function, rng = FUNCTIONS[options.get("score")], np.random.default_rng(3)

    def forward(q: Any, k: Any, v: Any) -> Any:
        k, v = (np.repeat(each, spec.group, axis=0) for each in (k, v))
        score = q @ k.transpose(0, 2, 1) * spec.scale
        score = score if function is None else function(score)
        score = score if mask is None else score + mask
        hidden = spec.causal & (np.arange(spec.keys) > np.arange(spec.queries)[:, None])
        score = np.where(hidden, -np.inf, score)
        power = np.exp(score - score.max(axis=2, keepdims=True))
        total = power.sum(axis=2, keepdims=True)
        return (power / total * kept) @ v, (score.max(axis=2, keepdims=True) + np.log(total))[..., 0]

    out, lse = forward(q, k, v)
    g = rng.standard_normal(out.shape)
    for place, gradient in enumerate(called(kernel, [g, q, k, v, *masks, out, lse, *numbers])):
        direction = rng.standard_normal(gradient.shape)
        ends = []
        for sign in (1, -1):
            moved = [each + sign * step * direction if i == place else each for i, each in enumerate((q, k, v))]
            ends.append((forward(*moved)[0] * g).sum())
        slope = (ends[0] - ends[1]) / (2 * step)
        assert abs(slope - (gradient * direction).sum()) <= 1e-7 * (abs(gradient) * abs(direction)).sum() + 1e-8


@pytest.mark.parametrize("target", ["avx512_bf16", "amx"])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.grid(2)
def test_pairs_and_tiles(target: str, inverse: bool) -> None:
    """Products of pairs and on tiles drop the same elements, and take functions of scores, as products of f32 do."""
    options = {"score": cap, "dropout": 0.3, "mask": "full", "dtype": "bf16"}
    make = ts.attention_inv if inverse else ts.attention
    kernel, other = (make(1, 18, 32, 4, target=each, **options) for each in (target, "avx2"))
    assert inverse or (kernel.plan.schedule is AttentionSchedule.STRIPS) == (target == "amx")
    operands, numbers, _, _ = prepared(kernel, 4)
    rng = np.random.default_rng(5)
    if inverse:
        out = rng.standard_normal((1, 18, 4)).astype(operands[0].dtype)
        operands = [out[::-1].copy(), *operands, out, rng.uniform(1, 4, (1, 18)).astype(np.float32)]
    found, exact = ([each.astype(float) for each in called(k, [*operands, *numbers])] for k in (kernel, other))
    for one, another in zip(found, exact):
        assert np.allclose(one, another, atol=2.0**-6 * abs(another).max(), rtol=2.0**-6)


def test_a_function_that_takes_the_mask_and_few_queries() -> None:
    kernel = ts.attention(2, 1, 200, 8, mask="row", score=times_mask)
    q, k, v, mask = arrays(kernel.spec, np.random.default_rng(6))
    score = np.maximum(q.astype(float) @ k.transpose(0, 2, 1) * 8**-0.5 * 0.5 + mask, -4)
    power = np.exp(score)
    assert kernel.plan.upright
    assert np.allclose(kernel(q, k, v, mask), power / power.sum(axis=2, keepdims=True) @ v, atol=1e-5)


@pytest.mark.parametrize("make", [ts.attention, ts.attention_inv])
@pytest.mark.parametrize(
    "options",
    [
        {"score": slopes, "dropout": 0.3, "kv_heads": 4},
        {"mask": "row", "masks": (4, 1), "dropout": 0.3},
        {"mask": "full", "masks": (1, 2), "kv_heads": 4},
        {"mask": "distance", "masks": (2, 4)},
    ],
    ids=_named,
)
@pytest.mark.grid(4)
def test_parts_on_threads(make: Any, options: dict[str, Any]) -> None:
    """Parts of the heads have the bits of the whole, with the masks, positions and dropped elements of their heads."""
    kernel = make(8, 7, 9, 4, **options)
    operands, numbers, _, _ = prepared(kernel, 7)
    if make is ts.attention_inv:
        out = np.random.default_rng(8).standard_normal((8, 7, 4)).astype(np.float32)
        operands = [out, *operands, out, np.ones((8, 7), np.float32)]
    parts = ts.spread(kernel)(*operands, *numbers, threads=2)
    whole = kernel(*operands, *numbers)
    pairs = zip(parts, whole) if isinstance(whole, tuple) else [(parts, whole)]
    assert all(np.array_equal(one, another) for one, another in pairs)


def test_a_dispatched_call_infers_the_rest() -> None:
    kernel = ts.attention(4, 5, 6, 4, mask="full", masks=(2, 1), dropout=0.3)
    operands, numbers, _, _ = prepared(kernel, 9)
    attend = ts.dispatch(ts.attention, mask="full", masks=(2, 1), dropout=0.3)
    assert np.array_equal(attend(*operands, *numbers), kernel(*operands, *numbers))


def test_requests_of_scores() -> None:
    kernel = ts.attention(4, 6, 6, 4, score=slopes, dropout=0.25, mask="row", masks=(1, 2))
    again = pickle.loads(pickle.dumps(kernel))
    assert again.spec == kernel.spec and again.spec.again() == kernel.spec
    inverse = ts.attention_inv(4, 6, 6, 4, score=slopes, dropout=0.25, mask="row", masks=(1, 2)).spec
    assert inverse.again() == inverse and "int64_t seed" in kernel.c_prototype
    assert "dropout(softmax(score(0.5 * q @ k.T, mask)), 0.25)" in str(kernel.spec)
    for given, error, reason in (
        ({"score": lambda s, place: s}, TypeError, "among query, key, head"),
        ({"score": 3}, TypeError, "a function of a score"),
        ({"score": lambda s: ts.sum(s)}, (TypeError, ts.UnsupportedError), "element by element"),
        ({"score": lambda s: (s, s)}, ts.UnsupportedError, "one result"),
        ({"dropout": 1.0}, ValueError, "dropout: a probability"),
        ({"masks": (1, 2)}, ValueError, "masks: 1 x 2 of no mask"),
        ({"masks": (3, 1), "mask": "row"}, ValueError, "masks: (3, 1) of 4 heads"),
        ({"masks": (2, 4), "mask": "row"}, ValueError, "masks: (2, 4)"),
        ({"masks": (4, 1), "mask": "row", "kv_heads": 2}, ValueError, "whole groups"),
    ):
        with pytest.raises(error) as found:
            ts.attention(4, 6, 6, 4, **given)  # type: ignore[arg-type]
        assert reason in str(found.value)
