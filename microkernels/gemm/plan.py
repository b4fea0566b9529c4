"""How a GEMM is cut into register blocks: `plan(spec, facts)`, a pure function that prints.

Everything is planned as a column-major product: the rows m of C lie contiguously and fill vector registers, its columns
n and the sum k do not. A row-major product is the column-major product of the transposes, C' = B' A'.

A *panel* is a group of rows held in a few vector registers (chunks). It is combined with the columns of B in blocks:

    outer   acc[i][j] += A[chunk i, k] * broadcast(B[k, j])         one FMA per chunk, column and k
    dot     acc[j] += A[row, k..] * B[k.., j], summed over elements  for one to three leftover rows, when B is
            at the end by a tree of shuffles and adds               contiguous along k

`outer` wastes what a chunk has room for beyond its rows; `dot` wastes nothing but the tree. The planner tries the
sensible cuts and keeps the one with the fewest cycles on the busiest resource (FMA pipes, load pipes, issue slots).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ..choice import Plan
from ..contract.dot_and_tile import (
    CONFIGURE_CYCLES,
    HALF,
    LIKELY_PAIRS,
    NUMERICS,
    OWN,
    TILED,
    TileFacts,
    TileShape,
    UnitFacts,
)
from ..contract.machine import Facts
from ..contract.mmla import BLOCK_BYTES, COLUMNS
from ..contract.outer_product import OuterProductFacts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..machines.registry import TARGETS, facts_of
from ..operands import RUNTIME, LeadingDimension, View, views
from ..operands import Operand as Matrix
from .blocking import Operand, Panel, Product
from .search_dot import DotSearch
from .search_fma import Search
from .search_mmla import MmlaSearch
from .search_outer import OuterProductSearch
from .search_tile import TileSearch
from .search_tile import registers as tile_registers
from .search_tile import split as split_tiles
from .spec import Batch, GemmSpec

_LATE_C = 64  # longest sum over k for which C is added at its end: longer sums hide the wait for C by themselves


@dataclass(frozen=True)
class GemmPlan(Plan):
    """The cut, and why."""

    spec: GemmSpec
    product: Product
    panels: tuple[Panel, ...]
    late_c: bool  # C is added to the finished sum instead of starting it: shortens the chain from call to call
    vector: int  # elements of the widest register
    cycles: float  # estimate for one pair

    @property
    def call_cycles(self) -> float:
        """Of one call."""
        return call_cycles(self.spec, self.cycles, bool(self.tile_shapes))

    @property
    def emulated(self) -> bool:
        """Whether a tensor unit that the target lacks is replaced by other instructions that give the same bits."""
        return self.product.unit is not None and self.product.unit.emulated

    @property
    def stand_in(self) -> GemmSpec | None:
        """The request that gives the same bits without tile registers; None where none are used."""
        return None if self.product.tile is None else replace(self.spec, numerics=TILED, tiles=OWN)

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Of the tile registers; empty where none are used."""
        tile = self.product.tile
        return tile_registers(self.product, tile).shapes if tile and self.panels else ()

    def __str__(self) -> str:
        p = self.product
        lines = [str(self.spec)]
        operand = {"a": "A", "b": "B", "c": "C"}
        kind = "row-major: computed as C' = B' A'" if p.a.argument == "b" else "column-major"
        lines.append(f"  {kind}; vectors along {'n' if p.a.argument == 'b' else 'm'} of {operand[p.a.argument]},"
                     f" elements of {operand[p.b.argument]} are broadcast")  # fmt: skip
        pairs = p.pairs if isinstance(p.pairs, int) else p.pairs.value
        folded = p.pairs == 1 and self.spec.batch not in (None, 1)
        if p.tile:
            lines.append(f"  {p.tile.name}, up to {p.tile.depth * p.tile.steps} of k a step")
        if p.outer_product:
            lines.append(f"  {p.outer_product.name}, {p.outer_product.depth} of k a step")
        if p.unit:
            steps = f", {p.unit.depth} of k a step" if p.unit.depth > 1 else ""
            lines.append(f"  {p.unit.name}{' (emulated)' if p.unit.emulated else ''}{steps}")
        lines.append(f"  k {p.k}" + (" (the batch lies contiguously along k)" if folded else f", batch {pairs}"))
        lines += [_describe(panel, p) for panel in self.panels]
        early = self.spec.starts_as_c and not self.late_c
        when = "starts the accumulators" if early else "added to the finished sum" if self.spec.beta else "not read"
        lines.append(f"  C {when}; alpha {self.spec.alpha:g}, beta {self.spec.beta:g}")
        if p.tile or p.outer_product:
            lines.append(f"  about {self.cycles:.0f} cycles a pair")
            return "\n".join(lines)
        ideal = p.m * p.n * p.k / self.vector
        lines.append(
            f"  about {self.cycles:.0f} cycles a pair; {ideal:.0f} FMA instructions on full vectors would do the work"
        )
        return "\n".join(lines)


