"""Steps of a plan on a model of memory in which every byte knows the element of the value that it holds.

A step says which value it expects where it reads, and which value it leaves where it writes. A step that finds other
bytes than it expects is wrong, and the model knows which step has overwritten them. That covers what a step leaves for
later ones. Within a step, the accesses say when they happen:

    THROUGHOUT   at any time: a product reads its factors for every block of columns, and reductions accumulate
    IN_TURN      element by element: an element is read before the element of the same row and column is written, and
                 elements may be processed in any order otherwise
    FORWARD      the same, and the elements of a row from the first to the last
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import itemgetter

from ....encoder.records import NamedTuple, dataclass

THROUGHOUT, IN_TURN, FORWARD = "throughout", "in turn", "forward"
NOBODY = "no step"
"""The writer of bytes that a step reads before any step writes them."""


class MatrixAccess(NamedTuple):
    """A matrix of `rows` by `columns` elements of `size` bytes, whose rows are `pitch` bytes apart, in a space.

    value   the name of what the bytes hold; of it these are the elements from (row, column) on
    across  whether a row has one element, which is read before any element of the row is written
    before  of a step with several results: the numbers of those whose element is written after this element has been
            read for the last time; None: of all
    """

    space: str
    offset: int
    rows: int
    columns: int
    size: int
    pitch: int
    value: str
    row: int = 0
    column: int = 0
    when: str = IN_TURN
    across: bool = False
    before: tuple[int, ...] | None = None

    @property
    def end(self) -> int:
        """The first offset after the last byte."""
        return self.offset + (self.rows - 1) * self.pitch + self.columns * self.size

    def __str__(self) -> str:
        shape = f"{self.rows} x {self.columns}, bytes {self.offset} to {self.end - 1} of {self.space}"
        return f"{self.value} ({shape})"


class PlacedStep(NamedTuple):
    """A step: what it reads, what it writes, and scratch memory of its own, of which nothing outlives it."""

    name: str
    reads: tuple[MatrixAccess, ...]
    writes: tuple[MatrixAccess, ...]
    own: tuple[MatrixAccess, ...] = ()


@dataclass(frozen=True)
class Overwritten:
    """What is wrong with a plan: the step that overwrites, and the step that still reads."""

    writer: str
    reader: str
    what: str

    def __str__(self) -> str:
        if self.writer == NOBODY:
            return f"no step writes {self.what}, which {self.reader} reads"
        return f"{self.writer} overwrites {self.what}, which {self.reader} still reads"


def first_overwritten(steps: Iterable[PlacedStep]) -> Overwritten | None:
    """Return the first read of overwritten or unwritten bytes, or None if the plan is right."""
    every = [_without_empty(step) for step in steps]
    memory = _Spaces([step.name for step in every], {each.space for step in every for each in step.writes})
    for number, step in enumerate(every):
        found = memory.run(number, step)
        if found is not None:
            return found
    return None


def _without_empty(step: PlacedStep) -> PlacedStep:
    """Return the step without accesses to no elements."""
    reads, writes, own = (
        tuple(each for each in several if each.rows > 0 and each.columns > 0)
        for several in (step.reads, step.writes, step.own)
    )
    return PlacedStep(step.name, reads, writes, own)


class _Held(NamedTuple):
    """What a run of bytes holds: elements of one row of a value. `origin` is the offset at which column 0 of the row
    would lie, so that two runs hold the same elements at the same offsets exactly if they are equal."""

    value: str
    row: int
    size: int
    origin: int


class _Run(NamedTuple):
    """The bytes from `start` to `end`, what they hold, the number of the step that wrote them, and of the row of the
    access."""

    start: int
    end: int
    held: _Held
    step: int
    line: int


def _runs(access: MatrixAccess, step: int) -> list[_Run]:
    """Return the rows of an access as runs of bytes. A contiguous column is described as a row."""
    if access.columns == 1 and access.pitch == access.size:
        access = access._replace(rows=1, columns=access.rows, row=0, column=access.row + access.column)
    found = []
    for line in range(access.rows):
        start = access.offset + line * access.pitch
        held = _Held(access.value, access.row + line, access.size, start - access.column * access.size)
        found.append(_Run(start, start + access.columns * access.size, held, step, line))
    return found


class _Space:
    """What the bytes of a space hold. Matrices that do not overlap any others stay whole, which is quick; the others
    are runs, in order."""

    def __init__(self) -> None:
        self.whole: list[tuple[MatrixAccess, int]] = []
        self.runs: list[_Run] = []
        self.starts: list[int] = []

    def write(self, access: MatrixAccess, step: int) -> None:
        """Replace what the bytes of an access hold."""
        covers = access.rows == 1 or access.pitch == access.columns * access.size
        self._split(
            access,
            lambda other: (
                other[1:6] == access[1:6] or (covers and access.offset <= other.offset and other.end <= access.end)
            ),
        )
        first, last = self._hit(access.offset, access.end)
        if first == last or covers:
            for each in self.runs[first:last]:
                self._replace(each._replace(start=max(each.start, access.offset), end=min(each.end, access.end)), None)
            self.whole.append((access, step))
            return
        for run in _runs(access, step):
            self._replace(run, run)

    def _split(self, access: MatrixAccess, covered: Callable[[MatrixAccess], bool]) -> None:
        """Make runs of the matrices that share bytes with an access, except for those that it covers."""
        hit = [each for each in self.whole if each[0].offset < access.end and access.offset < each[0].end]
        if not hit:
            return
        self.whole = [each for each in self.whole if each not in hit]
        for other, step in hit:
            for run in () if covered(other) else _runs(other, step):
                self._replace(run, run)

    def _replace(self, old: _Run, new: _Run | None) -> None:
        """Replace the bytes of a run by another one, or by nothing."""
        first, last = self._hit(old.start, old.end)
        hit = self.runs[first:last]
        made = [each._replace(end=old.start) for each in hit[:1] if each.start < old.start]
        made += [new] if new is not None else []
        made += [each._replace(start=old.end) for each in hit[-1:] if each.end > old.end]
        self.runs[first:last] = made
        self.starts[first:last] = [each.start for each in made]

    def wrong(self, read: MatrixAccess) -> int | None:
        """Return the number of a step that wrote other bytes than a read expects, -1 if none wrote them; None if all
        are as expected."""
        if any(each[:9] == read[:9] for each, _ in self.whole):
            return None
        self._split(read, lambda other: False)
        for run in _runs(read, -1):
            found = self._wrong(run)
            if found is not None:
                return found
        return None

    def _wrong(self, read: _Run) -> int | None:
        first, last = self._hit(read.start, read.end)
        at = read.start
        for each in self.runs[first:last]:
            if each.start > at:
                return -1
            if each.held != read.held:
                return each.step
            at = each.end
        return None if at >= read.end else -1

    def _hit(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the runs that have bytes in common with a range of bytes."""
        first = bisect_right(self.starts, start)
        if first and self.runs[first - 1].end > start:
            first -= 1
        return first, bisect_left(self.starts, end, first)


