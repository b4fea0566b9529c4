"""The extents of a convolution: taps, strides, padding, dilation, groups, and the outputs that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ...microkernels.operands import whole
from ...microkernels.windows import AXES, Pair, each_axis, paddings

if TYPE_CHECKING:
    from ..api.typed import Padding, PerAxis


class Geometry(NamedTuple):
    """A convolution of images x (n, c, *inputs) with weights (k, c / groups, *taps) to y (n, k, *outputs)."""

    n: int
    c: int
    k: int
    inputs: tuple[int, ...]
    taps: tuple[int, ...]
    outputs: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[Pair, ...]
    dilation: tuple[int, ...]
    groups: int

    @property
    def x(self) -> tuple[int, ...]:
        """The shape of x."""
        return (self.n, self.c, *self.inputs)

    @property
    def y(self) -> tuple[int, ...]:
        """The shape of y."""
        return (self.n, self.k, *self.outputs)


class ConvolutionWindow(NamedTuple):
    """The parameters of a geometry, as calls give them. `output_padding` is None but for transposed convolutions."""

    stride: PerAxis = 1
    padding: Padding = 0
    dilation: PerAxis = 1
    groups: int = 1
    output_padding: PerAxis | None = None

    @property
    def backwards(self) -> bool:
        """Whether the convolution is transposed."""
        return self.output_padding is not None

    def of(self, x: Sequence[int], w: Sequence[int], name: str) -> Geometry:
        """Return the geometry of arrays of these shapes."""
        stride, padding, dilation, groups, further = self
        if further is None:
            return forward(x, w, stride, padding, dilation, groups, name)
        return transposed(x, w, stride, padding, further, dilation, groups, name)


def forward(
    x: Sequence[int], w: Sequence[int], stride: PerAxis, padding: Padding, dilation: PerAxis, groups: int, name: str
) -> Geometry:
    """Return the geometry of a convolution of these shapes. Raises TypeError or ValueError naming the argument."""
    (steps, apart, count), dims = _checked(x, w, stride, dilation, groups, name), len(x) - 2
    if w[1] * count != x[1]:
        fits = x[1] // w[1] if w[1] and not x[1] % w[1] else 0
        told = f"; groups={fits} fits" if fits and not w[0] % fits else ""
        if x[-1] == w[1] * count:
            order = 0, dims + 1, *range(1, dims + 1)
            told = f"; channels are the second axis in every layout: if they are the last one, x.transpose{order}"
        raise ValueError(
            f"w: {w[1]} channels a group by {count} groups are {w[1] * count} channels, but x has {x[1]}{told}"
        )
    if w[0] % count:
        raise ValueError(f"groups: {count} do not divide the {w[0]} channels of the result")
    taps, inputs = tuple(w[2:]), tuple(x[2:])
    around = paddings(padding, inputs, taps, steps, apart)
    outputs = []
    for place, axis in enumerate(AXES[dims]):
        reach, wide = apart[place] * (taps[place] - 1) + 1, inputs[place] + sum(around[place])
        extent = (wide - reach) // steps[place] + 1
        if extent < 1:
            raise ValueError(
                f"x: the {axis} of the result would be {extent}: {taps[place]} taps of dilation {apart[place]} reach "
                f"over {reach} elements, x has {inputs[place]} and padding {sum(around[place])}"
            )
        outputs.append(extent)
    return Geometry(x[0], x[1], w[0], inputs, taps, tuple(outputs), steps, around, apart, count)


def transposed(
    x: Sequence[int],
    w: Sequence[int],
    stride: PerAxis,
    padding: Padding,
    more: PerAxis,
    dilation: PerAxis,
    groups: int,
    name: str,
) -> Geometry:
    """Return the geometry of the convolution whose gradient a transposed one is: of images of the result's shape to
    ones of x's. `w` is (c, k / groups, *taps), `more` the output padding."""
    (steps, apart, count), dims = _checked(x, w, stride, dilation, groups, name), len(x) - 2
    if w[0] != x[1]:
        raise ValueError(f"w: for {w[0]} channels, as its first axis says, but x has {x[1]}")
    further = each_axis("output_padding", more, dims, least=0)
    if isinstance(padding, str) and padding.lower() != "valid":
        raise ValueError(f"padding: numbers for a transposed convolution, not {padding!r}: several results would fit")
    taps, inputs = tuple(w[2:]), tuple(x[2:])
    around = paddings(padding, inputs, taps, steps, apart)
    outputs = []
    for place, axis in enumerate(AXES[dims]):
        if further[place] >= max(steps[place], apart[place]):
            raise ValueError(
                f"output_padding: less than stride or dilation along the {axis}, which are {steps[place]} and "
                f"{apart[place]}, not {further[place]}"
            )
        extent = (inputs[place] - 1) * steps[place] - sum(around[place]) + apart[place] * (taps[place] - 1) + 1
        if extent + further[place] < 1:
            raise ValueError(f"padding: the {axis} of the result would be {extent + further[place]}")
        outputs.append(extent + further[place])
    return Geometry(x[0], w[1] * count, x[1], tuple(outputs), taps, inputs, steps, around, apart, count)


def _checked(
    x: Sequence[int], w: Sequence[int], stride: PerAxis, dilation: PerAxis, groups: int, name: str
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return strides and dilations of all axes, and the number of groups, which divides the channels of x."""
    dims, count = len(x) - 2, whole(groups)
    if len(w) != dims + 2:
        raise ValueError(f"w: {dims + 2} axes for {name}, channels, channels a group and taps, not shape {tuple(w)}")
    if min(w[2:], default=1) < 1:
        raise ValueError(f"w: at least one tap along {', '.join(AXES.get(dims, ()))}, not shape {tuple(w)}")
    if count is None or count < 1:
        raise (TypeError if count is None else ValueError)(f"groups: a number from 1, not {shown(groups)}")
    if x[1] % count:
        raise ValueError(f"groups: {count} do not divide the {x[1]} channels of x")
    return each_axis("stride", stride, dims), each_axis("dilation", dilation, dims), count


def onnx_padding(pads: Sequence[int]) -> tuple[Pair, ...]:
    """Return ONNX's pads, all begins and then all ends ([top, left, bottom, right]), as pairs (before, after)."""
    numbers = [whole(each) for each in pads] if isinstance(pads, Iterable) else [None]
    if len(numbers) % 2 or None in numbers:
        raise (ValueError if isinstance(pads, Iterable) else TypeError)(
            f"pads: begins and ends of all axes, an even number of whole numbers as [1, 1, 1, 1], not {shown(pads)}"
        )
    half = len(numbers) // 2
    return tuple((before or 0, after or 0) for before, after in zip(numbers[:half], numbers[half:]))
