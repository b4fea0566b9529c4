"""Products of matrices inside an expression: `a @ b` and `a @ b.T`, where b is a parameter of the traced function.

Such nodes have no row in `OPS`: the kernels of `microkernels/chain` compute them by register-blocked products, and
elementwise kernels refuse them. `node` makes them, of factors that are checked here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

PRODUCT = "product"
PLAIN, TRANSPOSED = "plain", "transposed"
"""The value of a product's node: how its right factor is taken."""


class Transposed:
    """x.T of a parameter of a traced function: the right factor of a product, and nothing else."""

    __slots__ = ("of",)
    __array_ufunc__ = None

    def __init__(self, of: Any) -> None:
        if of.op != "input":
            raise TypeError("x.T: of a parameter of the traced function, as right factor of a product: a @ b.T; of "
                            "what is computed there is none, a kernel before this one may write it so")  # fmt: skip
        self.of = of

    @property
    def T(self) -> Any:
        """The parameter itself."""
        return self.of

    def __rmatmul__(self, left: Any) -> Any:
        raise no_factor(left)

    def __repr__(self) -> str:
        return f"{self.of.value}.T, which is the right factor of a product (a @ {self.of.value}.T) and nothing else"


def no_factor(value: Any) -> TypeError:
    """Why something is no factor of a product."""
    return TypeError(f"a @ b: two expressions, not {type(value).__name__}: make it a parameter of the traced function")


def right_factor(right: Any) -> tuple[Any, str]:
    """The parameter that is the right factor of a product, and how it is taken."""
    factor = right.of if isinstance(right, Transposed) else right
    if factor.op != "input":
        raise TypeError("a @ b: b is a parameter of the traced function, or its transpose, because a kernel walks down "
                        "the rows of a; where b is computed, a kernel before this one computes it")  # fmt: skip
    return factor, TRANSPOSED if isinstance(right, Transposed) else PLAIN


def has_products(operations: Iterable[str]) -> bool:
    """Whether some of these operations are products."""
    return PRODUCT in operations


def not_here(operations: Iterable[str], where: str) -> None:
    """Raise TypeError for products, and rows by an index, where an expression may have none."""
    found = set(operations)
    if has_products(found):
        raise TypeError(f"{where}: no products (a @ b) in its expressions; ts.equation makes kernels with products")
    if not found.isdisjoint(("gather", "scatter")):
        raise TypeError(f"{where}: no ts.gather or ts.scatter in its expressions; ts.equation makes kernels with them")
