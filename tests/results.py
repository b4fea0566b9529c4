"""The measured tables of docs/ are written from docs/results/FAMILY.json, with machine, date and command.

    python -m tests.results                    write every table of every page between its marks (also in `make docs`)
    python -m tests.results draw               draw the tables of PICTURES, with matplotlib (also in `make pictures`)
    python -m tests.results take RUN.json layers fused/layers --machine "Zen 4, idle" [--columns "layer; ns=ours:1n"]
                               take the table `layers` of a benchmark's --json as docs/results/fused.json

A page has a table between two marks, and under it what was measured, when and how:

    <!-- results: fused/layers -->
    <!-- end of results -->

The rows of `tilesmith papers` stand between marks of their own, `papers: claims/TPP` or `papers: items/TPP`.

FAMILY is the page's name, or that of the pages that share it. A new benchmark (runtime/bench/runner.py) needs no line
here: its JSON has the columns.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from tilesmith.runtime.bench import plots
from tilesmith.runtime.bench.cases import roofline, spmm
from tilesmith.runtime.bench.charts import Plot, chart
from tilesmith.runtime.bench.table import Column, columns, markdown, measured
from tilesmith.runtime.coverage import papers

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
MARKED = re.compile(r"(<!-- results: ([\w-]+)/([\w-]+) -->\n)(.*?)(<!-- end of results -->)", re.DOTALL)
OF_PAPERS = re.compile(r"(<!-- papers: ([\w-]+/[\w-]+) -->\n)(.*?)(<!-- end of papers -->)", re.DOTALL)
NEEDED = ("machine", "date", "command")
"""What a table says of its figures. An old table may lack its command (null), and says so."""
PICTURES: dict[str, tuple[str, Callable[[dict[str, Any]], Plot | None]]] = {
    "gemm": ("performance/avx512-f32-small", lambda of: Plot("tilesmith:1; LIBXSMM:1; NumPy:1", "GFLOP/s")),
    "spmm": ("sparse/bf16", lambda of: spmm.PLOT),
    "torch-compile": ("torch/compile", lambda of: None),
    "roofline": (
        "performance/roofline",
        lambda of: roofline.drawing(of["roofline-peaks"]["rows"], of["roofline-loads"]["rows"]),
    ),
}
"""The drawings of docs/pictures that show a table: its family and name, and how it is drawn if not by its columns
alone, given the tables of the family."""


def tables(family: str) -> dict[str, Any]:
    """Return the tables of a family by name."""
    path = RESULTS / f"{family}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def written(family: str, name: str) -> str:
    """Return the text of a table and of its source."""
    table = tables(family)[name]
    shown = measured([Column(**each) for each in table["columns"]], table["rows"])
    how = f"`{table['command']}`" if table["command"] else "the command was not recorded"
    source = f"Measured: {table['machine']}; {table['date']}; {how}."
    return f"\n{markdown(shown, table['rows'])}\n\n{source}\n\n"


def page(text: str) -> str:
    """Return the text of a page with every table as its JSON has it."""
    text = OF_PAPERS.sub(lambda found: f"{found[1]}\n{papers.written(found[2])}\n\n{found[4]}", text)
    return MARKED.sub(lambda found: found[1] + written(found[2], found[3]) + found[5], text)


def marks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the family and the name of every table of a page."""
    for found in MARKED.finditer(text):
        yield found[2], found[3]


def pages() -> list[Path]:
    """Return the pages that may have tables."""
    return sorted((ROOT / "docs").rglob("*.md"))


def drawn(name: str) -> str:
    """Return what a drawing says of its figures, which differs if they do."""
    table, plot = _picture(name)
    digest = sha256(repr((json.dumps(table, sort_keys=True), plot and plot.beside)).encode()).hexdigest()[:16]
    return f"docs/results {PICTURES[name][0]} {digest}"


def draw(name: str) -> None:
    """Draw a table of PICTURES into docs/pictures."""
    table, plot = _picture(name)
    made = chart("", [Column(**each) for each in table["columns"]], table["rows"], plot)
    assert made is not None
    head = f"{table['machine']}; {table['date']}; {table['command']}"
    plots.draw([made], ROOT / "docs" / "pictures" / f"{name}.svg", head, drawn(name))


def _picture(name: str) -> tuple[dict[str, Any], Plot | None]:
    entry, plot = PICTURES[name]
    family, _, table = entry.partition("/")
    found = tables(family)
    return found[table], plot(found)


def take(run: Path, name: str, entry: str, machine: str | None, chosen: str | None) -> None:
    """Take a table of a run into its family."""
    report, (family, of_family) = json.loads(run.read_text()), entry.split("/")
    table = report["tables"][name]
    shown = [each._asdict() for each in columns(chosen)] if chosen else table["columns"]
    found = tables(family)
    found[of_family] = {
        "machine": machine or report["machine"],
        "date": report["date"],
        "command": re.sub(r" --(json|plot)[ =]\S+", "", report["command"]),
        "versions": report["versions"],
        "columns": [each for each in shown if any(each["key"] in row for row in table["rows"])],
        "rows": table["rows"],
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{family}.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    """Write all pages, or take a run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="draw, or take RUN.json TABLE FAMILY/NAME")
    parser.add_argument("--machine", help="the name in docs/performance.md, and what else ran on it")
    parser.add_argument("--columns", help="the columns that the page shows, where they are not those of the benchmark")
    asked = parser.parse_args()
    if asked.words[:1] == ["take"]:
        _, run, name, entry = asked.words
        take(Path(run), name, entry, asked.machine, asked.columns)
    for name in PICTURES if asked.words[:1] == ["draw"] else ():
        draw(name)
    for path in pages():
        before = path.read_text()
        if (after := page(before)) != before:
            path.write_text(after)
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
