"""Attention of few queries, with vectors along keys, and of as many keys as the call says."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import guarded
from tests.kernel_runs import FOREIGN, planned_kernel, runs_here
from tests.microkernels.attention.test_attention import MASKS, arrays, check, wanted
from tilesmith.microkernels.attention.few_plan import few
from tilesmith.microkernels.attention.pipeline import emit
from tilesmith.microkernels.attention.spec import attention_spec
from tilesmith.microkernels.attention.ways import together
from tilesmith.microkernels.machines.registry import TARGETS as MACHINES
from tilesmith.microkernels.machines.registry import facts_of
from tilesmith.microkernels.products.untiled import without_tiles
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.testing.guard import SIDES

TARGETS = ("sse", "avx2", "avx512", "avx512_bf16", "amx", *FOREIGN)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_few_queries(target):
    """Each type and mask, in groups and not, is within the bounds of attention and reads only its operands. Emulated
    machines take turns."""
    rng, index = np.random.default_rng(TARGETS.index(target)), TARGETS.index(target)
    machine, foreign, emulated = MACHINES[target], target in FOREIGN, not runs_here(target)
    types = ("f32", "f64") if target == "sse" else ("f32", "bf16", "f16", "f64")
    for number, (dtype, mask) in enumerate(itertools.product(types, MASKS)):
        if emulated and (number % 4 != index % 4 or number > 4):
            continue
        kv, group, queries = 2, 1 + number % 3, 1 + number % 2
        keys, size = (
            int(each) for each in rng.integers(2, (12, 6) if foreign else (70, 20) if emulated else (200, 50))
        )
        spec = together(
            attention_spec(kv * group, queries, keys, size, kv_heads=kv, mask=mask, lse=number % 2 == 0, dtype=dtype)
        )
        kernel = planned_kernel(spec, machine, few(spec, without_tiles(facts_of(machine))), emit)
        check(kernel, arrays(spec, rng), SIDES[number % 2])


def test_chosen_where_it_is_faster():
    """One query, and the single queries of a group, have vectors along keys; as many queries as a vector has elements
    do not."""
    plans = {queries: ts.attention(8, queries, 512, 64, target="avx512").plan for queries in (1, 4, 16)}
    assert [each.upright for each in plans.values()] == [True, True, False]
    grouped = ts.attention(8, 1, 512, 64, kv_heads=2, target="avx512").plan
    assert (grouped.spec.heads, grouped.spec.queries) == (2, 4)
    assert "8 heads over 2, 1 queries" in str(grouped) and "queries of the 4 heads that share k and v" in str(grouped)
    assert "vectors along queries: about" in str(plans[1].rejected)
    assert "vectors of keys and of columns" in str(plans[1]) and "softmax step: a fused kernel" in str(plans[1])


def seen_of(spec: Any, operands: list[Any], seen: int) -> list[Any]:
    """Return the operands with only the keys that are seen."""
    q, k, v, *mask = operands
    return [q, k[:, :seen], v[:, :seen], *(each[..., :seen] for each in mask)]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["avx2", "avx512", "amx", *FOREIGN])
def test_keys_that_are_seen(target):
    """The first keys count, in blocks of powers of two, and queries of a causal mask are those of the last ones. Keys
    behind them are not read: they are NaN."""
    rng, emulated = np.random.default_rng(TARGETS.index(target)), not runs_here(target)
    turn = FOREIGN.index(target) if target in FOREIGN else 3
    for number, (dtype, queries) in enumerate(itertools.product(("f32", "bf16", "f16", "f64"), (1, 19))):
        if emulated and number != turn:
            continue
        if not emulated and (number + TARGETS.index(target)) % 2 and dtype != "f32":
            continue  # each type with one number of queries
        keys, size = (20, 6) if emulated else (150, 20)
        causal = queries > 1 and TARGETS.index(target) % 2 == 0
        options: dict[str, Any] = {"mask": MASKS[number % 3], "dtype": dtype, "target": target, "kv_heads": 1}
        kernel = ts.attention(2, queries, keys, size, seen=ts.RUNTIME, lse=True, causal=causal, **options)
        operands = arrays(kernel.spec, rng)
        for seen in (20 if causal else 13,) if emulated else (19 if causal else 1, 63, 64, 127):
            given = seen_of(kernel.spec, operands, seen)
            out, bound, lse, far = wanted(SimpleNamespace(spec=replace(kernel.spec, keys=seen)), *given)
            poisoned = [operands[0], *(np.full_like(each, np.nan) for each in operands[1:])]
            for whole, part in zip(poisoned[1:], given[1:]):
                whole[tuple(slice(extent) for extent in part.shape)] = part
            found = [np.full(each.shape, 7, numpy_dtype(each.dtype)) for each in kernel.spec.outputs]
            (kernel.run if kernel.address is None else kernel)(*poisoned, seen, *found)
            assert (abs(found[0] - out) <= bound).all() and (abs(found[1] - lse) <= far).all(), (dtype, seen)


def test_no_key_is_seen():
    kernel = ts.attention(2, 3, 5, 4, seen=ts.RUNTIME, lse=True)
    q, k, v = (np.full(shape, np.nan, np.float32) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 4)))
    out, lse = kernel(q, k, v, 0)
    assert (out == 0).all() and (lse == -np.inf).all()


def test_a_cache_ends_where_keys_are_seen():
    """Not a byte behind the last key is read: the pages there cannot be read."""
    kernel = ts.attention(1, 1, 64, 8, seen=ts.RUNTIME)
    operands = [each.astype(np.float32) for each in arrays(kernel.spec, np.random.default_rng(1))]
    for seen in (1, 7, 32, 45):
        k, v = (guarded(each[:, :seen], "end", writable=False) for each in operands[1:])
        whole = [np.lib.stride_tricks.as_strided(each, (1, 64, 8), each.strides) for each in (k, v)]
        fixed = ts.attention(1, 1, seen, 8)
        np.testing.assert_allclose(kernel(operands[0], *whole, seen), fixed(operands[0], k, v), rtol=1e-5)


@pytest.mark.parametrize("seen", [-1, 6, 1 << 40, 2.0, True, None])
def test_other_numbers_are_refused(seen):
    """By machine code and by Python, before anything is read."""
    kernel = ts.attention(1, 1, 5, 4, seen=ts.RUNTIME)
    q, k, v = (np.zeros(shape, np.float32) for shape in ((1, 1, 4), (1, 5, 4), (1, 5, 4)))
    for _ in range(2):
        assert kernel(q, k, v, np.int64(5)).shape == (1, 1, 4)
        with pytest.raises((TypeError, ValueError), match="seen: "):
            kernel(q, k, v, seen, np.empty_like(q))


def test_requests():
    with pytest.raises(ValueError, match="seen: with causal=True the queries are those of the last keys"):
        ts.attention(1, 6, 5, 4, seen=ts.RUNTIME, causal=True)
    with pytest.raises(ValueError, match="seen: 3 to 3, not 2"):
        ts.attention(1, 3, 3, 4, seen=ts.RUNTIME, causal=True)(*np.ones((3, 1, 3, 4), np.float32), 2)
    with pytest.raises(TypeError, match="seen: None, or ts.RUNTIME"):
        ts.attention(1, 1, 5, 4, seen=3)
    kernel = ts.attention(4, 1, 5, 4, seen=ts.RUNTIME)
    assert "int64_t seen, float *out" in kernel.c_prototype and "seen   an integer of 0 to 5" in str(kernel.__doc__)
    spread = ts.spread(kernel, threads=2)
    q, k, v = arrays(kernel.spec, np.random.default_rng(0))
    assert (spread(q, k, v, 3) == kernel(q, k, v, 3)).all()
    decode = ts.dispatch(ts.attention, seen=ts.RUNTIME)
    assert (decode(q, k, v, 3) == kernel(q, k, v, 3)).all()
    assert kernel.verify()
    with pytest.raises(ts.UnsupportedError, match='seen: no proof with mask="full"'):
        ts.attention(1, 2, 5, 4, mask="full", seen=ts.RUNTIME).verify()
