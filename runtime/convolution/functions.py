"""`conv1d`, `conv2d`, `conv3d` and their transposes on arrays, and `conv`, the layer with packed weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Literal, TypeVar, cast

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import QUANTIZED, product_types, results_of
from ...microkernels.windows import AXES
from ..arguments.arrays import Array, address_of, as_array, ascends, is_aligned, numpy_dtype, overlap
from ..arguments.factors import converted
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.layouts import MemoryLayout, like, lying, new
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel import accuracy as accuracies
from ..kernel.reads import state_of
from ..kernel.request_cache import CallsAlike, shared
from ..threads.policy import workers_of
from ..walks.outputs import output_of
from .geometry import ConvolutionWindow, Geometry
from .layer import Convolution
from .layouts import order_of, readable
from .request import ConvolutionRequest

if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec

    from ..api.typed import ArrayLike, ArraysByName, DTypeLike, Epilogue, Padding, PerAxis, TargetLike
    from . import winograd

    P = ParamSpec("P")

winograd = lazy(__package__, ".winograd")
T = TypeVar("T")
Algorithm = Literal["direct", "winograd"]


@shared
def layer_of(request: ConvolutionRequest) -> Convolution:
    """Return the layer of a request; equal requests share one."""
    return Convolution(request)


def types_of(x: str, w: str, y: str | None, scaled: str = "") -> tuple[str, str, str]:
    """Return the element types of x, the weights and the result. `scaled` is what to write to get a result of bytes, if
    there is nothing yet that says how sums are scaled."""
    results = results_of(x, w)
    if not results:
        raise UnsupportedError(f"x, w: no kernel multiplies {x} by {w}. {converted(x, w, ('x', 'w'))}")
    narrow = QUANTIZED if "i32" in results else ()
    if y is not None and y not in (*results, *narrow):
        more = f", or of {' or '.join(narrow)} with an epilogue" if narrow else ""
        raise UnsupportedError(
            f"dtype: a convolution of {x} by {w} has elements of {' or '.join(results)}{more}, not {y}"
        )
    if scaled and y in narrow:
        raise UnsupportedError(
            f"dtype: sums of {x} by {w} are {results[0]}; elements of {y} need an epilogue, which says how they are "
            f"scaled: {scaled}"
        )
    return product_types(x, w, y)


class _ConvCall(NamedTuple):
    """A call beside its images and weights: the function's name, axes, and its keywords."""

    name: str
    dims: int
    window: ConvolutionWindow
    bias: ArrayLike
    out: ArrayLike
    epilogue: Epilogue | None
    operands: ArraysByName | None
    dtype: DTypeLike | None
    threads: int | None
    target: TargetLike
    algorithm: Algorithm = "direct"


class _RepeatedLayer:
    """A layer that calls like an earlier one use, the names of its further operands, and from the second such call on
    what machine code handles: see `LayerKernel.native`."""

    __slots__ = ("call", "layer", "names", "used")

    def __init__(self, layer: Convolution, names: tuple[str, ...]) -> None:
        self.layer, self.names, self.used = layer, names, False
        self.call: Callable[..., object] | None = None


_known = CallsAlike[_RepeatedLayer]()
"""The layers of calls without `out`, by their arrays' shapes, strides and types and all that they ask for. Such calls
read their arrays where they lie."""


def _call_key(asked: _ConvCall, x: ArrayLike, w: ArrayLike) -> object:
    """Return what a call has in common with those that the same layer computes, or None if it must be looked at."""
    if asked.out is not None or not isinstance(asked.operands, (dict, NoneType)) or asked.algorithm != "direct":
        return None
    lying = list[object]()
    for each in (x, w, asked.bias, *(asked.operands or {}).values()):
        if each is None:
            lying.append(None)
        elif type(each) is np.ndarray and each.flags.aligned:
            lying += each.shape, each.strides, each.dtype
        else:
            return None
    epilogue = None if asked.epilogue is None else state_of(asked.epilogue)
    if (epilogue is None and asked.epilogue is not None) or not is_key((*asked.window, asked.threads)):
        return None
    accuracy = accuracies.of_process or accuracies.default_accuracy()
    more = (asked.dtype, asked.target, asked.threads, accuracy, epilogue, tuple(asked.operands or ()))
    return asked.name, asked.window, more, *lying


