"""`Tensorized`: the kernel of a tensor program, around the tensor instructions that the inspector finds for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.errors import UnsupportedError
from ...microkernels.tensorize.expressions import TensorFactor, TensorProgram
from ...microkernels.tensorize.inspect import LoopMapping, inspect
from ...microkernels.tensorize.instructions import TensorInstruction, instructions
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..api.aligned import kept_at_a_line
from ..arguments.arrays import Array, address_of, as_array, bytes_of, numpy_dtype, overlap
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.tracebacks import shortening
from ..contraction.arrays import Summed
from ..contraction.calls import CallArray, native_calls, packing_calls
from ..contraction.epilogues import function_of, inside_names
from ..contraction.form import Contraction, IndexedArray, IndexedAxis
from ..contraction.kernel import Contracted
from ..convolution.weights import by_name
from ..fastcall.foreign import of_tensor
from ..loops.code import Affine
from ..loops.job import drawn
from ..threads.policy import checked, workers_of

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.expr.trace import TracedResults
    from ..api.typed import ArrayLike
    from ..contraction.tiling import TilingChoice
    from ..kernel.accuracy import Accuracy
    from ..kernel.callable import Kernel
    from . import definition
    from . import picture as pictures

T = TypeVar("T")

definition = lazy(__package__, ".definition")
pictures = lazy(__package__, ".picture")


class TensorizedRequest(NamedTuple):
    """What a kernel computes.

    result     the type of the result
    epilogue   the trace of a function of the sums, or None
    more       its further operands by name: elements at indices of the loops of the result
    threads    the number of threads of calls, or None
    """

    program: TensorProgram
    result: str
    epilogue: TracedResults | None
    more: tuple[tuple[str, TensorFactor], ...]
    accuracy: Accuracy | None
    threads: int | None
    target: Target


class PackedFactor:
    """A factor of a program in the panels that its kernel reads: see `Tensorized.pack`."""

    __slots__ = ("array", "layout")

    def __init__(self, layout: tuple[object, ...], array: Array) -> None:
        self.layout, self.array = layout, array

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _packed_again, (self.layout, np.array(self.array))


def _packed_again(layout: tuple[object, ...], array: Array) -> PackedFactor:
    """Return a factor from a pickle."""
    return PackedFactor(layout, kept_at_a_line(array))


class Tensorized(Contracted):
    """The kernel of a tensor program: `k(x, y)`, where x and y are arrays of the program's tensors in its order, and
    further operands of an epilogue by name.

    k.plan         how the loops are cut; k.plan.rejected: the other ways, with reasons
    k.instruction  the tensor instruction that its products run on
    k.mapping      which loops its axes take; None where the lanes of a register are terms of one sum; k.picture()
    print(k)       the program, the plan, the loops and their calls; k.listing(), k.save(path), k.verify()
    k.pack(y)      y in panels, for factors that do not change: k(x, k.pack(y))
    """

    request: TensorizedRequest
    packs: str
    _stem = "tensorized"
    _natives: dict[bool, Callable[..., object] | None]  # by whether a factor is packed

    def __init__(self, request: TensorizedRequest, tuned: TilingChoice | None = None) -> None:
        """Make the kernel of a program. `packs` is the factor that `pack` takes: the one that has the result's last
        axis."""
        program = request.program
        x, y, c, *more = operands_of(request)
        last = next(reversed(c.steps), "")
        packs = "x" if last in x.steps and last not in y.steps else "y"
        a, b = (y, x) if packs == "x" else (x, y)
        loops = tuple((name, extent or 1) for name, extent in program.equation.extents)
        names = inside_names([name for name, _ in request.more])
        epilogue = function_of(request.epilogue, names) if request.epilogue else None
        contraction = Contraction(loops, a, b, c, tuple(more))
        super().__init__([contraction], request.target, epilogue, names, request.accuracy, tuned)
        self._keep(request=request, packs=packs, threads=request.threads)
        self._whole, self._natives = contraction, {}

    @property
    def program(self) -> TensorProgram:
        """The program."""
        return self.request.program

    def recut(self, choice: TilingChoice) -> Tensorized:
        """Return the same kernel, cut in another way."""
        return Tensorized(self.request, choice)

    @cached_property
    def _unpacked(self) -> Summed | None:
        """The kernel of two factors where they lie, if it is not better to pack one in each call: so few products read
        each of its elements, and nothing is computed from the sums."""
        whole = self._whole
        used = self.flops // (2 * max(1, int(np.prod([axis.extent for axis in whole.b.axes]))))
        backwards = min((step for each in (whole.a, whole.b) for step in each.steps.values()), default=0) < 0
        if (
            backwards
            or self.request.epilogue
            or self.request.result != self.program.result
            or used >= CONTRACTIONS.reused
        ):
            return None
        return Summed(whole, self.target, "tensorized")

    @property
    def instruction(self) -> TensorInstruction:
        """The tensor instruction that the products of the job run on."""
        return self._taken[0]

    @property
    def mapping(self) -> LoopMapping | None:
        """The loops that the instruction's axes take: rows and columns of the kernels' products, and their depth.
        Copies may lengthen the chain of the rows."""
        return self._taken[1]

    def picture(self) -> str:
        """Return the registers of one product and the elements of the program's tensors in them, as SVG."""
        instruction, mapping = self._taken
        if not instruction.fragments:
            names = dict.fromkeys(each.name for each in instructions(self.target) if each.fragments)
            raise UnsupportedError(
                f"picture: {instruction.name} on {self.target.name} is a sequence of instructions, each with places of "
                f"its own; these are one instruction: {', '.join(names)}"
            )
        if mapping is None:
            raise UnsupportedError(
                f"picture: the lanes of {instruction.name} are terms of one sum, and no axis takes a loop"
            )
        return pictures.picture(self.program, instruction, mapping, self.target.vector_bits)

    @cached_property
    def _taken(self) -> tuple[TensorInstruction, LoopMapping | None]:
        name = next(filter(None, map(_unit, self.called())), "FMA")
        rows = [e for e in instructions(self.target) if e.name == name and multiplies(e, self.program)]
        found: list[tuple[int, TensorInstruction, LoopMapping]] = []
        for each in rows:
            lanes = each.equation.accesses[0].indices[-1].terms[-1][1]
            placed = ((self._loops_taken(mapping, lanes), mapping) for mapping in inspect(self.program, each).mappings)
            found += [(taken, each, mapping) for taken, mapping in placed if taken]
        if not found:
            return rows[0], None
        _, instruction, mapping = max(found, key=lambda each: each[0])
        return instruction, mapping

    def _loops_taken(self, mapping: LoopMapping, lanes: str) -> int:
        """Return how many loops of the products the axes take, if the axis of the lanes takes the innermost ones of the
        columns, other axes of the accumulators those of the rows, and the summed ones those of the depth; else 0."""
        roles, extents = self._ways[0].roles, dict(self.program.equation.extents)
        taken = 0
        for axes, loops in mapping.axes:
            chain = roles.depth if loops.reduced else roles.columns if lanes in axes else roles.rows
            names = [name for name in loops.names if extents[name] != 1]
            if not "".join(chain.names).endswith("".join(names)):
                return 0
            taken += len(names)
        return taken

    @shortening
    def pack(self, factor: ArrayLike) -> PackedFactor:
        """Copy the factor that has the result's last axis into panels. It may change or be freed afterwards. Kernels of
        an equal `panel_layout` take it, too."""
        place = 0 if self.packs == "x" else 1
        return PackedFactor(self.panel_layout, self.panels(self._array(self.packs, factor, place)))

    @cached_property
    def panel_layout(self) -> tuple[object, ...]:
        """How a packed factor lies."""
        place = 1 if self.packs == "x" else 2
        types = self.program.equation.types
        return self.packs, self.program.shapes[place], types[place - 1], self.panels_lie, self.target.name

    @shortening
    def __call__(
        self,
        x: ArrayLike | PackedFactor,
        y: ArrayLike | PackedFactor,
        *operands: ArrayLike,
        out: ArrayLike = None,
        threads: int | None = None,
        **named: ArrayLike,
    ) -> ArrayLike:
        """Return the result of the program, in `out` or in a new array. The operands of the epilogue follow, by place
        in the order of its parameters, or by name. Any number of threads gives the same bits."""
        operands = self._by_name(operands, named) if named else operands
        factor, other = (x, y) if self.packs == "x" else (y, x)
        native = None if threads is not None else self._natives.get(type(factor) is PackedFactor)
        if native is not None and (type(factor) is not PackedFactor or self._takes(factor)):
            made = np.empty(self.program.shape, self._result) if out is None else out
            values = factor.array if type(factor) is PackedFactor else factor
            if native(other, values, made, *operands) is None:
                return returned(made, (other, *operands)) if out is None else out
        arrays, packed = self._checked(x, y, operands, out)
        workers = workers_of(threads, self.request.threads)
        addresses = [address_of(each) for each in arrays]
        if packed:
            self.at(self._ordered(addresses), workers)
        elif self._unpacked is not None:
            self._unpacked.at(self._ordered(addresses), workers)
        else:
            a, _, c, *more = self._ordered(addresses)
            self.on(a, arrays[0 if self.packs == "x" else 1], c, more, workers)
        if packed not in self._natives:
            self._natives[packed] = self._native(packed)
        given = tuple(each for each in (x, y, *operands) if not isinstance(each, PackedFactor))
        return returned(arrays[2], given) if out is None else out

    def run(
        self,
        x: ArrayLike | PackedFactor,
        y: ArrayLike | PackedFactor,
        *operands: ArrayLike,
        out: ArrayLike = None,
        workers: int = 1,
        turns: int = 0,
        **named: ArrayLike,
    ) -> ArrayLike:
        """Compute in the emulator, which executes the code for any target on any host. The order and lengths of the
        workers' turns are drawn from the number `turns`; if two workers race, `Race` is raised."""
        turns = drawn(turns, named, [name for name, _ in self.request.more])
        operands = self._by_name(operands, named) if named else operands
        arrays, packed = self._checked(x, y, operands, out)
        names = [*self._ordered(["x", "y", "c"]), *(name for name, _ in self.request.more)]
        if not packed and self._unpacked is None:
            place = 0 if self.packs == "x" else 1
            arrays[place], packed = self.panels(arrays[place]), True
        ordered = self._ordered(arrays)
        regions = [(name, bytes_of(each), name == "c") for name, each in zip(names, ordered)]
        addresses = [address_of(each) for each in ordered]
        if packed or self._unpacked is None:
            self.emulated(addresses, regions, checked(workers, "workers"), turns)
        else:
            self._unpacked.emulated(addresses, regions, checked(workers, "workers"), turns)
        given = tuple(each for each in (x, y, *operands) if not isinstance(each, PackedFactor))
        return returned(arrays[2], given) if out is None else out

    @cached_property
    def _result(self) -> np.dtype[np.generic]:
        return numpy_dtype(self.request.result)

    def _by_name(self, operands: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> tuple[ArrayLike, ...]:
        return by_name([name for name, _ in self.request.more], operands, named, False)

    def _takes(self, factor: ArrayLike | PackedFactor) -> bool:
        """Whether a factor is packed as this kernel reads it."""
        if type(factor) is not PackedFactor:
            return False
        if factor.layout is not self.panel_layout:
            if factor.layout != self.panel_layout:
                return False
            factor.layout = self.panel_layout  # the next time they are the same object
        return True

    def _ordered(self, of: Sequence[T]) -> list[T]:
        """Return what belongs to x, y, c and further operands in the order A, B, C and further operands."""
        x, y, *others = of
        return [y, x, *others] if self.packs == "x" else [x, y, *others]

    def _checked(
        self,
        x: ArrayLike | PackedFactor,
        y: ArrayLike | PackedFactor,
        operands: Sequence[ArrayLike],
        out: ArrayLike,
    ) -> tuple[list[Array], bool]:
        """Return the arrays of a call, and whether a factor is packed."""
        found, packed = [], False
        for place, (name, value) in enumerate((("x", x), ("y", y))):
            if isinstance(value, PackedFactor):
                if name != self.packs:
                    raise TypeError(f"{name}: an array; only {self.packs} may be packed, by k.pack of this kernel")
                if not self._takes(value):
                    raise TypeError(f"{name}: packed for another kernel; k.pack({name}) packs it for this one")
                found.append(value.array)
                packed = True
            else:
                found.append(self._array(name, value, place))
        names = [name for name, _ in self.request.more]
        given = by_name(names, operands, {}, False)
        others = [self._array(name, value, 3 + place) for place, (name, value) in enumerate(zip(names, given))]
        if out is None:
            made = np.empty(self.program.shape, self._result)
        else:
            made = self._array("out", out, 2)
            if not made.flags.writeable:
                raise ValueError("out: read-only")
            for name, each in zip(("x", "y", *names), (*found, *others)):
                if overlap(made, each):
                    raise ValueError(f"out: shares memory with {name}")
        return [*found, made, *others], packed

    @cached_property
    def _arrays(self) -> list[tuple[tuple[int, ...], str]]:
        """The shapes and types of x, y, the result and the further operands."""
        c, x, y = self.program.shapes
        types = self.program.equation.types
        more = [(each.tensor.shape, each.tensor.dtype) for _, each in self.request.more]
        return [(x, types[0]), (y, types[1]), (c, self.request.result), *more]

    def _native(self, packed: bool) -> Callable[..., object] | None:
        """Return the calls by machine code: of A, the panels or B, the result, the further operands."""
        names = ("x", "y", "c", *(name for name, _ in self.request.more))
        made = [CallArray(name, dtype, shape, gapless(shape)) for name, (shape, dtype) in zip(names, self._arrays)]
        found: list[CallArray] = self._ordered(made)
        if not packed:
            return None if self._unpacked is not None else packing_calls(self, found, (), self.request.threads)
        found[1] = CallArray(found[1].name, "u8", (self.bytes_b,), (1,))
        return native_calls(self, found, (), self.request.threads)

    def _array(self, name: str, value: ArrayLike, place: int) -> Array:
        array = as_array(name, of_tensor(name, value))
        shape, dtype = self._arrays[place]
        if array.shape != shape:
            raise ValueError(f"{name}: shape {shape}, not {array.shape}")
        if type_of(name, array) != dtype:
            raise TypeError(f"{name}: {dtype}, not {array.dtype}")
        if not array.flags.c_contiguous:
            raise ValueError(f"{name}: elements in C order without gaps; np.ascontiguousarray({name}) copies an array")
        return array

    def _definition(self) -> tuple[object, ...]:
        whole = self._whole
        summed = [self.program.names[loop] for loop in self.program.loops if loop.reduced]
        shape = [axis.extent for axis in whole.b.axes]
        numbered = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
        return definition.defined(whole.loops, summed, whole.a, whole.b, whole.c, whole.more), numbered

    def __reduce__(self) -> tuple[type[Tensorized], tuple[object, ...]]:
        return Tensorized, (self.request, self._tuned)

    def __repr__(self) -> str:
        return f"<tensorized {self.program.equation.text} for {self.target.name}>"

    def __str__(self) -> str:
        """Return the program, the plan, and the loops with their calls as text."""
        plan = (f"  {line}" for line in str(self.plan).splitlines())
        title = f"tensorized for {self.target.name}: {self.program}"
        mapping = f"  {self.mapping or 'lanes along the sum'}"
        names = [*self._ordered(["x", "y", "c"]), "own scratch"]
        names[1] = f"panels of {names[1]}"
        return "\n".join([title, f"  {self.instruction}", mapping, *plan, *self._text(names)])


def operands_of(request: TensorizedRequest) -> list[IndexedArray]:
    """Return x, y, the result and the further operands as arrays of a contraction."""
    program = request.program
    data = [loop for loop in program.loops if not loop.reduced]
    axes = zip(program.shape, gapless(program.shape), data)
    result = tuple(IndexedAxis(extent, step, Affine(0, ((program.names[loop], 1),))) for extent, step, loop in axes)
    factors = (program.left, program.right, *(each for _, each in request.more))
    x, y, *more = (_indexed(program, each) for each in factors)
    return [x, y, IndexedArray(request.result, result), *more]


def _indexed(program: TensorProgram, factor: TensorFactor) -> IndexedArray:
    shape, found = factor.tensor.shape, list[IndexedAxis]()
    for extent, step, position in zip(shape, gapless(shape), factor.indices):
        terms = tuple((program.names[loop], by) for loop, by in position.terms)
        found.append(IndexedAxis(extent, step, Affine(position.constant, terms)))
    return IndexedArray(factor.tensor.dtype, tuple(found))


def gapless(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of an array in C order without gaps."""
    found, step = list[int](), 1
    for extent in reversed(shape):
        found.append(step)
        step *= extent
    return tuple(reversed(found))


def _unit(kernel: Kernel) -> str:
    """Return the name of the tensor instruction that a kernel's products run on; "" if it computes none."""
    product = getattr(kernel.plan, "product", None)
    while product is not None and not hasattr(product, "unit"):
        product = getattr(product, "product", None)
    if product is None:
        return ""
    found = product.tile or product.outer_product or product.unit
    return str(found.name) if found else "FMA"


class TensorCandidate(NamedTuple):
    """A tensor instruction of a target beside a program.

    mappings   the ways in which it computes the program
    reasons    why there is none
    """

    instruction: TensorInstruction
    mappings: tuple[LoopMapping, ...]
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        lines = [str(self.instruction), *(f"  {each}" for each in self.mappings or self.reasons)]
        return "\n".join(lines)


def multiplies(instruction: TensorInstruction, program: TensorProgram) -> bool:
    """Whether an instruction multiplies the program's types, in either order."""
    x, y, c = instruction.equation.types
    return program.equation.types in ((x, y, c), (y, x, c))
