"""`tilesmith info --coverage`: which primitives exist, for which types, on which targets.

Each cell builds the kernel and executes its bytes: natively if this processor can, otherwise in `emulation.cpu`. The
result must equal, bit for bit, what numpy computes by the definition of the request (runtime/verify/definition). That a
definition matches its name is tested with independent formulas (tests/runtime/coverage/test_meaning.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ...emulation.core.faults import Fault
from ...encoder.records import NamedTuple
from ...microkernels.codegen.selection import arithmetic_of
from ...microkernels.eltwise.spec import ACCURACIES, EltwiseSpec
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import TARGETS, facts_of
from ...microkernels.operands import Number, Operand
from ..api.eltwise import TABLES, primitives, request
from ..arguments.arrays import Array, numpy_dtype
from ..host import detect as host
from ..kernel.callable import Kernel
from ..system.progress import progress
from ..verify.definition.evaluate import computed
from . import gather as coverage_gather
from . import reduce as coverage_reduce
from . import sparse as coverage_sparse
from .trial import CoverageTrial, same_bits

DTYPES = ("f64", "f32", "bf16", "f16", "f8e5m2", "f8e4m3", "i64", "i32", "i16", "u16", "i8", "u8")
ON = ("avx2", "avx512", "neon", "sve128", "sve256", "sve512")
SHAPE = 3, 37  # whole vectors and a remainder, on every machine
EQUAL, DIFFERENT, BUILT, NONE = "=", "DIFFERS", "built", "-"
NARROWING, WIDER = ("round_stochastic",), {"f32": "f64", "f64": "f64"}
"""Primitives whose type is that of the result, and the types of their inputs: f32 unless listed here."""
SAMPLE = {"rate": 0.25, "scale": 0.05, "zero": 3}
"""Values for parameters of primitives."""
LEGEND = f"{EQUAL} built, executed, and the bits that numpy gives; {BUILT}: not executed; {NONE} refused, with a reason"


class Cell(NamedTuple):
    """A primitive of a type on a target."""

    kind: str
    name: str
    dtype: str
    target: str
    state: str
    note: str = ""  # why it is missing, or what went wrong


def cells(targets: tuple[str, ...] = ON, dtypes: tuple[str, ...] = DTYPES) -> Iterator[Cell]:
    """Yield every cell of the table."""
    for kind, name in every_name():
        of = _cell if kind in TABLES else _called
        for dtype in dtypes:
            for target in targets:
                yield Cell(kind, name, dtype, target, *of(kind, name, dtype, target))


def every_name() -> list[tuple[str, str]]:
    """Return (kind, primitive) of each line of the table."""
    named = [(kind, name) for kind, names in primitives().items() for name in names]
    return [*named, *coverage_reduce.NAMES, *coverage_gather.NAMES, *coverage_sparse.NAMES]


def watched(title: str, found: Iterator[Cell], targets: tuple[str, ...]) -> list[Cell]:
    """Return all cells of the table, which takes minutes, and tell how far it is."""
    made = []
    with progress(title, len(every_name()) * len(DTYPES) * len(targets)) as advance:
        for cell in found:
            made.append(cell)
            advance(1)
    return made


def _cell(kind: str, name: str, dtype: str, target: str) -> tuple[str, str]:
    """Return the worst result of all accuracies that the primitive has."""
    state, note, row = NONE, "", TABLES[kind][name]
    for accuracy in ACCURACIES:
        try:
            spec = request(
                kind,
                name,
                *SHAPE,
                dtype=WIDER.get(dtype, "f32") if name in NARROWING else dtype,
                out=dtype if not row.operands or name in NARROWING else None,
                accuracy=accuracy,
                **parameters(kind, name),
            )
            made = Kernel(spec, TARGETS[target])
        except (UnsupportedError, ValueError, TypeError) as error:
            return NONE, str(error)
        if dtype not in [operand.dtype for operand in spec.operands]:
            return NONE, f"{name} is of other types: {', '.join(operand.dtype for operand in spec.operands)}"
        state, note = _tried(spec, made)
        if state != EQUAL or all(step.op != "call" for step in spec.program.steps):
            break
    return state, note


def parameters(kind: str, name: str) -> dict[str, Any]:
    """Return a value for each parameter that the primitive takes besides its operands."""
    return {keyword: SAMPLE[keyword] for keyword in TABLES[kind][name].keywords if keyword in SAMPLE}


def _tried(spec: EltwiseSpec, made: Kernel) -> tuple[str, str]:
    """Execute a kernel and compare its results."""
    arrays, numbers = _inputs(spec)
    tables = arithmetic_of(facts_of(made.target)).tables
    wanted = computed(spec, arrays, numbers, tables=tables)
    found = [np.zeros(y.shape, numpy_dtype(y.dtype)) for y in spec.outputs]
    try:
        _execute(made, [*arrays.values(), *numbers.values(), *found])
    except Fault as error:
        return BUILT, str(error)
    wrong = sum(int(np.count_nonzero(~same_bits(y, want))) for y, want in zip(found, wanted.values()))
    return (DIFFERENT, f"{wrong} elements") if wrong else (EQUAL, "")


def trials_of(kind: str, name: str, dtype: str) -> Iterator[CoverageTrial]:
    """Yield the trial calls of a kernel whose own module defines operands and results."""
    own = {"reduce": coverage_reduce.trials, "sparse": coverage_sparse.trials}
    return own[kind](name, dtype) if kind in own else coverage_gather.trials(kind, name, dtype)


def _called(kind: str, name: str, dtype: str, target: str) -> tuple[str, str]:
    """Return the worst result of all trial calls, for kernels whose own module defines operands and results."""
    state, note = NONE, ""
    try:
        for trial in trials_of(kind, name, dtype):
            state, note = _compared(trial, Kernel(trial.spec, TARGETS[target]))
            if state != EQUAL:
                break
    except UnsupportedError as error:
        return NONE, str(error)
    return state, note


def _compared(trial: CoverageTrial, made: Kernel) -> tuple[str, str]:
    try:
        _execute(made, trial.arguments)
    except Fault as error:
        return BUILT, str(error)
    wrong = int(np.count_nonzero(~same_bits(trial.arguments[-1], trial.wanted)))
    return (DIFFERENT, f"{wrong} elements") if wrong else (EQUAL, "")


def _execute(made: Kernel, arguments: list[Any]) -> None:
    if host.runs(made.target):
        made.emulate(*arguments)
    else:
        made(*arguments)


def _inputs(spec: EltwiseSpec) -> tuple[dict[str, Array], dict[str, int]]:
    """Return ordinary numbers of both signs, with zeros among them, and a value for each Number argument."""
    rng = np.random.default_rng(1)
    numbers = {argument.name: max(argument.least, 77) for argument in spec.arguments if isinstance(argument, Number)}
    arrays = {operand.name: _values(operand, rng) for operand in spec.inputs}
    return arrays, numbers


def _values(operand: Operand, rng: np.random.Generator) -> Array:
    to = numpy_dtype(operand.dtype)
    if to.kind in "iu":
        info = np.iinfo(to)
        return np.asarray(rng.integers(max(info.min, -300), min(info.max, 300), operand.shape).astype(to))
    values = rng.standard_normal(operand.shape) * 3
    values[rng.integers(0, 9, operand.shape) == 0] = 0
    return np.asarray(values.astype(to))


# Printing


def report(console: Console | None = None, path: Path | None = None, targets: tuple[str, ...] = ON) -> int:
    """Compute the table and print it, or write it as a Markdown page. Return the number of cells that differ."""
    found = watched("coverage", cells(targets), targets)
    if path is not None:
        path.write_text(markdown(found, targets))
    else:
        _print(console or Console(width=None if sys.stdout.isatty() else sys.maxsize), found, targets)
    return sum(cell.state == DIFFERENT for cell in found)


def _rows(found: list[Cell], targets: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a row per primitive: a single sign for a type if all targets agree, otherwise the targets that have it."""
    by = {(cell.kind, cell.name, cell.dtype, cell.target): cell.state for cell in found}
    for kind, name in dict.fromkeys((cell.kind, cell.name) for cell in found):
        row = [kind, name]
        for dtype in DTYPES:
            states = {target: by.get((kind, name, dtype, target), NONE) for target in targets}
            alike = set(states.values())
            row.append(alike.pop() if len(alike) == 1 else " ".join(f"{t}:{s}" for t, s in states.items() if s != NONE))
        yield tuple(row)


