"""Terms of sums passed more additions than docs/numerics.md promises: of wide rows that the call counts, in a C of many
lines with packed pairs, in attention over very many keys, and with blocks that `ts.tune` found.

Each is right now, or refused with what would work: the tests execute or make what the refusals name.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, guarded
from tests.profiles import is_soak
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.attention.laid_by import TOGETHER
from tilesmith.microkernels.codegen.laid_by import FEW, WIDE
from tilesmith.microkernels.codegen.long_sums import MOST_OF_BLOCK, MOST_TERMS
from tilesmith.runtime.host.detect import host, runs
from tilesmith.runtime.ops import block_model
from tilesmith.runtime.ops.block_rules import rules
from tilesmith.runtime.ops.blocks import lanes_of

R, N = ts.RUNTIME, 1_100_000
U = 2.0**-24


# Rows of more than 1,048,560 columns: a level of them has more than 4 MiB

WIDER: dict[str, Callable[[Any, int], Any]] = {
    "a sum": lambda m, n: ts.equation(lambda x: ts.sum(x, axis=0), x=(m, n)),
    "beside a reduction along rows": lambda m, n: ts.equation(
        lambda x: (x / ts.max(x, axis=1), ts.sum(x, axis=0)), x=(m, n)
    ),
    "gathered rows": lambda m, n: ts.equation(lambda t, i: ts.sum(ts.gather(t, i), axis=0), t=(3, n), i=(m,)),
    "of a product": lambda m, n: ts.equation(lambda x, w: (x @ w, ts.sum(x @ w, axis=0)), x=(m, 8), w=(8, n)),
    "gradients of a norm": lambda m, n: ts.fused("layernorm_inv", m, n),
    "walks": lambda m, n: ts.fused("batchnorm_training", m, n),
}


@pytest.mark.parametrize("name", WIDER)
def test_wide_rows_that_the_call_counts_are_refused(name: str) -> None:
    make = WIDER[name]
    with pytest.raises(
        ts.UnsupportedError, match="a number of rows .at most 4096 need none., or sums of some of the col"
    ):
        make(R, N)
    make(MOST_TERMS, N)  # a number of rows
    assert "levels of sums" in str(make(R, 18_000).plan)  # some of the columns


@pytest.mark.parametrize("rows", [FEW * FEW + 1, R])
def test_wide_rows_have_as_many_levels_as_fit(rows: Any) -> None:
    """From 32,768 columns on, rows that the call counts had a single level, which 3 million rows fill."""
    for n in (40_000, WIDE // 8 - 8):
        assert "2 levels" in str(WIDER["gathered rows"](rows, n).plan)
    assert "1 levels" in str(WIDER["gathered rows"](rows, WIDE // 8 + 17).plan)
    with pytest.raises(ts.UnsupportedError, match="sums of 3145729 rows"):
        WIDER["gathered rows"](FEW * (MOST_TERMS - FEW) + 1, WIDE // 8 + 17)


# A C of many lines, to which the products of packed pairs are added

NATIVE = [name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])]


@pytest.mark.parametrize("target", NATIVE if is_soak() else NATIVE[-1:])
def test_packed_pairs_of_many_lines(target: str) -> None:
    """Whole numbers, whose sums are exact, and equal terms, whose sums all err in the same direction."""
    m, n, k, count = 17_000, 9, 2, 2_500
    kernel = ts.brgemm(m, n, k, batch=ts.STRIDE, order=("C", "F", "C"), target=target)
    assert "levels of sums in memory" in str(kernel.plan)
    a, b = np.full((m, k), 0.1, "f4"), np.asarray(np.full((k, n), 0.3, "f4"), order="F")
    b[:, 1:] = 1
    a[1:] = np.arange(m - 1)[:, None] % 7
    c = np.zeros((m, n), "f4")
    kernel(a, b, c, count, 0, 0)
    wanted = count * (a.astype("f8") @ b.astype("f8"))
    assert (abs(c - wanted) <= (MOST_TERMS + 64) * U * wanted).all()
    np.testing.assert_array_equal(c[1:, 1:], wanted[1:, 1:])


@pytest.mark.parametrize("side", SIDES)
def test_levels_of_many_lines_touch_nothing_else(side: str) -> None:
    m, n, count = 6_000, 19, 1_030  # more pairs of 4 terms than run without levels, a C of fewer rows at a time
    a, b = guarded(np.full((m, 4), 0.5, "f4"), side, False), guarded(np.ones((n, 4), "f4"), side, False)
    c = guarded(np.zeros((m, n), "f4"), side)
    ts.brgemm(m, n, 4, batch=ts.STRIDE, order=("C", "F", "C"), target=NATIVE[-1])(a, b.T, c, count, 0, 0)
    assert (np.array(c) == 2 * count).all()


@pytest.mark.parametrize("batch", [ts.STRIDE, ts.ADDRESS, 5_000])
def test_packed_pairs_whose_sums_do_not_fit(batch: Any) -> None:
    """On vectors a column of C of more lines than the levels of one vector; on tiles all of C."""
    if batch != 5_000:  # which are packed together
        with pytest.raises(ts.UnsupportedError, match="use blocks of C with fewer rows, or pass b in order 'C'"):
            ts.brgemm(400_000, 4, 2, batch=batch, order=("C", "F", "C"), target="avx512")
        ts.brgemm(400_000, 4, 2, batch=batch, order=("C", "C", "C"), target="avx512")
    asked: dict[str, Any] = {"dtype": ("bf16", "bf16", "f32"), "target": "amx"}
    with pytest.raises(
        ts.UnsupportedError, match="use blocks with fewer rows or columns, or pass operands in order 'C'"
    ):
        ts.brgemm(4, 300_000, 2, batch=batch, order=("F", "C", "C"), **asked)
    ts.brgemm(4, 300_000, 2, batch=100, order=("F", "C", "C"), **asked)


# Attention over so many keys that what is laid by takes more than 4,096 sums


@pytest.mark.parametrize(
    "target, dtype",
    itertools.product(["sse", "avx2", "avx512", "amx", "neon", "sve256", "sme256"], ["f32", "bf16"])
    if is_soak()
    else [("avx512", "f32"), ("amx", "bf16")],
)
def test_blocks_of_very_many_keys(target: str, dtype: str) -> None:
    """A block has more keys if there are many."""
    for queries in (1, 64):
        plan = ts.attention(1, queries, 2**31 - 1, 8, dtype=dtype, target=target).plan
        piece = plan.piece or plan.keys
        blocks = -(-(2**31 - 1) // piece)
        assert piece + TOGETHER + -(-blocks // TOGETHER) <= MOST_TERMS
    with pytest.raises(ts.UnsupportedError, match=r"parts of the keys to kernels with lse=True"):
        ts.attention(1, 2**31 - 1, 2**31 - 1, 8, causal=True, dtype=dtype, target=target)


def test_long_blocks_of_keys_and_parts_of_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of very many keys, taken for few; and what the refusal says: results of parts of the keys, weighted by
    their sums of powers."""
    rng, keys = np.random.default_rng(3), 5_003
    q, k, v = (rng.standard_normal((1, rows, 8)).astype("f4") for rows in (5, keys, keys))
    scores = q[0].astype("f8") @ k[0].astype("f8").T / np.sqrt(8)
    power = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = power @ v[0] / power.sum(-1, keepdims=True)
    parts = [slice(0, 2_000), slice(2_000, keys)]
    found = [ts.attention(1, 5, len(v[0, each]), 8, lse=True)(q, k[:, each], v[:, each]) for each in parts]
    outs, sums = np.array([each[0][0] for each in found]), np.array([each[1][0] for each in found], "f8")
    whole = np.log(np.exp(sums).sum(0))
    np.testing.assert_allclose((outs * np.exp(sums - whole)[..., None]).sum(0), wanted, rtol=1e-5, atol=1e-6)
    for module in ("few_plan", "ways"):
        monkeypatch.setattr(f"tilesmith.microkernels.attention.{module}.keys_of_block", lambda keys, wanted: 1024)
    for queries in (1, 5):
        kernel = ts.attention(1, queries, keys, 8, target=NATIVE[-1])
        assert kernel.plan.keys > 500
        out = kernel(q[:, :queries], k, v)
        np.testing.assert_allclose(out[0], wanted[:queries], rtol=1e-5, atol=1e-6)


# Blocks of a product that `ts.tune` may find


@pytest.mark.parametrize("threads", [1, 4])
def test_candidates_of_tune_hold_the_bound(threads: int) -> None:
    """With a k of 10^7, C took the sums of 78,000 blocks of k."""
    product, target = ts.gemm(64, 64, 10**7).spec, host()
    untuned = rules(product, target, threads, False, False)
    asked = lanes_of(product, target), target.l2, threads
    found = block_model.candidates(untuned, product, *asked)
    assert all(-(-each.k // each.kb) <= MOST_OF_BLOCK for each in [untuned, *found])
    short = ts.gemm(64, 64, 100_000).spec
    many = block_model.candidates(rules(short, target, threads, False, False), short, *asked)
    assert any(each.kb <= 128 for each in many)
