"""bf16 on machines without an instruction for pairs: products of f32 on converted operands give the bits of products of
pairs, which convert whenever they load."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.kernel_runs import NATIVE, called, planned_kernel
from tests.microkernels.attention.test_attention import MASKS, arrays
from tests.profiles import scaled
from tilesmith.microkernels.attention import ways
from tilesmith.microkernels.attention.blocks import pieces
from tilesmith.microkernels.attention.pipeline import emit
from tilesmith.microkernels.attention.spec import attention_spec
from tilesmith.microkernels.choice import choose
from tilesmith.microkernels.contract.vector_verbs import STACK_LIMIT
from tilesmith.microkernels.machines.registry import TARGETS, facts_of
from tilesmith.runtime.kernel.callable import Kernel

EMULATED = ("avx2", "avx512", "neon")
WAYS = ("products of f32", "products of pairs")


def made(way: str, target: str, extents: tuple[int, int, int, int], **options: Any) -> Kernel:
    """The kernel of a request in one of the ways, with vectors along queries however few these are."""
    spec = attention_spec(*extents, dtype="bf16", **options)
    with mock.patch.dict(ways.OF_PAIRS, {way: ways.OF_PAIRS[way]}, clear=True):
        return planned_kernel(spec, TARGETS[target], choose(ways.along_queries(spec, facts_of(TARGETS[target]))), emit)


def same(target: str, extents: tuple[int, int, int, int], side: str, spread: float, **options: Any) -> Kernel:
    """Check that both ways give the same bits, between guard pages."""
    wide, pairs = (made(way, target, extents, **options) for way in WAYS)
    assert wide.plan.converted and not pairs.plan.converted
    operands = arrays(wide.spec, np.random.default_rng(extents[1]), spread)
    for found, expected in zip(called(wide, operands, side), called(pairs, operands, side)):
        assert np.array_equal(found.view(f"u{found.itemsize}"), expected.view(f"u{found.itemsize}"))
    return wide


@pytest.mark.slow
@pytest.mark.parametrize("target", EMULATED)
def test_bits_of_any_lengths(target: str) -> None:
    native = target in NATIVE and made("products of f32", target, (1, 1, 1, 2)).address is not None
    most = 110 if native else 22

    @settings(max_examples=scaled(10 if native else 3, 400))
    @given(
        st.integers(1, 2),
        st.integers(1, 2),
        st.integers(1, most),
        st.integers(1, most),
        st.integers(2, most),
        st.booleans(),
        st.sampled_from(MASKS),
        st.booleans(),
        st.sampled_from(["start", "end"]),
        st.sampled_from([0.3, 1.0, 6.0, 1e-20]),
    )
    @example(1, 2, most, most - 3, 17, True, "full", True, "end", 1.0)
    @example(2, 1, most - 5, most - 1, 7, True, "row", True, "start", 1.0)
    @example(1, 1, most - 7, most - 1, 18, False, None, True, "end", 6.0)
    def run(
        kv: int,
        group: int,
        queries: int,
        keys: int,
        size: int,
        causal: bool,
        mask: str | None,
        lse: bool,
        side: str,
        spread: float,
    ) -> None:
        same(target, (kv * group, queries, keys, size), side, spread, causal=causal, mask=mask, kv_heads=kv, lse=lse)

    run()


@pytest.mark.parametrize(
    ("extents", "options"),
    [
        ((1, 45, 67, 128), {}),
        ((2, 133, 129, 87), {"causal": True, "kv_heads": 1}),
        ((1, 9, 45, 500), {"mask": "full"}),
        ((1, 3, 11, 2500), {}),
    ],
    ids=str,
)
def test_bits_in_pieces(extents: tuple[int, int, int, int], options: dict[str, Any]) -> None:
    """Blocks of keys that are converted in pieces, because scratch memory has no room for a whole converted block."""
    for side in ("start", "end"):
        plan = same("avx2", extents, side, 1.0, lse=True, **options).plan
        assert plan.piece and plan.piece % 2 == 0 and f"{plan.piece} keys of k and v at a time" in str(plan)


def test_bits_of_special_values() -> None:
    """NaN, infinity, denormals and -0, which products of pairs and of f32 take as they are."""
    wide, pairs = (made(way, "avx2", (2, 21, 40, 23), lse=True) for way in WAYS)
    operands = arrays(wide.spec, np.random.default_rng(4))
    rng = np.random.default_rng(5)
    for value in (np.inf, -np.inf, np.nan, -0.0, 1e-40, 3e38):
        for each in operands:
            each[rng.integers(2), rng.integers(21), rng.integers(23)] = value
        operands[2][:, ::2, 7] = -1e-38  # products with small powers round to -0
        for found, expected in zip(called(wide, operands, "end"), called(pairs, operands, "end")):
            assert np.array_equal(found.view(f"u{found.itemsize}"), expected.view(f"u{found.itemsize}"))


def planned(target: str, *extents: int) -> Any:
    """The plan of a request."""
    return choose(ways.candidates(attention_spec(*extents, dtype="bf16"), facts_of(TARGETS[target])))


def test_the_planner_compares_both() -> None:
    """Products of f32 are chosen where loads of pairs convert more often, and never where pairs have an instruction."""
    for target in EMULATED:
        plan = planned(target, 8, 512, 512, 64)
        assert plan.converted and "products of pairs: conversions in its loops" in str(plan.rejected)
    small = planned("avx512", 1, 1, 1, 2)
    assert not small.converted and "products of f32: about" in str(small.rejected)
    for target in ("avx512_bf16", "neon_bf16", "sve256", "amx"):
        assert "products of f32" not in str(planned(target, 1, 64, 64, 64).rejected)


@pytest.mark.parametrize("target", EMULATED)
@pytest.mark.parametrize("size", [2, 7, 64, 128, 500, 1024, 3000, 5500])
def test_scratch_is_bounded(target: str, size: int) -> None:
    """Blocks are those of products of pairs, in scratch memory that a kernel may have."""
    for causal in (False, True):
        spec, facts = attention_spec(1, 3000, 5000, size, causal=causal, dtype="bf16"), facts_of(TARGETS[target])
        fitting = WAYS if size <= 3000 else WAYS[1:]
        plans: list[Any] = [choose(ways.in_blocks(spec, facts, ways.OF_PAIRS[way])) for way in fitting]
        for plan in plans:
            assert plan.places.end <= STACK_LIMIT
            assert (plan.rows, plan.keys) == (plans[-1].rows, plans[-1].keys)
    if size > 5000:
        with pytest.raises(ts.UnsupportedError, match="two converted keys do not fit"):
            made("products of f32", target, (1, 8, 8, size))


def test_pieces_cut_every_block() -> None:
    for keys in range(1, 70):
        assert pieces(keys, 0) == [(0, keys)]
        for most in range(2, 70, 2):
            cut = pieces(keys, most)
            assert [first for first, _ in cut] == list(range(0, keys, most)) and sum(count for _, count in cut) == keys
