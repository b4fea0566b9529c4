"""Attention on tile registers. The emulated tile kernel gives the bits of its stand-in on this host and agrees with
numpy, configures tiles once, and is chosen by its planned cycles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.kernel_runs import called, planned_kernel
from tests.microkernels.attention.test_attention import MASKS, arrays, check, wanted
from tests.microkernels.attention.test_inverse import EXTENTS, OPTIONS, drawn, planned_by
from tests.microkernels.attention.test_inverse import check as check_gradients
from tests.profiles import scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.attention.inverse_pairs_plan import InversePairsOnTiles
from tilesmith.microkernels.attention.pipeline import emit
from tilesmith.microkernels.attention.spec import attention_spec
from tilesmith.microkernels.attention.ways import in_strips
from tilesmith.microkernels.choice import choose
from tilesmith.microkernels.contract.dot_and_tile import TILED
from tilesmith.microkernels.contract.machine import STACK_LIMIT
from tilesmith.microkernels.machines.registry import facts_of
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.testing.guard import SIDES

pytestmark = pytest.mark.slow

AMX = TARGETS["amx"]
needs_avx512 = pytest.mark.skipif(bool(host.runs(TARGETS["avx512"])), reason="the stand-in has its bits on AVX-512")


def on_tiles(*extents: Any, **options: Any) -> Kernel:
    """Return a kernel that computes on tiles, even if another way is planned to be faster."""
    spec = attention_spec(*extents, dtype="bf16", **options)
    plan = choose(in_strips(spec, facts_of(AMX)))
    return planned_kernel(spec, AMX, plan, emit)


def emulated(kernel: Kernel, operands: list[Any]) -> tuple[list[Any], Any]:
    """Return the results of the emulated bytes and the counts of the executed instructions."""
    made = [np.full(each.shape, 7, numpy_dtype(each.dtype)) for each in kernel.spec.outputs]
    return made, kernel.emulate(*operands, *made).counts


def stand_in(kernel: Kernel) -> Kernel:
    return Kernel(replace(kernel.spec, numerics=TILED), TARGETS["avx512"])


def same_bits(kernel: Kernel, operands: list[Any], side: str) -> None:
    """Check that the stand-in, called natively between guard pages, is within the bounds and that the tiles give its
    bits, in the emulator and on this processor if it has tiles."""
    other = stand_in(kernel)
    assert other.plan.blocks == kernel.plan.blocks
    check(other, operands, side)
    made = called(other, operands, side)
    found, counts = emulated(kernel, operands)
    assert counts["tdpbf16ps"] and counts["tilerelease"] == 1
    for results in [found, *([called(kernel, operands, side)] if host.runs(AMX) else [])]:
        assert [each.tobytes() for each in results] == [each.tobytes() for each in made]


@needs_avx512
def test_any_lengths():
    @settings(max_examples=scaled(2 if host.runs(AMX) else 6, 400))
    @given(
        st.integers(1, 2),
        st.integers(1, 2),
        st.integers(1, 70),
        st.integers(1, 70),
        st.integers(2, 70),
        st.booleans(),
        st.sampled_from(MASKS),
        st.booleans(),
        st.sampled_from(SIDES),
        st.sampled_from([0.3, 1.0, 6.0]),
        st.sampled_from([None, -0.4]),
    )
    def run(kv, group, queries, keys, size, causal, mask, lse, side, spread, scale):
        kernel = on_tiles(kv * group, queries, keys, size, causal=causal, mask=mask, kv_heads=kv, lse=lse, scale=scale)
        same_bits(kernel, arrays(kernel.spec, np.random.default_rng(queries), spread), side)

    run()


@needs_avx512
@pytest.mark.parametrize(
    ("extents", "options"),
    [
        ((1, 80, 100, 64), {"causal": True, "lse": True}),
        ((2, 33, 95, 32), {"kv_heads": 1, "mask": "row"}),
        ((1, 18, 70, 80), {"mask": "full", "lse": True}),
    ],
)
def test_several_blocks(extents, options):
    """The bits are equal for several blocks of keys and queries, parts that the causal mask crosses, and smaller end
    tiles."""
    kernel = on_tiles(*extents, **options)
    same_bits(kernel, arrays(kernel.spec, np.random.default_rng(1)), "end")


def test_one_configuration():
    """The tiles are configured once for all heads and blocks if every block has tiles of the same shapes."""
    kernel = on_tiles(2, 64, 128, 64)
    operands = arrays(kernel.spec, np.random.default_rng(2))
    (found,), counts = emulated(kernel, operands)
    assert counts["ldtilecfg"] == counts["tilerelease"] == 1
    assert counts["tdpbf16ps"] == 2 * 2 * 2 * (4 * 4 * 2)  # heads, blocks of keys, products; tiles of C by steps of k
    out, bound, _, _ = wanted(kernel, *operands)
    assert np.all(abs(found - out) <= bound)


def test_a_hidden_key_is_not_seen():
    """Rows of a tile beyond the last key and elements beyond the end of a row have no effect on the results."""
    kernel = on_tiles(1, 20, 37, 16, mask="full", lse=True)
    q, k, v, mask = arrays(kernel.spec, np.random.default_rng(3))
    mask[3] = -np.inf
    mask[5, 4:] = -np.inf
    (out, lse), _ = emulated(kernel, [q, k, v, mask])
    assert not out[0, 3].any() and lse[0, 3] == -np.inf
    expected, bound, _, _ = wanted(kernel, q, k, v, mask)
    seen = [i for i in range(20) if i != 3]
    assert np.all(abs(out - expected)[0, seen] <= bound[0, seen])


def assert_others_are_slower(plan: Any, request: Any) -> None:
    """Check that the vector way is rejected because its products alone take longer, and that its plan takes 1.9 times
    as long."""
    least = [float(str(each).split("at least ")[1].split()[0]) for each in plan.rejected if "at least" in str(each)]
    vectors = request(8, 512, 512, 64, dtype="bf16", target="avx512_bf16").plan
    assert least and plan.cycles < min(least) <= vectors.cycles and vectors.cycles > 1.9 * plan.cycles


def test_the_planner_chooses():
    """The planner chooses tiles for blocks of 64 by 64, and vectors for a single query and for f32."""
    plan = ts.attention(8, 512, 512, 64, dtype="bf16", target="amx").plan
    assert plan.tile_shapes and "products on tiles" in str(plan)
    assert_others_are_slower(plan, ts.attention)
    few = ts.attention(1, 1, 3, 4, dtype="bf16", target="amx").plan
    assert not few.tile_shapes
    assert not ts.attention(8, 512, 512, 64, target="amx").plan.tile_shapes  # a request of f32


@needs_avx512
def test_calls_on_this_host():
    """A call of a tile kernel on this host runs its stand-in, which has the same blocks."""
    kernel = ts.attention(2, 130, 200, 64, causal=True, lse=True, dtype="bf16", target="amx")
    assert kernel.plan.tile_shapes and kernel.emulated != (not host.runs(AMX))
    check(kernel, arrays(kernel.spec, np.random.default_rng(4)))
    assert stand_in(kernel).name != kernel.name


@pytest.mark.parametrize("size", [2, 7, 64, 128, 500, 1024])
def test_scratch_is_bounded(size):
    for causal in (False, True):
        plan = ts.attention(1, 3000, 5000, size, causal=causal, dtype="bf16", target="amx").plan
        assert plan.places.end <= STACK_LIMIT


# The backward pass


def same_gradients(kernel: Kernel, seed: int, side: str = "end", spread: float = 1.0, emulate: bool = True) -> None:
    """Check that the stand-in, called natively between guard pages, is within the bounds and that the tiles give its
    bits, in the emulator and on this processor if it has tiles."""
    other = stand_in(kernel)
    assert other.plan.blocks == kernel.plan.blocks
    check_gradients(other, seed, side, spread)
    operands, *_ = drawn(kernel.spec, np.random.default_rng(seed), spread)
    made = called(other, operands, side)
    every = [] if host.runs(AMX) else [called(kernel, operands, side)]
    if emulate or not every:
        found, counts = emulated(kernel, operands)
        assert counts["tdpbf16ps"] and counts["tilerelease"] == 1
        every.append(found)
    for found in every:
        assert [each.tobytes() for each in found] == [each.tobytes() for each in made]


@needs_avx512
def test_gradients_of_any_lengths():
    @settings(max_examples=scaled(2 if host.runs(AMX) else 15, 400))
    @given(*EXTENTS, *OPTIONS)
    def run(kv, group, queries, keys, size, causal, mask, side, spread, scale):
        options = {"causal": causal, "mask": mask, "kv_heads": kv, "scale": scale}
        kernel = planned_by(InversePairsOnTiles, AMX, kv * group, queries, keys, size, **options)
        same_gradients(kernel, queries, side, spread, False)

    run()


@needs_avx512
@pytest.mark.parametrize(
    ("extents", "options"),
    [
        ((1, 80, 100, 64), {"causal": True}),
        ((2, 33, 95, 32), {"kv_heads": 1, "mask": "row"}),
        ((1, 19, 71, 81), {"mask": "full"}),
    ],
)
def test_gradients_of_several_blocks(extents, options):
    """The bits are equal for parts that the causal mask crosses, overlapping blocks of queries, other end tiles and odd
    lengths."""
    same_gradients(planned_by(InversePairsOnTiles, AMX, *extents, **options), 1)


def test_one_configuration_of_gradients():
    kernel = planned_by(InversePairsOnTiles, AMX, 2, 64, 128, 64)
    operands, wanted, bounds = drawn(kernel.spec, np.random.default_rng(2))
    found, counts = emulated(kernel, operands)
    assert counts["ldtilecfg"] == counts["tilerelease"] == 1
    assert counts["tdpbf16ps"] == 2 * 2 * 5 * (4 * 4 * 2)  # heads, blocks of keys, products; tiles of C by steps of k
    assert all(np.all(abs(ours - exact) <= bound) for ours, exact, bound in zip(found, wanted, bounds))


def test_the_planner_chooses_for_gradients():
    plan = ts.attention_inv(8, 512, 512, 64, dtype="bf16", target="amx").plan
    assert plan.tile_shapes and plan.way == "products on tiles" and "one of k packed" in str(plan)
    assert_others_are_slower(plan, ts.attention_inv)
    small = ts.attention_inv(8, 16, 16, 64, dtype="bf16", target="amx").plan
    assert "products of pairs: about" in str(small.rejected)


@needs_avx512
def test_gradients_on_this_host():
    kernel = ts.attention_inv(2, 130, 200, 64, causal=True, dtype="bf16", target="amx")
    assert kernel.plan.tile_shapes and kernel.emulated != (not host.runs(AMX))
    check_gradients(kernel, 4)
    assert stand_in(kernel).name != kernel.name


@pytest.mark.parametrize("size", [2, 7, 64, 128, 256, 500])
def test_scratch_of_gradients_is_bounded(size):
    for options in ({}, {"causal": True, "mask": "full"}):
        plan = ts.attention_inv(1, 3001, 5000, size, dtype="bf16", target="amx", **options).plan
        assert plan.places.end <= STACK_LIMIT
