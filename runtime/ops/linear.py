"""Layers of networks: products by weights that are packed once, with bias and activation in the kernel.

    y = activation(x @ w + bias)          x (m, k), w (k, n), bias (n,), y (m, n)

The weights are packed in the order in which the nest reads them. A call therefore packs no weights, and no worker waits
for another: each computes whole blocks of rows and columns of y.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.operands import RUNTIME, Leading, Operand, View
from ..api.aligned import bytes_at_a_line
from ..arguments import keywords, layers
from ..arguments.arrays import Array, Made, address_of, array_at, as_array
from ..arguments.compressed import form_of
from ..arguments.epilogue import as_vector
from ..arguments.matrices import empty, matrix, no_overlap, writable
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..fastcall.slow_path import result
from ..kernel.callable import Kernel
from ..kernel.kind import PerKernel
from ..kernel.request_cache import remembered
from ..loops.job import JobWord, drawn, pointer
from ..threads import called
from ..threads.policy import checked, num_threads, workers_of
from .gemm import Gemm
from .kept_blocks import kept_blocks
from .packed_weights import PackedWeights, Packing, difference, layout_of
from .product_nest import ProductNest
from .product_parts import in_bytes
from .rows_of_calls import OfAnyRows, check_counted
from .schedules import Blocks

if TYPE_CHECKING:
    from ..api.typed import DTypes, Operands, ProductDTypes, TargetLike
    from ..kernel.accuracy import Accuracy
    from . import block_rules, proofs

block_rules = lazy(__package__, ".block_rules")
proofs = lazy(__package__, ".proofs")


class _LinearCall(NamedTuple):
    """The arguments of a call of a layer.

    operands   the arrays and numbers of the product
    made       the new results, or None
    given      the caller's array for the result, or a tuple of those for all, or None
    inputs     what the caller passed besides the weights, whose library a new result is of
    """

    operands: tuple[Any, ...]
    made: Made
    given: Any
    inputs: tuple[Any, ...]


_CLASS_DOC = """A layer: `w = layer.pack(weights)` once, then `y = layer(x, w, bias)`. See `linear`.

