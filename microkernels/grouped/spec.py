"""GroupedSpec: a fused request for a group of rows, for several groups one after the other, and for several samples.

Rows do not depend on those of other groups, so the kernel of one group, called for each of them, computes all. A matrix
has the rows of all groups of all samples. Shared operands have the rows of one sample: inputs that all samples read,
and results that are sums over the samples.

    group normalisation of (samples, channels, positions):   a row for each channel; gamma, beta and the derivatives
                                                             with respect to them are shared
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import prod

from ...encoder.records import cached_property, dataclass
from ..errors import UnsupportedError
from ..expr.graph import expressions, operand
from ..expr.program import program
from ..fused.spec import BEFORE, FusedSpec, elementwise, fused_spec
from ..operands import (
    DEEP,
    GivenExtent,
    Interface,
    Number,
    Operand,
    View,
    again,
    aliasing_of,
    extent,
    given_extents,
)
from ..tensor.extent import SymbolicExtent


@dataclass(frozen=True)
class GroupedSpec:
    """A request for `groups` groups in each of `samples` samples, made by `grouped_spec`, which checks.

    request  the request of one group
    samples  a number, or what each call gives, with arrays whose first axis it is
    shared   operands that have the rows of one sample
    shapes   of the arrays of a call, for each operand, if these are not matrices
    """

    request: FusedSpec
    groups: int
    samples: int
    shared: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments of one group, with the rows of all groups."""
        return tuple(self._whole(each) if isinstance(each, Operand) else each for each in self.request.arguments)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The arguments that are matrices."""
        return tuple(each for each in self.arguments if isinstance(each, Operand))

    @property
    def inputs(self) -> tuple[Operand, ...]:
        """The operands that are read."""
        return tuple(each for each in self.operands if not each.output)

    @property
    def outputs(self) -> tuple[Operand, ...]:
        """The operands that are written."""
        return tuple(each for each in self.operands if each.output)

    def _whole(self, operand: Operand) -> Operand:
        axes = self._axes.get(operand.name)
        if axes is not None:
            columns = prod(axes[1:])
            return operand._replace(rows=axes[0], columns=columns, view=View("C", columns), axes=axes)
        return operand._replace(rows=operand.rows * self.places(operand))

    def places(self, operand: Operand) -> int:
        """The number of groups, of all samples, that an operand has rows for."""
        return self.groups * (1 if operand.name in self.shared else self.samples)

    @cached_property
    def _axes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of arrays that are not matrices, by the names of their operands."""
        return dict(zip((each.name for each in self.request.operands), self.shapes))

    @cached_property
    def later(self) -> FusedSpec | None:
        """The request of a group of a further sample, which adds to the value of shared results; None if it is the same
        as for the first sample."""
        added = [y for y in self.request.outputs if y.name in self.shared]
        if self.samples == 1 or not added:
            return None
        plain = elementwise(self.request)
        before = {y.name: y._replace(name=f"{y.name}{BEFORE}", output=False) for y in added}
        results = [
            operand(before[y.name].name, y.dtype) + expr if y.name in before else expr
            for y, expr in zip(plain.outputs, expressions(plain.program))
        ]
        return fused_spec(replace(plain, program=program(*results), inputs=(*plain.inputs, *before.values())))

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        aliasing = aliasing_of(self.arguments, self.in_place)
        return Interface(self.arguments, self.given, aliasing, DEEP, tuple(self._axes))

    @property
    def given(self) -> tuple[GivenExtent, ...]:
        """The number of samples, if a call gives it, with the arrays that have it."""
        if not isinstance(self.samples, SymbolicExtent):
            return ()
        return given_extents(self.operands, {str(self.samples): self.extent})

    @property
    def extent(self) -> str:
        """The name of the C function's parameter for the number of samples."""
        taken = {each.name for each in self.arguments}
        return next(name for name in ("samples", "sample_count", "number_of_samples", "samples_") if name not in taken)

    def of(self, samples: int) -> GroupedSpec:
        """Return the request of so many samples: of matrices, unless the first axis of arrays is that number."""
        if not self.given:
            return replace(self, samples=samples, shapes=())
        shapes = ((samples, *each[1:]) if each[:1] == (self.samples,) else each for each in self.shapes)
        return replace(self, samples=samples, shapes=tuple(shapes))

    @property
    def in_place(self) -> tuple[str, ...]:
        """The inputs that may also be an output. Shared inputs may not, since they are read again."""
        return tuple(name for name in self.request.in_place if name not in self.shared)

    def again(self) -> GroupedSpec:
        """Return the request made again by its function, which checks it."""
        return grouped_spec(again(self.request, FusedSpec), self.groups, self.samples, self.shared, self.shapes)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.request.name

    @property
    def bits(self) -> frozenset[str]:
        """The operands that hold a bit for each element."""
        return self.request.bits

    @property
    def m(self) -> int:
        """The number of rows of the matrices."""
        return self.request.m * self.groups * self.samples

    @property
    def n(self) -> int:
        """The number of columns of the matrices."""
        return self.request.n

    @property
    def compute(self) -> str:
        """The type of the arithmetic."""
        return self.request.compute

    @property
    def equation(self) -> str:
        """The function call as one line."""
        return self.request.equation

    @property
    def flops(self) -> int:
        """Floating-point operations of all groups, or of those of a sample if a call gives their number."""
        return self.request.flops * self.groups * (1 if self.given else self.samples)

    @property
    def stem(self) -> str:
        """Function, types and shape of a group, and the number of groups and samples."""
        return f"{self.request.stem}_{self.groups}_{self.samples}"

    def __str__(self) -> str:
        types = ", ".join(f"{x.name} {x.dtype} {x.rows}x{x.columns}" for x in self.operands)
        return (
            f"{self.equation}   {types}; computed in {self.compute}; {self.groups} groups of {self.request.m} rows "
            f"in each of {self.samples} samples"
        )


