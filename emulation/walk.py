"""Walk through a function without its vector arithmetic, to see where numbers that a call gives lead it.

    walker = Walker(code, target, 4)
    walked = walker.walk(integers, regions)
    walked.ways                       the branches, as in `coverage`
    walked.values                     what masks, predicates and remainders were

A walk executes what decides on the control flow: instructions with general registers, masks or predicates alone, and
branches. It leaves out those with vector operands alone, so a walk takes a fraction of an execution. A kernel whose
data decides on a branch is walked wrongly; such a kernel has no proof either. Several calls share the decoded
instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..encoder.a64.abi import ARGUMENTS as ARGUMENTS_A64
from ..encoder.features import Target
from ..encoder.records import NamedTuple
from ..encoder.x86.abi import ARGUMENTS as ARGUMENTS_X86
from ..encoder.x86.effects import FLAGS, implicit
from ..encoder.x86.registers import Mem, Reg
from .core.call import STACK, divided
from .core.faults import CannotRun, Fault
from .core.memory import READ, Memory, MemoryFault, Region
from .coverage import Way
from .cpu import BACK, CALLS, CODE, Step, predecoded
from .selects import condition, noted

LIMIT = 100_000
"""The number of instructions after which a walk is abandoned."""
_ARGUMENTS = {"x86": len(ARGUMENTS_X86), "a64": len(ARGUMENTS_A64)}
_SKIPPED, _PLAIN, _VALUE = 0, 1, 2


class Walked(NamedTuple):
    """What a walk met. `values` are (offset of an instruction, what it made of general registers), `trips` (branch,
    twice or more often in a row); `failed` is why the walk ended early, or ""."""

    ways: frozenset[Way]
    values: frozenset[tuple[int, Any]]
    trips: frozenset[Way]
    steps: int
    failed: str = ""


class _Vectors(NamedTuple):
    """Instructions that a walk leaves out, and the one behind them that it executes.

    step      the executed one
    part      _PLAIN or _VALUE
    length    the number of all these instructions
    skipped   the ways through those that are left out
    """

    step: Step
    part: int
    length: int
    skipped: list[Way]


class Walker:
    """The walks through one code."""

    def __init__(self, code: bytes, target: Target, arguments: int) -> None:
        """`arguments` is the number of integer arguments of all calls."""
        self.code, self.target, self.arch = bytes(code), target, target.arch
        self.memory = Memory()
        self.memory.add("the code", CODE, len(code), READ, bytes(code))
        self.process = CALLS[target.arch](self.memory, target, (0,) * arguments, BACK)
        self._own = list(zip(self.memory._starts, self.memory._segments))
        self._entry = list(self.process.general), getattr(self.process.state, "sp", 0)
        self._runs: dict[int, _Vectors] = {}
        self._chosen: set[Way] = set()

    def walk(self, integers: Sequence[int], regions: Sequence[Region], limit: int = LIMIT) -> Walked:
        """Walk through one call. Nothing is written to the arrays."""
        self._begin(integers, regions)
        ways: set[Way] = set()
        values: set[tuple[int, Any]] = set()
        trips: set[Way] = set()
        steps, failed = limit, ""
        with np.errstate(all="ignore"):
            try:
                steps = self._walk(ways, values, trips, limit)
            except (Fault, CannotRun, MemoryFault) as fault:
                failed = str(fault)
            except (ArithmeticError, TypeError, ValueError, AttributeError, LookupError) as error:
                failed = repr(error)  # of values that were left out
        if steps >= limit:
            failed = failed or f"more than {limit} instructions"
        return Walked(frozenset(ways), frozenset(values), frozenset(trips), steps, failed)

    def _begin(self, integers: Sequence[int], regions: Sequence[Region]) -> None:
        held = Memory(regions)
        memory, state = self.memory, self.process.state
        memory.regions, memory._segments, memory._starts = held.regions, held._segments, held._starts
        for _, segment in self._own:
            memory._insert(segment)
        general, sp = self._entry
        self.process.general[:] = general
        if sp:
            state.sp = sp
        arguments, stacked = divided(integers, _ARGUMENTS[self.arch])
        registers: Sequence[Any] = ARGUMENTS_X86 if self.arch == "x86" else ARGUMENTS_A64
        for register, value in zip(registers, arguments):
            self.process.general[register.num] = value
        stack, top = memory.segment(STACK), self._entry[1] or self._entry[0][_RSP] + _RETURN
        stack.raw[top - stack.start : top - stack.start + len(stacked)] = stacked

    def _walk(self, ways: set[Way], values: set[tuple[int, Any]], trips: set[Way], limit: int) -> int:
        general, left, state, arch = self.process.general, limit, self.process.state, self.arch
        address, last = CODE, (-1, -1)
        self._chosen.clear()
        find, fell, met = self._runs.get, set[int](), set[int]()
        while address != BACK and left > 0:
            run = find(address) or self._run(address)
            met.add(address)
            step, left = run.step, left - run.length
            goes = step.run()
            if run.part == _VALUE:
                values.add((step.offset, _value(step, general, state, arch)))
            if goes is None:
                fell.add(address)
                address = step.after
                continue
            way = step.offset, goes - CODE
            ways.add(way)
            if way == last and goes <= CODE + step.offset:
                trips.add(way)
            last, address = way, goes
        ways.update(*(self._runs[each].skipped for each in met))
        ways.update((step.offset, step.after - CODE) for step in (self._runs[each].step for each in fell))
        ways |= self._chosen
        return limit - left

    def _run(self, address: int) -> _Vectors:
        """Return the instructions from an address on up to the first that a walk executes."""
        begin, skipped = address, list[Way]()
        while True:
            step = predecoded(self.process, self.code, self.target, address)
            part = _part(step, self.arch)
            if part != _SKIPPED:
                chosen = condition(self.arch, step.form.mnemonic, step.operands)
                if chosen is not None:
                    step.run = noted(
                        self.process,
                        step.run,
                        chosen,
                        step.operands,
                        lambda way, at=step.offset: self._chosen.add((at, way)),  # type: ignore[misc]
                    )
                break
            skipped.append((step.offset, step.after - CODE))
            address = step.after
        made = self._runs[begin] = _Vectors(step, part, 1 + len(skipped), skipped)
        return made


_RSP, _RETURN = 4, 8  # the stack pointer of x86, and the bytes of the return address
_LINEAR = frozenset(
    (
        "mov",
        "movz",
        "movk",
        "movn",
        "add",
        "adds",
        "sub",
        "subs",
        "lea",
        "inc",
        "dec",
        "neg",
        "cmp",
        "cmn",
        "test",
        "tst",
        "push",
        "pop",
        "ldr",
        "ldp",
        "stp",
        "str",
        "ldur",
        "stur",
        "madd",
        "imul",
        "mul",
        "xor",
        "adr",
        "adrp",
        "xchg",
        "movabs",
        "call",
        "jmp",
        "br",
        "blr",
        "ret",
    )
)
"""Instructions on general registers whose results are sums and products of the numbers, or copies."""
_VECTORS = ("xmm", "ymm", "zmm", "tmm", "mm")


def _part(step: Step, arch: str) -> int:
    return _part_x86(step) if arch == "x86" else _part_a64(step)


def _part_x86(step: Step) -> int:
    registers = [each for each in step.operands if isinstance(each, Reg)]
    general = [each for each in registers if each.file.startswith("r")]
    others = [each for each in registers if not each.file.startswith("r")]
    effects = implicit(step.form)
    hidden = (effects.reads | effects.writes) - {*FLAGS, "mxcsr", "xmm0"}
    if not general and not hidden and any(each.file in _VECTORS for each in others):
        return _SKIPPED
    if not general or not isinstance(step.operands[0], Reg):
        return _PLAIN
    if others:
        return _VALUE if step.operands[0] in others else _PLAIN
    return _PLAIN if step.form.mnemonic in _LINEAR or any(isinstance(each, Mem) for each in step.operands) else _VALUE


_GENERAL = ("x", "w", "xzr", "wzr", "sp", "wsp")


def _part_a64(step: Step) -> int:
    kinds = [getattr(each, "kind", "") for each in step.operands]
    memory = [each for each in step.operands if type(each).__name__ == "Mem"]
    general = [kind for kind in kinds if kind in _GENERAL]
    vectors = any(kind[:1] in ("v", "z", "q", "d", "h", "b", "{") or kind == "s" for kind in kinds)
    if not general and vectors and not any(each.mode for each in memory):
        return _SKIPPED
    if not general or memory or step.form.mnemonic in ("msr", "mrs"):
        return _PLAIN
    if kinds[0] not in _GENERAL:
        return _PLAIN if kinds[0] == "" else _VALUE
    return _PLAIN if step.form.mnemonic in _LINEAR or step.form.mnemonic.startswith(("cb", "tb")) else _VALUE


def _value(step: Step, general: list[int], state: Any, arch: str) -> Any:
    """Return what an instruction made: the contents of its register, or those of its sources if that is a vector."""
    first = step.operands[0]
    if arch == "x86":
        if first.file == "k":
            return state.k[first.num]
        if first.file.startswith("r"):
            return general[first.num]
        return tuple(general[each.num] for each in step.operands if isinstance(each, Reg) and each.file.startswith("r"))
    kind = first.kind
    if kind[:1] == "p":
        return np.asarray(state.predicates[first.num]).tobytes()
    if kind in _GENERAL:
        return general[first.num] if first.num < len(general) else 0
    return tuple(general[each.num] for each in step.operands if getattr(each, "kind", "") in ("x", "w"))
