"""Every constant of microkernels/activations_constants.py, from its definition.

    python -m tests.coefficients.constants             the whole module, as Python
    python -m tests.coefficients.constants TANH_CUBE   one constant, with the error that its rounding leaves

tests/microkernels/test_activation_constants.py runs this and compares the text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import mpmath
from mpmath import mpf

from tests.coefficients.remez import Function, minimax, round_to, rounded

MODULE = "microkernels/activations_constants.py"
LN2 = mpmath.log(2)


class Found(NamedTuple):
    """Numbers of a constant, and what they leave (0 where they are simply rounded)."""

    numbers: list[mpf]
    error: mpf = mpf(0)


class Constant(NamedTuple):
    """A constant's meaning, for its comment, and how it is found."""

    says: str
    find: Callable[[], Found]


def single(value: mpf) -> Found:
    """A number rounded to f32."""
    return Found([round_to(value)])


def parts(value: mpf, first_bits: int = 24) -> Found:
    """A number as the sum of two f32, the first with at most `first_bits` bits."""
    with mpmath.workprec(first_bits):
        high = +mpf(value)
    return Found([high, round_to(value - high)])


def fitted(f: Function, degree: int, low: mpf, high: mpf, weight: Function, first: mpf | None = None) -> Found:
    """A polynomial with f32 coefficients."""
    return Found(*rounded(f, degree, mpf(low), mpf(high), weight, first=first))


def exp_tail(degree: int, half: mpf) -> Found:
    """(e^r - 1 - r) / r^2 for |r| <= half; the error is relative to e^r."""
    return fitted(
        lambda r: (mpmath.exp(r) - 1 - r) / r**2, degree, -half, half, lambda r: mpmath.exp(-r) * r**2
    )  # fmt: skip


WIDER = mpf("1.001")
"""How far beyond half a step an argument may lie, because the multiple of the step is found by a rounded product."""


def powers_of_two() -> list[mpf]:
    return [mpf(2) ** (mpf(j) / 16) for j in range(16)]


CONSTANTS: dict[str, Constant] = {
    "LOG2E": Constant("1 / log 2", lambda: single(1 / LN2)),
    "LN2": Constant("log 2 as one number, and what is missing", lambda: parts(LN2)),
    "LN2_SHORT": Constant("log 2: a first part of 15 bits, whose product with a whole number below 2^9 is exact, and the rest",
                          lambda: parts(LN2, 15)),
    "EXP_FAST": Constant("(e^r - 1) / r, |r| <= log(2)/2; error relative to e^r",
                         lambda: fitted(lambda r: mpmath.expm1(r) / r, 3, -LN2 / 2 * WIDER, LN2 / 2 * WIDER, lambda r: mpmath.exp(-r) * abs(r))),
    "EXP": Constant("e^r, |r| <= log(2)/2; relative error",
                    lambda: fitted(mpmath.exp, 6, -LN2 / 2 * WIDER, LN2 / 2 * WIDER, lambda r: mpmath.exp(-r), mpf(1))),
    "EXP_TAIL": Constant("(e^r - 1 - r) / r^2, |r| <= log(2)/2; error relative to e^r", lambda: exp_tail(4, LN2 / 2 * WIDER)),
    "EXP_STEP_TAIL": Constant("the same, |r| <= log(2)/32", lambda: exp_tail(1, LN2 / 32 * WIDER)),
    "POWERS": Constant("2^(j/16)", lambda: Found([round_to(v) for v in powers_of_two()])),
    "POWERS_LOW": Constant("what POWERS lose by rounding", lambda: Found([round_to(v - round_to(v)) for v in powers_of_two()])),
}  # fmt: skip


def text(value: mpf) -> str:
    """A number so that float() gives it back exactly: the shortest decimal of the f64 it is."""
    assert mpf(float(value)) == value
    return repr(float(value))


def definition(name: str, found: Found) -> str:
    """NAME = value, in lines of at most 120 characters."""
    constant = CONSTANTS[name]
    error = f"; error 2^{float(mpmath.log(found.error, 2)):.1f}" if found.error else ""
    head = f"# {constant.says}{error}\n"
    numbers = [text(v) for v in found.numbers]
    if len(numbers) == 1:
        return f"{head}{name} = {numbers[0]}\n"
    return f"{head}{name} = (\n" + "".join(f"    {n},\n" for n in numbers) + ")\n"


def module() -> str:
    """The module's text."""
    lines = [
        '"""Constants of the activations, printed by `python -m tests.coefficients.constants`: do not edit.\n\n'
        "Each is a number of f32 (or several), written so that reading it gives back all its bits. Polynomials are in\n"
        'ascending powers; errors are the largest weighted ones left after rounding, exact arithmetic assumed.\n"""\n'
    ]
    lines += [definition(name, constant.find()) for name, constant in CONSTANTS.items()]
    return "\n".join(lines)


def main() -> None:
    for name in sys.argv[1:]:
        print(definition(name, CONSTANTS[name].find()), end="")
    if not sys.argv[1:]:
        print(module(), end="")


if __name__ == "__main__":
    main()
