"""Functions that return a number: the proof of what they store is of code in front of them, which calls them; this one
is of the function alone.

The code in front keeps the address of the result on the stack, and the function could use what it finds there or in
the register that held it. Alone, the function has neither: whatever it reads or writes beyond its operands is a fault,
and what depends on other registers is undefined. If nothing of this happens, it does the same below the code in front.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from ...emulation.core.faults import Fault
from ...emulation.core.memory import address_of
from ...emulation.symbolic.machine import Undecidable, execute
from ...encoder.features import Target
from ..verify import refutation
from ..verify.check import Unexecuted, uncollected
from ..verify.proof import Claim, Proof, Refutation
from ..verify.requests import every_call


def alone(code: bytes, target: Target, spec: Any, kind: Any) -> Proof:
    """Return the proof that calls of the function, without the address of the result as the last argument, access their
    operands alone and keep the calling convention."""
    start, steps, wrong = perf_counter(), 0, None
    with uncollected():
        for _, call in every_call(spec, kind)[1]:
            *integers, result = call.integers
            operands = [each for each in call.regions if address_of(each.array) != result]
            names = {each.name for each in operands}
            held = {name: size for name, size in call.symbolic().items() if name in names}
            try:
                done = execute(code, target, integers, operands, held)
            except Fault as fault:
                wrong = refutation.of_fault(fault)
                break
            except Undecidable as reason:
                raise Unexecuted(reason) from reason
            steps += done.steps
            if done.lost or done.warnings:
                text = f"refuted: returns without restoring {', '.join((*done.lost, *done.warnings))}"
                wrong = Refutation(text, None, True)
                break
    claim = Claim("alone", wrong is None, "the function without the place of its result: the same accesses, frame kept")
    return Proof(spec.stem, target.name, (claim,), wrong, (), steps, perf_counter() - start)
