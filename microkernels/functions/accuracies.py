"""The accuracies that a request may name, and the algorithms of fast forms."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..errors import UnsupportedError
from ..names import chosen

ACCURATE, STANDARD, FAST = "accurate", "standard", "fast"
ACCURACIES = (STANDARD, ACCURATE, FAST)
"""At most 4 ulp; at most 1 (2 where stated); as each function states."""
STANDARD_F16 = "standard f16"
"""Standard for results that are rounded to f16: right for every f16 argument."""
TABLE, PADE, EXP = "table", "pade", "exp"
ALGORITHMS = {"tanh": (TABLE, PADE), "sigmoid": (TABLE, EXP), "silu": (TABLE, EXP), "gelu": (TABLE, EXP)}
"""Fast forms of functions that have several: quadratics on 16 cells, whose coefficients one instruction looks up; a
ratio of polynomials in the shape of a Pade approximation; what is made of a fast e^x without tables. Which one a kernel
has depends on the machine where no algorithm is named."""


def checked_algorithm(algorithm: Any, accuracy: str, functions: Collection[str], compute: str) -> str | None:
    """The algorithm that a request names for these functions; errors name those that there are."""
    if algorithm is None:
        return None
    found: str = chosen("algorithm", algorithm, (TABLE, PADE, EXP))
    if accuracy != FAST:
        raise ValueError(f'algorithm: {found} is one of accuracy="{FAST}", not of "{accuracy}"')
    several = ", ".join(f"{name} ({' or '.join(names)})" for name, names in ALGORITHMS.items())
    if not functions:
        raise UnsupportedError(f"algorithm: there is no function with one here; several have {several}")
    for name in functions:
        if found not in ALGORITHMS.get(name, ()):
            has = " or ".join(ALGORITHMS.get(name, ())) or "one fast form only"
            raise UnsupportedError(f"algorithm: {name} has {has}, not {found}; several have {several}")
    if found == TABLE and compute != "f32":
        raise UnsupportedError(f"algorithm: tables are of f32, this kernel computes in {compute}")
    return found
