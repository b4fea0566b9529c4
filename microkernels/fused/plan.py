"""The plan of a fused kernel: the code of each pass over a row, and the registers that hold row values.

All passes run over one row before the next row begins, so every pass but the first finds the row in L1, or in registers
(`Banks` in parts.py) if it is short. A pass is elementwise code whose results are accumulator states, kept elements,
and rows of results. Its unroll factor is the number of accumulators per reduction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import TypeVar, cast

from ...encoder.records import cached_property, dataclass
from ..choice import Plan, Refusal, choose, refused, tried
from ..codegen.fitting import Straight, fitted, too_few_registers
from ..codegen.laid_by import LaidBy, laid_by
from ..codegen.lowered import Lowered
from ..codegen.reducer import Running
from ..codegen.selection import Arithmetic, Constant, arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import BYTE, check_types
from ..errors import UnsupportedError
from ..expr.conversions import narrowed, widened
from ..expr.graph import BITS, Expr, expand, operand
from ..functions.activations import ACTIVATIONS
from ..reduce.code import Output
from ..reduce.scans import scans_of, start_of, with_scans
from ..stages import Stage, svg
from .ahead import Ahead
from .compensated import is_sum_of_powers, rounds_of
from .folds import finished, padded, state_of, summed
from .hoisted import hoisted
from .parts import AccumulatorPool, Banks, PassCode, RowCode
from .passes import Pass, Passes, RowPart, StoredElement, places_of
from .spec import FusedSpec
from .stages import stages, values
from .ways import RowSchedule, banks_of, in_banks, reason_against, vector_of, ways

T = TypeVar("T")


@dataclass(frozen=True)
class FusedPlan(Plan):
    """The passes, and the row values between them."""

    spec: FusedSpec
    rows: int
    columns: int
    vector: int  # elements of a whole vector
    arithmetic: Arithmetic
    loop_invariant: tuple[str, ...]  # inputs with a single element
    per_row: tuple[str, ...]  # inputs with one element per row
    values: tuple[str, ...]  # reductions and other row values, in registers from definition to last use
    interleave: int  # rows whose passes alternate, so that one row hides the latency of the other
    places: tuple[int, ...]  # the register of each of `values`; values that are never live together share one
    row_parts: tuple[RowCode, ...]
    passes: tuple[PassCode, ...]
    instruction_cycles: float
    ahead: Ahead  # the prefetches and streaming stores
    stored: tuple[str, ...]  # row values that lie in scratch memory instead of registers
    narrower: tuple[int, ...]  # element counts of the narrower vectors that accumulators are folded into first
    banks: Banks  # the registers of the rows that several passes read
    laid_by: LaidBy | None = None  # the levels of sums down the columns of many rows

    @property
    def held(self) -> tuple[str, ...]:
        """The names of the values that stay in registers during the passes over a row."""
        return () if self.stored else (*self.loop_invariant, *self.per_row, *self.values)

    @cached_property
    def scratch(self) -> tuple[StoredElement, ...]:
        """The kept elements that lie in scratch memory."""
        return tuple(each for each in self.spec.passes.kept if each.result is None and each.name not in self.banks)

    @property
    def slots(self) -> int:
        """The number of spill slots in scratch memory."""
        return max(each.slots for each in self.codes)

    @property
    def line(self) -> int:
        """Bytes per row of kept elements in scratch memory, rounded up to whole vectors."""
        return -(-self.columns // self.vector) * self.vector * ELEMENT_BYTES[self.spec.compute]

    @property
    def tail(self) -> int:
        """The number of elements in the partial last vector of a row, or 0."""
        return self.columns % self.vector

    @property
    def counts(self) -> list[int]:
        """All element counts of vectors that some code loads or stores; operations use whole vectors."""
        return sorted({self.vector, self.tail, *self.narrower, 1} - {0})

    @property
    def registers(self) -> int:
        """The number of vector registers in use at a time, without masks."""
        code = max(each.vectors for each in self.codes)
        sums = max((each.pool.vectors for each in self.passes), default=0)
        between_rows = 2 if self.laid_by is not None else 0
        return self.row_registers + max(sums + code, between_rows) + self.arithmetic.spare

    @property
    def row_registers(self) -> int:
        """The number of registers that are live across passes."""
        if self.stored:
            return 1
        return len(self.loop_invariant) + self.interleave * (self.registers_of_a_row + self.banks.registers)

    @property
    def registers_of_a_row(self) -> int:
        """The number of those registers per row."""
        return len(self.per_row) + max(self.places, default=-1) + 1

    @property
    def codes(self) -> list[Lowered]:
        """The code of all parts."""
        found = [part.code for part in self.row_parts]
        for each in self.passes:
            found += [each.step, *([each.tail] if each.tail else [])]
            for output in each.outputs:
                found += [code for code in (output.join, output.settle, output.fold, output.result) if code]
        return found

    @property
    def parts(self) -> list[RowCode | PassCode]:
        """All parts in execution order: row values come before the pass of their level."""
        return sorted([*self.row_parts, *self.passes], key=lambda each: (each.cut.level, isinstance(each, PassCode)))

    @property
    def stages(self) -> list[Stage]:
        """The parts as stages."""
        codes = (
            (each.cut, str(each.step) if isinstance(each, PassCode) else f"{each.code.operations} operations")
            for each in self.parts
        )
        return list(stages(self.spec, codes, self.held, self.banks))

    def svg(self) -> str:
        """Return a picture of the stages as SVG text: what each reads and makes, and the live range of every value."""
        return svg(str(self.spec), values(self.spec, self.stages, self.held, self.banks), self.stages)

    @property
    def cycles(self) -> float:
        """Estimated cycles, from the number of instructions alone."""
        vectors = -(-self.columns // self.vector)
        along = sum(vectors * each.operations for each in self.passes)
        between = sum(part.code.operations for part in self.row_parts) + 20 * len(self.spec.passes.reductions)
        return max(1.0, self.rows * (along + between) * self.instruction_cycles)

    def __str__(self) -> str:
        interleaved = f", {self.interleave} in turn" if self.interleave > 1 else ""
        lines = [
            str(self.spec),
            f"{self.rows} rows{interleaved}, {len(self.passes)} passes over each, vectors of {self.vector}",
        ]
        lines += [stage.text for stage in self.stages]
        lines += [f"  {self.ahead}"] if str(self.ahead) else []
        lines += [f"  {self.laid_by}"] if self.laid_by is not None else []
        return "\n".join([*lines, f"{self.cycles:.0f} cycles{self.spec.schedule.summary}"])


def plan(spec: FusedSpec, facts: Facts) -> FusedPlan:
    """Return the plan with the fewest estimated cycles."""
    return cast(FusedPlan, choose(candidates(spec, facts)))


def candidates(spec: FusedSpec, facts: Facts) -> Iterator[Plan | Refusal]:
    """Yield the first plan that fits into the registers, after refusals of the plans that need more.

    If none fits, the refusal of the plan that needs the fewest registers comes first: it is the one the caller sees.
    """
    check_types(spec, arithmetic_of(facts, spec.numerics))
    expansions: dict[Expr, Expr] = {}
    refusals: list[Plan | Refusal] = []
    for way in ways(facts.tuning.fused):
        if reason := reason_against(way, spec, facts):
            refusals.append(refused(str(way), reason))
            continue
        made = tried(str(way), partial(_planned, spec, facts, way, expansions))
        if not isinstance(made, Refusal):
            yield from [*refusals, made]
            return
        refusals.append(made)
    yield from reversed(refusals)


def _planned(spec: FusedSpec, facts: Facts, way: RowSchedule, expansions: dict[Expr, Expr]) -> FusedPlan:
    return _Planner(spec, facts, way, expansions).plan()


@lru_cache(maxsize=256)
def _expansions(
    values: tuple[Expr, ...], accuracy: str, tables: int, types: tuple[tuple[str, str], ...]
) -> tuple[Expr, ...]:
    """Expand functions into arithmetic, and widen inputs of these types. Kernels of all extents share the results."""
    return widened(expand(values, ACTIVATIONS, accuracy=accuracy, tables=tables), dict(types))


def expanded(spec: FusedSpec, arithmetic: Arithmetic, values: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Expand functions into arithmetic, and widen inputs the way loads do."""
    types = tuple((x.name, x.dtype) for x in spec.inputs)
    return _expansions(values, spec.accuracy_of_functions, spec.usable(arithmetic.tables), types)


