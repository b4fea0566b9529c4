"""Check that results do not depend on the caller's floating-point mode and that the mode is restored.

The symbolic execution starts in the default mode. In any other mode a kernel takes a different path: it saves the mode,
sets the default one, calls itself and restores the mode. Nothing on that path depends on data, so one execution in the
emulator covers it. If loops were summarised, the code is executed symbolically in the other mode, and must leave the
same expression nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...emulation.core.faults import AbiViolation, Fault
from ...emulation.cpu import execute
from ...emulation.symbolic.machine import Done, Undecidable
from ...emulation.symbolic.machine import execute as symbolic
from .operands import Call
from .proof import Claim, Refutation
from .refutation import of_fault

UNUSUAL = {"x86": 0x1F80 | 3 << 13 | 1 << 15 | 1 << 6, "a64": 3 << 22 | 1 << 24 | 1 << 19}
"""MXCSR and FPCR values that select rounding toward zero and flushing of denormals."""
USUAL_WORDS = {"x86": 0x1F80, "a64": 0}
USUAL = "callers whose floating-point mode is that which programs start with"


def mode(code: bytes, target: Any, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that a call in an unusual mode leaves the same results as a call in the default mode. `done` is the
    finished symbolic execution in the default mode."""
    if done.loops and _same_nodes(code, target, call, done):
        how = "the same expressions where the caller rounds toward zero and flushes denormals, and its mode is restored"
        return Claim("mode", True, how), None
    results = []
    for control in (None, UNUSUAL[target.arch]):
        _fill(call)
        try:
            execute(code, target, call.integers, call.everything, control=control)
        except Fault as fault:
            return Claim("mode", False, "an access or an instruction that is refused"), of_fault(fault)
        except AbiViolation as lost:
            wrong = Refutation(f"refuted: where the caller rounds toward zero, {lost}", None, True)
            return Claim("mode", False, str(lost)), wrong
        results.append([np.ascontiguousarray(each.array).tobytes() for each in call.regions if each.writable])
    if results[0] != results[1]:
        text = "refuted: results change where the caller rounds toward zero or flushes denormals"
        return Claim("mode", False, "results depend on the caller's rounding"), Refutation(text, None, True)
    how = "the same bits where the caller rounds toward zero and flushes denormals, and its mode is restored"
    return Claim("mode", True, f"{how}: executed once"), None


def _same_nodes(code: bytes, target: Any, call: Call, done: Done) -> bool:
    """Whether a symbolic execution in the unusual mode leaves the same expression nodes. An operation under another
    rounding mode is a different node. This is faster than two executions on numbers if most iterations are
    summarised."""
    control = UNUSUAL[target.arch]
    try:
        other = symbolic(code, target, call.integers, call.regions, call.symbolic(), like=done, control=control)
    except (Fault, Undecidable):
        return False
    return not other.lost and all((other.memory.held(each) == done.memory.held(each)).all()
                                  for each in call.regions if each.writable)  # fmt: skip


def stale(code: bytes, target: Any, call: Call) -> Refutation | None:
    """Look for results that depend on the caller's mode if the stack holds the default mode word, as an earlier call
    may have left it. Return a refutation, or None."""
    results = []
    usual = USUAL_WORDS[target.arch]
    for control in (usual, UNUSUAL[target.arch]):
        _fill(call)
        try:
            execute(code, target, call.integers, call.everything, control=control, junk=usual.to_bytes(4, "little"))
        except (Fault, AbiViolation):
            return None
        results.append([np.ascontiguousarray(each.array).tobytes() for each in call.regions if each.writable])
    if results[0] == results[1]:
        return None
    return Refutation("refuted: results change where the caller rounds toward zero and the stack holds an earlier mode",
                      None, True)  # fmt: skip


def _fill(call: Call) -> None:
    """Fill the arrays with numbers whose floating-point sums are inexact."""
    rng = np.random.default_rng(0)
    for array in call.arrays:
        if array.dtype.kind in "iu":
            array[...] = rng.integers(0, 4, array.shape).astype(array.dtype)
        else:
            array[...] = np.asarray(rng.standard_normal(array.shape)).astype(array.dtype)
