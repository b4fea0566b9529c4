"""Several layers in one call. Each layer reads the result of the one before, after a barrier of all workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.notebook import plan_page
from ...microkernels.operands import CACHE_LINE, RUNTIME, Interface, Leading, whole
from ..arguments import layers
from ..arguments.arrays import Array, address_of, array_at, numpy_dtype
from ..arguments.compressed import form_of
from ..arguments.epilogue import as_vector
from ..arguments.foreign_arrays import returned
from ..arguments.matrices import no_overlap
from ..arguments.tracebacks import shortening
from ..fastcall.guards_array import interface_entry
from ..kernel.callable import LONG, Kernel
from ..kernel.request_cache import remembered
from ..loops.blob import Blob
from ..loops.code import Barrier, Node, placed
from ..loops.job import (
    Job,
    JobKernel,
    JobWord,
    barrier_words,
    drawn,
    emulated_barrier,
    job_of,
    pointer,
    scratch,
    scratch_words,
)
from ..loops.scratch import KEPT, buffer, slots
from ..loops.text import text
from ..threads import called
from ..threads.barrier import barrier
from ..threads.called_code import JobTable
from ..threads.policy import checked, workers_of
from . import row_nest
from .gemm import Gemm
from .linear import Linear, linear
from .packed_weights import PackedWeights
from .product_nest import BARRIER, EXTRAS, PACKED_A, PACKED_B, STATE, A, B, C
from .product_parts import check_epilogue
from .schedules import Blocks

if TYPE_CHECKING:
    from ..api.typed import DTypeLike, TargetLike
    from ..kernel.accuracy import Accuracy
    from . import proofs

proofs = lazy(__package__, ".proofs")

_X, _PACKED_A, _BARRIER, _STATE, _LAYERS = range(5)
"""Positions of the operands in the job's table. Three operands of each layer follow: weights, bias and result."""
_OWN = 3


class LayerPlans(NamedTuple):
    """The blocks of each layer of a network."""

    layers: tuple[Blocks, ...]

    def __str__(self) -> str:
        return "\n".join(f"layer {number}: {each}" for number, each in enumerate(self.layers, 1))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.layers)} layers; print it to see all>"

    def _repr_html_(self) -> str:
        """Return the blocks of each layer for notebooks."""
        return plan_page(self)


class _MlpCall(NamedTuple):
    """The arguments of a call, checked.

    operands   the addresses of x, and of weights, bias and result of each layer
    result     the result of the last layer
    keep       objects that must stay alive during the call
    """

    operands: list[int]
    result: Array
    keep: list[Any]


def _interface(layers: Sequence[Linear]) -> Interface:
    """What a call takes: x, weights and bias of each layer, and the result."""
    arguments = [layers[0].spec.operands[0]]
    for number, layer in enumerate(layers):
        bias = as_vector(layer.spec.extras[0])
        arguments += [layer.spec.operands[1]._replace(name=f"w{number}"), bias._replace(name=f"bias{number}")]
    return Interface((*arguments, layers[-1].spec.operands[2]))


