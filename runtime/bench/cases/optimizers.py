"""In-place steps of optimizers, relative to the faster of two copies that move half of the operands' bytes to the other
half: a part of `tilesmith bench fused`.

The copies are our kernel and the C library's. A bare loop loads and stores what the step does, and computes
nothing: it bounds the step where more streams of memory take longer than the two of a copy. The best over several
places in memory counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from ....encoder.features import Target
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.fused.spec import FusedSpec
from ...api import fused as functions
from ...api.eltwise import unary
from ...arguments.arrays import Array, address_of
from ...host import detect as host
from ...memory.executable import publish
from ..measure import Contender, NativeCall
from ..measure_code import moves
from ..operands import filled, native, placed
from ..peers.elementwise import memcpy
from ..runner import Run, Table
from ..table import Row, Wanted

PLACES = {"L2": (384 << 10, 3), "memory": (192 << 20, 1)}
"""Bytes of all operands of an optimizer together, and how many places in memory are tried."""
ROW = 1024
STEPS = "momentum", "split_sgd", "adam"
AT_ONCE = 64
"""The elements for which the bare loop loads all operands before it stores."""
GOALS = (Wanted("{step} in place, in {place}, by copy", 0.9, "share"),)
COLUMNS = ("step; in=place; GB/s=rate:1G; of a copy=share:2; own copy GB/s=copy:1G; libc GB/s=libc:1G; "
           "bare loop GB/s=bare:1G")


def table(target: Target) -> Table:
    """Return the steps of `STEPS` in both places."""
    return Table("optimizers", COLUMNS, [(name, place, target) for place in PLACES for name in STEPS], measured,
                 goals=GOALS)


def measured(run: Run, name: str, place: str, target: Target | None) -> Row:
    """Return the bytes per second of a step and of its contenders."""
    probe, (size, times) = cast(FusedSpec, functions.fused(name, 1, ROW, target=target).spec), PLACES[place]
    row = sum(ELEMENT_BYTES[each.dtype] for each in probe.inputs if each.columns > 1) * ROW
    rows = size // row
    kernel, half = functions.fused(name, rows, ROW, target=target), (rows * row // 8 // ROW, ROW)
    spec, copied, rng = cast(FusedSpec, kernel.spec), unary("identity", *half, target=target), np.random.default_rng(0)
    best: dict[str, float] = {}
    held: list[object] = []  # kept alive so that the next arrays lie elsewhere
    for _ in range(times):
        arrays = [filled(placed((each.rows, each.columns), each.dtype, len(spec.inputs) - i), rng)
                  for i, each in enumerate(spec.inputs)]
        for each in arrays:
            np.abs(each, out=each)  # second moments are not negative
        x, y = (filled(placed(half, "f32", place), rng) for place in (1, 0))
        held += [arrays, x, y]
        updated = arrays[: len(spec.outputs)]
        turns: dict[str, Contender] = {
            "step": native(kernel, [*arrays, *updated]), "copy": native(copied, [x, y]), "libc": memcpy(x, y),
            "bare": bare([each for each in arrays if each.shape[1] > 1], len(updated))}
        for who, seconds in run.turns(turns, run.seconds / times).items():
            best[who] = min(best.get(who, math.inf), seconds)
    moved = rows * row + sum(each.nbytes for each in updated)
    rates = {who: (2 * x.nbytes if who in ("copy", "libc") else moved) / seconds for who, seconds in best.items()}
    share = rates["step"] / max(rates["copy"], rates["libc"])
    return {"step": name, "place": place, "rate": rates.pop("step"), "share": share, **rates}


def bare(arrays: Sequence[Array], updated: int) -> NativeCall:
    """Return a loop that loads all operands and stores the first ones, which are `updated`, as they are."""
    results = (*range(updated), *[-1] * len(arrays))
    steps = [(number, AT_ONCE * each.itemsize, results[number]) for number, each in enumerate(arrays)]
    block = publish(moves(host.host(), len(arrays), steps, arrays[0].size // AT_ONCE).data)
    return NativeCall(block.address, tuple(map(address_of, arrays)), (block, arrays))
