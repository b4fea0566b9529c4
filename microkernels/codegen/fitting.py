"""Fit an expression into the registers: choose how many vectors to compute at a time and which constants to keep.

    straight = Straight.of(outputs, facts)              operations of the machine, once
    straight.fitted(vectors=30, unroll=8)               the fastest code within 30 vector registers; None if none fits
    straight.allocated(vectors=30, unroll=2)            the code for two vectors at a time

More vectors at a time hide more latency, but leave fewer registers for constants. The least used constants lose their
registers first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, cached_property
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..expr.graph import Expr
from .linear_scan import Inputs, LinearScan
from .lowered import MASK, VECTOR, Lowered
from .pressure import Pressure
from .selection import Arithmetic, Constant, arithmetic_of, legal, natives

if TYPE_CHECKING:
    from . import spilling

spilling = lazy(__package__, ".spilling")


Given: TypeAlias = str | Sequence[str] | None
"""Names of inputs that are in registers."""


class Unrolling(NamedTuple):
    """An attempt: the number of vectors at a time, and the code, or None if there are too few registers for it."""

    unroll: int
    code: Lowered | None


_RECENT = 128
"""How many expressions are kept with their code. One epilogue is used with many products, and kernels of other extents
share steps, folds and row values."""
_recent: dict[tuple[Any, ...], Straight] = {}


class Straight:
    """An expression in the machine's operations, to be given registers.

    overwritten  inputs that a store may overwrite
    order        the numbers of the outputs in the order in which they are computed; None: from the first to the last
    arithmetic   the arithmetic to use, if the machine has several
    together     for each result, the number of vectors that are stored as one
    intact       numbers of the results whose store leaves the register unchanged
    preserved    inputs in registers, one for each vector, that the code leaves unchanged
    disposable   inputs in registers, one for each vector, that it may overwrite with anything
    """

    def __init__(
        self,
        outputs: Sequence[Expr],
        facts: Facts,
        overwritten: Sequence[str] = (),
        order: Sequence[int] | None = None,
        arithmetic: Arithmetic | None = None,
        together: Sequence[int] = (),
        intact: Sequence[int] = (),
        preserved: Sequence[str] = (),
        disposable: Sequence[str] = (),
    ) -> None:
        self.overwritten, self.together, self._kept = tuple(overwritten), tuple(together), (tuple(outputs), facts)
        self.intact, self.preserved, self.disposable = tuple(intact), tuple(preserved), tuple(disposable)
        self.arithmetic = arithmetic or arithmetic_of(facts)
        self.tuning = facts.tuning.codegen
        order = order or range(len(outputs))
        self.steps, results = natives(legal([outputs[number] for number in order], self.arithmetic))
        self.results = [results[order.index(number)] for number in range(len(outputs))]
        self._pressures: dict[Inputs, Pressure] = {}
        self._codes: dict[tuple[int, int, int, Inputs], Lowered | None] = {}

    @classmethod
    def of(
        cls,
        outputs: Sequence[Expr],
        facts: Facts,
        overwritten: Sequence[str] = (),
        order: Sequence[int] | None = None,
        *,
        arithmetic: Arithmetic | None = None,
        together: Sequence[int] = (),
        intact: Sequence[int] = (),
        preserved: Sequence[str] = (),
        disposable: Sequence[str] = (),
    ) -> Straight:
        """Return one shared object for kernels of the same expressions, with the code already found for them. Equal
        expressions are one object, and the cached value keeps it alive, so ids are a valid key."""
        arithmetic = arithmetic or arithmetic_of(facts)
        key = (
            *map(id, outputs),
            id(arithmetic),
            id(facts),
            tuple(overwritten),
            tuple(order or ()),
            tuple(together),
            tuple(intact),
            tuple(preserved),
            tuple(disposable),
        )
        found = _recent.pop(key, None)
        if found is None:
            found = cls(outputs, facts, overwritten, order, arithmetic, together, intact, preserved, disposable)
        _recent[key] = found
        if len(_recent) > 2 * _RECENT:
            for oldest in list(_recent)[:-_RECENT]:
                _recent.pop(oldest, None)
        return found

    @property
    def operations(self) -> int:
        """The number of instructions of the expression, without loads, stores and constants."""
        return sum(step.op not in ("const", "input") for step in self.steps)

    @cached_property
    def constants(self) -> list[int]:
        """Numbers of the constants, in the order in which they should get registers: first tables of several registers,
        then those that no memory operand can replace, then the most used."""
        uses: Counter[int] = Counter()
        irreplaceable: Counter[int] = Counter(self.results)
        for step in self.steps:
            row = self.arithmetic.rows.get((step.op, step.type))
            for i, arg in enumerate(step.args):
                uses[arg] += 1
                if row is not None and i not in row.memory:
                    irreplaceable[arg] += 1
        constants = [number for number, step in enumerate(self.steps) if step.op == "const"]
        return sorted(
            constants, key=lambda number: (-self._width(number), -irreplaceable[number], -uses[number], number)
        )

    def fitted(
        self, vectors: int, unroll: int, given: Given = None, loop_invariant: Sequence[str] = ()
    ) -> Lowered | None:
        """The fastest code for at most `unroll` vectors at a time; None if there are too few registers for one
        vector."""
        attempts = self.unrollings(vectors, unroll, given, loop_invariant)
        codes = [attempt.code for attempt in attempts if attempt.code is not None]
        return min(codes, key=lambda code: code.time, default=None)

    def unrollings(
        self, vectors: int, unroll: int, given: Given = None, loop_invariant: Sequence[str] = ()
    ) -> Iterator[Unrolling]:
        """Yield the attempts worth comparing: first the most vectors at a time with every constant in a register, then
        more vectors with fewer constants, in descending order. Fewer vectors than in the first attempt would be
        slower."""
        inputs = self._inputs(given, loop_invariant)
        everything = len(self.constants)
        counts = range(unroll, 0, -1)
        whole = next((code for count in counts if (code := self._scanned(vectors, count, everything, inputs))), None)
        if whole is not None:
            yield Unrolling(whole.unroll, whole)
        for count in range(unroll, whole.unroll if whole else 0, -1):
            if not everything:
                code = None  # the attempt with every constant has already failed
            elif count <= self.tuning.shared_unroll:
                code = self._allocated(vectors, count, inputs)
            else:
                attempts = (self._scanned(vectors, count, everything - missing, inputs) for missing in (1, 2))
                code = next((attempt for attempt in attempts if attempt is not None), None)
            yield Unrolling(count, code)

    def allocated(
        self, vectors: int, unroll: int = 1, given: Given = None, loop_invariant: Sequence[str] = ()
    ) -> Lowered | None:
        """The code for `unroll` vectors at a time, with as many constants in registers as fit.

        given           names of inputs that are already in registers, one register for each vector
        loop_invariant  names of inputs that are the same in all vectors, in registers that stay
        """
        return self._allocated(vectors, unroll, self._inputs(given, loop_invariant))

    def _allocated(self, vectors: int, unroll: int, inputs: Inputs) -> Lowered | None:
        """Implement `allocated`. The number of constants that fit is found by bisection, starting from the number of
        registers that the code without resident constants leaves free."""
        best = self._scanned(vectors, unroll, len(self.constants), inputs)
        if best is not None:
            return best
        best, fits, beyond = self._scanned(vectors, unroll, 0, inputs), 0, min(len(self.constants), vectors + 1)
        likely = vectors - best.vectors if best is not None else 0
        while best is not None and beyond - fits > 1:
            count = likely if fits < likely < beyond else (fits + beyond) // 2
            likely = 0
            code = self._scanned(vectors, unroll, count, inputs)
            if code is None:
                beyond = count
            else:
                best, fits = code, count
        return best

    def spilled(self, vectors: int, given: Given = None, loop_invariant: Sequence[str] = ()) -> Lowered | None:
        """The code for one vector at a time, with values spilled to scratch memory; None if there are too few registers
        for one instruction, or too few masks."""
        scan = spilling.SpillingScan(
            self.steps, self.results, self.arithmetic, vectors, self._inputs(given, loop_invariant)
        )
        lines = scan.lines({VECTOR: vectors, MASK: self.arithmetic.masks})
        if lines is None:
            return None
        peak = scan.peak
        return Lowered(
            tuple(lines), (), peak[VECTOR], peak[MASK], 1, self.arithmetic, self.tuning, len(self.constants), scan.slots
        )

    def _scanned(self, vectors: int, unroll: int, resident: int, inputs: Inputs) -> Lowered | None:
        """The code with the first `resident` constants in registers; None if the other registers do not suffice."""
        key = vectors, unroll, resident, inputs
        if key not in self._codes:
            self._codes[key] = self._scan(*key)
        return self._codes[key]

    def _scan(self, vectors: int, unroll: int, resident: int, inputs: Inputs) -> Lowered | None:
        constants = self.constants[:resident]
        pressure = self._pressures.get(inputs)
        if pressure is None:
            pressure = self._pressures[inputs] = Pressure(self.steps, self.results, self.arithmetic, inputs)
        if self._registers(constants) + pressure.least(unroll) > vectors:
            return None
        scan = LinearScan(self.steps, self.results, self.arithmetic, unroll, constants, inputs)
        lines = scan.lines({VECTOR: vectors, MASK: self.arithmetic.masks})
        if lines is None:
            return None
        registers = tuple((register, self.steps[number].value) for number, register in scan.resident.items())
        missing = self._registers(self.constants[resident:])
        return Lowered(
            tuple(lines),
            registers,
            scan.peak[VECTOR],
            scan.peak[MASK],
            unroll,
            self.arithmetic,
            self.tuning,
            missing,
            neighbours=frozenset(scan.neighbours),
        )

    def _registers(self, constants: Sequence[int]) -> int:
        """Return the number of registers that constants fill."""
        return sum(self._width(number) for number in constants)

    def _width(self, constant: int) -> int:
        found: Constant = self.steps[constant].value
        return found.registers(self.arithmetic.register_bytes)

    def _inputs(self, given: Given, loop_invariant: Sequence[str]) -> Inputs:
        names = (given,) if isinstance(given, str) else tuple(given or ())
        return Inputs(
            names, tuple(loop_invariant), self.overwritten, self.together, self.intact, self.preserved, self.disposable
        )


def fitted(
    outputs: Sequence[Expr],
    facts: Facts,
    vectors: int,
    unroll: int,
    given: Given = None,
    loop_invariant: Sequence[str] = (),
    arithmetic: Arithmetic | None = None,
) -> Lowered:
    """The fastest code of outputs. Raises UnsupportedError if there are too few registers."""
    code = Straight.of(outputs, facts, arithmetic=arithmetic).fitted(vectors, unroll, given, loop_invariant)
    if code is None:
        shortage = too_few_registers(vectors, arithmetic_of(facts))
        raise UnsupportedError(f"the expression {shortage}: split it into several kernels")
    return code


def too_few_registers(vectors: int, arithmetic: Arithmetic) -> str:
    """Explain why an expression has no code within this many vector registers."""
    masks = f" or {arithmetic.masks} mask registers" if arithmetic.masks else ""
    return f"needs more than {vectors} vector registers{masks}"
