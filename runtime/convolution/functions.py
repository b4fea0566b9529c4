"""`conv1d`, `conv2d`, `conv3d` and their transposes on arrays, and `conv`, the layer with packed weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import behind_first
from ...microkernels.gemm.spec import QUANTIZED, product_types, results_of
from ...microkernels.operands import whole
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype, overlap, overlaps_itself
from ..arguments.asked import type_of
from ..arguments.others import returned
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel import accuracy as accuracies
from ..ops.depthwise import depthwise
from ..threads.policy import checked
from . import geometry as shapes
from .forms import Lying
from .geometry import Geometry
from .layer import Convolution, ConvolutionRequest, FurtherOperand, new, traced

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, ArraysByName, DTypeLike, Epilogue, Padding, PerAxis, ProductDTypes, TargetLike
    from ..kernel.accuracy import Accuracy

Function = TypeVar("Function", bound=Callable[..., Any])
KEPT = 256
"""The layers that functions keep for further calls."""


@lru_cache(maxsize=KEPT)
def layer_of(request: ConvolutionRequest) -> Convolution:
    """Return the layer of a request; equal requests share one."""
    return Convolution(request)


def types_of(x: str, w: str, y: str | None) -> tuple[str, str, str]:
    """Return the element types of x, the weights and the result."""
    results = results_of(x, w)
    if not results:
        raise UnsupportedError(f"x, w: no kernel multiplies {x} by {w}; convert one of them")
    if y is not None and y not in (*results, *(QUANTIZED if "i32" in results else ())):
        raise UnsupportedError(f"dtype: a convolution of {x} by {w} has elements of {' or '.join(results)}, not {y}")
    return product_types(x, w, y)


def lying(array: Array) -> Lying:
    """Return how an array lies; axes of one element are as far apart as those inside of them span."""
    size, steps, inner = array.itemsize, list[int](), 1
    for extent, stride in zip(reversed(array.shape), reversed(array.strides)):
        steps.insert(0, stride // size if extent > 1 else inner)
        inner = max(inner, abs(steps[0]) * extent)
    return Lying(type_of("array", array), tuple(steps))


def like(shape: Sequence[int], order: Sequence[int], dtype: str) -> Lying:
    """Return how a new array lies whose axes have this order in memory, outermost first."""
    steps, step = [0] * len(shape), 1
    for axis in reversed(order):
        steps[axis] = step
        step *= shape[axis]
    return Lying(dtype, tuple(steps))


def order_of(array: Array) -> tuple[int, ...]:
    """Return the order of the axes of images in memory: channels last if they are, else channels first."""
    axes = range(array.ndim)
    wide = [axis for axis in axes if array.shape[axis] > 1]
    last = 1 in wide and all(abs(array.strides[1]) <= abs(array.strides[axis]) for axis in wide)
    return (0, *range(2, array.ndim), 1) if last else tuple(axes)


class _ConvCall(NamedTuple):
    """A call beside its images and weights: the function's name, axes and geometry, and its keywords."""

    name: str
    dims: int
    made: Callable[[Sequence[int], Sequence[int]], Geometry]
    backwards: bool
    bias: ArrayLike
    out: ArrayLike
    epilogue: Epilogue | None
    operands: ArraysByName | None
    dtype: DTypeLike | None
    threads: int | None
    target: TargetLike


