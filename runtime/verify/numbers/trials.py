"""Test code that has no proof on numbers: the emulator executes it, and numpy computes the expected results.

    trials.wrong(code, target, spec, call)      a refutation, or None if every result is right

The numbers come from `draws`, which chooses them to expose typical errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....emulation.core.faults import AbiViolation, Fault, TooLong
from ....emulation.cpu import execute
from ....microkernels.errors import UnsupportedError
from ..callers.mode import stale
from ..operands import Call, redrawn
from ..proof import Refutation
from ..refutation import of_fault, of_numbers
from .definition import Definition, definition
from .draws import draws_of, fill

Array = np.ndarray[Any, Any]
LIMIT = 300_000
"""The number of instructions after which a trial is abandoned."""
FEW = 20_000
"""The same for code that is refuted anyway, of which a trial only shows a wrong element."""


def wrong(
    code: bytes, target: Any, spec: Any, call: Call, limit: int = LIMIT, any_mode: bool = True
) -> Refutation | None:
    """Return a refutation by an element that the emulator computes wrong, or, if callers may have any mode, by one that
    a mode changes. Return None if there is none, or if the request has no definition on numbers."""
    expected = definition(spec, call, target)
    if expected is None:
        return None
    draws, sums = draws_of(spec)
    for seed, (words, draw) in enumerate(draws):
        integers, numbers = redrawn(call, seed)
        other = call._replace(integers=integers, numbers=numbers)
        wanted = definition(spec, other, target) if numbers != call.numbers else expected
        fill(call, draw, seed, free=sums)
        try:
            words_of_draw = f"{words}, draw {seed}"
            found = None if wanted is None else _differing(code, target, other, wanted, seed, words_of_draw, limit)
        except (UnsupportedError, TooLong):
            return None
        if found is not None:
            return found
    return stale(code, target, call) if any_mode else None


def _differing(
    code: bytes, target: Any, call: Call, expected: Definition, seed: int, words: str, limit: int
) -> Refutation | None:
    """Return the refutation of one execution, or None. Raises TooLong if it does not end."""
    before = {each.name: np.array(each.array) for each in call.regions}
    wanted = expected(before)
    try:
        execute(code, target, call.integers, call.everything, limit=limit, junk=seed or None)
    except TooLong:
        raise
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
            text = (
                f"refuted: {where} becomes {region.array[place]} but should be {value}; {int(far.sum())} elements "
                f"of {region.array.size} are wrong\n  confirmed in the emulator on {words}"
            )
            return of_numbers(text, code, target, call, region.name, place, before)
    return None
