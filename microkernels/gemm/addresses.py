"""Where the operands of a GEMM kernel lie: pointers, and the distances between their elements, in bytes.

A distance is an int, or a register or stack slot where a leading dimension is given at the call.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.machine import Amount, General, Machine, Slot
from ..contract.values import held
from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME
from .blocking import Operand
from .plan import GemmPlan
from .spec import parameters


class OperandAddresses:
    """The arguments of the call, pointers to the operands, and their strides. Claims its registers when it is made.

    a, b, c           the current panel of A, columns of B, block of C
    lda, ldb, ldc     leading dimensions
    a_row, b_column   from a row of A, or a column of B, to the next
    a_step, b_step    from a step of k to the next
    a_multiples, b_multiples, b_places    registers with multiples of lda, b_column and ldb, for addresses
    """

    def __init__(self, m: Machine, plan: GemmPlan, arguments: Sequence[General | Slot] | None) -> None:
        self.m, p = m, plan.product
        self.size = ELEMENT_BYTES[p.dtype]  # of a sum
        names = [name for _, name in parameters(plan.spec)]
        self.given: dict[str, General | Slot] = dict(zip(names, arguments or m.arguments(len(names))))
        self.a, self.b, self.c = (self.given[operand.argument] for operand in (p.a, p.b, p.c))
        self._claim(plan)

    def _claim(self, plan: GemmPlan) -> None:
        """Leading dimensions in bytes. With any at run time registers are short: rare values move to the stack."""
        p, m = plan.product, self.m
        if not p.fixed:
            for name in ("count", "a_stride", "b_stride"):
                if name in self.given:
                    self.given[name] = m.park(self.given[name])
        self.ldc = self._bytes(p.c)
        if p.c.leading is RUNTIME:
            self.ldc = m.park(held(self.ldc))
        self.lda, self.ldb = self._bytes(p.a), self._bytes(p.b)
        by_columns = p.b.order == "F"
        along_k = p.a.order == "C"  # outer-product accumulators and MMLA blocks only
        self.a_row: Amount = self.lda if along_k else p.a.place
        self.a_step = p.a.place * p.a.steps if along_k else self._step(p.a, self.lda)
        self.b_step = p.b.place * p.b.steps if by_columns else self._step(p.b, self.ldb)
        self.b_column: Amount = self.ldb if by_columns else p.b.place
        widest = max((block.columns for panel in plan.panels for block in panel.blocks), default=0)
        self.b_multiples = () if p.tile or p.outer_product else m.multiples(self.b_column, -(-widest // p.b.across))
        # where the elements of one step lie apart: distances of whole places
        grouped = p.unit or p.outer_product
        self.a_multiples = m.multiples(self.lda, p.a.steps) if grouped and p.a.steps > 1 and not along_k else ()
        self.b_places = m.multiples(self.ldb, p.b.steps) if grouped and p.b.steps > 1 and not by_columns else ()

    def _step(self, operand: Operand, leading: Amount) -> Amount:
        """The distance of one step of k where places along k are a leading dimension apart."""
        if operand.steps == 1:
            return leading
        if isinstance(leading, int):
            return leading * operand.steps
        register = self.m.general(f"step of {operand.argument}")
        self.m.copy(register, 0)
        self.m.advance(register, leading, operand.steps)
        return self.m.park(register)

    def _bytes(self, operand: Operand) -> Amount:
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
