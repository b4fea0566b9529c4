"""A convolution of given shapes, types and layouts: `Convolution`, which `conv` makes and the functions call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES
from ...microkernels.eltwise.traced import COMPUTE, traced_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.expr.trace import TracedResults, behind_first, trace_key
from ...microkernels.gemm.spec import gemm_spec
from ..arguments.arrays import Array, address_of, as_array, bytes_of, numpy_dtype, overlap
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of as named_type
from ..arguments.tracebacks import shortening
from ..contraction.kernel import Contracted
from ..contraction.nest import EXTRAS, OWN, A, B, C
from ..fastcall.foreign import of_tensor
from ..fastcall.guards import RELEASE_ABOVE, NoAlias
from ..fastcall.guards_array import Builder
from ..kernel.callable import LONG
from ..loops.job import drawn
from ..loops.scratch import KEPT, slots
from ..ops.gemm import Gemm
from ..threads import called
from ..threads.called_code import JobTable
from ..threads.policy import checked, workers_of
from . import forms
from .forms import MemoryLayout
from .geometry import Geometry

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import ArrayLike, Epilogue
    from ..kernel.accuracy import Accuracy


def type_of(name: str, array: Array) -> str:
    """Return the name of an array's element type. Raises TypeError for the other byte order."""
    if not array.dtype.isnative:
        raise TypeError(
            f"{name}: {array.dtype.newbyteorder('=')} in native byte order, not {array.dtype}; "
            f"{name}.astype({name}.dtype.newbyteorder('=')) converts it"
        )
    return named_type(name, array)


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

    @property
    def given(self) -> tuple[FurtherOperand, ...]:
        """The further operands that calls give."""
        return self.more if self.bias or not self.fill else self.more[1:]


class Weights:
    """Weights in the panels that a convolution reads: see `Convolution.pack`.

    shift   what is added to the sums of each channel because a value of x other than 0 stands for 0, or None
    """

    __slots__ = ("array", "layer", "shift")

    def __init__(self, layer: Convolution, array: Array, shift: Array | None) -> None:
        self.layer, self.array, self.shift = layer, array, shift

    def __reduce__(self) -> tuple[type[Weights], tuple[object, ...]]:
        return Weights, (self.layer, np.array(self.array), self.shift)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.layer.shape_w))
        return f"<weights {shape} {self.layer.request.w.dtype}, packed for {self.layer.target.name}>"


