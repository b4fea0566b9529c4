"""Register allocation for straight-line code by linear scan: one pass over the steps in the order of computation.

A value holds its register from the step that computes it to its last use. If an operation must overwrite an operand, an
operand that dies there is chosen; if none dies, one is copied. Constants without a register become memory operands, or
are reloaded for each use if the instruction has no memory operand.

Several copies of the same expression are interleaved instruction by instruction, so that one computes while another
waits. Each copy is one step behind the copy before it, so that neighbouring instructions need different units.

A result is stored as soon as it is computed, unless results overwrite inputs: then every input that a store may
overwrite is loaded before the first store of its copy.

Source: Poletto and Sarkar, Linear Scan Register Allocation, TOPLAS 1999.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from heapq import heappop, heappush

from ...encoder.records import NamedTuple
from .lowered import GIVEN, LOOP_INVARIANT, MASK, VECTOR, Line, NumberedRegister, Source
from .selection import Arithmetic, Constant, InstructionRow, NativeStep


class Inputs(NamedTuple):
    """Where inputs and results are.

    given           names of inputs in the caller's registers, one register for each copy; a result with the number of
                    such an input ends in that register
    loop_invariant  names of inputs in the caller's registers, shared by all copies
    overwritten     names of inputs in memory that a store may overwrite
    together        for each result, how many copies of it are stored together; 1 if missing
    intact          numbers of results whose store leaves the register unchanged
    preserved       names of given inputs whose registers the code leaves unchanged
    disposable      names of given inputs whose registers hold intermediate values behind their last use; no result
                    ends there
    """

    given: tuple[str, ...] = ()
    loop_invariant: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    together: tuple[int, ...] = ()
    intact: tuple[int, ...] = ()
    preserved: tuple[str, ...] = ()
    disposable: tuple[str, ...] = ()


_register = cache(NumberedRegister)
"""Return a register by its file and number. There are few registers, so each object is made once."""


class _Shortage(Exception):
    """The code needs more registers of a file than there are."""


def moments_of_stores(steps: Sequence[NativeStep], results: Sequence[int], inputs: Inputs) -> dict[int, list[int]]:
    """Return the steps whose values are results, keyed by the step at which they are stored. A result lives until
    then."""
    loads = [number for number, step in enumerate(steps) if step.op == "input" and step.value in inputs.overwritten]
    needed = _last_uses_of_homes(steps, results, inputs.given) if inputs.given else {}
    due: dict[int, list[int]] = {}
    for number in dict.fromkeys(results):
        moment = number
        if loads:
            moment = loads[-1] if steps[number].op == "const" else max(number, loads[-1])
        due.setdefault(max(moment, needed.get(number, moment)), []).append(number)
    return due


def _last_uses_of_homes(steps: Sequence[NativeStep], results: Sequence[int], given: Sequence[str]) -> dict[int, int]:
    """Return the last step that reads the given register in which a result ends, keyed by the result's step."""
    last: dict[str, int] = {}
    for number, step in enumerate(steps):
        last.update((steps[arg].value, number) for arg in step.args if steps[arg].op == "input")
    needed: dict[int, int] = {}
    for name, number in zip(given, results):
        needed[number] = max(needed.get(number, -1), last.get(name, -1))
    return needed


def delay_of(steps: Sequence[NativeStep], results: Sequence[int], inputs: Inputs) -> int:
    """Return how many steps each copy is behind the copy before it.

    Copies advance in lockstep if their results share a byte, as masks do, or if the caller has inputs in registers,
    because loads and stores stand beside those.
    """
    in_step = bool(inputs.given) or any(steps[result].mask for result in results)
    return 0 if in_step else 1


