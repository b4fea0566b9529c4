"""Windows that slide over an image: the taps of convolutions and poolings, along rows and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

from ..encoder.errors import shown
from ..encoder.records import NamedTuple
from .names import nearest
from .operands import whole

AXES = {1: ("width",), 2: ("height", "width"), 3: ("depth", "height", "width")}
"""The names of the axes of an image in messages, by their number."""
PADDINGS = "valid", "same", "same_lower"
Pair = tuple[int, int]
Padding = tuple[Pair, Pair]
"""The zeros before and after rows, and before and after columns."""


class Stretch(NamedTuple):
    """Blocks along an axis that are alike: `times` blocks of `results` each. `taps` are the first tap of each result
    that lies inside the image, and the one behind the last."""

    results: int
    times: int
    taps: tuple[Pair, ...]


class Axis(NamedTuple):
    """An axis of an image: its extent, the results along it, and where the taps of a result lie."""

    extent: int
    results: int
    taps: int
    stride: int
    before: int
    dilation: int

    def at(self, result: int, tap: int) -> int:
        """Return the position of a tap, from that of the first tap of result 0 without padding."""
        return result * self.stride - self.before + tap * self.dilation

    def inside(self, result: int) -> Pair:
        """Return the first tap of a result that lies inside the image, and the one behind the last."""
        first = -(min(0, self.at(result, 0)) // self.dilation)
        last = min(self.taps, -((self.at(result, 0) - self.extent) // self.dilation))
        return (first, last) if first < last else (0, 0)


@lru_cache(maxsize=256)
def stretches(axis: Axis, block: int) -> tuple[Stretch, ...]:
    """Return the blocks of at most so many results, in order."""
    every = [axis.inside(each) for each in range(axis.results)]
    patterns = (tuple(every[at : at + block]) for at in range(0, axis.results, block))
    return tuple(Stretch(len(taps), len(list(alike)), taps) for taps, alike in groupby(patterns))


@lru_cache(maxsize=256)
def shared(axis: Axis, block: int) -> Pair:
    """Return how many positions the taps of a block have, and the most taps that share one."""
    uses = Counter(axis.at(result, tap) for result in range(block) for tap in range(axis.taps))
    return len(uses), max(uses.values())


def extents(size: Pair, taps: Pair, stride: Pair, padding: Padding, dilation: Pair) -> Pair:
    """Return the height and width of a result. Raises ValueError with the axis and the number if it would be empty."""
    made = []
    for axis, n, t, step, (before, after), apart in zip(AXES[2], size, taps, stride, padding, dilation):
        reach = (t - 1) * apart + 1
        if n + before + after < reach:
            padded_to = f", with padding {n + before + after}" if before + after else ""
            raise ValueError(f"{axis}: {t} taps of dilation {apart} reach over {reach}, and x has {n}{padded_to}")
        made.append((n + before + after - reach) // step + 1)
    return made[0], made[1]


def pair(name: str, value: object, least: int = 1) -> Pair:
    """Return a whole number for both axes, or one for each."""
    rows, columns = each_axis(name, value, 2, least)
    return rows, columns


def padded(value: object) -> Padding:
    """Return the zeros before and after rows and columns: a number, one for each axis, or a pair for each axis."""
    rows, columns = numbered(value, 2)
    return rows, columns


def each_axis(name: str, value: object, dims: int, least: int = 1) -> tuple[int, ...]:
    """Return a number for each axis of an image, given as one number or as a sequence."""
    numbers = [value] * dims if whole(value) is not None else list(value) if isinstance(value, (list, tuple)) else []
    found = [whole(each) for each in numbers]
    if len(found) != dims or None in found:
        raise TypeError(f"{name}: a whole number, or {dims} of them ({', '.join(AXES[dims])}), not {shown(value)}")
    made = tuple(each for each in found if each is not None)
    if min(made) < least:
        raise ValueError(f"{name}: {least} or more, not {shown(value)}")
    return made


def paddings(
    padding: object, inputs: Sequence[int], taps: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> tuple[Pair, ...]:
    """Return the elements before and after each axis.

    padding   a number, one for each axis, a pair (before, after) for each axis; "valid": none; "same": so that there
              are ceil(extent / stride) results, with an odd element behind, as SAME_UPPER of ONNX and SAME of
              TensorFlow, which PyTorch refuses with a stride; "same_lower": with an odd element before; in any case
    """
    dims = len(inputs)
    if isinstance(padding, str):
        name = padding.lower()
        if name not in PADDINGS:
            near = nearest(padding, PADDINGS)
            hint = f"; did you mean {near!r}?" if near else ""
            raise ValueError(f"padding: numbers, or one of {', '.join(PADDINGS)}, not {padding!r}{hint}")
        if name == "valid":
            return ((0, 0),) * dims
        return tuple(_same(*each, name == "same_lower") for each in zip(inputs, taps, stride, dilation))
    return numbered(padding, dims)


def numbered(padding: object, dims: int) -> tuple[Pair, ...]:
    """Return the elements before and after each axis, given as numbers: see `paddings`."""
    if isinstance(padding, (list, tuple)) and any(isinstance(each, (list, tuple)) for each in padding):
        pairs = [tuple(whole(number) for number in each) if isinstance(each, (list, tuple)) else () for each in padding]
        if len(pairs) != dims or any(len(pair) != 2 or None in pair for pair in pairs):
            raise TypeError(
                f"padding: a pair (before, after) for each of {', '.join(AXES[dims])}, not {shown(padding)}"
            )
        if min(number or 0 for pair in pairs for number in pair) < 0:
            raise ValueError(f"padding: 0 or more, not {shown(padding)}")
        return tuple((before or 0, after or 0) for before, after in pairs)
    given = [whole(each) for each in padding] if isinstance(padding, (list, tuple)) else []
    if len(given) != dims and given and None not in given:
        told = ""
        if len(given) == 2:
            told = f"; elements before and after an axis are a pair, {((given[0], given[1]),) * dims}"
        elif len(given) == 2 * dims:
            told = f"; begins and ends in ONNX's order are ts.onnx_padding({given})"
        raise TypeError(
            f"padding: a whole number, or {dims} of them ({', '.join(AXES[dims])}), not {shown(padding)}{told}"
        )
    return tuple((each, each) for each in each_axis("padding", padding, dims, least=0))


def _same(extent: int, taps: int, stride: int, dilation: int, lower: bool) -> Pair:
    needed = max((-(-extent // stride) - 1) * stride + dilation * (taps - 1) + 1 - extent, 0)
    less, more = needed // 2, needed - needed // 2
    return (more, less) if lower else (less, more)
