"""Several layers in one call. Each layer reads the result of the one before, after a barrier of all workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...encoder.records import cached_property
from ...microkernels.expr.graph import Expr
from ...microkernels.operands import whole
from ..arguments.arrays import Array, numpy_dtype
from ..arguments.matrices import apart
from ..arguments.others import returned
from ..kernel.request_cache import remembered
from ..loops.code import Barrier, Node, placed
from ..loops.job import Job
from ..threads.barrier import barrier
from ..threads.policy import checked, workers_of
from .linear import Linear, Packed, linear
from .product_nest import BARRIER, EXTRAS, PACKED_A, PACKED_B, STATE, A, B, C
from .scratch import buffer

_SHARED = 3
"""The number of operands that all layers share: packed blocks of A, the barrier and its state. x precedes them, and
three operands of each layer follow: weights, bias and result."""
_OWN = 3


class Mlp:
    """A network of layers: `w = net.pack([w1, w2])` once, then `y = net(x, w, [b1, b2])`. See `mlp`."""

    def __init__(self, layers: Sequence[Linear], threads: int | None) -> None:
        self.layers, self.threads = tuple(layers), threads
        self.target = layers[0].target
        self.flops = sum(layer.flops for layer in layers)
        self._cycles = sum(layer.cycles for layer in layers)

    @cached_property
    def job(self) -> Job:
        """All layers as one piece of machine code."""
        nodes: list[Node] = []
        shared = {PACKED_A: 1, PACKED_B: 1, BARRIER: 2, STATE: 3}
        for number, layer in enumerate(self.layers):
            own = 1 + _SHARED + _OWN * number
            before = own - 1 if number else 0  # the result of the layer before, or x
            nodes += [Barrier(2)] if number else []
            nodes += placed(layer.nest.nodes(), {A: before, B: own, EXTRAS: own + 1, C: own + 2, **shared})
        return Job(nodes, self.target)

    def pack(self, weights: Sequence[Any]) -> list[Packed]:
        """Copy the weights of each layer into blocks."""
        self._check("weights", weights)
        return [layer.pack(each) for layer, each in zip(self.layers, weights)]

    def __call__(self, x: Any, weights: Sequence[Packed], biases: Sequence[Any], out: Any = None, *,
                 threads: int | None = None) -> Any:  # fmt: skip
        """Return the result of the last layer for x (m, first size), in out or in a new array."""
        self._check("weights", weights)
        self._check("biases", biases)
        workers = workers_of(threads, self.threads)
        given: Any = self.layers[0].matrix("x", x)
        results: list[Array] = []
        table: list[int] = []
        kept: list[Any] = []
        for number, layer in enumerate(self.layers):
            spec = layer.product
            last = number == len(self.layers) - 1
            made = (np.empty((spec.m, spec.n), numpy_dtype(spec.dtypes[2])) if out is None or not last else
                    layer.matrix("out", out))  # fmt: skip
            if last and not number and out is not None:
                apart("out", made, x=given)
            integers, keep = layer.checked(given, layer.seen(weights[number]), made, biases[number])
            table += [integers[1], integers[3], integers[2]]
            kept.append((keep, integers[0]))
            results.append(made)
            given = made
        own = max(layer.bytes_own for layer in self.layers)
        with buffer(workers * own) as scratch:
            state = barrier(self.target) if workers > 1 else (0, 0)
            self.job.run((kept[0][1], scratch.address, *state, *table), workers, cycles=self._cycles)
        return returned(results[-1], (x, *biases)) if out is None else out

    def _check(self, name: str, given: Sequence[Any]) -> None:
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"{name}: a list of one for each of {len(self.layers)} layers, not {type(given).__name__}")
        if len(given) != len(self.layers):
            raise ValueError(f"{name}: one for each of {len(self.layers)} layers, not {len(given)}")

    def __reduce__(self) -> tuple[type[Mlp], tuple[Any, ...]]:
        return Mlp, (self.layers, self.threads)

    def __repr__(self) -> str:
        sizes = [self.layers[0].product.k, *(layer.product.n for layer in self.layers)]
        return f"<Mlp of {self.layers[0].product.m} rows, {' -> '.join(map(str, sizes))}, for {self.target.name}>"


@remembered
def mlp(m: int, sizes: Sequence[int], *, dtype: Any = "f32", activation: Callable[..., Expr] | None = None,
        last: Callable[..., Expr] | None = None, accuracy: Any = None, threads: int | None = None,
        target: Any = None) -> Mlp:  # fmt: skip
    """Make a network of layers for m rows: `w = net.pack([w1, w2])` once, then `y = net(x, w, [b1, b2])`.

    sizes        the columns of x and of each layer's result: [784, 512, 10] has two layers
    dtype        the type of all matrices: "f32", "f64" or "bf16"; biases are of the same type
    activation   a function of expressions such as ts.relu, for all layers but the last one
    last         the activation of the last layer
    threads      the number of threads; None: `num_threads()` at each call. Any number of them gives the same bits

    All layers are one piece of machine code. The results between layers are new arrays in each call. Source: Georganas
    et al., PARLOOPER, section 3 (MLP).
    """
    if not isinstance(sizes, (list, tuple)):
        raise TypeError(f"sizes: a list of whole numbers, as [784, 512, 10], not {sizes!r}")
    found = [whole(each) or 0 for each in sizes]
    if len(found) < 2 or min(found) < 1:
        raise ValueError(f"sizes: two whole numbers or more, of 1 or more, not {sizes!r}")
    pairs = list(zip(found, found[1:]))
    layers = [linear(m, n, k, dtype=dtype, activation=last if number == len(pairs) - 1 else activation,
                     accuracy=accuracy, target=target)
              for number, (k, n) in enumerate(pairs)]  # fmt: skip
    return Mlp(layers, None if threads is None else checked(threads, "threads"))
