"""ONNX's own node tests by operator: how many kernels compute, and why others are refused.

    PYTHONPATH=<onnx> python -m tests.runtime.integrations.onnx.node_tests [-k PATTERN] [--why] [--write]

--write puts the tables into docs/results/onnx.json, from which `make docs` writes those of docs/onnx.md.
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from collections import Counter, defaultdict
from datetime import date
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner, _normalize_tensor

from tests.results import RESULTS
from tilesmith.integrations import onnx as tso

KERNELS, VIEWS, REFUSED, WRONG, FAILED = "kernels", "views", "refused", "wrong", "failed"
ROUNDED = {"test_attention_4d_causal_fp16_expanded": 2.0**-10}
"""Cases whose expected results were rounded to 16 bits after each of many operations, with the largest error that this
may make: `tests/runtime/integrations/onnx/test_nodes.py` compares ours with f64."""


@cache
def cases() -> tuple[dict[str, Any], dict[str, str]]:
    """Return all cases by name, and the operator that each is for: that of its only node, or, if the case is the body
    of an operator, that operator."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = {case.name: case for case in load_model_tests(kind="node")}
    single = {name: case.model.graph.node[0].op_type for name, case in found.items() if len(case.model.graph.node) == 1}
    names = {name: re.sub("_expanded.*", "", name) for name in found}
    of = {name: single.get(names[name]) or case.model.graph.node[0].op_type for name, case in found.items()}
    return found, of


def outcome(case: Any, calls: int = 1) -> tuple[str, str]:
    """Return what became of a case in the last of some calls, and why. The second call of a model compiles it."""
    reason = tso.Backend.refusal(case.model)
    if reason:
        return REFUSED, reason
    try:
        model = tso.load(case.model)
        for inputs, outputs in case.data_sets:
            for _ in range(calls):
                made = model([_normalize_tensor(each) for each in inputs])
            atol = ROUNDED.get(case.name, case.atol)
            Runner.assert_similar_outputs([_normalize_tensor(each) for each in outputs], made, case.rtol, atol)
    except AssertionError as error:
        return WRONG, str(error)
    except Exception as error:
        return FAILED, f"{type(error).__name__}: {error}"
    rows = [row for step in model.steps for row in _rows(step) if row is not None]
    return (KERNELS if any(not row.moves for row in rows) else VIEWS), ""


def _rows(step: Any) -> list[Any]:
    inner = [row for branch in step.branches for each in branch.steps for row in _rows(each)]
    return [] if step.constant else [step.row, *inner]


def counted(pattern: str = "") -> tuple[dict[str, Counter[str]], dict[str, tuple[str, str]]]:
    """Return the outcomes of each operator's cases, and that of each case with the reason."""
    found, of = cases()
    table, each = defaultdict[str, Counter[str]](Counter), dict[str, tuple[str, str]]()
    for name, case in found.items():
        if re.search(pattern, name):
            each[name] = outcome(case)
            table[of[name]][each[name][0]] += 1
    return table, each


def short(reason: str) -> str:
    """Return a reason without the names of a node and what would work."""
    return re.sub(r"^node .*?, operator ", "", reason).partition("; strict=False")[0]


def _tables(table: dict[str, Counter[str]], each: dict[str, tuple[str, str]]) -> dict[str, Any]:
    of, reasons = cases()[1], defaultdict[str, Counter[str]](Counter)
    for name, (kind, why) in each.items():
        if kind == REFUSED:
            reasons[of[name]][short(why)] += 1
    kinds = (KERNELS, VIEWS, REFUSED)
    total = sum(table.values(), Counter[str]())
    rows = [
        {"operator": name, "tests": sum(counts.values()), **{kind: counts[kind] or "" for kind in kinds}}
        for name, counts in sorted(table.items())
    ]
    rows.append({"operator": "all", "tests": sum(total.values()), **{kind: total[kind] for kind in kinds}})
    refused = [
        {"operator": name, "tests": counts.total(), "reason": "; ".join(why for why, _ in counts.most_common(2))}
        for name, counts in sorted(reasons.items())
    ]
    shared = {
        "machine": "any machine, since only right results are counted",
        "date": date.today().isoformat(),
        "command": "python -m tests.runtime.integrations.onnx.node_tests --write",
        "versions": {"onnx": onnx.__version__},
    }
    return {
        "nodes": {**shared, "columns": column_rows("operator", "tests", *kinds), "rows": rows},
        "refused": {**shared, "columns": column_rows("operator", "tests", "reason"), "rows": refused},
    }


def column_rows(*names: str) -> list[dict[str, Any]]:
    """Return the columns of a table of results."""
    return [{"heading": name, "key": name, "digits": None, "unit": "", "averaged": False} for name in names]


def main() -> None:
    """Print the counts, or write them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-k", default="", help="a pattern of names")
    parser.add_argument("--why", action="store_true", help="print every case")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    table, each = counted(options.k)
    for name, (kind, why) in each.items():
        if kind in (WRONG, FAILED) or options.why:
            print(kind, name, why)
    print(dict(sum(table.values(), Counter[str]())))
    if options.write:
        path = RESULTS / "onnx.json"
        kept = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**kept, **_tables(table, each)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
