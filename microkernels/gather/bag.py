"""Reductions over compressed rows: of embedding bags, products with CSR matrices, and graphs.

    y[b, j] = sum over p from offsets[b] to offsets[b + 1] - 1 of weights[p] * x[index[p], j]

or the mean, maximum or minimum of these terms, which bag_spec.py lists. `compressed.py` has the loop over the entries.

The result of an empty bag is 0. Terms are added in the order of p and each is rounded once: with weights, product and
sum are fused. If an index may have more than 4,096 elements, sums of floats are folded (codegen/long_sums.py). Sums of
i32 without weights wrap. Elements of other types become f32 first. A mean is the sum divided by
the number of the bag's indices. max and min compare the products; NaN is above everything. The accumulators of a bag
and a block of columns stay in registers. While a row is added, the row `prefetch` indices later is prefetched.

With `arg`, a maximum or minimum is the term of the first entry that no later one exceeds, or of the first NaN, and its
position is kept beside it; that of a bag without entries is -1.

Source: Georganas et al., Tensor Processing Primitives, section 3.2 (indexed reductions of columns) and figure 18
(reductions of graphs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import Any

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, Way, refused
from ..codegen.fitting import fitted
from ..codegen.long_sums import DYNAMIC_TERMS, Between, Levels, LongSums, dynamic_in_blocks, levels_of
from ..codegen.lowered import Lowered, LoweredBody
from ..codegen.reducer import HERE
from ..codegen.selection import Constant, Iota, arithmetic_of
from ..contract.machine import Address, Amount, Facts, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import breadth
from ..dtypes import DTYPES, ELEMENT_BYTES, FLOAT8
from ..expr.conversions import widened
from ..expr.graph import BITS, Expr, apply, maximum, minimum, multiply_add, operand, select, to_float
from ..reduce.ops import REDUCTIONS, SEARCHES, identity_bits
from .bag_spec import BagSpec
from .compressed import CompressedRows

_TERM_REGISTERS = 2  # for a row's vector, and its weight or a vector of the second operand


@dataclass(frozen=True)
class BagPlan(Plan):
    """How a bag is computed: `vector` is the number of elements per vector, `accumulators` the number of vectors of
    columns whose results are in registers at the same time."""

    spec: BagSpec
    vector: int
    accumulators: int
    code: Lowered | None  # of a term, if a load does not yield the type of the sums
    cycles: float
    levels: Levels | None  # of sums of floats
    finish: Lowered | None = None  # divides sums by the number of entries, or names the first entry if none was taken

    @property
    def together(self) -> int:
        """The number of columns whose results are in registers at the same time."""
        return min(self.spec.n, self.accumulators * self.vector)

    @property
    def scratch_bytes(self) -> int:
        """Bytes of scratch memory for the levels."""
        width = self.vector * ELEMENT_BYTES[self.spec.acc_dtype]
        return 0 if self.levels is None else self.levels.bytes(self.accumulators, width)

    def __str__(self) -> str:
        return f"{self.spec}\n{self.together} columns at a time in vectors of {self.vector}; {self.cycles:.0f} cycles"


def candidates(spec: BagSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield ways with fewer and fewer accumulators, which leave more registers for the expression of a term."""
    dtype, sums, loads = spec.dtype, spec.acc_dtype, arithmetic_of(facts).loads
    if dtype != sums and (dtype, sums) not in loads:
        known = ", ".join(sorted(storage for storage, compute in loads if compute == sums))
        yield refused(
            "sums in registers",
            f"{dtype} computed in {sums}: this target has no conversion for it; it has conversions for {known}",
        )
        return
    for accumulators in range(facts.tuning.gather.bag_vectors, 0, -1):
        yield Way(f"sums in {accumulators} registers", partial(_planned, spec, facts, accumulators))


