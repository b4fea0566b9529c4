"""Jobs of reductions over graphs have a proof with the rows of a graph, and none with pieces or entries that are wrong,
nor with the code of another reduction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.tuning.graphs import GRAPHS
from tilesmith.runtime.aggregation import proofs
from tilesmith.runtime.aggregation.arrays import graph_of
from tilesmith.runtime.aggregation.job import Rows, job_for, request_of
from tilesmith.runtime.aggregation.pieces import Compressed
from tilesmith.runtime.host import detect as host

NAMED = np.array([0, 1, 1, 2, 2, 0, 0, 1, 2, 0], np.int32)
ASKED: dict[str, tuple[dict[str, Any], int]] = {
    "sum": ({"weights": True}, 1),
    "max": ({"name": "max"}, 1),
    "mean, checked before": ({"name": "mean", "bounds": "call"}, 1),
    "of pairs": ({"second": "table", "combine": "sub", "dtype": "bf16"}, 3),
    "rows, on another target": ({"name": "min", "second": "rows", "combine": "add", "target": "avx2"}, 1),
}


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Compressed:
    monkeypatch.setattr("tilesmith.runtime.aggregation.pieces.GRAPHS", GRAPHS._replace(least=4))
    made = graph_of(np.array([0, 2, 2, 5, 9, 10]), np.array([0, 4, 1, 1, 2, 3, 3, 4, 0, 1], np.int32))
    assert made.pieces.number == 4
    return made


def job(graph: Compressed, *, dtype: str = "f32", target: str | None = None, **asked: Any) -> Rows:
    leading = (9, 11, 10)[: 3 if "second" in asked else 2]
    given: Any = {"index": "i32", "sources": 5, "pieces": graph.pieces.number, "target": host.resolve(target)}
    return job_for(request_of(9, leading, dtype, **given, **asked))


@pytest.mark.parametrize("name", list(ASKED))
@pytest.mark.grid(1)
def test_jobs_are_proved(graph: Compressed, name: str) -> None:
    asked, second = ASKED[name]
    proof = job(graph, **asked).verify(graph, 5, NAMED if second > 1 else None, second)
    assert proof, proof
    found = {each.what: each.how for each in proof.claims}
    assert {"arithmetic", "memory", "frame", "mode", "alignment", "coverage"} <= set(found)
    assert "each of 5 rows is in one piece" in found["indices"] and "7 workers" in found["threads"]


def test_wrong_graphs_and_code_are_refuted(graph: Compressed) -> None:
    asked = job(graph)
    ranges, ends, entries = (np.array(each) for each in (graph.pieces.ranges, graph.ends, graph.indices))
    twice, missing, falling, outside = ranges.copy(), ranges.copy(), ends.copy(), entries.copy()
    twice[1], missing[2], falling[2], outside[7] = twice[0], 0, 1, 5
    for wrong, text in (
        (graph._replace(pieces=graph.pieces._replace(ranges=twice)), "row 0 is in 2 pieces"),
        (graph._replace(pieces=graph.pieces._replace(ranges=missing)), "row 3 is in 0 pieces"),
        (graph._replace(ends=falling), "the ends of rows do not rise"),
        (graph._replace(indices=outside), "entry 7 names row 5 of 5"),
    ):
        proof = asked.verify(wrong, 5)
        assert proof.refuted and text in str(proof), str(proof)
    spec, names = asked.request.spec, [name for name, _, _ in asked._arrays]
    other = proofs.of_rows(job(graph, name="mean").job, spec, names, graph, 5)
    assert not other and "have no proof" in str(other)


def test_what_has_no_proof(graph: Compressed) -> None:
    with pytest.raises(UnsupportedError, match="positions of single entries"):
        job(graph, name="max", arg=True).verify(graph, 5)
