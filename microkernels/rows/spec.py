"""RowsSpec: a product whose number of rows or columns is given at the call.

    C = beta * C + alpha * A @ B      A (m, k), B (k, n), C (m, n), m or n given at the call

The call gives the outer extent of C: the number of rows if C is row-major, of columns if it is column-major. The factor
that shares this extent has the same order as C, so that no stride depends on the extent.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any

from ...encoder.records import dataclass
from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec, gemm_spec
from ..operands import NOMINAL_ROWS, RUNTIME, AxisOf, GivenExtent, Interface, Operand


@dataclass(frozen=True)
class RowsSpec(GemmSpec):
    """A product of any number of rows or columns: `m` or `n` is RUNTIME. `rows_spec` makes and checks it."""

    @property
    def outer(self) -> str:
        """The name of the extent that the call gives: "m" or "n"."""
        return "m" if self.m is RUNTIME else "n"  # type: ignore[comparison-overlap]

    @property
    def shared(self) -> str:
        """The name of the factor that shares this extent with C: "a" or "b"."""
        return "a" if self.outer == "m" else "b"

    @cached_property
    def product(self) -> GemmSpec:
        """The same product with the extent NOMINAL_ROWS."""
        values = {field.name: getattr(self, field.name) for field in fields(GemmSpec)}
        return GemmSpec(**{**values, self.outer: NOMINAL_ROWS})

    @property
    def operands(self) -> tuple[Operand, ...]:
        """a, b and c with the extent NOMINAL_ROWS."""
        return self.product.operands

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        axis = 0 if self.outer == "m" else 1
        extent = GivenExtent(self.outer, (AxisOf(self.shared, axis), AxisOf("c", axis)))
        layouts = {name: self.layout_of(name) for name in "abc"}
        return Interface(self.operands, (extent,), needed=self.beta != 0, layouts=layouts)

    def again(self) -> RowsSpec:
        """Return the request made again by its function, which checks it."""
        return rows_spec(self.m, self.n, self.k, **self.asked)

    @property
    def flops(self) -> int:
        """Floating-point operations per row, or per column, of C."""
        return self.product.flops // NOMINAL_ROWS

    @property
    def stem(self) -> str:
        """Part of the C symbol, with m or n in place of the extent."""
        return super().stem.replace(str(RUNTIME), self.outer)

    def __str__(self) -> str:
        return super().__str__().replace(str(RUNTIME), repr(RUNTIME))


def rows_spec(m: Any, n: Any, k: Any, **request: Any) -> RowsSpec:
    """Check and return a request for a product with any m or any n: exactly one of them is RUNTIME. The other
    parameters are those of `gemm_spec`."""
    if m is RUNTIME and n is RUNTIME:
        raise UnsupportedError(
            "m, n: one of them may be ts.RUNTIME, rows of a C of order C or columns of one of order "
            "F; the other one is a number, for which registers are blocked"
        )
    outer, shared, order = ("m", "a", "C") if m is RUNTIME else ("n", "b", "F")
    extents = {"m": m, "n": n, outer: NOMINAL_ROWS}
    product = gemm_spec(extents["m"], extents["n"], k, **request)
    orders = dict(zip("abc", product.order))
    at_call = f"{outer}=ts.RUNTIME"
    for name in ("c", shared):
        if orders[name] != order:
            raise UnsupportedError(
                f'{at_call}: {name} of order "{order}", whose lines the call may count, not "{orders[name]}"; '
                + (
                    "for columns of C given at the call, n=ts.RUNTIME"
                    if outer == "m"
                    else "for rows of C given at the call, m=ts.RUNTIME"
                )
            )
    if product.blocks["ab".index(shared)]:
        raise UnsupportedError(
            f"{at_call}: {shared} comes in blocks of two {'rows' if outer == 'm' else 'columns'}, "
            f'which its number would cut; {shared} packed as "vnni" or plain works'
        )
    if product.batch is not None:
        raise UnsupportedError(
            f"{at_call}: one pair of matrices, not batch={product.batch!r}; a batch whose pairs lie "
            "along k is one product of a longer k"
        )
    if product.prefetch is not None or product.streaming is not None:
        raise UnsupportedError(
            f"{at_call}: prefetch and streaming count the lines of an extent that the request "
            "gives; leave them out, or give a number"
        )
    values = {field.name: getattr(product, field.name) for field in fields(GemmSpec)}
    return RowsSpec(**{**values, outer: RUNTIME})
