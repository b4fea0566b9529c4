"""The table of proofs: its cells are computed, and a cell without a proof states the reason."""

from __future__ import annotations

import pytest

from tests.profiles import is_soak
from tilesmith.runtime.coverage import proofs as coverage
from tilesmith.runtime.coverage.proofs import PROVED, TRUSTED, UNEXPLAINED, WRONG, proofs
from tilesmith.runtime.coverage.table import NONE, ON, page


def test_cells_of_a_few_primitives() -> None:
    found = [cell for name in ("relu", "add") for cell in proofs(("avx2",), ("f32",), name)]
    assert {(cell.name, cell.state) for cell in found} == {("relu", PROVED), ("add", PROVED)}
    assert "| unary | relu | - | p |" in page(found, ("avx2",), "Proofs", "none", coverage.LEGEND, "Why")


@pytest.mark.slow
def test_no_cell_is_refuted() -> None:
    """Compute a few cells; `make soak` computes all."""
    found = list(proofs(ON) if is_soak() else proofs(("neon",), ("i32",), "abs"))
    assert {cell.state for cell in found} <= {PROVED, TRUSTED, NONE}, [each for each in found if each.state == WRONG]
    assert all(cell.note for cell in found if cell.state == TRUSTED)


def test_a_cell_without_a_proof_needs_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: object) -> None:
        raise coverage.UnsupportedError("verify: at 0x3: a product of data: data only moves through general registers")

    monkeypatch.setattr(coverage, "verify", refused)
    cell = next(proofs(("avx2",), ("f32",), "relu"))
    assert cell.state == TRUSTED and cell.note.startswith("code computes integers of data in general registers")
    monkeypatch.setattr(coverage.trusted, "REASONS", ())
    cell = next(proofs(("avx2",), ("f32",), "relu"))
    assert cell.state == UNEXPLAINED and cell.note.startswith("at 0x3")
