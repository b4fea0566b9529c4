"""Jobs of grouped products have a proof with the table of a call, and none with a table that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.tuning.products import GROUPS
from tilesmith.runtime.grouped import functions, proofs
from tilesmith.runtime.grouped.nest import DEEP_PIECE
from tilesmith.runtime.ops.row_nest import PIECE

ENDS = np.array([4, 4, 11])


def job(a: tuple[int, ...], b: tuple[int, ...], dtype: Any = np.float32, **given: Any) -> tuple[Any, Any]:
    """Return the job of a call, and its table."""
    found: dict[object, Any] = functions._ROWS if len(b) == 3 else functions._TERMS
    found.clear()
    ts.grouped_matmul(np.ones(a, dtype), np.ones(b, dtype), ENDS, **given)
    (made,) = found.values()
    return made, made._last[1]


@pytest.mark.parametrize(("a", "b"), [((11, 5), (3, 5, 7)), ((4, 11), (11, 7))])
def test_jobs_are_proved(a: tuple[int, ...], b: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the kernels, whose own proofs take seconds."""
    proved = list[Any]()
    monkeypatch.setattr("tilesmith.runtime.verify.nests.verify", lambda code, *_: proved.append(code) or True)
    made, table = job(a, b)
    proof = proofs.of_groups(made.job, made.nest, ENDS, table, (1, 3))
    assert proof and len(proved) >= 2, proof
    found = {each.what: each.how for each in proof.claims}
    count = 77 if len(b) == 3 else 84
    assert f"each of {count} elements of the result once" in found["once"] and f"the {count} el" in found["terms"]
    assert {"indices", "elements", "memory", "arithmetic", "threads", "mode", "alignment"} <= set(found)


@pytest.mark.parametrize(
    ("names", "name", "change", "text"),
    [
        (PIECE, "member", 2, "has other terms than its definition"),
        (PIECE, "row", 1, "written 0 times"),
        (PIECE, "rows", -1, "written 0 times"),
        (PIECE, "rows", 1, "written 2 times"),
        (DEEP_PIECE, "chunk0", 32, "other terms than its definition"),
        (DEEP_PIECE, "member", 1, "written 0 times"),
        (DEEP_PIECE, "chunk0", 1 << 20, "of a table of"),
    ],
)
def test_wrong_tables_are_refuted(names: tuple[str, ...], name: str, change: int, text: str) -> None:
    made, table = job(*(((11, 5), (3, 5, 7)) if names == PIECE else ((4, 11), (11, 7))))
    wrong = table.copy()
    wrong[GROUPS.parts + 1 + names.index(name)] += change  # of the first piece
    proof = made.verify(ENDS, wrong)
    assert proof.refuted and text in str(proof), str(proof)


@pytest.mark.parametrize(("bounds", "often"), [((0, 2, 0, 2), 2), ((0, 1), 0)])
def test_pieces_that_are_dealt_out_wrongly(bounds: tuple[int, ...], often: int) -> None:
    made, table = job((11, 5), (3, 5, 7))
    wrong = table.copy()
    assert wrong[GROUPS.parts] == 2
    wrong[: GROUPS.parts + 1] = [*bounds, *bounds[-1:] * (GROUPS.parts + 1 - len(bounds))]
    proof = made.verify(ENDS, wrong)
    assert proof.refuted and f"written {often} times" in str(proof), str(proof)


def test_what_has_no_proof() -> None:
    made, table = job((11, 5), (3, 5, 7), epilogue=lambda c: ts.relu(c))
    with pytest.raises(UnsupportedError, match="epilogues of grouped products"):
        made.verify(ENDS, table)
