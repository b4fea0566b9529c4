"""Execute the machine code of a function, of either architecture, on any host: instruction by instruction, on guarded
memory.

    done = execute(code, target, [address_of(a), address_of(c)], [Region("a", a, False), Region("c", c)])
    done.counts["vfmadd231ps"], done.steps

    call(code, target, a, c, 64)               # arrays as pointers, integers as they are

Operands keep their own addresses, so the integers of a native call work here, too. The first access outside of an
operand, the first undefined instruction and the first jump out of the code raise a Fault that names the instruction,
the address and the operand. The arrays are written only after the function has returned as its calling convention
requires.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..encoder.code import Code
from ..encoder.decode import Decoded, decode, rows_version, why_undefined
from ..encoder.features import Target
from ..encoder.records import cached_property, dataclass
from .a64.call import A64Call
from .core.call import STACK, place_reals
from .core.faults import AbiViolation, CannotRun, Fault, TooLong
from .core.memory import READ, Array, Memory, MemoryFault, Pointers, Region, address_of
from .coverage import met
from .instruction_classes import class_of
from .x86.call import X86Call
from .x86.state import RSP

__all__ = ["AbiViolation", "Execution", "Fault", "Pointers", "Region", "address_of", "call", "execute"]

CODE = 0x00C0_DE00_0000_0000
"""The address of the code, which no array of a process has."""
BACK = 0x00BA_CC00_0000_0000
"""The return address of the function."""
LIMIT = 200_000_000
"""The number of instructions after which a call is abandoned."""
CALLS: dict[str, Any] = {"x86": X86Call, "a64": A64Call}
"""The implementation of a call for each architecture."""


@dataclass(frozen=True)
class Execution:
    """The outcome of a call. `result` is the integer result register, meaningless without a result."""

    result: int
    real: bytes  # the vector register that holds a floating-point result
    counts: Mapping[str, int]  # the number of executed instructions, by mnemonic
    features: frozenset[str]  # the features that the executed instructions need
    offsets: Mapping[int, int]  # the number of times each instruction was executed, by its offset in the code
    _executed: Sequence[tuple[Any, tuple[Any, ...], int]]  # form, operands and number of executions

    @property
    def steps(self) -> int:
        """The number of executed instructions."""
        return sum(self.counts.values())

    @cached_property
    def classes(self) -> Mapping[str, int]:
        """The number of executed instructions by class: load, store, fma, arithmetic, shuffle, branch..."""
        found: Counter[str] = Counter()
        for form, operands, count in self._executed:
            for name in class_of(form, operands):
                found[name] += count
        return dict(found)


class Step:
    """One predecoded instruction of the code."""

    __slots__ = ("run", "after", "count", "fell", "form", "operands", "offset")

    def __init__(self, run: Any, after: int, form: Any, operands: tuple[Any, ...], offset: int) -> None:
        self.run, self.after, self.count = run, after, 0
        self.fell = 0  # how often execution went on behind it
        self.form, self.operands, self.offset = form, operands, offset

    @property
    def length(self) -> int:
        """The bytes of the instruction."""
        return self.after - CODE - self.offset


def execute(
    code: Code | bytes,
    target: Target,
    integers: Sequence[int],
    regions: Sequence[Region] = (),
    *,
    limit: int = LIMIT,
    control: int | None = None,
    reals: Sequence[bytes] = (),
    junk: int | bytes | None = None,
    phase: int = 0,
) -> Execution:
    """Call the function that starts at the beginning of the code, by the target's calling convention.

    integers    the arguments; pointers are addresses in regions
    regions     what may be accessed; of a view only the elements, not the gaps between them
    reals       f32 and f64 arguments, as their bytes
    limit       the number of instructions after which the call is abandoned
    control     the caller's MXCSR or FPCR; None for the value that programs start with
    junk        a seed for random bits in the stack and in all registers and flags that the convention leaves open,
                or bytes that fill the stack and the general registers; None for NaN and zeros
    phase       how many bytes below its usual place the stack begins, a multiple of 16
    Raises Fault, and AbiViolation if the function returns without having kept the convention.
    """
    code = code.data if isinstance(code, Code) else code
    memory = Memory(regions)
    memory.add("the code", CODE, len(code), READ, bytes(code))
    process = CALLS[target.arch](memory, target, integers, BACK, control, reals, phase)
    if junk is not None:
        _scramble(process, memory, junk)
        place_reals(process.state.vectors, reals)
    steps: dict[int, Step] = {}
    with np.errstate(all="ignore"):
        _run(process, code, target, steps, limit)
    process.check()
    memory.copy_back()
    return _summary(process, steps)


def call(
    code: Code | bytes,
    target: Target,
    *arguments: Array | Pointers | int,
    names: Sequence[str] = (),
    limit: int = LIMIT,
) -> Execution:
    """Call a function with arrays for pointers. Arrays that are not writable must not be written by the code."""
    integers, regions, keep = [], [], []
    for at, argument in enumerate(arguments):
        name = names[at] if at < len(names) else f"argument {at}"
        if isinstance(argument, Pointers):
            regions += [Region(f"{name}[{i}]", array, array.flags.writeable) for i, array in enumerate(argument)]
            argument = np.array([address_of(array) for array in argument], np.uint64)
            argument.flags.writeable = False
            keep.append(argument)
        if isinstance(argument, np.ndarray):
            regions.append(Region(name, argument, argument.flags.writeable))
            argument = address_of(argument)
        integers.append(int(argument))
    return execute(code, target, integers, regions, limit=limit)


def _scramble(process: Any, memory: Memory, junk: int | bytes) -> None:
    """Change the bits that a function must not depend on. What it has to preserve keeps the values used in the
    comparison."""
    state, stack = process.state, memory.segment(STACK)
    end = (state.sp if hasattr(state, "sp") else state.r[RSP]) - stack.start
    if isinstance(junk, bytes):
        stack.bytes[:end] = np.resize(np.frombuffer(junk, np.uint8), end)
        for number in process.open:
            process.general[number] = int.from_bytes(junk, "little")
        process.expect()
        return
    rng = np.random.default_rng(junk)
    for number in process.open:
        process.general[number] = int(rng.integers(1 << 64, dtype=np.uint64))
    process.expect()
    for name in process.flags:
        setattr(state, name, bool(rng.integers(2)))
    kept = state.vectors[_CALLEE_SAVED, :8].copy()
    state.vectors[...] = rng.integers(0, 256, state.vectors.shape, np.uint8)
    if hasattr(state, "predicates"):
        state.vectors[_CALLEE_SAVED, :8] = kept
        state.predicates[...] = rng.integers(0, 2, state.predicates.shape).astype(bool)
    else:
        state.k = [int(each) for each in rng.integers(0, 1 << 63, len(state.k))]
    stack.bytes[:end] = rng.integers(0, 256, end, np.uint8)


_CALLEE_SAVED = slice(8, 16)  # d8 to d15 (AAPCS64, 6.1.2)


def _run(process: Any, code: bytes, target: Target, steps: dict[int, Step], limit: int) -> None:
    address, left = CODE, limit
    find = steps.get
    taken: set[tuple[int, int]] = set()
    while address != BACK:
        step = find(address)
        if step is None:
            step = steps[address] = predecoded(process, code, target, address)
        step.count += 1
        try:
            goes = step.run()
        except MemoryFault as fault:
            raise fault_of(step, str(fault), fault.address, fault.name, fault.outside) from None
        except CannotRun as refusal:
            raise fault_of(step, str(refusal)) from None
        if goes is None:
            step.fell += 1
            address = step.after
        else:
            taken.add((step.offset, goes - CODE))
            address = goes
        left -= 1
        if left <= 0 and address != BACK:
            reason = f"the last of {limit} instructions, and the function has not returned: an endless loop?"
            raise TooLong(reason, step.form.text(step.operands), step.offset)
    met(code, steps.values(), taken)


def predecoded(process: Any, code: bytes, target: Target, address: int) -> Step:
    """Return the instruction at an address as a closure on the state of a process."""
    offset = address - CODE
    if not 0 <= offset < len(code):
        raise Fault(f"execution leaves the code for {address:#x}", offset=max(offset, 0), address=address)
    known = _instructions(code, target.arch, rows_version(target.arch))
    decoded = known.get(offset)
    if decoded is None:
        decoded = known[offset] = decode(code, offset, target.arch)
    if decoded is None:
        data, why = code[offset : offset + 15].hex(" "), why_undefined(code, offset, target.arch)
        raise Fault(f"undefined instruction: {data}{why and f' ({why})'}", offset=offset, address=address)
    step = Step(None, address + decoded.length, decoded.form, decoded.operands, offset)
    if decoded.form.mnemonic in process.prefixes:
        wrong = process.unpaired(decoded, decode(code, offset + decoded.length, target.arch))
        if wrong:
            raise fault_of(step, wrong)
    missing = target.missing(decoded.form.features)
    if missing:
        raise fault_of(step, f"target {target.name} lacks {', '.join(missing)}")
    try:
        step.run = process.predecode(process.state, decoded.form, decoded.operands, step.after)
    except CannotRun as refusal:
        raise fault_of(step, str(refusal)) from None
    return step


@lru_cache(maxsize=16)
def _instructions(code: bytes, arch: str, version: int) -> dict[int, Decoded | None]:
    """Return the decoded instructions of a code by their offsets, to be filled: most code is executed several times."""
    return {}


def fault_of(step: Step, reason: str, address: int | None = None, name: str = "", outside: int = 0) -> Fault:
    """Return the Fault of an instruction."""
    return Fault(reason, step.form.text(step.operands), step.offset, address, name, outside)


def _summary(process: Any, steps: Mapping[int, Step]) -> Execution:
    counts: Counter[str] = Counter()
    features: set[str] = set()
    for step in steps.values():
        counts[step.form.mnemonic] += step.count
        features |= step.form.features
    offsets = {step.offset: step.count for step in steps.values()}
    executed = [(step.form, step.operands, step.count) for step in steps.values()]
    return Execution(process.result, process.real, dict(counts), frozenset(features), offsets, executed)
