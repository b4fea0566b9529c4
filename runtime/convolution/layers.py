"""`conv`: a layer whose weights are packed once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.errors import shown
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import behind_first
from ...microkernels.gemm.spec import results_of
from ...microkernels.operands import whole
from ...microkernels.windows import AXES
from ..arguments.arrays import numpy_dtype
from ..arguments.layouts import MemoryLayout, like
from ..arguments.tracebacks import shortening
from ..host import detect as host
from ..threads.policy import checked
from . import geometry as shapes
from .functions import BIAS, layer_of, types_of
from .layer import Convolution
from .layouts import order_named
from .request import ConvolutionRequest

if TYPE_CHECKING:
    from ..api.typed import ArraysByName, Epilogue, Padding, PerAxis, ProductDTypes, TargetLike
    from ..kernel.accuracy import Accuracy


@shortening
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
                or volumes. An x without the first axis is one image, and so is the result
    bias        whether calls take a bias, an element for each channel: layer(x, p, bias), layer(x, p, bias=bias). It
                may be packed with the weights instead, p = layer.pack(weights, bias=bias), and a batch norm with both
    residual    whether calls take an array of the result's shape, which is added before the activation; it follows the
                bias: y = activation(sum + bias + residual)
    activation  a function of expressions such as ts.relu
    epilogue    in place of activation and residual, a function of the sum (with the bias) and of further operands:
                lambda c, scale: c * scale
    operands    of the epilogue, by name: "channel" (an element for each; the default; "row" as in `brgemm` says the
                same) or None (the result's shape), or a pair of that and an element type
    layout      how x, the residual and y lie in memory, as a permutation of the axes: "NHWC" is channels last; None:
                channels first, "NCHW", or "NCW" of sequences. Shapes are those of channels first all the same: pass
                x.transpose(0, 3, 1, 2) of an array with channels last
    dtype       the type of x, w and y, or three types, as in `brgemm`: ("u8", "i8", "i32")
    zero_point  of integers: the value of x that stands for 0, with which padding is filled. Sums are of
                (x - zero_point) * w, exactly
    accuracy    of the functions in the activation or the epilogue, as in `unary`

    stride, padding, dilation, groups, threads and target are as in `conv2d`. The layer's own threads are those of calls
    that say none.
    """
    of_image, of_weights = _shape("x", x), _shape("w", w)
    dims = len(of_weights) - 2
    if dims not in AXES:
        raise ValueError(f"w: channels, channels a group and taps along one to three axes, not shape {of_weights}")
    single = len(of_image) == dims + 1
    shapes_of = (1, *of_image) if single else of_image, of_weights
    if len(shapes_of[0]) != dims + 2:
        axes = ", ".join(AXES[dims])
        raise ValueError(
            f"x: images, channels, {axes}, as w has {dims + 2} axes, or one image without the first axis, not shape "
            f"{of_image}"
        )
    if min(shapes_of[0], default=0) < 1 or min(shapes_of[1], default=0) < 1:
        raise ValueError(f"x, w: extents from 1, not {of_image} and {of_weights}")
    geometry = shapes.forward(*shapes_of, stride, padding, dilation, groups, "conv")
    given = dtype if isinstance(dtype, (tuple, list)) else (dtype,) * 3
    if len(given) != 3:
        raise ValueError(f"dtype: one type, or three, of x, w and y, not {dtype!r}")
    of_x, of_w, of_y = (element_type("dtype", each) for each in given)
    if not isinstance(dtype, (tuple, list)):
        of_y = types_of(of_x, of_w, None)[2]
    whole_sums = epilogue is None and activation is None and not (bias or residual)
    example = 'epilogue=lambda c, s: c * s, operands={"s": ("channel", "f32")}'
    types = types_of(of_x, of_w, of_y, example if whole_sums else "")
    order = order_named(layout, dims)
    result = like(geometry.y, order, types[2])
    fill = _filling(zero_point, types[0])
    further = {BIAS: MemoryLayout(_beside(types), (1,))} if bias or fill else {}
    if epilogue is not None:
        if activation is not None or residual:
            raise TypeError("epilogue: in place of activation= and residual=, which it computes itself")
        further |= _asked_operands(epilogue, operands, result, further)
    elif operands is not None:
        raise TypeError("operands: only an epilogue takes operands=, and epilogue= was not given")
    elif residual:
        further["residual"] = result
    function = epilogue if epilogue is not None else _layer_function(activation, residual)
    request = ConvolutionRequest.of(
        geometry,
        False,
        (like(geometry.x, order, types[0]), like(shapes_of[1], range(dims + 2), types[1]), result),
        host.resolve(target),
        epilogue=function,
        added=BIAS if bias or fill else None,
        further=further,
    )
    count = None if threads is None else checked(threads, "threads")
    request = request._replace(fill=fill, threads=count, bias=bias, single=single)
    return layer_of(request if accuracy is None else request._replace(accuracy=accuracy))


def _shape(name: str, shape: Sequence[int]) -> tuple[int, ...]:
    numbers = [whole(each) for each in shape] if isinstance(shape, (tuple, list)) else [None]
    if None in numbers:
        raise TypeError(f"{name}: a shape, as (1, 64, 56, 56), not {shown(shape)}")
    return tuple(each for each in numbers if each is not None)


def _layer_function(activation: Epilogue | None, residual: bool) -> Epilogue | None:
    if activation is not None and not callable(activation):
        raise TypeError(f"activation: a function of expressions such as ts.relu, not {activation!r}")
    given = activation
    if residual:
        return lambda c, residual: given(c + residual) if given else c + residual
    return (lambda c: activation(c)) if activation else None


def _asked_operands(
    epilogue: Epilogue, operands: ArraysByName | None, result: MemoryLayout, taken: Collection[str]
) -> dict[str, MemoryLayout]:
    """Return how the operands of an epilogue lie, none of which has a name that is taken."""
    if operands is not None and not isinstance(operands, Mapping):
        raise TypeError(f'operands: by name, as {{"scale": "channel"}}, not {shown(operands)}')
    asked = dict(operands or {})
    found = {}
    for name in behind_first(epilogue, asked)[1:]:
        if name in taken:
            raise ValueError(
                f"epilogue: {name} is added to the sum before it, so it is no parameter; give another name, or make "
                "the layer with bias=False if it has no zero point"
            )
        if name in ("x", "weights", "out", "threads", "workers", "turns"):
            raise ValueError(f"epilogue: {name} is an argument of the layer's calls; give the parameter another name")
        how = asked.get(name, "channel")
        shape, dtype = how if isinstance(how, tuple) else (how, None)
        if shape not in ("channel", "row", None):
            raise ValueError(
                f'operands: {name} is "channel" (an element for each) or None (the shape of the result), or a pair of '
                f'that and an element type, as ("channel", "f32"), not {how!r}'
            )
        usual = result.dtype if result.dtype not in ("i8", "u8", "i32") else "f32"
        of = usual if dtype is None else element_type(f"operands: {name}", dtype)
        found[name] = result._replace(dtype=of) if shape is None else MemoryLayout(of, (1,))
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
