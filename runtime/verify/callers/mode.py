"""Prove that results do not depend on the caller's floating-point mode, and that the mode is restored.

No bit of the caller's MXCSR, or FPCR and FPSR, is known (`emulation/symbolic/modes/`). The code is executed
symbolically once for each way that it takes for some of its values: as a rule one for the mode that programs start
with, which is the execution that everything else is proved about, and one for all other modes, in which the code sets a
mode of its own and calls itself. Each way must leave the same nodes. An operation under another rounding is another
node, so this holds for all inputs. Each way must also restore the mode and keep the exception flags that were set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ....emulation.core.faults import AbiViolation, Fault
from ....emulation.cpu import execute
from ....emulation.symbolic.machine import Undecidable
from ....emulation.symbolic.machine import execute as symbolic
from ....emulation.symbolic.modes.caller import REGISTERS, Caller
from ....emulation.symbolic.values import Undecided
from ..operands import Call
from ..proof import Claim, Refutation
from ..refutation import of_fault
from .alignment import PHASES

USUAL = "callers whose floating-point mode is that which programs start with"
Again = Callable[[Caller], Any]
"""Executes the code for another mode, and returns an execution with `memory`, `lost` and `warnings`."""


def mode(
    code: bytes, target: Any, spec: Any, call: Call, done: Any, caller: Caller, again: Again | None = None
) -> tuple[Claim, Refutation | None]:
    """Check that a call in any mode leaves the same results as a call in the usual mode.

    done     the finished symbolic execution in the usual mode
    caller   the caller of that execution
    again    executes the code for the caller's next mode; by default, as a call of one function
    """
    again = again or (
        lambda one: symbolic(
            code, target, call.integers, call.regions, call.symbolic(), like=done, caller=one, phase=phase_of(one)
        )
    )
    try:
        while caller.next():
            wrong = _other(code, target, spec, call, done, caller, again)
            if wrong is not None:
                return Claim("mode", False, wrong[0]), wrong[1]
    except Undecided as reason:
        return Claim("mode", False, str(reason)), None
    return Claim("mode", True, _words(caller)), None


def phase_of(caller: Caller) -> int:
    """Return where the stack begins in this execution: at another place for each way through the code."""
    return (0, *PHASES)[len(caller.paths) % (1 + len(PHASES))]


def _words(caller: Caller) -> str:
    register, ways = caller.register, len(caller.paths)
    bits = f"each of the {register.bits} bits of the caller's {register.name} may have either value"
    if ways == 1:
        return f"{bits}: no path and no result depends on it, and it is restored"
    return f"{bits}: {ways} ways through the code leave the same expressions, and it is restored"


def _other(
    code: bytes, target: Any, spec: Any, call: Call, done: Any, caller: Caller, again: Again
) -> tuple[str, Refutation | None] | None:
    """Return why the execution for the caller's mode is wrong, with a refutation, or None."""
    where = f"for a caller whose {caller.text}"
    try:
        other = again(caller)
    except Fault as fault:
        refuted = of_fault(fault)
        return f"{fault}; {where}", replace(refuted, text=f"{refuted.text}\n  {where}")
    except Undecidable as reason:
        refutation = Refutation(f"refuted: {reason}; {where}", reason.offset, True) if reason.unknown else None
        return f"{reason}; {where}", refutation
    lost = [*other.lost, *other.warnings]
    if lost:
        text = f"{where}, the code returns without restoring {', '.join(lost)}"
        return text, Refutation(f"refuted: {text}", None, True)
    done.memory.uses.add(other.memory.uses)
    if all((other.memory.held(each) == done.memory.held(each)).all() for each in call.regions if each.writable):
        return None
    differs = _on_numbers(code, target, call, caller.mode)
    text = f"results differ {where}"
    return text, None if differs is None else Refutation(f"refuted: {text}, on {differs}", None, True)


def _on_numbers(code: bytes, target: Any, call: Call, control: int) -> str | None:
    """Return the numbers on which results in a mode differ from those in the usual mode, or None."""
    for words, factors in _draws(len(call.arrays)):
        try:
            results = [_left(code, target, call, factors, word) for word in (None, control)]
        except (Fault, AbiViolation):
            return None
        if results[0] != results[1]:
            return words
    return None


def _draws(count: int) -> Iterator[tuple[str, list[float]]]:
    """Yield numbers for `count` operands: what is drawn, and the share of the least normal number in each."""
    yield "numbers with inexact sums", [0.0] * count
    yield "denormals", [1.0] * count
    for at in range(count):
        yield f"denormals in operand {at}", [float(at == each) for each in range(count)]


_LEAST = {"float64": -1022, "float32": -126, "bfloat16": -126, "float16": -14, "float8_e5m2": -14, "float8_e4m3fn": -6}
"""The exponent of the least normal number of each type."""


def _left(
    code: bytes, target: Any, call: Call, tiny: list[float], control: int | None, junk: bytes | None = None
) -> list[bytes]:
    """Execute a call on numbers, and return the bytes of its results."""
    rng = np.random.default_rng(0)
    for array, small in zip(call.arrays, tiny):
        if array.dtype.kind in "iu":
            array[...] = rng.integers(0, 4, array.shape).astype(array.dtype)
        else:
            scale = 2.0 ** (_LEAST.get(array.dtype.name, -14) - 2) if small else 1.0
            array[...] = np.asarray(rng.standard_normal(array.shape) * scale).astype(array.dtype)
    execute(code, target, call.integers, call.everything, control=control, junk=junk)
    return [np.ascontiguousarray(each.array).tobytes() for each in call.regions if each.writable]


UNUSUAL = {"x86": 0x1F80 | 3 << 13 | 1 << 15 | 1 << 6, "a64": 3 << 22 | 1 << 24 | 1 << 19}
"""MXCSR and FPCR values that select rounding toward zero and flushing of denormals."""
USUAL_WORDS = {arch: register.usual for arch, register in REGISTERS.items()}


def stale(code: bytes, target: Any, call: Call) -> Refutation | None:
    """Look for results that depend on the caller's mode if the stack holds the default mode word, as an earlier call
    may have left it. Return a refutation, or None."""
    usual = USUAL_WORDS[target.arch]
    tiny, junk = [0.0] * len(call.arrays), usual.to_bytes(4, "little")
    try:
        results = [_left(code, target, call, tiny, word, junk) for word in (usual, UNUSUAL[target.arch])]
    except (Fault, AbiViolation):
        return None
    if results[0] == results[1]:
        return None
    return Refutation(
        "refuted: results change where the caller rounds toward zero and the stack holds an earlier mode", None, True
    )
