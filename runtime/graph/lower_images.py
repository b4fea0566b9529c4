"""Whole operators whose kernels are jobs on arrays: pooling, resizing, padding, joins, gathers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import RUNTIME
from ...microkernels.tuning.products import PROGRAMS
from ..api.eltwise import equation
from ..api.gather import embedding_bag, gather, scatter
from ..arguments.layouts import lying
from ..executor.rows import RowsKernel
from ..executor.steps import Entry
from ..images.functions import ChosenElements, Largest
from ..images.job import job_for
from ..images.joined import padding_of, request_of
from ..images.nest import ImagesRequest
from ..images.pooling import LARGEST, LARGEST_AT, MEAN, adapted, averaged, of_window
from ..images.resize import NEAREST, WEIGHTED, linear, nearest
from ..images.windows import AxisWindows, turned
from ..kernel.callable import Kernel
from .operators import type_name
from .storage import ValuePlace, parts_of
from .values import Attribute, GraphNode, TensorType
from .views import fake

if TYPE_CHECKING:
    from .lowering import Lowering

Windows: TypeAlias = "tuple[AxisWindows, ...]"
Lower: TypeAlias = "Callable[[Lowering, GraphNode], None]"


def _readable(lowering: Lowering, place: ValuePlace) -> ValuePlace:
    """Return images as kernels read them: channels or the last axis are neighbours, and no axis runs backwards."""
    near = any(place.strides[axis] == 1 or place.kind.shape[axis] == 1 for axis in (1, -1))
    forwards = all(step > 0 for step, extent in zip(place.strides, place.kind.shape) if extent > 1)
    return place if near and forwards else lowering.copied(place)


def _images(
    lowering: Lowering,
    node: GraphNode,
    axes: Windows,
    function: Largest,
    indices: ValuePlace | None = None,
) -> None:
    """Add the step of a function of windows; its result is the node's first one, and of `LargestAt` places follow."""
    x, y = _readable(lowering, lowering.place(node.operands[0])), lowering.result(node.results[0])
    written = y if _readable(lowering, y) is y else lowering.new(y.kind)
    more = [] if indices is None else [indices]
    places = None
    if function.places == "written":
        places = lowering.result(node.results[1])
        own = places if places.strides == written.strides else lowering.new(places.kind, written.strides)
        more = [own]
    dtype = type_name(x.kind.dtype)
    images, steps = (lying(fake(each.kind.shape, each.strides, each.kind.dtype)).strides for each in (x, written))
    shape = x.kind.shape
    job = job_for(ImagesRequest((shape[0], shape[1]), axes, images, steps, function, (dtype, dtype), lowering.target))
    writes = [written, *(more if places is not None else [])]
    lowering.step(job, [x, written, *more], writes, node.operator.name)
    if written is not y:
        lowering.copy(written, y)
    if places is not None and more[0] is not places:
        lowering.copy(more[0], places)


def _max_pool(lowering: Lowering, node: GraphNode) -> None:
    more = node.attributes
    inputs = node.operands[0].shape[2:]
    axes = of_window(
        inputs,
        more["window"],  # type: ignore[arg-type]
        more.get("strides"),  # type: ignore[arg-type]
        more.get("padding", 0),  # type: ignore[arg-type]
        more.get("dilations", 1),  # type: ignore[arg-type]
        bool(more.get("ceil_mode", False)),
    )
    indices = lowering.is_read(node.results[1], lowering.partition.of[node])
    _images(lowering, node, axes, LARGEST_AT if indices else LARGEST)


def _averages(inputs: tuple[int, ...], more: dict[str, Attribute]) -> Windows:
    return averaged(
        inputs,
        more["window"],  # type: ignore[arg-type]
        more.get("strides"),  # type: ignore[arg-type]
        more.get("padding", 0),  # type: ignore[arg-type]
        bool(more.get("ceil_mode", False)),
        bool(more.get("count_include_pad", True)),
        more.get("divisor"),  # type: ignore[arg-type]
    )