def is_key(value: object) -> bool:
    """Whether equal values are the same argument: 1.0 and True equal 1, but are others."""
    kind = type(value)
    return kind in (int, str, NoneType) or (isinstance(value, tuple) and all(map(is_key, value)))


def _convolution(asked: _ConvCall, x: ArrayLike, w: ArrayLike) -> ArrayLike:
    """Compute a convolution of arrays, by a layer that is known from an earlier call."""
    key = _call_key(asked, x, w)
    known = _known.find(key)
    if known is None:
        return _first_call(asked, x, w, key)
    layer, given = known.layer, asked.operands or {}
    more = [asked.bias if each == BIAS and asked.bias is not None else given[each] for each in known.names]
    single = x.ndim == asked.dims + 1
    images, made = x[None] if single else x, new(layer.shape_y, layer.request.y)
    if not known.used:
        known.used, known.call = True, layer.native(False, asked.threads, lying(w).strides)
    if known.call is None or known.call(images, w, made, *more) is not None:
        workers = workers_of(asked.threads, None)
        layer.on(address_of(images), w, address_of(made), [address_of(each) for each in more], workers)
    return made[0] if single else made


def _first_call(asked: _ConvCall, x: ArrayLike, w: ArrayLike, key: object) -> ArrayLike:
    """Compute a convolution of arrays: check them, find or make the layer, pack the weights, call it."""
    dims, out, epilogue = asked.dims, asked.out, asked.epilogue
    seen, weights = as_array("x", of_tensor("x", x)), as_array("w", of_tensor("w", w))
    single = seen.ndim == dims + 1
    images = seen[None] if single else seen
    if images.ndim != dims + 2:
        axes = ", ".join(AXES[dims])
        raise ValueError(f"x: images, channels, {axes}, or one image without the first axis, not shape {seen.shape}")
    geometry = asked.window.of(images.shape, weights.shape, asked.name)
    dtype = None if asked.dtype is None else element_type("dtype", asked.dtype)
    scaled = "" if epilogue is not None else 'epilogue=lambda c, s: c * s, operands={"s": scale}, scale an array of f32'
    types = types_of(type_of("x", images), type_of("w", weights), dtype, scaled)
    shape = geometry.x if asked.window.backwards else geometry.y
    to = None if out is None else output_of(out, shape, single)
    if to is not None:
        found = type_of("out", to)
        types = types_of(*types[:2], found, scaled) if dtype is None else types
        if found != types[2]:
            raise TypeError(f"out: {types[2]}, not {found}")
    _check_algorithm(asked, geometry, types)
    result = lying(to) if to is not None and ascends(to) else like(shape, order_of(images), types[2])
    further = _further(asked.bias, asked.operands, shape)
    if to is not None:
        if overlap(to, images):
            raise ValueError("out: shares memory with x")
        further = {each: array.copy() if overlap(to, array) else array for each, array in further.items()}
        weights = weights.copy() if overlap(to, weights) else weights
    if 0 in shape or images.size == 0 or weights.size == 0:
        if epilogue is not None and 0 not in shape:
            return _without_terms(asked, single, types, shape, result, to)
        y = to if to is not None else new(shape, result)
        y[...] = further[BIAS].reshape(-1, *[1] * dims) if BIAS in further else 0
        return out if out is not None else returned(y[0] if single else y, (x, w))
    made = _computed(asked, geometry, types, images, weights, to, result, further, key)
    if to is None:
        return returned(made[0] if single else made, (x, w))
    if made is not to:
        to[...] = made
    return out


