"""The loop of a softmax over the rows of a sparse matrix, whose parts lie in the blocks of a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import RUNTIME
from ...microkernels.tuning.sparse import SPARSE
from ..api import functions as expressions
from ..api import fused
from ..api.eltwise import equation
from ..loops.code import Address, Call, Header, Load, Loop, Node, Share, When, affine, blocks_of, index

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.expr.graph import Expr
    from ..api.typed import DType
    from ..kernel.accuracy import Accuracy
    from ..kernel.callable import Kernel

X, ADDED, Y, TABLE = range(4)
"""Positions of the operands in the job's table."""


class RowsSoftmax(NamedTuple):
    """The softmax over rows, as code is made for it: rows of elements, blocks, and the factor of the elements. added:
    whether others are added to them."""

    rows: int
    blocks: int
    block: tuple[int, int]
    dtype: str
    scale: float
    added: bool
    accuracy: Accuracy
    target: Target

    @property
    def kernel(self) -> Kernel:
        """The softmax of a row, whose blocks a call counts."""
        (down, across), dtype = self.block, cast("DType", self.dtype)
        shape, apart = (RUNTIME, across), down * across
        if self.added:
            return equation(
                _softmax_of_sums(self.scale),
                dtype=dtype,
                accuracy=self.accuracy,
                target=self.target,
                x=shape,
                b=shape,
                ldx=apart,
                ldb=apart,
                ldy=apart,
            )
        of_one = _softmax_of(self.scale)
        return equation(of_one, dtype=dtype, accuracy=self.accuracy, target=self.target, x=shape, ldx=apart, ldy=apart)

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        down, across = self.block
        size, lines = ELEMENT_BYTES[self.dtype], -(-self.rows // down)
        place = index("begin") * (down * across * size) + index("row") * (across * size)
        operands = (X, ADDED, Y) if self.added else (X, Y)
        call = Call(self.kernel, (*(Address(each, place) for each in operands), index("end") - index("begin")))
        rows = Header("row", affine(0), (affine(down), affine(self.rows) - index("line") * down), 1, down)
        line = When(index("end") - index("begin"), ">", (Loop(rows, (call,)),))
        bounds = (0, self.blocks), (0, self.blocks)
        begin = Load(("begin", "end"), TABLE, index("line") * 8, (line,), bounds)
        return (Share((blocks_of("line", lines, 1),), (begin,), "turns", SPARSE.turn),)


def _softmax_of(scale: float) -> Callable[[Expr], Expr]:
    """Return the softmax of all elements of a matrix."""

    def function(x: Expr) -> Expr:
        scaled = x * scale
        power = expressions.exp(scaled - fused.max(fused.max(scaled, axis=0), axis=1))
        return power * (1 / fused.sum(fused.sum(power, axis=0), axis=1))

    return function


def _softmax_of_sums(scale: float) -> Callable[[Expr, Expr], Expr]:
    """Return the softmax of all sums of two matrices, the first of which is scaled."""
    of_sums = _softmax_of(1.0)
    return lambda x, b: of_sums(x * scale + b)
