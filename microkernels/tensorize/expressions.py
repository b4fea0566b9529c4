"""Tensor programs: the sum of products of elements of two tensors, over loops, with indices that are affine in them.

    n, p, q, k = ts.axis(1, 14, 14, 192)
    r, s, c = ts.reduce_axis(3, 3, 192)
    x, w = ts.tensor((1, 16, 16, 192), "u8"), ts.tensor((3, 3, 192, 192), "i8")
    program = ts.sum(ts.i32(x[n, p + r, q + s, c]) * ts.i32(w[r, s, c, k]), axis=(r, s, c))

The result has an axis for each data-parallel loop, in the order in which `axis` made them: y[n, p, q, k]. The form is
that of UNIT (Weng et al., section III.A). An instruction is a program of the same form, an `Equation`, so that the
inspector compares like with like.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from ...encoder.records import dataclass
from ..contract.equation import Access, Equation
from ..dtypes import DTYPES, element_type

_COUNTER = itertools.count()
SUMS = ("i32", "f32", "f64")
"""The types of sums."""


class AffineLoops:
    """A sum of loops times integers, and an integer: what an index is."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Sequence[tuple[LoopAxis, int]], constant: int) -> None:
        self.terms, self.constant = tuple(each for each in terms if each[1]), constant

    def __add__(self, other: AffineLoops | int) -> AffineLoops:
        if not isinstance(other, (AffineLoops, int)):
            return NotImplemented
        constant, terms = (0, ()) if isinstance(other, int) else (other.constant, other.terms)
        total = dict(self.terms)
        for loop, factor in terms:
            total[loop] = total.get(loop, 0) + factor
        return AffineLoops(tuple(total.items()), self.constant + (other if isinstance(other, int) else constant))

    __radd__ = __add__

    def __mul__(self, factor: int) -> AffineLoops:
        if not isinstance(factor, int):
            raise TypeError("an index: a sum of axes times whole numbers; an axis times an axis is none")
        return AffineLoops([(loop, each * factor) for loop, each in self.terms], self.constant * factor)

    __rmul__ = __mul__

    def __neg__(self) -> AffineLoops:
        return self * -1

    def __sub__(self, other: AffineLoops | int) -> AffineLoops:
        return self + (-other)

    def __rsub__(self, other: int) -> AffineLoops:
        return -self + other

    @property
    def span(self) -> tuple[int, int]:
        """The least and the greatest value."""
        ends = [factor * (loop.extent - 1) for loop, factor in self.terms]
        return self.constant + sum(min(0, end) for end in ends), self.constant + sum(max(0, end) for end in ends)


class LoopAxis(AffineLoops):
    """A loop: data parallel, or one that is summed over.

    extent    its iterations
    reduced   whether it is summed over
    name      what texts call it; "" for one that its program names
    """

    __slots__ = ("extent", "name", "number", "reduced")

    def __init__(self, extent: int, reduced: bool, name: str) -> None:
        self.extent, self.reduced, self.name = extent, reduced, name
        self.number = next(_COUNTER)
        super().__init__([(self, 1)], 0)

    def __repr__(self) -> str:
        return f"{'reduce_axis' if self.reduced else 'axis'}({self.extent})"


def axis(*extents: int, names: str = "") -> LoopAxis | tuple[LoopAxis, ...]:
    """Return a data-parallel loop of a tensor program for each extent; a single one is no tuple.

    names   what plans and errors call them, such as "n p q k"; without, a program counts them: i0, i1, ...

        n, k = ts.axis(1, 64)
    """
    return _loops(extents, names, False)


def reduce_axis(*extents: int, names: str = "") -> LoopAxis | tuple[LoopAxis, ...]:
    """Return a loop that a tensor program sums over for each extent, as `axis` does: r0, r1, ... without names."""
    return _loops(extents, names, True)


def _loops(extents: Sequence[int], names: str, reduced: bool) -> LoopAxis | tuple[LoopAxis, ...]:
    for each in extents:
        if not isinstance(each, int) or isinstance(each, bool) or each < 1:
            raise ValueError(f"extents: whole numbers of 1 or more, not {each!r}")
    if not extents:
        raise ValueError("extents: one or more")
    called = names.split() or [""] * len(extents)
    if len(called) != len(extents):
        raise ValueError(f"names: {len(extents)} names with spaces between, not {names!r}")
    bad = [each for each in called if each and not each.isidentifier()]
    if bad:
        raise ValueError(f"names: of letters and digits, not {bad[0]!r}")
    made = tuple(LoopAxis(extent, reduced, name) for extent, name in zip(extents, called))
    return made if len(made) > 1 else made[0]


