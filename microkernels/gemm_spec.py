"""GemmSpec: what is asked of a batch-reduce GEMM, checked.

    C = beta * C + alpha * sum_i A_i @ B_i      A_i (m, k), B_i (k, n), C (m, n)

A leading dimension is the distance in elements between neighbouring rows (order "C") or columns (order "F").
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .errors import UnsupportedError
from .operands import LeadingDimension, Operand, View, dense, extent, leading_dimension, whole


class Batch(Enum):
    """How a kernel finds the matrices A_i and B_i of a batch whose size is given at the call."""

    STRIDE = "stride"  # count, and the distance in bytes between neighbours
    OFFSET = "offset"  # arrays of int64 byte offsets
    ADDRESS = "address"  # arrays of addresses

    def __repr__(self) -> str:
        return self.name


STRIDE, OFFSET, ADDRESS = Batch.STRIDE, Batch.OFFSET, Batch.ADDRESS
_FORMAT = {"f32": "<f", "f64": "<d"}  # the element types of a, b and c, and how struct packs alpha and beta
_LARGEST_BATCH = 1 << 40  # more pairs than fit into memory, few enough for 64-bit counts of steps along k


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
    def operands(self) -> tuple[Operand, ...]:
        """a, b and c."""
        shapes = (("a", self.m, self.k), ("b", self.k, self.n), ("c", self.m, self.n))
        return tuple(
            Operand(name, rows, columns, View(order, leading), self.dtype, name == "c")
            for (name, rows, columns), order, leading in zip(shapes, self.order, self.leading)
        )

    @property
    def flops(self) -> int:
        """Multiplications and additions of A_i @ B_i, summed over a fixed batch; of one pair otherwise."""
        pairs = self.batch if isinstance(self.batch, int) else 1
        return 2 * self.m * self.n * self.k * pairs

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        return f"brgemm_{self.dtype}_{self.m}x{self.n}x{self.k}"

    def __str__(self) -> str:
        text = f"brgemm {self.m} x {self.n} x {self.k} {self.dtype} order {''.join(self.order)}"
        text += "".join(
            f" ld{o.name}={o.view.leading!r}"
            for o in self.operands
            if o.view.leading != dense(o.view.order, o.rows, o.columns)
        )
        text += f" batch {self.batch!r}" if self.batch is not None else ""
        return text + f" alpha {self.alpha:g} beta {self.beta:g}"


def gemm_spec(m: int, n: int, k: int, *, dtype: Any = "f32", order: Any = "C", lda: Any = None, ldb: Any = None,
              ldc: Any = None, batch: Any = None, alpha: float = 1.0, beta: float = 1.0) -> GemmSpec:  # fmt: skip
    """A checked GemmSpec; ValueError, TypeError or UnsupportedError name the argument, the rule, and what came."""
    m, n, k = (extent(name, value) for name, value in (("m", m), ("n", n), ("k", k)))
    orders = _triple("order", order)
    for name, value in zip("abc", orders):
        if value not in ("C", "F"):
            raise ValueError(f'order of {name}: "C" (rows contiguous) or "F" (columns contiguous), not {value!r}')
    shapes = ((m, k), (k, n), (m, n))
    leading = tuple(
        leading_dimension(f"ld{name}", value, dense(o, *shape))
        for name, value, o, shape in zip("abc", (lda, ldb, ldc), orders, shapes)
    )
    element = _element_type(dtype)
    alpha, beta = _factor("alpha", alpha, element), _factor("beta", beta, element)
    return GemmSpec(m, n, k, element, orders, leading, _batch(batch), alpha, beta)  # type: ignore[arg-type]


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
    if isinstance(first, str) and first in _FORMAT and all(isinstance(t, str) and t == first for t in types):
        return first
    raise UnsupportedError(f"dtype {value!r}: brgemm supports " + " and ".join(f'"{t}"' for t in _FORMAT)
                           + ", the same for a, b and c")  # fmt: skip


def _batch(value: Any) -> int | Batch | None:
    if value is None or isinstance(value, Batch):
        return value
    number = whole(value)
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
