"""The figures of fresh processes: every one is measured, and goals follow from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilesmith.runtime.bench.cases import start


@pytest.mark.slow
def test_a_process_measures_everything(tmp_path: Path) -> None:
    found = start.child(str(tmp_path), True)
    assert set(found) == {"numpy", *start.FIGURES}
    assert all(seconds > 0 for seconds in found.values())
    assert list((tmp_path / "bytecode").rglob("*.pyc")), "bytecode is written for the next process"


@pytest.mark.slow
def test_kernels_are_kept_in_a_folder_of_its_own(tmp_path: Path) -> None:
    start.child(str(tmp_path), True, kernels=True)
    assert len(list((tmp_path / "kernels").glob("*.kernel"))) > 30


def test_goals_are_bounds_from_above() -> None:
    seconds = {"import": 0.02, "first": 0.05, "product": 1e-3, "epilogue": 4e-3, "transpose": 1e-3}
    rows = [
        {"name": name, "bytecode": each, "bytecode by numpy": each / 0.1, "kernels by numpy": 0.07}
        for name, each in seconds.items()
    ]
    states = [goal.state for goal in start.goals(rows)]
    assert states == ["reached", "NOT REACHED", "reached", "NOT REACHED", "reached", "reached"]
