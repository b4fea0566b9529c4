"""Measure the largest error of activations over all 2^32 f32, or over many f64, with this machine's instructions.

    python -m tests.ulp.sweep                       everything: about two minutes a function on a quiet core
    python -m tests.ulp.sweep exp tanh tanh_inv     some functions; "_inv" are slopes (the gradient for g = 1)
    python -m tests.ulp.sweep exp --step 101        every 101st number only, for a first look
    --accuracy fast                                 one accuracy only
    --target avx2, neon...                          another target that this machine runs
    --write                                         put the table into docs/numerics.md
    --dtype f64 --points 20000000                   this many f64, drawn as described in tests/ulp/reference_f64.py

All accuracies are measured in one pass, f32 against tests/ulp/reference.py, f64 against 80-bit floats. The columns are
the largest error in ulp (of the contract's floor if results are below it), its argument, the number of wrong or missing
NaN, and the number of places where a larger argument gives a smaller result (f64: the number of arguments tried).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

import tilesmith as ts
from tests.ulp import reference_f64
from tests.ulp.reference import REFERENCE, SLOPES, errors_in, units
from tilesmith.microkernels.functions.accuracies import ACCURACIES
from tilesmith.microkernels.functions.activations import CATALOGUE, Bound, contract_of

Array = np.ndarray[Any, Any]


CHUNK = 1 << 14
ROUND = 1 << 20
PAGE = Path(__file__).parents[2] / "docs" / "numerics.md"
MARKS = {
    dtype: tuple(f"<!-- tests.ulp.sweep{of}: {end} -->" for end in ("begin", "end"))
    for dtype, of in (("f32", ""), ("f64", " f64"))
}


@dataclass
class Found:
    """The measurements of a function and accuracy."""

    bound: Bound
    worst: float = 0.0
    at: float = 0.0
    wrong_nan: int = 0
    falls: int = 0
    last: float = -np.inf
    tried: int = 0

    def take(self, x: Array, y: Array, wanted: Array, unit: Array) -> None:
        """Add ascending arguments and their results."""
        self.note(x, errors_in(unit, y, wanted, self.bound.floor))
        self.falls += int(np.count_nonzero(y[1:] < y[:-1])) + int(y[0] < self.last)
        self.last = float(y[-1])

    def note(self, x: Array, error: Array) -> None:
        """Add the errors at some arguments."""
        self.tried += len(x)
        place = int(np.argmax(error))
        if np.isinf(error[place]):
            self.wrong_nan += int(np.isinf(error).sum())
            error[np.isinf(error)] = 0.0
            place = int(np.argmax(error))
        if error[place] > self.worst:
            self.worst, self.at = float(error[place]), float(x[place])


def ascending(step: int) -> Any:
    """Yield every `step`-th f32 bit pattern in ascending order of the numbers, in chunks; NaN are at both ends."""
    for first in range(0, 1 << 31, CHUNK * step):
        size = min(CHUNK, -(-((1 << 31) - first) // step))
        offsets = np.uint32(first) + np.arange(size, dtype=np.uint32) * np.uint32(step)
        yield np.uint32(0xFFFFFFFF) - offsets
    for first in range(0, 1 << 31, CHUNK * step):
        size = min(CHUNK, -(-((1 << 31) - first) // step))
        yield np.uint32(first) + np.arange(size, dtype=np.uint32) * np.uint32(step)


def bound_of(name: str, accuracy: str, kernel: ts.Kernel, dtype: str = "f32") -> Bound:
    """Return the promised bound of a function or a slope on the kernel's target."""
    tables: int = kernel.plan.code.arithmetic.tables  # type: ignore[attr-defined]
    return contract_of(name, dtype).bound(accuracy, tables)


def kernels_of(name: str, accuracies: Sequence[str], target: str | None, dtype: str) -> dict[str, ts.Kernel]:
    """Return a kernel of one row for each accuracy; for a slope, the gradient is the first input."""
    make = ts.binary if name.endswith("_inv") else ts.unary
    return {each: make(name, 1, CHUNK, dtype=dtype, accuracy=each, target=target) for each in accuracies}


