"""Products of matrices and convolutions, with the pointwise nodes that finish their sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.expr.graph import Expr, constant
from ...microkernels.expr.trace import settled, with_parameters
from ...microkernels.tuning.products import PROGRAMS
from ..arguments.arrays import Array, address_of, ascends, overlaps_itself
from ..arguments.layouts import like, lying
from ..convolution import functions as convolution
from ..convolution.geometry import ConvolutionWindow
from ..convolution.request import ConvolutionRequest
from ..executor.packing import PackingJob
from ..executor.stages import PackingLayer
from ..executor.steps import Entry
from ..ops.calls import BatchLoop, EachProduct, OneKernel, OneNest, PlannedCall, StackedCalls
from ..ops.gemm import Gemm
from ..ops.linear import Linear
from ..ops.matmul import PRODUCTS, matmul
from ..ops.product_shapes import Work, shapes_of
from .finished import FinishedProduct, over_result
from .lower_regions import expressions_of
from .operators import BOOL, type_name
from .spaces import refined, seen
from .storage import Storage, ValuePlace
from .values import GraphValue, Shape, TensorType
from .views import fake

if TYPE_CHECKING:
    from .lowering import Lowering

Epilogue: TypeAlias = "Callable[..., Expr]"


class Extra(NamedTuple):
    """An operand of an epilogue: its name, and the array as it broadcasts to the product's result."""

    name: str
    place: ValuePlace


def extras_of(lowering: Lowering, unit: FinishedProduct) -> tuple[list[Extra], dict[GraphValue, str]]:
    """Return the operands of the nodes after the product, and the name of each value."""
    product = unit.nodes[0].results[0]
    inside = {value for node in unit.nodes for value in node.results}
    found: list[Extra] = []
    names: dict[GraphValue, str] = {}
    for node in unit.nodes[1:]:
        shape = node.results[0].shape
        for value in node.operands:
            if value.number is not None or seen(value).base in inside or value in names:
                continue
            place = lowering.place(value)
            steps = over_result(value, shape, _broadcast(place, shape), product.shape)
            if steps is None:
                place = lowering.copied(place)
                steps = over_result(value, shape, _broadcast(place, shape), product.shape)
                assert steps is not None
            dtype = np.dtype(np.uint8) if value.dtype == BOOL else value.dtype
            kind = TensorType(tuple(e if s else 1 for e, s in zip(product.shape, steps)), dtype)
            names[value] = f"e{len(found)}"
            found.append(Extra(names[value], ValuePlace(place.storage, place.offset, kind, steps)))
    return found, names


def _broadcast(place: ValuePlace, shape: Shape) -> tuple[int, ...]:
    ahead = len(shape) - len(place.kind.shape)
    return (*(0,) * ahead, *(step if extent > 1 else 0 for extent, step in zip(place.kind.shape, place.strides)))


def epilogue_of(unit: FinishedProduct, extras: Sequence[Extra], names: dict[GraphValue, str]) -> Epilogue | None:
    """Return the function of a sum and further operands that the nodes after the product are; None: there are none."""
    if len(unit.nodes) == 1:
        return None

    def function(c: Expr, *more: Expr, **named: Expr) -> Expr:
        given = {**dict(zip((each.name for each in extras), more)), **named}
        found = {unit.nodes[0].results[0]: c}

        def read(value: GraphValue) -> Expr:
            if value.number is not None:
                return constant(float(value.number), c.dtype)
            base = seen(value).base
            if base in found:
                return found[base]
            made = given[names[value]]
            return made != 0 if value.dtype == BOOL else made

        for node in unit.nodes[1:]:
            inputs = [None if each is None else read(each) for each in node.inputs]
            (made,) = expressions_of(node, inputs, node.operator)
            found[node.results[0]] = made
        return found[unit.last]

    return with_parameters(function, ["c", *(each.name for each in extras)])


# Steps


