"""The arrays of pooling and resizing: checks, layouts, new results, and the jobs kept for further calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from ...microkernels.windows import AXES
from ..arguments.arrays import Array, address_of, as_array
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.layouts import like, lying, new
from ..convolution.layouts import order_of
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel.request_cache import CallsAlike
from ..threads.policy import workers_of
from ..walks.outputs import output_of
from .functions import Largest
from .job import Images, job_for
from .nest import ImagesRequest
from .windows import AxisWindows

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike

Windows = tuple[AxisWindows, ...]


class ImagesCall(NamedTuple):
    """A call beside its images: the function's name, the number of axes, keywords that all functions have, what the
    images are called, and the other arguments, by which `known` finds the job again."""

    name: str
    dims: int
    out: ArrayLike
    threads: int | None
    target: TargetLike
    given: str = "x"
    key: object = None


def made_of(
    call: ImagesCall, x: ArrayLike, function: Largest, floats: bool, windows: Callable[[tuple[int, ...]], Windows]
) -> tuple[ArrayLike, ...]:
    """Compute a function of windows, which follow from the extents of x, as `computed` does; at once, if a call with
    equal arguments came before. `floats`: whether it takes floats only."""
    if (made := known(call, x)) is not None:
        return made
    images, single = images_of(call, x)
    check_type(call, images, floats)
    return computed(call, x, images, single, windows(images.shape[2:]), function)


def images_of(call: ImagesCall, x: ArrayLike) -> tuple[Array, bool]:
    """Return x as images (n, c, *axes), and whether it has no first axis."""
    seen = as_array(call.given, of_tensor(call.given, x))
    single = seen.ndim == call.dims + 1
    images = seen[None] if single else seen
    if images.ndim != call.dims + 2:
        axes = ", ".join(AXES[call.dims])
        raise ValueError(
            f"{call.given}: images, channels, {axes}, or one image without the first axis, not shape {seen.shape}"
        )
    if 0 in images.shape[2:]:
        raise ValueError(f"{call.given}: at least one element along each axis of an image, not shape {seen.shape}")
    return images, single


def check_type(call: ImagesCall, images: Array, floats: bool) -> None:
    """Check the type of images."""
    dtype = type_of(call.given, images)
    if dtype.startswith(("f8", "c")) or (floats and not DTYPES[dtype].real):
        what = "f64, f32, bf16 or f16" if floats else "f64, f32, bf16, f16 or integers"
        if dtype.startswith("c"):
            told = f"of its parts, {call.given}.real and {call.given}.imag"
        else:
            told = f"of {call.given}.astype(np.float32), or {call.given}.float() of a tensor"
        raise UnsupportedError(f"{call.given}: {call.name} of {what}, not {dtype}; call it {told}")


def computed(
    call: ImagesCall,
    x: ArrayLike,
    images: Array,
    single: bool,
    axes: Windows,
    function: Largest,
    places: Array | None = None,
) -> tuple[ArrayLike, ...]:
    """Compute, of `ChosenElements` from places beside the images. Return the result and, of `LargestAt`, the places."""
    dtype = type_of(call.given, images)
    shape = (*images.shape[:2], *(axis.results for axis in axes))
    workers = workers_of(call.threads, None)
    to = None if call.out is None else output_of(call.out, shape, single, images, {call.given: images})
    direct = to is not None and _reached(to)
    y = to if to is not None and direct else new(shape, like(shape, order_of(images), dtype))
    made = [y]
    if function.places == "written":
        made.append(new(shape, lying(y)._replace(dtype="i64")))
    if 0 not in shape:
        read = images if _reached(images) else np.ascontiguousarray(images)
        if places is not None:
            if lying(places).strides != lying(read).strides or not _reached(places):
                read = np.ascontiguousarray(read)
                places = np.ascontiguousarray(places)
            made.append(places)
        form = ImagesRequest(
            (shape[0], shape[1]),
            axes,
            lying(read).strides,
            lying(y).strides,
            function,
            (dtype, dtype),
            host.resolve(call.target),
        )
        job = job_for(form)
        job.on([read, *made], workers)
        if read is images and type(x) is np.ndarray and not single and call.out is None and call.key is not None:
            _keep(call, images, job, y)
    if to is not None and not direct:
        to[...] = y
    result = call.out if call.out is not None else returned(y[0] if single else y, (x,))
    if function.places != "written":
        return (result,)
    return result, returned(made[1][0] if single else made[1], (x,))


_known = CallsAlike[tuple[Images, tuple[int, ...], tuple[int, ...]]]()


def _keep(call: ImagesCall, x: Array, job: Images, y: Array) -> None:
    """Keep the job for further calls on arrays that lie as x does."""
    order = sorted(range(y.ndim), key=lambda axis: -lying(y).strides[axis])
    shape = tuple(y.shape[axis] for axis in order)
    _known.keep(_key(call, x), (job, shape, tuple(np.argsort(order).tolist())))


def known(call: ImagesCall, x: ArrayLike) -> tuple[Array, ...] | None:
    """Compute as an earlier call with equal arguments did. Return the results, or None if there was none."""
    if type(x) is not np.ndarray or call.out is not None or not x.flags.aligned:
        return None
    entry = _known.find(_key(call, x))
    if entry is None:
        return None
    job, shape, order = entry
    made = [np.empty(shape, x.dtype).transpose(order)]
    if job.request.function.places:
        made.append(np.empty(shape, np.int64).transpose(order))
    job.on([x, *made], workers_of(call.threads, None))
    return tuple(made)


def _key(call: ImagesCall, x: Array) -> tuple[object, ...]:
    return call.name, call.key, call.target, x.shape, x.strides, x.dtype


def _reached(images: Array) -> bool:
    """Whether kernels reach the elements: channels or the last axis are neighbours, and no axis runs backwards."""
    size = images.itemsize
    near = any(images.strides[axis] == size or images.shape[axis] == 1 for axis in (1, -1))
    whole = address_of(images) % size == 0 and all(each % size == 0 for each in images.strides)
    wide = all(step > 0 for step, extent in zip(images.strides, images.shape) if extent > 1)
    return near and whole and wide and images.dtype.isnative
