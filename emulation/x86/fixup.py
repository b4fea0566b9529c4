"""vfixupimm: a table chooses the result of an element by the kind of the source number.

Kinds: quiet NaN, signaling NaN, zero, 1, -infinity, infinity, other negative numbers, other positive ones; four bits of
the table belong to each kind. Source: Intel SDM volume 2, VFIXUPIMMPS.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics import fp
from ..numerics.rounding import Environment
from .lanes import FLOATS, UNSIGNED, Array, each, floats
from .operands import Semantic


_QUIET = 0x22
"""The table that is most used: NaN of both kinds become quiet, all else is what the destination was."""


def _tests(x: Array) -> tuple[Array, ...]:
    """Whether elements are of the kinds 0 to 6; others are of kind 7."""
    return (np.isnan(x) & ~fp.is_signaling(x), fp.is_signaling(x), x == 0, x == 1, x == -np.inf, x == np.inf, x < 0)


def _kind(x: Array) -> Array:
    """Return the kind, 0 to 7, of each element."""
    tests = _tests(x)
    return np.select(tests, range(len(tests)), len(tests))


def _keeping_nan(dst: Array, x: Array) -> Array:
    """Apply the table that makes NaN quiet and leaves all else: two selections, also of symbolic elements."""
    fmt = fp.FORMATS[x.dtype]
    quiet = x.view(fmt.unsigned) | fmt.unsigned(fmt.infinity | fmt.quiet)
    result: Array = np.where(np.isnan(x), quiet, dst.view(fmt.unsigned)).view(x.dtype)
    return result


def _fixed(dst: Array, x: Array, table: Array, env: Environment, flags: int) -> Array:
    """Apply the table. The immediate selects only which kinds raise a flag, so values do not depend on it."""
    x = fp.flushed(x) if env.daz else x
    if (np.asarray(table) == _QUIET).all():
        return _keeping_nan(dst, x)
    fmt = fp.FORMATS[x.dtype]
    unsigned, word = fmt.unsigned, x.view(fmt.unsigned)
    half_pi = np.float64(np.pi / 2).astype(x.dtype)
    constants = (-np.inf, np.inf, None, -0.0, 0.0, -1.0, 1.0, 0.5, 90.0, half_pi, np.finfo(x.dtype).max,
                 np.finfo(x.dtype).min)  # fmt: skip
    indefinite = unsigned(fmt.sign | fmt.infinity | fmt.quiet)
    quiet = word | unsigned(fmt.infinity | fmt.quiet)
    answers: list[Any] = [dst.view(unsigned), word, quiet, np.full_like(word, indefinite)]
    for value in constants:
        constant = np.full(x.shape, np.inf if value is None else value, x.dtype)
        answers.append((np.copysign(constant, x) if value is None else constant).view(unsigned))
    chosen = (table >> (4 * _kind(x)).astype(table.dtype)) & table.dtype.type(15)
    result: Array = np.choose(chosen.astype(np.intp), answers).astype(unsigned).view(x.dtype)
    return result


def _semantic(ending: str) -> Semantic:
    dtype = FLOATS[ending[1]]
    return floats(_fixed, dtype, dtype, dtype, UNSIGNED["d" if ending[1] == "s" else "q"])


TABLE: dict[str, Semantic] = each("vfixupimm{ps,pd}", _semantic)
