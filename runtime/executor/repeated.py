"""Steps that are run again and again: a loop of steps as one step, whose operands move on in each iteration.

    loop = RepeatedSteps(trips, (RepeatedStep(kernel, (x, state, y), "step"), ...), operands=3, depth=0)

    x      RepeatedOperand(0, advance=bytes)             a part of an operand, the next one in each iteration
    state  RepeatedOperand(1, first=(2, 0))              what the iteration before left; elsewhere in the first one

Recurrences are such loops: of states that each iteration reads and writes, and of arrays of which each has a part. The
schedule of one iteration says which worker runs which step, as it does for all steps of a graph. If several workers
take part, they meet at the end of each iteration. Python takes no part, so functions of Python are no steps of a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..loops.code import WORKER, Address, Affine, Barrier, Header, Loop, Node, affine, index
from ..threads.called_code import JobTable
from .nests import nodes_of
from .schedule import Phase, Place, PlacedStage, SlotSpan, bytes_of_span, phases
from .segments import checked, named, numbers_of
from .stages import JobStage, Numbers, TouchedElements, stage_of
from .steps import GraphStep, PythonEntry, RepeatedOperand, RepeatedStep, SlotAddress


class RepeatedSteps(NamedTuple):
    """A loop of steps as the entry of a step.

    trips      the number of iterations, 1 or more
    steps      in order; in an iteration, a step may touch whatever earlier ones, or those of iterations before, wrote
    operands   how many the loop has. Different ones are different memory
    depth      0, or one more than the largest depth of the loops among the steps
    """

    trips: int
    steps: tuple[RepeatedStep, ...]
    operands: int
    depth: int = 0


@stage_of.register
def of_repeated(entry: RepeatedSteps, numbers: Numbers) -> JobStage:
    """Return a loop of steps."""
    stages = [stage_of_step(each) for each in entry.steps]
    own = max((each.memory[1] for each in stages), default=0)
    shared = max((each.memory[0] for each in stages), default=0)
    table = JobTable(tuple(range(entry.operands)), entry.operands, entry.operands + 1, entry.operands + 2)
    found = [_touched(step, stage) for step, stage in zip(entry.steps, stages)]
    placed = [
        PlacedStage(
            number,
            step.name,
            stage,
            _places(step, stage, table, own, _index(entry)),
            tuple(SlotSpan.of(each.operand, 0, each) for each in _of_all(step, touched, entry.trips)),
            _first(step, stage, table, own, _index(entry)),
        )
        for number, (step, stage, touched) in enumerate(zip(entry.steps, stages, found))
    ]
    schedule = phases(placed)
    parallel = any(phase.parallel for phase in schedule)
    asked = [each.asked for each in stages]
    return JobStage(
        lambda: _nodes(entry, schedule, table.barrier, parallel),
        table,
        (shared, own),
        entry.trips * sum(each.cycles for each in stages),
        parallel,
        all(each.movable for each in stages),
        tuple(_of_loop(entry, found)),
        stages[0].target,
        None if None in asked else (entry.trips, entry.depth, tuple(asked), repr((_operands(entry), _who(schedule)))),
    )


def stage_of_step(step: RepeatedStep) -> JobStage:
    """Return a step of a loop as a stage. Raises UnsupportedError for one in which Python takes part."""
    if isinstance(step.entry, PythonEntry):
        raise UnsupportedError(f"{step.name}: a function of Python is no step of a loop in machine code")
    alone = _alone(step)
    if checked(alone) is not None:
        raise UnsupportedError(f"{step.name}: Python checks its indices in each call, so it is no step of a loop")
    return stage_of(step.entry, numbers_of(alone))


def _alone(step: RepeatedStep) -> GraphStep:
    """Return a step as it is outside of a loop, without its places."""
    operands = tuple(SlotAddress(each.operand) if isinstance(each, RepeatedOperand) else each for each in step.operands)
    return named(GraphStep(step.entry, operands, step.name, step.arrays))


def _index(entry: RepeatedSteps) -> str:
    return f"iteration{entry.depth}"


def _operands(entry: RepeatedSteps) -> list[list[tuple[object, ...] | int]]:
    return [[tuple(at) if isinstance(at, RepeatedOperand) else at for at in each.operands] for each in entry.steps]


def _who(schedule: Sequence[Phase]) -> list[list[list[int]]]:
    return [[[each.number for each in run] for run in (phase.divided, *phase.strands)] for phase in schedule]


def _nodes(entry: RepeatedSteps, schedule: Sequence[Phase], barrier: int, parallel: bool) -> tuple[Node, ...]:
    """Return the loop."""
    body = nodes_of(schedule, barrier, parallel, entry.depth + 1)
    body = (*body, Barrier(barrier)) if parallel else body
    return (Loop(Header(_index(entry), affine(0), (affine(entry.trips),), 1, entry.trips), body),)


# Places


def _places(step: RepeatedStep, stage: JobStage, table: JobTable, own: int, name: str) -> dict[int, Place]:
    """Return what takes the places of a stage's operands and scratch memory in an iteration. Those of a worker are at
    the same distance for all stages."""
    apart = index(WORKER) * (own - stage.memory[1])
    found: dict[int, Place] = {stage.table.own: Address(table.own, apart), stage.table.barrier: table.barrier}
    if stage.table.shared is not None:
        assert table.shared is not None
        found[stage.table.shared] = table.shared
    for place, each in zip(stage.table.operands, step.operands, strict=True):
        if isinstance(each, RepeatedOperand):
            found[place] = Address(each.operand, index(name) * each.advance + each.offset)
        else:
            found[place] = affine(each)
    return found


def _first(
    step: RepeatedStep, stage: JobStage, table: JobTable, own: int, name: str
) -> tuple[Affine, Mapping[int, Place]] | None:
    """Return the places in the first iteration, if they differ."""
    if not any(isinstance(each, RepeatedOperand) and each.first is not None for each in step.operands):
        return None
    moved = tuple(
        RepeatedOperand(*each.first) if isinstance(each, RepeatedOperand) and each.first is not None else each
        for each in step.operands
    )
    return index(name), _places(step._replace(operands=moved), stage, table, own, name)


# What a loop touches


def _touched(step: RepeatedStep, stage: JobStage) -> list[TouchedElements]:
    """Return what a step touches, by its own operands."""
    found = []
    for each in stage.touched:
        known = step.arrays[each.operand] if each.operand < len(step.arrays) else None
        if each.shape is None and known is not None:
            each = each._replace(shape=known.shape, strides=known.strides, size=known.size)
        found.append(each)
    return found


def _at(step: RepeatedStep, each: TouchedElements) -> RepeatedOperand:
    at = step.operands[each.operand]
    if not isinstance(at, RepeatedOperand):
        raise ValueError(f"{step.name}: operand {each.operand} is an address, RepeatedOperand(...), not {at}")
    return at


def _in_first(at: RepeatedOperand, each: TouchedElements) -> Iterator[TouchedElements]:
    """Yield what is touched elsewhere in the first iteration, by the operands of the loop."""
    if at.first is not None:
        operand, offset = at.first
        yield each._replace(operand=operand, offset=each.offset + offset)


def _of_all(step: RepeatedStep, touched: Sequence[TouchedElements], trips: int) -> Iterator[TouchedElements]:
    """Yield what a step touches in all iterations, by the operands of the loop."""
    for each in touched:
        at = _at(step, each)
        yield from _in_first(at, each)
        skipped = 0 if at.first is None else 1
        if trips > skipped:
            moved = each._replace(operand=at.operand, offset=each.offset + at.offset + skipped * at.advance)
            yield moved.repeated(trips - skipped, at.advance)


def _of_loop(entry: RepeatedSteps, touched: Sequence[Sequence[TouchedElements]]) -> Iterator[TouchedElements]:
    """Yield what a loop touches. What its steps only read after they wrote it counts as written: by an earlier step of
    the same iteration or, of operands that are elsewhere in the first one, in the iteration before."""
    written = [(_at(step, each), each) for step, found in zip(entry.steps, touched) for each in found if each.written]
    earlier: list[tuple[RepeatedOperand, TouchedElements]] = []
    for step, found in zip(entry.steps, touched):
        for each in found:
            at = _at(step, each)
            before = [(on, which, 0) for on, which in earlier]
            if at.first is not None:
                before += [(on, which, -on.advance) for on, which in written]
            if each.written or not _covered(at, each, before):
                yield from _of_all(step, [each], entry.trips)
            else:
                yield from _in_first(at, each)
        earlier += [(_at(step, each), each) for each in found if each.written]


def _covered(
    at: RepeatedOperand, read: TouchedElements, written: Sequence[tuple[RepeatedOperand, TouchedElements, int]]
) -> bool:
    """Whether every byte that is read was written: `written` are elements and the bytes by which they moved since."""
    if read.shape is None:
        return False
    span = SlotSpan.of(at.operand, at.offset, read)
    assert span.end is not None
    held = np.zeros(span.end - span.begin, bool)
    for on, each, moved in written:
        if (on.operand, on.advance) != (at.operand, at.advance) or each.shape is None:
            continue
        other = SlotSpan.of(on.operand, on.offset + moved, each)
        assert other.end is not None
        begin = min(span.begin, other.begin)
        marks = np.zeros(max(span.end, other.end) - begin, bool)
        bytes_of_span(marks, other, begin)[...] = True
        held |= marks[span.begin - begin :][: len(held)]
    return bool(bytes_of_span(held, span, span.begin).all())
