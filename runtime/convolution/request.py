"""What a convolution computes: its request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ...microkernels.expr.trace import TracedResults
from ..arguments.layouts import MemoryLayout
from .geometry import Geometry

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..kernel.accuracy import Accuracy


class FurtherOperand(NamedTuple):
    """A further operand of the epilogue: an element for each channel of the result, or for each element of it."""

    name: str
    lying: MemoryLayout

    @property
    def by_channel(self) -> bool:
        """Whether it has an element for each channel."""
        return len(self.lying.strides) == 1


class ConvolutionRequest(NamedTuple):
    """What a convolution computes.

    backwards  whether it is the gradient by the data: from arrays of y's shape in the geometry to those of x's
    x, w, y    how the arrays lie that it reads and writes, and their types
    fill       the value of the padding
    epilogue   the trace of the function of the sums, or None
    bias       whether calls give the bias; where fill is not 0, the first of `more` is a bias that corrects the sums
    single     whether x, the result and what lies like it are one image, without the first axis
    """

    geometry: Geometry
    backwards: bool
    x: MemoryLayout
    w: MemoryLayout
    y: MemoryLayout
    fill: int
    epilogue: TracedResults | None
    more: tuple[FurtherOperand, ...]
    accuracy: Accuracy | None
    threads: int | None
    target: Target
    bias: bool = True
    single: bool = False
