"""The code of a reduction's parts: steps, what begins a row, and what becomes of the state at its end."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.linear_scan import GIVEN, Lowered, lower
from ..codegen.reducer import HERE, Running, State, simple
from ..codegen.selection import Arithmetic, arithmetic_of, own
from ..contract.machine import Facts
from ..expr.conversions import narrowed, widened
from ..expr.graph import BITS, INTEGER_OF, Expr, bits, constant_bits, from_bits, minimum, operand, select
from .ops import FLOATS, REDUCTIONS, SEARCHES, add, running
from .plan import Found, Output, Places, ReducePlan
from .spec import ReduceSpec

_FAR = 1 << 30
"""A place beyond those of any block."""


def parts(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int, unroll: int, room: int,
          interleaved_rows: int = 0, together: int = 2, block: int = 0) -> ReducePlan | None:  # fmt: skip
    """The code with so many accumulators, that take up to `together` vectors at a time; None where it cannot be had.

    block: vectors that a search takes at a time.
    """
    arithmetic = arithmetic_of(facts)
    together = max(1, block) if spec.arg_reduction else together
    resident = [running(name, spec.compute, arithmetic, together) for name in spec.reductions]
    together = resident[0].together
    if spec.axis == 0:
        unroll = min(unroll, -(-columns // vector))
    elif not interleaved_rows:
        unroll = max(1, min(unroll // together, -(-columns // (vector * together))))
    rest = columns % vector if spec.axis != 0 and not block else 0
    xs = tuple(operand(f"x{i}", spec.compute) for i in range(together))
    firsts = [sum(len(each.types) for each in resident[:i]) for i in range(len(resident))]
    names = [f"s{first + i}" for first, each in zip(firsts, resident) for i in range(len(each.types))]

    stored = {f"x{i}": spec.dtype for i in range(together)}

    def stepped(elements: Sequence[Expr], count: int, pad: int) -> Lowered | None:
        results: list[Expr] = []
        for first, each in zip(firsts, resident):
            state = tuple(operand(f"s{first + i}", dtype) for i, dtype in enumerate(each.types))
            results += each.step(state, [_padded(x, each.start[0], pad, vector) for x in elements])
        code = lower(
            widened(tuple(results), stored), arithmetic, room, count, names, (HERE,) if spec.arg_reduction else ()
        )
        return _checked(code, len(names))

    def begun() -> Lowered | None:
        """Where every accumulator of a row begins with whole vectors, or a row of a column block is the first.

        All elements of a matrix with gaps are several rows, whose accumulators go on.
        """
        results: list[Expr] = []
        along, down = (unroll, together) if spec.axis == 0 else ((1 if interleaved_rows else unroll) * together, 1)
        if (spec.axis is None and rows > 1) or rows < down or columns < along * vector:
            return None
        for each in resident:
            if each.first is None:
                return None
            results += each.first(xs)
        return _checked(lower(widened(tuple(results), stored), arithmetic, room, unroll, names), len(names))

    alone = unroll if interleaved_rows or spec.axis == 0 else 1
    step, single = stepped(xs, unroll, 0), stepped(xs[:1], alone, 0)
    tail = stepped(xs[:1], alone, rest) if rest else None
    those = zip(spec.reductions, resident, firsts)
    outputs = [_output(spec, name, each, first, arithmetic, room, interleaved_rows > 0) for name, each, first in those]
    if step is None or single is None or (rest and tail is None):
        return None
    cycles = rows * -(-columns // vector) * max(1.0, step.operations / together / 4)
    found = tuple(each for each in outputs if each is not None)
    if len(found) < len(outputs):
        return None
    widths = tuple(bits // BITS[spec.compute] for bits in facts.widths if facts.halves)
    places = (
        _places(spec, arithmetic, room, vector, 1 if interleaved_rows else unroll, block)
        if spec.arg_reduction
        else None
    )
    return ReducePlan(spec, rows, columns, vector, step, single, tail, begun(), found, arithmetic, cycles,
                      interleaved_rows=interleaved_rows, widths=widths, places=places)  # fmt: skip


def _places(spec: ReduceSpec, arithmetic: Arithmetic, room: int, vector: int, turn: int, block: int) -> Places:
    """How places are counted by a search; turn: accumulators along a row that take one vector each."""
    integer = INTEGER_OF[spec.compute]
    here, place = operand(HERE, integer), operand("a0", integer)
    pace = 1 if spec.axis == 0 else max(1, block) * vector * turn

    def made(result: Expr, *given: str, loop_invariant: Sequence[str] = ()) -> Lowered:
        code = lower((result,), arithmetic, room, 1, given, loop_invariant)
        assert code is not None, "there are registers for one operation"
        return code

    forward = made(here + operand("pace", integer), HERE, loop_invariant=("pace",))
    later = [made(place + copy * vector, "a0") for copy in range(1, turn)] if spec.axis != 0 else []
    return Places(pace, forward, tuple(later), _found(spec, arithmetic, room, vector, block) if block else None)


def _found(spec: ReduceSpec, arithmetic: Arithmetic, room: int, vector: int, block: int) -> Found:
    """The place of the first element of a block that is as good as the best one."""
    arg_reduction, integer = SEARCHES[spec.name], INTEGER_OF[spec.compute]
    best, place = operand("best", spec.compute), constant_bits(_FAR, integer)
    for number in reversed(range(block)):
        place = select(arg_reduction.better(operand(f"x{number}", spec.compute), best), place, number * vector)
    lanes = own("const", integer, value=tuple(range(vector)))
    stored = {f"x{i}": spec.dtype for i in range(block)}
    a, b = operand("a0", integer), operand("b0", integer)
    look = lower(widened((place + lanes,), stored), arithmetic, room, 1, ("place",), ("best",))
    fold, add = (lower((each,), arithmetic, room, 1, ("a0", "b0")) for each in (minimum(a, b), a + b))
    result = lower((a,), arithmetic, room, 1, ("a0",))
    assert look and fold and add and result, "there are registers for a comparison"
    lowest = simple(integer, _FAR, minimum, minimum, lambda x: x)
    return Found(look, Output(lowest, 0, None, None, fold, result), add)


def _output(spec: ReduceSpec, name: str, resident: Running, first: int, arithmetic: Arithmetic, room: int,
            interleaved_rows: bool) -> Output | None:  # fmt: skip
    """What becomes of the registers of an output after the last element."""

    def made(results: Sequence[Expr], *given: State) -> Lowered | None:
        names = [each.value for state in given for each in state]
        return _checked(lower(results, arithmetic, room, 1, names), len(names))

    state, a, b = resident.inputs("a"), resident.settled("a"), resident.settled("b")
    if spec.axis == 0:
        result = made(_stored(spec, name, resident.value(state)), state)
        return None if result is None else Output(resident, first, None, None, None, result)
    if interleaved_rows and resident.apart is not None:
        other = resident.inputs("b")
        fold = made((resident.apart.fold(state[0], other[0]),), state[:1], other[:1])
        result = made(_stored(spec, name, resident.apart.result(*state)), state)
        return Output(resident, first, None, None, fold, result, apart=resident.apart) if fold and result else None
    settled = resident.settle(state)
    as_it_is = all(new is old for new, old in zip(settled, state))
    settle = None if as_it_is else made(settled, state)
    join = (
        None if resident.join is None else made(resident.join(state, resident.inputs("b")), state, resident.inputs("b"))
    )
    fold = made(resident.fold(a, b), a, b)
    result = made(_stored(spec, name, resident.result(a)), a)
    if (
        fold is None
        or result is None
        or (settle is None and not as_it_is)
        or (join is None and resident.join is not None)
    ):
        return None
    adds = not spec.arg_reduction and REDUCTIONS[name].join is add and spec.compute in FLOATS
    return Output(resident, first, join, settle, fold, result, adds)


def _stored(spec: ReduceSpec, name: str, value: Expr) -> tuple[Expr, ...]:
    """What is stored of a finished value."""
    if spec.arg_reduction:
        return (value,)
    if spec.init:
        value = REDUCTIONS[name].join(value, operand("init", spec.compute))
    return widened((narrowed(value, spec.out),), {"init": spec.out})


def _checked(code: Lowered | None, given: int) -> Lowered | None:
    """Results go to the registers of the inputs of the same number: none of those may be read after that."""
    for i, line in enumerate(code.lines if code is not None else ()):
        if line.op == "store":
            home = line.copy * given + line.value
            later = code.lines[i + 1 :] if code is not None else ()
            assert line.srcs[0] == (GIVEN, home) or all((GIVEN, home) not in each.srcs for each in later), code
    return code


def _padded(x: Expr, identity: int, rest: int, vector: int) -> Expr:
    """x with the identity in the elements beyond the row, which were loaded as zeros."""
    if identity == 0 or not rest:
        return x
    integer = INTEGER_OF[x.dtype]
    pad = own("const", integer, value=(0,) * rest + (identity,) * (vector - rest))
    return from_bits(bits(x) | pad) if x.dtype != integer else x | pad
