"""ONNX's own node tests: none is wrong, and what is refused is what docs/onnx.md says."""

from __future__ import annotations

import json
import warnings
from collections import Counter

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", minversion="1.17", reason="onnx is not installed: the extra onnx")

from tests.bench import onnx_nodes  # noqa: E402  # after the check that onnx is there
from tests.profiles import is_soak  # noqa: E402
from tests.results import RESULTS  # noqa: E402
from tilesmith.integrations import onnx as tso  # noqa: E402

_KEPT = json.loads((RESULTS / "onnx.json").read_text())["nodes"]
_ROWS = {row["operator"]: row for row in _KEPT["rows"] if row["operator"] != "all"}


@pytest.mark.parametrize("operator", sorted(_ROWS))
def test_cases_of_an_operator(operator: str) -> None:
    found, of = onnx_nodes.cases()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        outcomes = {name: onnx_nodes.outcome(found[name], 1 + is_soak()) for name in found if of[name] == operator}
    wrong = {name: why for name, (kind, why) in outcomes.items() if kind in (onnx_nodes.WRONG, onnx_nodes.FAILED)}
    assert not wrong
    if onnx.__version__ == _KEPT["versions"]["onnx"]:
        counts = Counter(kind for kind, _ in outcomes.values())
        row = _ROWS[operator]
        assert {kind: row[kind] or 0 for kind in (onnx_nodes.KERNELS, onnx_nodes.VIEWS, onnx_nodes.REFUSED)} == {
            kind: counts[kind] for kind in (onnx_nodes.KERNELS, onnx_nodes.VIEWS, onnx_nodes.REFUSED)
        }


def test_counts_reach_the_goal() -> None:
    total = _KEPT["rows"][-1]
    assert total["operator"] == "all" and total["tests"] == 1884
    assert total["kernels"] + total["views"] + total["refused"] == total["tests"]
    assert total["kernels"] >= 600


def test_expected_results_rounded_at_each_step_are_compared_with_f64() -> None:
    found, _ = onnx_nodes.cases()
    for name, most in onnx_nodes.ROUNDED.items():
        case = found[name]
        ((q, k, v), _), wide = case.data_sets[0], np.float64
        scores = q.astype(wide) @ k.astype(wide).swapaxes(-1, -2) * q.shape[-1] ** -0.5
        hidden = np.triu(np.ones(scores.shape[-2:], bool), 1)
        powers = np.exp(np.where(hidden, -np.inf, scores))
        expected = powers / powers.sum(-1, keepdims=True) @ v.astype(wide)
        (made, *_) = tso.load(case.model)([q, k, v])
        assert np.abs(made.astype(wide) - expected).max() < most


if is_soak():
    # The suite as ONNX documents it: what `is_compatible` refuses is skipped by name.
    from onnx.backend.test import BackendTest

    _suite = BackendTest(tso.Backend, __name__).include("^test_.*_cpu$").exclude("^OnnxBackendReal")
    for _name, _case in onnx_nodes.cases()[0].items():
        if _name in onnx_nodes.ROUNDED or not tso.Backend.is_compatible(_case.model):
            _suite.exclude(f"^{_name}_cpu$")
    globals().update({name: case for name, case in _suite.test_cases.items() if name == "OnnxBackendNodeModelTest"})
