"""Counts of what makes the house harder to extend. They may only fall: `tests/counts.txt` has the most of each.

    python -m tests.counts            print each count beside the most that it may be
    python -m tests.counts --write    lower the file to today's counts

A count that has fallen is written to the file in the same commit. Raising one by hand needs a reason in the commit.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
COUNTS = ROOT / "tests" / "counts.txt"
SOURCES = ("encoder", "microkernels", "runtime", "emulation")
TUNING = "microkernels/tuning/"
LADDER = 3
"""Plan classes that one function asks for before it counts as a ladder."""
_HEAD = """# The most of each count of tests/counts.py, which may only fall; `python -m tests.counts --write` lowers it.
"""


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module, the module first."""
    return tuple(ast.walk(ast.parse(path.read_text(), str(path))))


@cache
def modules() -> tuple[tuple[str, str, tuple[ast.AST, ...]], ...]:
    """Return the path, the text and the nodes of every module of the package."""
    paths = (path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*.py")))
    return tuple((str(path.relative_to(ROOT)), path.read_text(), nodes(path)) for path in paths)


def body(of: tuple[ast.AST, ...]) -> list[ast.stmt]:
    """Return the statements of a module at its top level."""
    assert isinstance(of[0], ast.Module)
    return of[0].body


def _classes() -> Iterator[str]:
    for _, _, of in modules():
        yield from (node.name for node in of if isinstance(node, ast.ClassDef))


def _kinds() -> int:
    """Request classes: those that runtime/kernel/kinds.py has a row for."""
    (of,) = [of for path, _, of in modules() if path == "runtime/kernel/kinds.py"]
    (rows,) = [
        node.value for node in body(of) if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "ROWS"
    ]
    assert isinstance(rows, ast.Dict)
    return len(rows.keys)


def _plans() -> int:
    return sum(name.endswith("Plan") for name in _classes())


def _asked(function: ast.FunctionDef) -> set[str]:
    """Return the plan classes that a function asks for by isinstance."""
    calls = (
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
    )
    names = (
        ast.unparse(part)
        for call in calls
        for part in ast.walk(call.args[1])
        if isinstance(part, (ast.Name, ast.Attribute))
    )
    return {name.rpartition(".")[2] for name in names if name.endswith("Plan")}


def _ladders() -> int:
    those = (of for _, text, of in modules() if text.count("isinstance(") and text.count("Plan") >= LADDER)
    functions = (node for of in those for node in of if isinstance(node, ast.FunctionDef))
    return sum(len(_asked(function)) >= LADDER for function in functions)


def _numbers(value: ast.expr | None) -> int:
    """Return how many numbers a module-level value consists of, 0 if it is anything else."""
    if isinstance(value, ast.Tuple):
        each = [_numbers(part) for part in value.elts]
        return sum(each) if all(each) else 0
    try:
        found = ast.literal_eval(value) if value is not None else None
    except ValueError:
        shifted = isinstance(value, ast.BinOp) and _numbers(value.left) and _numbers(value.right)
        return int(bool(shifted))
    return int(type(found) in (int, float))


def _constants() -> int:
    """Numbers that modules of kernels and of the runtime name outside the tuning tables. Those of benchmarks are cases
    and goals, by which nothing is planned."""
    places = (
        body(of)
        for path, _, of in modules()
        if path.startswith(("microkernels/", "runtime/"))
        and not path.startswith((TUNING, "runtime/bench/"))
        and not re.search(r"/coefficients_|/midpoints_", path)
    )
    return sum(
        _numbers(node.value) for body in places for node in body if isinstance(node, (ast.Assign, ast.AnnAssign))
    )


def _collisions() -> int:
    return sum(count > 1 for count in Counter(_classes()).values())


def _any() -> int:
    return sum(isinstance(node, ast.Name) and node.id == "Any" for _, _, of in modules() for node in of)


def _skips() -> int:
    texts = [text for _, text, _ in modules()]
    texts += [path.read_text() for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    return sum(text.count("# fmt: " + "skip") for text in texts)


def _refused() -> int:
    """Pairs of words of traced functions that no kernel computes, as docs/fused.md states and its test counts."""
    (number,) = re.findall(r"([\d,]+) are refused:", (ROOT / "docs" / "fused.md").read_text())
    return int(number.replace(",", ""))


COUNTED: dict[str, Callable[[], int]] = {
    "request classes": _kinds,
    "plan classes": _plans,
    "functions that ask for three or more plan classes": _ladders,
    "numeric constants outside tuning": _constants,
    "class names used twice": _collisions,
    "Any": _any,
    "fmt: skip": _skips,
    "refused pairs of words": _refused,
}


def allowed() -> dict[str, int]:
    """Return the most of each count."""
    lines = (line.rpartition(" ") for line in COUNTS.read_text().splitlines() if line and not line.startswith("#"))
    return {name: int(most) for name, _, most in lines}


def main() -> None:
    """Print the counts, or lower the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="lower tests/counts.txt to today's counts")
    writes = parser.parse_args().write
    most = allowed() if COUNTS.exists() else {}
    found = {name: count() for name, count in COUNTED.items()}
    for name, count in found.items():
        print(f"{name:50} {count:6} of {most.get(name, count):6}")
    if writes:
        COUNTS.write_text(
            _HEAD + "".join(f"{name} {min(count, most.get(name, count))}\n" for name, count in found.items())
        )


if __name__ == "__main__":
    main()
