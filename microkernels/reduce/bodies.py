"""The code of a reduction's parts: steps, the start of a row, and the conversion of the final state into results.

Expressions are turned into operations of the machine once for each number of vectors per step (`Bodies`). Registers are
allocated once for each way that is planned.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.records import cached_property
from ..codegen.fitting import Straight, too_few_registers
from ..codegen.lowered import Lowered
from ..codegen.reducer import HERE, NEXT
from ..codegen.selection import arithmetic_of, own
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..expr.conversions import widened
from ..expr.graph import BITS, INTEGER_OF, Expr, bits, from_bits, operand
from .code import Exact, IndexCounter, Output, checked
from .finish import Finish
from .index import index_counter
from .ops import of_elements, quick_search, running
from .plan import Extents, ReducePlan
from .spec import ReduceSpec


class Bodies:
    """The parts of a reduction whose steps take up to `vectors_per_step` vectors at a time.

    arg_block   the vectors of a block of an index search, which a step takes at a time; 0: a step takes one vector
    quick       whether an index search has steps that take two vectors and ignore NaN, with exact steps to replace them
                if there is a NaN
    """

    def __init__(
        self,
        spec: ReduceSpec,
        facts: Facts,
        matrix: Extents,
        vectors_per_step: int,
        arg_block: int,
        quick: bool = False,
    ) -> None:
        self.spec, self.facts, self.matrix, self.arg_block = spec, facts, matrix, arg_block
        self.arithmetic = arithmetic_of(facts)
        limit = max(1, arg_block) if spec.arg_reduction else vectors_per_step
        reductions = [of_elements(name) for name in spec.reductions]
        self._squared = [squared for _, squared in reductions]
        self.states = [running(name, spec.compute, self.arithmetic, limit) for name, _ in reductions]
        self._indices_of_step: tuple[str, ...] = (HERE,) if spec.arg_reduction else ()
        self._exact: Bodies | None = None
        if quick:
            self._exact = Bodies(spec, facts, matrix, 1, 0)
            self.states = [quick_search(spec.name, spec.compute, self._exact.states[0])]
            self._indices_of_step = self._exact._indices_of_step = (HERE, NEXT)
        self.vectors_per_step = self.states[0].together
        self.tail_elements = matrix.columns % matrix.vector if spec.axis != 0 and not arg_block else 0
        sizes = [len(state.types) for state in self.states]
        self._first_registers = [sum(sizes[:i]) for i in range(len(sizes))]
        self._names = tuple(f"s{i}" for i in range(sum(sizes)))
        if self._exact is not None:
            self._exact._names = self._names
        self._elements = tuple(operand(f"x{i}", spec.compute) for i in range(self.vectors_per_step))
        outputs = zip(reductions, self.states, self._first_registers)
        self._finishes = [Finish(spec, facts, name, state, first) for (name, _), state, first in outputs]
        self._finished: dict[tuple[int, bool], tuple[Output, ...] | None] = {}
        self._indices: dict[tuple[int, int], IndexCounter] = {}

    def accumulators(self, vectors: int) -> int:
        """Return the number of accumulators for steps that together take this many vectors of a row."""
        per_step = self.vectors_per_step
        return max(1, min(vectors // per_step, -(-self.matrix.columns // (self.matrix.vector * per_step))))

    def plan(self, unroll: int, registers: int, interleaved_rows: int = 0) -> ReducePlan:
        """Return the plan with `unroll` accumulators per step, whose parts take at most `registers` vector registers
        each. Raises UnsupportedError if a part needs more.
        """
        spec, (rows, columns, vector) = self.spec, self.matrix
        if spec.axis == 0:
            unroll = min(unroll, self.matrix.row_vectors)
        one_by_one = unroll if interleaved_rows or spec.axis == 0 else 1
        step = self._allocated(self._step, unroll, registers)
        if self.vectors_per_step == 1 and one_by_one == unroll:
            single: Lowered | None = step
        else:
            single = self._allocated(self._single, one_by_one, registers)
        tail = self._allocated(self._tail, one_by_one, registers) if self._tail is not None else None
        outputs = self._outputs(registers, interleaved_rows > 0)
        if step is None or single is None or outputs is None or (tail is None and self._tail is not None):
            raise UnsupportedError(f"the code of a part {too_few_registers(registers, self.arithmetic)}")
        first = None
        if self._first is not None and self._starts_whole(unroll, interleaved_rows):
            first = checked(self._first.allocated(registers, unroll, self._names), len(self._names))
        cycles = rows * self.matrix.row_vectors * max(1.0, step.operations / self.vectors_per_step / 4)
        widths = tuple(width // BITS[spec.compute] for width in self.facts.widths if self.facts.halves)
        index = self._index(registers, 1 if interleaved_rows else unroll) if spec.arg_reduction else None
        exact = self._exact.exact(unroll, registers) if self._exact is not None else None
        return ReducePlan(
            spec,
            rows,
            columns,
            vector,
            step,
            single,
            tail,
            first,
            outputs,
            self.arithmetic,
            cycles,
            interleaved_rows=interleaved_rows,
            register_elements=widths,
            index=index,
            exact=exact,
        )

    def exact(self, unroll: int, registers: int) -> Exact:
        """Return the steps that take single vectors and replace quick ones."""
        step = self._allocated(self._step, unroll, registers)
        tail = self._allocated(self._tail, unroll, registers) if self._tail is not None else None
        if step is None or (tail is None and self._tail is not None):
            raise UnsupportedError(f"the exact code {too_few_registers(registers, self.arithmetic)}")
        return Exact(step, tail)

    # Steps

    def _straight_step(self, elements: Sequence[Expr], tail_elements: int) -> Straight:
        """Return the step of all outputs. If `tail_elements` is not 0, only that many elements of the vector count."""
        results: list[Expr] = []
        for first, state, squared in zip(self._first_registers, self.states, self._squared):
            inputs = tuple(operand(f"s{first + i}", dtype) for i, dtype in enumerate(state.types))
            values = [x * x if squared else x for x in elements]
            padded = [_padded(x, state.start[0], tail_elements, self.matrix.vector) for x in values]
            results += state.step(inputs, padded)
        # a quick search compares with the best so far before the next best takes its register
        return Straight(self._loaded(results), self.facts, order=(1, 0, 2) if self._exact is not None else None)

    @cached_property
    def _step(self) -> Straight:
        return self._straight_step(self._elements, 0)

    @cached_property
    def _single(self) -> Straight:
        """The step for one vector."""
        return self._step if self.vectors_per_step == 1 else self._straight_step(self._elements[:1], 0)

    @cached_property
    def _tail(self) -> Straight | None:
        """The step for the tail of a row; None if rows have no tail."""
        return self._straight_step(self._elements[:1], self.tail_elements) if self.tail_elements else None

    @cached_property
    def _first(self) -> Straight | None:
        """The state after the first elements; None if this is no less work than a step from the identity."""
        results: list[Expr] = []
        for state, squared in zip(self.states, self._squared):
            if state.first is None:
                return None
            results += state.first([x * x if squared else x for x in self._elements])
        return Straight(self._loaded(results), self.facts)

    def _starts_whole(self, unroll: int, interleaved_rows: int) -> bool:
        """Whether every accumulator starts with whole vectors: the first ones of a row, or of the first row of a block
        of columns.

        If a matrix with gaps is reduced to one element, its rows share accumulators that start only once.
        """
        if self.spec.axis is None and self.matrix.rows > 1:
            return False
        if self.spec.axis == 0:
            return self.matrix.rows >= self.vectors_per_step and self.matrix.columns >= unroll * self.matrix.vector
        along = (1 if interleaved_rows else unroll) * self.vectors_per_step
        return self.matrix.columns >= along * self.matrix.vector

    def _loaded(self, results: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return the expressions with elements in the type that loads give them."""
        return widened(results, {f"x{i}": self.spec.dtype for i in range(self.vectors_per_step)})

    def _allocated(self, part: Straight, unroll: int, registers: int) -> Lowered | None:
        return checked(part.allocated(registers, unroll, self._names, self._indices_of_step), len(self._names))

    # Outputs

    def _outputs(self, registers: int, interleaved: bool) -> tuple[Output, ...] | None:
        """Return the code after the last element; None if it needs more registers."""
        key = registers, interleaved
        if key not in self._finished:
            outputs = [finish.output(registers, interleaved) for finish in self._finishes]
            complete = tuple(output for output in outputs if output is not None)
            self._finished[key] = complete if len(complete) == len(outputs) else None
        return self._finished[key]

    def _index(self, registers: int, turn: int) -> IndexCounter:
        """Return the code that counts indices. `turn` is the number of accumulators of a row."""
        if (registers, turn) not in self._indices:
            vectors = self.arg_block or self.vectors_per_step
            counter = index_counter(self.spec, self.facts, registers, self.matrix.vector, turn, vectors, self.arg_block)
            self._indices[registers, turn] = counter
        return self._indices[registers, turn]


def _padded(x: Expr, identity: int, tail_elements: int, vector: int) -> Expr:
    """Return x with the identity in the lanes after the tail, which were loaded as zeros."""
    if identity == 0 or not tail_elements:
        return x
    integer = INTEGER_OF[x.dtype]
    pad = own("const", integer, value=(0,) * tail_elements + (identity,) * (vector - tail_elements))
    return from_bits(bits(x) | pad) if x.dtype != integer else x | pad
