"""A traced function of one value at a place: it may take further values by name, and the position of the place.

transformed(lambda s: 30 * tanh(s / 30), ...)                            the value alone
transformed(lambda s, query, key: select(query - key < 9, s, -inf), ...) with positions, which are whole numbers
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import UnsupportedError
from .coordinates import EXACT
from .graph import Expr, operand, ordered
from .graph import program as program_of
from .ops import OPS
from .program import Program
from .trace import called, required, results

HEAD = "head"
POSITIONS = ("query", "key", HEAD)
"""The names of positions, in the type of the value."""


def traced_score(score: Callable[..., object], mask: bool, dtype: str, longest: int) -> Program:
    """Return a function of scores as a program of the inputs "score", "mask" and positions. The mask is added if the
    function does not take it.

    mask     whether there is one
    longest  the most of the heads, queries and keys, whose numbers are positions

    Raises TypeError or UnsupportedError for what is no such function.
    """
    names = ("mask",) * mask + POSITIONS
    given = {name: operand(name, dtype) for name in names}
    found = _called(score, given, dtype)
    nodes = ordered(found)
    reads = {each.value for each in nodes if each.op == "input"}
    strange = [each.op for each in nodes if each.op not in OPS and each.op not in ("input", "const", "call")]
    if len(found) != 1 or strange or not reads <= {"score", *names} or found[0].dtype != dtype:
        raise UnsupportedError(
            f"score: one result of type {dtype}, computed element by element from the score, {', '.join(names)}, "
            f"not {', '.join(map(str, strange or found))}"
        )
    if longest > EXACT and dtype == "f32" and not reads.isdisjoint(POSITIONS):
        raise UnsupportedError(f'score: positions are exact in f32 up to {EXACT}, not {longest}; dtype="f64" has more')
    return program_of(found[0] + given["mask"] if mask and "mask" not in reads else found[0])


def _called(score: Callable[..., object], given: Mapping[str, Expr], dtype: str) -> tuple[Expr, ...]:
    example = "as lambda s, query, key: ts.select(query - key < 100, s, -math.inf)"
    if not callable(score):
        raise TypeError(f"score: a function of a score, and of {', '.join(given)} where it needs them, {example}")
    first, *more = required(score, given) or ["nothing"]
    if first in given or any(name not in given for name in more):
        raise TypeError(
            f"score: a function whose first parameter is the score and whose others are among {', '.join(given)}, "
            f"{example}, not one of {', '.join((first, *more))}"
        )
    operands = {first: operand("score", dtype)} | {name: given[name] for name in more}
    return results(called(score, operands), [])