class Mlp(JobKernel):
    """A network of layers: `w = net.pack([w1, w2])` once, then `y = net(x, w, [b1, b2])`. See `mlp`.

    net.layers     the layers, each of `linear`
    net.plan       the blocks of each; print(net): the loops and their calls; net.listing(): the machine code
    net.save(path) an object for C programs, and its header; net.layers[0].packing.save(path) the function that packs
                   the weights of a layer
    net.run(x, weights, biases, workers=3) executes the code in the emulator; net.verify() proves it
    """

    layers: tuple[Linear, ...]
    threads: int | None
    flops: int
    _installed = False
    _inner: Any = None  # an object whose calls machine code handles, for arguments whose weights are checked

    def __init__(self, layers: Sequence[Linear], threads: int | None) -> None:
        self._keep(
            layers=tuple(layers), threads=threads, target=layers[0].target, flops=sum(layer.flops for layer in layers)
        )
        self._cycles = sum(layer.cycles for layer in layers)

    @cached_property
    def job(self) -> Job:
        """All layers as one piece of machine code."""
        stem = f"mlp_{self.layers[0].product.dtypes[0]}_{'x'.join(map(str, self._sizes))}"
        return job_of(tuple((layer.spec, layer.plan) for layer in self.layers), self._nodes, self.target, stem)

    def _nodes(self) -> list[Node]:
        """Return the nest of all layers."""
        nodes: list[Node] = []
        shared = {PACKED_A: _PACKED_A, PACKED_B: _PACKED_A, BARRIER: _BARRIER, STATE: _STATE}
        for number, layer in enumerate(self.layers):
            own = _LAYERS + _OWN * number
            before = own - 1 if number else _X  # the result of the layer before, or x
            nodes += [Barrier(_BARRIER)] if number else []
            nodes += placed(layer.nest.nodes(), {A: before, B: own, EXTRAS: own + 1, C: own + 2, **shared})
        return nodes

    @property
    def plan(self) -> LayerPlans:
        """How each layer is cut."""
        return LayerPlans(tuple(layer.plan for layer in self.layers))

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    @property
    def _sizes(self) -> list[int]:
        product = self.layers[0].product
        return [product.m, product.k, *(layer.product.n for layer in self.layers)]

    @cached_property
    def bytes_own(self) -> int:
        """The bytes of scratch memory per worker."""
        return max(layer.bytes_own for layer in self.layers)

    @cached_property
    def _between(self) -> tuple[int, tuple[int, ...]]:
        return self._between_of(self.layers[0].product.m)

    def _between_of(self, rows: int) -> tuple[int, tuple[int, ...]]:
        """Return the bytes of scratch memory for results between layers, and where each of them begins. Two places take
        turns: a layer reads one of them and writes the other."""
        sizes = [rows * layer.product.n * ELEMENT_BYTES[layer.product.dtypes[2]] for layer in self.layers[:-1]]
        size = -(-max(sizes, default=0) // CACHE_LINE) * CACHE_LINE
        return size * min(len(sizes), 2), tuple(size * (number % 2) for number in range(len(sizes)))

    def _words(self) -> list[JobWord]:
        words = [pointer(self.layers[0].product.dtypes[0], "x", False), scratch_words(0, self.bytes_own)[1]]
        words += barrier_words(len(self.layers) > 1)
        for number, layer in enumerate(self.layers, 1):
            _, weights, y, *rest = layer._words()
            bias, y = (each._replace(text=f"{each.text}{number}") for each in (rest[-1], y))
            told = weights.text.replace("layer.packing", f"layers[{number - 1}].packing")
            words += [weights._replace(text=told, macro=f"weights{number}_bytes"), bias, y]
        return words

    def called(self) -> list[Kernel]:
        """Return the kernels of all layers."""
        return list(dict.fromkeys(kernel for layer in self.layers for kernel in layer.called()))

    @shortening
    def pack(self, weights: Sequence[Any]) -> list[PackedWeights]:
        """Copy the weights of each layer into blocks."""
        self._check("weights", weights)
        return [layer.pack(each) for layer, each in zip(self.layers, weights)]

    @shortening
    def __call__(
        self,
        x: Any,
        weights: Sequence[PackedWeights],
        biases: Sequence[Any],
        out: Any = None,
        *,
        threads: int | None = None,
    ) -> Any:
        """Return the result of the last layer for x (m, first size), in out or in a new array."""
        made = self._at_once(x, weights, biases, out) if threads is None else NotImplemented
        if made is not NotImplemented:
            return made
        workers, rows = workers_of(threads, self.threads), self._rows(x)
        (between, places), tables = self._between_of(rows), self._tables(rows)
        with buffer(between + workers * self.bytes_own) as memory:
            inner = [_result(layer, rows, memory.address + place) for layer, place in zip(self.layers, places)]
            call = self._placed(x, weights, biases, out, inner)
            state = barrier(self.target) if workers > 1 else (0, 0)
            given, *operands = call.operands
            words = given, memory.address + between, *state, *operands, *map(address_of, tables)
            self.job.run(words, workers, cycles=self._cycles * (rows if tables else 1))
        if not self._installed:
            self._install()
        return returned(call.result, (x, *biases)) if out is None else out

    def _rows(self, x: object) -> int:
        """Return the rows of a call."""
        return self.layers[0].product.m

    def _tables(self, rows: int) -> Sequence[Array]:
        """Return what the code of each layer reads for so many rows, if a call gives their number."""
        return ()

    def _at_once(self, x: Any, weights: Any, biases: Any, out: Any) -> Any:
        """Return the result of a call that machine code checks, with arrays of numpy or of a library that it knows, or
        NotImplemented."""
        lists = type(weights) in (list, tuple) and type(biases) in (list, tuple)
        if self._inner is None or not (lists and len(weights) == len(biases) == len(self.layers)):
            return NotImplemented
        args = [x]
        for layer, w, bias in zip(self.layers, weights, biases):
            if type(w) is not PackedWeights or not layer.takes(w):
                return NotImplemented
            args += w.matrix, bias
        made = self._inner(*args, out)
        return out if made is None else made

    def _install(self) -> None:
        """Let machine code check the arrays of further calls and begin their job."""
        self._installed = True
        self._inner = called.inner(Gemm, self._install_in)

    def _install_in(self, target: Any, slow: Any) -> bool:
        """Let machine code handle the calls of an object of a native type, and return whether it does."""
        slow.keep = self.job.block
        own, (between, places) = range(_LAYERS, _LAYERS + _OWN * len(self.layers)), self._between
        results = own[2::_OWN]
        given = (_X, *(each for each in own if each not in results), results[-1])
        table = JobTable(given, None, _PACKED_A, _BARRIER, tuple(results[:-1]))
        made = called.Called(
            self.job.block.address, self._cycles, self.threads, between, self.bytes_own, slots(), KEPT, table, places
        )
        structure = interface_entry(_interface(self.layers), "always" if self._cycles > LONG else "never", 0)
        return called.install(target, structure, made, self.target, slow)

    def run(
        self,
        x: Any,
        weights: Sequence[Any],
        biases: Sequence[Any],
        out: Any = None,
        *,
        workers: int = 1,
        turns: int = 0,
        **named: Any,
    ) -> Any:
        """Compute in the emulator, which executes the code for any target on any host. Weights that are not packed are
        packed in the emulator, too. The order and lengths of the workers' turns are drawn from the number `turns`, also
        called seed=; if two workers race, `Race` is raised."""
        turns = drawn(turns, named, ())
        if named:
            raise TypeError(f"{next(iter(named))}: run has x, weights, biases, out, workers and turns")
        self._check("weights", weights)
        packed = [
            each if isinstance(each, PackedWeights) else layer.packing.run(each)
            for layer, each in zip(self.layers, weights)
        ]
        rows = self._rows(x)
        inner, tables = [_result(layer, rows) for layer in self.layers[:-1]], self._tables(rows)
        call, count = self._placed(x, packed, biases, out, inner), checked(workers, "workers")
        memory = scratch(count * self.bytes_own)
        given, *table = call.operands
        regions: list[Any] = [("scratch memory", memory)]
        for number, layer in enumerate(self.layers):
            x_of = given if not number else table[_OWN * number - 1]
            w, bias, y = table[_OWN * number :][:_OWN]
            found = layer._regions([x_of, w, y, *([rows] if tables else []), bias])
            found = found[1:] if number else found  # x of a further layer is the result of the one before
            regions += [(f"{each[0]} of layer {number + 1}", *each[1:]) for each in found]
        regions += [(f"table of layer {number}", each, False) for number, each in enumerate(tables, 1)]
        words = given, address_of(memory), *emulated_barrier(), *table, *map(address_of, tables)
        self._emulate(self._blob, words, regions, count, turns)
        return returned(call.result, (x, *biases)) if out is None else out

    def with_packing(self) -> Blob:
        """Return the code that packs the weights of all layers and then computes them, as one job. Behind the words of
        the network, its operand table has the weights of each layer that are not packed."""
        packing: list[Node] = []
        weights = _LAYERS + _OWN * len(self.layers) + len(self._tables(1))
        for number, layer in enumerate(self.layers):
            packed = _LAYERS + _OWN * number
            packing += placed(layer.packing.job.blob.nodes, {0: weights + number, 1: packed})
        return Blob((*packing, Barrier(_BARRIER), *self._blob.nodes), self.target)

    def verify(self, *, timeout: float | None = None) -> Any:
        """Return a proof that the packing of all weights and the layers, as one job, compute the network on any number
        of threads, and that no two threads touch the same memory: see docs/soundness.md. A successful proof is truthy,
        and printing it shows how it was found. Raises UnsupportedError if a layer has no specification."""
        return proofs.of_mlp(self, timeout=timeout)

    def _placed(
        self, x: Any, weights: Sequence[PackedWeights], biases: Sequence[Any], out: Any, inner: Sequence[Array]
    ) -> _MlpCall:
        """Check the arguments. `inner` are the arrays for the results of all layers but the last one."""
        self._check("weights", weights)
        self._check("biases", biases)
        given: Any = self.layers[0].matrix("x", x)
        rows = len(given)
        made = _result(self.layers[-1], rows) if out is None else self.layers[-1].matrix("out", out, rows)
        if len(self.layers) == 1 and out is not None:
            no_overlap("out", made, x=given)
        call = _MlpCall([], made, [])
        for number, (layer, result) in enumerate(zip(self.layers, (*inner, made))):
            if biases[number] is None:
                raise layers.no_bias(number, layer.product)
            integers, keep = layer.checked(given, layer.seen(weights[number]), result, biases[number])
            call.operands.extend([] if number else integers[:1])
            call.operands.extend([integers[1], integers[-1], integers[2]])
            call.keep.append((keep, weights[number]))
            given = result
        return call

    def _check(self, name: str, given: Sequence[Any]) -> None:
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"{name}: a list of one for each of {len(self.layers)} layers, not {type(given).__name__}")
        if len(given) != len(self.layers):
            raise ValueError(f"{name}: one for each of {len(self.layers)} layers, not {len(given)}")
        if any(form_of((self, each)) is not None for each in given):
            raise UnsupportedError(
                f"{name}: compressed weights are taken by single layers: y = layer(x, weights, bias) for each of "
                "net.layers in turn, or of ts.linear"
            )

    def __reduce__(self) -> tuple[type[Mlp], tuple[Any, ...]]:
        return type(self), (self.layers, self.threads)

    def __repr__(self) -> str:
        return f"<Mlp {self._title()}>"

    def __str__(self) -> str:
        """Return the blocks, and the loops with their calls as text."""
        names = ["x", "own scratch", "barrier", "its argument"]
        for number in range(1, len(self.layers) + 1):
            names += [f"w{number}", f"bias{number}", f"y{number}"]
        plans = [f"  {line}" for line in str(self.plan).splitlines()]
        return "\n".join([f"mlp {self._title()}", *plans, *text(self._blob.nodes, dict(enumerate(names)), "  ")])

    def _title(self) -> str:
        rows, *sizes = self._sizes
        return f"of {rows} rows, {' -> '.join(map(str, sizes))}, for {self.target.name}"


