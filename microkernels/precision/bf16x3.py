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

from collections.abc import Sequence
from dataclasses import replace

from ..choice import Refusal
from ..contract.dot_and_tile import HELD
from ..contract.machine import Facts
from ..expr.graph import Expr, bits, constant_bits, from_bits, select, shift_right_logical
from ..functions.bf16_split import upper
from ..gemm.plan import planned
from ..gemm.spec import GemmSpec
from ..operands import Operand
from .composed_plan import ComposedPlan, ComposedStep, InBuffer, Source, elementwise_step
from .composed_spec import PART_BYTES, PARTS, ComposedSpec

SIX_PRODUCTS = "six products of bf16"
"""The way that this module plans."""
PARTS_OF = "parts of {}"
"""The buffer of an operand's parts."""


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


def plan(spec: ComposedSpec, facts: Facts) -> ComposedPlan | Refusal:
    """Return the plan: walks that split a and b, then batches of the products of parts whose numbers add up to 4, 3 and
    2. The parts of b are stored from the smallest on, so that pairs are neighbours."""
    a, b = spec.operands[:2]
    of_a, of_b = (PART_BYTES * each.rows * each.columns for each in (a, b))
    split_b = _split(b, [(PARTS - 1 - i) * of_b for i in range(PARTS)], facts)
    steps = [_split(a, [i * of_a for i in range(PARTS)], facts), split_b]
    for smaller in range(PARTS):
        product = planned(_product(spec, PARTS - smaller, spec.beta if not smaller else 1.0), facts)
        if isinstance(product, Refusal):
            return product._replace(way=SIX_PRODUCTS)
        at = {
            "a": InBuffer(PARTS_OF.format("a")),
            "b": InBuffer(PARTS_OF.format("b"), smaller * of_b),
            "c": InBuffer("c"),
        }
        steps.append(ComposedStep(product, at))
    places = {PARTS_OF.format("a"): 0, PARTS_OF.format("b"): PARTS * of_a}
    made = ComposedPlan(spec, tuple(steps), places, PARTS * (of_a + of_b), way=SIX_PRODUCTS)
    return replace(made, rejected=made.products[0].rejected)


def _lines(operand: Operand) -> tuple[int, int]:
    """Return the rows and columns of the matrix, or of its transpose, whichever has contiguous rows."""
    return (operand.rows, operand.columns) if operand.view.order == "C" else (operand.columns, operand.rows)


def _split(operand: Operand, offsets: Sequence[int], facts: Facts) -> ComposedStep:
    """Return the step that splits an operand into dense parts at these offsets."""
    shape, leading = _lines(operand), operand.view.leading
    assert isinstance(leading, int)
    parts = [Source("bf16", shape[1], PARTS_OF.format(operand.name), at) for at in offsets]
    return elementwise_step(facts, split, shape, {"x": Source("f32", leading, operand.name)}, parts, "f32")


def _product(spec: ComposedSpec, pairs: int, beta: float) -> GemmSpec:
    """Return the request for so many products of parts, which is a batch: A1, A2, A3 with B3, B2, B1."""
    a, b, _ = spec.operands
    leading = _lines(a)[1], _lines(b)[1], spec.leading[2]
    return GemmSpec(
        spec.m,
        spec.n,
        spec.k,
        ("bf16", "bf16", "f32"),
        spec.order,
        leading,
        pairs,
        spec.alpha,
        beta,
        numerics=spec.numerics,
        tiles=HELD,
    )
