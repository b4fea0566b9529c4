"""Bodies of nests that several tests share."""

from __future__ import annotations

from typing import Any

import tilesmith as ts


def product_body(first: Any, more: Any, activation: Any) -> Any:
    """Return the body of C = activation(A B) over blocks, as in listing 1 of the PARLOOPER paper: the kernels of the
    first block along k, of the others, and of the finished sum."""

    def body(i: Any, A: Any, B: Any, C: Any) -> None:
        with ts.when(i.a.first):
            first(A[i.b, i.a], B[i.c, i.a], C[i.b, i.c])
        with ts.when(i.a > 0):
            more(A[i.b, i.a], B[i.c, i.a], C[i.b, i.c])
        with ts.when(i.a.last):
            activation(C[i.b, i.c], C[i.b, i.c])

    return body
