"""`network`: layers one after the other, as one callable, with as few intermediate results in memory as possible.

Layers are any functions that write to `out`. Each result between two layers lies in one of a few buffers, by its life
(`buffers`). A call with more images than the network was made for runs in blocks of them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.operands import CACHE_LINE
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, as_array, overlap
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortening
from ..executor.buffers import Life, assigned, most_alive
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..threads import policy
from ..walks.outputs import output_of

if TYPE_CHECKING:
    from ..api.typed import ArrayLike
    from ..verify import proof
    from ..verify.places import memory as places

proof = lazy(__package__, "..verify.proof")
places = lazy(__package__, "..verify.places.memory")

Affinity = Literal["layers", "images"]


class ResultLayout(NamedTuple):
    """How an array lies: its extents, its type, and its axes in the order of memory, outermost first."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    order: tuple[int, ...]

    @property
    def size(self) -> int:
        """The bytes of the array."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def at(self, memory: Array) -> Array:
        """Return the array that begins where these bytes do."""
        outside = [self.shape[axis] for axis in self.order]
        whole: Array = memory[: self.size].view(self.dtype).reshape(outside)
        made: Array = whole.transpose(np.argsort(self.order))
        return made

    def blocks(self, count: int) -> ResultLayout:
        """Return how an array of so many blocks of images lies."""
        return self._replace(shape=(self.shape[0] * count, *self.shape[1:]))

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.shape))} {self.dtype}"


def lying_as(array: Array) -> ResultLayout:
    """Return how an array without gaps lies that has the axes of another one in the same order."""
    order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    return ResultLayout(array.shape, array.dtype, tuple(order))


class LayerStep(NamedTuple):
    """A layer of a network: the name of its result, the function, and its arguments, of which strings are names of
    inputs and of results of earlier steps."""

    name: str
    function: Callable[..., object]
    arguments: tuple[object, ...]

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of the values that it reads."""
        return tuple(each for each in self.arguments if isinstance(each, str))

    def run(self, values: Mapping[str, Array], out: Array) -> None:
        """Compute the result in an array."""
        made = self.function(*(values[each] if isinstance(each, str) else each for each in self.arguments), out=out)
        if made is not None and made is not out:
            raise TypeError(f"{self.name}: writes to `out` and returns it, not {type(made).__name__}")