class Convolution(Contracted):
    """A convolution: `p = layer.pack(weights)` once, then `y = layer(x, p)`. See `conv`.

    layer.plan     how it is cut: roles of loops, copies, tiles; layer.plan.rejected: the other ways, with reasons
    print(layer)   the loops and their calls; layer.listing(): the machine code; layer.save(path): an object for C
    layer.run(x, p, workers=3) executes the code in the emulator
    """

    request: ConvolutionRequest
    _stem = "conv"
    _installed = False
    _inner: Callable[..., object] | None = None  # an object whose calls machine code handles, with the panels' bytes

    def __init__(self, request: ConvolutionRequest) -> None:
        g, more = request.geometry, tuple(each.lying for each in request.more)
        if request.backwards:
            parts = list(forms.by_data(g, request.x, request.w, request.y, more))
        else:
            parts = [forms.forward(g, request.x, request.w, request.y, more, request.fill)]
        names = inside_names([each.name for each in request.more])
        epilogue = _function(request.epilogue, names) if request.epilogue else None
        super().__init__(parts, request.target, epilogue, names, request.accuracy)
        self._keep(request=request)

    @property
    def shape_x(self) -> tuple[int, ...]:
        """The shape of x."""
        g = self.request.geometry
        return g.y if self.request.backwards else g.x

    @property
    def shape_y(self) -> tuple[int, ...]:
        """The shape of the result."""
        g = self.request.geometry
        return g.x if self.request.backwards else g.y

    @property
    def shape_w(self) -> tuple[int, ...]:
        """The shape of the weights."""
        g = self.request.geometry
        return (g.k, g.c // g.groups, *g.taps)

    @shortening
    def pack(self, weights: ArrayLike, scale: ArrayLike = None) -> Weights:
        """Copy weights (k, c / groups, *taps) into panels. They may change or be freed afterwards.

        scale   a factor for each channel of the result, such as that of a batch norm, by which weights of f32 or f64
                are multiplied first
        """
        array, fill = self._weights(weights, scale), self.request.fill
        shift = None
        if fill:
            total = array.sum(axis=tuple(range(1, array.ndim)), dtype=np.int64)
            shift = (-fill * total).astype(np.int32)  # modulo 2^32, as the sums are
        return Weights(self, self.panels(array), shift)

    def _weights(self, weights: ArrayLike, scale: ArrayLike) -> Array:
        array, dtype = as_array("weights", weights), numpy_dtype(self.request.w.dtype)
        if array.shape != self.shape_w:
            raise ValueError(f"weights: shape {self.shape_w}, not {array.shape}")
        if array.dtype != dtype:
            raise TypeError(f"weights: {self.request.w.dtype}, not {array.dtype}")
        if scale is None:
            return array
        factors = as_array("scale", scale)
        channels = self.shape_y[1]
        if factors.shape != (channels,) or array.dtype.kind != "f":
            raise ValueError(f"scale: a factor for each of {channels} channels, of weights of f32 or f64")
        g = self.request.geometry
        if self.request.backwards:
            each = factors.reshape(g.groups, 1, g.c // g.groups)
            whole = array.reshape(g.groups, g.k // g.groups, g.c // g.groups, -1) * each[..., None]
            return np.asarray(whole.reshape(array.shape), array.dtype)
        return np.asarray(array * factors.reshape(-1, *[1] * (array.ndim - 1)), array.dtype)

    @shortening
    def __call__(
        self, x: ArrayLike, weights: Weights, *operands: ArrayLike, out: ArrayLike = None, threads: int | None = None
    ) -> ArrayLike:
        """Return the convolution of x by packed weights, in `out` or in a new array. The operands of the epilogue
        follow, in the order of its parameters."""
        if threads is None and self._inner is not None and type(weights) is Weights and weights.layer is self:
            y = new(self.shape_y, self.request.y) if out is None else out
            if self._inner(x, weights.array, y, *operands) is None:
                return returned(y, (x, *operands)) if out is None else out
        workers = workers_of(threads, self.request.threads)
        arrays = self._checked(x, weights, operands, out)
        self.at([address_of(each) for each in arrays], workers)
        if not self._installed:
            self._installed = True
            self._inner = called.inner(Gemm, self._install_in) if self.request.given == self.request.more else None
        return returned(arrays[2], (x, *operands)) if out is None else out

    def _install_in(self, target: object, slow: Callable[..., object]) -> bool:
        """Let machine code handle the calls of an object of a native type: x, the panels, y, the further operands."""
        slow.keep = self.job.block  # type: ignore[attr-defined]
        request, builder = self.request, Builder(RELEASE_ABOVE, False, {})
        arrays: list[tuple[str, MemoryLayout, tuple[int, ...]]] = [
            ("x", request.x, self.shape_x),
            ("weights", MemoryLayout("u8", (1,)), (self.bytes_b,)),
            ("y", request.y, self.shape_y),
            *((each.name, each.lying, self.shape_y[1:2] if each.by_channel else self.shape_y) for each in request.more),
        ]
        spans = {}
        for position, (name, lying, shape) in enumerate(arrays):
            dtype = numpy_dtype(lying.dtype)
            steps = [each * dtype.itemsize for each in lying.strides]
            spans[name] = builder.laid(position, name, dtype, shape, steps, name == "y")
        for name in spans:
            if name != "y":
                builder.add(NoAlias(spans["y"], spans[name], False))
        cycles, more = int(self.plan.cycles), range(EXTRAS, EXTRAS + len(request.more))
        structure = builder.entry([name for name, _, _ in arrays], "always" if cycles > LONG else "never")
        own = OWN if self.bytes_own else EXTRAS + len(request.more) + 2
        table = JobTable((A, B, C, *more), None, own, EXTRAS + len(request.more))
        job = self.job.block.address
        made = called.Called(job, cycles, request.threads, 0, self.bytes_own, slots(), KEPT, table)
        return called.install(target, structure, made, self.target, slow)

    def run(
        self,
        x: ArrayLike,
        weights: Weights,
        *operands: ArrayLike,
        out: ArrayLike = None,
        workers: int = 1,
        turns: int = 0,
        **named: int,
    ) -> ArrayLike:
        """Compute in the emulator, which executes the code for any target on any host. The order and lengths of the
        workers' turns are drawn from the number `turns`; if two workers race, `Race` is raised."""
        turns = drawn(turns, named, ())
        if named:
            raise TypeError(f"{next(iter(named))}: run has x, weights, operands, out, workers and turns")
        arrays = self._checked(x, weights, operands, out)
        names = ("x", "weights", "y", *(each.name for each in self.request.more))
        regions = [(name, bytes_of(each), name == "y") for name, each in zip(names, arrays)]
        self.emulated([address_of(each) for each in arrays], regions, checked(workers, "workers"), turns)
        return returned(arrays[2], (x, *operands)) if out is None else out

    def _checked(self, x: ArrayLike, weights: Weights, operands: Sequence[ArrayLike], out: ArrayLike) -> list[Array]:
        """Return the arrays of a call: x, the panels, the result and the further operands."""
        request = self.request
        if not isinstance(weights, Weights) or (weights.layer is not self and weights.layer.request != request):
            raise TypeError(f"weights: packed by this layer, layer.pack(weights), not {type(weights).__name__}")
        given = request.given
        if len(operands) != len(given):
            names = ", ".join(each.name for each in given) or "none"
            raise TypeError(f"this layer takes further operands: {names}; {len(operands)} are given")
        seen = self._array("x", x, self.shape_x, request.x)
        if out is None:
            made = new(self.shape_y, request.y)
        else:
            made = self._array("out", out, self.shape_y, request.y)
            if not made.flags.writeable:
                raise ValueError("out: read-only")
        found = [seen, weights.array, made]
        for each, value in zip(given, operands):
            shape = self.shape_y[1:2] if each.by_channel else self.shape_y
            found.append(self._array(each.name, value, shape, each.lying))
        if weights.shift is not None:
            found[3:4] = [found[3] + weights.shift] if request.bias else [weights.shift, *found[3:4]]
        if out is not None:
            for name, other in zip(("x", *(each.name for each in request.more)), (seen, *found[3:])):
                if overlap(made, other):
                    raise ValueError(f"out: shares memory with {name}")
        return found

    def _array(self, name: str, value: ArrayLike, shape: tuple[int, ...], lying: MemoryLayout) -> Array:
        array = as_array(name, of_tensor(name, value))
        if array.shape != shape:
            raise ValueError(f"{name}: shape {shape}, not {array.shape}")
        if type_of(name, array) != lying.dtype:
            raise TypeError(f"{name}: {lying.dtype}, not {array.dtype}")
        size = array.itemsize
        steps = zip(shape, array.strides, lying.strides)
        if any(extent > 1 and step != apart * size for extent, step, apart in steps) or address_of(array) % size:
            raise ValueError(
                f"{name}: strides of {tuple(each * size for each in lying.strides)} bytes, as the layer was made for, "
                f"not {array.strides}; copy it, or make a layer for its layout"
            )
        return array

    def __reduce__(self) -> tuple[type[Convolution], tuple[object, ...]]:
        return Convolution, (self.request,)

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


def _function(trace: TracedResults, names: Sequence[str]) -> Epilogue:
    """Return a function of the sum and of these operands whose expressions were traced before."""

    def traced(*_: Expr, **__: Expr) -> Expr:
        return trace.results[0]

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    traced.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, kind) for name in ("c", *names)]
    )
    return traced


