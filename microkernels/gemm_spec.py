"""GemmSpec: what is asked of a batch-reduce GEMM, checked.

    C = beta * C + alpha * sum_i A_i @ B_i      A_i (m, k), B_i (k, n), C (m, n)

A leading dimension is the distance in elements between neighbouring rows (order "C") or columns (order "F").
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from operator import index
from typing import Any, Final, NamedTuple

from .errors import UnsupportedError
from .machine import ELEMENT_BYTES


class Batch(Enum):
    """How a kernel finds the matrices A_i and B_i of a batch whose size is given at the call."""

    STRIDE = "stride"  # count, and the distance in bytes between neighbours
    OFFSET = "offset"  # arrays of int64 byte offsets
    ADDRESS = "address"  # arrays of addresses

    def __repr__(self) -> str:
        return self.name


class Leading(Enum):
    """A leading dimension that is not a number."""

    RUNTIME = "runtime"  # given at the call

    def __repr__(self) -> str:
        return self.name


STRIDE, OFFSET, ADDRESS = Batch.STRIDE, Batch.OFFSET, Batch.ADDRESS
RUNTIME: Final = Leading.RUNTIME

LeadingDimension = int | Leading
_FORMAT = {"f32": "<f", "f64": "<d"}
_LARGEST = 1 << 20  # of m, n, k and leading dimensions: displacements stay below 2 GiB, larger problems are blocked
_LARGEST_BATCH = 1 << 40  # more pairs than fit into memory, few enough for 64-bit counts of steps along k


class View(NamedTuple):
    """A matrix in memory: which dimension is contiguous, and the distance along the other."""

    order: str
    leading: LeadingDimension


def views(view: View, rows: int, columns: int) -> Iterator[View]:
    """The view, and the equivalent one of the other order where a dimension of one element makes both true."""
    yield view
    if rows == 1 and view.order == "C":
        yield View("F", 1)
    elif columns == 1 and view.order == "F":
        yield View("C", 1)
    elif view.leading == 1 and (rows == 1 if view.order == "F" else columns == 1):
        yield View("C", columns) if view.order == "F" else View("F", rows)


@dataclass(frozen=True)
class GemmSpec:
    """A batch-reduce GEMM; made by `gemm_spec`, which fills in defaults and checks."""

    m: int
    n: int
    k: int
    dtype: str
    order: tuple[str, str, str]
    leading: tuple[LeadingDimension, LeadingDimension, LeadingDimension]
    batch: int | Batch | None  # None: one pair, arrays without a batch dimension
    alpha: float
    beta: float

    @property
    def operands(self) -> tuple[tuple[str, int, int, View], ...]:
        """(name, rows, columns, view) of a, b and c."""
        shapes = (("a", self.m, self.k), ("b", self.k, self.n), ("c", self.m, self.n))
        return tuple(
            (name, rows, columns, View(order, leading))
            for (name, rows, columns), order, leading in zip(shapes, self.order, self.leading)
        )

    @property
    def flops(self) -> int:
        """Multiplications and additions of A_i @ B_i, summed over a fixed batch; of one pair otherwise."""
        pairs = self.batch if isinstance(self.batch, int) else 1
        return 2 * self.m * self.n * self.k * pairs

    def __str__(self) -> str:
        text = f"brgemm {self.m} x {self.n} x {self.k} {self.dtype} order {''.join(self.order)}"
        text += "".join(f" ld{name}={leading!r}" for (name, r, c, v), leading in zip(self.operands, self.leading)
                        if leading != dense(v.order, r, c))  # fmt: skip
        text += f" batch {self.batch!r}" if self.batch is not None else ""
        return text + f" alpha {self.alpha:g} beta {self.beta:g}"


def dense(order: str, rows: int, columns: int) -> int:
    """The leading dimension of a matrix without gaps."""
    return columns if order == "C" else rows


def gemm_spec(m: int, n: int, k: int, *, dtype: Any = "f32", order: Any = "C", lda: Any = None, ldb: Any = None,
              ldc: Any = None, batch: Any = None, alpha: float = 1.0, beta: float = 1.0) -> GemmSpec:  # fmt: skip
    """A checked GemmSpec; ValueError, TypeError or UnsupportedError name the argument, the rule, and what came."""
    m, n, k = (_extent(name, value) for name, value in (("m", m), ("n", n), ("k", k)))
    orders = _triple("order", order)
    for name, value in zip("abc", orders):
        if value not in ("C", "F"):
            raise ValueError(f'order of {name}: "C" (rows contiguous) or "F" (columns contiguous), not {value!r}')
    shapes = ((m, k), (k, n), (m, n))
    leading = tuple(
        _leading(f"ld{name}", value, dense(o, *shape))
        for name, value, o, shape in zip("abc", (lda, ldb, ldc), orders, shapes)
    )
    element = _element_type(dtype)
    alpha, beta = _factor("alpha", alpha, element), _factor("beta", beta, element)
    return GemmSpec(m, n, k, element, orders, leading, _batch(batch), alpha, beta)  # type: ignore[arg-type]


def _extent(name: str, value: Any) -> int:
    number = _index(value)
    if number is None:
        raise TypeError(f"{name}: a positive integer, not {value!r}")
    if not 1 <= number <= _LARGEST:
        raise ValueError(f"{name}: from 1 to {_LARGEST}, not {number}")
    return number


def _index(value: Any) -> int | None:
    """The integer that a value stands for, as an index would; None for a truth value, a float and everything else."""
    try:
        return None if isinstance(value, bool) else int(index(value))
    except TypeError:
        return None


def _triple(name: str, value: Any) -> tuple[Any, Any, Any]:
    if isinstance(value, (tuple, list)):
        if len(value) != 3:
            raise ValueError(f"{name}: one value, or three for a, b and c, not {len(value)}: {value!r}")
        first, second, third = value
        return first, second, third
    return value, value, value


def _element_type(value: Any) -> str:
    types = _triple("dtype", value)
    first = types[0]
    if isinstance(first, str) and first in ELEMENT_BYTES and all(isinstance(t, str) and t == first for t in types):
        return first
    raise UnsupportedError(f"dtype {value!r}: brgemm supports " + " and ".join(f'"{t}"' for t in ELEMENT_BYTES)
                           + ", the same for a, b and c")  # fmt: skip


def _leading(name: str, value: Any, least: int) -> LeadingDimension:
    if value is None:
        return least
    if isinstance(value, Leading):
        return value
    extent = _extent(name, value)
    if extent < least:
        raise ValueError(f"{name}: at least {least} elements (the contiguous dimension), not {extent}")
    return extent


def _batch(value: Any) -> int | Batch | None:
    if value is None or isinstance(value, Batch):
        return value
    number = _index(value)
    if number is None:
        raise TypeError(f"batch: None, a count, STRIDE, OFFSET or ADDRESS, not {value!r}")
    if not 0 <= number <= _LARGEST_BATCH:
        raise ValueError(f"batch: a count from 0 to {_LARGEST_BATCH}, not {number}")
    return number


def _factor(name: str, value: Any, dtype: str) -> float:
    """The number as `dtype` holds it; -0 becomes 0, so that equal factors are equal requests."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{name}: a finite number, not {value!r}")
    try:
        number = float(value)
        rounded = float(struct.unpack(_FORMAT[dtype], struct.pack(_FORMAT[dtype], number))[0]) + 0.0
    except OverflowError:
        raise ValueError(f"{name}: finite in {dtype}, not {value!r}") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name}: a finite number, not {value!r}") from None
    if not math.isfinite(rounded):
        raise ValueError(f"{name}: a finite number, not {value!r}")
    return rounded
