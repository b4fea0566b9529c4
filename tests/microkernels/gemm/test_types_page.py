"""The table of docs/mixed-precision.md states which unit multiplies which operand types on which target."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tilesmith.microkernels.gemm.spec import _PRODUCTS, gemm_spec
from tilesmith.microkernels.machines.registry import TARGETS, facts_of

PAGE = Path(__file__).parents[3] / "docs" / "mixed-precision.md"
PAIRS = [pair for pair in _PRODUCTS if pair not in (("f32", "f32"), ("f64", "f64"))]
NONE = "none"


def instruction(a, b, target):
    """Return the name of the unit that multiplies two types, as planners choose it; tiles and matrix units come
    first."""
    facts = facts_of(TARGETS[target])
    tile, outer = facts.tile(a, b), facts.outer_product(a, b)
    mmla, unit = facts.mmla(a, b, "exact"), facts.unit(a, b, "exact")
    if tile or outer:
        return (tile or outer).name.split(" of ")[0]
    names = [
        f"{each.name} replaced" if each.emulated else each.name
        for each in (mmla if mmla and not mmla.emulated else None, unit)
        if each
    ]
    return " or ".join(names) or NONE


def rows():
    """Return the rows of the table; pairs of types that the same units multiply share a row."""
    found = {}
    for a, b in PAIRS:
        by = {}
        for target in TARGETS:
            by.setdefault(instruction(a, b, target), []).append(target)
        text = "; ".join(f"{name}: {', '.join(targets)}" for name, targets in by.items())
        found.setdefault(text, []).append(f"{a} {b}")
    return [f"| {', '.join(pairs)} | {text} |" for text, pairs in found.items()]


def test_the_page_has_the_table():
    table = "\n".join(["| a b | instruction: targets |", "|---|---|", *rows()])
    assert table in PAGE.read_text(), f"docs/mixed-precision.md should have this table:\n{table}"


@pytest.mark.parametrize("target", TARGETS)
def test_kernels_are_planned_where_the_table_says(target):
    for number, (a, b) in enumerate(PAIRS):
        if is_soak() or (number + [*TARGETS].index(target)) % 5 == 0:
            request = gemm_spec(16, 16, 16, dtype=(a, b, _PRODUCTS[a, b][0]))
            possible = ts.supported(request, target) is True
            assert possible == (instruction(a, b, target) != NONE), (a, b)