def traced(
    epilogue: Epilogue | None, bias: str | None, types: Mapping[str, str], product: Sequence[str]
) -> tuple[TracedResults | None, tuple[str, ...]]:
    """Return the trace of the function that is applied to the sums, and the names of its operands.

    bias      the name of the operand that is added to the sum first, or None
    types     of the operands, by name
    product   the types of x, the weights and the result
    """
    names = () if epilogue is None else tuple(behind_first(epilogue, types.keys() - {bias})[1:])
    missing = [name for name in names if name not in types]
    if missing:
        raise ValueError(f"operands: none is given for {missing[0]}, a parameter of the epilogue")
    unknown = [name for name in types if name not in names and name != bias]
    if unknown:
        raise ValueError(f"operands: {unknown[0]!r} is no parameter of the epilogue")
    if epilogue is None and bias is None:
        return None, ()
    order = (bias, *names) if bias is not None else names
    given, inside = epilogue, inside_names(order)

    def whole(c: Expr, *operands: Expr, **named: Expr) -> object:
        values = dict(zip(order, (*operands, *(named[each] for each in inside[len(operands) :]))))
        if bias is not None:
            c = c + values.pop(bias)
        return c if given is None else given(c, **values)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in ("c", *inside)]
    whole.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    sums = gemm_spec(1, 1, 1, dtype=tuple(product), epilogue=True).acc_dtype
    real = any(DTYPES[dtype].real for dtype in (product[2], *types.values()))
    compute = "f32" if real and not DTYPES[sums].real else COMPUTE[sums]
    seen = {each: traced_type(types[name], compute, True) for each, name in zip(inside, order)}
    found = trace_key(whole, inside, traced_type(sums, compute, True), seen)
    if found is None:
        raise UnsupportedError("epilogue: a function whose results are expressions of its parameters")
    if len(found.results) != 1:
        raise UnsupportedError(
            "epilogue: one result; compute others from it with ts.equation, or use ts.brgemm for single products"
        )
    return found, order


def inside_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of further operands in the requests of products, in which a, b, c and y are the product's."""
    return tuple(
        next(each for each in (name + "_" * length for length in range(len(names) + 1)) if _is_free(each, name, names))
        for name in names
    )


def _is_free(found: str, name: str, names: Sequence[str]) -> bool:
    return found not in ("a", "b", "c", "y") and (found == name or found not in names)


def new(shape: Sequence[int], lying: MemoryLayout) -> Array:
    """Return a new array that lies so, without gaps."""
    order = sorted(range(len(shape)), key=lambda axis: -lying.strides[axis])
    base = np.empty([shape[axis] for axis in order], numpy_dtype(lying.dtype))
    made: Array = base.transpose([order.index(axis) for axis in range(len(shape))])
    return made
