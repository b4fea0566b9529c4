"""`tensorize`: the kernel of a tensor program, around the tensor instructions that the inspector finds for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import TARGETS
from ...microkernels.tensorize.expressions import TensorProgram
from ...microkernels.tensorize.inspect import LoopMapping, inspect
from ...microkernels.tensorize.instructions import TensorInstruction, instructions
from ..arguments.arrays import Array, address_of, as_array, bytes_of, numpy_dtype, overlap
from ..arguments.asked import type_of as named_type
from ..arguments.others import returned
from ..arguments.tracebacks import shortening
from ..contraction.arrays import Summed
from ..contraction.form import Contraction, IndexedArray, IndexedAxis
from ..contraction.kernel import Contracted
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..loops.code import Affine
from ..loops.job import drawn
from ..threads.policy import checked, workers_of

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.contract.equation import Access
    from ..api.typed import ArrayLike, TargetLike
    from ..kernel.callable import Kernel


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


class PackedFactor:
    """A factor of a program in the panels that its kernel reads: see `Tensorized.pack`."""

    __slots__ = ("array", "kernel")

    def __init__(self, kernel: Tensorized, array: Array) -> None:
        self.kernel, self.array = kernel, array

    def __reduce__(self) -> tuple[type[PackedFactor], tuple[object, ...]]:
        return PackedFactor, (self.kernel, np.array(self.array))


class Tensorized(Contracted):
    """The kernel of a tensor program: `k(x, y)`, where x and y are arrays of the program's tensors in its order.

    k.plan         how the loops are cut; k.plan.rejected: the other ways, with reasons
    k.instruction  the tensor instruction that its products run on
    k.mapping      which loops its axes take; None where the lanes of a register are terms of one sum
    print(k)       the program, the plan, the loops and their calls; k.listing(), k.save(path), k.verify()
    k.pack(y)      y in panels, for factors that do not change: k(x, k.pack(y))
    """

    program: TensorProgram
    packs: str
    _stem = "tensorized"

    def __init__(self, program: TensorProgram, target: Target) -> None:
        """Make the kernel of a program. `packs` is the factor that `pack` takes: the one that has the result's last
        axis."""
        x, y, c = _operands(program)
        last = next(name for name in reversed(c.steps)) if c.steps else ""
        packs = "x" if last in x.steps and last not in y.steps else "y"
        a, b = (y, x) if packs == "x" else (x, y)
        loops = program.equation.extents
        contraction = Contraction(tuple((name, extent or 1) for name, extent in loops), a, b, c)
        super().__init__([contraction], target, None, (), None)
        self._keep(program=program, packs=packs)

    @cached_property
    def _plain(self) -> Summed:
        """The kernel of two factors where they lie."""
        x, y, c = _operands(self.program)
        loops = tuple((name, extent or 1) for name, extent in self.program.equation.extents)
        return Summed(Contraction(loops, x, y, c), self.target, "tensorized")

    @property
    def instruction(self) -> TensorInstruction:
        """The tensor instruction that the products of the job run on."""
        return self._taken[0]

    @property
    def mapping(self) -> LoopMapping | None:
        """The loops that the instruction's axes take: rows and columns of the kernels' products, and their depth.
        Copies may lengthen the chain of the rows."""
        return self._taken[1]

    @cached_property
    def _taken(self) -> tuple[TensorInstruction, LoopMapping | None]:
        name = next(filter(None, map(_unit, self.called())), "FMA")
        rows = [each.instruction for each in _candidates(self.program, self.target) if each.instruction.name == name]
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
        """Copy the factor that has the result's last axis into panels. It may change or be freed afterwards."""
        place = 0 if self.packs == "x" else 1
        return PackedFactor(self, self.panels(self._array(self.packs, factor, place)))

    @shortening
    def __call__(
        self,
        x: ArrayLike | PackedFactor,
        y: ArrayLike | PackedFactor,
        out: ArrayLike = None,
        *,
        threads: int | None = None,
    ) -> ArrayLike:
        """Return the sums of the program, in `out` or in a new array. Any number of threads gives the same bits."""
        arrays, packed = self._checked(x, y, out)
        addresses = [address_of(each) for each in arrays]
        if packed:
            self.at(self._ordered(addresses), workers_of(threads, None))
        else:
            self._plain.at(addresses, workers_of(threads, None))
        given = tuple(each for each in (x, y) if not isinstance(each, PackedFactor))
        return returned(arrays[2], given) if out is None else out

    def run(
        self,
        x: ArrayLike | PackedFactor,
        y: ArrayLike | PackedFactor,
        out: ArrayLike = None,
        *,
        workers: int = 1,
        turns: int = 0,
        **named: int,
    ) -> ArrayLike:
        """Compute in the emulator, which executes the code for any target on any host. The order and lengths of the
        workers' turns are drawn from the number `turns`; if two workers race, `Race` is raised."""
        turns = drawn(turns, named, ())
        if named:
            raise TypeError(f"{next(iter(named))}: run has x, y, out, workers and turns")
        arrays, packed = self._checked(x, y, out)
        addresses = [address_of(each) for each in arrays]
        regions = [(name, bytes_of(each), name == "c") for name, each in zip("xyc", arrays)]
        if packed:
            self.emulated(self._ordered(addresses), regions, checked(workers, "workers"), turns)
        else:
            self._plain.emulated(addresses, regions, checked(workers, "workers"), turns)
        given = tuple(each for each in (x, y) if not isinstance(each, PackedFactor))
        return returned(arrays[2], given) if out is None else out

    def _ordered(self, addresses: list[int]) -> list[int]:
        x, y, c = addresses
        return [y, x, c] if self.packs == "x" else [x, y, c]

    def _checked(
        self, x: ArrayLike | PackedFactor, y: ArrayLike | PackedFactor, out: ArrayLike
    ) -> tuple[list[Array], bool]:
        """Return the arrays of a call, and whether a factor is packed."""
        found, packed = [], False
        for place, (name, value) in enumerate((("x", x), ("y", y))):
            if isinstance(value, PackedFactor):
                if name != self.packs or value.kernel.program is not self.program or value.kernel.target != self.target:
                    raise TypeError(f"{name}: an array; only {self.packs} may be packed, by k.pack of this kernel")
                found.append(value.array)
                packed = True
            else:
                found.append(self._array(name, value, place))
        if out is None:
            made = np.empty(self.program.shape, numpy_dtype(self.program.result))
        else:
            made = self._array("out", out, 2)
            if not made.flags.writeable:
                raise ValueError("out: read-only")
            for name, each in zip("xy", found):
                if overlap(made, each):
                    raise ValueError(f"out: shares memory with {name}")
        return [*found, made], packed

    def _array(self, name: str, value: ArrayLike, place: int) -> Array:
        array = as_array(name, of_tensor(name, value))
        c, x, y = self.program.shapes
        shape, dtype = (x, y, c)[place], self.program.equation.types[place]
        if array.shape != shape:
            raise ValueError(f"{name}: shape {shape}, not {array.shape}")
        if named_type(name, array) != dtype:
            raise TypeError(f"{name}: {dtype}, not {array.dtype}")
        if not array.flags.c_contiguous:
            raise ValueError(f"{name}: elements in C order without gaps; np.ascontiguousarray({name}) copies an array")
        return array

    def __reduce__(self) -> tuple[type[Tensorized], tuple[object, ...]]:
        return Tensorized, (self.program, self.target)

    def __repr__(self) -> str:
        return f"<tensorized {self.program.equation.text} for {self.target.name}>"

    def __str__(self) -> str:
        """Return the program, the plan, and the loops with their calls as text."""
        plan = (f"  {line}" for line in str(self.plan).splitlines())
        title = f"tensorized for {self.target.name}: {self.program}"
        mapping = f"  {self.mapping or 'lanes along the sum'}"
        return "\n".join(
            [title, f"  {self.instruction}", mapping, *plan, *self._text(["a", "panels of b", "c", "own scratch"])]
        )


