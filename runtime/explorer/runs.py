"""Execute a kernel in the emulator on small numbers, and compare its results with the definition of the request."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ...emulation.core.faults import TooLong
from ...emulation.cpu import execute
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..kernel.callable import Kernel
from ..verify.extents import COUNTED
from ..verify.numbers.definition import Expected, definition
from ..verify.numbers.draws import draws_of, fill
from ..verify.operands import Call
from ..verify.requests import REQUESTS, every_call


class RunLimits(NamedTuple):
    """The bounds of a run."""

    elements: int = 1 << 14
    """Of all operands together."""
    steps: int = 300_000
    """The executed instructions."""
    calls: int = 4
    """The calls that are looked at, of a request that leaves numbers to the call."""


MOST = RunLimits()


def run(kernel: Kernel, most: RunLimits = MOST) -> dict[str, object]:
    """Return the operands and results of a call, how often each instruction was executed, and which results are wrong.

    Raises UnsupportedError if the operands are too large or there is no way to place them.
    """
    spec, call = _call(kernel, most)
    draws, _ = draws_of(spec)
    words, draw = draws[0]
    fill(call, draw, 0)
    before = {each.name: np.array(each.array) for each in call.regions}
    expected = definition(spec, call, kernel.target)
    try:
        done = execute(kernel.code, kernel.target, call.integers, call.everything, limit=most.steps)
    except TooLong:
        raise UnsupportedError(f"run: at most {most.steps} instructions; smaller extents take fewer") from None
    wanted = {} if expected is None else expected(before)
    return {
        "numbers": words,
        "steps": done.steps,
        "classes": dict(done.classes),
        "times": {str(offset): count for offset, count in done.offsets.items()},
        "verdict": _verdict(call, wanted),
        "operands": [
            {"name": each.name, "dtype": str(each.array.dtype), "shape": each.array.shape, **_texts(before, each)}
            for each in call.regions
        ],
    }


def _call(kernel: Kernel, most: RunLimits) -> tuple[object, Call]:
    """Return the largest of the first calls of a request that are small enough."""
    if type(kernel.spec) not in (*REQUESTS, *COUNTED):
        raise UnsupportedError(f"run: operands of {kernel.name} are not made here; k.run executes it on yours")
    _, calls = every_call(kernel.spec, kernel.kind)
    small = [pair for pair in islice(calls, most.calls) if _elements(pair[1]) <= most.elements]
    if not small:
        raise UnsupportedError(f"run: operands of at most {most.elements} elements together; smaller extents have them")
    return max(small, key=lambda pair: _elements(pair[1]))


def _elements(call: Call) -> int:
    return sum(each.array.size for each in call.regions)


def _verdict(call: Call, wanted: dict[str, Expected]) -> str:
    """Return which results differ from the definition, in words."""
    if not wanted:
        return "executed; for requests of this kind the definition on numbers is not stated, the proof is"
    for region in call.regions:
        if region.name in wanted and wanted[region.name].wrong(region.array).any():
            return f"WRONG: {int(wanted[region.name].wrong(region.array).sum())} elements of {region.name}"
    return f"right: {', '.join(sorted(wanted))} as the definition of the request says, computed by numpy"


def _texts(before: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]], region: object) -> dict[str, str]:
    """Return the elements of an operand before the call, and after it if the call writes them."""
    name, held, written = (getattr(region, each) for each in ("name", "array", "writable"))
    with np.printoptions(threshold=400, edgeitems=4, linewidth=110, precision=5, suppress=True):
        texts = {"before": str(before[name])}
        return texts | {"after": str(held)} if written else texts
