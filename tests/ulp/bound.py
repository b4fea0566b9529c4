"""Bound the errors of the standard forms in f64 for all arguments: errors of roundings and of coefficients, in ulp.

    python -m tests.ulp.bound               every form, and the promised bound
    python -m tests.ulp.bound sigmoid       some forms
    python -m tests.ulp.bound --apart       on targets without FMA, where most products are rounded separately

The arguments are cut into pieces (tests/ulp/spans.py). On each piece, roundings are followed through the expression
(tests/ulp/roundings.py). So is the difference between each polynomial and the function that it approximates;
tests/ulp/polynomials.py proves a bound for it. A product by log 2 as a single number is off by the rest of log 2, which
is counted as an error of coefficients. The other constants are assumed to be exact. If a single number would be too
coarse, the form keeps the rest in a second number, and both together leave less than 2^-20 ulp. `left_by_coefficients`
would show a form whose second number is missing. Exact steps are named in these files, with the reason.

Results below the normal numbers are off by half of the smallest number for each of the last two steps, which is less
than 4 of it; pieces end where these results begin. log is bounded in terms of e and f, from which its roundings start.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import mpmath
import numpy as np
from mpmath import mpf

from tests.ulp.polynomials import FOUND, table
from tests.ulp.reference_f64 import EXACT
from tests.ulp.roundings import SIGN, Roundings
from tests.ulp.spans import Array, Span, pieces, ulp
from tilesmith.microkernels.expr.graph import Program, operand, program
from tilesmith.microkernels.functions import coefficients_f64
from tilesmith.microkernels.functions.accuracies import ACCURATE, STANDARD
from tilesmith.microkernels.functions.activations import CATALOGUE, FUNCTIONS, contract_of
from tilesmith.microkernels.functions.standard import FORMS, log_of

SAMPLES = 4000
LEAST = 2.0**-1021
ENDS = {
    "exp": (-707.0, 708.0),
    "exp2": (-1020.0, 1022.4),
    "log": (2.0**-0.5 - 1, 2.0**0.5 - 1),
    "tanh": (0.0, 19.0),
    "sigmoid": (-707.0, 38.0),
    "silu": (-701.0, 38.0),
    "gelu": (-37.3, 9.0),
    "gelu_tanh": (-20.9, 7.3),
    "elu": (-37.5, 0.0),
    "softplus": (-707.0, 760.0),
    "exp2_inv": (-1020.0, 1022.4),
    "tanh_inv": (-353.5, 353.5),
    "sigmoid_inv": (-707.0, 707.0),
    "silu_inv": (-700.0, 60.0),
    "gelu_inv": (-37.3, 9.0),
    "gelu_tanh_inv": (-20.9, 9.0),
}
"""The range in which results are normal numbers and vary. Beyond it they are 1, -1 or x, which is off by less than half
an ulp, or denormal. exp' is exp, and so is elu' for x < 0; softplus' is sigmoid; log' is rounded once. For log the
range is that of f."""


def expression(name: str) -> Program:
    """Return the expression of a function, in terms of x, or of e and f for log."""
    if name == "log":
        return program(log_of(operand("e", "f64"), operand("f", "f64")))
    x, form = operand("x", "f64"), FORMS["f64"].get(name)
    if form:
        return program(form(x, 0))
    if name.endswith("_inv"):
        return program(CATALOGUE[name.removesuffix("_inv")].slope(x, accuracy=ACCURATE))
    return program(FUNCTIONS[name](x, accuracy=STANDARD))


def inputs(name: str) -> list[Span]:
    """Return the pieces of the arguments. For log these are pieces of f for each range of e: 0, 1, 2, 3, 4 to 7 and so
    on, of both signs."""
    x = pieces(*ENDS[name])
    if name != "log":
        return [x]
    first = [0.0, 1.0, 2.0, 3.0, *(2.0**i for i in range(2, 11))]
    last = [0.0, 1.0, 2.0, 3.0, *(2.0 ** (i + 1) - 1 for i in range(2, 11))]
    low, high = np.array(first + [-v for v in last[1:]]), np.array(last + [-v for v in first[1:]])
    e = Span(*(np.repeat(each, len(x.low)) for each in (low, high)))
    return [e, Span(*(np.tile(each, len(low)) for each in (x.low, x.high)))]


def bound(name: str, apart: bool = False) -> tuple[float, float, float, float]:
    """Return the largest error of roundings, of coefficients, and of their sum, in ulp of the result, and the argument
    of the last one. `apart`: on targets without FMA."""
    of, x = expression(name), inputs(name)
    floor = max(contract_of(name, "f64").bound(STANDARD, 0).floor, LEAST)
    most = np.zeros(3)
    for up in (False, True):
        parts = Roundings(of, x, up, apart)
        off, slopes = parts.backwards()
        unit = ulp(np.maximum(parts.values[parts.result].least, floor))
        left = parts.none
        for polynomial, place, argument in polynomials_of(of):
            left = left + slopes[place].size * table(polynomial).within(parts.values[argument])
        for place, other in _products_by_log_2(of):
            left = left + slopes[place].size * parts.values[other].size * coefficients_f64.LN2[1]
        roundings, coefficients = parts.by_last + off / unit, left / unit
        total = roundings + coefficients
        assert np.isfinite(total).all(), "an interval that is not finite"
        if total.max() > most[2]:
            at = float(x[-1].low[np.argmax(total)])
        most = np.maximum(most, [roundings.max(), coefficients.max(), total.max()])
    return float(most[0]), float(most[1]), float(most[2]), at


def polynomials_of(of: Program) -> Iterator[tuple[str, int, int]]:
    """Yield the polynomials of polynomials.py in an expression, recognized by their constants: (name, last step,
    argument)."""

    def constant(place: int) -> float | None:
        step = of.steps[place]
        return float(np.array(step.value, np.uint64).view(np.float64)) if step.op == "const" else None

    def chain(place: int) -> list[float]:
        step = of.steps[place]
        third = constant(step.args[2]) if step.op == "fma" else None
        if third is None:
            return []
        for each in step.args[:2]:
            inner = constant(each)
            rest = [inner] if inner is not None else chain(each)
            if rest:
                return [third, *rest]
        return []

    known = {tuple(getattr(coefficients_f64, name)): name for name in FOUND if name != "MILLS"}
    for place, step in enumerate(of.steps):
        found = known.get(tuple(chain(place)))
        if found:
            (argument,) = set(step.args[:2]) & _arguments(of, place)
            yield found, place, argument
        if step.op == "add" and coefficients_f64.MILLS_PAIRS[0][0] in (constant(each) for each in step.args):
            product = of.steps[next(each for each in step.args if constant(each) is None)]
            yield "MILLS", place, product.args[1]


def _products_by_log_2(of: Program) -> Iterator[tuple[int, int]]:
    """Yield the products by log 2 as a single number, which is off by the rest of log 2: (step, the other factor)."""
    ln2 = int(np.array(coefficients_f64.LN2[0]).view(np.uint64))
    for place, step in enumerate(of.steps):
        for one, other in (step.args, step.args[::-1]) if step.op == "mul" else ():
            if of.steps[one].op == "const" and of.steps[one].value == ln2:
                yield place, other


def _arguments(of: Program, place: int) -> set[int]:
    """Return the factors of an FMA that is a factor of this FMA."""
    return {
        each for inner in of.steps[place].args[:2] if of.steps[inner].op == "fma" for each in of.steps[inner].args[:2]
    }


def exactly(of: Program, x: float) -> mpf:
    """Evaluate the expression at x in exact arithmetic; only rounding to integers is that of f64."""
    made: list[mpf] = []
    for step in of.steps:
        a = [made[place] for place in step.args]
        if step.op == "input":
            value = mpf(x)
        elif step.op == "const":
            value = mpf(float(np.array(step.value, np.uint64).view(np.float64)))
        elif step.op in SIGN:
            value = a[0]
        else:
            value = _MEANING[step.op](*a)
        made.append(value)
    return made[of.outputs[0]]


_MEANING = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "fma": lambda a, b, c: a * b + c,
    "neg": lambda a: -a,
    "abs": abs,
    "max": max,
    "min": min,
    "rint": lambda a: mpf(round(float(a))),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "select": lambda a, b, c: b if a else c,
    "scale": lambda a, n: mpmath.ldexp(a, int(n)),
}


def left_by_coefficients(name: str) -> float:
    """Return the largest difference between the expression in exact arithmetic and the function at SAMPLES arguments,
    in ulp. This is an independent check of the coefficients' part of the bound."""
    low, high = ENDS[name]
    rng = np.random.default_rng(1)
    near = max(low, -3.0), min(high, 3.0)
    x: Array = np.concatenate([rng.uniform(low, high, SAMPLES // 2), rng.uniform(*near, SAMPLES // 2)])
    of, worst, floor = expression(name), mpf(0), contract_of(name, "f64").bound(STANDARD, 0).floor
    with mpmath.workdps(400 if "gelu" in name else 60):
        for each in x:
            true = EXACT[name](mpf(float(each)))
            size = mpmath.ldexp(1, int(mpmath.floor(mpmath.log(max(abs(true), floor), 2))) - 52)
            worst = max(worst, abs(exactly(of, float(each)) - true) / size)
    return float(worst)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apart", action="store_true", help="on targets without FMA")
    parser.add_argument("names", nargs="*", choices=[*ENDS, []], help="functions; all unless given")
    asked = parser.parse_args()
    for name in asked.names or ENDS:
        roundings, coefficients, total, at = bound(name, asked.apart)
        promised = contract_of(name, "f64").bound(STANDARD, 0).ulp
        cells = f"{roundings:.3f}", f"{coefficients:.3f}", f"{total:.3f}", f"{at:.6g}"
        print(f"| {name} | {' | '.join(cells)} | {promised:g} |", flush=True)


if __name__ == "__main__":
    main()
