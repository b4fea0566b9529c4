"""Prove that code relies on no address that a call does not promise.

Operands begin at a multiple of the alignment of their elements, and the stack pointer is a multiple of 16 at the call.
The symbolic execution refuses an instruction that needs more of an operand (`emulation/symbolic/addresses.py`). Code
that looks at the bits of an address may do so to align it: it is executed again with the operand, or the stack, at
other places modulo 64, and must leave the same nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....emulation.core.faults import Fault
from ....emulation.core.memory import Region, address_of
from ....emulation.symbolic.addresses import LINE, STACK_PROMISE, Uses
from ....emulation.symbolic.machine import Undecidable, execute
from ....emulation.symbolic.modes.caller import Caller
from ....emulation.symbolic.values import Undecided
from ..operands import Call
from ..proof import Claim, Refutation
from ..refutation import of_fault

_STEPS = 20_000
"""The most instructions that are executed for all places of an operand; beyond, some places are tried."""
PHASES = 0xA90, 0x1560, 0x1FF0
"""How far below its usual place the stack begins in other executions: the other places modulo LINE, and other bits
above, so that an OR with the stack pointer is no sum."""
Array = np.ndarray[Any, Any]
Failed = tuple[str, Refutation | None]
Again = Callable[[Call, "Caller | None", int], Any]


def alignment(
    code: bytes, target: Any, call: Call, done: Any, again: Again | None = None
) -> tuple[Claim, Refutation | None]:
    """Return the claim about the addresses of a call.

    done    the symbolic execution; its memory knows what it and those for other modes use of addresses
    again   executes the code for a call at another place, by a caller of any mode, with the stack at another place; by
            default, as a call of one function
    """
    again = again or (
        lambda other, caller, phase: execute(
            code, target, other.integers, other.regions, other.symbolic(), like=done, caller=caller, phase=phase
        )
    )
    uses: Uses = done.memory.uses
    told = ["an operand begins at any multiple of its elements' alignment, the stack pointer at any of 16"]
    for phase in PHASES if uses.needed > STACK_PROMISE or uses.stack else ():
        failed = _lower(target, call, done, phase, again, uses.needed > STACK_PROMISE)
        if failed is not None:
            return Claim("alignment", False, failed[0]), failed[1]
    if uses.needed > STACK_PROMISE or uses.stack:
        told.append(
            f"the code looks at the stack's address, and leaves the same at each of its {1 + len(PHASES)} "
            f"places modulo {LINE}"
        )
    for name in sorted(uses.looked):
        region = next(each for each in call.regions if each.name == name)
        places = _places(region, done.steps)
        for place in places:
            failed = _same(call, done, moved(call, region, place), f"{name} at {place} modulo {LINE}", again)
            if failed is not None:
                return Claim("alignment", False, failed[0]), failed[1]
        told.append(
            f"the code looks at the address of {name}, and leaves the same where it is "
            f"{', '.join(map(str, places))} modulo {LINE}"
        )
    return Claim("alignment", True, "; ".join(told)), None


def _places(region: Region, steps: int) -> Sequence[int]:
    """Return where an operand begins modulo LINE: everywhere, if there is time for it."""
    every = range(0, LINE, region.alignment)
    return every if len(every) * steps <= _STEPS else (0, LINE // 2)


def _lower(target: Any, call: Call, done: Any, phase: int, again: Again, every: bool) -> Failed | None:
    """Execute the code with the stack at another place, for the usual mode of the caller or for every mode."""
    caller, where = Caller(target.arch), f"the stack pointer {phase} bytes lower"
    if not every:
        return _same(call, done, call, where, again, None, phase)
    try:
        while caller.next():
            failed = _same(call, done, call, where, again, caller, phase)
            if failed is not None:
                return failed
    except Undecided as reason:
        return str(reason), None
    return None


def _same(
    call: Call, done: Any, other: Call, where: str, again: Again, caller: Caller | None = None, phase: int = 0
) -> Failed | None:
    """Execute the code for a call at another place, and return why it does not leave the same nodes, or None."""
    try:
        made = again(other, caller, phase)
    except Fault as fault:
        wrong = of_fault(fault)
        return f"with {where}, {fault}", replace(wrong, text=f"{wrong.text}\n  with {where}")
    except Undecidable as reason:
        return f"with {where}, {reason}", None
    lost = [*made.lost, *made.warnings]
    if lost:
        text = f"with {where}, the code returns without restoring {', '.join(lost)}"
        return text, Refutation(f"refuted: {text}", None, True)
    same = all(
        (made.memory.held(here) == done.memory.held(there)).all()
        for here, there in zip(other.regions, call.regions)
        if there.writable
    )
    return None if same else (f"with {where}, results may differ", None)


def _around(call: Call, region: Region) -> tuple[int, int]:
    """Return the ends of the memory of an operand, with every array of the call that shares a part of it."""
    spans = [
        (each.start, each.end)
        for each in (*call.everything, *[Region("", array) for array in call.arrays])
        if each.array.size
    ]
    start, end = region.start, region.end
    while True:
        met = [span for span in spans if span[0] < end and start < span[1]]
        wider = min(span[0] for span in met), max(span[1] for span in met)
        if wider == (start, end):
            return wider
        start, end = wider


def moved(call: Call, region: Region, place: int) -> Call:
    """Return a call in which an operand, and whatever shares memory with it, begins at `place` modulo LINE."""
    start, end = _around(call, region)
    together = [each for each in call.everything if each.array.size and start <= each.start < end]
    memory = np.zeros(end - start + 2 * LINE, np.uint8)
    by = address_of(memory) + (place - address_of(memory) - (region.start - start)) % LINE - start

    def copied(array: Array) -> Array:
        made: Array = np.ndarray(
            array.shape, array.dtype, memory, address_of(array) + by - address_of(memory), array.strides
        )
        made[...] = array
        return made

    def there(each: Region) -> Region:
        array = each.array
        if any(each is one for one in together):
            array = copied(array)
        elif array.dtype in (np.uint64, np.int64) and each.name not in call.symbolic():  # a table of addresses
            inside = (array >= start) & (array < end)
            array = np.where(inside, array + array.dtype.type(by), array) if inside.any() else array
        return each._replace(array=array)

    regions, aside = [there(each) for each in call.regions], tuple(there(each) for each in call.aside)
    tables = {
        each.start: new.start
        for each, new in zip(call.everything, [*regions, *aside])
        if not any(each is one for one in together)
    }
    integers = [each + by if start <= each < end else tables.get(each, each) for each in call.integers]
    arrays = [copied(each) if each.size and start <= address_of(each) < end else each for each in call.arrays]
    return call._replace(
        integers=integers, regions=regions, aside=aside, arrays=arrays, keep=[call.keep, memory, regions, aside]
    )
