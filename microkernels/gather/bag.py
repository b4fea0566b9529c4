"""The embedding bag: the sum, mean, maximum or minimum of the rows that an index names.

    y[b, j] = sum over p from offsets[b] to offsets[b + 1] - 1 of weights[p] * x[index[p], j]

The result of an empty bag is 0. Terms are added in the order of p and each is rounded once: with weights, product and
sum are fused. If an index may have more than 4,096 elements, sums of floats are folded (codegen/long_sums.py). Sums of
i32 without weights wrap. Elements of other types become f32 first. A mean is the sum divided by
the number of the bag's indices. max and min compare the products; NaN is above everything. The accumulators of a bag
and a block of columns stay in registers. While a row is added, the row `prefetch` indices later is prefetched.

Source: Georganas et al., Tensor Processing Primitives, section 3.2 (indexed reductions of columns).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, Way, refused
from ..codegen.fitting import fitted
from ..codegen.long_sums import DYNAMIC_TERMS, Between, Levels, LongSums, dynamic_in_blocks, levels_of
from ..codegen.lowered import Lowered, LoweredBody
from ..codegen.selection import Constant, Iota, arithmetic_of
from ..contract.machine import Amount, Facts, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import breadth, claimed
from ..dtypes import DTYPES, ELEMENT_BYTES, FLOAT8
from ..expr.conversions import widened
from ..expr.graph import BITS, apply, maximum, minimum, multiply_add, operand, to_float
from ..reduce.ops import REDUCTIONS, identity_bits
from .bag_spec import BagSpec
from .emit import with_extents

_TERM_REGISTERS = 2  # for a row's vector and its weight


@dataclass(frozen=True)
class BagPlan(Plan):
    """How a bag is computed: `vector` is the number of elements per vector, `together` the number of columns whose sums
    are in registers at the same time."""

    spec: BagSpec
    vector: int
    together: int
    accumulators: int  # vector registers for the sums of a block of columns
    code: Lowered | None  # of a term, if a load does not yield the type of the sums
    cycles: float
    levels: Levels | None  # of sums of floats
    scratch_bytes: int  # bytes of scratch memory for them
    mean: Lowered | None = None  # divides sums by the number of indices

    def __str__(self) -> str:
        return f"{self.spec}\n{self.together} columns at a time in vectors of {self.vector}; {self.cycles:.0f} cycles"


def candidates(spec: BagSpec, facts: Facts, dynamic: bool = False) -> Iterator[Way | Refusal]:
    """Yield ways with fewer and fewer accumulators, which leave more registers for the expression of a term. dynamic:
    whether the call gives the number of indices."""
    dtype, sums, loads = spec.dtype, spec.acc_dtype, arithmetic_of(facts).loads
    if dtype != sums and (dtype, sums) not in loads:
        known = ", ".join(sorted(storage for storage, compute in loads if compute == sums))
        yield refused(
            "sums in registers",
            f"{dtype} computed in {sums}: this target has no conversion for it; it has conversions for {known}",
        )
        return
    for accumulators in range(facts.tuning.gather.bag_vectors, 0, -1):
        yield Way(f"sums in {accumulators} registers", partial(_planned, spec, facts, accumulators, dynamic))


def _planned(spec: BagSpec, facts: Facts, accumulators: int, dynamic: bool) -> BagPlan:
    """Plan a load and an addition for each vector of each row."""
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    vectors = -(-spec.n // vector)
    code = _term_code(spec, facts, vector, accumulators)
    term = code.operations if code else facts.load_cycles(facts.widths[0])
    cycles = spec.count * (vectors * term + facts.tuning.gather.row_cycles)
    mean = _mean_code(spec, facts, accumulators) if spec.name == "mean" else None
    floats = spec.name not in _COMPARED and DTYPES[spec.acc_dtype].real
    levels = levels_of(DYNAMIC_TERMS if dynamic else spec.count, 1) if floats else None
    scratch_bytes = 0 if levels is None else levels.bytes(accumulators, vector * ELEMENT_BYTES[spec.acc_dtype])
    return BagPlan(
        spec, vector, min(spec.n, accumulators * vector), accumulators, code, cycles, levels, scratch_bytes, mean
    )


_SUM, _TERM, _WEIGHT, _COUNT = "sum", "x", "weight", "count"
_COMPARED = {"max": maximum, "min": minimum}


def _term_code(spec: BagSpec, facts: Facts, vector: int, accumulators: int) -> Lowered | None:
    """Return the code that adds the next term to an accumulator; None if a load yields the term itself."""
    compared = _COMPARED.get(spec.name)
    if DTYPES[spec.dtype].real and spec.dtype not in FLOAT8 and compared is None:
        return None
    total, term = operand(_SUM, spec.acc_dtype), operand(_TERM, spec.acc_dtype)
    weight = operand(_WEIGHT, spec.acc_dtype) if spec.weighted else None
    if compared is not None:
        sum_ = compared(total, term if weight is None else term * weight)
    else:
        sum_ = total + term if weight is None else multiply_add(term, weight, total)
    tail = spec.n % vector
    tail_mask = tail > 0 and facts.needs_mask_register(tail, ELEMENT_BYTES[spec.acc_dtype])
    registers = facts.vector_registers - accumulators - _TERM_REGISTERS - tail_mask
    outputs = widened([sum_], {_TERM: spec.dtype})
    weights = (_WEIGHT,) if spec.weighted else ()
    return fitted(outputs, facts, registers, 1, given=(_SUM, _TERM), loop_invariant=weights)


def _mean_code(spec: BagSpec, facts: Facts, accumulators: int) -> Lowered:
    """Return the code that divides an accumulator by the number of indices, an integer in every lane."""
    count = operand(_COUNT, "i32")
    count = to_float(apply("low_word", count) if spec.acc_dtype == "f64" else count)
    registers = facts.vector_registers - accumulators - _TERM_REGISTERS - 1
    return fitted([operand(_SUM, spec.acc_dtype) / count], facts, registers, 1, given=(_SUM,), loop_invariant=(_COUNT,))


def emit(m: Machine, plan: BagPlan, at_call: Sequence[str] = ()) -> None:
    """Append the kernel to the machine's assembler. `at_call` names the extents that are given at the call."""
    codes = [code.vectors for code in (plan.code, plan.mean) if code] or [0]
    m.enter(plan.accumulators + _TERM_REGISTERS + max(codes))
    _Bags(m, plan, at_call).emit()
    m.leave()


