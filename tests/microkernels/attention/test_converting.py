"""bf16 on machines without an instruction for pairs: products of f32 on converted operands give the bits of products of
pairs, which convert whenever they load."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.kernel_runs import MACHINES, NATIVE
from tests.microkernels.attention.test_attention import MASKS, arrays, called
from tests.profiles import scaled
from tilesmith.microkernels.attention import ways
from tilesmith.microkernels.attention.spec import attention_spec
from tilesmith.microkernels.contract.vector_verbs import STACK_LIMIT
from tilesmith.runtime.kernel.callable import Kernel

TARGETS = ("avx2", "avx512", "neon")


def made(way: str, target: str, extents: tuple[int, int, int, int], **options: Any) -> Kernel:
    """The kernel of a request in one of the ways."""
    with mock.patch.dict(ways.OF_PAIRS, {way: ways.OF_PAIRS[way]}, clear=True):
        return Kernel(attention_spec(*extents, dtype="bf16", **options), MACHINES[target])


def same(target: str, extents: tuple[int, int, int, int], side: str, spread: float, **options: Any) -> Kernel:
    """Check that both ways give the same bits, between guard pages."""
    wide, pairs = (made(way, target, extents, **options) for way in ("products of f32", "products of pairs"))
    assert wide.plan.converted and not pairs.plan.converted
    operands = arrays(wide.spec, np.random.default_rng(extents[1]), spread)
    for found, expected in zip(called(wide, operands, side), called(pairs, operands, side)):
        assert np.array_equal(found.view(f"u{found.itemsize}"), expected.view(f"u{found.itemsize}"))
    return wide


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_bits_of_any_lengths(target: str) -> None:
    native = target in NATIVE and made("products of f32", target, (1, 1, 1, 2)).address is not None
    most = 110 if native else 22

    @settings(max_examples=scaled(20 if native else 3, 400))
    @given(st.integers(1, 2), st.integers(1, 2), st.integers(1, most), st.integers(1, most), st.integers(2, most),
           st.booleans(), st.sampled_from(MASKS), st.booleans(), st.sampled_from(["start", "end"]),
           st.sampled_from([0.3, 1.0, 6.0, 1e-20]))  # fmt: skip
    @example(1, 2, most, most - 3, 17, True, "full", True, "end", 1.0)
    @example(2, 1, most - 5, most - 1, 7, True, "row", True, "start", 1.0)
    @example(1, 1, most - 7, most - 1, 18, False, None, True, "end", 6.0)
    def run(kv: int, group: int, queries: int, keys: int, size: int, causal: bool, mask: str | None, lse: bool,
            side: str, spread: float) -> None:  # fmt: skip
        same(target, (kv * group, queries, keys, size), side, spread, causal=causal, mask=mask, kv_heads=kv, lse=lse)

    run()
