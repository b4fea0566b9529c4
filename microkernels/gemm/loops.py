"""The loops of a GEMM kernel: over the pairs of the batch, and in each pair over k."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from ..contract.machine import Amount, General, Machine
from ..contract.values import claimed, held
from ..operands import RUNTIME
from .addresses import OperandAddresses
from .blocking import Operand, Panel, Scheme
from .plan import GemmPlan
from .spec import ADDRESS, OFFSET, STRIDE


class BatchIterator:
    """The pairs of matrices that a block multiplies: how many, and pointers to the pair at hand.

    a, b           the panel of A and the columns of B of the pair at hand; the operands' own where there is one pair
    count          how many pairs, `several` unless that is known to be one
    may_be_empty   whether the count may be 0: false inside of a test of it
    """

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

    def _pair_stride(self, operand: Operand, leading: Amount) -> Amount:
        if self.plan.spec.batch is STRIDE or self.plan.spec.strides is RUNTIME:
            return self.operands.given[f"{operand.argument}_stride"]
        if isinstance(operand.distance, int):
            return operand.distance * operand.place
        asked = next(each for each in self.plan.spec.operands if each.name == operand.argument)
        register = self.m.general(f"{operand.argument}_stride")
        if operand.leading is RUNTIME:
            self.m.copy(register, 0)
            self.m.advance(register, leading, asked.columns if asked.view.order == "F" else asked.rows)
        else:  # an equivalent view of one line: only the way to the next matrix is what the call gives
            self.m.copy(register, self.operands.given[f"ld{operand.argument}"])
            if operand.place > 1:
                self.m.shift_left(register, operand.place.bit_length() - 1)
        return self.m.park(register)

    @contextmanager
    def pairs(self) -> Iterator[None]:
        """The body for each pair of the batch."""
        m = self.m
        if not self.several:
            yield
        elif self.tables:
            with self._unless_empty(), m.index_loop(claimed(self.index), self.count):
                for pair, base, table in zip((self.a, self.b), (self.operands.a, self.operands.b), self.tables):
                    m.load_general(pair, table, self.index)
                    m.advance(pair, base)
                yield
        else:
            m.copy(self.a, self.operands.a)
            m.copy(self.b, self.operands.b)
            with self._unless_empty(), m.loop(self.index, self.count):
                yield
                m.advance(self.a, self.pair_strides[0])
                m.advance(self.b, self.pair_strides[1])

    def _unless_empty(self) -> AbstractContextManager[None]:
        return self.m.unless_zero(held(self.count)) if self.may_be_empty else nullcontext()


class KLoop:
    """The sum over k of one pair: pointers to the step at hand, and the counter of the loop.

    a, b   those of the pair, unless a loop or leading dimensions given at the call move them
    """

    def __init__(self, m: Machine, plan: GemmPlan, batch: BatchIterator) -> None:
        self.m, self.batch, p = m, batch, plan.product
        loops = any(block.unroll < steps(p.k, panel, plan) for panel in plan.panels for block in panel.blocks)
        self.a, self.b = batch.a, batch.b
        if loops or not p.fixed:
            self.a, self.b = m.general("a_k"), m.general("b_k")
        self.counter = None
        if loops:
            self.counter = m.counter("k") if batch.tables and not p.fixed else m.general("k")

    def start(self) -> None:
        """Point at the first step of k."""
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
        """`count` steps of k, `unroll` in a loop body and a remainder; step(i, left) is the i-th of a body.

        a_bytes and b_bytes are the distances of one step. The pointers move once a body; along a distance that is
        known only at run time they move at every step. `final` is the last of all steps, where that differs.
        """
        moves = [(self.a, a_bytes), (self.b, b_bytes)]

        def body(length: int, last: bool) -> None:
            for i in range(length):
                (final if final and last and i == length - 1 else step)(i, length - i)
                for pointer, distance in moves:
                    if not isinstance(distance, int) and not (last and i == length - 1):
                        self.m.advance(pointer, distance)
            for pointer, distance in moves:
                if isinstance(distance, int) and not last:
                    self.m.advance(pointer, distance, length)

        loops, rest = divmod(count, unroll) if count else (0, 0)
        if final and loops > 1 and not rest:  # the last step is not one of a loop
            loops, rest = loops - 1, unroll
        if loops == 1:
            body(unroll, last=not rest)
        elif loops:
            with self.m.loop(self.counter, loops):
                body(unroll, last=False)
        if rest:
            body(rest, last=True)


def steps(k: int, panel: Panel, plan: GemmPlan) -> int:
    """Steps of the loop over k: of the unit, or full vectors in a panel along k."""
    return k // plan.vector if panel.scheme is Scheme.ALONG_K else k
