"""bf16x3: an f32 product on a dot-product unit for bf16, by splitting every operand into three bf16.

    A = A1 + A2 + A3,  B = B1 + B2 + B3,  each part is the remainder rounded to bf16
    C = beta * C + alpha * (A1 B3 + A2 B2 + A3 B1 + A1 B2 + A2 B1 + A1 B1)      in this order, small to large

The parts lie in scratch memory, so a kernel's operands have at most 10,922 elements together; a larger product is
blocked by its caller. Three parts of 8 bits hold all 24 bits of an f32. The error therefore comes from the three
products that are left out, from rounding f32 sums, and from denormals that the unit flushes. Source: Intel optimization
manual, 20.21; Henry, Tang, Heinecke, Leveraging the bfloat16 Artificial Intelligence Datatype, ARITH 2019.

The bound. Let u = 2^-24 and gamma_n = n u / (1 - n u). Rounding to 8 bits leaves |x - x1| <= 2^-8 |x|, the same again
of the remainder, and nothing after the third part: |x2| <= 2^-8 (1 + 2^-8) |x|, |x3| <= 2^-16 |x|. The products left
out, A2 B3 + A3 B2 + A3 B3, are at most (2^-23 (1 + 2^-8) + 2^-32) |A| |B| < 2^-22.99 |A| |B|. The others sum to at most
(1 + 2^-6.9) |A| |B| in absolute value. They are formed exactly and added in at most 6 k + 9 steps of f32, including
alpha and beta:

    |error| <= |alpha| (2^-22.99 + gamma_(6k+9) (1 + 2^-6.9)) |A| |B| + gamma_(6k+9) |beta| |C|

This holds for elements that are 0 or between 2^-40 and 2^60 in absolute value, where no part and no product is flushed.
BFDOT and BFMMLA round to odd, which loses up to 2 u per step: with them, u = 2^-23 in gamma.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from ...encoder.records import dataclass
from ..choice import Plan, Refusal
from ..contract.dot_and_tile import HELD, OWN, TileShape
from ..contract.machine import Facts, General, Machine
from ..eltwise.emit import emit_elementwise
from ..eltwise.plan import EltwisePlan
from ..eltwise.plan import plan as walk_plan
from ..eltwise.spec import EltwiseSpec
from ..expr.graph import Expr, bits, constant_bits, from_bits, program, select, shift_right_logical
from ..expr.trace import trace
from ..functions.bf16_split import upper
from ..gemm.emit import emit_product, registers
from ..gemm.plan import GemmPlan, planned, scratch_sizes
from ..gemm.spec import GemmSpec, parameters
from ..gemm.state import KernelState
from ..operands import Operand, View
from .composed_spec import PART_BYTES, PARTS, ComposedSpec

SIX_PRODUCTS = "six products of bf16"
"""The way that this module plans."""
_GROUPS = (3, 2, 1)  # number of products of parts whose numbers add up to 4, 3 and 2


def nearest(x: Expr) -> Expr:
    """Return the nearest bf16 as an f32, with ties to even."""
    word = bits(x)
    return upper(from_bits(word + (shift_right_logical(word, 16) & constant_bits(1, "i32")) + 0x7FFF))


def split(x: Expr) -> tuple[Expr, Expr, Expr]:
    """Return three parts, each of which is the remainder rounded to bf16. An infinity is entirely in the first."""
    first = nearest(x)
    rest = select(x == first, 0.0, x - first)
    second = nearest(rest)
    return first, second, rest - second


@dataclass(frozen=True)
class Bf16x3Plan(Plan):
    """How operands are split, and the products of parts in three groups."""

    spec: ComposedSpec
    splits: tuple[EltwisePlan, EltwisePlan]
    products: tuple[GemmPlan, ...]
    places: tuple[tuple[int, ...], tuple[int, ...]]  # of the parts of a and of b in scratch memory
    scratch_bytes: int  # bytes of scratch memory for them

    @property
    def cycles(self) -> float:
        """Estimated cycles per call. Tiles are configured once."""
        products = sum(each.cycles * pairs for each, pairs in zip(self.products, _GROUPS))
        return sum(walk.cycles for walk in self.splits) + products + self.products[0].configure_cycles

    @property
    def emulated(self) -> bool:
        """Whether other instructions stand in for the unit's."""
        return any(product.emulated for product in self.products)

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Shapes of the tile registers; empty if none are used."""
        return self.products[0].tile_shapes

    @property
    def stand_in(self) -> ComposedSpec | None:
        """The request that gives the same bits without tile registers."""
        other = self.products[0].stand_in
        return None if other is None else replace(self.spec, numerics=other.numerics)

    def __str__(self) -> str:
        splits = "\n".join(f"split {name}: {walk}" for name, walk in zip("ab", self.splits))
        return f"{self.spec}\n{splits}\nthen for {_GROUPS} pairs of parts: {self.products[0]}"


def plan(spec: ComposedSpec, facts: Facts) -> Bf16x3Plan | Refusal:
    """Return the plan: walks that split a and b, and three products."""
    splits = tuple(walk_plan(_split(operand), facts) for operand in spec.operands[:2])
    products = []
    for group in range(len(_GROUPS)):
        product = planned(_product(spec, group), facts)
        if isinstance(product, Refusal):
            return product._replace(way=SIX_PRODUCTS)
        products.append(product)
    of_a, of_b = (PART_BYTES * each.rows * each.columns for each in spec.operands[:2])
    a, b = (tuple(range(0, PARTS * size, size)) for size in (of_a, of_b))
    places = a, tuple(PARTS * of_a + at for at in reversed(b))  # of b the smallest first, so that pairs are neighbours
    scratch_bytes = PARTS * (of_a + of_b)
    return Bf16x3Plan(
        spec,
        (splits[0], splits[1]),
        tuple(products),
        places,
        scratch_bytes,
        way=SIX_PRODUCTS,
        rejected=products[0].rejected,
    )


def _lines(operand: Operand) -> tuple[int, int]:
    """Return the rows and columns of the matrix, or of its transpose, whichever has contiguous rows."""
    return (operand.rows, operand.columns) if operand.view.order == "C" else (operand.columns, operand.rows)


def _split(operand: Operand) -> EltwiseSpec:
    """Return the request that splits an operand into dense parts. b's parts are stored from the smallest on."""
    rows, columns = _lines(operand)
    x = Operand("x", rows, columns, View("C", operand.view.leading), "f32")
    parts = tuple(Operand(f"y{i}", rows, columns, View("C", columns), "bf16", output=True) for i in range(PARTS))
    return EltwiseSpec("split", rows, columns, "f32", program(*trace(split, x="f32")), (x,), parts, "fast")