def _operands(program: TensorProgram) -> tuple[IndexedArray, IndexedArray, IndexedArray]:
    """Return x, y and the result as arrays of a contraction."""
    c, x, y = program.equation.accesses
    of_c, of_x, of_y = program.shapes
    types = program.equation.types
    return _operand(types[0], x, of_x), _operand(types[1], y, of_y), _operand(types[2], c, of_c)


def _operand(dtype: str, access: Access, shape: tuple[int, ...]) -> IndexedArray:
    axes: list[IndexedAxis] = []
    step = 1
    for extent, position in zip(reversed(shape), reversed(access.indices)):
        terms = tuple((name, factor) for factor, name in position.terms)
        axes.insert(0, IndexedAxis(extent, step, Affine(position.constant, terms)))
        step *= extent
    return IndexedArray(dtype, tuple(axes))


def _unit(kernel: Kernel) -> str:
    """Return the name of the tensor instruction that a kernel's products run on; "" if it computes none."""
    product = getattr(kernel.plan, "product", None)
    while product is not None and not hasattr(product, "unit"):
        product = getattr(product, "product", None)
    if product is None:
        return ""
    found = product.tile or product.outer_product or product.unit
    return str(found.name) if found else "FMA"


def candidates(program: TensorProgram, target: TargetLike = None) -> tuple[TensorCandidate, ...]:
    """Return the tensor instructions of a target that multiply the program's types, with the ways in which each
    computes it, or the reasons why it cannot. Print them: they name operands, axes and loops."""
    _check(program)
    return tuple(_candidates(program, host.resolve(target)))


