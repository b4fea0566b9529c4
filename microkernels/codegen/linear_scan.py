"""From expressions to instructions: registers by linear scan over straight-line code.

    code = lower(outputs, arithmetic, vectors=30, copies=2)     pure: registers chosen, printable
    with code.constants(m, lanes) as body:                      constants are loaded once, before the loop
        body.run(load, store, lanes)                            the code, for `copies` vectors

Several copies of the same expression are interleaved instruction by instruction, so that one computes while another
waits; each copy is one step behind the one before it, so that neighbouring instructions need different units.

An operation may have to overwrite an operand: then one that dies there is chosen, or copied if none does. Constants
stay in registers while there are enough; the rarest of the others become memory operands, or are loaded again for each
use where an instruction has no such operand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, NamedTuple, TypeAlias

from ..contract.machine import Lanes, Machine
from ..errors import UnsupportedError
from ..expr.graph import Expr
from .selection import Arithmetic, Constant, Emission, Native, Row, legal, natives

VECTOR, MASK, GIVEN, FIXED = "vector", "mask", "given", "fixed"


class Place(NamedTuple):
    """A register: of the vectors or masks that the code asks for, or with an input in it, of one copy or of all."""

    file: str
    number: int


Source = Place | Constant


class Line(NamedTuple):
    """One step of the code: an operation with a row, or "load", "store", "constant", "move"."""

    op: str
    dst: Place | None
    srcs: tuple[Source, ...]
    value: Any
    copy: int
    row: Row | None = None
    tied: int | None = None


Load = Callable[[str, int, int, Lanes], None]
"""(name of the input, copy, register to fill, lanes)"""
Store = Callable[[int, int, int, Lanes], None]
"""(number of the result, copy, register that holds it, lanes); may destroy the register."""
Given: TypeAlias = str | Sequence[str] | None
"""Names of inputs that are in registers."""


@dataclass(frozen=True)
class Lowered:
    """Straight-line code with its registers."""

    lines: tuple[Line, ...]
    resident: tuple[tuple[Place, Constant], ...]  # constants that stay in registers
    vectors: int
    masks: int
    unroll: int
    arithmetic: Arithmetic
    missing: int = 0  # constants without a register

    @property
    def time(self) -> float:
        """Of one copy, in instructions."""
        return TIME.get(self.unroll, 1) * (self.operations + WITHOUT_REGISTER * self.missing)

    @property
    def operations(self) -> int:
        """Instructions of one copy, loads and stores included."""
        return -(-len(self.lines) // self.unroll)

    def __str__(self) -> str:
        registers = f"{self.vectors} vector registers, {len(self.resident)} of them constants"
        return f"{self.unroll} x {self.operations} operations in {registers}"

    @contextmanager
    def constants(self, m: Machine, lanes: Lanes) -> Iterator[Body]:
        """Claims the registers and loads the constants; `lanes` are the widest that `run` will have."""
        with m.vectors(self.vectors, "the expression") as vectors, m.masks(self.masks) as masks:
            yield self.on(m, vectors, masks, lanes)

    def on(self, m: Machine, vectors: Sequence[int], masks: Sequence[Any], lanes: Lanes) -> Body:
        """The code on registers that the caller holds; loads the constants."""
        for place, constant in self.resident:
            self.arithmetic.constant(m, vectors[place.number], constant, lanes)
        return Body(m, self, {VECTOR: vectors, MASK: masks})


class Body:
    """The code on claimed registers."""

    def __init__(self, m: Machine, code: Lowered, registers: dict[str, Sequence[Any]]) -> None:
        self.m, self.code, self.registers = m, code, registers

    def run(self, load: Load, store: Store, lanes: Sequence[Lanes], given: Sequence[int] = (),
            loop_invariant: Sequence[int] = ()) -> None:  # fmt: skip
        """Append the code. `lanes` has those of each copy; copies beyond it are left out.

        given: the registers that hold the inputs named so when the code was made, those of each copy together;
        destroyed. A result that has the number of such an input is left in its register wherever that is possible.
        fixed: the registers that hold the inputs named so, for all copies; kept.
        """
        registers = {**self.registers, GIVEN: given, FIXED: loop_invariant}
        arithmetic = self.code.arithmetic

        def register(source: Source) -> Any:
            return source if isinstance(source, Constant) else registers[source.file][source.number]

        for line in self.code.lines:
            if line.copy >= len(lanes):
                continue
            those = lanes[line.copy]
            dst: Any = None if line.dst is None else registers[line.dst.file][line.dst.number]
            srcs = tuple(register(source) for source in line.srcs)
            if line.row is not None:
                line.row.emit(self.m, Emission(dst, srcs, line.value, those, line.tied))
            elif line.op == "load":
                load(line.value, line.copy, dst, those)
            elif line.op == "store":
                store(line.value, line.copy, srcs[0], those)
            elif line.op == "constant":
                arithmetic.constant(self.m, dst, line.value, those)
            else:
                arithmetic.move(self.m, dst, srcs[0], those)


# Choosing registers

TIME = {1: 1.0, 2: 0.92, 3: 0.89, 4: 0.875, 5: 0.867, 6: 0.848, 7: 0.838, 8: 0.83}
WITHOUT_REGISTER = 0.2
"""Time of so many copies, and what a constant without a register adds for each of the operations: fitted to the
activations on a Zen 4."""

MANY = 4
"""Of more copies the last ones are not worth three constants without a register."""


def lower(outputs: Sequence[Expr], arithmetic: Arithmetic, vectors: int, unroll: int = 1,
          given: Given = None, loop_invariant: Sequence[str] = ()) -> Lowered | None:  # fmt: skip
    """The code for `copies` vectors in at most `vectors` registers; None if they do not suffice.

    given: the name of an input that is in registers already, or several; fixed: names of inputs that are the same in
    all copies, in registers that stay.
    """
    steps, results = natives(legal(outputs, arithmetic))
    return _allocated(steps, results, arithmetic, vectors, unroll, given, loop_invariant)


class Straight:
    """An expression in legal operations, to be given registers."""

    def __init__(self, outputs: Sequence[Expr], arithmetic: Arithmetic) -> None:
        self.arithmetic = arithmetic
        self.steps, self.results = natives(legal(outputs, arithmetic))
        self.constants = sum(step.op == "const" for step in self.steps)

    @property
    def operations(self) -> int:
        """Without loads, stores and constants."""
        return sum(step.op not in ("const", "input") for step in self.steps)

    def fitted(self, vectors: int, unroll: int, given: Given = None,
               loop_invariant: Sequence[str] = ()) -> Lowered | None:  # fmt: skip
        """At most `copies`: more hide more latency, but leave fewer registers for constants. None: too few vectors."""
        constants = _by_worth(self.steps, self.results, self.arithmetic)

        def attempt(count: int, missing: int) -> Lowered | None:
            resident = constants[: len(constants) - missing]
            return _attempt(
                self.steps, self.results, self.arithmetic, vectors, count, constants, resident, given, loop_invariant
            )

        def allocated(count: int) -> Lowered | None:
            return _allocated(self.steps, self.results, self.arithmetic, vectors, count, given, loop_invariant)

        whole = next((found for count in range(unroll, 0, -1) if (found := attempt(count, 0))), None)
        candidates = [] if whole is None else [whole]
        least = whole.unroll if whole else 0
        for count in range(unroll, least, -1):
            found = allocated(count) if count <= MANY else attempt(count, 1) or attempt(count, 2)
            if found is not None:
                candidates.append(found)
        return min(candidates, key=lambda each: each.time, default=None)


def fitted(outputs: Sequence[Expr], arithmetic: Arithmetic, vectors: int, unroll: int,
           given: Given = None, loop_invariant: Sequence[str] = ()) -> Lowered:  # fmt: skip
    """The same of outputs; UnsupportedError where there are too few vectors."""
    best = Straight(outputs, arithmetic).fitted(vectors, unroll, given, loop_invariant)
    if best is None:
        raise UnsupportedError(f"an expression that needs more than {vectors} vector registers or {arithmetic.masks} "
                               f"masks: split it into several kernels")  # fmt: skip
    return best


def _allocated(steps: list[Native], results: list[int], arithmetic: Arithmetic, vectors: int, unroll: int,
               given: Given, loop_invariant: Sequence[str]) -> Lowered | None:  # fmt: skip
    """With as many constants in registers as there is room for, found by bisection."""
    constants = _by_worth(steps, results, arithmetic)

    def attempt(count: int) -> Lowered | None:
        return _attempt(
            steps, results, arithmetic, vectors, unroll, constants, constants[:count], given, loop_invariant
        )

    best = attempt(len(constants))
    if best is not None:
        return best
    best, fits, beyond = attempt(0), 0, min(len(constants), vectors + 1)
    while best is not None and beyond - fits > 1:
        count = (fits + beyond) // 2
        found = attempt(count)
        if found is None:
            beyond = count
        else:
            best, fits = found, count
    return best


def _attempt(steps: list[Native], results: list[int], arithmetic: Arithmetic, vectors: int, unroll: int,
             constants: list[int], resident: list[int], given: Given, loop_invariant: Sequence[str]) -> Lowered | None:  # fmt: skip
    """With those constants in registers; None if the others do not suffice."""
    if len(resident) > vectors:
        return None
    scan = _Scan(steps, results, arithmetic, unroll, resident, given, loop_invariant)
    lines = scan.lines({VECTOR: vectors, MASK: arithmetic.masks})
    if lines is None:
        return None
    places = tuple((place, steps[number].value) for number, place in scan.resident.items())
    missing = len(constants) - len(places)
    return Lowered(tuple(lines), places, scan.peak[VECTOR], scan.peak[MASK], unroll, arithmetic, missing)


def _by_worth(steps: list[Native], results: list[int], arithmetic: Arithmetic) -> list[int]:
    """Constants, best kept in registers first: those that no memory operand can replace, then the most used."""
    uses: Counter[int] = Counter()
    needs: Counter[int] = Counter(results)
    for step in steps:
        row = arithmetic.rows.get((step.op, step.type))
        for i, arg in enumerate(step.args):
            uses[arg] += 1
            if row is not None and i not in row.memory:
                needs[arg] += 1
    constants = [number for number, step in enumerate(steps) if step.op == "const"]
    return sorted(constants, key=lambda number: (-needs[number], -uses[number], number))


class _Scan:
    """One pass over the steps, with as many registers as it takes; `peak` says how many."""

    def __init__(self, steps: list[Native], results: list[int], arithmetic: Arithmetic, unroll: int,
                 resident: Sequence[int], given: Given, loop_invariant: Sequence[str]) -> None:  # fmt: skip
        self.steps, self.results, self.arithmetic, self.unroll = steps, results, arithmetic, unroll
        self.given = (given,) if isinstance(given, str) else tuple(given or ())
        self.loop_invariant = {name: Place(FIXED, i) for i, name in enumerate(loop_invariant)}
        self.peak = {VECTOR: 0, MASK: 0}
        self._free: dict[str, list[int]] = {VECTOR: [], MASK: []}
        self._made: list[Line] = []
        self._last = list(range(len(steps)))  # the step that uses a value last
        for number, step in enumerate(steps):
            for arg in step.args:
                self._last[arg] = number
        uses = {step.value: self._last[number] for number, step in enumerate(steps) if step.op == "input"}
        self._vacated = [uses.get(name, -1) for name in self.given]  # the step that needs each of them last
        self.resident = {number: self._claim(VECTOR) for number in resident}
        self._places: dict[tuple[int, int], Place] = {}  # of a step's value in a copy

    def lines(self, most: dict[str, int]) -> list[Line] | None:
        """The code; None if it takes more registers than these."""
        for number, copy in self._order():
            step = self.steps[number]
            if any(self.peak[file] > count for file, count in most.items()):
                return None
            if step.op == "input":
                self._input(number, step, copy)
            elif step.op != "const":
                self._operation(number, step, copy)
            self._results(number, copy)
        return None if any(self.peak[file] > count for file, count in most.items()) else self._made

    def _order(self) -> Iterator[tuple[int, int]]:
        """Steps and copies. Copies begin one step after each other, but where results of the same step belong
        together: bits that share a byte; and where the caller has inputs in registers and loads beside them."""
        together = bool(self.given) or any(self.steps[result].mask for result in self.results)
        late = 0 if together else 1
        constants = [number for number, step in enumerate(self.steps) if step.op == "const"]
        others = [number for number, step in enumerate(self.steps) if step.op != "const"]
        yield from ((number, copy) for number in constants for copy in range(self.unroll))
        for moment in range(len(others) + late * (self.unroll - 1)):
            for copy in range(self.unroll):
                if 0 <= moment - late * copy < len(others):
                    yield others[moment - late * copy], copy

    # Registers

    def _claim(self, file: str) -> Place:
        free = self._free[file]
        if not free:
            heappush(free, self.peak[file])
            self.peak[file] += 1
        return Place(file, heappop(free))

    def _release(self, place: Place) -> None:
        if place.file != GIVEN:
            heappush(self._free[place.file], place.number)

    def _file(self, mask: bool) -> str:
        return MASK if mask and self.arithmetic.masks else VECTOR

    def _given(self, place: int, copy: int) -> Place:
        return Place(GIVEN, copy * len(self.given) + place)

    # Steps

    def _input(self, number: int, step: Native, copy: int) -> None:
        if step.value in self.given:
            self._places[number, copy] = self._given(self.given.index(step.value), copy)
            return
        if step.value in self.loop_invariant:
            self._places[number, copy] = self.loop_invariant[step.value]
            self._last[number] = len(self.steps)  # it never dies
            return
        place = self._own_place(number, copy) or self._claim(self._file(step.mask))
        self._places[number, copy] = place
        self._made.append(Line("load", place, (), step.value, copy))

    def _results(self, number: int, copy: int) -> None:
        """Store a value that is a result as soon as it is there."""
        step = self.steps[number]
        for result, wanted in enumerate(self.results):
            if wanted != number:
                continue
            if step.op == "const" or result != self._last_result(number) or self._last[number] > number:
                home = self._given(result, copy) if result < len(self.given) else None
                target = home if self._vacant(home, number) else None
                place = self._copied(number, step, copy, target)  # a store may destroy the register
                self._made.append(Line("store", None, (place,), result, copy))
                self._release(place)
            else:
                self._made.append(Line("store", None, (self._places[number, copy],), result, copy))
        if number in self.results and self._last[number] == number and step.op != "const":
            self._release(self._places[number, copy])

    def _last_result(self, number: int) -> int:
        return max(result for result, wanted in enumerate(self.results) if wanted == number)

    def _copied(self, number: int, step: Native, copy: int, target: Place | None = None) -> Place:
        place = target or self._claim(self._file(step.mask))
        if step.op == "const" and number not in self.resident:
            self._made.append(Line("constant", place, (), step.value, copy))
        else:
            source = self.resident[number] if step.op == "const" else self._places[number, copy]
            self._made.append(Line("move", place, (source,), None, copy))
        return place

    def _operation(self, number: int, step: Native, copy: int) -> None:
        row = self.arithmetic.rows[step.op, step.type]
        srcs: list[Source | None] = []
        dying: dict[int, Place] = {}  # by argument: registers that nobody needs afterwards
        for arg in step.args:
            if self.steps[arg].op == "const":
                srcs.append(self.resident.get(arg))
                continue
            place = self._places[arg, copy]
            srcs.append(place)
            if self._last[arg] == number:
                dying[arg] = place
        tied = self._tie(row, number, copy, srcs, dying)
        moved: Place | None = None
        if tied is not None and step.args[tied] not in dying:
            moved = self._copied(step.args[tied], self.steps[step.args[tied]], copy)
            srcs[tied] = moved
        temporary = self._constants(row, step, srcs, tied, copy)
        target = moved or (dying.get(step.args[tied]) if tied is not None else None)
        if target is None and not row.early:
            target = self._own_place(number, copy, dying.values())
        gone = [place for place in [*dying.values(), *temporary] if place is not target]
        if target is None and row.early:
            target = self._claim(self._file(step.mask))
        for place in gone:
            self._release(place)
        if target is None:
            target = self._claim(self._file(step.mask))
        self._places[number, copy] = target
        sources = tuple(source for source in srcs if source is not None)
        self._made.append(Line(step.op, target, sources, step.value, copy, row, tied))

    def _home(self, number: int, copy: int) -> Place | None:
        """The given register where a result is wanted that nothing else needs."""
        if number not in self.results or self._last[number] > number:
            return None
        wanted = self._last_result(number)
        return self._given(wanted, copy) if wanted < len(self.given) else None

    def _own_place(self, number: int, copy: int, dying: Collection[Place] = ()) -> Place | None:
        """The same, if nobody needs what it holds now."""
        home = self._home(number, copy)
        return home if home in dying or self._vacant(home, number) else None

    def _vacant(self, home: Place | None, number: int) -> bool:
        """Whether no step from this one on needs what a given register holds."""
        return home is not None and self._vacated[home.number % len(self.given)] < number

    def _tie(self, row: Row, number: int, copy: int, srcs: list[Source | None],
             dying: dict[int, Place]) -> int | None:  # fmt: skip
        """The operand to overwrite: one that dies, best where the result is wanted, else a constant that must be loaded
        anyway, else any."""
        if not row.ties:
            return None
        args, home = self.steps[number].args, self._home(number, copy)
        ends = [i for i in row.ties if args[i] in dying]
        if ends:
            return next((i for i in ends if dying[args[i]] == home), ends[0])
        return next((i for i in row.ties if srcs[i] is None), row.ties[0])

    def _constants(self, row: Row, step: Native, srcs: list[Source | None], tied: int | None,
                   copy: int) -> list[Place]:  # fmt: skip
        """Constants without a register: one as a memory operand, the others loaded. Returns the registers taken."""
        temporary: dict[int, Place] = {}
        in_memory = False
        for i, arg in enumerate(step.args):
            if srcs[i] is not None:
                continue
            if i in row.memory and i != tied and not in_memory:
                srcs[i], in_memory = self.steps[arg].value, True
                continue
            if arg not in temporary:
                temporary[arg] = self._claim(VECTOR)
                self._made.append(Line("constant", temporary[arg], (), self.steps[arg].value, copy))
            srcs[i] = temporary[arg]
        return list(temporary.values())