def _without_terms(
    asked: _ConvCall, single: bool, types: Sequence[str], shape: tuple[int, ...], result: MemoryLayout, to: Array | None
) -> ArrayLike:
    """Return the epilogue of sums without terms: that of a convolution whose only term is zero."""
    order = order_of(new(shape, result))
    x = new((shape[0], 1, *shape[2:]), like((shape[0], 1, *shape[2:]), order, types[0]))
    x[...] = 0
    w = np.zeros((shape[1], 1, *[1] * asked.dims), numpy_dtype(types[1]))
    asked = asked._replace(window=ConvolutionWindow(), dtype=numpy_dtype(types[2]), algorithm="direct")
    y = _first_call(asked._replace(out=to), x, w, None)
    return asked.out if asked.out is not None else y[0] if single else y


def _computed(
    asked: _ConvCall,
    geometry: Geometry,
    types: tuple[str, str, str],
    images: Array,
    weights: Array,
    to: Array | None,
    result: MemoryLayout,
    given: dict[str, Array],
    key: object,
) -> Array:
    """Return the result, in `to` if a layer writes such an array. The layer is kept under the key, if there is one."""
    shape = geometry.x if asked.window.backwards else geometry.y
    further = {each: _placed(array, shape, result) for each, array in given.items()}
    seen, images = images, readable(images)
    request = ConvolutionRequest.of(
        geometry,
        asked.window.backwards,
        (lying(images)._replace(dtype=types[0]), like(weights.shape, range(weights.ndim), types[1]), result),
        host.resolve(asked.target),
        epilogue=asked.epilogue,
        added=BIAS if asked.bias is not None else None,
        further={each: lying(array) for each, array in further.items()},
    )
    names, y = tuple(each.name for each in request.more), to if to is not None and ascends(to) else new(shape, result)
    if asked.algorithm == "winograd":
        host.native(asked.target)
        arrays = [images, np.ascontiguousarray(weights), *(further[each] for each in names), y]
        winograd.winograd_of(request).on(arrays, workers_of(asked.threads, None))
        return y
    layer = layer_of(request)
    if images is seen and all(further[each] is given[each] for each in given):
        _known.keep(key, _RepeatedLayer(layer, names))
    every = [address_of(further[each]) for each in names]
    layer.on(address_of(images), weights, address_of(y), every, workers_of(asked.threads, None))
    return y


def _check_algorithm(asked: _ConvCall, geometry: Geometry, types: Sequence[str]) -> None:
    """Check that the algorithm of a call is known, and computes this geometry and these types."""
    if asked.algorithm not in ("direct", "winograd"):
        raise ValueError(f'algorithm: "direct" or "winograd", not {shown(asked.algorithm)}')
    if asked.algorithm != "direct" and (reason := winograd.refusal(geometry, types, asked.window.backwards)):
        raise UnsupportedError(f'algorithm: "winograd" is for {reason}; algorithm="direct" computes it')


BIAS = "bias"


def _further(bias: ArrayLike, operands: ArraysByName | None, shape: Sequence[int]) -> dict[str, Array]:
    """Return the operands of the epilogue by name, the bias among them."""
    if operands is not None and not isinstance(operands, Mapping):
        raise TypeError(f"operands: arrays by name, not {type(operands).__name__}")
    given = dict(operands or {})
    if bias is not None:
        if BIAS in given:
            raise ValueError("operands: one is called bias, and bias= is given, too")
        given = {BIAS: bias, **given}
    found = {}
    for name, value in given.items():
        array = as_array(name, of_tensor(name, value))
        if name == BIAS and bias is not None and array.shape != (shape[1],):
            raise ValueError(
                f"bias: an element for each channel ({shape[1]},), not shape {array.shape}; an array of the result's "
                'shape is an operand of an epilogue: epilogue=lambda c, more: c + more, operands={"more": array}'
            )
        if array.shape not in ((shape[1],), tuple(shape)):
            raise ValueError(
                f"{name}: an element for each channel ({shape[1]},), or shape {tuple(shape)}, not {array.shape}"
            )
        type_of(name, array)
        found[name] = array
    return found


