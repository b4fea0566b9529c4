"""A convolution of given shapes, types and layouts: `Convolution`, which `conv` makes and the functions call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import cached_property
from ..arguments.arrays import Array, address_of, as_array, bytes_of, numpy_dtype, overlap
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.tracebacks import shortening
from ..contraction.calls import CallArray, native_calls, packing_calls
from ..contraction.epilogues import function_of, inside_names
from ..contraction.kernel import Contracted
from ..contraction.packing import PackingPlaces
from ..contraction.tiling import PartChoices
from ..fastcall.foreign import of_tensor
from ..loops.job import drawn
from ..threads.policy import checked, workers_of
from . import forms
from .layouts import MemoryLayout, new
from .request import ConvolutionRequest, FurtherOperand
from .vectors import VectorsChoice, chosen
from .weights import Folded, PanelLayout, Weights, by_name, folded

if TYPE_CHECKING:
    from ..api.typed import ArrayLike
    from ..contraction.tiling import TilingChoice
    from ..loops.code import Node
    from . import definition
    from .depthwise_nest import DepthwiseNest

definition = lazy(__package__, ".definition")


class Convolution(Contracted):
    """A convolution: `p = layer.pack(weights)` once, then `y = layer(x, p)`. See `conv`.

    layer.plan     how it is cut: roles of loops, copies, tiles, or vectors of channels; layer.plan.rejected: the other
                   ways, with reasons
    print(layer)   the loops and their calls; layer.listing(): the machine code; layer.save(path): an object for C
    layer.run(x, p, workers=3) executes the code in the emulator
    """

    request: ConvolutionRequest
    _stem = "conv"
    _installed = False
    _inner: Callable[..., object] | None = None  # an object whose calls machine code handles, with the panels' bytes

    def __init__(self, request: ConvolutionRequest, tuned: TilingChoice | None = None) -> None:
        g, more = request.geometry, tuple(each.lying for each in request.more)
        if request.backwards:
            parts = list(forms.by_data(g, request.x, request.w, request.y, more))
        else:
            parts = [forms.forward(g, request.x, request.w, request.y, more, request.fill)]
        names = inside_names([each.name for each in request.more])
        epilogue = function_of(request.epilogue, names) if request.epilogue else None
        super().__init__(parts, request.target, epilogue, names, request.accuracy, tuned)
        self._keep(request=request, threads=request.threads)

    @cached_property
    def plan(self) -> PartChoices:
        """How it is cut: products, or vectors of channels."""
        if self._tuned is not None:
            return self._cut
        return chosen(self.request, self._names, self._epilogue, self._cut)

    @property
    def _by_vectors(self) -> DepthwiseNest | None:
        """The loops of vectors of channels, if they are taken."""
        return self.plan.nest if isinstance(self.plan, VectorsChoice) else None

    @cached_property
    def bytes_own(self) -> int:
        """Bytes of scratch memory per worker."""
        nest = self._by_vectors
        return super().bytes_own if nest is None else nest.bytes_own

    @cached_property
    def bytes_b(self) -> int:
        """Bytes of the packed weights."""
        nest = self._by_vectors
        return super().bytes_b if nest is None else nest.bytes_w

    @cached_property
    def panels_lie(self) -> tuple[object, ...]:
        """How the packed weights lie."""
        nest = self._by_vectors
        return super().panels_lie if nest is None else (nest.ldw,)

    def _nodes(self, own: int | None = None) -> tuple[Node, ...]:
        nest = self._by_vectors
        return super()._nodes(own) if nest is None else nest.nodes()

    def _packing_nodes(
        self, strides: tuple[int, ...], places: PackingPlaces
    ) -> tuple[Callable[[], list[Node]], int] | None:
        nest = self._by_vectors
        return super()._packing_nodes(strides, places) if nest is None else nest.packing(strides, places)

    def _write_panels(self, b: Array, to: Array) -> None:
        nest = self._by_vectors
        if nest is None:
            super()._write_panels(b, to)
        else:
            nest.packed(b, to)

    @property
    def _asked(self) -> tuple[object, ...]:
        nest = self._by_vectors
        return super()._asked if nest is None else (nest.request, nest.specs)

    @property
    def shape_x(self) -> tuple[int, ...]:
        """The shape of x."""
        g = self.request.geometry
        return (g.y if self.request.backwards else g.x)[self.request.single :]

    @property
    def shape_y(self) -> tuple[int, ...]:
        """The shape of the result."""
        g = self.request.geometry
        return (g.x if self.request.backwards else g.y)[self.request.single :]

    @property
    def shape_w(self) -> tuple[int, ...]:
        """The shape of the weights."""
        g = self.request.geometry
        return (g.k, g.c // g.groups, *g.taps)

    @cached_property
    def panel_layout(self) -> PanelLayout:
        """How packed weights lie. Layers of an equal one take each other's weights."""
        request = self.request
        return PanelLayout(self.shape_w, request.w.dtype, request.fill, self.panels_lie, self.target.name)

    @cached_property
    def _bias_type(self) -> str | None:
        """The type of a bias, or None if the layer takes none."""
        return self.request.more[0].lying.dtype if self.request.bias and self.request.more else None

    @shortening
    def pack(
        self,
        weights: ArrayLike,
        scale: ArrayLike = None,
        *,
        bias: ArrayLike = None,
        batch_norm: Mapping[str, ArrayLike] | None = None,
        eps: float = 1e-5,
    ) -> Weights:
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
        array, more = folded(
            request.geometry,
            request.backwards,
            (request.w.dtype, self._bias_type),
            weights,
            Folded(scale, batch_norm, eps, bias),
        )
        shift = None
        if request.fill:
            total = array.sum(axis=tuple(range(1, array.ndim)), dtype=np.int64)
            shift = (-request.fill * total).astype(np.int32)  # modulo 2^32, as the sums are
        return Weights(self.panel_layout, self.panels(array), more, shift)

    @shortening
    def __call__(
        self,
        x: ArrayLike,
        weights: Weights,
        *operands: ArrayLike,
        out: ArrayLike = None,
        threads: int | None = None,
        **named: ArrayLike,
    ) -> ArrayLike:
        """Return the convolution of x by packed weights, in `out` or in a new array. The operands of the epilogue
        follow, by place in the order of its parameters, or by name: bias=, residual=. A bias that was packed with the
        weights is left out. `out` may be an operand, such as the residual. The operand is copied first, unless the plan
        says "C turned" or "rows across the rim": then each of its elements is read before it is overwritten."""
        if named:
            operands, named = self._by_name(weights, operands, named), {}
        if threads is None and self._inner is not None and type(weights) is Weights and self._takes(weights):
            y, first = new(self.shape_y, self._like_y) if out is None else out, self._first_of(weights)
            if first is not None:
                if self._inner(x, weights.array, y, first, *operands) is None:
                    return returned(y, (x, *operands)) if out is None else out
            elif weights.shift is None and self._inner(x, weights.array, y, *operands) is None:
                return returned(y, (x, *operands)) if out is None else out
        workers = workers_of(threads, self.request.threads)
        arrays = self._checked(x, weights, operands, out)
        self.at([address_of(each) for each in arrays], workers)
        if not self._installed:
            self._installed = True
            self._inner = native_calls(self, self._call_arrays, self._in_place, self.request.threads)
        return returned(arrays[2], (x, *operands)) if out is None else out

    def _by_name(
        self, weights: Weights, operands: Sequence[ArrayLike], named: Mapping[str, ArrayLike]
    ) -> tuple[ArrayLike, ...]:
        packed = isinstance(weights, Weights) and self._first_of(weights) is not None
        names = [each.name for each in self.request.more][packed:]
        return by_name(names, operands, named, packed and self.request.bias)

    def _first_of(self, weights: Weights) -> Array | None:
        """Return the first further operand, if it comes with the weights."""
        return weights.first if self.request.bias else weights.shift

    def _takes(self, weights: Weights) -> bool:
        """Whether weights lie as this layer reads them, and a bias that was packed with them is one that it takes."""
        if weights.layout is not self.panel_layout:
            if weights.layout != self.panel_layout:
                return False
            weights.layout = self.panel_layout  # the next time they are the same object
        return (
            weights.bias is None or self._bias_type is not None and weights.bias.dtype == numpy_dtype(self._bias_type)
        )

    @cached_property
    def _like_y(self) -> MemoryLayout:
        """How the result of a call lies."""
        return self._seen(self.request.y)

    def _seen(self, lying: MemoryLayout) -> MemoryLayout:
        """Return how an array of a call lies, which has no axis of images if there is but one."""
        return lying._replace(strides=lying.strides[1:]) if self.request.single and len(lying.strides) > 1 else lying

    def with_weights(self, w: MemoryLayout, threads: int | None) -> Callable[..., object] | None:
        """Return a function of x, weights that lie so, y and the further operands, whose calls machine code handles; it
        returns None if it has computed. None: there is no such code."""
        arrays = self._call_arrays
        arrays[1] = CallArray("weights", w.dtype, self.shape_w, w.strides)
        return packing_calls(self, arrays, self._in_place, threads)

    @property
    def _call_arrays(self) -> list[CallArray]:
        """The arrays of a call by machine code: x, the panels, y, the further operands."""
        request = self.request
        lying = [
            ("x", self._seen(request.x), self.shape_x),
            ("weights", MemoryLayout("u8", (1,)), (self.bytes_b,)),
            ("y", self._like_y, self.shape_y),
            *((each.name, self._seen(each.lying), self._shape(each)) for each in request.more),
        ]
        return [CallArray(name, each.dtype, shape, each.strides) for name, each, shape in lying]

    def run(
        self,
        x: ArrayLike,
        weights: Weights,
        *operands: ArrayLike,
        out: ArrayLike = None,
        workers: int = 1,
        turns: int = 0,
        **named: ArrayLike,
    ) -> ArrayLike:
        """Compute in the emulator, which executes the code for any target on any host. The order and lengths of the
        workers' turns are drawn from the number `turns`; if two workers race, `Race` is raised."""
        turns = drawn(turns, named, [each.name for each in self.request.more])
        operands = self._by_name(weights, operands, named) if named else operands
        arrays = self._checked(x, weights, operands, out)
        names = ("x", "weights", "y", *(each.name for each in self.request.more))
        regions = [
            (name, bytes_of(each), name == "y")
            for name, each in zip(names, arrays)
            if name not in self._in_place or address_of(each) != address_of(arrays[2])
        ]
        self.emulated([address_of(each) for each in arrays], regions, checked(workers, "workers"), turns)
        return returned(arrays[2], (x, *operands)) if out is None else out

    def _shape(self, operand: FurtherOperand) -> tuple[int, ...]:
        """Return the shape of a further operand."""
        g = self.request.geometry
        return (g.c if self.request.backwards else g.k,) if operand.by_channel else self.shape_y

    def _checked(self, x: ArrayLike, weights: Weights, operands: Sequence[ArrayLike], out: ArrayLike) -> list[Array]:
        """Return the arrays of a call: x, the panels, the result and the further operands."""
        request = self.request
        if not isinstance(weights, Weights):
            raise TypeError(f"weights: packed, by layer.pack(weights), not {type(weights).__name__}")
        if not self._takes(weights):
            raise TypeError(self._other_panels(weights))
        first = self._first_of(weights)
        packed = first is not None
        given = request.more[packed:]
        operands = by_name([each.name for each in given], operands, {}, packed and request.bias)
        seen = self._array("x", x, self.shape_x, request.x)
        if out is None:
            made = new(self.shape_y, self._like_y)
        else:
            made = self._array("out", out, self.shape_y, request.y)
            if not made.flags.writeable:
                raise ValueError("out: read-only")
        found = [seen, weights.array, made, *([] if first is None else [first])]
        for each, value in zip(given, operands):
            found.append(self._array(each.name, value, self._shape(each), each.lying))
        if weights.shift is not None and not packed:
            found[3] = found[3] + weights.shift
        if out is not None:
            if overlap(made, seen):
                raise ValueError("out: shares memory with x")
            for place, each in enumerate(request.more, 3):  # what the result would overwrite is copied first
                array = found[place]
                in_place = each.name in self._in_place and address_of(array) == address_of(made)
                if not in_place and overlap(made, array):
                    found[place] = new(array.shape, self._seen(each.lying))
                    found[place][...] = array
        return found

    @cached_property
    def _in_place(self) -> frozenset[str]:
        """The further operands that may be the array of the result. If blocks of it come from scratch memory, all that
        the products of a block read has been read before the block is written, and no other block reads it."""
        if self._by_vectors is not None or not all(way.staged for way in self.plan.ways):
            return frozenset()
        y = self.request.y
        return frozenset(each.name for each in self.request.more if each.lying == y)

    def _other_panels(self, weights: Weights) -> str:
        """Return why weights are not those of this layer."""
        was, now = weights.layout, self.panel_layout
        if was == now:
            takes = "none" if self._bias_type is None else f"one of {self._bias_type}"
            return (
                f"weights: packed with a bias, but this layer takes {takes}; layer.pack(weights, bias=...) packs both"
            )
        for name, one, other in zip(("of shape", "of type", "for a zero point of"), now, was, strict=False):
            if one != other:
                return f"weights: {name} {one}, not {other}; layer.pack(weights) packs those of this layer"
        return (
            "weights: packed for a layer that is cut into other panels; layer.pack(weights) packs them for this one. "
            "Layers of an equal layer.panel_layout share them"
        )

    def recut(self, choice: TilingChoice) -> Convolution:
        """Return the same layer, cut in another way."""
        return Convolution(self.request, choice)

    def _array(self, name: str, value: ArrayLike, shape: tuple[int, ...], lying: MemoryLayout) -> Array:
        array, lying = as_array(name, of_tensor(name, value)), self._seen(lying)
        if array.shape != shape:
            order, back = lying.turns
            turned = f"; {name}.transpose{back} has it" if array.shape == tuple(shape[axis] for axis in order) else ""
            raise ValueError(f"{name}: shape {shape}, not {array.shape}{turned}")
        if type_of(name, array) != lying.dtype:
            raise TypeError(f"{name}: {lying.dtype}, not {array.dtype}")
        size = array.itemsize
        steps = zip(shape, array.strides, lying.strides)
        if any(extent > 1 and step != apart * size for extent, step, apart in steps) or address_of(array) % size:
            raise ValueError(
                f"{name}: strides of {tuple(each * size for each in lying.strides)} bytes, as the layer was made for, "
                f"not {array.strides}; {lying.copied(name)} copies it, or make a layer for its layout"
            )
        return array

    def _definition(self) -> tuple[object, ...]:
        request, g = self.request, self.request.geometry
        if self._by_vectors is not None:
            return ()
        more = [each.lying for each in request.more]
        wanted = definition.defined(g, request.backwards, request.x, request.y, more, request.fill)
        names = inside_names([each.name for each in request.more])
        in_place = [name for name, each in zip(names, request.more) if each.name in self._in_place]
        return wanted, definition.numbered(g), in_place

    def __reduce__(self) -> tuple[type[Convolution], tuple[object, ...]]:
        return Convolution, (self.request, self._tuned)

    def __repr__(self) -> str:
        return f"<{self._title()} for {self.target.name}>"

    def __str__(self) -> str:
        """Return the plan, and the loops with their calls as text."""
        plan = (f"  {line}" for line in str(self.plan).splitlines())
        names = ["x", "weights", "y", "own scratch"]
        return "\n".join([f"{self._title()} for {self.target.name}", *plan, *self._text(names)])

    def _title(self) -> str:
        g, request = self.request.geometry, self.request
        what = "transposed convolution" if request.backwards else "convolution"
        types = "/".join(each.dtype for each in (request.x, request.w, request.y))
        taps = "x".join(map(str, g.taps))
        more = "".join(
            f", {name} {'x'.join(map(str, value))}"
            for name, value in (("stride", g.stride), ("dilation", g.dilation))
            if set(value) != {1}
        )
        groups = f", {g.groups} groups" if g.groups > 1 else ""
        return f"{what} {self.shape_x} -> {self.shape_y}, {taps} taps{more}{groups}, {types}"