class ProgramTensor:
    """A tensor of a program, whose elements lie in C order without gaps: see `tensor`."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: str) -> None:
        self.shape, self.dtype = shape, dtype

    def __getitem__(self, indices: AffineLoops | int | tuple[AffineLoops | int, ...]) -> TensorElement:
        given = indices if isinstance(indices, tuple) else (indices,)
        if len(given) != len(self.shape):
            raise IndexError(f"{len(self.shape)} indices for a tensor of shape {self.shape}, not {len(given)}")
        found = []
        for place, (each, extent) in enumerate(zip(given, self.shape)):
            if not isinstance(each, (AffineLoops, int)) or isinstance(each, bool):
                raise TypeError(f"index {place}: a sum of axes times whole numbers, not {type(each).__name__}")
            position = AffineLoops((), each) if isinstance(each, int) else each
            least, most = position.span
            if least < 0 or most >= extent:
                raise IndexError(
                    f"index {place}: from {least} to {most}, and axis {place} of shape {self.shape} has elements 0 to "
                    f"{extent - 1}; a tensor with a rim, padded by the caller, has them all"
                )
            found.append(position)
        return TensorElement(self, tuple(found))

    def __repr__(self) -> str:
        return f"tensor({self.shape}, {self.dtype!r})"


def tensor(shape: int | Sequence[int], dtype: str) -> ProgramTensor:
    """Return a tensor for programs: a shape and an element type, without elements.

    `x[n, p + r, c]` is an element of it at affine indices of the loops; none may lie outside.
    """
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    for each in extents:
        if not isinstance(each, int) or isinstance(each, bool) or each < 1:
            raise ValueError(f"shape: whole numbers of 1 or more, not {each!r}")
    return ProgramTensor(extents, element_type("dtype", dtype))


class TensorExpression:
    """An element of a tensor, perhaps converted, or the product of two."""

    __slots__ = ()

    def __mul__(self, other: TensorFactor) -> FactorProduct:
        if not (isinstance(self, TensorFactor) and isinstance(other, TensorFactor)):
            raise TypeError("a tensor program multiplies two elements; a third factor is another program")
        return FactorProduct(self, other)

    def __add__(self, other: object) -> TensorExpression:
        raise TypeError("a tensor program sums products over its reduce axes by ts.sum(...); it has no other additions")

    __radd__ = __sub__ = __rsub__ = __truediv__ = __add__


@dataclass(frozen=True, eq=False)
class TensorFactor(TensorExpression):
    """An element, as a number of a type.

    type   what it is converted to before it is multiplied
    """

    tensor: ProgramTensor
    indices: tuple[AffineLoops, ...]
    type: str


class TensorElement(TensorFactor):
    """An element without a conversion."""

    def __init__(self, of: ProgramTensor, indices: tuple[AffineLoops, ...]) -> None:
        super().__init__(of, indices, of.dtype)


class FactorProduct(TensorExpression):
    """The product of two elements."""

    __slots__ = ("left", "right")

    def __init__(self, left: TensorFactor, right: TensorFactor) -> None:
        self.left, self.right = left, right


def _converted(value: TensorExpression, dtype: str) -> TensorFactor:
    if not isinstance(value, TensorFactor):
        raise TypeError(f"ts.{dtype}: an element of a tensor, such as ts.{dtype}(x[i])")
    if DTYPES[value.tensor.dtype].real != DTYPES[dtype].real:
        raise TypeError(
            f"ts.{dtype}: {value.tensor.dtype} is not converted to {dtype}; {_wider(value.tensor.dtype)}, and both "
            "factors of a product are floats, or both are integers"
        )
    return TensorFactor(value.tensor, value.indices, dtype)


def _wider(dtype: str) -> str:
    return "ts.f32 or ts.f64 convert floats" if DTYPES[dtype].real else "ts.i32 converts integers"


def i32(value: TensorExpression) -> TensorFactor:
    """Return an element of a tensor of integers as i32, in which its products are summed, modulo 2^32."""
    return _converted(value, "i32")


def f32(value: TensorExpression) -> TensorFactor:
    """Return an element of a tensor of floats as f32, in which its products are summed."""
    return _converted(value, "f32")


def f64(value: TensorExpression) -> TensorFactor:
    """Return an element of a tensor of floats as f64, in which its products are summed."""
    return _converted(value, "f64")


@dataclass(frozen=True, eq=False)
class TensorProgram:
    """A sum of products: what `ts.sum` of a product of elements returns.

    loops    data-parallel ones in the order of the result's axes, then those that are summed over
    result   the type of the sums
    """

    left: TensorFactor
    right: TensorFactor
    loops: tuple[LoopAxis, ...]
    result: str

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return tuple(each.extent for each in self.loops if not each.reduced)

    @property
    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """The shapes of the result, x and y."""
        return self.shape, self.left.tensor.shape, self.right.tensor.shape

    @cached_property
    def names(self) -> dict[LoopAxis, str]:
        """The name of each loop."""
        taken = {each.name for each in self.loops}
        free = {kind: _free(kind, taken) for kind in "ir"}
        return {each: each.name or next(free["r" if each.reduced else "i"]) for each in self.loops}

    @cached_property
    def equation(self) -> Equation:
        """The program as an index equation: c is the result, x and y the factors."""
        names = self.names
        into = ", ".join(names[each] for each in self.loops if not each.reduced) or "0"
        x, y = (", ".join(self.text_of(each)) for each in (self.left, self.right))
        types = self.left.tensor.dtype, self.right.tensor.dtype, self.result
        extents = tuple((names[each], each.extent) for each in self.loops)
        return Equation(f"c[{into}] += x[{x}] * y[{y}]", types, extents)

    def text_of(self, factor: TensorFactor) -> list[str]:
        """Return the indices of an element as text."""
        return [self._text(index) for index in factor.indices]

    def _text(self, index: AffineLoops) -> str:
        found = [self.names[loop] if factor == 1 else f"{factor}*{self.names[loop]}" for loop, factor in index.terms]
        return "+".join([*found, *([str(index.constant)] if index.constant or not found else [])])

    @cached_property
    def steps(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """The elements of memory that an iteration of each loop moves in the result, in x and in y, which lie in C
        order without gaps. Two places of the loops meet the same element just where these sums are equal."""
        c, x, y = (_steps(each, shape) for each, shape in zip(self.equation.accesses, self.shapes))
        return c, x, y

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        extents = ", ".join(f"{name} {extent}" for name, extent in self.equation.extents)
        x, y, c = self.equation.types
        return f"{self.equation.text}   x {x}, y {y}, c {c}; {extents}"


def _free(kind: str, taken: set[str]) -> Iterator[str]:
    return (name for count in itertools.count() if (name := f"{kind}{count}") not in taken)


def _steps(access: Access, shape: Sequence[int]) -> dict[str, int]:
    """Return the elements that each axis moves in an array in C order."""
    found: dict[str, int] = {}
    for place, each in enumerate(access.indices):
        for factor, name in each.terms:
            found[name] = found.get(name, 0) + factor * math.prod(shape[place + 1 :])
    return {name: step for name, step in found.items() if step}


Loops: TypeAlias = "LoopAxis | Sequence[LoopAxis] | None"


def summed(product: TensorExpression, over: Loops) -> TensorProgram:
    """Return the program that sums a product over loops. Raises ValueError naming the loop that cannot be right."""
    if not isinstance(product, FactorProduct):
        raise TypeError("ts.sum: the product of two elements, such as ts.sum(x[i, k] * y[k, j], axis=k)")
    left, right = product.left, product.right
    used = {loop for each in (left, right) for index in each.indices for loop, _ in index.terms}
    loops = sorted(used, key=lambda loop: (loop.reduced, loop.number))
    given = () if over is None else (over,) if isinstance(over, LoopAxis) else tuple(over)
    named = [each.name for each in loops if each.name]
    twice = [name for name in named if named.count(name) > 1]
    if twice:
        raise ValueError(f"names: {twice[0]} is the name of two axes")
    for loop in given:
        if not isinstance(loop, LoopAxis) or not loop.reduced:
            raise ValueError("axis: loops that ts.reduce_axis made; those of ts.axis are axes of the result")
        if loop not in used:
            raise ValueError(f"axis: {loop!r} is in neither factor, so that it repeats elements: leave it out")
    missing = [loop for loop in loops if loop.reduced and loop not in given]
    if missing:
        raise ValueError(f"axis: {missing[0]!r} is in the product and not summed over; add it to axis=")
    if DTYPES[left.type].real != DTYPES[right.type].real:
        raise TypeError(
            f"ts.sum: a product of {left.type} and {right.type}; tensor programs multiply floats by floats and "
            "integers by integers: give both factors one kind; ts.matmul and ts.linear take floats by narrow integers"
        )
    if left.type != right.type:
        raise TypeError(f"ts.sum: a product of {left.type} and {right.type}; convert both, {_wider(left.tensor.dtype)}")
    if left.type not in SUMS:
        raise TypeError(f"ts.sum: products of {left.type} in a type of sums: {_wider(left.type)}")
    return TensorProgram(left, right, tuple(loops), left.type)
