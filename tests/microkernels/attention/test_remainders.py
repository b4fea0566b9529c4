"""The last block of queries has whole vectors: some of its queries are computed a second time or do not exist. The
lengths exceed one block, so that another block precedes the last one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import MACHINES, called, runs_here
from tests.microkernels.attention.test_attention import arrays, check
from tests.microkernels.attention.test_inverse import forward
from tilesmith.microkernels.attention.blocks import blocks_of
from tilesmith.microkernels.attention.spec import attention_spec


def _sides(machine: str) -> tuple[str, ...]:
    """Return the sides of the operands at which guard pages lie. The emulator guards both sides at once."""
    return ("start", "end") if runs_here(machine) else ("end",)


CASES = (
    ((2, 67, 71, 8), {}),
    ((2, 133, 33, 6), {"lse": True, "mask": "full", "kv_heads": 1}),
    ((1, 121, 130, 5), {"mask": "row"}),
    ((2, 67, 67, 8), {"causal": True, "lse": True}),
    ((1, 90, 70, 6), {"causal": True, "mask": "full"}),
)


@pytest.mark.parametrize("dtype", ("f32", "f64", "bf16"))
@pytest.mark.parametrize("machine", ("avx2", "avx512"))
@pytest.mark.parametrize(("extents", "options"), CASES)
def test_forward(machine: str, extents: Any, options: Any, dtype: str) -> None:
    kernel = ts.attention(*extents, dtype=dtype, target=MACHINES[machine].name, **options)
    operands = arrays(kernel.spec, np.random.default_rng(1))
    for side in _sides(machine):
        check(kernel, operands, side)


@pytest.mark.grid(1)
@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("machine", ("neon", "sve256"))
def test_foreign(machine: str, causal: bool) -> None:
    kernel = ts.attention(1, 67, 66, 2, causal=causal, target=MACHINES[machine].name)
    check(kernel, arrays(kernel.spec, np.random.default_rng(3)))


@pytest.mark.parametrize("machine", ("avx2", "avx512"))
@pytest.mark.parametrize(("extents", "options"), CASES)
def test_backward(machine: str, extents: Any, options: Any) -> None:
    """Each query counts once in the sums over queries: the gradients equal those by definition in f64."""
    more = {name: value for name, value in options.items() if name != "lse"}
    kernel = ts.attention_inv(*extents, dtype="f64", target=MACHINES[machine].name, **more)
    spec, rng = kernel.spec, np.random.default_rng(2)
    q, k, v, *mask = (rng.standard_normal(each.shape) for each in spec.forward.inputs)
    p, out, lse = forward(spec, q, k, v, *mask)
    g = rng.standard_normal(out.shape)
    wide_k, wide_v = (np.repeat(each, spec.group, axis=0) for each in (k, v))
    slope = p * (g @ wide_v.transpose(0, 2, 1) - (g * out).sum(axis=2, keepdims=True)) * spec.scale
    grouped = (spec.kv_heads, spec.group, spec.keys, spec.size)
    expected = [
        slope @ wide_k,
        *((x.transpose(0, 2, 1) @ y).reshape(grouped).sum(axis=1) for x, y in ((slope, q), (p, g))),
    ]
    for side in _sides(machine):
        for found, value in zip(called(kernel, [g, q, k, v, *mask, out, lse], side), expected):
            assert np.allclose(found, value, rtol=1e-11, atol=1e-11), str(kernel.plan)


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("summed", (False, True))
def test_every_query_is_stored(causal: bool, summed: bool) -> None:
    """Blocks follow each other without a gap and end with the last query."""
    for queries in range(1, 200):
        spec = attention_spec(1, queries, 150, 8, causal=causal)
        next_query = 0
        for each in blocks_of(spec, 48, 48, (16, 8, 4), summed):
            start, whole = next_query - each.back, each.rows - each.again
            assert start >= 0 and not (each.back and each.beyond) and (not summed or not each.again)
            assert queries < 48 or each.rows % 4 == 0
            next_query = start + whole + (each.times - 1) * each.rows - each.beyond
        assert next_query == queries
