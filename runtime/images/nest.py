"""The loops of pooling and resizing: see `functions` for the two steps of a row of results.

Tiles are dealt out: some channels (or planes) and a row of results, or a few rows if there are few channels. A tile has
*lines*, one for each channel and row. The first step makes a line of states from lines of x. Where channels are
neighbours in memory, the states of a place are neighbours, too; else a transpose makes them so. The second step then
works on vectors of lines, and its results are transposed to their places if those have another order. The job's
operands are x, the result, scratch memory of the workers, tables of numbers and, of `LargestAt`, the places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product as every
from typing import Literal, TypeVar

from ...encoder.features import Target
from ...encoder.records import cached_property, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.images import IMAGES
from ..loops.code import WORKER, Affine, Header, Loop, Node, Share, When, affine, blocks_of, cases, index
from ..walks.walk import Side, computed, copied, filled
from .functions import Largest, Tap, number_name, number_type, numbers_of, of_group, part_name
from .windows import AxisWindows, WindowRun

X, Y, OWN, TABLES, PLACES = range(5)
"""Positions of the operands in the job's table."""
_BEGIN = Affine()
T = TypeVar("T")


@dataclass(frozen=True)
class ImagesRequest:
    """What a nest computes.

    planes    images and channels
    axes      the windows along each axis of an image
    x, y      elements of memory from one image, channel and element of each axis to the next
    function  of the elements of a window
    types     of x and of y
    """

    planes: tuple[int, int]
    axes: tuple[AxisWindows, ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    function: Largest
    types: tuple[str, str]
    target: Target

    @cached_property
    def near_x(self) -> bool:
        """Whether channels are neighbours in x."""
        return self.planes[1] > 1 and self.x[1] == 1

    @cached_property
    def near_y(self) -> bool:
        """Whether channels are neighbours in the result."""
        return self.planes[1] > 1 and self.y[1] == 1


class ImagesNest:
    """The nest of a form, and the memory that it needs: `nodes`, `own` bytes for each worker, `tables`."""

    def __init__(self, form: ImagesRequest) -> None:
        axes = form.axes if len(form.axes) > 1 else (AxisWindows(1, ((0,),)), *form.axes)
        more = (0,) * (len(axes) - len(form.axes))
        self.form, self.axes = form, axes
        self.x = (*form.x[:2], *more, *form.x[2:])
        self.y = (*form.y[:2], *more, *form.y[2:])
        self.function, self.target = form.function, form.target
        self.images, self.channels = form.planes
        if not form.near_x and not form.near_y and all(s[0] == form.planes[1] * s[1] for s in (self.x, self.y)):
            self.images, self.channels = 1, form.planes[0] * form.planes[1]
        self.types, self.sums = self.function.types(form.types[0]), self.function.sums(form.types[0])
        self.ends = (form.types[1], *self.sums[1:])
        self.widest = max(ELEMENT_BYTES[each] for each in (*self.types, *self.sums))
        self.size = axes[-1].extent, axes[-1].results
        self.rows = axes[-2]
        self._cut()
        self.planes: dict[str, int] = {}
        self.own = self._laid_out()
        self.tables, self.places = self._tables()

    def _cut(self) -> None:
        """Choose the channels and rows of a tile: `block`, and `steps` of the rows' period."""
        length, period = max(self.size) * self.widest, self.rows.period
        most = max(1, IMAGES.tile // length)
        self.block = min(self.channels, max(most, 16) if self.form.near_x else min(most, IMAGES.lines))
        self.steps = 0
        whole = self.rows.results % period == 0 and not self.form.near_x and not self.form.near_y
        if whole and self.channels < IMAGES.lines:
            ks = self.rows.results // period
            fits = (k for k in range(1, ks + 1) if ks % k == 0 and self.channels * k * period <= max(most, period))
            wanted = (k for k in fits if self.channels * k * period <= IMAGES.most_lines)
            self.steps = max(wanted, default=0)

    @property
    def lines_of_rows(self) -> int:
        """The rows of a tile."""
        return self.steps * self.rows.period if self.steps else 1

    def _laid_out(self) -> int:
        """Lay out the worker's memory: for each part of a state a row of them, the same with lines as neighbours, and
        results before their last move. Return its bytes."""
        lines, place = self.block * self.lines_of_rows, 0
        kinds = [("row", self.size[0], self.types), ("turned", self.size[0], self.types)]
        if self.form.near_x:
            kinds.pop()
        for kind, extent, types in (*kinds, ("sums", self.size[1], self.sums), ("end", self.size[1], self.ends)):
            for number, dtype in enumerate(types):
                self.planes[f"{kind}{number}"] = place
                place += -(-lines * extent * ELEMENT_BYTES[dtype] // CACHE_LINE) * CACHE_LINE + CACHE_LINE
        return place

    def _tables(self) -> tuple[list[tuple[int, list[float]]], dict[tuple[int, int], int]]:
        """Return the tables as (byte, numbers), and where those of each axis and tap begin."""
        made, places, place = list[tuple[int, list[float]]](), dict[tuple[int, int], int](), 0
        scale, scales = 1, list[int]()
        for axis in reversed(self.axes):
            scales.insert(0, scale)
            scale *= axis.results if self.function.numbers == "own" else axis.extent
        for number, axis in enumerate(self.axes):
            last = number == len(self.axes) - 1
            for tap, numbers in enumerate(numbers_of(self.function, axis, scales[number], last)):
                if self._by_line(number):
                    rows = self.lines_of_rows
                    tiles = (numbers[first : first + rows] for first in range(0, len(numbers), rows))
                    numbers = [each for tile in tiles for each in tile * self.block]
                made.append((place, numbers))
                places[number, tap] = place
                place += -(-len(numbers) * self._number // CACHE_LINE) * CACHE_LINE
        self.scales = scales
        return made, places

    def _by_line(self, number: int) -> bool:
        """Whether the second step reads a number of this axis for each line of a tile."""
        return self.steps > 0 and number == len(self.axes) - 2 and self._late

    @property
    def _late(self) -> bool:
        """Whether the second step reads the numbers of the outer axes, not the first one."""
        return self.function.numbers in ("divisors", "own")

    @property
    def _by_tap(self) -> bool:
        """Whether there are numbers for each tap."""
        return self.function.numbers == "weights"

    @property
    def _number(self) -> int:
        return ELEMENT_BYTES[number_type(self.function, self.form.types[0])]

    # Nodes

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        outer = self.axes[:-1]
        headers = [blocks_of("image", self.images, 1), blocks_of("channel", self.channels, self.block)]
        for number, axis in enumerate(outer):
            ks = -(-axis.results // axis.period)
            headers.append(blocks_of(f"k{number}", ks, self.steps if self.steps and number == len(outer) - 1 else 1))
        body: list[Node] = []
        for case, channels in cases("channel", self.channels, self.block):
            body += case(self._planes(0, (), channels))
        return (Share(tuple(headers), tuple(body)),)

    def _planes(self, number: int, chosen: tuple[tuple[WindowRun, Affine], ...], channels: int) -> list[Node]:
        """Return the nodes for all phases and runs of the outer axes from `number` on, the rows last."""
        axis = self.axes[number]
        if number == len(self.axes) - 2:
            return self._rows(chosen, channels)
        made: list[Node] = []
        for phase in axis.phases:
            k = index(f"k{number}")

            def of_run(run: WindowRun, k: Affine = k) -> list[Node]:
                return self._planes(number + 1, (*chosen, (run, k)), channels)

            made += self._existing(axis, phase, k, _among(axis.of_phase(phase), k, of_run))
        return made

    def _rows(self, chosen: tuple[tuple[WindowRun, Affine], ...], channels: int) -> list[Node]:
        axis, number = self.rows, len(self.axes) - 2
        made: list[Node] = []
        if self.steps:
            k, inside = index(f"k{number}") + index("row"), list[Node]()
            for phase in axis.phases:

                def begin(run: WindowRun, phase: int = phase) -> list[Node]:
                    return self._begin((*chosen, (run, k)), index("row") * axis.period + phase, channels)

                inside += _among(axis.of_phase(phase), k, begin)
            header = Header("row", affine(0), (affine(self.steps),), 1, self.steps)
            return [
                Loop(header, tuple(inside)),
                *self._finish((*chosen, (axis.of_phase(0)[0], index(f"k{number}"))), channels),
            ]
        k = index(f"k{number}")
        for phase in axis.phases:
            runs = axis.of_phase(phase)
            body = _among(runs, k, lambda run: self._begin((*chosen, (run, k)), affine(0), channels))
            body += self._finish((*chosen, (runs[0], k)), channels)
            made += self._existing(axis, phase, k, body)
        return made

    def _existing(self, axis: AxisWindows, phase: int, k: Affine, body: list[Node]) -> list[Node]:
        """Put nodes under the condition that there is such a result."""
        if axis.results % axis.period <= phase and axis.results % axis.period:
            return [When(k * axis.period + (phase - axis.results), "<", tuple(body))]
        return body

    # The first step

    def _begin(self, chosen: Sequence[tuple[WindowRun, Affine]], line: Affine, channels: int) -> list[Node]:
        """Make a line of states for each channel."""
        width = self.size[0]
        steps = (1, channels) if self.form.near_x else (self.lines_of_rows * width, 1)
        start = affine(0) if self.form.near_x else line * width
        states = [self._own("row", number, steps, start) for number in range(len(self.types))]
        taps = list(self._taps(chosen))
        if self.function.places == "read":
            return self._gathered(taps, states, channels)
        if not taps:
            return filled((channels, width), states[0], 0, self.target)
        made: list[Node] = []
        for group in _groups(taps, len(self.types)):
            inputs = {part_name(place, 0): self._source(X, offset) for place, (_, offset) in enumerate(group)}
            so_far = _so_far(states) if made else {}
            numbers = self._numbers(chosen, group)
            function = of_group(self.function.begun, [tap for tap, _ in group], 1, so_far, numbers)
            inputs |= so_far | numbers
            made += computed(function, (channels, width), inputs, states, self.target, self._compute)
        return made

    def _gathered(self, taps: Sequence[tuple[Tap, Affine]], states: Sequence[Side], channels: int) -> list[Node]:
        """Copy the rows of all taps, and their places, side by side; places of no element where there are fewer."""
        made: list[Node] = []
        half = len(states) // 2
        for number in range(half):
            for at, to in ((X, states[number]), (PLACES, states[half + number])):
                if number < len(taps):
                    source = self._source(at, taps[number][1])
                    made += copied((channels, self.size[0]), source, to, self.target)
                else:
                    made += filled((channels, self.size[0]), to, -1 if at == PLACES else 0, self.target)
        return made

    def _source(self, at: int, offset: Affine) -> Side:
        """Return a row of each channel of x, or of the places beside it; `offset` in elements."""
        dtype = "i64" if at == PLACES else self.form.types[0]
        return Side(at, dtype, (offset + self._plane(self.x)) * ELEMENT_BYTES[dtype], (self.x[1], self.x[-1]))

    def _taps(self, chosen: Sequence[tuple[WindowRun, Affine]]) -> Iterator[tuple[Tap, Affine]]:
        """Yield the taps along the outer axes, and where their rows of x begin, in elements."""
        for numbers in every(*(range(len(run.inputs)) for run, _ in chosen)):
            offset, apart = affine(0), 0
            for number, (tap, (run, k)) in enumerate(zip(numbers, chosen)):
                offset += ((k - run.first) * run.advance + run.inputs[tap]) * self.x[2 + number]
                apart += (run.inputs[tap] - run.inputs[0]) * self.scales[number]
            yield Tap(numbers, apart), offset

    def _numbers(
        self, chosen: Sequence[tuple[WindowRun, Affine]], group: Sequence[tuple[Tap, Affine]]
    ) -> dict[str, Side]:
        """Return the numbers of the outer axes that the first step reads."""
        if self._late:
            return {}
        return self._of_results(chosen, [tap for tap, _ in group] if self._by_tap else [])

    def _of_results(self, chosen: Sequence[tuple[WindowRun, Affine]], taps: Sequence[Tap]) -> dict[str, Side]:
        found: dict[str, Side] = {}
        for number, (run, k) in enumerate(chosen):
            for tap in sorted({each.numbers[number] for each in taps}) if self._by_tap else (0,):
                if (number, tap) in self.places:
                    each = self.block if self._by_line(number) else 1
                    place = (k * self.axes[number].period + run.phase) * (self._number * each) + self.places[
                        number, tap
                    ]
                    steps = (0, 1) if self._by_line(number) else (0, 0)
                    found[number_name(number, tap)] = Side(TABLES, self._number_type, place, steps)
        return found

    # The second step

    def _finish(self, chosen: Sequence[tuple[WindowRun, Affine]], channels: int) -> list[Node]:
        """Make the results of a tile from its states."""
        form, width, lines = self.form, self.size[0], channels * self.lines_of_rows
        made: list[Node] = []
        kind = "row"
        if not form.near_x:
            kind = "turned"
            for number in range(len(self.types)):
                made += copied(
                    (lines, width),
                    self._own("row", number, (width, 1)),
                    self._own(kind, number, (1, lines)),
                    self.target,
                )
        in_place = form.near_y and len(self.ends) == 1
        for run in self.axes[-1].runs:
            made += self._run(run, chosen, kind, lines, in_place)
        if not in_place:
            made += self._moved(chosen, channels)
        return made

    def _run(
        self, run: WindowRun, chosen: Sequence[tuple[WindowRun, Affine]], kind: str, lines: int, in_place: bool
    ) -> list[Node]:
        axis, number, form = self.axes[-1], len(self.axes) - 1, self.form
        far = axis.period * lines
        ends = [
            self._own("end", each, (far, 1), affine(run.phase * lines + run.first * far), dtype)
            for each, dtype in enumerate(self.ends)
        ]
        if in_place:
            start = (self._plane(self.y) + self._row(chosen, self.y)) + (run.phase + run.first * axis.period) * self.y[
                -1
            ]
            ends = [Side(Y, form.types[1], start * ELEMENT_BYTES[form.types[1]], (axis.period * self.y[-1], self.y[1]))]
        if not run.inputs:
            return filled((run.number, lines), ends[0], 0, self.target)
        sums = [self._own("sums", each, (lines, 1), dtype=dtype) for each, dtype in enumerate(self.sums)]
        taps = [Tap((0,) * number + (tap,), each - run.inputs[0]) for tap, each in enumerate(run.inputs)]
        groups = list(_groups(taps, len(self.types)))
        made: list[Node] = []
        for place, group in enumerate(groups):
            inputs: dict[str, Side] = {}
            for at, tap in enumerate(group):
                for state in range(len(self.types)):
                    begin = affine(run.inputs[tap.numbers[-1]] * lines)
                    inputs[part_name(at, state)] = self._own(kind, state, (run.advance * lines, 1), begin)
            so_far = _so_far(sums) if place else {}
            last = place == len(groups) - 1
            numbers = self._of_results(chosen, []) if self._late and (last or self.function.numbers == "own") else {}
            for of_tap in sorted({each.numbers[-1] for each in group}) if self._by_tap else (0,):
                if (number, of_tap) in self.places:
                    begin = affine(self.places[number, of_tap] + (run.phase + run.first * axis.period) * self._number)
                    numbers[number_name(number, of_tap)] = Side(TABLES, self._number_type, begin, (axis.period, 0))
            parts, of_last = len(self.types), run if last else None
            function = of_group(self.function.ended, group, parts, so_far, numbers, of_last)
            inputs |= so_far | numbers
            made += computed(function, (run.number, lines), inputs, ends if last else sums, self.target, self._compute)
        return made

    def _moved(self, chosen: Sequence[tuple[WindowRun, Affine]], channels: int) -> list[Node]:
        """Copy the results of a tile to their places."""
        rows, results = self.lines_of_rows, self.size[1]
        made: list[Node] = []
        start = self._plane(self.y) + self._row(chosen, self.y)
        for number, dtype in enumerate(self.ends):
            to = (Y, dtype) if number == 0 else (PLACES, "i64")
            source = self._own("end", number, (rows, 1, channels * rows), affine(0), dtype)
            steps = self.y[1], self.y[-2], self.y[-1]
            made += copied(
                (channels, rows, results), source, Side(*to, start * ELEMENT_BYTES[to[1]], steps), self.target
            )
        return made

    # Parts of both

    @property
    def _compute(self) -> Literal["f64", "f32"] | None:
        return self.function.compute(self.form.types[0], math.prod(axis.extent for axis in self.axes))

    @property
    def _number_type(self) -> str:
        return number_type(self.function, self.form.types[0])

    def _plane(self, steps: Sequence[int]) -> Affine:
        return index("image") * steps[0] + index("channel") * steps[1]

    def _row(self, chosen: Sequence[tuple[WindowRun, Affine]], steps: Sequence[int]) -> Affine:
        """Return the place of the first row of results of a tile in its plane."""
        place = affine(0)
        for number, (run, k) in enumerate(chosen):
            place += (k * self.axes[number].period + run.phase) * steps[2 + number]
        return place

    def _own(self, kind: str, number: int, steps: tuple[int, ...], start: Affine = _BEGIN, dtype: str = "") -> Side:
        """Return a part of the worker's memory; `start` in elements."""
        of = dtype or self.types[number]
        begin = index(WORKER) * self.own + self.planes[f"{kind}{number}"]
        return Side(OWN, of, begin + start * ELEMENT_BYTES[of], steps)


def _so_far(sides: Sequence[Side]) -> dict[str, Side]:
    """Return the states so far as further operands, by name."""
    return {f"s{number}": each for number, each in enumerate(sides)}


def _groups(taps: Sequence[T], operands: int) -> Iterator[Sequence[T]]:
    size = max(1, IMAGES.operands // max(1, operands))
    for first in range(0, len(taps), size):
        yield taps[first : first + size]


def _among(runs: Sequence[WindowRun], k: Affine, body: Callable[[WindowRun], list[Node]]) -> list[Node]:
    """Return nodes that run the body of the run that holds k, found by halves."""
    if len(runs) == 1:
        return body(runs[0])
    half = len(runs) // 2
    first = runs[half].first
    return [
        When(k - first, "<", tuple(_among(runs[:half], k, body))),
        When(k - first, ">=", tuple(_among(runs[half:], k, body))),
    ]
