"""Where the values of a program are needed: the live ranges of a control flow graph.

A step has two places, twice its number and one more: it reads at the first and writes at the second. A value is live
from a place where it is written up to the last place where it may be read, along every way that control may take: what
is live into a loop, and read in it, is live in the whole loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import EncodeError
from ..records import NamedTuple
from .program import BoundLabel, RecordedStep, Variable

Range = tuple[int, int]
"""The first place, and the place behind the last."""
_LOOP = 8
"""A use inside a loop counts as many uses outside of it."""


class BasicBlock(NamedTuple):
    """Steps that are executed one after the other."""

    start: int
    end: int
    following: tuple[int, ...]  # numbers of blocks


class Liveness(NamedTuple):
    """The ranges of the values in ascending order, and the weight of each value: its uses, those in loops more."""

    ranges: dict[Variable, list[Range]]
    weights: dict[Variable, float]


def blocks_of(steps: Sequence[RecordedStep]) -> list[BasicBlock]:
    """Return the blocks of a program in order."""
    labels = {step.label: number for number, step in enumerate(steps) if isinstance(step, BoundLabel)}
    starts = {0}
    for number, step in enumerate(steps):
        if isinstance(step, BoundLabel):
            starts.add(number)
        if step.target is not None or not step.falls:
            starts.add(number + 1)
    order = sorted(start for start in starts if start < len(steps))
    place = {start: number for number, start in enumerate(order)}
    made = []
    for number, start in enumerate(order):
        end = order[number + 1] if number + 1 < len(order) else len(steps)
        last = steps[end - 1]
        following = [number + 1] if last.falls and number + 1 < len(order) else []
        if last.target is not None:
            if last.target not in labels:
                raise EncodeError(f"label {last.target} is used at {last.where} and never bound")
            following.append(place[labels[last.target]])
        made.append(BasicBlock(start, end, tuple(following)))
    return made


def live(steps: Sequence[RecordedStep]) -> Liveness:
    """Return where each value is live.

    Raises EncodeError, which names the line, if a value may be read before it is written.
    """
    blocks = blocks_of(steps)
    _check_written(steps, blocks)
    behind = _live_behind(steps, blocks, partly=True)
    ranges: dict[Variable, list[Range]] = {}
    for block, out in zip(reversed(blocks), reversed(behind)):
        needed = dict.fromkeys(out, 2 * block.end)  # the place behind the last one
        for number in range(block.end - 1, block.start - 1, -1):
            for value, span in _step_back(steps[number], number, needed):
                _add(ranges, value, span)
        for value, end in needed.items():
            _add(ranges, value, (2 * block.start, end))
    for spans in ranges.values():
        spans.reverse()
    return Liveness(ranges, _weights(steps))


def _step_back(step: RecordedStep, number: int, needed: dict[Variable, int]) -> Iterator[tuple[Variable, Range]]:
    """Yield the ranges that begin at a step, and turn the values needed behind it into those needed before it."""
    for value in step.writes:
        yield value, (2 * number + 1, needed.pop(value, 2 * number + 2))
    for value in (*step.reads, *step.keeps):
        needed.setdefault(value, 2 * number + 1 + step.apart)


def _add(ranges: dict[Variable, list[Range]], value: Variable, span: Range) -> None:
    """Add a range that lies before all others, or touches the first."""
    spans = ranges.setdefault(value, [])
    if spans and span[1] >= spans[-1][0]:
        spans[-1] = span[0], max(span[1], spans[-1][1])
    else:
        spans.append(span)


def _live_behind(steps: Sequence[RecordedStep], blocks: Sequence[BasicBlock], partly: bool) -> list[set[Variable]]:
    """Return the values that are live behind each block. `partly`: a write of a part needs the rest."""
    before: list[set[Variable]] = []
    written: list[set[Variable]] = []
    for block in blocks:
        reads: set[Variable] = set()
        writes: set[Variable] = set()
        for step in steps[block.start : block.end]:
            reads.update(value for value in step.reads if value not in writes)
            if partly:
                reads.update(value for value in step.keeps if value not in writes)
            writes.update(step.writes)
        before.append(reads)
        written.append(writes)
    behind: list[set[Variable]] = [set() for _ in blocks]
    changed = True
    while changed:
        changed = False
        for number in range(len(blocks) - 1, -1, -1):
            out = set().union(*(before[each] for each in blocks[number].following))
            if out != behind[number]:
                behind[number] = out
                before[number] |= out - written[number]
                changed = True
    return behind


def _check_written(steps: Sequence[RecordedStep], blocks: Sequence[BasicBlock]) -> None:
    """Raise EncodeError if a value is read before it is written."""
    if not blocks:
        return
    behind = _live_behind(steps, blocks, partly=False)
    first, out = blocks[0], behind[0]
    needed = set(out)
    for step in reversed(steps[first.start : first.end]):
        needed.difference_update(step.writes)
        needed.update(step.reads)
    missing = {value for value in needed if value.fixed is None}
    for step in steps:
        for value in step.reads:
            if value in missing:
                raise EncodeError(f"{step.where}: {value} is read, and there is a way here on which nothing wrote it")


def _weights(steps: Sequence[RecordedStep]) -> dict[Variable, float]:
    """Return the uses of each value; one counts more in a loop, which is what a jump backwards encloses."""
    labels = {step.label: number for number, step in enumerate(steps) if isinstance(step, BoundLabel)}
    depths = [0] * (len(steps) + 1)
    for number, step in enumerate(steps):
        start = len(steps) if step.target is None else labels[step.target]
        if start <= number:
            depths[start] += 1
            depths[number + 1] -= 1
    weights: dict[Variable, float] = {}
    depth = 0
    for number, step in enumerate(steps):
        depth += depths[number]
        for value in {*step.reads, *step.keeps, *step.writes}:
            weights[value] = weights.get(value, 0) + _LOOP**depth
    return weights
