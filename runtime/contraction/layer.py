"""Contractions on arrays: `LayerKernel`, kernels whose calls take arrays of given shapes, types and layouts.

The factor B may be packed: it is copied into the panels that products read, once for many calls. It may then bring the
first further operand with it, such as a bias.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from ...encoder.records import NamedTuple, cached_property
from ..api.aligned import kept_at_a_line
from ..arguments.arrays import Array, NoArray, address_of, bytes_of, numpy_dtype, overlap
from ..arguments.foreign_arrays import returned
from ..arguments.layouts import maker
from ..loops.job import drawn
from ..threads.policy import checked, workers_of
from .calls import CallArray, by_name, native_calls
from .epilogues import function_of, inside_names
from .kernel import Contracted

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.expr.trace import TracedResults
    from ..api.typed import ArrayLike
    from ..kernel.accuracy import Accuracy
    from ..verify.terms import SumOfProducts
    from .arrays import Summed
    from .form import Contraction
    from .tiling import TilingChoice


class PanelLayout(NamedTuple):
    """How a packed factor lies, and what was done to it. Kernels of equal layouts take each other's factors.

    shape, dtype  of the factor
    fill          the value of the other factor that stands for 0
    parts         how the panels of each part lie: see `ContractionLoops.lie`
    target        the name of the target that the panels are for
    """

    shape: tuple[int, ...]
    dtype: str
    fill: int
    parts: tuple[object, ...]
    target: str


class PackedFactor(NoArray):
    """A factor, such as weights, in the panels that a kernel reads.

    bias    the first further operand, which calls therefore leave out, or None
    shift   what is added to the sums of each channel because a value other than 0 stands for 0, or None
    first   the bias and the shift, or None without a bias
    """

    __slots__ = ("array", "bias", "first", "layout", "shift")
    taken_by = "layer(x, weights) convolves or multiplies, and weights.array has the bytes"

    def __init__(
        self, layout: PanelLayout, array: Array, bias: Array | None = None, shift: Array | None = None
    ) -> None:
        self.layout, self.array, self.bias, self.shift = layout, array, bias, shift
        self.first = bias if bias is None or shift is None else bias + shift

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return packed_again, (self.layout, np.array(self.array), self.bias, self.shift)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.layout.shape))
        bias = " and a bias" if self.bias is not None else ""
        return f"<weights {shape} {self.layout.dtype}{bias}, packed for {self.layout.target}>"


def packed_again(
    layout: PanelLayout, array: Array, bias: Array | None = None, shift: Array | None = None
) -> PackedFactor:
    """Return a factor from a pickle, which begins at a line and is read-only again."""
    return PackedFactor(layout, kept_at_a_line(array), bias, shift)


class LayerRequest(Protocol):
    """What every request of a layer says beside its arrays."""

    @property
    def epilogue(self) -> TracedResults | None: ...

    @property
    def accuracy(self) -> Accuracy | None: ...

    @property
    def threads(self) -> int | None: ...

    @property
    def target(self) -> Target: ...


Request = TypeVar("Request", bound=LayerRequest)


class LayerKernel(Contracted, Generic[Request]):
    """A contraction on arrays.

    arrays   A, B, the result, and the further operands
    """

    request: Request
    arrays: tuple[CallArray, ...]
    _only_packed = False  # whether B must be packed
    _takes_bias = False  # whether the first further operand is a bias, which B may bring
    _beside: Summed | None = None  # what computes calls whose B is not packed, if it is better not to pack it

    def __init__(
        self,
        request: Request,
        parts: Sequence[Contraction],
        arrays: Sequence[CallArray],
        tuned: TilingChoice | None = None,
    ) -> None:
        names = inside_names([each.name for each in arrays[3:]])
        epilogue = function_of(request.epilogue, names) if request.epilogue else None
        super().__init__(parts, request.target, epilogue, names, request.accuracy, tuned)
        self._keep(request=request, threads=request.threads, arrays=tuple(arrays))
        self._natives: dict[bool, Callable[..., object] | None] = {}  # by whether B is packed
        self._new = maker(self.arrays[2].shape, self.arrays[2].layout)

    @cached_property
    def panel_layout(self) -> PanelLayout:
        """How a packed factor lies. Kernels of an equal layout take each other's factors."""
        b = self.arrays[1]
        return PanelLayout(b.shape, b.dtype, self.parts[0].a.fill, self.loops.lie, self.target.name)

    def _call(
        self,
        a: ArrayLike | PackedFactor,
        b: ArrayLike | PackedFactor,
        operands: tuple[ArrayLike, ...],
        named: Mapping[str, ArrayLike],
        out: ArrayLike,
        threads: int | None,
    ) -> ArrayLike:
        """Return the result of a call, in `out` or in a new array."""
        if named:
            operands = self._by_name(b, operands, named)
        packed = type(b) is PackedFactor
        native = self._natives.get(packed) if threads is None else None
        if native is not None and (not packed or self._takes(b)):
            more = self._brought(b) if packed else ()
            if more is not None:
                made = self._new() if out is None else out
                if native(a, b.array if packed else b, made, *more, *operands) is None:
                    return returned(made, (a, *operands)) if out is None else out
        arrays = self._checked(a, b, operands, out)
        workers = workers_of(threads, self.request.threads)
        addresses = [address_of(each) for each in arrays]
        if packed:
            self.call.at(addresses, workers)
        elif self._beside is not None:
            self._beside.call.at(addresses, workers)
        else:
            self.on(addresses[0], arrays[1], addresses[2], addresses[3:], workers)
        if packed not in self._natives:
            self._natives[packed] = self.native(packed, self.request.threads)
        return returned(arrays[2], self._given(a, b, operands)) if out is None else out

    def native(
        self, packed: bool, threads: int | None, strides: tuple[int, ...] | None = None
    ) -> Callable[..., object] | None:
        """Return a function of A, B, the result and the further operands whose calls machine code handles: None if it
        has computed. strides: those of a B that is not packed, in elements; None: as in `arrays`. Return None if there
        is no such code."""
        arrays = [*self.arrays]
        if packed:
            arrays[1] = CallArray(arrays[1].name, "u8", (self.bytes_b,), (1,))
        elif strides is not None:
            arrays[1] = replace(arrays[1], strides=strides)
        call = self.call if packed else self.packing(arrays[1].strides) if self._beside is None else None
        return None if call is None else native_calls(call, arrays, self._in_place, threads)

    def _run(
        self,
        a: ArrayLike | PackedFactor,
        b: ArrayLike | PackedFactor,
        operands: tuple[ArrayLike, ...],
        named: dict[str, ArrayLike],
        out: ArrayLike,
        workers: int,
        turns: int,
    ) -> ArrayLike:
        """Compute in the emulator, as `_call` does."""
        turns = drawn(turns, named, [each.name for each in self.arrays[3:]])
        operands = self._by_name(b, operands, named) if named else operands
        arrays, emulated = self._checked(a, b, operands, out), self._beside or self
        if isinstance(b, PackedFactor):
            emulated = self
        elif emulated is self:
            arrays[1] = self.panels(arrays[1])
        regions = [
            (of.name, bytes_of(each), place == 2)
            for place, (of, each) in enumerate(zip(self.arrays, arrays))
            if of.name not in self._in_place or address_of(each) != address_of(arrays[2])
        ]
        emulated.emulated([address_of(each) for each in arrays], regions, checked(workers, "workers"), turns)
        return returned(arrays[2], self._given(a, b, operands)) if out is None else out

    def _given(self, a: object, b: object, operands: Sequence[object]) -> tuple[object, ...]:
        """Return the arrays of a call, whose library a new result is of."""
        return (a, *operands) if isinstance(b, PackedFactor) else (a, b, *operands)

    def _by_name(self, b: object, operands: Sequence[object], named: Mapping[str, object]) -> tuple[object, ...]:
        brought = bool(isinstance(b, PackedFactor) and self._brought(b))
        names = [each.name for each in self.arrays[3 + brought :]]
        return by_name(names, operands, named, brought and self._takes_bias)

    def _takes(self, b: PackedFactor) -> bool:
        """Whether a factor lies as this kernel reads it, and a bias that was packed with it is one that it takes."""
        if b.layout is not self.panel_layout:
            if b.layout != self.panel_layout:
                return False
            b.layout = self.panel_layout  # the next time they are the same object
        return b.bias is None or self._takes_bias and b.bias.dtype == numpy_dtype(self.arrays[3].dtype)

    def _brought(self, b: PackedFactor) -> tuple[Array, ...] | None:
        """Return the further operands that come with a packed factor. None: the shift must be added to a bias that the
        call gives."""
        if self._takes_bias:
            return (b.first,) if b.first is not None else () if b.shift is None else None
        return () if b.shift is None else (b.shift,)

    def _checked(self, a: object, b: object, operands: Sequence[object], out: object) -> list[Array]:
        """Return the arrays of a call: A, B or its panels, the result and the further operands."""
        of_a, of_b, result, *more = self.arrays
        if isinstance(a, PackedFactor):
            raise TypeError(f"{of_a.name}: an array; only {of_b.name} may be packed")
        if self._only_packed and not isinstance(b, PackedFactor):
            raise TypeError(f"{of_b.name}: packed, by layer.pack({of_b.name}), not {type(b).__name__}")
        found = [of_a.checked(a), b.array if isinstance(b, PackedFactor) else of_b.checked(b)]
        brought: tuple[Array, ...] | None = ()
        if isinstance(b, PackedFactor):
            if not self._takes(b):
                raise TypeError(self._other_panels(of_b.name, b.layout))
            brought = self._brought(b)
        count = len(brought or ())
        values = by_name([each.name for each in more[count:]], operands, {}, bool(count) and self._takes_bias)
        others = [*(brought or ()), *(each.checked(value) for each, value in zip(more[count:], values))]
        if isinstance(b, PackedFactor) and brought is None:
            others[0] = others[0] + b.shift
        if out is None:
            return [*found, self._new(), *others]
        made = result.checked(out, "out")
        if not made.flags.writeable:
            raise ValueError("out: read-only")
        for of, each in zip(self.arrays, found):
            if overlap(made, each):
                raise ValueError(f"out: shares memory with {of.name}")
        for place, of in enumerate(more):  # what the result would overwrite is copied first
            in_place = of.name in self._in_place and address_of(others[place]) == address_of(made)
            if not in_place and overlap(made, others[place]):
                others[place] = np.copy(others[place], order="K")
        return [*found, made, *others]

    def _other_panels(self, name: str, was: PanelLayout) -> str:
        """Return why a packed factor is not one of this kernel."""
        now = self.panel_layout
        if was == now:
            takes = f"one of {self.arrays[3].dtype}" if self._takes_bias else "none"
            return f"{name}: packed with a bias, but this layer takes {takes}; layer.pack({name}, bias=...) packs both"
        for what, one, other in zip(("of shape", "of type", "for a zero point of"), now, was, strict=False):
            if one != other:
                return f"{name}: {what} {one}, not {other}; layer.pack({name}) packs those of this layer"
        return (
            f"{name}: packed for a layer that is cut into other panels; layer.pack({name}) packs them for this one. "
            "Layers of an equal layer.panel_layout share them"
        )

    @cached_property
    def _in_place(self) -> frozenset[str]:
        """The further operands that may be the array of the result. If blocks of it come from scratch memory, all that
        the products of a block read has been read before the block is written, and no other block reads it."""
        if self.plan.loops is not None or not all(way.staged for way in self.plan.ways):
            return frozenset()
        result = self.arrays[2]
        return frozenset(each.name for each in self.arrays[3:] if replace(each, name=result.name) == result)

    def definition(self) -> tuple[SumOfProducts, Array, Sequence[str]] | None:
        """Return what it computes, the numbers of the elements of B in it, and the names of further operands whose
        memory may be that of the result."""
        wanted, shape = self._defined(), self.arrays[1].shape
        if wanted is None:
            return None
        in_place = [name for name, each in zip(self.names, self.arrays[3:]) if each.name in self._in_place]
        return wanted, np.arange(1, 1 + math.prod(shape)).reshape(shape), in_place

    def _defined(self) -> SumOfProducts | None:
        """Return what it computes by its definition; None: no proof compares its calls with one."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[type[LayerKernel[Request]], tuple[object, ...]]:
        return type(self), (self.request, self._tuned)

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _title(self) -> str:
        """Return in a line what it computes, and for which target."""
        raise NotImplementedError

    def _about(self) -> list[str]:
        """Return the lines that `print` shows before the plan."""
        return [self._title()]

    def __str__(self) -> str:
        """Return what it computes, the plan, and the loops with their calls as text."""
        a, b, c, *_ = (each.name for each in self.arrays)
        names = [a, b if self._only_packed else f"panels of {b}", c, *self.names]
        plan = (f"  {line}" for line in str(self.plan).splitlines())
        return "\n".join([*self._about(), *plan, *self._text(names)])
