"""Loops over steps as one step of the executor: where states lie, and what moves on in each iteration.

A state lies where the step before has written it. If it is an output as well, that is the part of the output; else it
has a buffer, to which it is written in place if nothing reads the state later. The first step reads the initial state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ....encoder.records import NamedTuple
from ...executor.repeated import RepeatedSteps
from ...executor.steps import RepeatedOperand, RepeatedStep
from ..lowering import completed
from ..regions import FusedRegion
from ..storage import Storage, ValuePlace, operand_array
from ..values import GraphNode, GraphValue, TensorGraph, TensorType
from ..views import contiguous
from .scan import body_of

if TYPE_CHECKING:
    from ..lowering import Lowering, PlannedStep

_BYTE = np.dtype(np.uint8)


class LoopPlace(NamedTuple):
    """Where a value of a step lies: an array, the bytes by which it moves on in each iteration, and where it lies in
    the first one, if elsewhere."""

    place: ValuePlace
    advance: int = 0
    first: ValuePlace | None = None


class LoweredLoop:
    """A loop as it is lowered: the place of each input and result of its body, by their slots."""

    def __init__(self, lowering: Lowering, node: GraphNode) -> None:
        self.lowering, self.node, self.body = lowering, node, body_of(node.attributes)
        self.states, self.trips = int(node.attributes["states"]), int(node.attributes["steps"])  # type: ignore[call-overload]
        self.sequences = int(node.attributes["sequences"])  # type: ignore[call-overload]
        self.reverse = bool(node.attributes["reverse"])
        unit = lowering.partition.of[node]
        self.read = [lowering.is_read(value, unit) for value in node.results]

    def part(self, place: ValuePlace, before: bool = False) -> LoopPlace:
        """Return the part of a sequence that belongs to a step, or to the step before."""
        kind, step = place.kind, place.strides[0]
        advance = -step if self.reverse else step
        start = (self.trips - 1) * step if self.reverse else 0
        first = place.moved(start - advance if before else start)
        shape = TensorType(kind.shape[1:], kind.dtype)
        return LoopPlace(first._replace(kind=shape, strides=place.strides[1:]), advance * kind.dtype.itemsize)


def lower_repeat(lowering: Lowering, node: GraphNode, lowered: Callable[[TensorGraph], Lowering]) -> None:
    """Add the steps of a loop. `lowered` returns the steps of its body."""
    loop = LoweredLoop(lowering, node)
    initial = [_dense(lowering, value) for value in node.operands[: loop.states]]
    if not loop.trips:
        made = [lowering.result(value) for value in node.results]
        for place, to in zip(initial, made):
            lowering.copy(place, to)
        return
    outputs = {
        number: lowering.result(value)
        for number, value in enumerate(node.results)
        if number >= loop.states and loop.read[number]
    }
    shared = _states_in_outputs(loop, outputs)
    alone = [number for number in outputs if number not in shared.values()]
    body = loop.body._replace(
        results=tuple(loop.body.results[number] for number in (*range(loop.states), *alone)),
        wanted=(*(None,) * loop.states, *(outputs[number].strides[1:] for number in alone)),
    )
    others = [lowering.place(value) for value in node.operands[loop.states : loop.states + loop.sequences]]
    others += [_dense(lowering, value) for value in node.operands[loop.states + loop.sequences :]]
    inputs = [
        *(LoopPlace(place) for place in initial),
        *(loop.part(place) if number < loop.sequences else LoopPlace(place) for number, place in enumerate(others)),
    ]
    for value, each in zip(body.inputs, inputs):
        value.strides = each.place.strides
    inside = lowered(body)
    first = 1 + len(body.inputs)
    homes = {1 + number: each for number, each in enumerate(inputs)}
    homes |= {first + loop.states + number: loop.part(outputs[each]) for number, each in enumerate(alone)}
    outside = set[Storage]()
    for number, place in enumerate(initial):
        if number in shared:
            output = outputs[shared[number]]
            homes[1 + number] = loop.part(output, before=True)._replace(first=place)
            homes[first + number] = loop.part(output)
            continue
        own = _own(loop, number)
        homes[1 + number] = LoopPlace(own, first=place)
        homes[first + number] = LoopPlace(own)
        if not _in_place(inside, 1 + number, first + number):
            between = lowering.new(own.kind)
            homes[first + number] = LoopPlace(between)
            lives = [(each, each.first, each.last) for each in (between.storage, own.storage)]
            inside.copy(between, own)
            for storage, begin, end in lives:  # they are blocks of the program, whose steps are not those of the body
                storage.first, storage.last = begin, end
            outside |= {between.storage, own.storage}
    _add_loop(loop, inside.calls, homes, outside)
    _finish(loop, homes)


def _dense(lowering: Lowering, value: GraphValue) -> ValuePlace:
    """Return where a value lies that is no sequence, in C order."""
    place = lowering.place(value)
    return place if place.is_contiguous else lowering.copied(place)


def _states_in_outputs(loop: LoweredLoop, outputs: dict[int, ValuePlace]) -> dict[int, int]:
    """Return the output that each state is, too, where the parts of the output have no gaps."""
    found: dict[int, int] = {}
    for state, value in enumerate(loop.body.results[: loop.states]):
        for number, place in outputs.items():
            part = loop.part(place).place
            if loop.body.results[number] is value and part.is_contiguous and number not in found.values():
                found[state] = number
                break
    return found


def _own(loop: LoweredLoop, state: int) -> ValuePlace:
    """Return the buffer of a state: the result that it is at the end, if the loop has that result in C order."""
    value = loop.node.results[state]
    if loop.read[state]:
        place = loop.lowering.result(value)
        if place.is_contiguous:
            return place._replace(strides=contiguous(value.shape))
    return loop.lowering.new(value.kind)


def _in_place(inside: Lowering, read: int, written: int) -> bool:
    """Whether steps may write the next state, a result in a slot, where the state lies, an input in another: no step
    reads it later, and one that does both reads each element before it writes it."""
    writers = [number for number, call in enumerate(inside.calls) if _places(call.writes, written)]
    for number, call in enumerate(inside.calls):
        places = _places(call.operands, read)
        if not places or number < min(writers, default=0):
            continue
        unit = inside.partition.units[call.unit] if call.unit < len(inside.partition.units) else None
        if writers != [number] or not isinstance(unit, FusedRegion) or unit.columns is not None:
            return False
        own = _places(call.operands, written)
        if any(
            (one.offset, one.kind, one.strides) != (other.offset, other.kind, other.strides)
            for one in places
            for other in own
        ):
            return False
    return bool(writers)


def _places(operands: Sequence[ValuePlace | int], slot: int) -> list[ValuePlace]:
    """Return the operands that lie in a slot."""
    return [each for each in operands if isinstance(each, ValuePlace) and each.storage.slot == slot]


# The step


def _add_loop(
    loop: LoweredLoop, calls: Sequence[PlannedStep], homes: dict[int, LoopPlace], outside: set[Storage]
) -> None:
    """Add the step that repeats the steps of the body. `outside`: blocks whose slots are not those of the body."""
    numbers: dict[Storage, int] = {}
    steps: list[RepeatedStep] = []

    def at(place: ValuePlace) -> tuple[int, int]:
        return numbers.setdefault(place.storage, len(numbers)), place.offset

    def operand(place: ValuePlace) -> RepeatedOperand:
        slot, offset = place.storage.slot, place.offset
        if place.storage in outside:
            return RepeatedOperand(*at(place))
        if slot is None or place.storage.constant is not None:
            _adopt(loop.lowering, place.storage)
            return RepeatedOperand(*at(place))
        home = homes[slot]
        number, start = at(home.place)
        elsewhere = None if home.first is None else at(home.first._replace(offset=home.first.offset + offset))
        return RepeatedOperand(number, start + offset, home.advance, elsewhere)

    for call in calls:
        operands = completed(loop.lowering, call)
        arrays = tuple(operand_array(each) for each in operands)
        named = [operand(each) if isinstance(each, ValuePlace) else each for each in operands]
        steps.append(RepeatedStep(call.entry, tuple(named), call.name, arrays))
    depth = max((1 + each.entry.depth for each in steps if isinstance(each.entry, RepeatedSteps)), default=0)
    entry = RepeatedSteps(loop.trips, tuple(steps), len(numbers), depth)
    whole = [ValuePlace(each, 0, TensorType((each.bytes,), _BYTE), (1,)) for each in numbers]
    names = ", ".join(dict.fromkeys(each.name for each in steps))
    loop.lowering.step(entry, whole, whole, f"{loop.trips} x ({names})")


def _adopt(lowering: Lowering, storage: Storage) -> None:
    """Take a block of the body: a constant, or memory between its steps, which lives as long as the loop."""
    if storage.constant is not None:
        lowering.constants.append(storage)
    else:
        storage.first = storage.last = -1


def _finish(loop: LoweredLoop, homes: dict[int, LoopPlace]) -> None:
    """Copy last states to the results that they are, where they do not lie there."""
    for number, value in enumerate(loop.node.results[: loop.states]):
        if not loop.read[number]:
            continue
        home, to = homes[1 + number], loop.lowering.result(value)
        if home.place.storage is not to.storage:
            moved = home.place._replace(offset=home.place.offset + home.advance * loop.trips)
            loop.lowering.copy(moved, to)
