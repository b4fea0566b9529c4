"""ONNX's own node tests by operator: how many kernels compute, and why others are refused.

    PYTHONPATH=<onnx> python -m tests.bench.onnx_nodes [-o docs/results/onnx.json]
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from collections import Counter, defaultdict
from typing import Any

import numpy as np
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner, _normalize_tensor

from tilesmith.integrations import onnx as tso

KERNELS, VIEWS, REFUSED, WRONG, FAILED = "kernels", "views", "refused", "wrong", "failed"


def outcome(case: Any) -> tuple[str, str]:
    """Return what became of a test, and why."""
    reason = tso.Backend.refusal(case.model)
    if reason:
        return REFUSED, reason
    try:
        model = tso.load(case.model)
        for inputs, outputs in case.data_sets:
            made = model([_normalize_tensor(each) for each in inputs])
            Runner.assert_similar_outputs([_normalize_tensor(each) for each in outputs], made, case.rtol, case.atol)
    except AssertionError as error:
        return WRONG, str(error)[:2000]
    except Exception as error:
        return FAILED, f"{type(error).__name__}: {error}"
    rows = [row for step in model.steps for row in _rows(step) if row is not None]
    return (KERNELS if any(not row.moves for row in rows) else VIEWS), ""


def _rows(step: Any) -> list[Any]:
    inner = [row for branch in step.branches for each in branch.steps for row in _rows(each)]
    return [] if step.constant else [step.row, *inner]


def operator(case: Any) -> str:
    """Return the operator that a test is for."""
    name = re.sub("_expanded.*", "", case.name)
    return _BY_NAME.get(name) or case.model.graph.node[0].op_type


_BY_NAME: dict[str, str] = {}


def counted(only: str = "") -> tuple[dict[str, Counter[str]], dict[str, tuple[str, str]]]:
    """Return the outcomes of each operator's tests, and those of each test with the reasons."""
    cases = [case for case in load_model_tests(kind="node") if re.search(only, case.name)]
    for case in cases:
        if len(case.model.graph.node) == 1:
            _BY_NAME[case.name] = case.model.graph.node[0].op_type
    table, each = defaultdict[str, Counter[str]](Counter), dict[str, tuple[str, str]]()
    for case in cases:
        found = outcome(case)
        table[operator(case)][found[0]] += 1
        each[case.name] = found
    return table, each


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output")
    parser.add_argument("-k", default="")
    parser.add_argument("--why", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    table, each = counted(options.k)
    total = Counter[str]()
    for counts in table.values():
        total.update(counts)
    for name, (kind, why) in each.items():
        if kind in (WRONG, FAILED) or options.why:
            print(kind, name, why)
    print(dict(total))
    if options.output:
        with open(options.output, "w") as file:
            json.dump({name: dict(counts) for name, counts in sorted(table.items())}, file, indent=1)


if __name__ == "__main__":
    main()
