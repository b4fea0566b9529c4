"""The public functions of gathers and scatters."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..microkernels.gather_spec import gather_spec
from ..microkernels.gather_sum import bag_spec
from . import host
from .kernel import Kernel, kernel

_RECENT = 1024  # requests whose kernels stay alive though nobody holds them


def gather(by: str, m: int, n: int, **options: Any) -> Kernel:
    """A kernel k(x, index, y) that brings elements of x together in y (m, n).

    by      "rows": y[i, j] = x[index[i], j], x (size, n), index (m,)
            "columns": y[i, j] = x[i, index[j]], x (m, size), index (n,)
            "offsets": y[i, j] = x[index[i, j]], x (size,), index (m, n)
            "stride": y[i, j] = x[i, step * j], x (m, step * (n - 1) + 1); k(x, y) without index
    size    rows, columns or elements of x; step: elements from one to the next
    dtype   of the elements, any of at most 8 bytes ("f32"); index: "i64" or "i32"
    bounds  "call": a call from Python looks at every index first, and raises IndexError before anything is written;
            a C program must do it. "kernel": k(x, index, y, bad), the kernel checks: elements of an index outside become
            0, and bad (1,) int64 is the number of the first such index, counted along rows, or -1.
            Negative indices are outside
    ldx, ldy None (dense) or elements between neighbouring rows
    target  a name from ts.targets(), None for this host; release_gil as for other kernels

    Raises TypeError or ValueError naming the argument. Source: Georganas et al., Tensor Processing Primitives, table 1.
    """
    return _asked("gather", by, m, n, options)


def scatter(by: str, m: int, n: int, **options: Any) -> Kernel:
    """A kernel k(x, index, y) that puts the elements of x (m, n) at places of y, and leaves the others as they are.

    by      "rows": y[index[i], j] = x[i, j], y (size, n); "columns": y[i, index[j]] = x[i, j], y (m, size);
            "offsets": y[index[i, j]] = x[i, j], y (size,); "stride": y[i, step * j] = x[i, j]
    In the order of i, then j: where an index repeats, the last one stays. With bounds="kernel" what an index outside
    belongs to is not written. Everything else as in `gather`.
    """
    return _asked("scatter", by, m, n, options)


def embedding_bag(bags: int, n: int, **options: Any) -> Kernel:
    """A kernel k(x, index, offsets, y) for y[b] = sum of x[index[p]] for p from offsets[b] to offsets[b + 1] - 1.

    size, count   rows of x (size, n), and length of the index (count,); offsets (bags + 1,) int64, y (bags, n)
    dtype    of x: "f32", "f64", "bf16" or "f16"; y is f64 for f64, else f32. index: "i64" or "i32"
    weights  True: k(x, index, weights, offsets, y), each row times weights[p] (count,), fused
    prefetch indices by which rows are asked for before they are added; 0 for none
    bounds   "call": IndexError before anything is written. "kernel": k(x, index, offsets, y, bad): rows outside are left
             out, offsets beyond the index mean its end, bad (1,) int64 is the first p whose index is outside, or -1
    ldx, ldy, target, release_gil   as in `gather`

    Terms are added in the order of p; a bag without an index is 0. Raises TypeError or ValueError naming the argument.
    """
    if _no_choice(options.get("release_gil")):
        raise TypeError(f"release_gil: True, False or None, not {options['release_gil']!r}")
    return _bag(bags, n, **options)


@lru_cache(maxsize=_RECENT, typed=True)
def _bag(bags: Any, n: Any, *, target: Any = None, release_gil: Any = None, **options: Any) -> Kernel:
    return kernel(bag_spec(bags, n, **options), host.resolve(target), release_gil)


def _no_choice(value: Any) -> bool:
    """Whether it is neither a truth value nor None."""
    return value is not None and not isinstance(value, bool)


def _asked(verb: str, by: str, m: int, n: int, options: dict[str, Any]) -> Kernel:
    try:
        return _recent(verb, by, m, n, **options)
    except TypeError:
        pass  # an argument cannot be hashed, or is one that the checks will name
    return _recent.__wrapped__(verb, by, m, n, **options)


@lru_cache(maxsize=_RECENT, typed=True)
def _recent(verb: str, by: Any, m: Any, n: Any, *, target: Any = None, release_gil: Any = None,
            **options: Any) -> Kernel:  # fmt: skip
    if _no_choice(release_gil):
        raise TypeError(f"release_gil: True, False or None, not {release_gil!r}")
    return kernel(gather_spec(verb, by, m, n, **options), host.resolve(target), release_gil)
