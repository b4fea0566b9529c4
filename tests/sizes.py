"""Print the size of each folder, to make growth visible: `make sizes`.

python -m tests.sizes            folders of modules
python -m tests.sizes tests      folders of tests
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.layers import MAY_IMPORT

ROOT = Path(__file__).parents[1]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Size(NamedTuple):
    """The size of a folder without its subfolders."""

    folder: str
    modules: int
    lines: int
    longest_module: tuple[int, str]
    functions: int
    longest_function: tuple[int, str]


def sizes(top: str) -> Iterator[Size]:
    """Return the size of every folder below `top` that has modules."""
    folders = sorted({path.parent for path in (ROOT / top).rglob("*.py")})
    return (_size(folder) for folder in folders if not any(parent.is_symlink() for parent in (folder, *folder.parents)))


def _size(folder: Path) -> Size:
    paths = sorted(folder.glob("*.py"))
    modules = [(len(path.read_text().splitlines()), path.stem) for path in paths if path.name != "__init__.py"]
    functions = [
        ((node.end_lineno or 0) - node.lineno + 1, f"{path.stem}.{node.name}")
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, FUNCTIONS)
    ]
    name = str(folder.relative_to(ROOT))
    lines = sum(length for length, _ in modules)
    return Size(
        name, len(modules), lines, max(modules, default=(0, "-")), len(functions), max(functions, default=(0, "-"))
    )


def table(rows: list[Size]) -> str:
    """Return one line per folder, and the total."""
    lines = [f"{'folder':34} modules   lines  functions  longest module                longest function"]
    for row in rows:
        module, function = (f"{length:4} {name}" for length, name in (row.longest_module, row.longest_function))
        lines.append(f"{row.folder:34} {row.modules:7} {row.lines:7} {row.functions:10}  {module:28}  {function}")
    total = [sum(row[column] for row in rows) for column in (1, 2, 4)]
    return "\n".join([*lines, f"{'all':34} {total[0]:7} {total[1]:7} {total[2]:10}"])


if __name__ == "__main__":
    print(table([row for top in sys.argv[1:] or MAY_IMPORT for row in sizes(top)]))
