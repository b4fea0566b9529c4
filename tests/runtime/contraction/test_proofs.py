"""`layer.verify()` proves the jobs of contractions, and does not prove those whose workers share what they write."""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.contraction.nest import OWN, ContractionNest
from tilesmith.runtime.loops.code import Address, affine

LAYERS: dict[str, dict[str, Any]] = {
    "channels first": {"padding": 1},
    "channels last": {"padding": 1, "layout": "NHWC", "stride": 2},
    "zero point": {"padding": 1, "dtype": ("u8", "i8", "i32"), "zero_point": 5},
    "bf16 with a residual": {"dtype": "bf16", "residual": True, "activation": ts.relu},
    "neon": {"padding": 1, "target": "neon"},
}


@pytest.mark.seconds
@pytest.mark.parametrize("name", list(LAYERS))
@pytest.mark.grid(1)
def test_layers_are_proved(name: str) -> None:
    proof = ts.conv((1, 2, 3, 4), (3, 2, 2, 2), **LAYERS[name]).verify()
    assert proof, str(proof)
    assert {claim.what for claim in proof.claims} >= {"arithmetic", "memory", "elements", "threads", "coverage"}


def test_workers_that_share_a_band_are_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContractionNest, "_own", lambda self: Address(OWN, affine(0)))
    proof = ts.conv((2, 1, 3, 3), (2, 1, 2, 2), padding=1, bias=False, dtype="f64").verify()
    assert not proof and [claim.what for claim in proof.claims if not claim.holds] == ["threads"]


def test_elements_that_no_call_writes_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContractionNest, "nodes", lambda self: ())
    proof = ts.conv((1, 3, 3, 3), (4, 3, 2, 2), bias=False, dtype="f64", dilation=2).verify()
    assert not proof and "elements" in {claim.what for claim in proof.claims if not claim.holds}
