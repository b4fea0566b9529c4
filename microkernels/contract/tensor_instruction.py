"""Tensor instructions as rows: an index equation, and which element of its operands each place of a register holds.

    GROUPS_OF_4 = ProductForm("c[i] += x[4*i+e] * y[e]", c="i", x="e:4 i", y="e:4 *")

A *fragment* is what the registers of one operand hold, as CuTe's MMA traits describe it. The number of a place, counted
from the lowest bits of the first register, has digits, the lowest first. `e:4 i` says that place 4 i + e holds the
element of axes i and e. A digit without an extent takes all places that are left, and `*` are copies. An axis may have
several digits: in `i:2 j:2 i`, place 4 (i // 2) + 2 j + i % 2 holds the element of i and j.

The tables of the machines make an instruction of a form and of types. All other properties follow from them: the depth
of a group, the extents of the axes, and the equation over places of registers, in which UNIT prints instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import prod

from ...encoder.records import NamedTuple
from .equation import Equation, accesses_of

COPIES = "*"


class Fragment(NamedTuple):
    """The elements of an operand in registers. `digits` are (axis, extent) of the digits of a place's number."""

    dtype: str  # of a place; differs from that of the operand if a load converts
    digits: tuple[tuple[str, int | None], ...]

    def axes_of_places(self, places: int) -> Iterator[dict[str, int]]:
        """Yield the values of the axes at each of so many places."""
        for place in range(places):
            left, axes, weights = place, dict[str, int](), dict[str, int]()
            for axis, extent in self.digits:
                left, digit = (0, left) if extent is None else divmod(left, extent)
                if axis != COPIES:
                    weight = weights.get(axis, 1)
                    axes[axis] = axes.get(axis, 0) + weight * digit
                    weights[axis] = weight * (extent or 1)
            yield axes

    def __str__(self) -> str:
        return " ".join(axis if extent is None else f"{axis}:{extent}" for axis, extent in self.digits)


class ProductForm(NamedTuple):
    """The form of a product, which instructions of several types share: its equation, and the digits of places."""

    text: str
    c: str
    x: str
    y: str

    def extents(self, sides: Mapping[str, int]) -> tuple[tuple[str, int | None], ...]:
        """Return the extents of the axes in loop order: those of the result, then those that are summed over. An axis
        that no digit limits has the extent in `sides`; None if the width of registers decides."""
        found: dict[str, int | None] = {}
        for digits in map(_digits, (self.y, self.x, self.c)):
            of_operand: dict[str, int | None] = {}
            for axis, extent in digits:
                some = of_operand.get(axis, 1)
                of_operand[axis] = None if extent is None or some is None else some * extent
            found.update(of_operand)
        result, first, _ = accesses_of(self.text)
        along, of_x = ([axis for index in each.indices for _, axis in index.terms] for each in (result, first))
        axes = dict.fromkeys([*along, *(axis for axis in of_x if axis not in along)])
        return tuple((axis, found.get(axis) or sides.get(axis)) for axis in axes)


class TensorInstruction(NamedTuple):
    """An instruction, or a sequence of them that gives the same bits, as a tensor program whose operands are registers.

    name       as the plans of kernels call it
    equation   c are the accumulators; an extent of None is their number, which the width of registers decides
    replaced   whether a sequence stands in for the instruction, which the target lacks
    fragments  those of c, x and y; empty where one product is several instructions, of which each has its own
    """

    name: str
    equation: Equation
    replaced: bool = False
    fragments: tuple[Fragment, ...] = ()

    @property
    def depth(self) -> int:
        """The elements of a group, which are neighbours along k."""
        return dict(self.equation.extents).get("e") or 1

    @property
    def by_places(self) -> str:
        """The equation over the places of registers: c[i] += x[4*i+e] * y[4*i+e] of VPDPBUSD."""
        c, x, y = (
            f"{operand}[{_place(each, self.fragments[0])}]" for operand, each in zip("cxy", self.fragments, strict=True)
        )
        return f"{c} += {x} * {y}"

    def __str__(self) -> str:
        x, y, c = self.equation.types
        extents = ", ".join(f"{name} {extent or 'lanes'}" for name, extent in self.equation.extents)
        name = f"{self.name}, by a sequence of other instructions" if self.replaced else self.name
        return f"{name}: {self.equation.text}   x {x}, y {y}, c {c}; {extents}"


