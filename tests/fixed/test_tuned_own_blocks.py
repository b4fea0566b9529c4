"""If each worker packs its own blocks of B in the untuned blocking, ts.tune measured own blocks of all sizes, but kept
the best as blocks that all workers share, which it had not measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.ops import tuned_blocks
from tilesmith.runtime.ops.block_model import candidates


def test_what_was_measured_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    op: Any = ts.gemm(64, 4096, 4096, beta=0.0, threads=2, target="avx512")
    untuned = op._blocks()
    assert untuned.own_b
    found = candidates(untuned, op.product, 16, 1 << 20, 2)
    assert {each.own_b for each in found} == {True, False}
    assert all(each.nc == each.ng == each.nb for each in found if each.own_b)
    kept: dict[str, Any] = {}
    monkeypatch.setattr(tuned_blocks, "_entries", lambda: kept)
    monkeypatch.setattr(tuned_blocks, "entries", lambda file: {})
    monkeypatch.setattr(tuned_blocks, "keep", lambda *given: None)
    for plan in (found[0], next(each for each in found if each.own_b)):
        tuned = replace(plan, gain=1.5)
        tuned_blocks.keep_blocks(op.product, op.target, tuned, 2)
        assert tuned_blocks.tuned_blocks(op.product, op.target) == tuned
