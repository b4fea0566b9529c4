"""Instructions that choose a value by the flags, as cmov and csel do. What they choose counts like a way of a branch.

A kernel may leave out a branch and choose a number instead, so a proof must have executed both choices, or show that no
number leads to one of them. A number that is shifted right must have left something at least once: `m - (m >> 12)` is m
for all small numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .a64.integer import CONDITIONS as OF_A64
from .core.closures import Run
from .x86.control import CONDITIONS as OF_X86

HELD, FAILED = -2, -3
"""Where execution goes on behind a choice, as a way: by whether its condition held."""
LEFT = "left"
"""What stands for the condition of a shift to the right: that its result is not 0."""
_SHIFTS = ("shr", "lsr")
_BY_NUMBER = ("csel", "csinc", "csinv", "csneg", "cset", "csetm", "cinc", "cinv", "cneg", "ccmp", "ccmn")


def condition(arch: str, name: str, operands: Sequence[object]) -> str | int | None:
    """Return the condition by which an instruction of this name chooses, None if it does not choose."""
    if name in _SHIFTS and isinstance(operands[-1], int):
        return LEFT if getattr(operands[0], "file", getattr(operands[0], "kind", "")) in ("r64", "x") else None
    if arch == "x86":
        rest = name[4:] if name.startswith("cmov") else name[3:] if name.startswith("set") else ""
        return rest if rest in OF_X86 else None
    return int(getattr(operands[-1], "num")) if name in _BY_NUMBER else None  # noqa: B009


def noted(process: Any, run: Run, chosen: str | int, operands: Sequence[object], note: Callable[[int], None]) -> Run:
    """Return an instruction as one that also calls `note` with HELD or FAILED."""
    state, general = process.state, process.general
    if chosen == LEFT:
        number = getattr(operands[0], "num")  # noqa: B009

        def shift() -> int | None:
            goes = run()
            value = general[number]
            note(FAILED if isinstance(value, int) and value == 0 else HELD)
            return goes

        return shift
    holds: Callable[..., bool] = OF_X86[chosen] if isinstance(chosen, str) else OF_A64[chosen]

    def execute() -> int | None:
        note(HELD if holds(state) else FAILED)
        return run()

    return execute
