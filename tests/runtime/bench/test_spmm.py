"""The rows of `tilesmith bench spmm`: each result is compared with the dense product before it is timed."""

from __future__ import annotations

import pytest

from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases.spmm import BENCH, matrix


def test_rows() -> None:
    options = ["--n", "64", "--blocks", "8", "--sparsity", "0.5", "0.9", "--alone", "--seconds", "0.001"]
    report = runner.run(BENCH, options)
    assert [*report.tables] == ["bf16", "f32", "elements"]
    assert [row["sparsity"] for row in report.tables["f32"]] == [0.5, 0.9]
    assert all(row["of dense"] > 0 for rows in report.tables.values() for row in rows)


def test_matrices_have_the_sparsity_that_is_asked_for() -> None:
    found = matrix(256, 4, 0.9, "f32")
    assert abs(found.blocks / 64**2 - 0.1) < 0.02 and found.block == (4, 4)
    with pytest.raises(ValueError, match="--tables: bf16, f32, elements, not f64"):
        runner.run(BENCH, ["--tables", "f64"])
