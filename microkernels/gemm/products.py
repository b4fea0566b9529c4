"""The column-major products that compute a request, and the reasons why others do not.

Every request is planned as a column-major product: the rows m of C are contiguous and fill vector registers; its
columns n and the sum over k do not. A row-major product is the column-major product of the transposes, C' = B' A'. If a
matrix is both, as a single row is, several products compute the same request.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from ...encoder.records import NamedTuple
from ..choice import Refusal, refused
from ..contract.dot_and_tile import HALF, NUMERICS, TILED, UnitFacts
from ..contract.machine import Facts
from ..contract.mmla import BLOCK_BYTES, COLUMNS
from ..counted import WHOLE_GROUPS
from ..dtypes import ELEMENT_BYTES
from ..machines.registry import TARGETS, facts_of
from ..operands import LARGEST, RUNTIME, LeadingDimension, View, views
from ..operands import Operand as Matrix
from .blocking import BlockedProduct, ProductOperand
from .pairs import BatchLevel
from .spec import GemmSpec, PairBatch


class Direction(NamedTuple):
    """Either C = A B or C' = B' A': the extent of C that fills vector registers, and the matrices that are
    multiplied."""

    along: str  # the extent of the request that the rows are: "m" or "n"
    across: str  # the other extent
    rows: int
    columns: int
    first: Matrix
    second: Matrix
    third: Matrix

    @property
    def way(self) -> str:
        """The direction's name in refusals."""
        return f"vectors along {self.along} of {self.first.name.upper()}"


def products(spec: GemmSpec, facts: Facts) -> Iterator[BlockedProduct | Refusal]:
    """Yield the column-major products of a request, both as it is and transposed, and refusals for those that cannot
    be."""
    a, b, c = spec.operands
    if spec.blocks[1]:
        b = _transposed(b)
    straight = Direction("m", "n", spec.m, spec.n, a, b, c)
    flipped = Direction("n", "m", spec.n, spec.m, _transposed(b), _transposed(a), _transposed(c))
    for direction in (straight, flipped):
        for unit in _units(spec, facts, direction):
            yield from [unit] if isinstance(unit, Refusal) else _products_of(spec, direction, unit)


def way_of(product: BlockedProduct) -> str:
    """Return the name of a product among those of its request: its unit, and how A and B are stored."""
    flipped = product.a.argument == "b"
    along, across = ("n", "m") if flipped else ("m", "n")
    first, second = product.a.argument.upper(), product.b.argument.upper()
    return (
        f"{product.unit.name if product.unit else 'FMA'} with vectors along {along}, {first} contiguous along "
        f"{along if product.a.order == 'F' else 'k'}, {second} along {'k' if product.b.order == 'F' else across}"
    )


def _units(spec: GemmSpec, facts: Facts, direction: Direction) -> Iterator[UnitFacts | None | Refusal]:
    """Yield the units that multiply the factors of a direction, None for multiply-adds, and a refusal if there are
    none. Outer products stand alone."""
    first, second = direction.first, direction.second
    outer_product = facts.outer_product(second.dtype, first.dtype) if spec.numerics != HALF else None
    if outer_product:
        yield outer_product
        return
    blocks = facts.mmla(first.dtype, second.dtype, spec.numerics) if spec.numerics in NUMERICS else None
    if blocks:
        yield blocks
    unit = _unit(spec, facts, first, second)
    yield refused(direction.way, _no_unit(spec, facts, direction)) if not unit and spec.mixed else unit