def _planned(spec: BagSpec, facts: Facts, accumulators: int) -> BagPlan:
    """Plan a load and an addition for each vector of each row."""
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    vectors = -(-spec.n // vector)
    code = _term_code(spec, facts, vector, accumulators)
    term = code.operations if code else facts.load_cycles(facts.widths[0])
    cycles = spec.count * (vectors * term + facts.tuning.gather.row_cycles)
    finish = _finish_code(spec, facts, accumulators) if spec.name == "mean" or spec.arg else None
    floats = spec.name in ("sum", "mean") and DTYPES[spec.acc_dtype].real
    terms = DYNAMIC_TERMS if "count" in spec.at_call else spec.count
    levels = levels_of(terms, 1) if floats else None
    return BagPlan(spec, vector, accumulators, code, cycles, levels, finish)


_SUM, _AT, _TERM, _OTHER, _WEIGHT, _COUNT = "sum", "at", "x", "t", "weight", "count"
_COMPARED = {"max": maximum, "min": minimum}
_COMBINED: dict[str, Callable[[Expr, Expr], Expr]] = {
    "mul": lambda x, other: x * other,
    "add": lambda x, other: x + other,
    "sub": lambda x, other: x - other,
    "div": lambda x, other: x / other,
}


def _number(name: str, acc_dtype: str) -> Expr:
    """Return a 32-bit number that `Iota` put into every lane, as an integer of the lane's size."""
    number = operand(name, "i32")
    return apply("low_word", number) if acc_dtype == "f64" else number


def _registers(spec: BagSpec, accumulators: int) -> int:
    """Return the number of vector registers beside those of expressions: results, their positions, and a term."""
    return accumulators * (1 + spec.arg) + _TERM_REGISTERS + spec.arg


def _term_code(spec: BagSpec, facts: Facts, vector: int, accumulators: int) -> Lowered | None:
    """Return the code that takes the next term to the result so far; None if verbs of the machine do."""
    compared = _COMPARED.get(spec.name)
    added = not spec.second and (spec.combine == "mul" or not spec.weighted) and compared is None and not spec.each
    if DTYPES[spec.dtype].real and spec.dtype not in FLOAT8 and added:
        return None
    total, term = operand(_SUM, spec.acc_dtype), operand(_TERM, spec.acc_dtype)
    other = operand(_OTHER if spec.second else _WEIGHT, spec.acc_dtype) if spec.second or spec.weighted else None
    fused = other is not None and (spec.combine == "mul" or spec.dot) and compared is None
    combined = term if other is None or fused else _COMBINED[spec.combine](term, other)
    if spec.each and not spec.dot:
        results = [_COMBINED["mul"](term, other) if fused and other is not None else combined]
    elif spec.arg:
        take = SEARCHES[f"arg{spec.name}"].better(total, combined)
        at = operand(_AT, "i64" if spec.acc_dtype == "f64" else "i32")
        results = [select(take, combined, total), select(take, _number(HERE, spec.acc_dtype), at)]
    elif compared is not None:
        results = [compared(total, combined)]
    else:
        results = [multiply_add(term, other, total) if fused and other is not None else total + combined]
    tail = spec.n % vector
    tail_mask = tail > 0 and facts.needs_mask_register(tail, ELEMENT_BYTES[spec.acc_dtype])
    registers = facts.vector_registers - _registers(spec, accumulators) - tail_mask
    outputs = widened(results, {_TERM: spec.dtype, **({_OTHER: spec.dtype} if spec.second else {})})
    given = (*_state(spec), _TERM, *((_OTHER,) if spec.second else ()))
    invariant = (*((_WEIGHT,) if spec.weighted else ()), *((HERE,) if spec.arg else ()))
    return fitted(outputs, facts, registers, 1, given=given, loop_invariant=invariant)


def _state(spec: BagSpec) -> tuple[str, ...]:
    """Return the names of the results so far, which the code of a term takes and gives."""
    return () if spec.each and not spec.dot else (_SUM, _AT) if spec.arg else (_SUM,)


def _finish_code(spec: BagSpec, facts: Facts, accumulators: int) -> Lowered:
    """Return the code that divides an accumulator by the number of entries, an integer in every lane; or that replaces
    the position of a maximum that no entry exceeds, which is that of infinity, by the first one."""
    count = _number(_COUNT, spec.acc_dtype)
    registers = facts.vector_registers - _registers(spec, accumulators) - 1
    if spec.arg:
        at = operand(_AT, count.dtype)
        made, given = select(at == -1, count, at), _AT
    else:
        made, given = operand(_SUM, spec.acc_dtype) / to_float(count), _SUM
    return fitted([made], facts, registers, 1, given=(given,), loop_invariant=(_COUNT,))


def emit(m: Machine, plan: BagPlan) -> None:
    """Append the kernel to the machine's assembler."""
    codes = [code.vectors for code in (plan.code, plan.finish) if code] or [0]
    m.enter(_registers(plan.spec, plan.accumulators) + max(codes))
    _Bags(m, plan).emit()
    m.leave()


class _Bags:
    """Loops over bags and blocks of columns, around the loop over entries."""

    results: Sequence[list[Vector]]
    """The sums of a block of columns, and with `arg` the positions."""
    spare: Vector
    weight: Vector
    here: Sequence[Vector]
    body: LoweredBody | None = None
    vectors: Sequence[Vector]
    masks: Sequence[Any]
    widest: Lanes

    def __init__(self, m: Machine, plan: BagPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.bytes_in, self.bytes_out = ELEMENT_BYTES[plan.spec.dtype], ELEMENT_BYTES[plan.spec.acc_dtype]
        arguments = dict(m.named_arguments(plan.spec.interface.parameters()))
        self.extents: dict[str, Amount] = {
            name: getattr(plan.spec, name) for name in ("bags", "size", "count", "second_size")
        }
        self.extents |= {name: m.in_slot(arguments.pop(name)) for name in plan.spec.at_call}
        self.bad: General | Slot | None = arguments.pop("bad", None)
        if self.bad is not None and not isinstance(self.bad, Slot):
            self.bad = m.to_slot(self.bad)
        self.pointers: dict[str, General] = arguments
        if plan.spec.ranged:
            self._enter_range(self.pointers.pop("ranges"))
        self.entries = CompressedRows(m, plan.spec, self.pointers, self.extents, self.bad is not None)
        self.bags, self.blocks = m.counter("bags"), m.counter("blocks")
        self.long: LongSums | None = None
        if plan.levels is not None:
            self.levels, self.whole = m.to_slot(m.scratch(plan.scratch_bytes)), m.general("indices of whole blocks")
            self.length = m.counter("indices of the bag")
            self.long = LongSums(m, plan.levels, self.entries.place)

    def _moving(self) -> list[tuple[str, int, int]]:
        """Return the names of the pointers that move from block to block of columns, with the bytes of an element; and
        the bytes from bag to bag, 0 if they do not move."""
        spec = self.spec
        t = [("t", self.bytes_in, spec.ldt * self.bytes_in * (spec.second == "rows"))] if spec.second else []
        rows = 0 if spec.each else spec.ldy * self.bytes_out
        y = [(name, self.bytes_out, rows) for name in ("y", "arg") if name in self.pointers]
        return [("x", self.bytes_in, 0), *t, *y]

    def _enter_range(self, ranges: General | Slot) -> None:
        """Go to the first row of the range that the call gives, and keep the number of rows to its end."""
        m = self.m
        last, first = m.in_register(ranges, "ranges"), m.general("first row")
        m.load_index(first, last, 0, 8)
        m.load_index(last, last, 8, 8)
        m.advance(last, first, -1)
        for name, step in (("offsets", 8), *((name, step) for name, _, step in self._moving())):
            if step:
                m.advance(self.pointers[name], first, step)
        many = self.extents["bags"] = m.counter("rows of the range")
        m.copy(many, last)
        m.release(first)
        m.release(last)

    def emit(self) -> None:
        """Emit the loop over bags."""
        m, plan, spec = self.m, self.plan, self.spec
        counts = {plan.vector, plan.together % plan.vector, spec.n % plan.vector, *([1] if spec.dot else [])} - {0}
        if self.entries.first_bad is not None:
            m.copy(self.entries.first_bad, -1)
        bags = self.extents["bags"]
        with (
            nullcontext() if isinstance(bags, int) else m.unless_zero(bags),
            ExitStack() as scope,
            m.predicates(),
            m.vectors(plan.accumulators, "sums") as sums,
            m.vectors(plan.accumulators * spec.arg, "positions") as positions,
            m.vectors(_TERM_REGISTERS, "a term") as (self.spare, self.weight),
            m.vectors(spec.arg, "the position of the entry") as self.here,
        ):
            self.results = [sums, positions] if spec.arg else [sums]
            self.lanes = {count: m.lanes(spec.acc_dtype, count) for count in counts if count <= spec.n or spec.dot}
            if self.bytes_in != self.bytes_out and arithmetic_of(m.facts).packed:
                for count in self.lanes:
                    m.lanes(spec.dtype, count)
            self.widest = max(self.lanes.values(), key=breadth)
            codes = [code for code in (plan.code, plan.finish) if code is not None]
            if codes:
                vectors, masks = (max(getattr(code, file) for code in codes) for file in ("vectors", "masks"))
                self.vectors = scope.enter_context(m.vectors(vectors, "the expression"))
                self.masks = scope.enter_context(m.masks(masks))
            if plan.code is not None:
                self.body = self._on(plan.code)
            with m.loop(self.bags, bags):
                if spec.dot:
                    self._dots()
                else:
                    self._columns(self._block)
                for name, _, step in self._moving():
                    if step:
                        m.advance(self.pointers[name], step)
                m.advance(self.pointers["offsets"], 8)
        if self.bad is not None:
            self.entries.report(self.bad)

    def _on(self, code: Lowered) -> LoweredBody:
        """Put code on the registers that terms and means take in turn, and load its constants."""
        return code.on(self.m, self.vectors, self.masks, self.widest)

    def _columns(self, block: Callable[[int], None], moving: Iterable[tuple[General, int]] | None = None) -> None:
        """Emit the blocks of columns of a bag; leaves the pointers as they were. moving: the pointers that move from
        block to block with the bytes of an element, if they are others than those of the arrays."""
        m, together = self.m, self.plan.together
        pointers = [(self.pointers[name], size) for name, size, _ in self._moving()] if moving is None else [*moving]
        loops, rest = divmod(self.spec.n, together)
        moved = loops > 1 or (loops and rest)
        with m.loop(self.blocks, loops):
            block(together)
            if moved:
                for pointer, size in pointers:
                    m.advance(pointer, together * size)
        if rest:
            block(rest)
        if moved:
            for pointer, size in pointers:
                m.advance(pointer, -loops * together * size)

    def _vectors(self, columns: int) -> list[tuple[int, Lanes]]:
        """Return the first column of each vector of a block, and its lanes."""
        vector = self.plan.vector
        return [(start, self.lanes[min(vector, columns - start)]) for start in range(0, columns, vector)]

    def _block(self, columns: int) -> None:
        """Compute some columns of a bag from its first entry to its last, and store them."""
        m, vectors = self.m, self._vectors(columns)
        if not self.spec.each:
            self._clear(vectors)
        with self.entries.unless_empty():
            self._start(vectors)
            self.entries.begin()
            self._all_entries(vectors, columns)
            if self.plan.finish is not None:
                self._finish(self._on(self.plan.finish), vectors)
                if self.plan.code is not None:
                    self.body = self._on(self.plan.code)
        for name, registers in () if self.spec.each else zip(("y", "arg"), self.results):
            base = self._base(name)
            for register, (start, lanes) in zip(registers, vectors):
                m.store(m.at(base, start * self.bytes_out), register, lanes)

    def _base(self, name: str) -> General:
        """Return a register with the address of an array, which is that of places between entries if it has none."""
        pointer = self.pointers[name]
        if not isinstance(pointer, Slot):
            return pointer
        self.m.copy(self.entries.place, pointer)
        return self.entries.place

    def _clear(self, vectors: list[tuple[int, Lanes]]) -> None:
        """Set the results to those of a bag without entries."""
        for register, (_, lanes) in zip(self.results[0], vectors):
            self.m.zero(register, lanes)
        for register, (_, lanes) in zip(self.results[-1], vectors) if self.spec.arg else ():
            arithmetic_of(self.m.facts).constant(
                self.m, register, Constant((1 << 8 * self.bytes_out) - 1, 8 * self.bytes_out), lanes
            )

    def _all_entries(self, vectors: list[tuple[int, Lanes]], columns: int) -> None:
        """Take the rows of all entries that are left, of which there is at least one."""
        m, long, walk = self.m, self.long, self.entries

        def entries() -> None:
            with walk.entries(columns):
                self._take(vectors)

        if long is None:
            entries()
            return
        registers, lanes, free = self.results[0][: len(vectors)], vectors[0][1], [self.spare]

        def rest() -> None:
            with m.unless_zero(walk.left):
                entries()

        def with_base(emit: Callable[[], None]) -> Callable[[], None]:
            def emitted() -> None:
                m.copy(walk.place, self.levels)
                emit()

            return emitted

        between = Between(
            with_base(lambda: long.clear(registers, lanes)),
            with_base(lambda: long.lay_by(registers, lanes, free)),
            with_base(lambda: long.bring_back(registers, lanes, free)),
        )
        m.copy(self.length, walk.left)
        dynamic_in_blocks(m, long.levels.steps, self.whole, self.length, walk.left, rest, between)

    def _start(self, vectors: list[tuple[int, Lanes]]) -> None:
        """Set the accumulators of a maximum or minimum to the identity. Sums start from the 0 of an empty bag."""
        if self.spec.name not in _COMPARED:
            return
        dtype = self.spec.acc_dtype
        start = Constant(identity_bits(REDUCTIONS[self.spec.name].identity, dtype), BITS[dtype])
        for register, (_, lanes) in zip(self.results[0], vectors):
            arithmetic_of(self.m.facts).constant(self.m, register, start, lanes)

    def _finish(self, body: LoweredBody, vectors: list[tuple[int, Lanes]]) -> None:
        """Divide the sums by the number of the bag's entries; or complete the positions by that of the first."""
        m, walk, arg = self.m, self.entries, self.spec.arg
        walk.ends()
        if not arg:
            m.advance(walk.left, walk.position, -1)
        self._iota(self.weight, walk.position if arg else walk.left, vectors[0][1], self.spare)
        for result, (_, lanes) in zip(self.results[-1], vectors):
            body.run(
                _nothing_to_load, partial(self._kept, [result]), [lanes], given=[result], loop_invariant=[self.weight]
            )

    def _iota(self, register: Vector, number: General, lanes: Lanes, spare: Vector) -> None:
        """Put a number into every lane, in the lower half of those of 64 bits."""
        arithmetic_of(self.m.facts).iota(self.m, register, Iota(number), lanes, [spare])

    def _kept(self, registers: Sequence[Vector], result: int, copy: int, register: Vector, lanes: Lanes) -> None:
        """Move a result to its accumulator."""
        if register != registers[result]:
            arithmetic_of(self.m.facts).move(self.m, registers[result], register, lanes)

    def _take(self, vectors: list[tuple[int, Lanes]]) -> None:
        """Take the rows of the current entry to the results."""
        m, widest = self.m, vectors[0][1]
        places = self.entries.places()
        if self.spec.weighted:
            m.broadcast(self.weight, m.at(places["weights"]), widest)
        for here in self.here:
            self._iota(here, self.entries.position, widest, self.spare)
        if self.body is not None:
            self._take_by_code(self.body, vectors)
            return
        convert: Callable[..., None] | None = None
        if self.spec.dtype != self.spec.acc_dtype:
            convert = arithmetic_of(m.facts).loads[self.spec.dtype, self.spec.acc_dtype]
        for register, (start, lanes) in zip(self.results[0], vectors):
            address = m.at(places["x"], start * self.bytes_in)
            if convert is not None:
                convert(m, self.spare, address, lanes)
                if not self.spec.weighted:
                    m.add(register, register, self.spare, lanes)
                else:
                    m.fma(register, self.spare, self.weight, lanes)
            elif not self.spec.weighted:
                m.add_memory(register, address, lanes, self.spare)
            else:
                m.fma_memory(register, self.weight, address, lanes, self.spare)

    def _take_by_code(self, body: LoweredBody, vectors: list[tuple[int, Lanes]], computed: Lanes | None = None) -> None:
        """Do the same if terms are an expression. computed: the lanes of the results, if they are more than those of
        the elements."""
        m, spec = self.m, self.spec
        places = {**self.pointers, **self.entries.places()}
        invariant = [*([self.weight] if spec.weighted else []), *self.here]
        for number, (start, lanes) in enumerate(vectors):
            given = [registers[number] for registers in self.results[: len(_state(spec))]]
            for name, register in (("x", self.spare), ("t", self.weight))[: 2 if spec.second else 1]:
                self._load(register, m.at(places[name], start * self.bytes_in), lanes)
                given.append(register)
            kept: Callable[..., None] = partial(self._kept, given)
            if spec.each and not spec.dot:
                kept = partial(self._stored, start * self.bytes_out)
            body.run(_nothing_to_load, kept, [computed or lanes], given=given, loop_invariant=invariant)

    def _stored(self, disp: int, result: int, copy: int, register: Vector, lanes: Lanes) -> None:
        """Store a result of the current entry."""
        self.m.store(self.m.at(self.entries.places()["y"], disp), register, lanes)

    def _load(self, register: Vector, address: Address, lanes: Lanes) -> None:
        if self.spec.dtype == self.spec.acc_dtype:
            self.m.load(register, address, lanes)
        else:
            arithmetic_of(self.m.facts).loads[self.spec.dtype, self.spec.acc_dtype](self.m, register, address, lanes)

    def _dots(self) -> None:
        """Compute the dot product of each entry of a bag: the sums of all columns, in lanes, and then of the lanes.
        Elements beyond the last column are loaded as 0."""
        m, walk, body = self.m, self.entries, self.body
        assert body is not None, "a product of two rows is an expression"
        sums, whole = self.results[0][: -(-self.plan.together // self.plan.vector)], self.lanes[self.plan.vector]
        with walk.unless_empty():
            walk.begin()
            with walk.entries(self.plan.together):
                for register in sums:
                    m.zero(register, whole)
                places = walk.places()
                rows = [(places.get(name, self.pointers[name]), self.bytes_in) for name in ("x", "t")]
                self._columns(lambda columns: self._take_by_code(body, self._vectors(columns), whole), rows)
                for register in sums[1:]:
                    m.add(sums[0], sums[0], register, whole)
                total = m.sum_columns([sums[0]], whole, self.spare)
                m.store(m.at(places["y"]), total, self.lanes[1])


def _nothing_to_load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
    raise AssertionError(f"{name} is in no register")