def sweep_f64(
    name: str, accuracies: Sequence[str], target: str | None, points: int, progress: Progress
) -> dict[str, Found]:
    """Measure about `points` f64 in rounds of a million, each drawn anew."""
    kernels = kernels_of(name, accuracies, target, "f64")
    found = {accuracy: Found(bound_of(name, accuracy, kernel, "f64")) for accuracy, kernel in kernels.items()}
    ones = (np.ones((1, CHUNK)),) if name.endswith("_inv") else ()
    x, y = np.zeros((1, CHUNK)), np.empty((1, CHUNK))
    low, high = contract_of(name, "f64").domain
    task = progress.add_task(name, total=points)
    for seed in range(-(-points // ROUND)):
        numbers = reference_f64.drawn(min(points, ROUND), np.random.default_rng([seed, 64]))
        numbers = numbers[(numbers >= low) & (numbers <= high)]
        for first in range(0, len(numbers), CHUNK):
            some = numbers[first : first + CHUNK]
            x[0, : len(some)] = some
            wanted = reference_f64.wanted(name, some)
            for accuracy, kernel in kernels.items():
                kernel(*ones, x, y)
                error = reference_f64.errors(y[0, : len(some)], wanted, found[accuracy].bound.floor)
                found[accuracy].note(some, error)
        progress.update(task, advance=ROUND)
    return found


def sweep(name: str, accuracies: Sequence[str], target: str | None, step: int, progress: Progress) -> dict[str, Found]:
    """Measure the given accuracies of a function over the f32."""
    slope = name.endswith("_inv")
    reference = (SLOPES if slope else REFERENCE)[name.removesuffix("_inv")]
    kernels = kernels_of(name, accuracies, target, "f32")
    ones = (np.ones((1, CHUNK), np.float32),) if slope else ()
    x, y = np.empty((1, CHUNK), np.float32), np.empty((1, CHUNK), np.float32)
    found = {accuracy: Found(bound_of(name, accuracy, kernel)) for accuracy, kernel in kernels.items()}
    task = progress.add_task(name, total=(1 << 32) // step)
    for patterns in ascending(step):
        size = len(patterns)
        x.view(np.uint32)[0, :size] = patterns
        with np.errstate(all="ignore"):
            wanted = reference(x[0, :size].astype(np.float64))
        unit = units(wanted)
        for accuracy, kernel in kernels.items():
            kernel(*ones, x, y)
            found[accuracy].take(x[0, :size], y[0, :size], wanted, unit)
        progress.update(task, advance=size)
    return found


def rows(name: str, found: dict[str, Found], dtype: str) -> list[tuple[str, ...]]:
    """Return the lines of the table."""
    return [
        (
            name,
            accuracy,
            f"{each.worst:.3f}" if each.worst < 1e4 else f"{each.worst:.0f}",
            f"{each.at:.7g}" if dtype == "f32" else repr(each.at),
            f"{each.bound.ulp:g}",
            f"{each.bound.floor:.3g}" if each.bound.floor else "-",
            str(each.wrong_nan),
            str(each.falls if dtype == "f32" else each.tried),
        )
        for accuracy, each in found.items()
    ]


def heads(dtype: str) -> tuple[str, ...]:
    """Return the headings of the table."""
    last = "falls" if dtype == "f32" else "tried"
    return "function", "accuracy", "max ulp", "at", "promised", "floor", "wrong NaN", last


def write(lines: list[tuple[str, ...]], dtype: str) -> None:
    """Put the lines into the page; they replace older lines of the same functions."""
    page = PAGE.read_text()
    begin, end = MARKS[dtype]
    before, _, rest = page.partition(begin)
    inside, _, after = rest.partition(end)
    old = [tuple(cell.strip() for cell in line.strip("| ").split("|")) for line in inside.splitlines() if "|" in line]
    kept = {line[:2]: line for line in old[2:]} | {line[:2]: line for line in lines}
    order = [*CATALOGUE, *(f"{name}_inv" for name in CATALOGUE)]
    chosen = sorted(kept.values(), key=lambda line: (order.index(line[0]), line[1]))
    table = [heads(dtype), ("---",) * len(heads(dtype)), *chosen]
    text = "\n".join(f"| {' | '.join(line)} |" for line in table)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions; all unless given")
    parser.add_argument("--accuracy", choices=ACCURACIES, help="one of them; all unless given")
    parser.add_argument("--target", help="a target that this machine runs; its own unless given")
    parser.add_argument("--step", type=int, default=1, help="every so many numbers")
    parser.add_argument("--write", action="store_true", help="put the table into docs/numerics.md")
    parser.add_argument("--dtype", choices=("f32", "f64"), default="f32")
    parser.add_argument("--points", type=int, default=20_000_000, help="f64 numbers for each function")
    asked = parser.parse_args()
    names = asked.names or [*CATALOGUE, *(f"{name}_inv" for name in CATALOGUE)]
    accuracies = (asked.accuracy,) if asked.accuracy else ACCURACIES
    table = Table(*heads(asked.dtype))
    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        for name in names:
            if asked.dtype == "f64":
                found = sweep_f64(name, accuracies, asked.target, asked.points, progress)
            else:
                found = sweep(name, accuracies, asked.target, asked.step, progress)
            lines = rows(name, found, asked.dtype)
            for line in lines:
                table.add_row(*line)
            if asked.write and asked.step == 1:
                write(lines, asked.dtype)
    Console().print(table)


if __name__ == "__main__":
    main()