def _convolution(asked: _ConvCall, x: ArrayLike, w: ArrayLike) -> Any:
    """Compute a convolution of arrays: check them, find or make the layer, pack the weights, call it."""
    dims, out, epilogue = asked.dims, asked.out, asked.epilogue
    seen, weights = as_array("x", of_tensor("x", x)), as_array("w", of_tensor("w", w))
    single = seen.ndim == dims + 1
    images = seen[None] if single else seen
    if images.ndim != dims + 2:
        axes = ", ".join(shapes.AXES[dims])
        raise ValueError(f"x: images, channels, {axes}, or one image without the first axis, not shape {seen.shape}")
    geometry = asked.made(images.shape, weights.shape)
    dtype = None if asked.dtype is None else element_type("dtype", asked.dtype)
    types = types_of(type_of("x", images), type_of("w", weights), dtype)
    shape = geometry.x if asked.backwards else geometry.y
    to = None if out is None else _output(out, shape, single)
    if to is not None:
        found = type_of("out", to)
        types = types_of(*types[:2], found) if dtype is None else types
        if found != types[2]:
            raise TypeError(f"out: {types[2]}, not {found}")
    result = lying(to) if to is not None and _is_writable(to) else like(shape, order_of(images), types[2])
    further = _further(asked.bias, asked.operands, shape)
    if 0 in shape or images.size == 0 or weights.size == 0:
        if epilogue is not None and 0 not in shape:
            raise UnsupportedError("epilogue: not applied to sums without terms; leave out the convolution")
        y = to if to is not None else new(shape, result)
        y[...] = further[_BIAS].reshape(-1, *[1] * dims) if _BIAS in further else 0
        return out if out is not None else returned(y[0] if single else y, (x, w))
    if _is_by_vectors(asked, geometry, types):
        made = depthwise(
            images,
            weights,
            asked.bias,
            stride=geometry.stride,
            padding=geometry.padding,
            dilation=geometry.dilation,
            groups=geometry.groups,
            out=to,
            epilogue=epilogue,
            operands=asked.operands,
            dtype=types[2],
            threads=asked.threads,
            target=asked.target,
        )
        return out if out is not None else returned(made[0] if single else made, (x, w))
    further = {each: _placed(array, shape, result) for each, array in further.items()}
    trace, names = traced(
        epilogue, _BIAS if asked.bias is not None else None, {n: type_of(n, each) for n, each in further.items()}, types
    )
    images = readable(images)
    request = ConvolutionRequest(
        geometry,
        asked.backwards,
        lying(images)._replace(dtype=types[0]),
        Lying(types[1], ()),
        result,
        0,
        trace,
        tuple(FurtherOperand(each, lying(further[each])) for each in names),
        accuracies.of_process or accuracies.default_accuracy(),
        None,
        host.resolve(asked.target),
    )
    request = request._replace(w=like(weights.shape, range(weights.ndim), types[1]))
    layer = layer_of(request)
    y = to if to is not None and _is_writable(to) else new(shape, result)
    for each, array in (("x", images), *further.items()):
        if to is not None and overlap(to, array):
            raise ValueError(f"out: shares memory with {each}")
    layer(images, layer.pack(weights), *(further[each] for each in names), out=y, threads=asked.threads)
    if to is None:
        return returned(y[0] if single else y, (x, w))
    if y is not to:
        to[...] = y
    return out


_BIAS = "bias"


def _is_by_vectors(asked: _ConvCall, geometry: Geometry, types: Sequence[str]) -> bool:
    """Whether groups have so few channels that a kernel along them, without products, is faster."""
    groups, few = geometry.groups, host.resolve(asked.target).vector_bits // 32
    return (
        groups > 1 and asked.dims == 2 and not asked.backwards and geometry.k // groups < few and types[0] in _VECTORS
    )


_VECTORS = "f32", "f64", "bf16", "f16", "u8", "i8"
"""The types of x that `depthwise` takes."""


def _output(out: ArrayLike, shape: tuple[int, ...], single: bool) -> Array:
    """Return the array for the result, with an axis of images."""
    to = as_array("out", of_tensor("out", out))
    to = to[None] if single and to.ndim == len(shape) - 1 else to
    if to.shape != shape:
        raise ValueError(f"out: shape {shape[single:]}, not {to.shape[single:]}")
    if not to.flags.writeable:
        raise ValueError("out: read-only")
    if overlaps_itself(to):
        raise ValueError(
            f"out: memory of its own for each element, not strides {to.strides}, with which several share one place"
        )
    return to


def _is_aligned(array: Array) -> bool:
    """Whether the elements are whole steps apart from each other and from address 0."""
    return all(each % array.itemsize == 0 for each in (address_of(array), *array.strides))


def _is_writable(array: Array) -> bool:
    """Whether kernels write an array where it lies; the result is copied to another one."""
    return _is_aligned(array) and all(extent == 1 or stride > 0 for extent, stride in zip(array.shape, array.strides))


def _further(bias: ArrayLike, operands: ArraysByName | None, shape: Sequence[int]) -> dict[str, Array]:
    """Return the operands of the epilogue by name, the bias among them."""
    if operands is not None and not isinstance(operands, Mapping):
        raise TypeError(f"operands: arrays by name, not {type(operands).__name__}")
    given = dict(operands or {})
    if bias is not None:
        if _BIAS in given:
            raise ValueError("operands: one is called bias, and bias= is given, too")
        given = {_BIAS: bias, **given}
    found = {}
    for name, value in given.items():
        array = as_array(name, of_tensor(name, value))
        if array.shape not in ((shape[1],), tuple(shape)):
            raise ValueError(
                f"{name}: an element for each channel ({shape[1]},), or shape {tuple(shape)}, not {array.shape}"
            )
        if name == _BIAS and array.ndim != 1:
            raise ValueError(f"bias: an element for each channel ({shape[1]},), not shape {array.shape}")
        found[name] = array
    return found