layer.plan       the blocks; print(layer): the loops and their calls; layer.listing(): the machine code
layer.save(path) an object for C programs, and its header; layer.packing.save(path): the function that packs weights
layer.run(x, weights, bias, workers=3) executes the code in the emulator
"""


class Linear(Gemm):
    __doc__ = PerKernel(_CLASS_DOC, lambda layer: layer._about())
    _stem, _names = "linear", ("x", "w", "y")
    _prepacked = True
    asked: dict[str, Any]  # of `linear`, by name
    _inner: Any = None  # an object whose calls machine code handles, for arguments whose weights are checked

    @cached_property
    def _by_weights(self) -> dict[object, Callable[..., object] | None]:
        """The same for compressed weights, by their forms."""
        return {}

    @cached_property
    def _counts(self) -> tuple[int, int]:
        """The numbers of arguments and of results."""
        return len(self._arguments.parameters), len(self._outputs)

    @cached_property
    def _alike(self) -> WeakSet[Linear]:
        """Other layers whose packed weights this one takes."""
        return WeakSet()

    def __reduce__(self) -> tuple[Callable[..., Linear], tuple[Any, ...]]:
        return _layer_again, (self.asked,)

    @cached_property
    def plan(self) -> Blocks:
        """How the product is cut. Every block of B is packed in advance, all columns at a time."""
        threads = self.threads or num_threads()
        return in_bytes(
            self.spec,
            kept_blocks(
                "linear",
                self.product,
                (threads,),
                self.target,
                lambda: block_rules.rules_for_weights(self.product, self.target, threads),
            ),
        )

    @cached_property
    def nest(self) -> ProductNest:
        """The loop nest, which reads packed weights."""
        return replace(self._nest(), prepacked=True)

    @cached_property
    def _scratch(self) -> tuple[int, int]:
        return 0, self.bytes_own

    @property
    def bytes_own(self) -> int:
        """The bytes of scratch memory per worker."""
        return self.kernels.bytes_own if self.plan.packs_a else 0

    @shortening
    def pack(self, weights: Any) -> PackedWeights:
        """Copy weights (k, n) of the layer's type into blocks. The original may change or be freed afterwards."""
        source, packed = self.weights(weights), bytes_at_a_line(self.packing.bytes, zero=True)
        if not self.packing.job.runs:
            raise UnsupportedError(
                f"pack: {self.packing.job.refusal}; layer.packing.run(weights) packs the weights in "
                "the emulator, on any machine"
            )
        self.packing.job.run((address_of(source), address_of(packed)), 1)
        packed.setflags(write=False)
        return PackedWeights(self, packed)

    @cached_property
    def packing(self) -> Packing:
        """The function that packs weights."""
        return Packing(self)

    def called(self) -> list[Kernel]:
        """Return the kernels of the product and of the packing."""
        return [*super().called(), *self.packing.called()]

    def weights(self, value: Any) -> Array:
        """Return weights that are not packed as an array without gaps."""
        array = as_array("weights", value)
        layers.check_weights(self.product, array)
        return np.ascontiguousarray(array)

    @shortening
    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute y = layer(x, w, bias); layer(x, w, bias, y) and layer(x, w, bias, out=y) write to an existing
        array."""
        made = NotImplemented if named else self._at_once(args)
        if made is not NotImplemented:
            return made
        threads = named.pop("threads", None)
        call = self._placed(args, named)
        if (form := form_of(call.operands)) is not None:
            product = self.by_weights(form)
            product.multiply(call.operands, {}, workers_of(threads, self.threads))
            if form not in self._by_weights:
                self._by_weights[form] = None if product.whole else called.inner(Gemm, product._install_in)
        else:
            super().__call__(*call.operands, threads=threads)
        return result(call.made, call.given, call.inputs)

    def _at_once(self, args: tuple[Any, ...]) -> Any:
        """Return the result of a call that machine code checks, with arrays of numpy or of a library that it knows, or
        NotImplemented."""
        count, outputs = self._counts
        if len(args) not in (count - outputs, count):
            return NotImplemented
        x, w, *behind = args[: count - outputs]
        y, *further = args[count - outputs :] or (None,) * outputs
        inner: Callable[..., object] | None
        seen: object
        if type(w) is PackedWeights:
            inner, seen = self._inner_of(x) if self.takes(w) else None, w.matrix
        else:
            inner = self._by_weights.get(getattr(w, "compressed_form", None))
            seen = None if inner is None else w.data
        if inner is None or (further and any(each is None for each in (y, *further))):
            return NotImplemented
        made = inner(x, seen, y, *behind, *further)
        if made is not None:
            return made
        return (y, *further) if further else y

    def _inner_of(self, x: object) -> Callable[..., object] | None:
        """Return the object whose calls machine code handles, or None if there is none for this x."""
        inner: Callable[..., object] | None = self._inner
        return inner

    def _install(self) -> None:
        self._installed = True
        self._inner = called.inner(Gemm, self._install_in)

    def run(self, *args: Any, workers: int = 1, turns: int = 0, **named: Any) -> Any:
        """Compute in the emulator, as `Gemm.run` does. Weights that are not packed are packed in the emulator, too."""
        turns = drawn(turns, named, self._arguments.parameters)
        call = self._placed(args, named, emulated=True)
        if (form := form_of(call.operands)) is not None:
            self.by_weights(form).emulate(call.operands, {}, checked(workers, "workers"), turns)
        else:
            super().run(*call.operands, workers=workers, turns=turns)
        return result(call.made, call.given, call.inputs)

    def _placed(self, args: tuple[Any, ...], named: dict[str, Any], emulated: bool = False) -> _LinearCall:
        given, _, out = keywords.placed(self._signature(), self._outputs, args, named) if named else (args, named, None)
        names, outputs = list(self._arguments.parameters), len(self._outputs)
        if not len(names) - outputs <= len(given) <= len(names):
            last = "the last one is" if outputs == 1 else f"the last {outputs} are"
            raise TypeError(f"this layer takes {', '.join(names)} ({last} optional), not {len(given)} arguments")
        x, w, *behind = given[: len(names) - outputs]
        asked: list[Any] = [*given[len(names) - outputs :], *[None] * (len(names) - len(given))]
        y, *further = asked
        if form_of((x, w)) is not None:
            seen = w
        else:
            seen = self.seen(self.packing.run(w) if emulated and not isinstance(w, PackedWeights) else w)
        rows = self.matrix("x", x)
        spec = self.spec.of(len(rows)) if self.product.counted else self.spec
        made = empty(spec.operands[2]) if y is None else self.matrix("y", y, len(rows))
        beside = [
            empty(each) if of is None else as_array(each.name, of_tensor(each.name, of))
            for each, of in zip(getattr(spec, "results", ()), further)
        ]
        every = [made, *beside]
        apart = {"x": rows, "w": getattr(seen, "data", seen) if form_of((x, seen)) else seen}
        for name, array, of in zip(self._outputs, every, asked):
            if of is not None:
                no_overlap(name, array, **apart)
            apart[name] = array
        arrays = tuple(each for each, of in zip(every, asked) if of is None)
        if out is None and len(asked) > 1 and not any(each is None for each in asked):
            out = tuple(asked)
        new: Made = arrays[0] if len(arrays) == 1 else arrays or None
        return _LinearCall(
            (rows, seen, made, *behind, *beside), new, y if len(asked) == 1 and out is None else out, (x, *behind)
        )

    @cached_property
    def _arguments(self) -> inspect.Signature:
        """The arguments of a call."""
        behind = [each.name for name in ("extras", "numbers") for each in getattr(self.spec, name, ())]
        kind = inspect.Parameter.POSITIONAL_ONLY
        return inspect.Signature(
            [inspect.Parameter(name, kind) for name in ("x", "w", *behind)]
            + [inspect.Parameter(name, kind, default=None) for name in self._outputs]
        )

    @property
    def _outputs(self) -> tuple[str, ...]:
        """The names of the results in a call."""
        return "y", *(each.name for each in getattr(self.spec, "results", ()))

    def _signature(self) -> inspect.Signature:
        return keywords.with_threads(self._arguments)

    def _about(self) -> str:
        m, n, k, (x, w, y) = self.product.m, self.product.n, self.product.k, self.product.dtypes
        behind = [
            f"{each.name}   {each.dtype} {each.shape}" for each in map(as_vector, getattr(self.spec, "extras", ()))
        ]
        behind += [f"{each.name}   an integer of at least {each.least}" for each in getattr(self.spec, "numbers", ())]
        further = [f"{each.name}   {each.dtype} {each.shape}" for each in getattr(self.spec, "results", ())]
        lines = (
            f"x   {x} ({m}, {k})",
            f"w   {w} ({k}, {n}), packed by layer.pack",
            *behind,
            f"y   {y} ({m}, {n})",
            *further,
        )
        return "\n".join([f"layer({', '.join(self._arguments.parameters)})", "", *lines])

    def _title(self) -> str:
        product, bias = self.product, "" if self.asked["bias"] else " without bias"
        return f"{product.m} x {product.n} x {product.k} {product.dtypes[2]}{bias}"

    def _words(self) -> list[JobWord]:
        x, _, y = (pointer(dtype, name, name == "y") for dtype, name in zip(self.product.dtypes, "xwy"))
        packed = JobWord(
            f"weights of {{}} bytes, aligned to 64 bytes, as {self.packing.name} (layer.packing) packs them",
            "weights_bytes",
            self.packing.bytes,
        )
        return [x, packed, y, *super()._words()[3:]]

    def _regions(self, integers: Sequence[int]) -> list[Any]:
        packed = array_at(integers[1], (self.packing.bytes,), (1,), np.dtype(np.uint8))
        named = {each.name: each for each in super()._regions(integers)}
        bias = [each for name, each in named.items() if name not in ("a[0]", "b[0]", "c")]
        return [("x", *named["a[0]"][1:]), ("w", packed, False), ("y", *named["c"][1:]), *bias]

    def verify(self, *, timeout: float | None = None) -> Any:
        """Return a proof that the loops and kernels of the packing and of the product, as one job, compute the layer on
        any number of threads. See `Gemm.verify`."""
        return proofs.of_layer(self, timeout=timeout)

    def matrix(self, name: str, value: Any, rows: int | None = None) -> Array:
        """Return x or a result of the layer as the array that machine code gets. rows: of x, whose result this is."""
        array, spec = as_array(name, of_tensor(name, value)), self.product
        if rows is None:
            rows = len(array) if spec.counted and array.ndim == 2 else spec.m
        columns, of = (spec.k, spec.dtypes[0]) if name == "x" else (spec.n, spec.dtypes[2])
        layers.check_matrix(name, array, rows, columns, of, spec.counted)
        if not array.flags.carray:  # the error names the argument by the layer's own name for it
            operand = Operand(name, rows, columns, View("C", columns), of, output=name != "x")
            array, _ = matrix(operand, array, asked=False)
            if name != "x":
                writable(name, array)
        return array

    def seen(self, w: Any) -> Array:
        """Return packed weights as a matrix (k, n) that begins at their address. Raises TypeError for weights of
        another layer."""
        if not isinstance(w, PackedWeights) or not self.takes(w):
            came = difference(w.layer, self) if isinstance(w, PackedWeights) else f"not {type(w).__name__}"
            raise TypeError(f"w: must be packed for this layer, by layer.pack(weights), {came}")
        return w.matrix

    def takes(self, w: PackedWeights) -> bool:
        """Whether the weights have the layout that this layer reads. The number of rows of x may differ."""
        other = w.layer
        if other is self or other in self._alike:
            return True
        alike = layout_of(other) == layout_of(self)
        if alike:
            self._alike.add(other)
        return alike


class RowsLinear(OfAnyRows, Linear):  # type: ignore[misc]  # with another nest, and the plan of it
    _base = Gemm
    __doc__ = PerKernel(_CLASS_DOC, lambda layer: layer._about())

    def _words(self) -> list[JobWord]:
        return [*Linear._words(self)[:3], *self._operand_words()]


@remembered
def linear(
    m: int | Leading,
    n: int,
    k: int,
    *,
    dtype: ProductDTypes = "f32",
    activation: Callable[..., Expr] | None = None,
    bias: bool = True,
    operands: Operands | None = None,
    out: DTypes | None = None,
    accuracy: Accuracy | None = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> Linear:
    """Make a layer of m rows, y = activation(x @ w + bias): `w = layer.pack(weights)` once, then `layer(x, w, bias)`.

    m            the number of rows, or ts.RUNTIME: any number, as x has

    x (m, k) and y (m, n) are row-major, the weights are (k, n), so pass the transpose of torch.nn.Linear's. The bias is
    (n,) of the type of y, but f32 if y is i8 or u8. help(layer) lists the types. To scale quantized sums, use
    `ts.matmul(x, w, epilogue=..., operands=...)`.

    dtype        the type of x, w and y: "f32", "bf16", or three types as in `brgemm`, ("u8", "i8", "i32")
    activation   a function of expressions such as ts.relu or ts.gelu; None: no activation. It may take further
                 operands, which follow the bias in a call, return several values of y's shape, and draw random
                 numbers, whose seed follows the operands: layer(x, w, bias, residual, seed)
    bias         False: no bias
    operands     the shapes of the activation's further operands, as in `gemm`
    out          the types of the results after y, as in `gemm`
    threads      the number of threads; None: `num_threads()` at each call. Any number of them gives the same bits

    Layers of other numbers of rows take the same packed weights; those of any number take the same ones among each
    other. `linear_backward` computes the gradients. Source:
    Georganas et al., Tensor Processing Primitives, section 5.
    """
    asked = {
        "m": m,
        "n": n,
        "k": k,
        "dtype": dtype,
        "activation": activation,
        "bias": bias,
        "operands": None if operands is None else dict(operands),
        "out": out,
        "accuracy": accuracy,
        "threads": threads,
        "target": target,
    }
    layers.check_request(activation, bias)
    function, further = layers.of_sums(activation, bias, operands or {})
    request = {
        "m": m,
        "n": n,
        "k": k,
        "dtype": dtype,
        "order": "C",
        "lda": None,
        "ldb": None,
        "ldc": None,
        "alpha": 1.0,
        "beta": 0.0,
        "epilogue": function,
        "operands": further or None,
        "out": out,
        "numerics": "exact",
        "accuracy": accuracy,
        "target": target,
    }
    check_counted(m, n, k)
    made_of = RowsLinear if m is RUNTIME else Linear
    made = made_of(request, None if threads is None else checked(threads, "threads"))
    made._keep(asked=asked)
    return made


def _layer_again(asked: dict[str, Any]) -> Linear:
    m, n, k, named = asked["m"], asked["n"], asked["k"], {name: asked[name] for name in [*asked][3:]}
    return linear(m, n, k, **named)


def pack_weights(weights: Any, layer: Linear) -> PackedWeights:
    """Return weights in the layout that a layer of `linear` reads; the same as `layer.pack(weights)`."""
    if not isinstance(layer, Linear):
        raise TypeError(f"layer: must be made by ts.linear, not {type(layer).__name__}")
    return layer.pack(weights)
