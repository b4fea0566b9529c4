"""Products of which each call gives an extent: the number of rows or columns of C, or the depth k.

    C = beta * C + alpha * sum_i A_i @ B_i      A_i (m, k), B_i (k, n), C (m, n), m, n or k given at the call

Of C, the call gives the outer extent, the number of rows if C is row-major, of columns if it is column-major, or the
inner one, along which its lines lie. The factor that shares this extent has the same order as C. The depth is that of
both factors. Leading dimensions of lines along the extent of the call come with the call. Such a request is
of the class of one of known extents: its `m`, `n` or `k` is a SymbolicExtent, and `of` returns the request of a call.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from ..encoder.records import cached_property
from .errors import UnsupportedError
from .operands import NOMINAL_ROWS, ROWS, RUNTIME, Operand
from .tensor.extent import SymbolicExtent

P = TypeVar("P", bound="CountedProduct")

COUNTED = {"m": ROWS, "n": SymbolicExtent("n", NOMINAL_ROWS), "k": SymbolicExtent("k", 256)}
"""The numbers of rows and of columns, and the depth, that each call gives."""
_HOLDERS = {"m": ("a", "c"), "n": ("b", "c"), "k": ("a", "b")}
"""The names of the matrices that have each extent."""
WHOLE_GROUPS = (
    'a or b packed (a_layout or b_layout "vnni"), of which the call gives whole groups; or batch=ts.STRIDE, whose call '
    "gives how many times k is repeated, with k a multiple of the group"
)
"""What works where k of any number would cut groups of elements along k."""


class CountedProduct:
    """A product of which each call may give one extent."""

    m: int
    n: int
    k: int
    groups: tuple[int, int]
    order: tuple[str, str, str]
    batch: object
    strides: object
    prefetch: str | None
    streaming: str | None

    @property
    def blocks(self) -> tuple[bool, bool]:
        """Whether a and b are in blocks of two rows or columns."""
        raise NotImplementedError

    @property
    def whole_k(self) -> int:
        """What a k of the call must be a multiple of: the elements of a group of a packed operand along k."""
        return max(group // (1 + block) for group, block in zip(self.groups, self.blocks))

    @property
    def addressed(self) -> bool:
        """Whether a call passes addresses of a and b in place of arrays."""
        raise NotImplementedError

    @cached_property
    def counted(self) -> str:
        """The name of the extent that each call gives, "m", "n" or "k"; empty if the request says all."""
        raise NotImplementedError

    @property
    def holders(self) -> tuple[str, ...]:
        """The names of the matrices that have the extent of the call, factors first."""
        return _HOLDERS.get(self.counted, ())

    @property
    def shared(self) -> str:
        """The name of the factor that shares the extent of the call with C: "a" or "b"; empty if C does not have it."""
        return self.holders[0] if "c" in self.holders else ""

    @property
    def inner(self) -> bool:
        """Whether the lines of C lie along the extent of the call."""
        return bool(self.shared) and (self.order[2] == "C") == (self.counted == "n")

    def of(self: P, number: int) -> P:
        """Return the request of this extent, from 0 on."""
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
        """The request of the likely number, for which one of any number of rows or columns is planned; the request
        itself if it says all extents."""
        return self.of(self.likely_number) if self.counted else self

    @property
    def likely_number(self) -> int:
        """The likely number of what each call gives; 1 if the request says all extents."""
        return int(getattr(self, self.counted)) if self.counted else 1

    def counted_checked(self: P) -> P:
        """Return the request: how far the dense matrices of a batch lie apart depends on the call, as with
        strides=ts.RUNTIME. Raises UnsupportedError if strides within a matrix, or blocks, depend on it too."""
        if self.counted == "k":
            self._check_depth()
        else:
            self._check_lines()
        if self.prefetch is not None or self.streaming is not None:
            raise UnsupportedError(
                f"{self.counted}=ts.RUNTIME: prefetch and streaming count the lines of an extent that the request "
                "gives; leave them out, or give a number"
            )
        dense = isinstance(self.batch, int) and self.strides is None
        return replace(self, strides=RUNTIME) if dense else self  # type: ignore[type-var]

    def _check_depth(self) -> None:
        """Raise UnsupportedError if a call cannot say the depth."""
        if self.addressed:
            raise UnsupportedError(
                "k=ts.RUNTIME: batch=ts.ADDRESS passes no array whose shape says k; batch=ts.OFFSET and ts.STRIDE do"
            )

    def _check_lines(self) -> None:
        """Raise UnsupportedError if the factor does not lie as C, or blocks depend on the number of rows or columns."""
        shared, at_call = self.shared, f"{self.counted}=ts.RUNTIME"
        of_factor, of_c = self.order["ab".index(shared)], self.order[2]
        if of_factor != of_c:
            copied = f"np.{'ascontiguousarray' if of_c == 'C' else 'asfortranarray'}({shared}) makes it"
            raise UnsupportedError(f'{at_call}: {shared} of order "{of_c}", as c has, not "{of_factor}"; {copied}')
        if self.blocks["ab".index(shared)]:
            raise UnsupportedError(
                f"{at_call}: {shared} comes in blocks of two {'rows' if self.counted == 'm' else 'columns'}, "
                f'which its number would cut; {shared} packed as "vnni" or plain works'
            )


def _sized(operand: Operand, number: int) -> Operand:
    """Return an operand with this number in place of the extent that a call gives."""
    rows, columns = (number if isinstance(each, SymbolicExtent) else each for each in (operand.rows, operand.columns))
    leading = number if isinstance(operand.view.leading, SymbolicExtent) else operand.view.leading
    return operand._replace(rows=rows, columns=columns, view=operand.view._replace(leading=leading))


def with_symbols(m: object, n: object, k: object) -> tuple[object, object, object]:
    """Return the extents of a request with the one that each call gives as a symbol. Raises UnsupportedError if there
    are several."""
    asked = dict(zip(COUNTED, (m, n, k)))
    given = [name for name, value in asked.items() if value is RUNTIME or isinstance(value, SymbolicExtent)]
    if len(given) > 1:
        raise UnsupportedError(
            f"{', '.join(given)}: one of them may be ts.RUNTIME; others are numbers, for which registers are blocked"
        )
    of_m, of_n, of_k = (COUNTED[name] if name in given else value for name, value in asked.items())
    return of_m, of_n, of_k
