"""Steps that each row of a call needs, as a loop over the rows: the count is a word of the call.

    loop = RowsMembers((RepeatedStep(kernel, (x, w, y), "conv"), ...), operands=3, bytes=0, per_row=4096)

    x, y   RepeatedOperand(0, advance=bytes)     the part of a row, the next one in each iteration
    w      RepeatedOperand(1)                    the same in all iterations

No row depends on another one, so that the rows are dealt to the workers, and one worker computes all steps of a row.
Values between the steps lie in memory of the worker's own, which is the operand behind the last one.
"""

from __future__ import annotations

from math import prod

from ...encoder.records import NamedTuple
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.products import EXECUTOR
from ..loops.code import WORKER, Address, Header, Load, Loop, Node, Share, affine, by_one, index, placed
from ..ops.dealt import WORD
from ..threads.called_code import JobTable
from .repeated import stage_of_step
from .rows import RowsMembers
from .schedule import Place
from .stages import JobStage, Numbers, TouchedElements, check_count, stage_of
from .steps import RepeatedOperand, RepeatedStep

_ROW, _ROWS = "row of the call", "rows of the call"


class MemoryOfRows(NamedTuple):
    """Where each worker has the memory of its rows: that between steps, then what a step shares among workers, of
    which there is one, then what it has for each. Bytes, and the word of the job's table."""

    between: int
    shared: int
    own: int
    place: int

    @property
    def bytes(self) -> int:
        return self.between + self.shared + self.own

    def at(self, offset: int) -> Address:
        return Address(self.place, index(WORKER) * self.bytes + offset)


def rows_members(steps: tuple[RepeatedStep, ...], operands: int, memory: int, moved: int) -> RowsMembers:
    """Return a loop over the rows of a call. Raises UnsupportedError for a step in which Python takes part."""
    for each in steps:
        stage_of_step(each)
    return RowsMembers(steps, operands, memory, moved)


@stage_of.register
def of_members(entry: RowsMembers, numbers: Numbers) -> JobStage:
    """Return a loop over the rows of a call, in runs that are dealt to workers."""
    stages = [stage_of_step(each) for each in entry.steps]
    check_count("loop over rows", entry.operands + 1, len(numbers))
    between, shared, own = (
        -(-each // CACHE_LINE) * CACHE_LINE
        for each in (
            entry.bytes,
            max((each.memory[0] for each in stages), default=0),
            max((each.memory[1] for each in stages), default=0),
        )
    )
    memory = MemoryOfRows(between, shared, own, entry.operands + 1)

    def nodes() -> tuple[Node, ...]:
        body = tuple(
            node
            for step, stage in zip(entry.steps, stages)
            for node in placed(by_one(tuple(stage.nodes())), _places(entry, step, stage, memory))
        )
        loop: Node = Loop(Header(_ROW, index("begin"), (index("end"),), 1, 1), body)
        for number, trips in reversed(list(enumerate(entry.around))):
            name = _around(number)
            at = index(name) * WORD + 2 * WORD * EXECUTOR.parts
            multiple = Load((_multiple(number),), entry.operands, at, (loop,))
            loop = Loop(Header(name, affine(0), (affine(trips),), 1, trips), (multiple,))
        if any(entry.begin):
            loop = Load((_ROWS,), entry.operands, affine(2 * WORD * EXECUTOR.parts + WORD), (loop,))
        run = Load(("begin", "end"), entry.operands, index("run") * (2 * WORD), (loop,))
        return (Share((Header("run", affine(0), (affine(EXECUTOR.parts),), 1, EXECUTOR.parts),), (run,)),)

    written = {
        at.operand
        for step, stage in zip(entry.steps, stages)
        for each in stage.touched
        if each.written
        and isinstance(at := step.operands[each.operand], RepeatedOperand)
        and at.operand < entry.operands
    }
    touched = tuple(TouchedElements(at, at in written) for at in range(entry.operands + 1))
    asked = [each.asked for each in stages]
    operands = [[tuple(at) if isinstance(at, RepeatedOperand) else at for at in each.operands] for each in entry.steps]
    return JobStage(
        nodes,
        JobTable(tuple(range(entry.operands + 1)), None, memory.place, memory.place + 1),
        (0, memory.bytes),
        EXECUTOR.divided,
        True,
        True,
        touched,
        stages[0].target,
        None if None in asked else (tuple(asked), repr(operands), entry.operands, *entry[4:]),
        per_row=max(sum(each.weight for each in stages), entry.moved / EXECUTOR.moved) * prod(entry.around),
    )


def _places(entry: RowsMembers, step: RepeatedStep, stage: JobStage, memory: MemoryOfRows) -> dict[int, Place]:
    """Return what takes the places of a stage's operands and scratch memory for a row."""
    (_, own), table = stage.memory, stage.table
    worker = memory.at(memory.between + memory.shared)
    found: dict[int, Place] = {table.own: Address(worker.operand, worker.offset + index(WORKER) * -own)}
    if table.shared is not None:
        found[table.shared] = memory.at(memory.between)
    for place, each in zip(table.operands, step.operands, strict=True):
        if not isinstance(each, RepeatedOperand):
            found[place] = affine(each)
        elif each.operand == entry.operands:
            found[place] = memory.at(each.offset)
        else:
            offset = index(_ROW) * each.advance + each.offset
            offset = offset + index(_ROWS) * (entry.begin[each.operand] if any(entry.begin) else 0)
            for at, (known, counted) in enumerate(entry.apart[each.operand] if entry.around else ()):
                offset = offset + index(_around(at)) * known + index(_multiple(at)) * counted
            found[place] = Address(each.operand, offset)
    return found


def _around(number: int) -> str:
    return f"around {number}"


def _multiple(number: int) -> str:
    """Return the index that is as many times the number of rows as a loop around had iterations."""
    return f"rows of {number}"