def _placed(array: Array, shape: Sequence[int], result: Lying) -> Array:
    """Return an operand as kernels read it: a vector without gaps, or as the result lies; else a copy."""
    if array.ndim == 1:
        return np.ascontiguousarray(array) if _is_aligned(array) else array.copy()
    steps = zip(shape, array.strides, result.strides)
    if _is_aligned(array) and all(extent == 1 or step == apart * array.itemsize for extent, step, apart in steps):
        return array
    made = new(shape, result._replace(dtype=type_of("operands", array)))
    made[...] = array
    return made


def readable(images: Array) -> Array:
    """Return images that kernels read: channels or the last axis are neighbours in memory; else a copy."""
    near = images.itemsize in (abs(images.strides[1]), abs(images.strides[-1]))
    if near and _is_aligned(images) and min(images.strides) >= 0 and not overlaps_itself(images):
        return images
    return np.array(images, order="C")


class Forward(Protocol):
    """A convolution of arrays: see `conv2d`."""

    def __call__(
        self,
        x: ArrayLike,
        w: ArrayLike,
        bias: ArrayLike = None,
        *,
        stride: PerAxis = 1,
        padding: Padding = 0,
        dilation: PerAxis = 1,
        groups: int = 1,
        out: ArrayLike = None,
        epilogue: Epilogue | None = None,
        operands: ArraysByName | None = None,
        dtype: DTypeLike | None = None,
        threads: int | None = None,
        target: TargetLike = None,
    ) -> ArrayLike: ...


class Transposed(Protocol):
    """A transposed convolution of arrays: see `conv_transpose2d`."""

    def __call__(
        self,
        x: ArrayLike,
        w: ArrayLike,
        bias: ArrayLike = None,
        *,
        stride: PerAxis = 1,
        padding: Padding = 0,
        output_padding: PerAxis = 0,
        dilation: PerAxis = 1,
        groups: int = 1,
        out: ArrayLike = None,
        epilogue: Epilogue | None = None,
        operands: ArraysByName | None = None,
        dtype: DTypeLike | None = None,
        threads: int | None = None,
        target: TargetLike = None,
    ) -> ArrayLike: ...


def _function(dims: int) -> Forward:
    name = f"conv{dims}d"

    def function(
        x: ArrayLike,
        w: ArrayLike,
        bias: ArrayLike = None,
        *,
        stride: PerAxis = 1,
        padding: Padding = 0,
        dilation: PerAxis = 1,
        groups: int = 1,
        out: ArrayLike = None,
        epilogue: Epilogue | None = None,
        operands: ArraysByName | None = None,
        dtype: DTypeLike | None = None,
        threads: int | None = None,
        target: TargetLike = None,
    ) -> ArrayLike:
        def made(of_x: Sequence[int], of_w: Sequence[int]) -> Geometry:
            return shapes.forward(of_x, of_w, stride, padding, dilation, groups, name)

        asked = _ConvCall(name, dims, made, False, bias, out, epilogue, operands, dtype, threads, target)
        return _convolution(asked, x, w)

    like = _LIKE.format(shape=_SHAPES[dims], what=_WHAT[dims])
    return named(function, name, _DOC if dims == 2 else like)


def _transposed(dims: int) -> Transposed:
    name = f"conv_transpose{dims}d"

    def function(
        x: ArrayLike,
        w: ArrayLike,
        bias: ArrayLike = None,
        *,
        stride: PerAxis = 1,
        padding: Padding = 0,
        output_padding: PerAxis = 0,
        dilation: PerAxis = 1,
        groups: int = 1,
        out: ArrayLike = None,
        epilogue: Epilogue | None = None,
        operands: ArraysByName | None = None,
        dtype: DTypeLike | None = None,
        threads: int | None = None,
        target: TargetLike = None,
    ) -> ArrayLike:
        def made(of_x: Sequence[int], of_w: Sequence[int]) -> Geometry:
            return shapes.transposed(of_x, of_w, stride, padding, output_padding, dilation, groups, name)

        asked = _ConvCall(name, dims, made, True, bias, out, epilogue, operands, dtype, threads, target)
        return _convolution(asked, x, w)

    return named(function, name, _BACK.format(shape=_SHAPES[dims], what=_WHAT[dims]))