def _products_of(spec: GemmSpec, direction: Direction, unit: UnitFacts | None) -> Iterator[BlockedProduct | Refusal]:
    """Yield the products on a unit. Row vectors of the first factor lie along C; outer products take both factors in
    either order, and so do MMLA units that take them in blocks."""
    along, across, rows, columns, first, second, third = direction
    outer, blocks = unit is not None and unit.of_outer_products, unit is not None and unit.columns > 1
    way = f"{unit.name} with {direction.way}" if unit is not None and blocks else direction.way
    why = "" if outer else _cuts(spec, unit)
    if unit is not None and outer:
        others = (each for each in (first, second) if each.group not in (1, unit.depth))
        why = next((f"{unit.name} does not take the layout of {each.name.upper()}" for each in others), "")
    of_first, of_third = ([v for v in _views(each) if v.order == "F"][:1] for each in (first, third))
    of_first = [*_views(first)] if outer or blocks else of_first
    if not why and not (of_first and of_third):
        name, other = (first.name.upper(), "k") if not of_first else ("C", across)
        why = f"{name} is contiguous along {other}, not along {along}"
    if why:
        yield refused(way, why)
        return
    depth = unit.step if unit else 1
    steps, rest = _steps(spec, depth)
    for of_a, of_b in itertools.product(of_first, _views(second)):
        a, b, c = _operand(of_a, first, depth), _operand(of_b, second, depth), _operand(of_third[0], third, 1)
        why = "" if unit is None else _unfit(spec, direction, unit, a, b)
        if why:
            yield refused(way, why)
            continue
        yield _fold(spec, BlockedProduct(rows, columns, steps, spec.acc_dtype, a, b, c, _pairs(spec), unit, rest))


def _unfit(spec: GemmSpec, direction: Direction, unit: UnitFacts, a: ProductOperand, b: ProductOperand) -> str:
    """Return why a unit does not take factors in these orders, or an empty string. Elements that an MMLA unit takes but
    that are not adjacent need registers for their distances."""
    if unit.of_outer_products:
        return _cuts(spec, unit, a.order + b.order)
    along, across, name = direction.along, direction.across, direction.first.name.upper()
    if unit.of_tiles and b.order != "F":
        return f"{unit.name} takes {direction.second.name.upper()} contiguous along k, not along {across}"
    if unit.columns > 1 and a.order != "F" and a.across == 1:
        return f"{name} is contiguous along k, not along {along}, and not in blocks"
    apart = [each for each, order in ((a, "F"), (b, "C")) if each.order == order and each.steps > 1]
    if unit.columns > 1 and RUNTIME in (each.leading for each in apart):
        return "a leading dimension that is given at the call leaves too few registers"
    return ""


def _cuts(spec: GemmSpec, unit: UnitFacts | None, orders: str = "FC") -> str:
    """Return why a unit does not take a k that the call gives, and what works; an empty string if it does. orders: of
    the operands along and across row vectors."""
    if spec.counted != "k" or unit is None:
        return ""
    several = unit.depth > 1 or unit.block or unit.of_tiles
    if several or (unit.of_outer_products and orders != "FC"):
        which = "" if several else " of operands that are contiguous along it"
        return (
            f"k is given at the call, and {unit.name} takes several elements of k at a time{which}, which any number "
            f"would cut; what works is {WHOLE_GROUPS}"
        )
    return ""


