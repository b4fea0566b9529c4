"""Code without a proof on numbers: the emulator executes it, numpy says what it should leave.

    trials.wrong(code, target, spec, call)      a refutation, None where every result is right

`draws` are chosen for what kernels get wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....emulation.core.faults import AbiViolation, Fault, TooLong
from ....emulation.cpu import execute
from ....microkernels.errors import UnsupportedError
from ..mode import stale
from ..operands import Call
from ..proof import Refutation
from ..refutation import of_fault, of_numbers
from .definition import Definition, definition
from .draws import draws_of, fill

Array = np.ndarray[Any, Any]
LIMIT = 1_000_000
"""Instructions after which a trial is given up."""


def wrong(code: bytes, target: Any, spec: Any, call: Call) -> Refutation | None:
    """An element that the emulator computes wrong; None where it finds none, or where no definition is known."""
    expected = definition(spec, call, target)
    if expected is None:
        return None
    draws, sums = draws_of(spec)
    for seed, (words, draw) in enumerate(draws):
        fill(call, draw, seed, free=sums)
        try:
            found = _differing(code, target, call, expected, seed, f"{words}, draw {seed}")
        except UnsupportedError:
            return None
        if found is not None:
            return found
    return stale(code, target, call)


def _differing(code: bytes, target: Any, call: Call, expected: Definition, seed: int, words: str) -> Refutation | None:
    """What is wrong with one execution."""
    before = {each.name: np.array(each.array) for each in call.regions}
    wanted = expected(before)
    try:
        execute(code, target, call.integers, call.everything, limit=LIMIT, junk=seed or None)
    except TooLong:
        return None
    except Fault as fault:
        return of_fault(fault)
    except AbiViolation as lost:
        return Refutation(f"refuted: {lost}", None, True)
    for region in call.regions:
        if region.name not in wanted:
            continue
        far = wanted[region.name].wrong(region.array)
        if far.any():
            place = tuple(int(at) for at in np.argwhere(far)[0])
            where, value = f"{region.name}[{', '.join(map(str, place))}]", wanted[region.name].value[place]
            text = (f"refuted: {where} becomes {region.array[place]} but should be {value}; {int(far.sum())} elements "
                    f"of {region.array.size} are wrong\n  confirmed in the emulator on {words}")  # fmt: skip
            return of_numbers(text, code, target, call, region.name, place, before)
    return None