def named(function: Function, name: str, doc: str) -> Function:
    """Return a public function under its name, whose errors show the caller's frames only."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return cast(Function, shortening(function))


_WHAT = {1: "sequences", 2: "images", 3: "volumes"}
_SHAPES = {1: "(n, c, width)", 2: "(n, c, height, width)", 3: "(n, c, depth, height, width)"}
_LIKE = """Return the convolution of {what} x {shape} by w (k, c / groups, *taps): see `conv2d`."""
_BACK = """Return the transposed convolution of {what} x {shape} by w (c, k / groups, *taps), the gradient of a
convolution by its data: see `conv2d`.

output_padding   elements that the result is longer, at its end, along each axis: less than the stride or the dilation

The result has (extent - 1) stride - padding + dilation (taps - 1) + 1 + output_padding elements along an axis. It is
computed by remainders of the stride, each a convolution by the taps that reach it, so that no zeros are inserted.
"""
_DOC = """Return the convolution of images x (n, c, height, width) by w (k, c / groups, rows, columns).

    y[n, k, p, q] = bias[k] + sum over c, r, s of x[n, c, stride p + dilation r - padding, ...] * w[k, c, r, s]

It is a cross-correlation, as in every framework. Shapes are those of torch.nn.functional.conv2d; how x lies in
memory is its strides: x.transpose(0, 3, 1, 2) of an array with channels last, or torch's channels_last. The result
has the order of x unless `out` says otherwise. Images without the first axis are one image.

