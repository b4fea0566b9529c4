"""The accuracies that a request may name, and the algorithms of the fast forms."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..errors import UnsupportedError
from ..names import chosen

ACCURATE, STANDARD, FAST = "accurate", "standard", "fast"
ACCURACIES = (STANDARD, ACCURATE, FAST)
"""The error of each: at most 4 ulp; at most 1 ulp (2 where stated); as each function states."""
STANDARD_F16 = "standard f16"
"""Standard accuracy for results that are rounded to f16: correctly rounded for every f16 argument."""
TABLE, PADE, EXP = "table", "pade", "exp"
ALGORITHMS = {"tanh": (TABLE, PADE), "sigmoid": (TABLE, EXP), "silu": (TABLE, EXP), "gelu": (TABLE, EXP)}
"""The fast forms of functions that have several. TABLE: quadratics on 16 cells, whose coefficients one instruction
looks up. PADE: a ratio of polynomials in the shape of a Pade approximation. EXP: a formula with a fast e^x, without
tables. If no algorithm is named, the machine determines which one a kernel has."""


def checked_algorithm(algorithm: Any, accuracy: str, functions: Collection[str], compute: str) -> str | None:
    """Return the algorithm that a request names for these functions. Errors name the algorithms that exist."""
    if algorithm is None:
        return None
    found: str = chosen("algorithm", algorithm, (TABLE, PADE, EXP))
    if accuracy != FAST:
        raise ValueError(f'algorithm: {found} exists only with accuracy="{FAST}", not with "{accuracy}"')
    several = ", ".join(f"{name} ({' or '.join(names)})" for name, names in ALGORITHMS.items())
    if not functions:
        raise UnsupportedError(
            f"algorithm: no function of this kernel has a choice of algorithms; these have one: {several}"
        )
    for name in functions:
        if found not in ALGORITHMS.get(name, ()):
            has = " or ".join(ALGORITHMS.get(name, ())) or "one fast form only"
            raise UnsupportedError(f"algorithm: {name} has {has}, not {found}; these have a choice: {several}")
    if found == TABLE and compute != "f32":
        raise UnsupportedError(f"algorithm: tables exist for f32 only, and this kernel computes in {compute}")
    return found
