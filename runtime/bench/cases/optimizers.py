"""In-place steps of optimizers, relative to the faster of two copies that move half of the operands' bytes to the other
half: a part of `tilesmith bench fused`, and of `python -m tests.bench.optimizers`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ....encoder.features import Target
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.fused.spec import FusedSpec
from ...api import fused as functions
from ...api.eltwise import unary
from ...arguments.arrays import Array
from ...kernel.callable import Kernel
from ..measure import Contender
from ..operands import native, placed
from ..peers.elementwise import memcpy
from ..runner import Run, Table
from ..table import Goal, Row

PLACES = {"L2": 384 << 10, "memory": 192 << 20}
"""Bytes of all operands of an optimizer together."""
ROW = 1024
STEPS = {"momentum": 0.9, "split_sgd": 0.9, "adam": 0.9}
"""Optimizers and the share of copy bandwidth that each should reach."""
COLUMNS = ("step; in=place; GB/s=rate:1G; of a copy=share:2; own copy GB/s=copy:1G; libc GB/s=libc:1G; "
           "bare loop GB/s=bare:1G")


def table(target: Target) -> Table:
    """Return the steps of `STEPS` in both places."""

    def make(name: str, rows: int) -> Kernel:
        return functions.fused(name, rows, ROW, target=target)

    return Table("optimizers", COLUMNS, [(name, place, make, target) for place in PLACES for name in STEPS], step,
                 goals=lambda rows: goals(rows, STEPS))


def step(run: Run, name: str, place: str, make: Callable[[str, int], Kernel], target: Target | None,
         bare: Callable[[str, Sequence[Array]], Mapping[str, Contender]] | None = None, times: int = 1) -> Row:
    """Return the bytes per second of a step and of the copies, the best over `times` places in memory.
    `make(name, rows)` makes the kernel, of which the first operands are updated;
    `bare(name, arrays)` makes further contenders."""
    probe = cast(FusedSpec, make(name, 1).spec)
    row = sum(ELEMENT_BYTES[each.dtype] for each in probe.inputs if each.columns > 1) * ROW
    rows = PLACES[place] // row
    kernel = make(name, rows)
    spec = cast(FusedSpec, kernel.spec)
    copied: Any = unary("identity", rows * row // 8 // ROW, ROW, target=target)
    best: dict[str, float] = {}
    held: list[object] = []  # kept alive so that the next arrays lie elsewhere
    for _ in range(times):
        arrays = _operands(spec)
        x, y = (placed((rows * row // 8 // ROW, ROW), "f32", place) for place in (1, 0))
        x[...], y[...] = 1, 1
        held += [arrays, x, y]
        turns: dict[str, Contender] = {"step": native(kernel, [*arrays, *arrays[: len(spec.outputs)]]),
                                       "copy": native(copied, [x, y]), "libc": memcpy(x, y)}
        turns |= bare(name, arrays) if bare else {}
        for who, seconds in run.turns(turns, run.seconds / times).items():
            best[who] = min(best.get(who, math.inf), seconds)
    moved = rows * row + sum(each.nbytes for each in arrays[: len(spec.outputs)])
    rates = {who: (2 * x.nbytes if who in ("copy", "libc") else moved) / seconds for who, seconds in best.items()}
    share = rates["step"] / max(rates["copy"], rates["libc"])
    return {"step": name, "place": place, "rate": rates.pop("step"), "share": share, **rates}


def _operands(spec: FusedSpec) -> list[Array]:
    """Return operands of small numbers. Each begins at a cache line, and no two have the same offset in a page."""
    rng = np.random.default_rng(0)
    arrays = [placed((each.rows, each.columns), each.dtype, len(spec.inputs) - i) for i, each in enumerate(spec.inputs)]
    for array, operand in zip(arrays, spec.inputs):
        array[...] = rng.integers(1, 9, array.shape) if operand.dtype == "u16" else rng.random(array.shape, np.float32)
    return arrays


def goals(rows: Sequence[Row], wanted: Mapping[str, float]) -> Iterator[Goal]:
    """Yield the goals of the steps that have one."""
    for row in rows:
        if row["step"] in wanted:
            yield Goal(f"{row['step']} in place, in {row['place']}, by copy", wanted[row["step"]], row["share"])