class LayerNetwork:
    """Layers one after the other: `y = net(x)`. See `network`.

    net.buffers    the bytes of the buffers in which results between layers lie
    net.placed     the number of the buffer of each such result, by name
    net.least      the most bytes of results that are alive at once: no placement needs fewer
    print(net)     the layers with their results and buffers
    net.verify()   proves that no layer overwrites what a later one reads
    """

    def __init__(
        self,
        steps: tuple[LayerStep, ...],
        inputs: Mapping[str, ResultLayout],
        results: tuple[ResultLayout, ...],
        affinity: Affinity,
        threads: int | None,
    ) -> None:
        self.steps, self.inputs, self.results = steps, dict(inputs), results
        self.affinity, self.threads = affinity, threads
        inner = range(len(steps) - 1)
        lives = [Life(results[number].size, number, _last_reader(steps, number)) for number in inner]
        found = assigned(lives)
        self.buffers, self.least = tuple(-(-each // CACHE_LINE) * CACHE_LINE for each in found.sizes), most_alive(lives)
        self.placed = {steps[number].name: buffer for number, buffer in enumerate(found.of)}
        self._free: deque[list[Array]] = deque()  # the results of calls that are over, for further calls

    @shortening
    def __call__(self, *inputs: ArrayLike, out: ArrayLike = None, threads: int | None = None) -> ArrayLike:
        """Return the result of the last layer, in `out` or in a new array. The inputs are in the order of the names by
        which the network was made. All may have several times as many images, along the first axis."""
        asked = self.threads if threads is None else policy.checked(threads, "threads")
        given, blocks = self._checked(inputs)
        result = self.results[-1].blocks(blocks)
        if out is None:
            to = result.at(bytes_at_a_line(result.size))
        else:
            to = output_of(out, result.shape, apart=dict(zip(self.inputs, given)))
            if to.dtype != result.dtype:
                raise TypeError(f"out: {result.dtype}, not {to.dtype}")
        if self.affinity == "images":
            self._dealt(given, to, blocks, min(asked or policy.num_threads(), blocks))
        else:
            self._run(given, to, range(blocks), asked)
        return out if out is not None else returned(to, inputs)

    def _checked(self, inputs: Sequence[ArrayLike]) -> tuple[list[Array], int]:
        """Return the inputs as arrays, and how many blocks of images they have."""
        if len(inputs) != len(self.inputs):
            names = ", ".join(self.inputs)
            raise TypeError(f"this network takes {len(self.inputs)} inputs: {names}; {len(inputs)} are given")
        found, blocks = list[Array](), dict[str, int]()
        for (name, asked), value in zip(self.inputs.items(), inputs):
            array = as_array(name, of_tensor(name, value))
            if array.dtype != asked.dtype:
                raise TypeError(f"{name}: {asked.dtype}, not {array.dtype}")
            blocks[name], rest = divmod(array.shape[0] if array.ndim else 0, asked.shape[0])
            if array.shape[1:] != asked.shape[1:] or rest or not blocks[name]:
                raise ValueError(f"{name}: shape {asked.shape}, or a multiple of its images, not {array.shape}")
            found.append(array)
        count = next(iter(blocks.values()))
        if len({*blocks.values()}) > 1:
            raise ValueError(f"inputs: of as many blocks of images each, not {blocks}")
        if count > 1 and self.results[-1].shape[:1] != next(iter(self.inputs.values())).shape[:1]:
            raise ValueError("inputs: of one block, since the first axis of the last result is not that of images")
        return found, count

    def _dealt(self, inputs: Sequence[Array], out: Array, blocks: int, workers: int) -> None:
        """Deal the blocks to Python threads: each takes its images through all layers, which do not wait for others."""
        errors: list[BaseException] = []

        def work(worker: int) -> None:
            try:
                self._run(inputs, out, range(blocks * worker // workers, blocks * (worker + 1) // workers), 1)
            except BaseException as error:
                errors.append(error)

        others = [threading.Thread(target=work, args=(worker,)) for worker in range(1, workers)]
        for each in others:
            each.start()
        work(0)
        for each in others:
            each.join()
        if errors:
            raise errors[0]

    def _run(self, inputs: Sequence[Array], out: Array, blocks: range, workers: int | None) -> None:
        """Compute these blocks one after the other, each layer on so many threads; None: as many as it takes itself,
        which is faster to call than a layer in a context of `ts.threads`."""
        try:
            between = self._free.pop()
        except IndexError:
            buffers = [bytes_at_a_line(size) for size in self.buffers]
            between = [each.at(buffers[buffer]) for each, buffer in zip(self.results, self.placed.values())]
        with nullcontext() if workers is None else policy.threads(workers):
            for block in blocks:
                values = {name: _part(each, block, self.inputs[name]) for name, each in zip(self.inputs, inputs)}
                to = _part(out, block, self.results[-1]) if out.ndim else out
                for step, result in zip(self.steps, (*between, to)):
                    try:
                        step.run(values, result)
                    except Exception as error:
                        _noted(error, step)
                        raise
                    values[step.name] = result
        self._free.append(between)

    def verify(self) -> proof.Proof:
        """Return a proof that no layer overwrites what it or a later one reads, in whatever order layers read and write
        their elements: all bytes of the buffers are followed through all steps. A layer is trusted to read its
        arguments, and to write its result only; layers have proofs of their own. A successful proof is truthy."""
        started = time.perf_counter()
        wrong = places.first_overwritten(self._accesses())
        count = len(self.placed)
        how = f"{count} results between layers in {len(self.buffers)} buffers, each read before it is overwritten"
        claims = (proof.Claim("places", wrong is None, how if wrong is None else str(wrong)),)
        refutation = None if wrong is None else proof.Refutation(str(wrong), confirmed=False)
        trusted = ("that each layer writes its result and nothing else",)
        seconds = time.perf_counter() - started
        return proof.Proof("network", host.host().name, claims, refutation, trusted, 0, seconds)

    def _accesses(self) -> list[places.PlacedStep]:
        """Return what each layer reads and writes in the buffers."""
        sizes = {step.name: result.size for step, result in zip(self.steps, self.results)}

        def access(name: str) -> places.MatrixAccess:
            size = sizes[name]
            return places.MatrixAccess(f"buffer {self.placed[name]}", 0, 1, size, 1, size, name, when=places.THROUGHOUT)

        return [
            places.PlacedStep(
                step.name,
                tuple(access(each) for each in dict.fromkeys(step.reads) if each in self.placed),
                (access(step.name),) if step.name in self.placed else (),
            )
            for step in self.steps
        ]

    def __reduce__(self) -> tuple[type[LayerNetwork], tuple[object, ...]]:
        return LayerNetwork, (self.steps, self.inputs, self.results, self.affinity, self.threads)

    def __repr__(self) -> str:
        return f"<network of {len(self.steps)} layers, {len(self.buffers)} buffers of {sum(self.buffers):,} bytes>"

    def __str__(self) -> str:
        """Return the layers with their results and buffers."""
        lines = [repr(self), *(f"  {name}: {each}, given" for name, each in self.inputs.items())]
        for step, result in zip(self.steps, self.results):
            where = f"buffer {self.placed[step.name]}" if step.name in self.placed else "the result"
            lines.append(f"  {step.name}: {result}, of {', '.join(step.reads)}, {where}")
        each = " for each thread" if self.affinity == "images" else ""
        return "\n".join([*lines, f"  buffers of {', '.join(f'{each:,}' for each in self.buffers)} bytes{each}"])


def _part(array: Array, block: int, lying: ResultLayout) -> Array:
    """Return the images of a block."""
    images = lying.shape[0]
    return array if len(array) == images else array[block * images : (block + 1) * images]


def _last_reader(steps: Sequence[LayerStep], number: int) -> int:
    """Return the number of the last step that reads the result of a step."""
    name = steps[number].name
    return max(reader for reader, step in enumerate(steps) if name in step.reads)


@shortening
def network(
    steps: Mapping[str, Sequence[object]],
    *,
    affinity: Affinity = "layers",
    threads: int | None = None,
    **inputs: ArrayLike,
) -> LayerNetwork:
    """Make layers one callable, whose results between layers share a few buffers.

        net = ts.network({"a": (first, "x", weights, bias), "b": (second, "a", others), "c": (add, "b", "x")}, x=images)
        y = net(images)

    steps      for each result, by name and in the order of computation, a function and its arguments. An argument that
               is a string is the name of an input or of an earlier result; others, such as packed weights, are passed
               on. A function takes `out=`, the array to which it writes its result, and makes an array without it:
               layers of ts.conv and ts.linear, functions such as ts.max_pool2d, or functools.partial of them with
               their keywords, other networks. The last result is that of the network
    inputs     arrays as they will be given, by name. The functions are called once on them, which shows the shape, type
               and memory order of every result
    affinity   a call may have a multiple of the images of the inputs, along the first axis, and runs in blocks of so
               many. "layers": all threads compute one layer of one block; "images": each thread takes blocks of its own
               through all layers, with buffers of its own
    threads    the number of threads; None: `ts.num_threads()` at each call. Any number of them, and both affinities,
               give the same bits if the functions do, as those of this package do

    A result that several later steps read, such as one that is added again, keeps its buffer until the last of them.
    Source: Intel's optimization manual, chapter 20, sections 20.7 and 20.12.
    """
    if affinity not in ("layers", "images"):
        raise ValueError(f'affinity: "layers" or "images", not {affinity!r}')
    if not isinstance(steps, Mapping) or not steps:
        raise TypeError("steps: a function and its arguments for each result by name, as {'a': (layer, 'x', weights)}")
    if not inputs:
        raise TypeError("inputs: at least one array by name, as x=images")
    values = {name: as_array(name, of_tensor(name, value)) for name, value in inputs.items()}
    for name, array in values.items():
        if not array.ndim or not array.shape[0]:
            raise ValueError(f"{name}: a first axis of one image or more, not shape {array.shape}")
    made = [_step(name, step) for name, step in steps.items()]
    given, results = {name: lying_as(array) for name, array in values.items()}, list[ResultLayout]()
    read = {name for step in made for name in step.reads}
    for number, step in enumerate(made):
        if step.name in values:
            raise ValueError(f"{step.name}: a result has the name of an input")
        if unknown := [name for name in step.reads if name not in values]:
            raise ValueError(
                f"{step.name}: {unknown[0]!r} is no input or earlier result, which are {', '.join(values)}; bind other "
                "strings to the function by functools.partial"
            )
        if step.name not in read and number < len(made) - 1:
            raise ValueError(f"{step.name}: no later step reads it, and only the last result is returned")
        values[step.name] = _first(step, values)
        results.append(lying_as(values[step.name]))
    return LayerNetwork(
        tuple(made), given, tuple(results), affinity, None if threads is None else policy.checked(threads, "threads")
    )


def _step(name: object, step: Sequence[object]) -> LayerStep:
    if not isinstance(name, str):
        raise TypeError(f"steps: names are strings, not {name!r}")
    if not isinstance(step, (tuple, list)) or not step or not callable(step[0]):
        raise TypeError(f"{name}: a function and its arguments, as (layer, 'x', weights), not {type(step).__name__}")
    return LayerStep(name, step[0], tuple(step[1:]))


def _noted(error: Exception, step: LayerStep) -> None:
    """Add the name of a step to what its function raises, as a note below the message; Python 3.10 has none."""
    if hasattr(error, "add_note"):
        error.add_note(f"in step {step.name!r} of a network")


def _first(step: LayerStep, values: Mapping[str, Array]) -> Array:
    """Return the result of a step in an array of its own."""
    given = [values[each] if isinstance(each, str) else each for each in step.arguments]
    try:
        made = step.function(*given)
    except Exception as error:
        _noted(error, step)
        raise
    if not isinstance(made, np.ndarray):
        raise TypeError(f"{step.name}: returns an array if `out` is not given, not {type(made).__name__}")
    for name in step.reads:
        if overlap(made, values[name]):
            raise ValueError(
                f"{step.name}: shares memory with {name}; let it copy, since its result has memory of its own"
            )
    return made