def call_cycles(spec: GemmSpec, cycles: float, configures: bool) -> float:
    """Of a call, from those of one pair of its batch; with the configuration of tile registers where it is made."""
    pairs = 1 if spec.batch is None else spec.batch if isinstance(spec.batch, int) else LIKELY_PAIRS
    return cycles * pairs + (CONFIGURE_CYCLES if configures else 0)


class AroundProduct(Plan):
    """What a plan of more than a product says as its product does."""

    spec: Any
    product: Any
    cycles: Any

    @property
    def call_cycles(self) -> float:
        """Of one call."""
        return call_cycles(self.spec, self.cycles, bool(self.tile_shapes))

    @property
    def emulated(self) -> bool:
        """Whether the product's instructions replace others."""
        return bool(self.product.emulated)

    @property
    def stand_in(self) -> Any:
        """The request that gives the same bits without tile registers; None where none are used."""
        other = self.product.stand_in
        return None if other is None else replace(self.spec, numerics=other.numerics, tiles=other.tiles)

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Of the tile registers; empty where none are used."""
        found: tuple[TileShape, ...] = getattr(self.product, "tile_shapes", ())
        return found


def _describe(panel: Panel, product: Product) -> str:
    row_vectors = "+".join(map(str, panel.row_vectors))
    times = f"{panel.repeat} x " if panel.repeat > 1 else ""
    text = f"  panel {times}{panel.rows} rows ({panel.scheme}, {row_vectors}):"
    for block in panel.blocks:
        registers = block.columns * len(panel.row_vectors) * block.split
        if product.tile:
            registers = len(panel.row_vectors) * len(split_tiles(block.columns, product.tile.rows))
        if product.outer_product:
            registers = len(panel.row_vectors) * -(-block.columns // product.outer_product.side)
        loop = "k unrolled" if block.unroll == product.k else f"k by {block.unroll}"
        split = f", {block.split} sets" if block.split > 1 else ""
        split += f", B by {block.group}" if block.group > 1 else ""
        count = f"{block.repeat} x " if block.repeat > 1 else ""
        held = f"{registers} {_held(product)}"
        text += f" {count}{block.columns} columns [{held}{split}, {loop}]"
    return text


def _held(product: Product) -> str:
    return "tiles" if product.tile else "squares" if product.outer_product else "accumulators"


def plan(spec: GemmSpec, facts: Facts) -> GemmPlan:
    """The best cut of the best column-major product that the operands' orders allow."""
    products = list(_products(spec, facts))
    if not products:
        raise UnsupportedError(_refusal(spec, facts))
    candidates = [(_search(each, facts, spec).panels(each), each) for each in products]
    panels, product = min(candidates, key=lambda item: sum(panel.cycles for panel in item[0]) if item[0] else inf)
    if not panels:
        raise UnsupportedError(f"{spec}: no block of it fits into {facts.vector_registers} vector registers")
    if spec.batch == 0 and spec.beta == 1:
        panels = ()  # C stays as it is
    together = spec.batch if product.pairs == 1 and isinstance(spec.batch, int) else 1  # pairs that are one long k
    cycles = sum(panel.cycles for panel in panels) / max(1, together)
    pairs = product.pairs if isinstance(product.pairs, int) else 1
    # A single product starts from C where that is loaded anyway: one FMA instead of a product and a sum.
    shortest = 2 if facts.loads_apart else 0
    starts_as_c = mixed(spec) or product.outer_product is not None
    late = spec.alpha == spec.beta == 1 and shortest <= product.k * pairs <= _LATE_C and not starts_as_c
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    return GemmPlan(spec, product, panels, late, vector, cycles)


def _search(product: Product, facts: Facts, spec: GemmSpec) -> Search | TileSearch | OuterProductSearch:
    if product.outer_product:
        return OuterProductSearch(product.outer_product)
    if product.tile:
        return TileSearch(product.tile)
    if product.unit:
        return (MmlaSearch if product.unit.columns > 1 else DotSearch)(facts, spec)
    return Search(facts, spec)


