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
from ..refutation import of_fault
from .definition import Definition, definition
from .draws import draws_of, fill

Array = np.ndarray[Any, Any]
LIMIT = 1_000_000
"""Instructions after which a trial is given up."""
_SHOWN = 48
"""Elements of operands that a refutation prints."""


def wrong(code: bytes, target: Any, spec: Any, call: Call) -> Refutation | None:
    """An element that the emulator computes wrong; None where it finds none, or where no definition is known."""
    expected = definition(spec, call, target)
    if expected is None:
        return None
    draws, sums = draws_of(spec)
    for seed, (words, draw) in enumerate(draws):
        fill(call, draw, seed, free=sums)
        try:
            found = _differing(code, target, call, expected, seed)
        except UnsupportedError:
            return None
        if isinstance(found, Refutation):
            return found
        if found:
            return Refutation(f"{found}\n  confirmed in the emulator on {words}, draw {seed}", None, True)
    return stale(code, target, call)


def _differing(code: bytes, target: Any, call: Call, expected: Definition, seed: int) -> Refutation | str:
    """What is wrong with one execution: a text, or a refutation where it does not end as a call should."""
    before = {each.name: np.array(each.array) for each in call.regions}
    wanted = expected(before)
    try:
        execute(code, target, call.integers, call.everything, limit=LIMIT, junk=seed or None)
    except TooLong:
        return ""
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
            return _text(region, place, wanted[region.name].value, int(far.sum()), before)
    return ""


def _text(region: Any, place: tuple[int, ...], value: Array, count: int, before: dict[str, Array]) -> str:
    where = f"{region.name}[{', '.join(map(str, place))}]"
    lines = [f"refuted: {where} becomes {region.array[place]} but should be {value[place]}; {count} elements of "
             f"{region.array.size} are wrong"]  # fmt: skip
    lines += [f"  {name} = {array.tolist()}" for name, array in before.items()
              if 0 < array.size <= _SHOWN and name != region.name]  # fmt: skip
    return "\n".join(lines)