class _Planner:
    """Plans the parts of a request on a machine. `expansions` caches expanded expressions for all ways."""

    def __init__(self, spec: FusedSpec, facts: Facts, way: RowSchedule, expansions: dict[Expr, Expr]) -> None:
        self.asked, self.facts, self.way, self.expansions = spec, facts, way, expansions
        self.spec = spec = in_banks(spec) if way.banks else spec
        self.arithmetic = arithmetic_of(facts, spec.numerics)
        self.vector = vector_of(spec, facts)
        self.tail = spec.n % self.vector
        narrow = [x for x in spec.inputs if spec.narrow(x)]
        self.loop_invariant = tuple(x.name for x in narrow if x.rows == 1)
        self.per_row = tuple(x.name for x in narrow if x.rows > 1)
        self.passes = self._moved()
        self.powers = {
            i
            for each in spec.passes.passes
            for i, element in each.reduced
            if is_sum_of_powers(spec.passes.reductions[i], element)
        }
        named = [name for part in self.passes.rows for name, _ in part.values]
        self.values = (*(f"@a{i}" for i in range(len(spec.passes.reductions))), *named)
        self.held: tuple[str, ...] = (*self.loop_invariant, *self.per_row, *self.values)
        self.places = places_of(self.passes, self.values)
        sizes = {BITS[spec.compute] // 8} | {ELEMENT_BYTES[each.dtype] for each in spec.operands}
        counts = {self.tail, 1} - {0}
        masks = sum(facts.needs_mask_register(count, each) for count in counts for each in sizes if each > 2)
        self.registers = facts.vector_registers - masks - self.arithmetic.spare
        self.banks = banks_of(spec, -(-spec.n // self.vector)) if way.banks else Banks((), (), 0)
        self.registers -= way.interleave * self.banks.registers
        self.stored = self.held if way.spills > 1 else ()
        if self.stored:
            self.held = ()
            self.registers -= 1  # the register through which row values are stored
        else:
            self.registers -= len(self.loop_invariant)
            self.registers -= way.interleave * (len(self.per_row) + max(self.places, default=-1) + 1)
        if self.registers < 1:
            raise UnsupportedError("values of the row occupy all registers; split the function into several kernels")

    def plan(self) -> FusedPlan:
        """Plan the way. Raises UnsupportedError if even its fewest accumulators do not fit."""
        way, spec = self.way, self.spec
        cycles = max(1.0, self.facts.fma_cycles(self.facts.widths[0]) * 2)
        row_vectors = -(-spec.n // self.vector)
        most, least = (max(1, min(count, row_vectors)) for count in (way.unroll, way.least))
        passes = tuple(
            self._widest(each, most, least)
            for cut in self.passes.passes
            for each in (cut.split() if way.split else [cut])
        )
        longest = max((each.step.operations for each in passes), default=0)
        if way.banks and way.interleave == 1 and longest > self.facts.tuning.fused.lone_operations:
            raise UnsupportedError(f"a pass has {longest} operations a vector: two rows in turn from L1 are faster")
        return FusedPlan(
            spec,
            spec.m,
            spec.n,
            self.vector,
            self.arithmetic,
            self.loop_invariant,
            self.per_row,
            self.values,
            way.interleave,
            self.places,
            tuple(self._row(part) for part in self.passes.rows),
            passes,
            cycles / self.facts.tuning.eltwise.instructions_per_cycle,
            Ahead(spec, self.facts, longest),
            self.stored,
            self._narrower,
            self.banks,
            self._laid_by,
            way=str(way),
        )

    @property
    def _laid_by(self) -> LaidBy | None:
        return laid_by(self.spec.sums_of_rows, self.spec.compute, self.spec.m, self.vector)

    def _moved(self) -> Passes:
        """Return the passes without the operations that are computed once per row."""

        def expanded(values: Sequence[Expr]) -> Sequence[Expr]:
            return [value for _, value in self._expanded([(0, value) for value in values])]

        passes = hoisted(self.spec.passes, self.spec.compute, expanded)
        for each, before in zip(passes.passes, self.spec.passes.passes):
            if each is not before:
                self.expansions.update((value, value) for value in each.values)
        return passes

    @property
    def _narrower(self) -> tuple[int, ...]:
        widths = self.facts.widths if self.facts.halves else ()
        counts = (width // BITS[self.spec.compute] for width in widths)
        return tuple(count for count in counts if count < self.vector)

    def _row(self, part: RowPart) -> RowCode:
        results = tuple(self._stored(value, i) for i, value in self._expanded(part.results))
        values = (*(value for _, value in self._expanded(part.values)), *results)
        straight = Straight.of(values, self.facts, arithmetic=self.arithmetic)
        code = straight.spilled(self.registers, None, self.held) if self.way.spills else None
        code = code or fitted(values, self.facts, self.registers, 1, None, self.held, self.arithmetic)
        bits = any(self.spec.outputs[number].name in self.spec.bits for number, _ in part.results)
        whole = bits or code.slots or self.stored or code.has_tables
        return RowCode(part, code, 0 if whole else min(self._narrower, default=0))

    def _stored(self, value: Expr, number: int) -> Expr:
        """Convert a result to the type that its store takes."""
        dtype = self.spec.outputs[number].dtype
        return narrowed(value, dtype, (dtype, self.spec.compute) in self.arithmetic.converts)

    def _expanded(self, numbered: Sequence[tuple[T, Expr]]) -> list[tuple[T, Expr]]:
        """Expand functions into arithmetic, and widen inputs the way loads do."""
        missing = tuple(value for _, value in numbered if value not in self.expansions)
        if missing:
            self.expansions.update(zip(missing, expanded(self.spec, self.arithmetic, missing)))
        return [(number, self.expansions[value]) for number, value in numbered]

    # Passes

    def _widest(self, each: Pass, most: int, least: int) -> PassCode:
        """Plan the pass with the largest unroll factor that fits into the registers. A scan goes from vector to
        vector."""
        if self._scans(each):
            return self._pass(each, 1, most)
        while most > least:
            found = tried(f"{most} accumulators", partial(self._pass, each, most))
            if not isinstance(found, Refusal):
                return found
            most = max(most // 2, least)
        return self._pass(each, least)

    def _scans(self, each: Pass) -> tuple[Expr, ...]:
        """Return the scans of a pass."""
        return scans_of([value for _, value in self._expanded([*each.reduced, *each.kept, *each.results])])

    def _pass(self, each: Pass, unroll: int, repeats: int = 1) -> PassCode:
        """Plan a pass with this many accumulators, which repeats its step before the pointers move."""
        in_steps = unroll < -(-self.spec.n // self.vector)
        if self.spec.bits and in_steps:
            repeats = max(repeats, BYTE // (unroll * self.vector))
            if repeats * unroll * self.vector % BYTE:
                raise UnsupportedError(
                    f"the bits of {unroll} vectors of {self.vector} elements do not fill whole bytes"
                )
        names = self.spec.passes.reductions
        states = [state_of(names[i], self.spec.compute, self.facts, self.spec.numerics) for i, _ in each.reduced]
        firsts = [sum(len(state.types) for state in states[:i]) for i in range(len(states))]
        outputs = tuple(self._output(i, first) for (i, _), first in zip(each.reduced, firsts))
        compensated = self._compensated(each, outputs)
        accuracy = self.spec.accuracy_of_functions
        rounds = rounds_of(self.spec.n, unroll, self.vector, accuracy) if compensated else 0
        repeats = max(repeats, rounds)
        carries = tuple(Constant(start_of(scan.value[0], scan.dtype), BITS[scan.dtype]) for scan in self._scans(each))
        pool = AccumulatorPool(outputs, self.arithmetic, unroll, compensated if rounds else (), repeats == 1, carries)
        step = self._step(each, states, pool)
        repeats *= unroll // step.unroll
        tail = self._code(each, states, 1, pool, self.tail) if self.tail else None
        most = max(
            (code.vectors for output in outputs for code in (output.join, output.settle, output.fold) if code),
            default=0,
        )
        if pool.vectors + most > self.registers:
            raise self._too_few("folding")
        return PassCode(each, step, repeats, tail, outputs, pool, tuple(self.banks.of(each)))

    def _compensated(self, each: Pass, outputs: Sequence[Output]) -> tuple[Output, ...]:
        """Return the sums that are compensated: sums of powers, unless values are spilled."""
        sums = [output for (i, _), output in zip(each.reduced, outputs) if i in self.powers]
        return () if self.way.spills else tuple(sums)

    def _step(self, each: Pass, states: Sequence[Running], pool: AccumulatorPool) -> Lowered:
        """Return the code of one step: a vector for each accumulator, or a part of them if the row is in registers."""
        unroll = pool.accumulators
        while self.banks.places and unroll > 1 and not pool.compensated:
            found = tried(f"{unroll} vectors at a time", partial(self._code, each, states, unroll, pool, 0))
            if not isinstance(found, Refusal):
                return found
            unroll //= 2
        return self._code(each, states, unroll, pool, 0)

    def _code(self, each: Pass, states: Sequence[Running], unroll: int, pool: AccumulatorPool, tail: int) -> Lowered:
        """Return the code of one step of a pass, in the registers that the accumulators leave."""
        spec = self.spec
        stored = [value for _, value in self._expanded(each.kept)]
        results = [self._stored(value, i) for i, value in self._expanded(each.results)]
        names: list[str] = []
        taken: list[Expr] = []
        for (i, element), state, output in zip(self._expanded(each.reduced), states, pool.outputs):
            name = spec.passes.reductions[i]
            given = tuple(operand(f"@s{len(names) + i}", dtype) for i, dtype in enumerate(state.types))
            names += [str(register.value) for register in given]
            added = padded(element, state.start[0], tail, self.vector) if tail else element
            if pool.holds_powers and output in pool.compensated:
                taken += (added,)
            else:
                taken += summed(given, added) if name == "sum" else state.step(given, [added])
        scans = self._scans(each)
        carried, values = with_scans((*taken, *stored, *results), scans, self.vector)
        names += [str(carry.value) for carry, _ in carried]
        after = (carry if tail else later for carry, later in carried)  # no element is behind a tail
        values = (*values[: len(taken)], *after, *values[len(taken) :])
        first = len(taken) + len(scans)
        order = (*range(len(taken)), *range(first, len(values)), *range(len(taken), first))  # carries are read last
        whole = self.banks.places or not tail  # a whole store clobbers no register
        kept = range(first, first + len(stored)) if whole else ()
        preserved, disposable = self.banks.preserved(each), self.banks.disposable(each)
        straight = Straight.of(
            values,
            self.facts,
            self._overwritten(each),
            order,
            arithmetic=self.arithmetic,
            intact=kept,
            preserved=preserved,
            disposable=disposable,
        )
        left = self.registers - pool.vectors
        if left < 1:
            raise UnsupportedError(f"pass {each.level}: the accumulators leave no register for their code")
        code = straight.allocated(left, unroll, [*names, *self.banks.of(each)], self.held)
        if code is None and self.way.spills:
            code = straight.spilled(left, names, self.held)
        if code is None or code.masks + pool.masks > self.arithmetic.masks > 0:
            raise UnsupportedError(f"pass {each.level} {too_few_registers(left, self.arithmetic)}")
        return code

    def _overwritten(self, each: Pass) -> tuple[str, ...]:
        """Return the inputs that a store of the pass may overwrite, so that they are loaded before it."""
        stores = len(each.kept) + len(each.results)
        return (*self.asked.in_place, *(kept.name for kept in self.spec.passes.kept)) if stores else ()

    def _output(self, number: int, first: int) -> Output:
        name = self.spec.passes.reductions[number]
        output = finished(name, self.spec.compute, self.facts, self.spec.numerics, first, self.registers)
        if output is None:
            raise self._too_few(f"{name} along rows")
        return output

    def _too_few(self, what: str) -> UnsupportedError:
        shortage = too_few_registers(self.registers, self.arithmetic)
        return UnsupportedError(f"{what} {shortage}: split the function into several kernels")
