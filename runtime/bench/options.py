"""The benchmarks by name, which are found without importing one, and the options that all of them take."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
CHECKOUT = _HERE.resolve().parents[1]
_DECLARED = re.compile(r'^\w+ = Bench\(\s*"(\w+)"', re.MULTILINE)
ALL = "all"
OF_CHECKOUT = "tests.bench", "docs.examples.workloads"
"""The packages of benchmarks that only a checkout has."""


@cache
def modules() -> dict[str, str]:
    """Return the module of each benchmark: of the files in cases/, and in a checkout of those in tests/bench, which
    need the oracles of the tests, and of the workloads in docs/examples. A file has one or several lines
    `BENCH = Bench("name", ...)`."""
    return {name: module for name, (module, _) in _files().items()}


@cache
def _files() -> dict[str, tuple[str, str]]:
    """Return the module of each benchmark, and the text of its file."""
    found: dict[str, tuple[str, str]] = {}
    for folder, module in (
        (_HERE / "cases", f"{__package__}.cases"),
        *((CHECKOUT.joinpath(*each.split(".")), each) for each in OF_CHECKOUT),
    ):
        for path in sorted(folder.glob("*.py")):
            text = path.read_text()
            found |= dict.fromkeys(_DECLARED.findall(text), (f"{module}.{path.stem}", text))
    return found


def abouts() -> dict[str, str]:
    """Return what each benchmark measures, and beside what: the sentence of its file's docstring that has its command,
    without the command."""
    found = {}
    for name, (_, text) in _files().items():
        document = ast.get_docstring(ast.parse(text)) or ""
        command = re.compile(f":? ?`tilesmith bench {name}\\b[^`]*`:?")
        paragraph = next((each for each in document.split("\n\n") if command.search(each)), "")
        sentence = re.split(r"(?<=\.) (?=[A-Z])", command.sub("", " ".join(paragraph.split())).strip())[0]
        found[name] = sentence[:1].lower() + sentence[1:] if sentence.partition(" ")[0][1:].islower() else sentence
    return found


class BenchNames:
    """The names of all benchmarks, as choices of an argument. They are read from the files when they are needed."""

    def __iter__(self) -> Iterator[str]:
        return iter((*modules(), ALL))


def is_checkout() -> bool:
    """Whether the package lies in a checkout of the repository, with its further benchmarks and example programs."""
    return all(CHECKOUT.joinpath(*each.split(".")).is_dir() for each in OF_CHECKOUT)


def bench_name(text: str) -> str:
    """Return the name of a benchmark. Raises ArgumentTypeError where only a checkout may have one of that name."""
    if not is_checkout() and text not in BenchNames():
        raise argparse.ArgumentTypeError(
            f"{text!r} is no benchmark of an installed package, which are {', '.join(BenchNames())}. Those that need "
            "oracles of the tests or example programs are in the repository: "
            f"run `tilesmith bench {text}` in a checkout"
        )
    return text


def add_common(parser: argparse.ArgumentParser, default: float | None = None) -> None:
    """Add the options of every benchmark; `default` are the seconds of a contender."""
    parser.add_argument("--seconds", type=seconds, default=default, help="for each contender of each case")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--plot", type=Path, help="draw the figures to this file (.svg, .png, .pdf); needs matplotlib")
    parser.add_argument("--quick", type=seconds, metavar="SECONDS", help="few cases; none begins after this time")


def seconds(text: str) -> float:
    """Return a time that an option gives."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"more than 0, not {text}")
    return value


def whole(text: str) -> int:
    """Return a number of 1 or more that an option gives."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"1 or more, not {text}")
    return value
