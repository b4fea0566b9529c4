"""The README's example prints what the README says, and its figures are those of docs/performance.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def blocks() -> tuple[str, str]:
    """Return the example and its output, the first two fenced blocks after the heading."""
    text = README.read_text().split("## Ten lines", 1)[1]
    found = re.findall(r"```(?:python)?\n(.*?)```", text, re.DOTALL)
    return found[0], found[1]


def test_the_example_prints_what_the_readme_shows(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """`--update-golden` writes the output into the README."""
    example, output = blocks()
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, cwd=tmp_path, check=True)
    if request.config.getoption("--update-golden"):
        README.write_text(README.read_text().replace(output, done.stdout, 1))
        output = blocks()[1]
    assert done.stdout == output
    assert (tmp_path / "mm.o").read_bytes()[:4] == b"\x7fELF"


def figures(shape: str) -> list[float]:
    """Return GFLOP/s, % of peak, x LIBXSMM and x numpy of a shape, from the first table of the page that has it."""
    page = (README.parent / "docs" / "performance.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith(f"| {shape} "))
    cells = [cell.strip().replace(",", "") for cell in row.split("|")]
    return [float(cells[column]) for column in (3, 4, 6, 8)]


def test_figures_are_those_of_the_page_on_performance() -> None:
    """The README's figures are those of the page, rounded."""
    rows = re.findall(r"^\| (\d+x\d+x\d+)(, batch \d+)? \| (.*) \|$", README.read_text(), re.MULTILINE)
    assert len(rows) > 5
    for shape, batch, cells in rows:
        for text, found in zip(cells.split(" | "), figures(shape + batch.replace(", batch ", " b")), strict=True):
            digits = len(text.partition(".")[2])
            assert text == f"{found:.{digits}f}", (shape, cells)
