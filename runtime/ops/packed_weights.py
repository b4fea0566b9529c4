"""The weights of a layer in the layout that its nest reads, and the function that packs them."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np

from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, NoArray, address_of, numpy_dtype
from ..loops.blob import Blob
from ..loops.job import Job, JobKernel, JobWord, job_of, pointer
from ..loops.text import text
from ..threads.policy import checked

Layer = Any
"""A layer of runtime/ops/linear.py, which imports this module."""
Tag: TypeAlias = bytes
"""The tag of a layout; `Packing` has another `bytes`."""


class PackedWeights(NoArray):
    """Weights in the layout that a layer reads: see `Linear.pack`."""

    __slots__ = ("array", "layer", "matrix")
    taken_by = "layer(x, weights) multiplies, and weights.array has the bytes"

    def __init__(self, layer: Layer, array: Array) -> None:
        self.layer, self.array = layer, array
        spec, dtype = layer.product, numpy_dtype(layer.product.dtypes[1])
        self.matrix: Array = array[: spec.k * spec.n * dtype.itemsize].view(dtype).reshape(spec.k, spec.n)
        """A matrix of the weights' shape at the address of the packed weights, as the checks of calls see them."""

    def __reduce__(self) -> tuple[Callable[..., PackedWeights], tuple[Any, ...]]:
        """Pickle the layer, the layout of the weights and the weights. The machine that loads them may need another
        layout."""
        return _packed_again, (self.layer, _blocks_of(self.layer), self.array)

    def __repr__(self) -> str:
        spec = self.layer.product
        return f"<weights {spec.k} x {spec.n} {spec.dtypes[1]}, packed for {self.layer.target.name}>"


def _packed_again(layer: Layer, blocks_of: tuple[Any, ...], array: Array) -> PackedWeights:
    if _blocks_of(layer) != blocks_of:
        raise ValueError(
            "weights that were packed for another processor, whose blocks lie otherwise; "
            "layer.pack(weights) packs them here"
        )
    if array.dtype != np.uint8 or array.shape != (layer.packing.bytes,):
        raise ValueError(f"packed weights: {layer.packing.bytes} bytes, not {array.dtype} of shape {array.shape}")
    return PackedWeights(layer, _sealed(array))


def _sealed(array: Array) -> Array:
    """Return a read-only copy of the bytes that begins at a cache line."""
    made = bytes_at_a_line(array.size)
    made[...] = array
    made.setflags(write=False)
    return made


class Packing(JobKernel):
    """The function that packs the weights of a layer, for C programs and for the emulator. Python calls `Linear.pack`.

    k.save(path)     an object for C programs, and its header
    k.run(weights)   pack in the emulator; the result is an argument of `Linear.run`
    """

    layer: Layer

    @property
    def flops(self) -> int:
        """Zero, because the function only moves elements."""
        return 0

    def __init__(self, layer: Layer) -> None:
        self._keep(layer=layer, target=layer.target)

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        product = self.layer.product
        stem = f"pack_{product.dtypes[1]}_{product.k}x{product.n}"
        return job_of((self.layer.spec, self.layer.plan), lambda: self.layer.nest.packing(), self.target, stem)

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    @property
    def bytes(self) -> int:
        """The bytes of the packed weights."""
        product = self.layer.product
        size = product.k * product.n * ELEMENT_BYTES[product.dtypes[1]]
        return max(int(self.layer.nest.bytes_packed), int(size))

    @cached_property
    def tag(self) -> Tag:
        """Eight bytes that tell the layout of the packed weights from others, for weights that are stored as bytes."""
        return sha256(repr(_blocks_of(self.layer)).encode()).digest()[:8]

    def _words(self) -> list[JobWord]:
        packed = JobWord("the packed weights: {} bytes, aligned to 64 bytes", "bytes", self.bytes)
        return [pointer(self.layer.product.dtypes[1], "weights", False), packed]

    def run(self, weights: Any, workers: int = 1, turns: int = 0) -> PackedWeights:
        """Pack weights (k, n) in the emulator, for any target on any host."""
        source, packed = self.layer.weights(weights), bytes_at_a_line(self.bytes, zero=True)
        regions = ("weights", source, False), ("packed weights", packed)
        self._emulate(self._blob, [address_of(source), address_of(packed)], regions, checked(workers, "workers"), turns)
        packed.setflags(write=False)
        return PackedWeights(self.layer, packed)

    def verify(self, *, timeout: float | None = None) -> Any:
        """Return the proof of the layer, whose code first packs the weights with this function."""
        return self.layer.verify(timeout=timeout)

    def __reduce__(self) -> tuple[type[Packing], tuple[Layer]]:
        return Packing, (self.layer,)

    def __repr__(self) -> str:
        return f"<Packing of {self._title()}>"

    def __str__(self) -> str:
        """Return the loop with its calls as text."""
        lines = text(self._blob.nodes, {0: "weights", 1: "packed"}, "  ")
        return "\n".join([f"packing of {self._title()}", *lines])

    def _title(self) -> str:
        product = self.layer.product
        return f"weights {product.k} x {product.n} {product.dtypes[1]} for {self.target.name}"


def layout_of(layer: Layer) -> tuple[Any, ...]:
    """Return the facts that determine the layout of a layer's packed weights."""
    product, plan = layer.product, layer.plan
    return product.k, product.n, product.dtypes, layer.target, plan.nb, plan.kb, plan.whole, product.counted


def difference(other: Layer, layer: Layer) -> str:
    """Return how the weights of another layer differ from those that a layer reads, as text."""
    facts = [
        (
            f"{each.product.k} x {each.product.n} weights",
            f"the types {', '.join(each.product.dtypes)}",
            f"the target {each.target.name}",
            "any number of rows, m=ts.RUNTIME" if each.product.counted else "a known number of rows",
            f"blocks of {each.plan.kb} x {each.plan.nb}",
            f"other blocks, {each.plan}",
        )
        for each in (other, layer)
    ]
    theirs, own = next((pair for pair in zip(*facts) if pair[0] != pair[1]), ("another processor", "this one"))
    return f"not for a layer of {theirs}; this one has {own}"


def _blocks_of(layer: Layer) -> tuple[Any, ...]:
    """Return numbers and names that describe the layout of packed weights. They are equal on two machines if the
    layouts are."""
    product, plan, layout = layer.product, layer.plan, layer.kernels.b_layout
    counted = ("any rows",) if product.counted else ()
    return product.k, product.n, product.dtypes, plan.nb, plan.kb, plan.whole, layout, layer.nest.bytes_b, *counted
