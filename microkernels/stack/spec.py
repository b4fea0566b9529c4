"""StackSpec: independent products of one shape in one call.

    C_i = beta * C_i + alpha * A_i @ B_i      for every i below the count

The operands are stacks. The call gives the distance in bytes between neighbouring matrices; it is 0 if all products
share a matrix of a or b.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any

from ...encoder.records import dataclass
from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec
from ..gemm.spec import parameters as gemm_parameters
from ..operands import RUNTIME, Leading, whole

LARGEST_STACK = 1 << 40  # more products than fit into memory, few enough for counts of 64 bits


@dataclass(frozen=True)
class StackSpec(GemmSpec):
    """A stack of products of one shape, made by `stack_spec`, which checks."""

    stack: int | Leading = 1  # number of products; RUNTIME: the call gives it

    @cached_property
    def product(self) -> GemmSpec:
        """The request of one product."""
        return GemmSpec(**{field.name: getattr(self, field.name) for field in fields(GemmSpec)})

    def again(self) -> StackSpec:
        """Return the request made again by its function, which checks it."""
        return stack_spec(self.product_again(), self.stack)

    @property
    def flops(self) -> int:
        """Floating-point operations of all products if their count is known, else of one."""
        return super().flops * (self.stack if isinstance(self.stack, int) else 1)

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        return f"{super().stem}_stack" + (f"{self.stack}" if isinstance(self.stack, int) else "")

    def __str__(self) -> str:
        return f"{super().__str__()}, a stack of {self.stack!r}"


def stack_spec(product: GemmSpec, stack: Any) -> StackSpec:
    """Return a checked request for a stack of these products. stack: a count from 0 on, or RUNTIME."""
    if stack is not RUNTIME:
        number = whole(stack)
        if number is None:
            raise TypeError(f"stack: None, a count of products or ts.RUNTIME, not {stack!r}")
        if not 0 <= number <= LARGEST_STACK:
            raise ValueError(f"stack: a count from 0 to {LARGEST_STACK}, not {number}")
        stack = number
    if product.counted:
        raise UnsupportedError(
            f"stack: products whose m, n and k are numbers, not {product.counted}=ts.RUNTIME; call a kernel of one "
            "product for each product, or give the number"
        )
    if type(product) is not GemmSpec:
        raise UnsupportedError(
            "stack: needs the arithmetic of one element type and no epilogue, not "
            f"{product}; otherwise call a kernel of one product for each product"
        )
    if product.batch is not None:
        raise UnsupportedError(
            f"stack: each product is of one pair, so batch={product.batch!r}, which sums pairs, is not possible; to "
            "sum and stack, concatenate the pairs of each sum along k"
        )
    return StackSpec(**{field.name: getattr(product, field.name) for field in fields(GemmSpec)}, stack=stack)


def parameters(spec: StackSpec) -> list[tuple[str, str]]:
    """Return (C type, name) of each parameter of the C function: the first matrices, the count if the call gives it,
    the bytes between neighbouring matrices, and leading dimensions given at the call, in elements."""
    names = gemm_parameters(spec)
    dynamic = [] if isinstance(spec.stack, int) else [("int64_t ", "count")]
    strides = [("int64_t ", f"{name}_stride") for name in "abc"]
    return [*names[:3], *dynamic, *strides, *names[3:]]