def _products(spec: GemmSpec, facts: Facts) -> Iterator[Product]:
    """The column-major products that compute the spec: as it is, and transposed."""
    a, b, c = spec.operands
    if spec.blocks[1]:
        b = _transposed(b)
    straight = spec.m, spec.n, a, b, c
    flipped = spec.n, spec.m, _transposed(b), _transposed(a), _transposed(c)
    for rows, columns, first, second, third in (straight, flipped):
        outer_product = facts.outer_product(second.dtype, first.dtype) if spec.numerics != HALF else None
        if outer_product:
            yield from _outer_products(spec, outer_product, rows, columns, first, second, third)
            continue
        yield from _mmla_products(spec, facts, rows, columns, first, second, third)
        unit, tile = _unit(spec, facts, first, second)
        if not unit and not tile and mixed(spec):
            continue
        depth = unit.depth if unit else tile.depth * tile.steps if tile else 1
        by_columns = [[v for v in _views(each) if v.order == "F"] for each in (first, third)]
        if all(by_columns):
            for view in _views(second):
                if tile and view.order != "F":
                    continue
                operands = (
                    _operand(by_columns[0][0], first, depth),
                    _operand(view, second, depth),
                    _operand(by_columns[1][0], third, 1),
                )
                steps, rest = -(-spec.k // depth), spec.k % depth
                yield _fold(Product(rows, columns, steps, spec.acc_dtype, *operands, _pairs(spec), unit, tile, rest))


def _outer_products(
    spec: GemmSpec,
    outer_product: OuterProductFacts,
    rows: int,
    columns: int,
    first: Matrix,
    second: Matrix,
    third: Matrix,
) -> Iterator[Product]:
    """Square accumulators take both factors in either order."""
    if not {first.group, second.group} <= {1, outer_product.depth}:
        return
    by_columns = [view for view in _views(third) if view.order == "F"][:1]
    steps, rest = -(-spec.k // outer_product.depth), spec.k % outer_product.depth
    for of_a, of_b, of_c in itertools.product(_views(first), _views(second), by_columns):
        a, b = (_operand(view, each, outer_product.depth) for view, each in ((of_a, first), (of_b, second)))
        c = _operand(of_c, third, 1)
        yield _fold(
            Product(rows, columns, steps, spec.acc_dtype, a, b, c, _pairs(spec), rest=rest, outer_product=outer_product)
        )


def _mmla_products(
    spec: GemmSpec, facts: Facts, rows: int, columns: int, first: Matrix, second: Matrix, third: Matrix
) -> Iterator[Product]:
    """On a unit of quads, which takes blocks in either order. What lies apart needs registers for its distances."""
    unit = facts.mmla(first.dtype, second.dtype, spec.numerics) if spec.numerics in NUMERICS else None
    of_c = next((view for view in _views(third) if view.order == "F"), None)
    if not unit or not of_c:
        return
    steps, rest = -(-spec.k // unit.depth), spec.k % unit.depth
    for views_of in itertools.product(_views(first), _views(second)):
        a, b = (_operand(view, each, unit.depth) for view, each in zip(views_of, (first, second)))
        apart = [each for each, order in ((a, "F"), (b, "C")) if each.order == order and each.steps > 1]
        if (a.order == "F" or a.across > 1) and RUNTIME not in (each.leading for each in apart):
            c = _operand(of_c, third, 1)
            yield _fold(Product(rows, columns, steps, spec.acc_dtype, a, b, c, _pairs(spec), unit, rest=rest))


def mixed(spec: GemmSpec) -> bool:
    """Whether the product needs a unit."""
    return len({*spec.dtypes}) > 1 or ELEMENT_BYTES[spec.dtype] < 4


def _unit(spec: GemmSpec, facts: Facts, first: Matrix, second: Matrix) -> tuple[UnitFacts | None, TileFacts | None]:
    """What multiplies a first operand along vectors by a second: tiles where the processor has them for these types."""
    if not mixed(spec):
        return None, None
    tile = facts.tile(second.dtype, first.dtype)
    if tile and spec.numerics not in (HALF, TILED):
        return None, tile if {first.group, second.group} <= {1, tile.depth} else None
    unit = facts.unit(first.dtype, second.dtype, spec.numerics)
    fits = unit is not None and {first.group, second.group} <= {1, unit.depth} and unit.half == (spec.numerics == HALF)
    return unit if fits else None, None


def _refusal(spec: GemmSpec, facts: Facts) -> str:
    """Why there is no product, and what would work."""
    a, b, _ = spec.operands
    if any(spec.blocks):
        return _refused_blocks(spec, facts)
    tile = mixed(spec) and facts.tile(a.dtype, b.dtype)
    if tile and spec.numerics not in (HALF, TILED):
        return (
            f"{spec}: {tile.name} takes order C for a, b and c, or F for all of them; packed or plain. "
            "Pass a transposed copy, or use a target without tiles."
        )
    units = [facts.unit(x.dtype, y.dtype, spec.numerics) for x, y in ((a, b), (b, a))]
    found = next((unit for unit in units if unit and unit.half == (spec.numerics == HALF)), None)
    if mixed(spec):
        if found is None:
            others = ", ".join(_targets_of(spec)) or "none"
            sums = f" with sums of {spec.acc_dtype}" if spec.numerics == HALF else ""
            return f"{spec}: this target multiplies no {a.dtype} by {b.dtype}{sums}; targets that do: {others}"
        for each in (a, b):
            if each.group not in (1, found.depth):
                return f'{spec}: {found.name} takes {each.name} plain: {each.name}_layout="plain"'
    packed = " (packed or plain)" if found and found.depth > 1 else ""
    return (
        f"{spec}: order {spec.order!r} has no operand contiguous along a dimension of C that C shares. "
        f'Supported: c="F" with a="F"{packed}, or c="C" with b="C"{packed}; the other operand in either order. '
        "Pass a transposed copy: ts.transpose and ts.transform make one."
    )


def _refused_blocks(spec: GemmSpec, facts: Facts) -> str:
    if facts.mmla(spec.dtypes[0], spec.dtypes[1], spec.numerics) is None:
        others = ", ".join(_targets_of(spec)) or "none"
        return f"{spec}: no unit of this target takes blocks of two rows; targets that have one: {others}"
    return (
        f"{spec}: beside blocks of two rows of one operand the other, where vectors lie along it, is contiguous as C "
        'is: c="F" with a="F", or c="C" with b="C"; and its leading dimension is a number. Or pack it too.'
    )


def _targets_of(spec: GemmSpec) -> list[str]:
    """The targets with a product for a request."""
    return [name for name, each in TARGETS.items() if any(_products(spec, facts_of(each)))]


def _transposed(operand: Matrix) -> Matrix:
    order, leading = operand.view
    view = View("F" if order == "C" else "C", leading)
    return operand._replace(rows=operand.columns, columns=operand.rows, view=view)


def _views(operand: Matrix) -> Iterator[View]:
    return views(operand.view, operand.rows, operand.columns)


def _operand(view: View, operand: Matrix, depth: int) -> Operand:
    """An operand of a product whose unit takes `depth` elements a step, in one of its views."""
    place = ELEMENT_BYTES[operand.dtype] * operand.group
    across = COLUMNS if place == BLOCK_BYTES else 1
    return Operand(*view, operand.name, _distance(operand), place, depth * across // operand.group, across)


def _pairs(spec: GemmSpec) -> int | Batch:
    return 1 if spec.batch is None else spec.batch


def _fold(product: Product) -> Product:
    """A fixed batch whose pairs follow each other along k is one product with a longer k."""
    pairs, a, b, k = product.pairs, product.a, product.b, product.k
    if product.rest or (product.unit and product.unit.block and k % product.unit.block):
        return product  # a step or a block of steps ends with each pair
    several = isinstance(pairs, int) and pairs > 1
    if several and _continues(a, "F", k * a.steps) and _continues(b, "C", k * b.steps):
        return replace(product, k=k * pairs, pairs=1)  # type: ignore[operator]
    return product


def _continues(operand: Operand, order: str, k: int) -> bool:
    """Whether the next matrix of a dense batch begins where step k of this one would."""
    fixed = isinstance(operand.leading, int)
    return fixed and operand.order == order and operand.distance == operand.leading * k  # type: ignore[operator]


def _distance(operand: Matrix) -> LeadingDimension:
    """Places from one matrix of a dense batch to the next; RUNTIME if it follows from a runtime leading dimension."""
    order, leading = operand.view
    return leading * (operand.columns if order == "F" else operand.rows) if isinstance(leading, int) else RUNTIME