def _placed(array: Array, shape: tuple[int, ...], result: MemoryLayout) -> Array:
    """Return an operand as kernels read it: a vector without gaps, or as the result lies; else a copy."""
    if array.ndim == 1:
        return np.ascontiguousarray(array) if is_aligned(array) else array.copy()
    steps = zip(shape, array.strides, result.strides)
    if is_aligned(array) and all(extent == 1 or step == apart * array.itemsize for extent, step, apart in steps):
        return array
    made = new(shape, result._replace(dtype=type_of("operands", array)))
    made[...] = array
    return made


def _conv(
    dims: int,
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
    algorithm: Algorithm = "direct",
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    window = ConvolutionWindow(stride, padding, dilation, groups)
    return _convolution(
        _ConvCall(f"conv{dims}d", dims, window, bias, out, epilogue, operands, dtype, threads, target, algorithm), x, w
    )


def _conv_transpose(
    dims: int,
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
    window = ConvolutionWindow(stride, padding, dilation, groups, output_padding)
    asked = _ConvCall(f"conv_transpose{dims}d", dims, window, bias, out, epilogue, operands, dtype, threads, target)
    return _convolution(asked, x, w)


def for_axes(
    function: Callable[Concatenate[int, P], T], name: str, docs: Mapping[int, str]
) -> tuple[Callable[P, T], Callable[P, T], Callable[P, T]]:
    """Return the public functions of sequences, images and volumes, made of one whose first parameter is the number of
    axes. Their errors show the caller's frames only.

    name   with {dims} in place of that number
    docs   by the number of axes
    """

    def of(dims: int) -> Callable[P, T]:
        made = cast("Callable[P, T]", partial(function, dims))
        made.__module__, made.__doc__ = function.__module__, docs[dims]
        made.__name__ = made.__qualname__ = name.format(dims=dims)
        return shortening(made)

    return of(1), of(2), of(3)


IMAGES_OF = {
    1: "sequences x (n, c, width)",
    2: "images x (n, c, height, width)",
    3: "volumes x (n, c, depth, height, width)",
}
"""What x is in docstrings, by the number of axes."""
_LIKE = """Return the convolution of {x} by w (k, c / groups, *taps): see `conv2d`."""
_BACK = """Return the transposed convolution of {x} by w (c, k / groups, *taps), the gradient of a
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
operands   arrays for its other parameters, by name: an element for each channel, or of the result's shape. `out` may
           be one of them, which is then copied first
dtype      the type of the result. None: that of x and w; i32 for integers of 8 bits
algorithm  "direct", or "winograd": F(4 x 4, 3 x 3), with a quarter of the multiplications, for f32, 3 x 3 taps, stride,
           dilation and groups of 1. Without an epilogue results are off by at most gamma(c + 28) 2304 sum over c of
           max |w[k, c]| max |x[n, c]|, with gamma(n) = n u / (1 - n u) and u = 2^-24; the definition has 9, not 2304
threads    the number of threads; None: ts.num_threads(). Any number gives the same bits
target     the target, as "avx2"; None: this host

The weights are packed in each call; `ts.conv` makes a layer whose weights are packed once. Raises ValueError naming
the axis for shapes that do not fit, UnsupportedError for types that no kernel takes and for what an algorithm does not
compute. Sources: Georganas et al., Tensor Processing Primitives, section 5.2; PARLOOPER, listing 4; of Winograd's
algorithm and its error, docs/convolution.md.
"""
conv1d, conv2d, conv3d = for_axes(
    _conv, "conv{dims}d", {dims: _DOC if dims == 2 else _LIKE.format(x=x) for dims, x in IMAGES_OF.items()}
)
conv_transpose1d, conv_transpose2d, conv_transpose3d = for_axes(
    _conv_transpose, "conv_transpose{dims}d", {dims: _BACK.format(x=x) for dims, x in IMAGES_OF.items()}
)