def _print(console: Console, found: list[Cell], targets: tuple[str, ...]) -> None:
    table = Table(title=f"{', '.join(targets)}: {LEGEND}")
    for heading in ("kind", "primitive", *DTYPES):
        table.add_column(heading)
    for row in _rows(found, targets):
        table.add_row(*row, style="red" if any(DIFFERENT in cell for cell in row) else "")
    console.print(table)


def markdown(found: list[Cell], targets: tuple[str, ...]) -> str:
    """Return the table as a page."""
    return page(
        found,
        targets,
        "Primitives by type",
        "tilesmith info --coverage -o docs/coverage.md",
        LEGEND,
        "What is not there, and why",
    )


def page(found: list[Cell], targets: tuple[str, ...], title: str, command: str, legend: str, behind: str) -> str:
    """Return cells as a page: the table, and the reasons under the heading `behind`."""
    lines = [
        f"# {title}",
        "",
        f"Written by `{command}`.",
        "",
        f"On {', '.join(targets)}. One sign where all targets agree. {legend}.",
        "",
        f"| kind | primitive | {' | '.join(DTYPES)} |",
        f"|---|---|{'---|' * len(DTYPES)}",
    ]
    lines += [f"| {' | '.join(row)} |" for row in _rows(found, targets)]
    lines += ["", f"## {behind}", "", *_reasons(found)]
    return "\n".join(lines) + "\n"


def _reasons(found: list[Cell]) -> Iterator[str]:
    """Yield a line for each primitive that lacks types or failed, with the messages of its requests."""
    notes: dict[tuple[str, str], dict[str, list[str]]] = {}
    for cell in found:
        if cell.note:
            note = cell.note.removeprefix(f"{cell.name} of {cell.dtype}: ")  # types with the same reason share a line
            places = notes.setdefault((cell.kind, cell.name), {}).setdefault(note, [])
            if cell.dtype not in places:
                places.append(cell.dtype)
    for (kind, name), reasons in notes.items():
        yield f"- {kind} {name}: " + "; ".join(f"{', '.join(types)}: {note}" for note, types in reasons.items())
