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


def _tests(x: Array) -> tuple[Array, ...]:
    """Return whether elements are of the kinds 0 to 6. All others are of kind 7."""
    return (np.isnan(x) & ~fp.is_signaling(x), fp.is_signaling(x), x == 0, x == 1, x == -np.inf, x == np.inf, x < 0)


def _alike(dst: Array, x: Array, table: int) -> Array:
    """Apply one table to all elements by selections, which also work on symbolic elements. Kinds with the same answer
    as the last remaining kind need no selection."""
    answers = [table >> 4 * kind & 15 for kind in range(8)]
    tests = _tests(x)
    found: Array = _answer(answers[7], dst, x)
    for kind, other in ((6, 7), (5, 7), (4, 6), (3, 7), (2, 7)):
        if answers[kind] != answers[other]:
            found = np.where(tests[kind], _answer(answers[kind], dst, x), found)
    if answers[0] == answers[1]:
        found = np.where(np.isnan(x), _answer(answers[0], dst, x), found)
    else:
        for kind in (1, 0):
            found = np.where(tests[kind], _answer(answers[kind], dst, x), found)
    made: Array = found.view(x.dtype)
    return made


def _answer(number: int, dst: Array, x: Array) -> Array:
    """Return the bits that an entry of the table stands for."""
    fmt = fp.FORMATS[x.dtype]
    word = x.view(fmt.unsigned)
    if number < 4:
        nan = np.full(x.shape, fmt.sign | fmt.infinity | fmt.quiet, fmt.unsigned)
        moved: list[Array] = [dst.view(fmt.unsigned), word, word | fmt.unsigned(fmt.infinity | fmt.quiet), nan]
        return moved[number]
    value = _constants(x.dtype)[number - 4]
    if value is None:
        signed: Array = (word & fmt.unsigned(fmt.sign)) | fmt.unsigned(fmt.infinity)
        return signed
    return np.full(x.shape, value, x.dtype).view(fmt.unsigned)


def _constants(dtype: Any) -> tuple[Any, ...]:
    """Return the answers from number 4 on. None stands for an infinity with the sign of the source."""
    half_pi = np.float64(np.pi / 2).astype(dtype)
    return (-np.inf, np.inf, None, -0.0, 0.0, -1.0, 1.0, 0.5, 90.0, half_pi, np.finfo(dtype).max, np.finfo(dtype).min)


def _fixed(dst: Array, x: Array, table: Array, env: Environment, flags: int) -> Array:
    """Apply the table. The immediate selects only which kinds raise a flag, so values do not depend on it."""
    x = fp.flushed(x) if env.daz else x
    tables = np.unique(np.asarray(table)).tolist()
    result: Array = _alike(dst, x, int(tables[0]))
    for other in tables[1:]:
        result = np.where(np.asarray(table) == other, _alike(dst, x, int(other)), result)
    return result


def _semantic(ending: str) -> Semantic:
    dtype = FLOATS[ending[1]]
    return floats(_fixed, dtype, dtype, dtype, UNSIGNED["d" if ending[1] == "s" else "q"], rest=1)


TABLE: dict[str, Semantic] = each("vfixupimm{ps,pd,ss,sd}", _semantic)
