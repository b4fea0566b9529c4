"""The code that counts the indices of an index search (argmax, argmin) and that finds an index within a block."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.reducer import HERE, simple
from ..codegen.selection import own
from ..contract.machine import Facts
from ..expr.conversions import widened
from ..expr.graph import INTEGER_OF, Expr, constant_bits, minimum, operand, select
from .code import FirstMatch, IndexCounter, Output
from .ops import SEARCHES
from .spec import ReduceSpec

_NO_MATCH = 1 << 30
"""An index greater than any index within a block."""


def index_counter(
    spec: ReduceSpec, facts: Facts, registers: int, vector: int, turn: int, vectors: int, block: int
) -> IndexCounter:
    """Return the code that counts indices. `turn` is the number of accumulators of a row, each of which takes `vectors`
    vectors at a time; `block` is the number of vectors of a block, or 0 if steps do not take blocks."""
    integer = INTEGER_OF[spec.compute]
    here, index = operand(HERE, integer), operand("a0", integer)
    beside = 1 if spec.axis == 0 else vector
    pace = vectors * beside * (1 if spec.axis == 0 else turn)
    advance = _code((here + operand("pace", integer),), facts, registers, (HERE,), ("pace",))
    lags = range(1, turn) if spec.axis != 0 else ()
    later = tuple(_code((index + lag * vector,), facts, registers, ("a0",)) for lag in lags)
    first_match = _first_match(spec, facts, registers, vector, block) if block else None
    return IndexCounter(pace, beside, advance, later, first_match)


def _first_match(spec: ReduceSpec, facts: Facts, registers: int, vector: int, block: int) -> FirstMatch:
    """Return the code that finds the index of the first element of a block that is as good as the best one."""
    arg_reduction, integer = SEARCHES[spec.name], INTEGER_OF[spec.compute]
    best, index = operand("best", spec.compute), constant_bits(_NO_MATCH, integer)
    for number in reversed(range(block)):
        x = operand(f"x{number}", spec.compute)
        worse = arg_reduction.better(x * x if spec.squared else x, best)
        index = select(worse, index, number * vector)
    lane_numbers = own("const", integer, value=tuple(range(vector)))
    loads = {f"x{i}": spec.dtype for i in range(block)}
    a, b = operand("a0", integer), operand("b0", integer)
    look = _code(widened((index + lane_numbers,), loads), facts, registers, ("place",), ("best",))
    fold, add = (_code((value,), facts, registers, ("a0", "b0")) for value in (minimum(a, b), a + b))
    result = _code((a,), facts, registers, ("a0",))
    lowest = simple(integer, _NO_MATCH, minimum, minimum, lambda x: x)
    return FirstMatch(look, Output(lowest, 0, None, None, fold, result), add)


def _code(
    outputs: Sequence[Expr], facts: Facts, registers: int, given: Sequence[str], loop_invariant: Sequence[str] = ()
) -> Lowered:
    code = Straight(outputs, facts).allocated(registers, 1, given, loop_invariant)
    assert code is not None, "there are registers for a comparison and a selection"
    return code
