"""Print constants as Python: the text of a module, in which each constant has its meaning and its remaining error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import mpmath
from mpmath import mpf


class Found(NamedTuple):
    """The numbers of a constant, or a table for each of its coefficients, and the remaining error (0: only rounded)."""

    numbers: list[Any]
    error: mpf = mpf(0)


class Constant(NamedTuple):
    """The meaning of a constant, for its comment, and the function that finds it."""

    says: str
    find: Callable[[], Found]


def text(value: mpf) -> str:
    """Return the text of a number that float() reads back exactly: the shortest decimal of the f64."""
    assert mpf(float(value)) == value
    return repr(float(value))


def listed(numbers: list[Any], indent: str = "") -> str:
    """Return (a, b, ...) in one line, or in several if that is too long."""
    further = indent + "    "
    inside = [listed(n, further) if isinstance(n, list) else text(n) for n in numbers]
    line = f"({', '.join(inside)})"
    if len(line) <= 90 and "\n" not in line:
        return line
    return "(\n" + "".join(f"{further}{each},\n" for each in inside) + indent + ")"


def definition(name: str, says: str, found: Found) -> str:
    """Return "NAME = value" below its comment."""
    error = f"; error 2^{float(mpmath.log(found.error, 2)):.1f}" if found.error else ""
    value = text(found.numbers[0]) if len(found.numbers) == 1 else listed(found.numbers)
    return f"# {says}{error}\n{name} = {value}\n"


def module(constants: Mapping[str, Constant], script: str, dtype: str) -> str:
    """Return the text of the module."""
    lines = [
        f'"""Constants of the activations, printed by `python -m {script}`: do not edit.\n\n'
        f"Each is a number of {dtype} (or several), written so that reading it gives back all its bits. Polynomials"
        " are in\nascending powers; errors are the largest weighted ones left after rounding, exact arithmetic"
        ' assumed.\n"""\n'
    ]
    lines += [definition(name, constant.says, constant.find()) for name, constant in constants.items()]
    return "\n".join(lines)


def show(constants: Mapping[str, Constant], script: str, dtype: str) -> None:
    """Print the constants that the command line names, or the whole module."""
    for name in sys.argv[1:]:
        print(definition(name, constants[name].says, constants[name].find()), end="")
    if not sys.argv[1:]:
        print(module(constants, script, dtype), end="")
