"""An f64 product on a tensor unit for int8: slices of 7 bits, with one exponent for a row of A and a column of B.

    p_i = 2^floor(log2 max_l |A_il|),   q_j the same of column j of B
    A_il = p_i / 32 * (D1 + D2 / 2^7 + D3 / 2^14 + ... + D9 / 2^56)_il + rest,   D1, D2... integers from -64 to 64
    C_ij = beta * C_ij + alpha * p_i q_j / 2^10 * sum over s + u <= 10 of (D_s @ E_u)_ij / 2^(7 (s + u - 2))

E are the slices of B. Products with equal s + u are one sum of i32, which is exact: at most 9 k 2^12 < 2^31. The sums
are added in f64, the small ones first. Slices are in the order of C; an operand in the other order is transposed first.
Everything lies in scratch memory, which has room for m = n = k = 46 or 32 x 32 x 64; a larger product is blocked by its
caller. Source: Intel optimization manual, 20.21 (higher precision from products of lower); Ozaki, Ogita, Oishi, Rump,
Error-free transformations of matrix multiplication, Numer. Algorithms 59, 2012.

The bound. Let u = 2^-53, and all elements be finite. D1 = rint(32 A / p), D2 = rint(2^7 times the rest)... The rests
are at most 1/2 and exact, so the last rest of A_il is at most p_i 2^-5 2^-56 2^-1 = 2^-62 p_i, and the value of slice s
is at most 2 p_i 2^(-7 (s - 1)). The parts of A_il B_lj that are left out are:

    products of slices with s + u >= 11:  4 p_i q_j (8 2^-63 + 7 2^-70 + ...)    < 2^-57.9 p_i q_j
    last rest of either factor:           2 (2 + 2^-62) 2^-62 p_i q_j            < 2^-59.9 p_i q_j

Together they are less than 2^-57.5 p_i q_j. The sums X_t of products with s + u >= t are X_t = T_t + X_{t+1} / 2^7,
each rounded once. In units of p_i q_j / 2^10, |X_t| <= k 2^12 (t - 1 + t 2^-7 + ...), so all roundings except the last
contribute at most u k 2^12 (2 2^-7 + 3 2^-14 + ...) < u k 2^6.1, which is 2^-56.9 k p_i q_j. The last rounding, and
those of alpha and beta, are relative to results. As p_i <= max_l |A_il| and q_j <= max_l |B_lj|, the total is

    |error| <= |alpha| k 2^-56 max_l |A_il| max_l |B_lj| + 4 u (|alpha (A B)_ij| + |beta C_ij|)

if nothing leaves the range: maxima of rows and columns, and alpha times their products, are 0 or from 2^-450 to 2^450.
An infinity or a NaN makes its row of A or column of B NaN; a row or column whose elements are all denormal counts as 0.
The bound is for rounding to nearest.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

from ..choice import Refusal
from ..contract.dot_and_tile import HELD
from ..contract.machine import Facts
from ..expr.graph import Expr, bits, constant, constant_bits, fma, from_bits, maximum, rint, select
from ..gemm.plan import planned
from ..gemm.spec import STRIDE, GemmSpec
from ..operands import Operand, dense
from ..transform.candidates import plan as transform_plan
from ..transform.spec import TransformSpec
from .composed_plan import ComposedPlan, ComposedStep, InBuffer, Source, StepLoop, elementwise_step
from .composed_spec import SLICES, ComposedSpec, places

SLICED = "products of int8 slices"
"""The way that this module plans."""
_SLICE = "a slice"
"""What moves from slice to slice in a loop."""
_BITS = 7
_FIRST = 5  # log2 of the scale of the first slice
_EXPONENT = 0x7FF << 52


# Expressions of one element


def larger(x0: Expr, x1: Expr) -> Expr:
    """Return the larger absolute value, or NaN if one operand is a NaN."""
    return maximum(abs(x0), abs(x1))


def powers(top: Expr) -> tuple[Expr, Expr]:
    """Return the power of two at or below |top|, and 32 divided by it; 0 for a denormal, NaN for an infinity."""
    power = from_bits(bits(top) & constant_bits(_EXPONENT, "i64"))
    inverse = from_bits(constant_bits(2 * 1023 + _FIRST << 52, "i64") - bits(power))
    none = power == 0.0
    return select(abs(top) < inf, power, constant(nan, "f64")), select(none, 0.0, inverse)


def scaled(x: Expr, inverse: Expr) -> Expr:
    """Return the operand scaled by a power of two, from which the first slice is taken."""
    return x * inverse


def next_slice(rest: Expr) -> tuple[Expr, Expr]:
    """Return the remainder from which the next slice is taken, and this slice."""
    whole = rint(rest)
    return (rest - whole) * 2.0**_BITS, whole


def narrow(x: Expr) -> Expr:
    """Return a slice, which the store narrows to bytes."""
    return x


def nothing() -> Expr:
    """Return the total before the first sum."""
    return constant(0.0, "f64")


def added(total: Expr, sums: Expr) -> Expr:
    """Add one more diagonal of products to the total."""
    return fma(total, 2.0**-_BITS, sums)


def finished(alpha: float, beta: float) -> Callable[..., Expr]:
    """Return the expression of C from the total."""
    unit = 2.0 ** (-2 * _FIRST)

    def fresh(total: Expr, p: Expr, q: Expr) -> Expr:
        product = total * (p * q * unit)
        return product if alpha == 1 else product * alpha

    def updated(total: Expr, p: Expr, q: Expr, c: Expr) -> Expr:
        product = fresh(total, p, q)
        return product + c if beta == 1 else fma(c, beta, product)

    return updated if beta else fresh


# Plan


class SplitSteps:
    """The steps that find the powers of an operand and prepare its slices. An operand in another order is
    transposed."""

    def __init__(self, operand: Operand, power: str, order: str, facts: Facts) -> None:
        self.name, self.facts = operand.name, facts
        by_rows = order == "C"
        self.lines, self.length = (operand.rows, operand.columns) if by_rows else (operand.columns, operand.rows)
        assert isinstance(operand.view.leading, int)
        self.leading, self.source, self.transpose = operand.view.leading, operand.name, list[ComposedStep]()
        if operand.view.order != order:
            sizes = (self.length, self.lines, "f64", self.leading, self.length)
            self.leading, self.source = self.length, "rests"
            transpose = transform_plan(TransformSpec("plain", "plaint", *sizes), facts)
            self.transpose = [ComposedStep(transpose, {"x": InBuffer(operand.name), "y": InBuffer("rests")})]
        self.along = by_rows == (operand.name == "a")  # whether k runs along lines
        self.powers = (power, f"{power} inverse")
        self.elements = operand.rows * operand.columns

    def steps(self, first: int, by: int) -> list[ComposedStep | StepLoop]:
        """Return all steps: those up to the first slice, then the slices, of which the first one is stored at this
        number and the others so many bytes further each."""
        slices = InBuffer(f"slices of {self.name}", first * abs(by))
        return [*self._scaling(), StepLoop(SLICES, tuple(self._slicing()), {_SLICE: (slices, by)})]

    def _scaling(self) -> list[ComposedStep]:
        """Return the steps up to the first slice: maxima of rows of A or columns of B by halving, powers, scaling."""
        source, leading, steps = (self.source, 0), self.leading, [*self.transpose]
        halves = f"halves of {self.name}", 0
        left = self.length if self.along else self.lines
        half = -(-left // 2)
        stride = half if self.along else self.length  # stride of the halves in scratch memory
        while left > 1:
            half = -(-left // 2)
            shape = (self.lines, half) if self.along else (half, self.length)
            other = (source[0], 8 * (left - half) * (1 if self.along else leading))
            target = 1 if self.along and half == 1 else stride
            pair = {"x0": Source("f64", leading, *source), "x1": Source("f64", leading, *other)}
            steps.append(elementwise_step(self.facts, larger, shape, pair, [Source("f64", target, *halves)]))
            source, leading, left = halves, target, half
        vector = (self.lines, 1) if self.along else (1, self.length)
        across = vector[1]
        power, inverse = (Source("f64", across, buffer) for buffer in self.powers)
        steps.append(
            elementwise_step(self.facts, powers, vector, {"top": Source("f64", leading, *source)}, [power, inverse])
        )
        inputs = {"x": Source("f64", self.leading, self.source), "inverse": inverse._replace(shape=vector)}
        rests = Source("f64", self.length, "rests")
        steps.append(elementwise_step(self.facts, scaled, (self.lines, self.length), inputs, [rests]))
        return steps

    def _slicing(self) -> list[ComposedStep]:
        """Return the steps that take one slice and leave the remainder for the next."""
        shape = (1, self.elements)
        rests, digits = Source("f64", self.elements, "rests"), Source("i32", self.elements, "digits")
        return [
            elementwise_step(self.facts, next_slice, shape, {"rest": rests}, [rests, digits]),
            elementwise_step(self.facts, narrow, shape, {"x": digits}, [Source("i8", self.elements, _SLICE)], "i32"),
        ]


def plan(spec: ComposedSpec, facts: Facts) -> ComposedPlan | Refusal:
    """Plan the slices of both operands, the sums of products with equal s + u from the smallest on, and C."""
    a, b, c = spec.operands
    order, of_a, of_b = c.view.order, spec.m * spec.k, spec.k * spec.n
    # a's slices ascend and b's descend, so that pairs with equal s + u are neighbours
    split = SplitSteps(a, "p", order, facts).steps(0, of_a) + SplitSteps(b, "q", order, facts).steps(SLICES - 1, -of_b)
    all_of_c = (1, spec.m * spec.n)
    totals, sums = Source("f64", spec.m * spec.n, "totals"), Source("i32", spec.m * spec.n, "sums")
    start = elementwise_step(facts, nothing, all_of_c, {}, [totals])
    add = elementwise_step(facts, added, all_of_c, {"total": totals, "sums": sums}, [totals])
    product = planned(_product(spec), facts)
    if isinstance(product, Refusal):
        return product._replace(way=SLICED)
    strides = {"a_stride": of_a, "b_stride": of_b}
    at = {
        "a": InBuffer("slices of a"),
        "b": InBuffer(_SLICE),
        "c": InBuffer("sums"),
        "count": InBuffer("pairs"),
        **strides,
    }
    over = {_SLICE: (InBuffer("slices of b"), of_b), "pairs": (SLICES, -1)}
    steps = *split, start, StepLoop(SLICES, (ComposedStep(product, at), add), over), _finish(spec, c, facts)
    buffers = places(spec.m, spec.n, spec.k)
    end = buffers.pop("end")
    return ComposedPlan(spec, steps, buffers, end, way=SLICED, rejected=product.rejected)


def _finish(spec: ComposedSpec, c: Operand, facts: Facts) -> ComposedStep:
    """Plan C = beta C + alpha total, line by line in the storage order of C."""
    by_rows = c.view.order == "C"
    lines, length = (spec.m, spec.n) if by_rows else (spec.n, spec.m)
    assert isinstance(c.view.leading, int)
    shapes = {"p": (lines, 1), "q": (1, length)} if by_rows else {"p": (1, length), "q": (lines, 1)}
    inputs = {"total": Source("f64", length, "totals")}
    inputs |= {name: Source("f64", shape[1], name, shape=shape) for name, shape in shapes.items()}
    result = Source("f64", c.view.leading, "c")
    if spec.beta:
        inputs["c"] = result
    return elementwise_step(facts, finished(spec.alpha, spec.beta), (lines, length), inputs, [result])


def _product(spec: ComposedSpec) -> GemmSpec:
    """Return the request for the sum of products of slices with equal s + u. The call gives the number of pairs."""
    order = spec.order[2]
    a, b, c = (dense(order, operand.rows, operand.columns) for operand in spec.operands)
    return GemmSpec(
        spec.m,
        spec.n,
        spec.k,
        ("i8", "i8", "i32"),
        (order, order, order),
        (a, b, c),
        STRIDE,
        1.0,
        0.0,
        numerics=spec.numerics,
        tiles=HELD,
    )