def _steps(spec: GemmSpec, depth: int) -> tuple[int, int]:
    """Return the steps of k, each of `depth` elements, and the elements of the last one if these are fewer, else 0."""
    return (spec.k, 0) if depth == 1 else (-(-spec.k // depth), spec.k % depth)


def converts(a: str, b: str, facts: Facts) -> bool:
    """Whether kernels convert operands of these types to f32, element by element, before they multiply them."""
    unit = None if facts.tile(a, b) else facts.unit(b, a, "exact")
    return unit is not None and unit.depth == 1


def changes(spec: GemmSpec, depth: int) -> dict[str, str]:
    """Return the layout that each operand is packed to, for a unit that reads `depth` adjacent elements of one along
    k."""
    order = spec.order[2]
    found = {}
    for operand in spec.operands[:2]:
        other = operand.view.order != order
        packed = depth > 1 and operand.group == 1 and operand.name == ("b" if order == "C" else "a")
        if other or packed:
            found[operand.name] = (f"vnni{depth}" if packed else "plain") + "t" * other
    return found


def wants_changes(spec: GemmSpec, facts: Facts) -> bool:
    """Whether a request uses tiles, which take only one order, or their stand-in, and has an operand in another
    layout."""
    if spec.numerics == HALF or not spec.mixed:
        return False
    if spec.numerics == TILED:
        return bool(changes(spec, 1))
    tile = facts.tile(spec.dtypes[0], spec.dtypes[1])
    return tile is not None and bool(changes(spec, tile.depth))


def _unit(spec: GemmSpec, facts: Facts, first: Matrix, second: Matrix) -> UnitFacts | None:
    """Return the unit or tiles that multiply row vectors of the first operand by the second. Tiles are preferred."""
    if not spec.mixed:
        return None
    tile = facts.tile(second.dtype, first.dtype)
    if tile and spec.numerics not in (HALF, TILED):
        return tile if {first.group, second.group} <= {1, tile.depth} else None
    unit = facts.unit(first.dtype, second.dtype, spec.numerics)
    fits = unit is not None and {first.group, second.group} <= {1, unit.depth} and unit.half == (spec.numerics == HALF)
    return unit if fits else None


# Refusals


def _no_unit(spec: GemmSpec, facts: Facts, direction: Direction) -> str:
    """Return the reason why no dot product or tile multiplies these operands."""
    first, second = direction.first, direction.second
    tile = facts.tile(second.dtype, first.dtype) if spec.numerics not in (HALF, TILED) else None
    unit = tile or facts.unit(first.dtype, second.dtype, spec.numerics)
    if unit is None or unit.half != (spec.numerics == HALF):
        return f"this target multiplies no {first.dtype} by {second.dtype} with sums of {spec.acc_dtype}"
    name = first.name if first.group not in (1, unit.depth) else second.name
    return f"{unit.name} does not take the layout of {name.upper()}"


def refusal(spec: GemmSpec, facts: Facts) -> str:
    """Return the reason why there is no product at all, and an alternative."""
    a, b, _ = spec.operands
    if any(spec.blocks):
        return _refused_blocks(spec, facts)
    if spec.counted == "k":
        for each in products(spec, facts):
            if isinstance(each, Refusal) and WHOLE_GROUPS in str(each.error):
                return f"{spec}: {each.error}"
    tile = spec.mixed and facts.tile(a.dtype, b.dtype)
    if tile and spec.numerics not in (HALF, TILED):
        return (
            f"{spec}: {tile.name} takes order C for a, b and c, or F for all of them; packed or plain. "
            "Pass a transposed copy, or use a target without tiles."
        )
    units = [facts.unit(x.dtype, y.dtype, spec.numerics) for x, y in ((a, b), (b, a))]
    fitting = next((unit for unit in units if unit and unit.half == (spec.numerics == HALF)), None)
    if spec.mixed:
        if fitting is None:
            return f"{spec}: {_refused_types(spec)}"
        for operand in (a, b):
            if operand.group not in (1, fitting.depth):
                return f'{spec}: {fitting.name} takes {operand.name} plain: {operand.name}_layout="plain"'
    packed = " (packed or plain)" if fitting and fitting.depth > 1 else ""
    return (
        f"{spec}: with order {spec.order!r} no operand is contiguous along the dimension of C along which C is "
        f'contiguous. Supported: c="F" with a="F"{packed}, or c="C" with b="C"{packed}; the other operand in '
        "either order. Pass a transposed copy: ts.transpose and ts.transform make one."
    )


def refused_types(spec: GemmSpec, facts: Facts) -> str:
    """Explain why the target cannot multiply elements of these types in any order; an empty string if it can."""
    return "" if not spec.mixed or _multiplies(spec, facts) else _refused_types(spec)


def _multiplies(spec: GemmSpec, facts: Facts) -> bool:
    """Whether the target has instructions for the types of a mixed product."""
    a, b, _ = spec.operands
    pairs, half = ((a.dtype, b.dtype), (b.dtype, a.dtype)), spec.numerics == HALF
    units = (facts.unit(*pair, spec.numerics) for pair in pairs)
    if any(unit is not None and unit.half == half for unit in units):
        return True
    return not half and any(facts.tile(*pair) or facts.outer_product(*pair) for pair in pairs)


def _refused_types(spec: GemmSpec) -> str:
    a, b, _ = spec.operands
    others = ", ".join(name for name, target in TARGETS.items() if _multiplies(spec, facts_of(target))) or "none"
    sums = f" with sums of {spec.acc_dtype}" if spec.numerics == HALF else ""
    return f"this target multiplies no {a.dtype} by {b.dtype}{sums}; targets that do: {others}"


def _refused_blocks(spec: GemmSpec, facts: Facts) -> str:
    if facts.mmla(spec.dtypes[0], spec.dtypes[1], spec.numerics) is None:
        others = ", ".join(_targets_of(spec)) or "none"
        return f"{spec}: no unit of this target takes blocks of two rows; targets that have one: {others}"
    return (
        f"{spec}: if one operand is in blocks of two rows, the other one, along which vectors lie, must be "
        'contiguous as C is: c="F" with a="F", or c="C" with b="C"; its leading dimension must be a number. Or pack '
        "it too."
    )


def _targets_of(spec: GemmSpec) -> list[str]:
    """Return the targets that have a product for a request."""
    return [
        name
        for name, target in TARGETS.items()
        if any(isinstance(each, BlockedProduct) for each in products(spec, facts_of(target)))
    ]


# Operands


def _transposed(operand: Matrix) -> Matrix:
    order, leading = operand.view
    view = View("F" if order == "C" else "C", leading)
    return operand._replace(rows=operand.columns, columns=operand.rows, view=view)


def _views(operand: Matrix) -> Iterator[View]:
    return views(operand.view, operand.rows, operand.columns)


def _operand(view: View, operand: Matrix, depth: int) -> ProductOperand:
    """Return an operand of a product in one of its views. `depth` is the number of elements per step of the unit."""
    place = ELEMENT_BYTES[operand.dtype] * operand.group
    across = COLUMNS if place == BLOCK_BYTES else 1
    return ProductOperand(*view, operand.name, _distance(operand), place, depth * across // operand.group, across)


def _pairs(spec: GemmSpec) -> int | PairBatch:
    return 1 if spec.batch is None else spec.batch


def _fold(spec: GemmSpec, product: BlockedProduct) -> BlockedProduct:
    """Turn each level of a fixed batch whose pairs are adjacent along k into a longer k, from the innermost level
    on."""
    if not isinstance(product.pairs, int) or product.pairs <= 1 or spec.strides is RUNTIME:
        return product
    levels = isinstance(spec.strides, tuple)
    folded = _around(product, spec.loops) if levels else product
    while not product.of_any_depth and folded.pairs != 1 and _adjacent(folded, levels):
        folded = _around(replace(folded, k=folded.k * folded.innermost), folded.around)
    return folded


def _around(product: BlockedProduct, loops: Sequence[BatchLevel]) -> BlockedProduct:
    """Return the product with these loops around its pairs. The distances of the innermost one are those of its
    operands."""
    if not loops:
        return replace(product, pairs=1, around=())
    *around, innermost = loops
    a, b = (each._replace(distance=innermost.of(each.argument)) for each in (product.a, product.b))
    return replace(product, a=a, b=b, pairs=prod(each.times for each in loops), around=tuple(around))


def _adjacent(product: BlockedProduct, levels: bool) -> bool:
    """Whether the next pair of the innermost level begins at the place of step k of this one."""
    a, b, k = product.a, product.b, product.k
    if product.rest or (product.unit and product.unit.block and k % product.unit.block):
        return False  # a step or a block of steps ends with each pair
    if levels and k * product.innermost > LARGEST:
        return False
    return _continues(a, "F", k * a.steps, levels) and _continues(b, "C", k * b.steps, levels)


def _continues(operand: ProductOperand, apart: str, k: int, levels: bool) -> bool:
    """Whether the next matrix begins at place k of this one along k. The places of an operand of the order `apart` are
    a leading dimension apart, those of the other order are neighbours. Of dense pairs only single lines continue as
    neighbours do, and another view of them is of the order `apart`."""
    between = operand.leading if operand.order == apart else 1 if levels else RUNTIME
    return isinstance(between, int) and operand.distance == between * k


def _distance(operand: Matrix) -> LeadingDimension:
    """Return the places between adjacent matrices of a dense batch, or RUNTIME if that depends on a runtime leading
    dimension."""
    order, leading = operand.view
    return leading * (operand.columns if order == "F" else operand.rows) if isinstance(leading, int) else RUNTIME