class _Bags:
    """Loops over bags, blocks of columns and indices.

    position        p, the number of the current index
    indices_left    the number of indices of the bag that are left
    row             the index itself, or a limit that it is compared with
    row_address     the address of its row
    """

    sums: list[Vector]
    spare: Vector
    weight: Vector
    body: LoweredBody | None = None
    vectors: Sequence[Vector]
    masks: Sequence[Any]
    widest: Lanes

    def __init__(self, m: Machine, plan: BagPlan, at_call: Sequence[str]) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.bytes_in, self.bytes_out = ELEMENT_BYTES[plan.spec.dtype], ELEMENT_BYTES[plan.spec.acc_dtype]
        names = with_extents(plan.spec.arguments, at_call)
        arguments = dict(zip(names, m.arguments(len(names))))
        self.extents: dict[str, Amount] = {name: getattr(plan.spec, name) for name in ("bags", "size", "count")}
        self.extents |= {name: m.in_slot(arguments.pop(name)) for name in at_call}
        self.bad: General | Slot | None = arguments.pop("bad", None)
        if self.bad is not None and not isinstance(self.bad, Slot):
            self.bad = m.to_slot(self.bad)
        self.pointers: dict[str, General] = arguments
        self.position, self.indices_left, self.row, self.row_address = (
            m.general(role) for role in ("p", "indices", "row", "place")
        )
        self.weight_address = m.general("weight") if plan.spec.weighted else None
        self.ahead = m.general("ahead") if plan.spec.prefetch else None
        self.first_bad = m.general("first bad") if self.bad is not None else None
        self.bags, self.blocks = m.counter("bags"), m.counter("blocks")
        self.long: LongSums | None = None
        if plan.levels is not None:
            self.levels, self.whole = m.to_slot(m.scratch(plan.scratch_bytes)), m.general("indices of whole blocks")
            self.length = m.counter("indices of the bag")
            self.long = LongSums(m, plan.levels, self.row_address)

    def emit(self) -> None:
        """Emit the loop over bags."""
        m, plan, spec = self.m, self.plan, self.spec
        counts = {plan.vector, plan.together % plan.vector, spec.n % plan.vector} - {0}
        if self.first_bad is not None:
            m.copy(self.first_bad, -1)
        bags = self.extents["bags"]
        with (
            nullcontext() if isinstance(bags, int) else m.unless_zero(bags),
            ExitStack() as scope,
            m.predicates(),
            m.vectors(plan.accumulators, "sums") as self.sums,
            m.vectors(_TERM_REGISTERS, "a term") as (self.spare, self.weight),
        ):
            self.lanes = {count: m.lanes(spec.acc_dtype, count) for count in counts if count <= spec.n}
            if self.bytes_in != self.bytes_out and arithmetic_of(m.facts).packed:
                for count in self.lanes:
                    m.lanes(spec.dtype, count)
            self.widest = max(self.lanes.values(), key=breadth)
            codes = [code for code in (plan.code, plan.mean) if code is not None]
            if codes:
                vectors, masks = (max(getattr(code, file) for code in codes) for file in ("vectors", "masks"))
                self.vectors = scope.enter_context(m.vectors(vectors, "the expression"))
                self.masks = scope.enter_context(m.masks(masks))
            if plan.code is not None:
                self.body = self._on(plan.code)
            with m.loop(self.bags, bags):
                self._columns()
                m.advance(self.pointers["y"], spec.ldy * self.bytes_out)
                m.advance(self.pointers["offsets"], 8)
        if self.bad is not None:
            m.copy(self.row_address, self.bad)
            m.store_general(self.row_address, claimed(self.first_bad))

    def _on(self, code: Lowered) -> LoweredBody:
        """Put code on the registers that terms and means take in turn, and load its constants."""
        return code.on(self.m, self.vectors, self.masks, self.widest)

    def _columns(self) -> None:
        """Emit the blocks of columns of a bag; leaves the pointers as they were."""
        m, together = self.m, self.plan.together
        loops, rest = divmod(self.spec.n, together)
        moved = loops > 1 or (loops and rest)
        with m.loop(self.blocks, loops):
            self._block(together)
            if moved:
                self._move(together)
        if rest:
            self._block(rest)
        if moved:
            self._move(-loops * together)

    def _move(self, columns: int) -> None:
        self.m.advance(self.pointers["x"], columns * self.bytes_in)
        self.m.advance(self.pointers["y"], columns * self.bytes_out)

    def _block(self, columns: int) -> None:
        """Compute some columns of a bag from its first index to its last, and store them."""
        m, vector = self.m, self.plan.vector
        vectors = [(start, self.lanes[min(vector, columns - start)]) for start in range(0, columns, vector)]
        for register, (_, lanes) in zip(self.sums, vectors):
            m.zero(register, lanes)
        self._ends()
        with m.within(self.position, self.indices_left):
            m.advance(self.indices_left, self.position, -1)
            self._start(vectors)
            if self.weight_address is not None:
                m.copy(self.weight_address, self.pointers["weights"])
                m.advance(self.weight_address, self.position, self.bytes_out)
            self._all_indices(vectors, columns)
            if self.plan.mean is not None:
                self._divide(self._on(self.plan.mean), vectors)
                if self.plan.code is not None:
                    self.body = self._on(self.plan.code)
        for register, (start, lanes) in zip(self.sums, vectors):
            m.store(m.at(self.pointers["y"], start * self.bytes_out), register, lanes)

    def _all_indices(self, vectors: list[tuple[int, Lanes]], columns: int) -> None:
        """Add the rows of all indices that are left, of which there is at least one."""
        m, long = self.m, self.long
        if long is None:
            self._indices(vectors, columns)
            return
        registers, lanes, free = self.sums[: len(vectors)], vectors[0][1], [self.spare]

        def rest() -> None:
            with m.unless_zero(self.indices_left):
                self._indices(vectors, columns)

        def with_base(emit: Callable[[], None]) -> Callable[[], None]:
            def emitted() -> None:
                m.copy(self.row_address, self.levels)
                emit()

            return emitted

        between = Between(
            with_base(lambda: long.clear(registers, lanes)),
            with_base(lambda: long.lay_by(registers, lanes, free)),
            with_base(lambda: long.bring_back(registers, lanes, free)),
        )
        m.copy(self.length, self.indices_left)
        dynamic_in_blocks(m, long.levels.steps, self.whole, self.length, self.indices_left, rest, between)

    def _indices(self, vectors: list[tuple[int, Lanes]], columns: int) -> None:
        """Emit the loop over the indices that are left of a block, or of all."""
        m = self.m
        with m.loop(self.indices_left, self.indices_left):
            self._prefetch(columns)
            m.load_index(self.row, self.pointers["index"], 0, ELEMENT_BYTES[self.spec.index], self.position)
            with self._inside():
                self._add(vectors)
            m.advance(self.position, 1)
            if self.weight_address is not None:
                m.advance(self.weight_address, self.bytes_out)

    def _ends(self) -> None:
        """Load the position of the bag's first index, and the position after its last one."""
        m = self.m
        m.load_index(self.position, self.pointers["offsets"], 0, 8)
        m.load_index(self.indices_left, self.pointers["offsets"], 8, 8)
        if self.first_bad is not None:  # offsets beyond the index are cut to its end
            m.copy(self.row, self.extents["count"])
            m.lower(self.position, self.row)
            m.lower(self.indices_left, self.row)

    def _start(self, vectors: list[tuple[int, Lanes]]) -> None:
        """Set the accumulators of a maximum or minimum to the identity. Sums start from the 0 of an empty bag."""
        if self.spec.name not in _COMPARED:
            return
        dtype = self.spec.acc_dtype
        start = Constant(identity_bits(REDUCTIONS[self.spec.name].identity, dtype), BITS[dtype])
        for register, (_, lanes) in zip(self.sums, vectors):
            arithmetic_of(self.m.facts).constant(self.m, register, start, lanes)

    def _divide(self, body: LoweredBody, vectors: list[tuple[int, Lanes]]) -> None:
        """Divide the sums by the number of the bag's indices."""
        m, arithmetic = self.m, arithmetic_of(self.m.facts)
        self._ends()
        m.advance(self.indices_left, self.position, -1)
        arithmetic.iota(m, self.weight, Iota(self.indices_left), vectors[0][1], [self.spare])
        for total, (_, lanes) in zip(self.sums, vectors):
            body.run(_nothing_to_load, partial(self._kept, total), [lanes], given=[total], loop_invariant=[self.weight])

    def _kept(self, total: Vector, result: int, copy: int, register: Vector, lanes: Lanes) -> None:
        """Move a result to its accumulator."""
        if register != total:
            arithmetic_of(self.m.facts).move(self.m, total, register, lanes)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Run the body; if the kernel checks indices, only for those within bounds, and note the first that is not."""
        m = self.m
        if self.first_bad is None:
            yield
            return
        m.copy(self.row_address, self.extents["size"])
        with m.beyond(self.row, self.row_address):
            m.lower(self.first_bad, self.position)
        with m.within(self.row, self.row_address):
            yield

    def _add(self, vectors: list[tuple[int, Lanes]]) -> None:
        """Add the row that the index names to the sums."""
        m = self.m
        self._point_at_row(self.row_address)
        if self.weight_address is not None:
            m.broadcast(self.weight, m.at(self.weight_address), vectors[0][1])
        if self.body is not None:
            self._add_by_code(self.body, vectors)
            return
        convert: Callable[..., None] | None = None
        if self.spec.dtype != self.spec.acc_dtype:
            convert = arithmetic_of(m.facts).loads[self.spec.dtype, self.spec.acc_dtype]
        for register, (start, lanes) in zip(self.sums, vectors):
            address = m.at(self.row_address, start * self.bytes_in)
            if convert is not None:
                convert(m, self.spare, address, lanes)
                if self.weight_address is None:
                    m.add(register, register, self.spare, lanes)
                else:
                    m.fma(register, self.spare, self.weight, lanes)
            elif self.weight_address is None:
                m.add_memory(register, address, lanes, self.spare)
            else:
                m.fma_memory(register, self.weight, address, lanes, self.spare)

    def _add_by_code(self, body: LoweredBody, vectors: list[tuple[int, Lanes]]) -> None:
        """Do the same if terms are an expression."""
        m, spec = self.m, self.spec
        for total, (start, lanes) in zip(self.sums, vectors):
            address = m.at(self.row_address, start * self.bytes_in)
            if spec.dtype == spec.acc_dtype:
                m.load(self.spare, address, lanes)
            else:
                arithmetic_of(m.facts).loads[spec.dtype, spec.acc_dtype](m, self.spare, address, lanes)
            loop_invariant = [self.weight] if spec.weighted else []
            body.run(
                _nothing_to_load,
                partial(self._kept, total),
                [lanes],
                given=[total, self.spare],
                loop_invariant=loop_invariant,
            )

    def _point_at_row(self, dst: General) -> None:
        self.m.copy(dst, self.pointers["x"])
        self.m.advance(dst, self.row, self.spec.ldx * self.bytes_in)

    def _prefetch(self, columns: int) -> None:
        """Prefetch the cache lines of a later row; at the end of the index, those of the row of the last index."""
        if self.ahead is None:
            return
        m = self.m
        m.copy(self.ahead, self.position)
        m.advance(self.ahead, self.spec.prefetch)
        count = self.extents["count"]
        m.copy(self.row, count - 1 if isinstance(count, int) else count)
        if not isinstance(count, int):
            m.advance(self.row, -1)
        m.lower(self.ahead, self.row)
        m.load_index(self.row, self.pointers["index"], 0, ELEMENT_BYTES[self.spec.index], self.ahead)
        self._point_at_row(self.row_address)
        for disp in range(0, columns * self.bytes_in, m.facts.tuning.gather.line_bytes):
            m.prefetch(self.row_address, disp)


def _nothing_to_load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
    raise AssertionError(f"{name} is in no register")