def lower_product(lowering: Lowering, unit: FinishedProduct) -> None:
    """Add the steps of a product."""
    if unit.nodes[0].operator.name == "matmul":
        _matmul(lowering, unit)
    else:
        _convolution(lowering, unit)


def product_title(unit: FinishedProduct) -> str:
    return " ".join(node.operator.name for node in unit.nodes)


NotedStep: TypeAlias = "tuple[Entry, list[ValuePlace | int | None]]"
"""A kernel with its places and numbers; None: memory of the plan's own."""


class NotedMemory:
    """Memory in place of that of a call, to see where a plan reads and writes; nothing is computed in it."""

    def __init__(self, places: Iterable[ValuePlace]) -> None:
        self._blocks: dict[Storage, Array] = {}
        for each in places:
            if each.storage not in self._blocks:
                size = max(each.storage.bytes, 1)
                self._blocks[each.storage] = np.empty(size + 64, np.uint8)

    def _first(self, storage: Storage) -> int:
        return -(-address_of(self._blocks[storage]) // 64) * 64

    def array(self, place: ValuePlace) -> Array:
        """Return the array at a place."""
        return place.on(self._first(place.storage))

    def find(self, address: int) -> ValuePlace | None:
        """Return the place of an address."""
        for storage in self._blocks:
            first = self._first(storage)
            if first <= address < first + max(storage.bytes, 1):
                return ValuePlace(storage, address - first, TensorType((), np.dtype(np.uint8)), ())
        return None


class NotedCalls:
    """Stands for what computes a product in normal form, and notes the arrays that it is called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[Array, ...]] = []

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        self.calls.append((a, b, c, *extras))
        return True


def _matmul(lowering: Lowering, unit: FinishedProduct) -> None:
    a, b = (lowering.place(value) for value in unit.nodes[0].operands)
    extras, names = extras_of(lowering, unit)
    product = unit.nodes[0].results[0]
    stored = unit.last
    to = lowering.result(stored, lowering.preferred(stored) if stored.shape == product.shape else None)
    c = as_shape(to, product.shape)
    if c is None:
        raise AssertionError("a result in C order has the shape of the product, too")
    epilogue = epilogue_of(unit, extras, names)
    if not a.kind.shape[-1]:  # sums of no terms
        _on_arrays(lowering, unit, (a, b, c), extras, epilogue)
        return
    call, steps = _planned(lowering, (a, b, c), extras, epilogue)
    if not steps:  # no kernel reads an operand where it lies
        a, b = (_in_order(lowering, each) for each in (a, b))
        extras = [Extra(each.name, _in_order(lowering, each.place)) for each in extras]
        call, steps = _planned(lowering, (a, b, c), extras, epilogue)
    if not steps:
        _on_arrays(lowering, unit, (a, b, c), extras, epilogue)
        return
    if isinstance(call.run, OneNest) and not call.turned and b.storage.constant is not None:
        steps = [_packed(lowering, steps[0], call.run.nest, b)]
    for entry, operands in steps:
        lowering.step(entry, [each for each in operands if each is not None], [c], product_title(unit))


def _in_order(lowering: Lowering, place: ValuePlace) -> ValuePlace:
    return place if place.is_contiguous else lowering.copied(place)


def _planned(
    lowering: Lowering, places: Sequence[ValuePlace], extras: Sequence[Extra], epilogue: Epilogue | None
) -> tuple[PlannedCall, list[NotedStep]]:
    """Return what computes a product of matrices where they lie, and its steps; none if that makes copies."""
    memory = NotedMemory([*places, *(each.place for each in extras)])
    a, b, c = (memory.array(each) for each in places)
    given = {each.name: memory.array(each.place) for each in extras}
    of_a, of_b, of_c = (type_name(each.kind.dtype) for each in places)
    work = Work(
        shapes_of(a.shape, b.shape, c.shape),
        (of_a, of_b, of_c),
        None if epilogue is None else settled(epilogue),
        lowering.threads,
    )
    call = PRODUCTS.planned(work, a, b, c, given, list(given))
    noted = NotedCalls()
    call._replace(run=noted, direct=False)(a, b, c, lowering.threads, given.values())
    steps = list(_steps_of(call, noted.calls[0], memory)) if noted.calls else []
    return call, [] if any(None in operands for _, operands in steps) else steps


def _packed(lowering: Lowering, step: NotedStep, nest: Gemm, b: ValuePlace) -> NotedStep:
    """Return the step with weights that are packed now, if rows of the other matrices follow one another."""
    product, asked, weights = nest.product, nest.request, b.storage.constant
    dense = asked["order"][::2] == "CC" and asked["lda"] in (None, product.k) and asked["ldc"] in (None, product.n)
    if not dense or b.kind.shape != (product.k, product.n) or weights is None:
        return step
    own = {"order": "C", "lda": None, "ldb": None, "ldc": None}
    layer = Linear({**asked, **own}, nest.threads)
    dense_b = b if b.is_contiguous else lowering.copied(b)
    packed = lowering.made(dense_b, PackingJob(layer.packing.job, layer.packing.bytes, 0))
    a, _, *others = step[1]
    return layer, [a, packed, *others]


def as_shape(place: ValuePlace, shape: Shape) -> ValuePlace | None:
    steps = refined(place.kind.shape, place.strides, shape)
    return (
        None if steps is None else ValuePlace(place.storage, place.offset, TensorType(shape, place.kind.dtype), steps)
    )


def _steps_of(call: PlannedCall, arrays: Sequence[Array], memory: NotedMemory) -> Iterator[NotedStep]:
    """Yield the entries that a plan calls, with the places and numbers of each call; None among them: memory of its
    own, so that the plan makes copies."""
    run = call.run
    if isinstance(run, BatchLoop):
        if run.batch.number * len(run.batch.starts) > PROGRAMS.products:
            loop = run.make()
            if loop.job.runs:
                for places in run.batch.places(arrays):
                    yield loop, [memory.find(each) for each in places]
                return
        run = run.each
    if isinstance(run, StackedCalls):
        batch = run.batch
        for places in batch.places(arrays[:3]):
            yield run.spread, [*(memory.find(each) for each in places), batch.number, *batch.steps]
    elif isinstance(run, (OneKernel, OneNest)):
        yield _one(run, arrays, memory)
    elif isinstance(run, EachProduct):
        a, b, c, *extras = arrays
        for found in run.products(a, b, c, extras):
            yield _one(run.one, found, memory)


def _one(run: OneKernel | OneNest, arrays: Sequence[Array], memory: NotedMemory) -> NotedStep:
    """Return a kernel or a nest, with its places and numbers."""
    if isinstance(run, OneNest):
        return run.nest, [memory.find(address_of(each)) for each in arrays]
    kernel = run.kernel
    words, keep = kernel.kind.call(kernel.spec)(*arrays)
    kinds = [kind for kind, _ in kernel.kind.parameters(kernel.spec)]
    del keep
    return kernel, [memory.find(word) if "*" in kind else word for kind, word in zip(kinds, words)]


def _on_arrays(
    lowering: Lowering,
    unit: FinishedProduct,
    places: Sequence[ValuePlace],
    extras: Sequence[Extra],
    epilogue: Epilogue | None,
) -> None:
    """Add a step of `ts.matmul` on arrays, which copies what no kernel reads where it lies."""
    names = [each.name for each in extras]
    more = {"epilogue": epilogue} if epilogue is not None else {}

    def multiply(a: Array, b: Array, *given: Array, out: Sequence[Array]) -> None:
        matmul(a, b, out[0], **({"operands": dict(zip(names, given))} if names else {}), **more)

    lowering.on_arrays(
        multiply, [*places[:2], *(each.place for each in extras)], [places[2]], product_title(unit), None
    )


def _convolution(lowering: Lowering, unit: FinishedProduct) -> None:
    node = unit.nodes[0]
    x, w = (lowering.place(value) for value in node.operands[:2])
    attributes = dict(node.attributes)
    names = {"strides": "stride", "padding": "padding", "dilations": "dilation", "groups": "groups"}
    window = {names[name]: value for name, value in attributes.items() if name in names}
    backwards = node.operator.name == "conv_transpose"
    more = attributes.get("output_padding", 0) if backwards else None
    found = ConvolutionWindow(**window, output_padding=more)  # type: ignore[arg-type]
    geometry = found.of(x.kind.shape, w.kind.shape, node.operator.name)
    shape = geometry.x if backwards else geometry.y
    x = x if _readable(x) else lowering.copied(x)
    extras, by_value = extras_of(lowering, unit)
    to = lowering.result(unit.last)
    y = as_shape(to, shape)
    assert y is not None
    epilogue = epilogue_of(unit, extras, by_value)
    of_y = lying(_array(y))
    placed = [_placed(lowering, each, y) for each in extras]
    of_w = like(w.kind.shape, range(len(w.kind.shape)), type_name(w.kind.dtype))
    further = {each.name: lying(_array(each.place)) for each in placed}
    lie = lying(_array(x)), of_w, of_y
    request = ConvolutionRequest.of(geometry, backwards, lie, lowering.target, epilogue=epilogue, further=further)
    layer, order = convolution.layer_of(request), [each.name for each in request.more]
    operands = {each.name: each.place for each in placed}
    if w.storage.constant is not None:
        job = layer.packing_job(w.strides)
        if job is None:
            panels = lowering.constant(layer.pack(w.on(address_of(w.storage.constant))).array, None)
        else:
            panels = lowering.made(w, PackingJob(job[0], layer.bytes_b, job[1]))
        lowering.step(layer, [x, panels, y, *(operands[each] for each in order)], [y], product_title(unit))
        return

    if layer.packing(w.strides) is not None:
        entry = PackingLayer(layer, w.strides)
        lowering.step(entry, [x, w, y, *(operands[each] for each in order)], [y], product_title(unit))
        return

    def convolve(x: Array, w: Array, *given: Array, out: Sequence[Array]) -> None:
        layer.on(address_of(x), w, address_of(out[0]), [address_of(each) for each in given])

    lowering.on_arrays(convolve, [x, w, *(operands[each] for each in order)], [y], product_title(unit), None)


def _array(place: ValuePlace) -> Array:
    """Return an array that lies as one at a place does; nothing reads it."""
    return fake(place.kind.shape, place.strides, place.kind.dtype)


def _readable(x: ValuePlace) -> bool:
    """Whether a convolution reads images where they lie."""
    array = _array(x)
    near = 1 in (abs(x.strides[1]), abs(x.strides[-1]))
    return near and ascends(array) and not overlaps_itself(array)


def _placed(lowering: Lowering, extra: Extra, y: ValuePlace) -> Extra:
    """Return an operand as a convolution reads it: a vector without gaps, or as the result lies."""
    shape, steps = extra.place.kind.shape, extra.place.strides
    if all(extent == 1 for axis, extent in enumerate(shape) if axis != 1):
        vector = ValuePlace(
            extra.place.storage, extra.place.offset, TensorType((shape[1],), extra.place.kind.dtype), (steps[1] or 1,)
        )
        return Extra(extra.name, vector if vector.is_contiguous else lowering.copied(vector))
    if shape == y.kind.shape and all(e == 1 or a == b for e, a, b in zip(shape, steps, y.strides)):
        return extra
    made = lowering.new(TensorType(y.kind.shape, extra.place.kind.dtype), y.strides)
    lowering.copy(extra.place, made)
    return Extra(extra.name, made)