stride, dilation   a number, or one for each axis
padding    a number, one for each axis, pairs ((top, bottom), (left, right)), "valid", "same" (ceil(extent / stride)
           results, an odd element behind: ONNX's SAME_UPPER), "same_lower"; `ts.onnx_padding` converts ONNX's order
groups     parts of the channels that are convolved apart
epilogue   a function of the sum: lambda c, residual: ts.relu(c + residual). The bias is added before it
operands   arrays for its other parameters, by name: an element for each channel, or of the result's shape
dtype      the type of the result. None: that of x and w; i32 for integers of 8 bits
threads    the number of threads; None: ts.num_threads(). Any number gives the same bits

The weights are packed in each call; `ts.conv` makes a layer whose weights are packed once. Raises ValueError naming
the axis for shapes that do not fit, UnsupportedError for types that no kernel takes. Source: Georganas et al.,
Tensor Processing Primitives, section 5.2; PARLOOPER, listing 4.
"""
conv1d, conv2d, conv3d = _function(1), _function(2), _function(3)
conv_transpose1d, conv_transpose2d, conv_transpose3d = _transposed(1), _transposed(2), _transposed(3)


def conv(
    x: Sequence[int],
    w: Sequence[int],
    *,
    stride: PerAxis = 1,
    padding: Padding = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
    bias: bool = True,
    residual: bool = False,
    activation: Epilogue | None = None,
    epilogue: Epilogue | None = None,
    operands: ArraysByName | None = None,
    layout: str | None = None,
    dtype: ProductDTypes = "f32",
    zero_point: int = 0,
    accuracy: Accuracy | None = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> Convolution:
    """Make a layer: `p = layer.pack(weights)` once, then `y = layer(x, p, bias)`, as `conv2d` computes it.

    x, w        the shapes of images (n, c, height, width) and weights (k, c / groups, rows, columns), or of sequences
                or volumes
    bias        whether calls take a bias, an element for each channel
    residual    whether calls take an array of the result's shape, which is added before the activation; it follows the
                bias: y = activation(sum + bias + residual)
    activation  a function of expressions such as ts.relu
    epilogue    in place of activation and residual, a function of the sum (with the bias) and of further operands:
                lambda c, scale: c * scale
    operands    of the epilogue, by name: "channel" (an element for each; the default) or None (the result's shape),
                or a pair of that and an element type
    layout      how x, the residual and y lie in memory, as a permutation of the axes: "NHWC" is channels last; None:
                channels first, "NCHW", or "NCW" of sequences. Shapes are those of channels first all the same: pass
                x.transpose(0, 3, 1, 2) of an array with channels last
    dtype       the type of x, w and y, or three types, as in `brgemm`: ("u8", "i8", "i32")
    zero_point  of integers: the value of x that stands for 0, with which padding is filled. Sums are of
                (x - zero_point) * w, exactly
    """
    shapes_of = tuple(x), tuple(w)
    dims = len(shapes_of[0]) - 2
    if dims not in shapes.AXES:
        raise ValueError(f"x: images, channels and one to three axes, not shape {shapes_of[0]}")
    if min(shapes_of[0], default=0) < 1 or min(shapes_of[1], default=0) < 1:
        raise ValueError(f"x, w: extents from 1, not {shapes_of[0]} and {shapes_of[1]}")
    geometry = shapes.forward(*shapes_of, stride, padding, dilation, groups, "conv")
    given = dtype if isinstance(dtype, (tuple, list)) else (dtype,) * 3
    if len(given) != 3:
        raise ValueError(f"dtype: one type, or three, of x, w and y, not {dtype!r}")
    of_x, of_w, of_y = (element_type("dtype", each) for each in given)
    if not isinstance(dtype, (tuple, list)):
        of_y = types_of(of_x, of_w, None)[2]
    types = types_of(of_x, of_w, of_y)
    order = order_named(layout, dims)
    result = like(geometry.y, order, types[2])
    fill = _filling(zero_point, types[0])
    further = {_BIAS: Lying(_beside(types), (1,))} if bias or fill else {}
    if epilogue is not None:
        if activation is not None or residual:
            raise TypeError("epilogue: in place of activation= and residual=, which it computes itself")
        further |= _asked_operands(epilogue, operands, result)
    elif operands is not None:
        raise TypeError("operands: only an epilogue takes operands=, and epilogue= was not given")
    elif residual:
        further["residual"] = result
    function = epilogue if epilogue is not None else _layer_function(activation, residual)
    dtypes = {name: each.dtype for name, each in further.items()}
    trace, names = traced(function, _BIAS if _BIAS in further else None, dtypes, types)
    request = ConvolutionRequest(
        geometry,
        False,
        like(geometry.x, order, types[0]),
        like(shapes_of[1], range(dims + 2), types[1]),
        result,
        fill,
        trace,
        tuple(FurtherOperand(each, further[each]) for each in names),
        accuracy or accuracies.of_process or accuracies.default_accuracy(),
        None if threads is None else checked(threads, "threads"),
        host.resolve(target),
        bias,
    )
    return layer_of(request)


def _layer_function(activation: Epilogue | None, residual: bool) -> Callable[..., Any] | None:
    if activation is not None and not callable(activation):
        raise TypeError(f"activation: a function of expressions such as ts.relu, not {activation!r}")
    given = activation
    if residual:
        return lambda c, residual: given(c + residual) if given else c + residual
    return (lambda c: activation(c)) if activation else None


def _asked_operands(epilogue: Epilogue, operands: ArraysByName | None, result: Lying) -> dict[str, Lying]:
    """Return how the operands of an epilogue lie."""
    asked = dict(operands or {})
    found = {}
    for name in behind_first(epilogue, asked)[1:]:
        how = asked.get(name, "channel")
        shape, dtype = how if isinstance(how, tuple) else (how, None)
        if shape not in ("channel", None):
            raise ValueError(f'operands: {name} is "channel" or None, perhaps with an element type, not {how!r}')
        usual = result.dtype if result.dtype not in ("i8", "u8", "i32") else "f32"
        of = usual if dtype is None else element_type(f"operands: {name}", dtype)
        found[name] = Lying(of, (1,)) if shape == "channel" else result._replace(dtype=of)
    return found


def _beside(types: Sequence[str]) -> str:
    """Return the type of a bias: that of the result, but i32 for integers."""
    return types[2] if "i32" not in results_of(*types[:2]) else "i32"


def _filling(zero_point: int, dtype: str) -> int:
    number = whole(zero_point)
    if number is None:
        raise TypeError(f"zero_point: a whole number, not {zero_point!r}")
    if number and dtype not in ("u8", "i8", "i16", "u16"):
        raise UnsupportedError(f"zero_point: of integers only; x is {dtype}, so that padding is 0")
    if number and not np.iinfo(numpy_dtype(dtype)).min <= number <= np.iinfo(numpy_dtype(dtype)).max:
        raise ValueError(f"zero_point: a value of {dtype}, not {number}")
    return number


def order_named(layout: str | None, dims: int) -> tuple[int, ...]:
    """Return the order of axes in memory that a name such as "NHWC" says: N, C, and D, H, W as there are axes."""
    letters = "NC" + "DHW"[-dims:]
    layout = letters if layout is None else layout
    if not isinstance(layout, str) or sorted(layout) != sorted(letters):
        raise ValueError(
            f"layout: the letters {letters} in the order of memory, such as NC{letters[2:]}, not {layout!r}"
        )
    if letters.index(layout[0]) != 0:
        raise UnsupportedError(f"layout: images outermost, N first, not {layout!r}")
    return tuple(letters.index(letter) for letter in layout)
