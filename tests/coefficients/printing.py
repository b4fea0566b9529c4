"""Constants as Python: a module's text, each constant with its meaning and the error that is left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import mpmath
from mpmath import mpf


class Found(NamedTuple):
    """Numbers of a constant, or a table for each of its coefficients, and the error that is left (0: only rounded)."""

    numbers: list[Any]
    error: mpf = mpf(0)


class Constant(NamedTuple):
    """A constant's meaning, for its comment, and how it is found."""

    says: str
    find: Callable[[], Found]


def text(value: mpf) -> str:
    """A number so that float() gives it back exactly: the shortest decimal of the f64 it is."""
    assert mpf(float(value)) == value
    return repr(float(value))


def listed(numbers: list[Any], indent: str = "") -> str:
    """(a, b, ...) in one line or, too long for that, several."""
    further = indent + "    "
    inside = [listed(n, further) if isinstance(n, list) else text(n) for n in numbers]
    line = f"({', '.join(inside)})"
    if len(line) <= 90 and "\n" not in line:
        return line
    return "(\n" + "".join(f"{further}{each},\n" for each in inside) + indent + ")"


def definition(name: str, says: str, found: Found) -> str:
    """NAME = value, below its comment."""
    error = f"; error 2^{float(mpmath.log(found.error, 2)):.1f}" if found.error else ""
    value = text(found.numbers[0]) if len(found.numbers) == 1 else listed(found.numbers)
    return f"# {says}{error}\n{name} = {value}\n"


def module(constants: Mapping[str, Constant], script: str, dtype: str) -> str:
    """The module's text."""
    lines = [
        f'"""Constants of the activations, printed by `python -m {script}`: do not edit.\n\n'
        f"Each is a number of {dtype} (or several), written so that reading it gives back all its bits. Polynomials"
        " are in\nascending powers; errors are the largest weighted ones left after rounding, exact arithmetic"
        ' assumed.\n"""\n'
    ]
    lines += [definition(name, constant.says, constant.find()) for name, constant in constants.items()]
    return "\n".join(lines)


def show(constants: Mapping[str, Constant], script: str, dtype: str) -> None:
    """Print the constants that the command names, or the module."""
    for name in sys.argv[1:]:
        print(definition(name, constants[name].says, constants[name].find()), end="")
    if not sys.argv[1:]:
        print(module(constants, script, dtype), end="")
