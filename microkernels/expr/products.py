"""Products of matrices inside an expression, `a @ b` and `a @ b.T`, and transposes `x.T`.

These nodes have no row in `OPS`. The kernels of `microkernels/chain` compute them by register-blocked products, and
elementwise kernels refuse them. `node` creates them, from factors that are checked here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

PRODUCT = "product"
TRANSPOSE = "transpose"
PLAIN, TRANSPOSED, BATCHED = "plain", "transposed", "batched"
"""The value of a product node: how its right factor is read. BATCHED: both factors are batches of matrices, one below
the other, and the products of their pairs are summed."""


def no_factor(value: Any) -> TypeError:
    """Return the error for a value that cannot be a factor of a product."""
    return TypeError(
        f"a @ b: both must be expressions, not {type(value).__name__}; make it a parameter of the traced function"
    )


def no_batch(value: Any) -> TypeError:
    """Return the error for a value that cannot be a factor of a batch of products."""
    what = f"an expression ({value.op})" if hasattr(value, "op") else type(value).__name__
    return TypeError(
        "ts.brgemm(a, b) in a traced function: a (batch, m, k) and b (batch, k, n) must "
        f"be float parameters of the function, not {what}; store computed factors with an "
        "earlier kernel"
    )


def right_factor(right: Any) -> tuple[Any, str]:
    """Return the right factor of a product, and how it is read."""
    return (right.args[0], TRANSPOSED) if right.op == TRANSPOSE else (right, PLAIN)


def has_products(operations: Iterable[str]) -> bool:
    """Whether some of these operations are products."""
    return PRODUCT in operations


def not_here(operations: Iterable[str], where: str) -> None:
    """Raise TypeError for products and rows by an index, in an expression that may have none."""
    found = set(operations)
    if has_products(found):
        raise TypeError(f"{where}: products (a @ b) are not supported here; use ts.equation")
    if TRANSPOSE in found:
        raise TypeError(f"{where}: x.T is not supported here; use ts.equation")
    if not found.isdisjoint(("gather", "scatter")):
        raise TypeError(f"{where}: ts.gather and ts.scatter are not supported here; use ts.equation")