def _candidates(program: TensorProgram, target: Target) -> Iterator[TensorCandidate]:
    types = program.equation.types
    for each in instructions(target):
        x, y, c = each.equation.types
        if types in ((x, y, c), (y, x, c)):
            yield TensorCandidate(each, *inspect(program, each))


@shortening
def tensorize(program: TensorProgram, target: TargetLike = None, instruction: str | None = None) -> Tensorized:
    """Return the kernel of a tensor program: `k(x, y)`.

    program      what ts.sum of a product of two elements of tensors returns
    target       the target; None: this host
    instruction  the name of the tensor instruction that the products run on, as `tensorize.candidates` lists them;
                 None: what is fastest on the target

    Raises UnsupportedError if no tensor instruction of the target computes the program, with the operand, the axis and
    the loop that are in the way.
    """
    _check(program)
    on = host.resolve(target)
    found = list(_candidates(program, on))
    types = " x ".join(program.equation.types[:2])
    if not found:
        able = [name for name, each in TARGETS.items() if any(_candidates(program, each))]
        hint = f"targets that do: {', '.join(able)}" if able else "no target does"
        raise UnsupportedError(f"tensorize: {on.name} does not sum {types} in {program.result}; {hint}")
    if not any(each.mappings for each in found):
        raise UnsupportedError(f"tensorize: {'; '.join(dict.fromkeys(r for each in found for r in each.reasons[:3]))}")
    made = Tensorized(program, on)
    if instruction is not None:
        names = list(dict.fromkeys(each.instruction.name for each in found))
        if instruction not in names:
            raise ValueError(f"instruction: one of {', '.join(names)} for {types} on {on.name}, not {instruction!r}")
        if made.instruction.name != instruction:
            raise UnsupportedError(
                f"instruction: the products of this program run on {made.instruction.name} on {on.name}, which is "
                f"faster there than {instruction}; a target without it runs them on others"
            )
    return made


tensorize.candidates = candidates  # type: ignore[attr-defined]


def _check(program: object) -> None:
    if not isinstance(program, TensorProgram):
        raise TypeError(
            "program: a sum of products, such as ts.sum(x[i, k] * y[k, j], axis=k) of tensors and axes, not "
            f"{type(program).__name__}"
        )
