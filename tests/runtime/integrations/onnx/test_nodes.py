"""ONNX's own node tests: none is wrong, and what is refused is what docs/onnx.md says."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from random import Random

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", minversion="1.17", reason="onnx is not installed: the extra onnx")

from tests.profiles import GRID, is_soak, rotation  # noqa: E402
from tests.results import RESULTS  # noqa: E402
from tests.runtime.integrations.onnx import node_tests  # noqa: E402  # after the check that onnx is there
from tilesmith.integrations import onnx as tso  # noqa: E402

_KEPT = json.loads((RESULTS / "onnx.json").read_text())["nodes"]
_ROWS = {row["operator"]: row for row in _KEPT["rows"] if row["operator"] != "all"}


_OPERATORS = sorted(_ROWS)
_GROUPS = [[each] for each in _OPERATORS] if is_soak() else [Random(rotation()).sample(_OPERATORS, GRID)]
"""One group in `make test`, since the cases take seconds to make in each process."""


@pytest.mark.parametrize("operators", _GROUPS, ids=lambda group: group[0] if is_soak() else "drawn")
def test_cases_of_operators(operators: list[str]) -> None:
    found, of = node_tests.cases()
    for operator in operators:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            names = [name for name in found if of[name] == operator]
            outcomes = {name: node_tests.outcome(found[name], 1 + is_soak()) for name in names}
        wrong = {name: why for name, (kind, why) in outcomes.items() if kind in (node_tests.WRONG, node_tests.FAILED)}
        assert not wrong, operator
        if onnx.__version__ == _KEPT["versions"]["onnx"]:
            counts = Counter(kind for kind, _ in outcomes.values())
            kinds = node_tests.KERNELS, node_tests.VIEWS, node_tests.REFUSED
            assert [_ROWS[operator][kind] or 0 for kind in kinds] == [counts[kind] for kind in kinds], operator
        if operator == "Attention":
            _compare_rounded_cases()


def test_counts_reach_the_goal() -> None:
    total = _KEPT["rows"][-1]
    assert total["operator"] == "all" and total["tests"] == 1884
    assert total["kernels"] + total["views"] + total["refused"] == total["tests"]
    assert total["kernels"] >= 600


def _compare_rounded_cases() -> None:
    """Compare with f64 what was rounded at each step."""
    found, _ = node_tests.cases()
    for name, most in node_tests.ROUNDED.items():
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
    for _name, _case in node_tests.cases()[0].items():
        if _name in node_tests.ROUNDED or not tso.Backend.is_compatible(_case.model):
            _suite.exclude(f"^{_name}_cpu$")
    globals().update({name: case for name, case in _suite.test_cases.items() if name == "OnnxBackendNodeModelTest"})