class LinearScan:
    """One pass over the steps that takes as many registers as it needs; `peak` is the number."""

    def __init__(
        self,
        steps: Sequence[NativeStep],
        results: Sequence[int],
        arithmetic: Arithmetic,
        unroll: int,
        resident: Sequence[int],
        inputs: Inputs,
    ) -> None:
        self.steps, self.results, self.arithmetic, self.unroll = steps, results, arithmetic, unroll
        self.given = inputs.given
        self.loop_invariant = {
            name: NumberedRegister(LOOP_INVARIANT, i) for i, name in enumerate(inputs.loop_invariant)
        }
        self.peak = {VECTOR: 0, MASK: 0}
        self._limits: dict[str, int] = {}  # no limits before the scan begins
        self._free: dict[str, list[int]] = {VECTOR: [], MASK: []}
        self._lines: list[Line] = []
        self._last_use = list(range(len(steps)))
        for number, step in enumerate(steps):
            for arg in step.args:
                self._last_use[arg] = number
        self._due = moments_of_stores(steps, results, inputs)
        for moment, stored in self._due.items():
            for number in stored:
                self._last_use[number] = max(self._last_use[number], moment)
        for number, step in enumerate(steps):
            if step.op == "input" and step.value in inputs.preserved:
                self._last_use[number] = len(steps)  # it never dies
        uses = {step.value: self._last_use[number] for number, step in enumerate(steps) if step.op == "input"}
        self._given_until = [uses.get(name, -1) for name in self.given]  # the last step that needs each of them
        self.neighbours: set[tuple[int, int]] = set()  # the first and the number of registers that are neighbours
        self.resident = {number: self._claim_constant(steps[number].value)[0] for number in resident}
        self._registers: dict[tuple[int, int], NumberedRegister] = {}  # keyed by step and copy
        self._in_given: dict[NumberedRegister, int] = {}  # the last step whose value came into a given register
        self._together, self._intact = inputs.together, inputs.intact
        self._homeless = {*inputs.preserved, *inputs.disposable}
        self._disposable = {number for number, name in enumerate(self.given) if name in inputs.disposable}
        self._delay = delay_of(steps, results, inputs)

    def lines(self, limits: dict[str, int]) -> list[Line] | None:
        """The code; None if it needs more registers of a file than the file's limit."""
        self._limits = limits
        if any(self.peak[file] > limit for file, limit in limits.items()):
            return None
        try:
            for number, copy in self._order():
                step = self.steps[number]
                if step.op == "input":
                    self._input(number, step, copy)
                elif step.op != "const":
                    self._operation(number, step, copy)
                for result_step in self._due.get(number, ()):
                    self._store_results(result_step, number, copy)
        except _Shortage:
            return None
        return self._lines

    def _order(self) -> Iterator[tuple[int, int]]:
        """Yield the (step, copy) pairs: first the constants that are results, then the other steps, each copy one step
        behind the one before it or in lockstep."""
        delay = self._delay
        constants = [number for number, step in enumerate(self.steps) if step.op == "const" and number in self._due]
        others = [number for number, step in enumerate(self.steps) if step.op != "const"]
        yield from ((number, copy) for number in constants for copy in range(self.unroll))
        last = len(others) - 1
        for moment in range(len(others) + delay * (self.unroll - 1)):
            first = max(0, moment - last) if delay else 0
            for copy in range(first, min(self.unroll, moment + 1) if delay else self.unroll):
                yield others[moment - delay * copy], copy

    # Registers

    def _claim(self, file: str) -> NumberedRegister:
        free = self._free[file]
        if not free:
            heappush(free, self.peak[file])
            self.peak[file] += 1
            if self.peak[file] > self._limits.get(file, self.peak[file]):
                raise _Shortage
        return _register(file, heappop(free))

    def _claim_constant(self, constant: Constant) -> list[NumberedRegister]:
        """Claim the registers of a constant. Those of a table are neighbours, from a multiple of their number on."""
        count = constant.registers(self.arithmetic.register_bytes)
        if count == 1:
            return [self._claim(VECTOR)]
        first = 0
        while not all(number in self._free[VECTOR] for number in range(first, min(first + count, self.peak[VECTOR]))):
            first += count
        taken: list[NumberedRegister] = []
        others: list[NumberedRegister] = []
        while len(taken) < count:
            register = self._claim(VECTOR)
            (taken if first <= register.number < first + count else others).append(register)
        for register in others:
            self._release(register)
        self.neighbours.add((first, count))
        return taken

    def _release(self, register: NumberedRegister) -> None:
        if register.file != GIVEN:
            heappush(self._free[register.file], register.number)

    def _file(self, mask: bool) -> str:
        return MASK if mask and self.arithmetic.masks else VECTOR

    def _end_of(self, result: int, copy: int) -> NumberedRegister | None:
        """Return the given register in which a result ends, or None."""
        ends = result < len(self.given) and self.given[result] not in self._homeless
        return self._given_register(result, copy) if ends else None

    def _given_register(self, number: int, copy: int) -> NumberedRegister:
        return _register(GIVEN, copy * len(self.given) + number)

    # Steps

    def _input(self, number: int, step: NativeStep, copy: int) -> None:
        if step.value in self.given:
            self._registers[number, copy] = self._given_register(self.given.index(step.value), copy)
            return
        if step.value in self.loop_invariant:
            self._registers[number, copy] = self.loop_invariant[step.value]
            self._last_use[number] = len(self.steps)  # it never dies
            return
        register = self._vacant_home(number, copy) if self.given else None
        register = register or self._claim(self._file(step.mask))
        if register.file == GIVEN:
            self._in_given[register] = number
        self._registers[number, copy] = register
        self._lines.append(Line("load", register, (), step.value, copy))

    def _store_results(self, number: int, moment: int, copy: int) -> None:
        """Store a step's value, which is a result, at a later step or at its own."""
        step = self.steps[number]
        for result in sorted(self._results_of(number), key=lambda result: result not in self._intact):
            if result in self._intact and step.op != "const":
                self._lines.append(Line("store", None, (self._registers[number, copy],), result, copy))
            elif step.op == "const" or result != self._last_result(number) or self._last_use[number] > moment:
                home = self._end_of(result, copy)
                target = home if self._vacant(home, moment) else None
                register = self._copied(number, step, copy, target)  # a store may destroy the register
                self._lines.append(Line("store", None, (register,), result, copy))
                self._release(register)
            elif self._joins(result):
                self._store_together(result, number, copy)
                return
            else:
                self._lines.append(Line("store", None, (self._registers[number, copy],), result, copy))
        if self._last_use[number] == moment and step.op != "const":
            self._release(self._registers[number, copy])

    def _joins(self, result: int) -> bool:
        return result < len(self._together) and self._together[result] > 1 and self.unroll > 1

    def _store_together(self, result: int, number: int, copy: int) -> None:
        """Store a group of copies behind its last copy; their registers are held until then."""
        group = self._together[result]
        if copy % group == group - 1 or copy == self.unroll - 1:
            first = copy - copy % group
            registers = tuple(self._registers[number, each] for each in range(first, copy + 1))
            self._lines.append(Line("join", None, registers, result, first))
            for register in registers:
                self._release(register)

    def _results_of(self, number: int) -> list[int]:
        """The results that are the value of a step."""
        return [result for result, result_step in enumerate(self.results) if result_step == number]

    def _last_result(self, number: int) -> int:
        """The last result with this step's value whose store may destroy the register; if no store may, the last
        result."""
        return max(self._results_of(number), key=lambda result: (result not in self._intact, result))

    def _copied(
        self, number: int, step: NativeStep, copy: int, target: NumberedRegister | None = None
    ) -> NumberedRegister:
        """Copy a step's value to a register of its own."""
        register = target or self._claim(self._file(step.mask))
        if step.op == "const" and number not in self.resident:
            self._lines.append(Line("constant", register, (), step.value, copy))
        else:
            source = self.resident[number] if step.op == "const" else self._registers[number, copy]
            self._lines.append(Line("move", register, (source,), None, copy))
        return register

    def _operation(self, number: int, step: NativeStep, copy: int) -> None:
        row = self.arithmetic.rows[step.op, step.type]
        srcs: list[Source | None] = []
        dying: dict[int, NumberedRegister] = {}  # keyed by argument: registers that no later step needs
        held, last_use, steps = self._registers, self._last_use, self.steps
        stored = self._due.get(number, ())  # behind this step: their registers do not become free before
        for arg in step.args:
            if steps[arg].op == "const":
                srcs.append(self.resident.get(arg))
                continue
            register = held[arg, copy]
            srcs.append(register)
            if last_use[arg] == number and arg not in stored:
                dying[arg] = register
        tied = self._tied_operand(row, number, copy, srcs, dying) if row.ties else None
        moved: NumberedRegister | None = None
        if tied is not None and step.args[tied] not in dying:
            moved = self._copied(step.args[tied], steps[step.args[tied]], copy)
            srcs[tied] = moved
        temporary = self._reloaded_constants(row, step, srcs, tied, copy) if None in srcs else ()
        target = moved or (dying.get(step.args[tied]) if tied is not None else None)
        if target is None and self.given and not row.early:
            target = self._vacant_home(number, copy, dying.values()) or self._disposed(step, dying.values())
        released = [register for register in [*dying.values(), *temporary] if register is not target]
        if target is None and row.early:
            target = self._claim(self._file(step.mask))
        for register in released:
            self._release(register)
        if target is None:
            target = self._claim(self._file(step.mask))
        if target.file == GIVEN and target == self._home(number, copy) and self._last_result(number) in self._intact:
            last_use[number] = len(steps)  # it stays there
        held[number, copy] = target
        if target.file == GIVEN:
            self._in_given[target] = number
        sources = tuple([source for source in srcs if source is not None])
        self._lines.append(Line(step.op, target, sources, step.value, copy, row, tied))

    def _home(self, number: int, copy: int) -> NumberedRegister | None:
        """The given register in which this value should end: it is a result, and no later step uses it, or its store
        changes nothing."""
        if number not in self.results:
            return None
        result = self._last_result(number)
        if self._last_use[number] > number and result not in self._intact:
            return None
        return self._end_of(result, copy)

    def _vacant_home(self, number: int, copy: int, dying: Collection[NumberedRegister] = ()) -> NumberedRegister | None:
        """The home of a value, if no step from this one on needs the home's present contents."""
        home = self._home(number, copy)
        return home if home in dying or self._vacant(home, number) else None

    def _disposed(self, step: NativeStep, dying: Collection[NumberedRegister]) -> NumberedRegister | None:
        """Return a given register that holds nothing needed any more, for the value of a step."""
        if not self._disposable or self._file(step.mask) != VECTOR:
            return None
        free = (each for each in dying if each.file == GIVEN and each.number % len(self.given) in self._disposable)
        return next(free, None)

    def _vacant(self, home: NumberedRegister | None, number: int) -> bool:
        """Whether no step from this one on needs the contents of a given register: its input, or what replaced that."""
        if home is None or self._given_until[home.number % len(self.given)] >= number:
            return False
        inside = self._in_given.get(home)
        return inside is None or self._last_use[inside] < number

    def _tied_operand(
        self, row: InstructionRow, number: int, copy: int, srcs: list[Source | None], dying: dict[int, NumberedRegister]
    ) -> int:
        """Choose the operand that an operation overwrites: one that dies (preferably in the register where the result
        should end), else a constant that must be loaded anyway, else any."""
        args = self.steps[number].args
        ends = [i for i in row.ties if args[i] in dying]
        if ends:
            home = self._home(number, copy) if self.given else None
            return next((i for i in ends if dying[args[i]] == home), ends[0]) if home is not None else ends[0]
        return next((i for i in row.ties if srcs[i] is None), row.ties[0])

    def _reloaded_constants(
        self, row: InstructionRow, step: NativeStep, srcs: list[Source | None], tied: int | None, copy: int
    ) -> list[NumberedRegister]:
        """Provide constants without a register: one as a memory operand, the others loaded. Returns the registers
        taken."""
        temporary: dict[int, list[NumberedRegister]] = {}
        in_memory = False
        for i, arg in enumerate(step.args):
            if srcs[i] is not None:
                continue
            if i in row.memory and i != tied and not in_memory:
                srcs[i], in_memory = self.steps[arg].value, True
                continue
            if arg not in temporary:
                temporary[arg] = self._claim_constant(self.steps[arg].value)
                self._lines.append(Line("constant", temporary[arg][0], (), self.steps[arg].value, copy))
            srcs[i] = temporary[arg][0]
        return [register for registers in temporary.values() for register in registers]
