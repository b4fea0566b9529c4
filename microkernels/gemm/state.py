"""State that the blocks of one GEMM kernel share: the places of its operands, the loops over the batch and over k, and
the walk through C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import cached_property
from ..codegen.long_sums import in_blocks
from ..contract.machine import Address, Amount, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import claimed, held, known
from ..dtypes import DTYPES, ELEMENT_BYTES
from ..operands import RUNTIME
from .blocking import Panel, ProductOperand, Scheme
from .long_products import POINTER_BYTES, LongProducts, steps_of_call
from .plan import GemmPlan
from .spec import ADDRESS, OFFSET, STRIDE, parameters

if TYPE_CHECKING:
    from ..codegen import level_loops
    from ..contract.dot_and_tile import Fragments, Result
    from ..contract.outer_product import OuterProducts
    from .epilogue_hook import Epilogue


level_loops = lazy(__package__, "..codegen.level_loops")


class OperandAddresses:
    """The arguments of the call, the pointers to the operands, and the distances between their elements, in bytes.

    The constructor claims the registers. A distance is an int, or a register or slot if the call gives a leading
    dimension.

    a, b, c           the current panel of A, columns of B, block of C
    lda, ldb, ldc     leading dimensions
    a_row, b_column   from a row of A, or a column of B, to the next
    a_step, b_step    from a step of k to the next
    a_multiples, b_multiples, b_places    registers with multiples of lda, b_column and ldb, for addresses
    """

    def __init__(self, m: Machine, plan: GemmPlan, arguments: Sequence[General | Slot] | None) -> None:
        self.m, p = m, plan.product
        self.size = ELEMENT_BYTES[p.dtype]  # bytes of a sum
        names = [name for _, name in parameters(plan.spec.likely if plan.dynamic else plan.spec)]
        self.given: dict[str, General | Slot] = dict(zip(names, arguments or m.arguments(len(names))))
        self.a, self.b, self.c = (self.given[operand.argument] for operand in (p.a, p.b, p.c))
        if p.of_any_depth:
            self.given["k"] = m.in_slot(self.given["k"])
        self._claim(plan)

    def _claim(self, plan: GemmPlan) -> None:
        """Claim leading dimensions in bytes. Runtime ones make registers scarce: rarely used values move to the
        stack."""
        p, m = plan.product, self.m
        if not p.fixed:
            for name in ("count", "a_stride", "b_stride"):
                if name in self.given:
                    self.given[name] = m.in_slot(self.given[name])
        self.ldc = self._bytes(p.c)
        if p.c.leading is RUNTIME:
            self.ldc = m.to_slot(held(self.ldc))
        self.lda, self.ldb = self._bytes(p.a), self._bytes(p.b)
        by_columns = p.b.order == "F"
        along_k = p.a.order == "C"  # only on outer-product accumulators and for MMLA blocks
        self.a_row: Amount = self.lda if along_k else p.a.place
        self.a_step = p.a.place * p.a.steps if along_k else self._step(p.a, self.lda)
        self.b_step = p.b.place * p.b.steps if by_columns else self._step(p.b, self.ldb)
        self.b_column: Amount = self.ldb if by_columns else p.b.place
        widest = max((block.columns for panel in plan.panels for block in panel.blocks), default=0)
        grid = p.unit is not None and p.unit.accumulators > 0
        self.b_multiples = () if grid else m.multiples(self.b_column, -(-widest // p.b.across))
        # if the elements of one step are not adjacent: distances of whole places
        grouped = p.unit is not None and not p.unit.of_tiles
        self.a_multiples = m.multiples(self.lda, p.a.steps) if grouped and p.a.steps > 1 and not along_k else ()
        self.b_places = m.multiples(self.ldb, p.b.steps) if grouped and p.b.steps > 1 and not by_columns else ()

    def _step(self, operand: ProductOperand, leading: Amount) -> Amount:
        """Return the distance of one step of k, if places along k are a leading dimension apart."""
        if operand.steps == 1:
            return leading
        if isinstance(leading, int):
            return leading * operand.steps
        register = self.m.general(f"step of {operand.argument}")
        self.m.copy(register, 0)
        self.m.advance(register, leading, operand.steps)
        return self.m.to_slot(register)

    def _bytes(self, operand: ProductOperand) -> Amount:
        if isinstance(operand.leading, int):
            return operand.leading * operand.place
        given = self.given[f"ld{operand.argument}"]
        if isinstance(given, Slot):
            register = self.m.general(f"ld{operand.argument}")
            self.m.copy(register, given)
            given = register
        if operand.place > 1:
            self.m.shift_left(given, operand.place.bit_length() - 1)
        return given


class BatchIterator:
    """The pairs of matrices that a block multiplies: their number, and pointers to the current pair.

    a, b           the panel of A and the columns of B of the current pair; the operands' own if there is one pair
    count          the number of pairs; `several` unless it is known to be one
    may_be_empty   whether the count may be 0; false inside a test of it
    long           the levels of long sums
    """

    long: LongProducts | None = None

    def __init__(self, m: Machine, plan: GemmPlan, operands: OperandAddresses) -> None:
        self.m, self.plan, self.operands = m, plan, operands
        p = plan.product
        self.count: Amount = p.pairs if isinstance(p.pairs, int) else operands.given["count"]
        self.several = p.pairs != 1
        self.may_be_empty = not isinstance(p.pairs, int)
        self.tables: tuple[General, ...] = ()
        self.pair_strides: tuple[Amount, ...] = ()
        if p.pairs is OFFSET:
            self.tables = tuple(operands.given[f"{operand.argument}_offsets"] for operand in (p.a, p.b))
        elif p.pairs is ADDRESS:
            # a and b are offsets into every matrix of the batch, added to the addresses in the tables
            self.tables = operands.a, operands.b
            operands.a, operands.b = m.general("a"), m.general("b")
            m.copy(operands.a, 0)
            m.copy(operands.b, 0)
        elif self.several:
            self.pair_strides = self._pair_stride(p.a, operands.lda), self._pair_stride(p.b, operands.ldb)
        self.a, self.b = operands.a, operands.b
        self.index = None
        if self.several:
            self.a, self.b, self.index = m.general("a_pair"), m.general("b_pair"), m.general("index")
        self.around = level_loops.LevelLoops(m, self._levels()) if p.around else None

    def _pair_stride(self, operand: ProductOperand, leading: Amount) -> Amount:
        if self.plan.spec.batch is STRIDE or self.plan.spec.strides is RUNTIME:
            return self.operands.given[f"{operand.argument}_stride"]
        if isinstance(operand.distance, int):
            return operand.distance * operand.place
        asked = next(each for each in self.plan.spec.operands if each.name == operand.argument)
        register = self.m.general(f"{operand.argument}_stride")
        if operand.leading is RUNTIME:
            self.m.copy(register, 0)
            self.m.advance(register, leading, asked.columns if asked.view.order == "F" else asked.rows)
        else:  # an equivalent view of one line: only the distance to the next matrix depends on the call
            self.m.copy(register, self.operands.given[f"ld{operand.argument}"])
            if operand.place > 1:
                self.m.shift_left(register, operand.place.bit_length() - 1)
        return self.m.to_slot(register)

    @contextmanager
    def pairs(self) -> Iterator[None]:
        """A scope whose body runs for each pair of the batch."""
        m = self.m
        if not self.several:
            yield
        elif self.tables:
            with self._unless_empty(), self._blocks() as count, m.index_loop(claimed(self.index), count):
                self._pair_of_tables()
                yield
                self._pair_done()
        else:
            m.copy(self.a, self.operands.a)
            m.copy(self.b, self.operands.b)
            around = nullcontext() if self.around is None else self.around.pairs((self.a, self.b))
            with self._unless_empty(), self._blocks() as count, around, m.loop(self.index, self._innermost(count)):
                yield
                self._move_pair()
                self._pair_done()

    def _innermost(self, count: Amount) -> Amount:
        """Return the pairs of the innermost level: all that there are, unless there are levels around it."""
        return count if self.around is None else self.plan.product.innermost

    def _levels(self) -> list[level_loops.LevelSteps]:
        """Return the levels of the batch, the outermost first."""
        p, step = self.plan.product, level_loops.LevelSteps
        around = [
            step(level.times, (level.of(p.a.argument) * p.a.place, level.of(p.b.argument) * p.b.place))
            for level in p.around
        ]
        a, b = map(known, self.pair_strides)
        return [*around, step(p.innermost, (a, b))]

    def _pair_done(self) -> None:
        """Count the pairs since long sums were laid by, and lay them by again where there are enough."""
        if self.long is not None:
            self.long.pair_done()

    @contextmanager
    def _blocks(self) -> Iterator[Amount]:
        """A scope whose body runs for each block of pairs, with the number of its pairs: all, unless long sums of a
        batch that the call counts are laid by between blocks."""
        if self.long is None or self.long.dynamic is None:
            yield self.count
            return
        with self.long.dynamic.blocks(self.long.lay_by, self.tables) as count:
            yield count

    def first_pair(self) -> None:
        """Point at the first pair of a batch, which is not empty."""
        bases = zip((self.a, self.b), (self.operands.a, self.operands.b))
        for number, (pair, base) in enumerate(bases):
            if self.tables:
                self.m.load_general(pair, self.tables[number], None)
                self.m.advance(pair, base)
            else:
                self.m.copy(pair, base)

    @contextmanager
    def other_pairs(self, left: General | Slot) -> Iterator[None]:
        """A scope whose body runs for each pair after the first, if the call gives their number. `left` may be
        changed."""
        m = self.m
        m.copy(left, self.count)
        m.advance(left, -1)
        if self.tables:
            self._move_tables(1)
            with m.unless_zero(left), m.index_loop(claimed(self.index), left):
                self._pair_of_tables()
                yield
            self._move_tables(-1)
            return
        self._move_pair()
        with m.unless_zero(left), m.loop(self.index, left):
            yield
            self._move_pair()

    def _move_tables(self, entries: int) -> None:
        for table in self.tables:
            self.m.advance(table, entries * POINTER_BYTES)

    def _pair_of_tables(self) -> None:
        for pair, base, table in zip((self.a, self.b), (self.operands.a, self.operands.b), self.tables):
            self.m.load_general(pair, table, self.index)
            self.m.advance(pair, base)

    def _move_pair(self) -> None:
        self.m.advance(self.a, self.pair_strides[0])
        self.m.advance(self.b, self.pair_strides[1])

    @contextmanager
    def next_pairs(self, count: int) -> Iterator[None]:
        """A scope whose body runs for the next `count` pairs after those multiplied since `first_pair`."""
        with self.m.loop(self.index, count):
            yield
            self._move_pair()

    def _unless_empty(self) -> AbstractContextManager[None]:
        return self.m.unless_zero(held(self.count)) if self.may_be_empty else nullcontext()


class KLoop:
    """The sum over k of one pair: pointers to the current step, and the counter of the loop.

    a, b   the pair's own pointers, unless a loop or runtime leading dimensions move them
    given  k, if the call gives it; the counter then holds what is left of it. depth: the elements of a step
    may_be_empty   whether there may be none; false inside a test of it
    long   the levels of long sums
    whole  the steps of the body that is emitted, without a final one of another kind
    """

    long: LongProducts | None = None
    whole = 0

    def __init__(self, m: Machine, plan: GemmPlan, batch: BatchIterator) -> None:
        self.m, self.batch, self.given, p = m, batch, batch.operands.given.get("k"), plan.product
        loops = any(block.unroll < steps(p.k, panel, plan) for panel in plan.panels for block in panel.blocks)
        self.a, self.b = batch.a, batch.b
        if loops or not p.fixed:
            self.a, self.b = m.general("a_k"), m.general("b_k")
        self.counter: General | Slot | None = None
        if loops:
            self.counter = m.counter("k") if batch.tables and not p.fixed else m.general("k")
        self.may_be_empty = p.of_any_depth
        self.depth = p.unit.depth if p.unit is not None else 1

    def start(self) -> None:
        """Point at the first step of k, and count what the call gives."""
        if self.given is not None:
            m, left = self.m, claimed(self.counter)
            through = self.a if isinstance(left, Slot) else left
            m.copy(through, self.given)
            m.copy(left, through)
        if self.a is not self.batch.a:
            self.m.copy(self.a, self.batch.a)
            self.m.copy(self.b, self.batch.b)

    def walk(
        self,
        count: int,
        unroll: int,
        step: Callable[[int, int], None],
        a_bytes: Amount,
        b_bytes: Amount,
        final: Callable[[int, int], None] | None = None,
    ) -> None:
        """Emit `count` steps of k, `unroll` per loop body, and a remainder; step(i, left) emits the i-th step of a
        body.

        a_bytes and b_bytes are the distances of one step. The pointers advance once per body. Along a distance that is
        known only at run time they advance at every step. `final` emits the very last step, if that differs.
        """
        moves = [(self.a, a_bytes), (self.b, b_bytes)]
        at_every_step = [each for each in moves if not isinstance(each[1], int)]

        def body(length: int, last: bool) -> None:
            self.whole = length - (final is not None and last)
            for i in range(length):
                (final if final and last and i == length - 1 else step)(i, length - i)
                for pointer, distance in at_every_step:
                    if not (last and i == length - 1):
                        self.m.advance(pointer, distance)
            for pointer, distance in moves if not last else ():
                if isinstance(distance, int):
                    self.m.advance(pointer, distance, length)

        if self.given is not None:
            steps_of_call(self.m, claimed(self.counter), self.depth, unroll, partial(body, last=False), self.long)
            return
        loops, rest = divmod(count, unroll) if count else (0, 0)
        if final and loops > 1 and not rest:  # the last step is peeled off the loop
            loops, rest = loops - 1, unroll
        if loops == 1:
            body(unroll, last=not rest)
        elif loops:

            def bodies(times: int) -> None:
                with self.m.loop(self.counter, times):
                    body(unroll, last=False)

            self.in_blocks(loops, unroll, bodies)
        if rest:
            body(rest, last=True)

    def in_blocks(self, times: int, steps: int, bodies: Callable[[int], None]) -> None:
        """Emit `times` bodies of this many steps of k, after some of which long sums are laid by."""
        if self.long is not None and self.long.dynamic is None:
            in_blocks(self.m, max(1, self.long.steps // steps), self.long.blocks, times, bodies, self.long.lay_by)
        elif times:
            bodies(times)


def steps(k: int, panel: Panel, plan: GemmPlan) -> int:
    """Return the steps of the loop over k: steps of the unit, or full vectors in a panel along k."""
    return k // plan.vector if panel.scheme is Scheme.ALONG_K else k


class KernelState:
    """Shared state. Claims all registers that live as long as the kernel: for operands, batch and k, then C's loops."""

    def __init__(
        self, m: Machine, plan: GemmPlan, arguments: Sequence[General | Slot] | None = None, long: bool = False
    ) -> None:
        """arguments: where the parameters are, if the kernel has others too and has already requested all of them.
        long: whether long sums have levels, in stack memory that is claimed here: not inside a loop."""
        self.m, self.plan, self.product = m, plan, plan.product
        self.unit: Fragments | None = None  # set while the unit is open
        self.outer_products: OuterProducts | None = None  # likewise
        self.tile: Any = None  # the state of a kernel on tiles
        self.tile_scratch: General | None = None  # scratch memory (plan.scratch_sizes); None: the kernel claims its own
        self.epilogue: Epilogue | None = None  # takes finished sums instead of storing them
        self.ahead: Callable[[int, int], None] | None = None  # called beside each step of k of FMA blocks
        self.operands = OperandAddresses(m, plan, arguments)
        self.batch = BatchIterator(m, plan, self.operands)
        self.k = KLoop(m, plan, self.batch)
        if long and plan.levels is not None:
            batch = self.batch
            self.k.long = batch.long = LongProducts(m, plan, self.operands.c, batch.count, batch.index)
        panels = plan.panels
        self.row_counter = m.counter("rows") if any(panel.repeat > 1 for panel in panels) else None
        repeated = any(block.repeat > 1 for panel in panels for block in panel.blocks)
        self.column_counter = m.counter("columns") if repeated else None

    @cached_property
    def result(self) -> Result | None:
        """How sums of a unit are converted from and to C's type. An epilogue converts its results itself."""
        if self.product.unit is None:
            return None
        stored = self.plan.spec.dtype if self.epilogue is None else self.product.dtype
        return self.m.result(stored, self.product.dtype)

    @contextmanager
    def unless_nothing_changes(self) -> Iterator[None]:
        """A scope that is skipped for C = 1 * C of an empty batch: C stays unchanged to the bit (-0 + 0 would be 0)."""
        with self._unless_empty() if self.plan.spec.beta == 1 and self.epilogue is None else nullcontext():
            yield

    @property
    def may_be_empty(self) -> bool:
        """Whether a call may leave nothing to multiply; false inside a test of it."""
        return self.batch.may_be_empty or self.k.may_be_empty

    @contextmanager
    def _unless_empty(self) -> Iterator[None]:
        """A scope that is skipped if the call leaves nothing to multiply: no pairs, or no steps of k."""
        tested: list[tuple[BatchIterator | KLoop, General | Slot]] = []
        if self.batch.may_be_empty:
            tested.append((self.batch, held(self.batch.count)))
        if self.k.may_be_empty:
            tested.append((self.k, claimed(self.k.given)))
        with ExitStack() as scope:
            for each, number in tested:
                scope.enter_context(self.m.unless_zero(number))
                each.may_be_empty = False
            yield
        for each, _ in tested:
            each.may_be_empty = True

    @contextmanager
    def sums(
        self, started: bool, registers: Sequence[tuple[Vector, Lanes]], load_c: Callable[[], None] | None = None
    ) -> Iterator[None]:
        """A scope around the sum over the pairs, if 1 * C is added and an epilogue applied afterwards. An empty batch
        gives the zero that changes no C, not even -0. started: whether the sum begins as C; load_c: loads C for an
        empty batch, if its sum would not leave C as it is."""
        spec = self.plan.spec
        if self.epilogue is None or spec.beta != 1 or not self.may_be_empty or (started and load_c is None):
            yield
            return
        if started and load_c is not None:
            load_c()
        for register, lanes in registers if not started else ():
            if DTYPES[lanes.dtype].real:
                self.m.constant(register, 0.0 if spec.alpha < 0 else -0.0, lanes)
            else:
                self.m.zero(register, lanes)
        with self._unless_empty():
            yield

    # C

    def places_of_c(
        self, columns: int, row_vectors: list[Lanes], together: int = 1
    ) -> Iterator[tuple[int, int, Address]]:
        """Yield row vector, column and address for the first of each `together` neighbouring row vectors of a block of
        C. An address is valid until the next one is requested."""
        m, runtime = self.m, not isinstance(self.operands.ldc, int)
        column = self.k.a if runtime else self.operands.c  # idle outside the loop over k
        m.copy(column, self.operands.c)
        starts = [*accumulate([lanes.bytes for lanes in row_vectors], initial=0)]
        first = range(0, len(row_vectors), together)
        for j in range(columns):
            disp = 0 if runtime else j * known(self.operands.ldc)
            for i in first:
                yield i, j, m.at(column, disp + starts[i])
            if runtime and j < columns - 1:
                m.advance(column, self.operands.ldc)

    def load_c(self, registers: list[list[Vector]], row_vectors: list[Lanes]) -> None:
        """Load a block of C, with as many neighbouring row vectors per instruction as the machine can move."""
        m, together = self.m, self.m.facts.loads_together
        for i, j, place in self.places_of_c(len(registers[0]), row_vectors, together):
            if together == 1:
                m.load(registers[i][j], place, row_vectors[i])
            else:
                some = slice(i, i + together)
                m.load_next([row[j] for row in registers[some]], place, row_vectors[some])

    def store_c(self, registers: list[list[Vector]], row_vectors: list[Lanes]) -> None:
        """Store a block of C in the same way."""
        m, together = self.m, self.m.facts.loads_together
        for i, j, place in self.places_of_c(len(registers[0]), row_vectors, together):
            if together == 1:
                m.store(place, registers[i][j], row_vectors[i])
            else:
                some = slice(i, i + together)
                m.store_next(place, [row[j] for row in registers[some]], row_vectors[some])

    def next_columns(self, count: int, epilogue: bool = True) -> None:
        """Advance b and c past `count` columns. epilogue: whether its pointers, and c, are not there already."""
        self.m.advance(self.operands.b, self.operands.b_column, self._places_of_b(count))
        if epilogue or self.epilogue is None:
            self.m.advance(self.operands.c, self.operands.ldc, count)
        if epilogue and self.epilogue is not None:
            self.epilogue.move(0, count)

    def _places_of_b(self, columns: int) -> int:
        """Return the places of some columns of B. Only the last block may end within a place."""
        return -(-columns // self.product.b.across)

    def next_rows(self, count: int) -> None:
        """Move b and c back to the first column, and a and c down by `count` rows."""
        columns, down = self.product.n, count * self.product.c.place
        self.m.advance(self.operands.b, self.operands.b_column, -self._places_of_b(columns))
        if isinstance(self.operands.ldc, int):
            self.m.advance(self.operands.c, down - columns * self.operands.ldc)
        else:
            self.m.advance(self.operands.c, self.operands.ldc, -columns)
            self.m.advance(self.operands.c, down)
        self.m.advance(self.operands.a, self.operands.a_row, count // self.product.a.across)
        if self.epilogue is not None:
            self.epilogue.move(count, -columns)