def _product(spec: ComposedSpec, group: int) -> GemmSpec:
    """Return the request for a group of products, which is a batch: A1, A2, A3 with B3, B2, B1."""
    a, b, _ = spec.operands
    leading = dense_of(a), dense_of(b), spec.leading[2]
    return GemmSpec(
        spec.m,
        spec.n,
        spec.k,
        ("bf16", "bf16", "f32"),
        spec.order,
        leading,
        _GROUPS[group],
        spec.alpha,
        spec.beta if group == 0 else 1.0,
        numerics=spec.numerics,
        tiles=HELD,
    )


def dense_of(operand: Operand) -> int:
    """Return the leading dimension of a part."""
    return _lines(operand)[1]


def emit(m: Machine, plan: Bf16x3Plan) -> None:
    """Append the kernel: split a, split b, multiply."""
    spec = plan.spec
    names = [name for _, name in parameters(spec)]
    m.enter(max([registers(each) for each in plan.products] + [walk.registers for walk in plan.splits]))
    given = m.arguments(len(names))
    kept = [m.to_slot(register) for register in given]
    base = m.general("parts")
    m.copy(base, m.scratch(plan.scratch_bytes))
    kept.append(m.to_slot(base))
    tiles = max(sum(scratch_sizes(each)) for each in plan.products)
    if tiles:
        kept.append(m.to_slot(m.scratch(tiles)))
    for number, walk in enumerate(plan.splits):
        m.reclaim(kept)
        m.note(f"parts of {'ab'[number]}")
        pointers = {"x": _loaded(m, kept[number], 0)}
        for i in range(PARTS):
            pointers[f"y{i}"] = _loaded(m, kept[3], plan.places[number][i])
        emit_elementwise(m, walk, pointers, {})
    shapes = plan.tile_shapes
    with m.tiles("bf16", "bf16").opened(shapes, OWN, None) if shapes else nullcontext():
        for group, product in enumerate(plan.products):
            m.reclaim(kept)
            a = _loaded(m, kept[3], plan.places[0][0])
            b = _loaded(m, kept[3], plan.places[1][PARTS - 1 - group])
            c = _loaded(m, kept[2], 0)
            state = KernelState(m, product, [a, b, c])
            if tiles:
                state.tile_scratch = _loaded(m, kept[4], 0)
            emit_product(state)
    m.leave()


def _loaded(m: Machine, kept: Any, disp: int) -> General:
    """Return a register with a pointer plus `disp` bytes."""
    register = m.general("pointer")
    m.copy(register, kept)
    m.advance(register, disp)
    return register
