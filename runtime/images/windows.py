"""Windows along one axis: which elements of x each element of the result is made of, and runs of equal windows.

Pooling, adaptive pooling, resizing and their gradients differ only in these windows and in the function of an element.
A *run* are results whose windows move evenly, so that one kernel computes them: the interior of a pooled axis is one,
each rim another. Results `period` apart are in different runs: with a period of 2, an axis that is resized to twice its
extent has two runs beside its rims.
"""

from __future__ import annotations

from ...encoder.records import NamedTuple, cached_property, dataclass
from ...microkernels.tuning.images import IMAGES


class WindowRun(NamedTuple):
    """Results period * k + phase, with `number` values of k from `first`.

    inputs    the elements that the first of them reads
    advance   how much further each next one reads
    divisor   by which each is divided
    """

    phase: int
    first: int
    number: int
    inputs: tuple[int, ...]
    advance: int
    divisor: float


@dataclass(frozen=True)
class AxisWindows:
    """An axis of x and the windows of the results along it.

    extent     the elements of x
    taps       the elements that each result reads; a result that reads none is 0
    divisors   by which the mean along the axis divides each result, or ()
    weights    of the taps, or (): an equal number for each result
    """

    extent: int
    taps: tuple[tuple[int, ...], ...]
    divisors: tuple[float, ...] = ()
    weights: tuple[tuple[float, ...], ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.extent, self.taps, self.divisors, self.weights))

    @property
    def results(self) -> int:
        """The number of results."""
        return len(self.taps)

    @property
    def plain(self) -> bool:
        """Whether the results are the elements of x."""
        return not self.weights and all(each == (place,) for place, each in enumerate(self.taps))

    @cached_property
    def period(self) -> int:
        """The distance of results in a run, for which there are fewest runs."""
        if all(len(each) == len(self.taps[0]) for each in self.taps) and len(self._runs(1)) <= 2:
            return 1
        return min(range(1, IMAGES.periods + 1), key=lambda period: (len(self._runs(period)), period))

    @cached_property
    def runs(self) -> tuple[WindowRun, ...]:
        """The runs, by phase and place."""
        return self._runs(self.period)

    def of_phase(self, phase: int) -> list[WindowRun]:
        """Return the runs of a phase."""
        return [run for run in self.runs if run.phase == phase]

    @property
    def phases(self) -> range:
        """The phases."""
        return range(min(self.period, self.results))

    def _runs(self, period: int) -> tuple[WindowRun, ...]:
        found: list[WindowRun] = []
        for phase in range(min(period, self.results)):
            first = count = advance = 0
            places = range(phase, self.results, period)
            for k, place in enumerate(places):
                taps, divisor = self.taps[place], self.divisors[place] if self.divisors else 1.0
                if count:
                    before = self.taps[places[k - 1]]
                    step = taps[0] - before[0] if taps and before else 0
                    even = len(taps) == len(before) and all(b - a == step for a, b in zip(before, taps))
                    same = divisor == found[-1].divisor
                    if even and same and (count == 1 or step == advance):
                        count, advance = count + 1, step
                        found[-1] = found[-1]._replace(number=count, advance=advance)
                        continue
                first, count, advance = k, 1, 0
                found.append(WindowRun(phase, first, count, taps, 0, divisor))
        return tuple(found)


def pooled(
    extent: int,
    size: int,
    stride: int,
    padding: tuple[int, int],
    dilation: int,
    results: int,
    counts_padding: bool,
) -> AxisWindows:
    """Return the windows of pooling. Elements of the padding are in no window; with `counts_padding` results are
    divided by the elements of x and of its padding, else by those of x."""
    starts = [place * stride - padding[0] for place in range(results)]
    every = (range(start, start + size * dilation, dilation) for start in starts)
    taps = tuple(tuple(at for at in window if 0 <= at < extent) for window in every)
    counts = [min(start + size, extent + padding[1]) - start for start in starts] if counts_padding else map(len, taps)
    return AxisWindows(extent, taps, tuple(map(float, counts)))


def adaptive(extent: int, results: int) -> AxisWindows:
    """Return windows of almost equal length that cover an axis."""
    taps = [tuple(range(place * extent // results, -(-(place + 1) * extent // results))) for place in range(results)]
    return AxisWindows(extent, tuple(taps), tuple(float(len(each)) for each in taps))


def turned(axis: AxisWindows) -> AxisWindows:
    """Return the windows of the gradient: for each element of x the results that read it, with what they are multiplied
    by."""
    found: list[list[tuple[int, float]]] = [[] for _ in range(axis.extent)]
    for place, taps in enumerate(axis.taps):
        divisor = axis.divisors[place] if axis.divisors else 1.0
        for tap, each in enumerate(taps):
            found[each].append((place, axis.weights[place][tap] if axis.weights else 1.0 / divisor))
    taps_of = tuple(tuple(place for place, _ in each) for each in found)
    return AxisWindows(axis.results, taps_of, (), tuple(tuple(weight for _, weight in each) for each in found))
