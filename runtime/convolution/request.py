"""What a convolution computes: its request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ...microkernels.expr.trace import TracedResults
from ..arguments.layouts import MemoryLayout
from ..contraction.epilogues import traced
from ..kernel.accuracy import default_accuracy
from .geometry import Geometry

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import Epilogue
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

    @classmethod
    def of(
        cls,
        geometry: Geometry,
        backwards: bool,
        lie: tuple[MemoryLayout, MemoryLayout, MemoryLayout],
        target: Target,
        *,
        epilogue: Epilogue | None = None,
        added: str | None = None,
        further: Mapping[str, MemoryLayout] | None = None,
    ) -> ConvolutionRequest:
        """Return the request with the trace of an epilogue, and the accuracy of the process.

        lie       how x, the weights and the result lie
        added     the name of the operand that is added to the sum first, or None
        further   how further operands lie, by name
        """
        given = further or {}
        dtypes = {name: each.dtype for name, each in given.items()}
        trace, names = traced(epilogue, added, dtypes, [each.dtype for each in lie])
        more = tuple(FurtherOperand(each, given[each]) for each in names)
        return cls(geometry, backwards, *lie, 0, trace, more, default_accuracy(), None, target)
