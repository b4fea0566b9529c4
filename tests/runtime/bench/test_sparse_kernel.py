"""The rows of `tilesmith bench sparse_kernel`: each result is compared with numpy's before it is timed."""

from __future__ import annotations

import numpy as np

from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import sparse_kernel


def test_rows() -> None:
    run = runner.Run(0.0, runner.parser_of(sparse_kernel.BENCH).parse_args(["--target", "avx2"]), [])
    row = sparse_kernel.measured(run, (9, 9), 16, 0.2)
    assert row["by dense"] > 0 and row["way"] == "the pattern as code" and row["bytes"] > 0
    for side in ("left", "right"):
        assert sparse_kernel.fused(run, side, 4, 0.4)["by all entries"] > 0


def test_goals_are_those_of_the_density_of_the_paper() -> None:
    kept = {"shape": "9 x 9", "n": 16}
    rows = [{**kept, "density": each, "by dense": 10 * each} for each in sparse_kernel.DENSITIES]
    (goal,) = sparse_kernel._goals(rows)
    assert goal.wanted == goal.found == sparse_kernel.FIGURES[16]
    assert np.count_nonzero(sparse_kernel.drawn(35, 35, 0.2)) / 35**2 < 0.3