def _avg_pool(lowering: Lowering, node: GraphNode) -> None:
    _images(lowering, node, _averages(node.operands[0].shape[2:], node.attributes), MEAN)


def _adaptive(lowering: Lowering, node: GraphNode) -> None:
    shape = node.attributes["shape"]
    assert isinstance(shape, (tuple, list))
    _images(lowering, node, adapted(node.operands[0].shape[2:], tuple(shape)), MEAN)


def _avg_pool_backward(lowering: Lowering, node: GraphNode) -> None:
    axes = _averages(node.results[0].shape[2:], node.attributes)
    _images(lowering, node, tuple(map(turned, axes)), WEIGHTED)


def _adaptive_backward(lowering: Lowering, node: GraphNode) -> None:
    axes = adapted(node.results[0].shape[2:], node.operands[0].shape[2:])
    _images(lowering, node, tuple(map(turned, axes)), WEIGHTED)


def _max_pool_backward(lowering: Lowering, node: GraphNode) -> None:
    more = node.attributes
    axes = of_window(
        node.results[0].shape[2:],
        more["window"],  # type: ignore[arg-type]
        more.get("strides"),  # type: ignore[arg-type]
        more.get("padding", 0),  # type: ignore[arg-type]
        more.get("dilations", 1),  # type: ignore[arg-type]
        bool(more.get("ceil_mode", False)),
    )
    of_x = tuple(map(turned, axes))
    taps = 1
    for axis in of_x[:-1]:
        taps *= max(map(len, axis.taps))
    indices, g = (lowering.place(value) for value in (node.operands[1], node.operands[0]))
    if not (indices.is_contiguous and g.is_contiguous):
        indices = lowering.copied(indices)
        lowering.see(node.operands[0], lowering.copied(g))
    _images(lowering, node, of_x, ChosenElements(taps), indices)


def _resize(lowering: Lowering, node: GraphNode) -> None:
    more, inputs, results = node.attributes, node.operands[0].shape[2:], node.results[0].shape[2:]
    mode, corners = str(more.get("mode", "bilinear")), bool(more.get("align_corners", False))
    scales = [Fraction(extent, count) for extent, count in zip(inputs, results)]
    if mode in ("nearest", "nearest-exact"):
        axes = tuple(nearest(*each, mode == "nearest-exact") for each in zip(inputs, results, scales))
        _images(lowering, node, axes, NEAREST)
    elif mode in ("linear", "bilinear", "trilinear"):
        axes = tuple(linear(*each, corners) for each in zip(inputs, results, scales))
        _images(lowering, node, axes, WEIGHTED)
    else:
        raise UnsupportedError(f"resize: nearest, nearest-exact and linear, not {mode}")


def _pad(lowering: Lowering, node: GraphNode) -> None:
    more = node.attributes
    x, to = lowering.place(node.operands[0]), lowering.result(node.results[0])
    widths = list(zip(more["before"], more["after"]))  # type: ignore[call-overload]
    if not any(map(any, widths)):
        lowering.copy(x, to)
        return
    source, result = _moved(x), _moved(to)
    mode = str(more.get("mode", "constant"))
    value = np.asarray(more.get("value", 0), source.dtype)
    job = padding_of(request_of(source, result, widths, mode, value, lowering.target))
    lowering.call(job, [x], [to], "pad")


def _moved(place: ValuePlace) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """Return an array that lies as one at a place does; booleans are bytes."""
    dtype = np.dtype(np.uint8) if place.kind.dtype.kind == "b" else place.kind.dtype
    return fake(place.kind.shape, place.strides, dtype)


def _concatenate(lowering: Lowering, node: GraphNode) -> None:
    """Copy the arrays that are not computed where they belong."""
    to = lowering.result(node.results[0])
    for value, part in zip(node.operands, parts_of(node, to)):
        place = lowering.place(value)
        if place.storage is not part.storage or place.offset != part.offset:
            lowering.copy(place, part)