def grouped_spec(
    request: FusedSpec,
    groups: int,
    samples: int,
    shared: Collection[str],
    shapes: Sequence[tuple[int, ...]] = (),
) -> GroupedSpec:
    """Return a checked request for several groups, from the request of one group.

    shapes   of the arrays of a call, in the order of the operands, if they have other axes than the matrices

    Raises UnsupportedError with the reason and an alternative.
    """
    groups, samples = extent("groups", groups), extent("samples", samples)
    if request.dynamic:
        raise UnsupportedError(f"{request.name}: a group has a number of rows, not ts.RUNTIME")
    if request.layouts:
        raise UnsupportedError(
            f'{request.name}: groups of rows need matrices of order "C"; convert others with ts.transpose'
        )
    if request.placed or request.by_index:
        raise UnsupportedError(
            f"{request.name}: groups of rows cannot have random numbers or rows by "
            "an index, which depend on the place of a row; use a separate kernel "
            "for those"
        )
    unknown = set(shared) - {each.name for each in request.operands}
    if unknown:
        raise ValueError(f"shared: takes names of operands, not {min(unknown)}")
    for y in request.outputs:
        if y.name in shared and y.dtype != request.compute:
            raise UnsupportedError(
                f"{y.name}: a sum over samples is stored in the type of the "
                f"arithmetic, {request.compute}, not {y.dtype}; convert it with "
                "ts.convert"
            )
    names = tuple(each.name for each in request.operands if each.name in shared)
    made = GroupedSpec(request, groups, samples, names, tuple(map(tuple, shapes)))
    for each in made.operands:
        extent(f"rows of {each.name}", each.rows)
    if shapes:
        _check_shapes(made)
    if made.given and made.later:
        raise UnsupportedError(f"{request.name}: sums over samples need a number of samples, not ts.RUNTIME")
    return made


def _check_shapes(spec: GroupedSpec) -> None:
    """Check that each array has the elements of the operand's rows, which have no gaps."""
    for each, shape in zip(spec.request.operands, spec.shapes, strict=True):
        rows = each.rows * spec.places(each)
        if prod(shape) != rows * each.columns or each.view.leading != each.columns:
            raise ValueError(
                f"shapes: {each.name} has {rows} rows of {each.columns} elements without gaps, not {shape}"
            )