def instruction_of(
    name: str,
    form: ProductForm,
    types: tuple[str, str, str],
    *,
    single: bool,
    replaced: bool = False,
    held: str = "",
    **sides: int,
) -> TensorInstruction:
    """Return the row of an instruction. types: of x, y and c. single: whether a product is one instruction. held: the
    type to which loads convert both factors. sides: the extents of axes that the form leaves open."""
    equation = Equation(form.text, types, form.extents(sides))
    x, y, c = types
    held_as = (c, held or x, held or y)
    fragments = tuple(Fragment(dtype, _digits(each, sides)) for dtype, each in zip(held_as, form[1:])) if single else ()
    return TensorInstruction(name, equation, replaced, fragments)


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[tuple[str, int | None], ...]:
    each = (digit.partition(":") for digit in text.split())
    return tuple((axis, int(extent) if extent else None) for axis, _, extent in each)


def _digits(text: str, sides: Mapping[str, int] | None = None) -> tuple[tuple[str, int | None], ...]:
    digits = _parsed(text)
    return digits if not sides else tuple((axis, extent or sides.get(axis)) for axis, extent in digits)


def _place(fragment: Fragment, sums: Fragment) -> str:
    """Return the place of an element as a sum of axes. Copies lie along the open digit of the sums."""
    terms, stride, weights = list[str](), 1, dict[str, int]()
    names = [axis for axis, _ in fragment.digits]
    for place, (axis, extent) in enumerate(fragment.digits):
        along, weight = axis, weights.get(axis, 1)
        if axis == COPIES:
            along = sums.digits[-1][0]
            weight = prod(extent or 1 for each, extent in sums.digits if each == along)
        digit = along if weight == 1 else f"({along}//{weight})"
        digit = f"({digit}%{extent})" if axis in names[place + 1 :] else digit
        terms.append(digit if stride == 1 else f"{stride}*{digit}")
        stride, weights[axis] = stride * (extent or 1), weight * (extent or 1)
    return "+".join(reversed(terms))


SINGLE = ProductForm("c[i] += x[i] * y[0]", c="i", x="i", y="*")
GROUPS_OF_2 = ProductForm("c[i] += x[2*i+e] * y[e]", c="i", x="e:2 i", y="e:2 *")
GROUPS_OF_4 = ProductForm("c[i] += x[4*i+e] * y[e]", c="i", x="e:4 i", y="e:4 *")
ROWS_OF_2 = ProductForm("c[i] += x[e, i] * y[e]", c="i", x="i", y="*")
"""Products of a row vector, or of rows of single elements, and a group that is the same for every accumulator."""

TWO_COLUMNS = {
    depth: ProductForm("c[j, i] += x[i, e] * y[j, e]", c="j:2 i:2 i", x=f"e:{depth} i:2 i", y=f"e:{depth} j:2 *")
    for depth in (4, 8)
}
BY_COLUMNS = TWO_COLUMNS[8]._replace(c="i:2 j:2 i")
"""Two rows by two columns in every 128 bits, by the elements of a row. BY_COLUMNS: y is the instruction's first factor,
so that the 2 x 2 results are transposed."""

TILES = {
    depth: ProductForm(
        f"c[j, i] += x[j, {depth}*s+e] * y[s, {depth}*i+e]",
        c="i:16 j:16",
        x=f"e:{depth} s:16 j:16",
        y=f"e:{depth} i:16 s:16",
    )
    for depth in (2, 4)
}
OUTER_PRODUCTS = {
    depth: ProductForm(f"c[j, i] += x[{depth}*j+e] * y[{depth}*i+e]", c="i j", x=f"e:{depth} j", y=f"e:{depth} i")
    for depth in (1, 2, 4)
}
"""Products of whole tiles, and of two vectors, by the elements of a group."""
