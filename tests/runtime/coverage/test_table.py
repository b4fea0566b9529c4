"""The table of elementwise primitives: its cells are computed."""

from __future__ import annotations

import numpy as np
import pytest

from tilesmith.runtime.coverage import table as coverage
from tilesmith.runtime.coverage.table import DIFFERENT, DTYPES, EQUAL, NONE, Cell, cells, markdown
from tilesmith.runtime.coverage.trial import same_bits
from tilesmith.runtime.verify.definition.conversions import stored

pytestmark = pytest.mark.seconds  # it builds and runs a part of the table


@pytest.fixture(scope="module")
def some() -> list[Cell]:
    return list(cells(targets=("avx2", "neon"), dtypes=("f32", "i8")))


def test_every_cell_is_equal_or_refused(some):
    assert {cell.state for cell in some} <= {EQUAL, NONE}, [cell for cell in some if cell.state not in (EQUAL, NONE)]
    assert all(cell.note for cell in some if cell.state == NONE)


def test_contents_of_the_table(some):
    states = {(cell.kind, cell.name, cell.dtype, cell.target): cell.state for cell in some}
    for target in ("avx2", "neon"):
        assert states["binary", "add", "i8", target] == EQUAL
        assert states["unary", "tanh", "f32", target] == EQUAL
        assert states["unary", "sqrt", "i8", target] == NONE


def test_a_wrong_result_is_seen(monkeypatch):
    monkeypatch.setattr(
        coverage, "computed", lambda spec, *rest, **named: {"y": np.full(spec.outputs[0].shape, 77, np.float32)}
    )
    assert next(cells(targets=("avx2",), dtypes=("f32",))).state == DIFFERENT


def test_the_page(some):
    page = markdown(some, ("avx2", "neon"))
    assert f"| kind | primitive | {' | '.join(DTYPES)} |" in page
    assert "| binary | add | - | = | - | - | - | - | - | - | - | - | = | - |" in page
    assert "- unary sqrt: i8: a float in arithmetic of i32" in page


def test_conversions():
    x = np.array([2.5, -2.5, 300, -300, np.nan, np.inf], np.float32)
    assert stored(x, "i8").tolist() == [2, -2, 127, -128, 0, 127]
    assert stored(x, "u8").tolist() == [2, 0, 255, 0, 0, 255]
    nans = np.array([0x7FC00001, 0x7FC00000, 0], np.uint32).view(np.float32), np.full(3, np.nan, np.float32)
    assert same_bits(*nans).tolist() == [True, True, False]