class RowsMlp(Mlp):
    __doc__ = (
        f"{Mlp.__doc__}\n    layers[i].table(rows)   the words of layer i in a call of so many rows, for C programs\n"
    )

    @cached_property
    def job(self) -> Job:
        """All layers as one piece of machine code."""
        stem = f"mlp_{self.layers[0].product.dtypes[0]}_{'x'.join(map(str, self._sizes))}"
        return job_of(tuple((layer.nest, layer.spec) for layer in self.layers), self._nodes, self.target, stem)

    def _nodes(self) -> list[Node]:
        nodes: list[Node] = []
        tables = _LAYERS + _OWN * len(self.layers)
        for number, layer in enumerate(self.layers):
            own = _LAYERS + _OWN * number
            places = {row_nest.A: own - 1 if number else _X, row_nest.B: own, row_nest.C: own + 2}
            places |= {row_nest.OWN: _PACKED_A, row_nest.TABLE: tables + number, row_nest.EXTRAS: own + 1}
            nodes += [Barrier(_BARRIER)] if number else []
            nodes += placed(layer.nest.nodes(), places)
        return nodes

    def _rows(self, x: object) -> int:
        return len(self.layers[0].matrix("x", x))

    def _tables(self, rows: int) -> Sequence[Array]:
        return [layer.table(rows) for layer in self.layers]  # type: ignore[attr-defined]

    def _words(self) -> list[JobWord]:
        tables = []
        words = super()._words()
        for number, layer in enumerate(self.layers, 1):
            table = layer._words()[4]
            tables.append(table._replace(text=table.text.replace("table(", f"layers[{number - 1}].table(", 1)))
        return [*words, *tables]

    def _install(self) -> None:
        """Calls go through Python, which makes the tables of their rows."""
        self._installed = True


