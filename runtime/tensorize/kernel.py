"""`Tensorized`: the kernel of a tensor program, around the tensor instructions that the inspector finds for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.errors import UnsupportedError
from ...microkernels.tensorize.expressions import TensorFactor, TensorProgram
from ...microkernels.tensorize.inspect import LoopMapping, inspect
from ...microkernels.tensorize.instructions import TensorInstruction, instructions
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..arguments.arrays import Array
from ..arguments.layouts import gapless
from ..arguments.tracebacks import shortening
from ..contraction.arrays import Summed
from ..contraction.calls import CallArray
from ..contraction.form import Contraction, IndexedArray, IndexedAxis
from ..contraction.layer import LayerKernel, PackedFactor, PanelLayout, packed_again
from ..loops.code import Affine

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.expr.trace import TracedResults
    from ..api.typed import ArrayLike
    from ..contraction.tiling import TilingChoice
    from ..kernel.accuracy import Accuracy
    from ..kernel.callable import Kernel
    from ..verify.terms import SumOfProducts
    from . import definition
    from . import picture as pictures

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


def _packed_again(layout: Sequence[Any], array: Array) -> PackedFactor:
    """Return a factor from a pickle of an earlier version, whose layout began with the factor's name."""
    return packed_again(PanelLayout(layout[1], layout[2], 0, layout[3], layout[4]), array)


class Tensorized(LayerKernel[TensorizedRequest]):
    """The kernel of a tensor program: `k(x, y)`, where x and y are arrays of the program's tensors in its order, and
    further operands of an epilogue by name.

    k.plan         how the loops are cut; k.plan.rejected: the other ways, with reasons
    k.instruction  the tensor instruction that its products run on
    k.mapping      which loops its axes take; None where the lanes of a register are terms of one sum; k.picture()
    print(k)       the program, the plan, the loops and their calls; k.listing(), k.save(path), k.verify()
    k.pack(y)      y in panels, for factors that do not change: k(x, k.pack(y))
    """

    packs: str
    _stem = "tensorized"

    def __init__(self, request: TensorizedRequest, tuned: TilingChoice | None = None) -> None:
        """Make the kernel of a program. `packs` is the factor that `pack` takes: the one that has the result's last
        axis."""
        program = request.program
        x, y, c, *more = operands_of(request)
        of_c, *shapes = program.shapes
        last = next(reversed(c.steps), "")
        packs = "x" if last in x.steps and last not in y.steps else "y"
        named = [("x", x, shapes[0]), ("y", y, shapes[1])]
        (of_a, a, shape_a), (of_b, b, shape_b) = named if packs == "y" else reversed(named)
        operands = [(of_a, a, shape_a), (of_b, b, shape_b), ("c", c, of_c)]
        operands += [(name, at, each.tensor.shape) for (name, each), at in zip(request.more, more)]
        arrays = [CallArray(name, at.dtype, shape, gapless(shape)) for name, at, shape in operands]
        loops = tuple((name, extent or 1) for name, extent in program.equation.extents)
        self._whole = Contraction(loops, a, b, c, tuple(more))
        super().__init__(request, [self._whole], arrays, tuned)
        self._keep(packs=packs)

    @property
    def program(self) -> TensorProgram:
        """The program."""
        return self.request.program

    def recut(self, choice: TilingChoice) -> Tensorized:
        """Return the same kernel, cut in another way."""
        return Tensorized(self.request, choice)

    @cached_property
    def _beside(self) -> Summed | None:
        """The kernel of two factors where they lie, if it is not better to pack one in each call: so few products read
        each of its elements, and nothing is computed from the sums."""
        whole = self._whole
        used = self.flops // (2 * max(1, math.prod(axis.extent for axis in whole.b.axes)))
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
        roles, extents = self.plan.ways[0].roles, dict(self.program.equation.extents)
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
        return PackedFactor(self.panel_layout, self.panels(self.arrays[1].checked(factor)))

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
        a, b = (x, y) if self.packs == "y" else (y, x)
        return self._call(a, b, operands, named, out, threads)

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
        a, b = (x, y) if self.packs == "y" else (y, x)
        return self._run(a, b, operands, named, out, workers, turns)

    def _defined(self) -> SumOfProducts:
        summed = [self.program.names[loop] for loop in self.program.loops if loop.reduced]
        return definition.defined(self._whole, summed)

    def _title(self) -> str:
        return f"tensorized {self.program.equation.text} for {self.target.name}"

    def _about(self) -> list[str]:
        title = f"tensorized for {self.target.name}: {self.program}"
        return [title, f"  {self.instruction}", f"  {self.mapping or 'lanes along the sum'}"]


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


def _unit(kernel: Kernel) -> str:
    """Return the name of the tensor instruction that a kernel's products run on; "" if it computes none."""
    product = getattr(kernel.plan, "product", None)
    while product is not None and not hasattr(product, "unit"):
        product = getattr(product, "product", None)
    if product is None:
        return ""
    return str(product.unit.name) if product.unit else "FMA"


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
