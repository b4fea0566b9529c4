"""Find the reason why a changed instruction has no effect: the parts of the state that differ after it.

    effect(kernel, code, offset, call)      "flags"

The emulator executes the original and the changed code side by side. The first difference between their states after
the changed instruction is the reason: the results are proved not to depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tilesmith.emulation.core.memory import READ, Memory
from tilesmith.emulation.cpu import BACK, CALLS, CODE, predecoded

LIMIT = 50_000
_FLAGS = frozenset(("cf", "pf", "af", "zf", "sf", "of", "n", "z", "c", "v"))
_GENERAL = frozenset(("r", "x", "sp"))
_APART = frozenset(("memory", "env", "half_env", "left"))


class _Process:
    """An execution, instruction by instruction."""

    def __init__(self, code: bytes, target: Any, call: Any) -> None:
        self.code, self.target = code, target
        self.memory = Memory(call.regions)
        self.memory.add("the code", CODE, len(code), READ, bytes(code))
        self.process = CALLS[target.arch](self.memory, target, call.integers, BACK)
        self.address, self.steps = CODE, {}  # type: ignore[var-annotated]

    def step(self) -> None:
        step = self.steps.get(self.address)
        if step is None:
            step = self.steps[self.address] = predecoded(self.process, self.code, self.target, self.address)
        goes = step.run()
        self.address = step.after if goes is None else goes


def effect(kernel: Any, code: bytes, offset: int, call: Any) -> str | None:
    """Return what differs after the instruction, in words: "" if nothing does, None if it is never executed."""
    pair = [_Process(each, kernel.target, call) for each in (kernel.code, code)]
    reached = False
    with np.errstate(all="ignore"):
        for _ in range(LIMIT):
            here = pair[0].address == CODE + offset
            reached |= here
            for each in pair:
                each.step()
            if here:
                words = sorted(set(_differences(*pair)))
                if words:
                    return ", ".join(words)
            if pair[0].address == BACK:
                break
    return "" if reached else None


def _differences(first: _Process, second: _Process) -> Iterator[str]:
    if first.address != second.address:
        yield "where a branch goes"
    one, two = vars(first.process.state), vars(second.process.state)
    for name in one.keys() - _APART:
        yield from _of_register(name, one[name], two[name])
    for a, b in zip(first.memory._segments, second.memory._segments):
        if a.raw != b.raw and a.name != "the code":
            yield f"memory of {a.name or 'an operand'}"


def _of_register(name: str, a: Any, b: Any) -> Iterator[str]:
    if isinstance(a, np.ndarray):
        rows = np.flatnonzero((a != b).reshape(len(a), -1).any(axis=1)).tolist()
        for row in rows:
            places = np.flatnonzero(np.atleast_1d(a[row] != b[row]))
            whole = a.ndim == 1 or places[0] == 0
            kind = {"vectors": "a vector register", "predicates": "a predicate"}.get(name, name)
            yield kind if whole else f"{kind} from byte {int(places[0])} on"
    elif a is None or b is None or isinstance(a, (list, int, tuple)) or name in _FLAGS:  # flags may be `Undefined`
        if a != b:
            flags, general = name in _FLAGS, name in _GENERAL
            yield "flags" if flags else "a general register" if general else "a mask" if name == "k" else name
    elif not hasattr(a, "__dict__"):
        if a != b:
            yield name
    else:  # tiles, ZA
        arrays = [[each for each in vars(one).values() if isinstance(each, np.ndarray)] for one in (a, b)]
        if not all(map(np.array_equal, *arrays)):
            yield "tiles" if name == "tiles" else "ZA"
