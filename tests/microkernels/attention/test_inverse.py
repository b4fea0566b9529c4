"""Gradients of attention: f64 against finite differences of a reference, f32 and bf16 against gradients in f64."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.kernel_runs import FOREIGN, MACHINES, called, planned_kernel, runs_here
from tests.profiles import scaled
from tilesmith.encoder.features import Target
from tilesmith.microkernels.attention.blocks import AttentionSchedule
from tilesmith.microkernels.attention.inverse_pairs_plan import InPairs
from tilesmith.microkernels.attention.inverse_plan import InversePlanner
from tilesmith.microkernels.attention.inverse_ways import in_blocks
from tilesmith.microkernels.attention.pipeline import emit
from tilesmith.microkernels.attention.spec import MASKS, attention_spec, inverse_spec
from tilesmith.microkernels.choice import choose
from tilesmith.microkernels.machines.registry import TARGETS, facts_of
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.testing.guard import SIDES


def _of_pairs(spec: Any, mask: Any) -> Any:
    """Return the numbers that are added to the scores, which a mask by distance has for each i - j."""
    if spec.mask != "distance":
        return mask
    query, key = np.ogrid[: spec.queries, : spec.keys]
    return mask[..., query - key + spec.keys - 1]


def scores(spec: Any, q: Any, k: Any, mask: Any = None) -> Any:
    """Return the scaled products of q and k after the masks."""
    found = q @ np.repeat(k, spec.group, axis=0).transpose(0, 2, 1) * spec.scale
    found = found if mask is None else found + mask
    first = spec.keys - spec.queries if spec.seen else 0  # the first query has the number of this key
    after = np.arange(spec.keys) - first - np.arange(spec.queries)[:, None]
    hidden = spec.causal & ((after > 0) | (after <= -(spec.window or np.inf)))
    return np.where(hidden, -np.inf, found)


def forward(spec: Any, q: Any, k: Any, v: Any, mask: Any = None) -> tuple[Any, Any, Any]:
    """Return the probabilities, out and lse."""
    score = scores(spec, q, k, mask)
    largest = score.max(axis=2, keepdims=True)
    power = np.exp(score - largest)
    total = power.sum(axis=2, keepdims=True)
    p = power / total
    return p, p @ np.repeat(v, spec.group, axis=0), (largest + np.log(total))[..., 0]


def shapes(spec: Any) -> list[Any]:
    return [each.shape for each in spec.forward.inputs]


CASES = [
    ((2, 64, 64, 32), {}),
    ((2, 17, 15, 6), {"kv_heads": 1, "mask": "row"}),
    ((4, 11, 9, 5), {"causal": True, "kv_heads": 2}),
    ((1, 10, 13, 4), {"causal": True, "mask": "full", "scale": 0.4}),
]


@pytest.mark.parametrize(
    ("machine", "number"),
    [(machine, number) for machine in ("avx2", "avx512", "neon", "sve256") for number in range(machine in FOREIGN, 4)],
)
@pytest.mark.grid(3)
def test_differences(machine, number):
    """The gradients agree with central differences of sum(g * out) along a direction. Such a difference has an error of
    the third derivative times the step squared, and of the rounding of the sum divided by the step."""
    extents, options = CASES[number]
    kernel = ts.attention_inv(*extents, dtype="f64", target=MACHINES[machine].name, **options)
    rng, step = np.random.default_rng(number), 1e-5
    operands = [rng.standard_normal(each) for each in shapes(kernel.spec)]
    p, out, lse = forward(kernel.spec, *operands)
    g = rng.standard_normal(out.shape)
    found = called(kernel, [g, *operands, out, lse])
    for place, gradient in enumerate(found):
        direction = rng.standard_normal(gradient.shape)
        ends = []
        for sign in (1, -1):
            moved = [each + sign * step * direction if i == place else each for i, each in enumerate(operands)]
            ends.append((forward(kernel.spec, *moved)[1] * g).sum())
        slope = (ends[0] - ends[1]) / (2 * step)
        size = (abs(gradient) * abs(direction)).sum()
        assert abs(slope - (gradient * direction).sum()) <= 1e-7 * size + 1e-9


UNIT = 2.0**-24
HALF = 2.0**-8
"""Half a unit of the 8 bits of bf16: powers and slopes of scores are rounded to it if products are of pairs."""
SMALL = (2, 12, 9, 6)  # the extents in the emulator
NATIVE = [(target, "f32", (2, 150, 130, 64)) for target in ("avx2", "avx512", "sse")]
NARROW = [(target, dtype, (2, 70, 90, 24)) for target in ("avx2", "avx512") for dtype in ("f16", "bf16")]
ELSEWHERE = [("neon", "f16", SMALL), ("neon", "bf16", SMALL), ("sme256", "f16", SMALL)]


def drawn(spec: Any, rng: Any, spread: float = 1.0, pairs: bool = True) -> tuple[list[Any], list[Any], list[Any]]:
    """Return operands, their gradients in f64, and error bounds for a kernel with products of pairs or of f32.

    The bounds count some units of the magnitude of each term for every sum that the term passes through. A kernel
    flushes a power to 0 if it is below the normal numbers; no sum of these operands is that small.
    """
    narrow, half = numpy_dtype(spec.dtype), HALF if pairs else 0.0
    operands = [(rng.standard_normal(each) * spread).astype(narrow) for each in shapes(spec)[:3]]
    if spec.mask is not None:
        operands.append(rng.standard_normal(shapes(spec)[3]).astype(np.float32))
    q, k, v, *mask = (each.astype(np.float64) for each in operands)
    mask = [_of_pairs(spec, each) for each in mask]
    p, out, lse = forward(spec, q, k, v, *mask)
    g, out = rng.standard_normal(out.shape).astype(narrow), out.astype(narrow)
    given = [g, *operands, out, lse.astype(np.float32)]
    g, out = g.astype(np.float64), out.astype(np.float64)
    wide_k, wide_v = (np.repeat(each, spec.group, axis=0) for each in (k, v))
    ds = p * (g @ wide_v.transpose(0, 2, 1) - (g * out).sum(axis=2, keepdims=True)) * spec.scale
    sizes = p * (abs(g) @ abs(wide_v).transpose(0, 2, 1) + (abs(g) * abs(out)).sum(axis=2, keepdims=True))
    sizes = sizes * abs(spec.scale)
    product = abs(q) @ abs(wide_k).transpose(0, 2, 1) * abs(spec.scale) + (abs(mask[0]) if mask else 0.0)
    off = UNIT * ((spec.size + 4) * product + 8 * abs(lse)[..., None] + spec.size + 20)  # relative, of a power
    of_p, of_ds = p * off, (off + UNIT * spec.size) * sizes
    of_p, of_ds = of_p + half * (p + of_p), of_ds + half * (abs(ds) + of_ds)
    more = UNIT * (2 * spec.queries + spec.keys + 20)

    def turned(each: Any) -> Any:
        return each.transpose(0, 2, 1)

    def together(each: Any) -> Any:
        return each.reshape(spec.kv_heads, spec.group, *each.shape[1:]).sum(axis=1)

    wanted = [ds @ wide_k, together(turned(ds) @ q), together(turned(p) @ g)]
    of_ds, of_p = of_ds + more * (sizes + of_ds), of_p + more * (p + of_p)
    bounds = [of_ds @ abs(wide_k), together(turned(of_ds) @ abs(q)), together(turned(of_p) @ abs(g))]
    return given, wanted, bounds


def check(kernel: Any, seed: int, side: str = "end", spread: float = 1.0) -> None:
    """Check that the gradients of random operands are within the bounds."""
    pairs = kernel.plan.schedule is AttentionSchedule.PAIRS
    given, wanted, bounds = drawn(kernel.spec, np.random.default_rng(seed), spread, pairs)
    found = called(kernel, given, side)
    assert all(each.dtype == np.float32 for each in found)
    for gradient, exact, bound in zip(found, wanted, bounds):
        assert np.all(abs(gradient - exact) <= bound + TINY)


TINY = 2.0**-110
"""More than the sum of all powers below 2^-126, which may be flushed to zero."""


@pytest.mark.parametrize(("target", "dtype", "extents"), [*NATIVE, *NARROW, *ELSEWHERE])
@pytest.mark.parametrize("side", SIDES)
def test_f32(target, dtype, extents, side):
    """Gradients of f32 and of 16-bit operands are computed in f32 within the bounds."""
    if not runs_here(target):
        extents = SMALL
        if side != "end":
            pytest.skip("the emulator guards both sides")
    kernel = ts.attention_inv(*extents, target=target, dtype=dtype, causal=True, kv_heads=1)
    assert kernel.plan.schedule is not AttentionSchedule.PAIRS
    check(kernel, 9, side)


def planned_by(planner: type[InversePlanner], target: Target, *extents: Any, **options: Any) -> Kernel:
    """Return a kernel of bf16 that one planner plans, whether or not that is the fastest way."""
    spec = inverse_spec(attention_spec(*extents, dtype="bf16", **options))
    plan = choose(in_blocks(spec, facts_of(target), planner))
    return planned_kernel(spec, target, plan, emit)


EXTENTS = (st.integers(1, 2), st.integers(1, 2), st.integers(1, 150), st.integers(1, 150), st.integers(2, 70))
OPTIONS = (
    st.booleans(),
    st.sampled_from((None, *MASKS)),
    st.sampled_from(SIDES),
    st.sampled_from([0.3, 1.0, 6.0]),
    st.sampled_from([None, -0.4]),
)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["avx512_bf16", "neon_bf16", "sve256"])
def test_in_pairs(target):
    """Products of bf16 pairs are within the bounds for all lengths. An odd last query or key has no partner in its
    pair."""
    of, small = TARGETS[target], bool(host.runs(TARGETS[target]))  # small where it is emulated

    @settings(max_examples=scaled(3 if small else 40, 400))
    @given(*EXTENTS, *OPTIONS)
    def run(kv, group, queries, keys, size, causal, mask, side, spread, scale):
        queries, keys, size = (max(1, each // 8) for each in (queries, keys, size)) if small else (queries, keys, size)
        kernel = planned_by(
            InPairs, of, kv * group, queries, keys, max(2, size), causal=causal, mask=mask, kv_heads=kv, scale=scale
        )
        check(kernel, queries, side, spread)

    run()


@pytest.mark.parametrize(
    ("target", "extents"),
    [
        ("avx512_bf16", (2, 37, 27, 9) if host.runs(TARGETS["avx512_bf16"]) else (2, 101, 75, 33)),
        ("neon_bf16", SMALL),
        ("neon_bf16", (2, 7, 5, 3)),
        ("sve256", SMALL),
    ],
)
@pytest.mark.parametrize(
    "options", [{}, {"causal": True, "kv_heads": 1}, {"mask": "row"}, {"mask": "full", "causal": True}]
)
@pytest.mark.grid(5)
def test_some_in_pairs(target, extents, options):
    check(planned_by(InPairs, TARGETS[target], *extents, **options), 3)


@pytest.mark.parametrize(("target", "causal"), [("avx2", True), ("avx512", False), ("neon_bf16", True)])
def test_keys_that_are_seen(target, causal):
    """Keys behind those that are seen are not read, and have no gradient."""
    native = runs_here(target)
    extents, seen = ((2, 37, 150, 10), 91) if native else ((1, 5, 12, 4), 9)
    options = {"causal": causal, "kv_heads": 1, "seen": ts.RUNTIME}
    kernel = (
        ts.attention_inv(*extents, target=target, **options)
        if native
        else planned_by(InPairs, TARGETS[target], *extents, **options)
    )
    given, wanted, bounds = drawn(replace(kernel.spec, keys=seen), np.random.default_rng(5), pairs=not native)
    whole = [np.full(each.shape, np.nan, numpy_dtype(each.dtype)) for each in kernel.spec.inputs]
    for each, part in zip(whole, given):
        each[:, : part.shape[1]] = part
    found = [np.full(each.shape, 7, np.float32) for each in kernel.spec.outputs]
    (kernel if native else kernel.run)(*whole, seen, *found)
    for gradient, exact, bound in zip(found, wanted, bounds):
        rows = exact.shape[1]
        assert (abs(gradient[:, :rows] - exact) <= bound + TINY).all() and not gradient[:, rows:].any()


def test_window():
    check(ts.attention_inv(2, 150, 160, 10, causal=True, window=70, kv_heads=1, mask="row"), 3)
    check(planned_by(InPairs, TARGETS["neon_bf16"], 1, 6, 6, 4, causal=True, window=2), 4)


def test_the_way_of_fewest_cycles():
    """The plan uses pairs where a dot-product unit takes them, tiles where the target has them, and f32 elsewhere."""
    ways = {
        target: ts.attention_inv(8, 512, 512, 64, dtype="bf16", target=target).plan.way
        for target in ("avx512", "avx512_bf16", "amx", "neon_bf16")
    }
    assert ways["avx512_bf16"] == ways["neon_bf16"] == "products of pairs"
    assert ways["amx"] == "products on tiles" and "by" in ways["avx512"]
    assert ts.attention_inv(8, 512, 512, 64, target="amx").plan.schedule is not AttentionSchedule.PAIRS  # of f32


def test_products_of_f32_are_not_planned_if_their_fmas_alone_take_longer():
    """The refusal names the lower bound, and the estimate of f32 is indeed above that of pairs."""
    plan = ts.attention_inv(8, 512, 512, 64, dtype="bf16", target="avx512_bf16").plan
    assert "products of f32: at least" in str(plan.rejected)
    spec = inverse_spec(attention_spec(8, 512, 512, 64, dtype="bf16"))
    of_f32 = choose(in_blocks(spec, facts_of(TARGETS["avx512_bf16"]), InversePlanner))
    assert of_f32.call_cycles > plan.call_cycles


def test_hidden_scores_have_no_weight_in_pairs():
    """Scores that are -inf or far below the largest have no weight, and gradients of keys that no query sees are 0."""
    kernel = planned_by(InPairs, TARGETS["avx512_bf16"], 1, 40, 37, 6, mask="row")
    given, *_ = drawn(kernel.spec, np.random.default_rng(2))
    given[4][5:] = [-np.inf, -1e30] * 16
    p, out, lse = forward(kernel.spec, *(each.astype(np.float64) for each in given[1:5]))
    given[5:] = [out.astype(given[0].dtype), lse.astype(np.float32)]
    gq, gk, gv = called(kernel, given)
    assert gq.any() and not gk[0, 5:].any() and not gv[0, 5:].any() and gv[0, :5].all()


def test_a_query_that_sees_nothing_has_no_gradient():
    kernel = ts.attention_inv(1, 9, 7, 6, mask="row")
    rng = np.random.default_rng(1)
    g, q, k, v = (rng.standard_normal(each).astype(np.float32) for each in ((1, 9, 6), *shapes(kernel.spec)[:3]))
    mask = np.full(7, -np.inf, np.float32)
    out, lse = ts.attention(1, 9, 7, 6, mask="row", lse=True)(q, k, v, mask)
    assert not any(each.any() for each in called(kernel, [g, q, k, v, mask, out, lse]))


def test_requests():
    kernel = ts.attention_inv(2, 8, 8, 8)
    assert kernel.c_prototype.count("*") == 9 and "softmax step" not in str(kernel.plan)
    assert kernel.plan.cycles > 0
