"""A convolution of given shapes, types and layouts: `Convolution`, which `conv` makes and the functions call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import cached_property
from ..arguments.layouts import MemoryLayout
from ..arguments.tracebacks import shortening
from ..contraction.calls import CallArray
from ..contraction.layer import LayerKernel, PackedFactor
from ..contraction.tiling import PartChoices
from . import forms
from .depthwise import chosen
from .request import ConvolutionRequest
from .weights import Folded, folded

if TYPE_CHECKING:
    from ..api.typed import ArrayLike
    from ..contraction.tiling import TilingChoice
    from ..verify.terms import SumOfProducts
    from . import definition

definition = lazy(__package__, ".definition")


class Convolution(LayerKernel[ConvolutionRequest]):
    """A convolution: `p = layer.pack(weights)` once, then `y = layer(x, p)`. See `conv`.

    layer.plan     how it is cut: roles of loops, copies, tiles, or vectors of channels; layer.plan.rejected: the other
                   ways, with reasons
    print(layer)   the loops and their calls; layer.listing(): the machine code; layer.save(path): an object for C
    layer.run(x, p, workers=3) executes the code in the emulator
    """

    _stem = "conv"
    _only_packed = True

    def __init__(self, request: ConvolutionRequest, tuned: TilingChoice | None = None) -> None:
        g, more = request.geometry, tuple(each.lying for each in request.more)
        if request.backwards:
            parts = list(forms.by_data(g, request.x, request.w, request.y, more))
        else:
            parts = [forms.forward(g, request.x, request.w, request.y, more, request.fill)]
        super().__init__(request, parts, list(_arrays(request)), tuned)
        self._takes_bias = request.bias and bool(request.more)

    @cached_property
    def plan(self) -> PartChoices:
        """How it is cut: products, or vectors of channels."""
        if self._tuned is not None:
            return self._cut
        return chosen(self.request, self.names, self._products.epilogue, self._cut)

    def recut(self, choice: TilingChoice) -> Convolution:
        """Return the same layer, cut in another way."""
        return Convolution(self.request, choice)

    @property
    def shape_x(self) -> tuple[int, ...]:
        """The shape of x."""
        return self.arrays[0].shape

    @property
    def shape_w(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return self.arrays[1].shape

    @property
    def shape_y(self) -> tuple[int, ...]:
        """The shape of the result."""
        return self.arrays[2].shape

    @shortening
    def pack(
        self,
        weights: ArrayLike,
        scale: ArrayLike = None,
        *,
        bias: ArrayLike = None,
        batch_norm: Mapping[str, ArrayLike] | None = None,
        eps: float = 1e-5,
    ) -> PackedFactor:
        """Copy weights (k, c / groups, *taps) into panels. They may change or be freed afterwards.

        bias        an element for each channel, which calls then leave out: y = layer(x, p)
        scale       a factor for each channel of the result, by which weights of floats are multiplied
        batch_norm  vectors of a batch norm behind the convolution, by the names of `batch_norm`: running_mean and
                    running_var, and perhaps weight and bias. A state_dict() of torch's layer is such a mapping. It is
                    folded into the weights and the bias, w * s and (bias - running_mean) * s + its bias, where
                    s = weight / sqrt(running_var + eps)

        Factors are applied in f64, and each weight is rounded once to the layer's type, so weights may then be f32 or
        f64 where the layer's are bf16 or f16. Other layers take these weights, too, if they read the same panels: those
        of other numbers of images or of other images, if `layer.panel_layout` is equal.
        """
        request = self.request
        types = request.w.dtype, self.arrays[3].dtype if self._takes_bias else None
        given = Folded(scale, batch_norm, eps, bias)
        array, more = folded(request.geometry, request.backwards, types, weights, given)
        shift = None
        if request.fill:
            total = array.sum(axis=tuple(range(1, array.ndim)), dtype=np.int64)
            shift = (-request.fill * total).astype(np.int32)  # modulo 2^32, as the sums are
        return PackedFactor(self.panel_layout, self.panels(array), more, shift)

    @shortening
    def __call__(
        self,
        x: ArrayLike,
        weights: PackedFactor,
        *operands: ArrayLike,
        out: ArrayLike = None,
        threads: int | None = None,
        **named: ArrayLike,
    ) -> ArrayLike:
        """Return the convolution of x by packed weights, in `out` or in a new array. The operands of the epilogue
        follow, by place in the order of its parameters, or by name: bias=, residual=. A bias that was packed with the
        weights is left out. `out` may be an operand, such as the residual. The operand is copied first, unless the plan
        says "C turned" or "rows across the rim": then each of its elements is read before it is overwritten."""
        return self._call(x, weights, operands, named, out, threads)

    def run(
        self,
        x: ArrayLike,
        weights: PackedFactor,
        *operands: ArrayLike,
        out: ArrayLike = None,
        workers: int = 1,
        turns: int = 0,
        **named: ArrayLike,
    ) -> ArrayLike:
        """Compute in the emulator, which executes the code for any target on any host. The order and lengths of the
        workers' turns are drawn from the number `turns`; if two workers race, `Race` is raised."""
        return self._run(x, weights, operands, named, out, workers, turns)

    def _defined(self) -> SumOfProducts | None:
        request, more = self.request, [each.lying for each in self.request.more]
        if self.plan.loops is not None:
            return None
        return definition.defined(request.geometry, request.backwards, request.x, request.y, more, request.fill)

    def _title(self) -> str:
        g, request = self.request.geometry, self.request
        what = "transposed convolution" if request.backwards else "convolution"
        types = "/".join(each.dtype for each in self.arrays[:3])
        taps = "x".join(map(str, g.taps))
        more = "".join(
            f", {name} {'x'.join(map(str, value))}"
            for name, value in (("stride", g.stride), ("dilation", g.dilation))
            if set(value) != {1}
        )
        groups = f", {g.groups} groups" if g.groups > 1 else ""
        shapes = f"{self.shape_x} -> {self.shape_y}"
        return f"{what} {shapes}, {taps} taps{more}{groups}, {types} for {self.target.name}"


def _arrays(request: ConvolutionRequest) -> Sequence[CallArray]:
    """Return the arrays of a call: x, the weights, y, the further operands. Without an axis of images there is one."""
    g, single = request.geometry, request.single
    of_x, of_y = (g.y, g.x) if request.backwards else (g.x, g.y)

    def images(name: str, lying: MemoryLayout, shape: tuple[int, ...]) -> CallArray:
        return CallArray(name, lying.dtype, shape[single:], lying.strides[single:])

    return [
        images("x", request.x, of_x),
        CallArray("weights", request.w.dtype, (g.k, g.c // g.groups, *g.taps), request.w.strides),
        images("y", request.y, of_y),
        *(
            CallArray(each.name, each.lying.dtype, of_y[1:2], each.lying.strides)
            if each.by_channel
            else images(each.name, each.lying, of_y)
            for each in request.more
        ),
    ]