def _result(layer: Linear, rows: int, address: int | None = None) -> Array:
    """Return an array for the result of a layer: a new one, or one at an address."""
    columns, dtype = layer.product.n, numpy_dtype(layer.product.dtypes[2])
    if address is None:
        return np.empty((rows, columns), dtype)
    return array_at(address, (rows, columns), (columns * dtype.itemsize, dtype.itemsize), dtype, writable=True)


@remembered
def mlp(
    m: int | Leading,
    sizes: Sequence[int],
    *,
    dtype: DTypeLike = "f32",
    activation: Callable[..., Expr] | None = None,
    last: Callable[..., Expr] | None = None,
    accuracy: Accuracy | None = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> Mlp:
    """Make a network of layers for m rows: `w = net.pack([w1, w2])` once, then `y = net(x, w, [b1, b2])`.

    m            the number of rows, or ts.RUNTIME: any number, as x has
    sizes        the columns of x and of each layer's result: [784, 512, 10] has two layers
    dtype        the type of all matrices: "f32", "f64" or "bf16"; biases are of the same type
    activation   a function of expressions such as ts.relu, for all layers but the last one
    last         the activation of the last layer
    threads      the number of threads; None: `num_threads()` at each call. Any number of them gives the same bits

    All layers are one piece of machine code. The results between layers lie in scratch memory. `mlp_backward` computes
    the gradients. Source: Georganas et al., PARLOOPER, section 3 (MLP).
    """
    if not isinstance(sizes, (list, tuple)):
        raise TypeError(f"sizes: a list of whole numbers, as [784, 512, 10], not {sizes!r}")
    found = [whole(each) or 0 for each in sizes]
    if len(found) < 2 or min(found) < 1:
        raise ValueError(f"sizes: two whole numbers or more, of 1 or more, not {sizes!r}")
    pairs = list(zip(found, found[1:]))
    layers.check_alone(activation)
    layers.check_alone(last)
    made = [
        linear(
            m,
            n,
            k,
            dtype=dtype,
            activation=last if number == len(pairs) - 1 else activation,
            accuracy=accuracy,
            target=target,
        )
        for number, (k, n) in enumerate(pairs)
    ]
    x, _, y = made[0].product.dtypes
    if len(made) > 1 and x != y:
        raise UnsupportedError(
            "mlp: the result of a layer is the x of the next one, so both need one type, not "
            f"{x} and {y}; call layers of ts.linear, and convert between them"
        )
    for layer in made[:1] + made[-1:]:
        check_epilogue("mlp", layer.spec)
    made_of = RowsMlp if m is RUNTIME else Mlp
    return made_of(made, None if threads is None else checked(threads, "threads"))
