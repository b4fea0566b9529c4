"""The workloads in docs/examples/workloads compute what numpy and torch do, and see a wrong result.

Every row compares its results with those of numpy in higher precision, or with torch, before anything is timed, and
raises WrongResult if they differ by more than rounding.
"""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import tilesmith as ts
from tilesmith.runtime.bench import every, runner
from tilesmith.runtime.bench.table import WrongResult

TABLES = [
    ("stacks", "sizes"),
    ("stacks", "mixed"),
    ("edge", "steps"),
    ("dilated", "training"),
    ("dilated", "layers"),
    ("dlrm", "training"),
    ("dlrm_inference", "inference"),
    ("sage", "training"),
    ("sage", "means"),
    ("resnet", "inference"),
    ("resnet", "training"),
]


def rows_of(name: str, table: str, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    monkeypatch.setenv("TILESMITH_BENCH_THREADS", "1")
    given = ["--small", "--without-inductor", "--seconds", "0.0001", "--tables", table]
    with ts.threads(1):
        report = runner.run(every.load(name), given, console=Console(file=io.StringIO()))
    return report.tables[table]


@pytest.mark.grid(2)
@pytest.mark.parametrize(("name", "table"), TABLES)
def test_a_small_workload_is_right(name: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(name, table, monkeypatch)
    assert rows and all(float(row["error"]) <= 2e-2 and row["ours"] > 0 for row in rows), rows


def test_a_wrong_product_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    gemm = ts.gemm
    monkeypatch.setattr(ts, "gemm", lambda *args, **more: gemm(*args, **more, alpha=1 + 2**-30))
    with pytest.raises(WrongResult, match="differs from the expected"):
        rows_of("stacks", "sizes", monkeypatch)


def test_any_division_of_workers_leaves_the_same_bits() -> None:
    """In bf16, where bags have scratch memory beside that of the perceptron; and an index outside is an error."""
    pytest.importorskip("torch")
    every.load("dlrm_inference")
    from docs.examples.workloads import dlrm, dlrm_inference

    run: Any = SimpleNamespace(options=SimpleNamespace(small=True))
    tables, (numbers, indices, _) = dlrm.drawn(run)
    rounded = [dlrm.rounded(each, "bf16") for each in (np.stack(tables), numbers)]
    model = dlrm_inference.Split(dlrm.dense_part(run).requires_grad_(False), *rounded, indices, "bf16")
    found = []
    for workers in (1, 2, 3, 7):
        model.run(ts.region(model.beside, model.top), workers)
        found.append(model.arrays["y"].tobytes())
    assert len(set(found)) == 1
    indices[3, 5] = len(tables[3])
    with pytest.raises(IndexError, match="500: table 3 has 500 rows"):
        model(rounded[1], indices)