class _Spaces:
    """All spaces. Only those that some step writes are of interest: nothing else can be overwritten."""

    def __init__(self, names: Sequence[str], written: Collection[str]) -> None:
        self.names, self.spaces = names, {space: _Space() for space in written}

    def run(self, number: int, step: PlacedStep) -> Overwritten | None:
        """Check and execute one step."""
        reads = [each for each in step.reads if each.space in self.spaces]
        for each in reads:
            writer = self.spaces[each.space].wrong(each)
            if writer is not None:
                return Overwritten(self.names[writer] if writer >= 0 else NOBODY, step.name, str(each))
        others = [*reads, *step.writes]
        for own in step.own:
            if hit := next((each for each in others if _common(own, each)), None):
                return Overwritten(f"scratch memory of {step.name}", step.name, str(hit))
        for at, write in enumerate(step.writes):
            if hit := next((each for each in reads if _collide(each, write, at, len(step.writes))), None):
                return Overwritten(step.name, f"another part of {step.name}", str(hit))
            if hit := next((each for each in step.writes[:at] if _common(each, write)), None):
                return Overwritten(step.name, "a later step", str(hit))
        for each in (*step.own, *step.writes):
            self.spaces.setdefault(each.space, _Space()).write(each, number)
        return None


def _common(one: MatrixAccess, other: MatrixAccess) -> list[tuple[_Run, _Run]]:
    """Return the rows of two accesses that have bytes in common."""
    if one.space != other.space or one.end <= other.offset or other.end <= one.offset:
        return []
    merged = sorted([*_runs(one, 0), *_runs(other, 1)], key=itemgetter(0, 1))
    found, open_ = [], list[_Run]()
    for run in merged:
        open_ = [each for each in open_ if each.end > run.start]
        found += [(each, run) if each.step < run.step else (run, each) for each in open_ if each.step != run.step]
        open_.append(run)
    return found


def _collide(read: MatrixAccess, write: MatrixAccess, number: int, results: int) -> bool:
    """Whether a write may hit a byte before it is read for the last time."""
    in_turn = THROUGHOUT not in (read.when, write.when)
    in_turn = in_turn and (results == 1 or read.before is None or number in read.before)
    if in_turn and read[:6] == write[:6]:
        return False
    common = _common(read, write)
    if not common or not in_turn:
        return bool(common)

    def alike(one: _Run, other: _Run) -> bool:
        """Whether both are of the same row, and no element is written before it is read."""
        same_row = one.line == other.line
        if not same_row or read.across or (one.start, read.size) == (other.start, write.size):
            return same_row
        counts = (1, min(read.columns, write.columns) - 1)
        return read.when == FORWARD and all(
            other.start + write.size * count <= one.start + read.size * count for count in counts
        )

    return not all(alike(*each) for each in common)