def _gather(lowering: Lowering, node: GraphNode) -> None:
    table, index = (lowering.place(value) for value in node.operands)
    index = index if index.is_contiguous else lowering.copied(index)
    to, wanted = lowering.result(node.results[0]), node.results[0].kind
    rows, columns = table.kind.shape[0], max(1, TensorType(table.kind.shape[1:], table.kind.dtype).size)
    inside = table._replace(kind=TensorType(table.kind.shape[1:], table.kind.dtype), strides=table.strides[1:])
    leading = table.strides[0] if rows > 1 else columns
    if not inside.is_contiguous or leading < columns:
        table, leading = lowering.copied(table), columns
    make: Callable[..., Kernel] = gather
    counted = lowering.counted(index.kind.size)
    kernel = make(
        "rows",
        RUNTIME if counted else index.kind.size,
        columns,
        size=rows,
        dtype=type_name(table.kind.dtype),
        index=type_name(index.kind.dtype),
        ldx=leading,
    )
    own = to if to.is_contiguous else lowering.new(wanted)
    if counted:
        steps = 0, index.kind.dtype.itemsize, columns * wanted.dtype.itemsize
        entry: Entry = RowsKernel(kernel, index.kind.size // lowering.rows, steps)
    else:
        entry = lowering.spread(kernel) if wanted.size >= PROGRAMS.spread else kernel
    lowering.call(entry, [table, index], [own], "gather")
    if own is not to:
        lowering.copy(own, to)


def _scatter(lowering: Lowering, node: GraphNode) -> None:
    x, index, values = (lowering.place(value) for value in node.operands)
    index, values = (each if each.is_contiguous else lowering.copied(each) for each in (index, values))
    to, wanted = lowering.result(node.results[0]), node.results[0].kind
    own = to if to.is_contiguous else lowering.new(wanted)
    lowering.copy(x, own)
    if values.kind.size:
        lowering.call(_scattered(node, index.kind, wanted), [values, index], [own], "scatter")
    if own is not to:
        lowering.copy(own, to)


def _scattered(node: GraphNode, index: TensorType, wanted: TensorType) -> Kernel:
    """Return the kernel that writes rows, or adds them, to an array of this kind."""
    rows, columns = wanted.shape[0], TensorType(wanted.shape[1:], wanted.dtype).size
    types = {"values": type_name(wanted.dtype), "index": type_name(index.dtype)}
    make: Callable[..., Kernel] = scatter
    if not node.attributes.get("add"):
        return make("rows", index.size, columns, size=rows, dtype=types["values"], index=types["index"])
    traced: Callable[..., Kernel] = equation
    return traced(
        lambda values, index: scatter(values, index, rows, add=True),
        values=(index.size, columns),
        index=(index.size,),
        dtype=types,
    )


def _embedding_bag(lowering: Lowering, node: GraphNode) -> None:
    table, index, offsets = (lowering.place(value) for value in node.operands)
    table, index, offsets = (each if each.is_contiguous else lowering.copied(each) for each in (table, index, offsets))
    to = lowering.result(node.results[0])
    make: Callable[..., Kernel] = embedding_bag
    kernel = make(
        offsets.kind.size - 1,
        table.kind.shape[1],
        size=table.kind.shape[0],
        count=index.kind.size,
        dtype=type_name(table.kind.dtype),
        index=type_name(index.kind.dtype),
        name=node.attributes.get("mode", "sum"),
    )
    own = to if to.is_contiguous else lowering.new(to.kind)
    lowering.call(kernel, [table, index, offsets], [own], "embedding_bag")
    if own is not to:
        lowering.copy(own, to)


LOWERINGS: dict[str, Lower] = {
    "max_pool": _max_pool,
    "max_pool_backward": _max_pool_backward,
    "avg_pool": _avg_pool,
    "avg_pool_backward": _avg_pool_backward,
    "adaptive_avg_pool": _adaptive,
    "adaptive_avg_pool_backward": _adaptive_backward,
    "resize": _resize,
    "pad": _pad,
    "concatenate": _concatenate,
    "gather": _gather,
    "scatter": _scatter,
    "embedding_bag": _embedding_bag,
}
"""What adds the steps of each operator."""
