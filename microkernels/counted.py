"""Products whose number of rows or columns each call gives.

    C = beta * C + alpha * sum_i A_i @ B_i      A_i (m, k), B_i (k, n), C (m, n), m or n given at the call

The call gives the outer extent of C: the number of rows if C is row-major, of columns if it is column-major. The factor
that shares this extent has the same order as C, so that no stride within a matrix depends on the extent. Such a request
is of the class of one of known extents: its `m` or `n` is a SymbolicExtent, and `of` returns the request of a call.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from ..encoder.records import cached_property
from .errors import UnsupportedError
from .operands import NOMINAL_ROWS, ROWS, RUNTIME, Operand
from .tensor.extent import SymbolicExtent

P = TypeVar("P", bound="CountedProduct")

COUNTED = {"m": ROWS, "n": SymbolicExtent("n", NOMINAL_ROWS)}
"""The numbers of rows and of columns that each call gives."""


class CountedProduct:
    """A product of which each call may give one extent."""

    m: int
    n: int
    order: tuple[str, str, str]
    batch: object
    strides: object
    prefetch: str | None
    streaming: str | None

    @property
    def blocks(self) -> tuple[bool, bool]:
        """Whether a and b are in blocks of two rows or columns."""
        raise NotImplementedError

    @cached_property
    def counted(self) -> str:
        """The name of the extent that each call gives, "m" or "n"; empty if the request says both."""
        raise NotImplementedError

    @property
    def shared(self) -> str:
        """The name of the factor that shares the extent of the call with C: "a" or "b"."""
        return {"m": "a", "n": "b"}.get(self.counted, "")

    def of(self: P, number: int) -> P:
        """Return the request of this number of rows or columns, from 0 on."""
        fields: dict[str, object] = {self.counted: number}
        for name in ("extras", "results"):  # of an epilogue
            if hasattr(self, name):
                fields[name] = tuple(_sized(each, number) for each in getattr(self, name))
        return replace(self, **fields)  # type: ignore[type-var]

    def with_counted(self: P, name: str) -> P:
        """Return the request with the extent of this name, of which no operand is named, given by each call."""
        return replace(self, **{name: COUNTED[name]})  # type: ignore[type-var]

    @cached_property
    def likely(self: P) -> P:
        """The request of the likely number, for which one of any number is planned; the request itself if it says
        both extents."""
        return self.of(NOMINAL_ROWS) if self.counted else self

    def counted_checked(self: P) -> P:
        """Return the request: how far the dense matrices of a batch lie apart depends on the call, as with
        strides=ts.RUNTIME. Raises UnsupportedError if strides within a matrix, or blocks, depend on it too."""
        shared, order = self.shared, "C" if self.counted == "m" else "F"
        at_call, orders = f"{self.counted}=ts.RUNTIME", dict(zip("abc", self.order))
        for name in ("c", shared):
            if orders[name] != order:
                other = "columns of C given at the call, n" if self.counted == "m" else "rows of C given at the call, m"
                raise UnsupportedError(
                    f'{at_call}: {name} of order "{order}", whose lines the call may count, not "{orders[name]}"; for '
                    f"{other}=ts.RUNTIME"
                )
        if self.blocks["ab".index(shared)]:
            raise UnsupportedError(
                f"{at_call}: {shared} comes in blocks of two {'rows' if self.counted == 'm' else 'columns'}, "
                f'which its number would cut; {shared} packed as "vnni" or plain works'
            )
        if self.prefetch is not None or self.streaming is not None:
            raise UnsupportedError(
                f"{at_call}: prefetch and streaming count the lines of an extent that the request "
                "gives; leave them out, or give a number"
            )
        dense = isinstance(self.batch, int) and self.strides is None
        return replace(self, strides=RUNTIME) if dense else self  # type: ignore[type-var]


def _sized(operand: Operand, number: int) -> Operand:
    """Return an operand with this number in place of the extent that a call gives."""
    rows, columns = (number if isinstance(each, SymbolicExtent) else each for each in (operand.rows, operand.columns))
    leading = number if isinstance(operand.view.leading, SymbolicExtent) else operand.view.leading
    return operand._replace(rows=rows, columns=columns, view=operand.view._replace(leading=leading))


def with_symbols(m: object, n: object) -> tuple[object, object]:
    """Return the extents of a request with those that each call gives as symbols. Raises UnsupportedError if both
    are."""
    given = [name for name, value in zip(COUNTED, (m, n)) if value is RUNTIME or isinstance(value, SymbolicExtent)]
    if len(given) > 1:
        raise UnsupportedError(
            "m, n: one of them may be ts.RUNTIME, rows of a C of order C or columns of one of order "
            "F; the other one is a number, for which registers are blocked"
        )
    of_m, of_n = (COUNTED[name] if name in given else value for name, value in zip(COUNTED, (m, n)))
    return of_m, of_n
