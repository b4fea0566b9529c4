"""The constants in the source equal those that their script finds, bit for bit, and the script finds minimax
polynomials.

Finding all constants takes a minute, with the same result as long as the scripts are the same. Each module therefore
has a seal in tests/golden/coefficients.txt: a hash of the scripts and of the module, with the version of mpmath,
written after all constants had been found. If the seal matches, only a few constants are found again; otherwise, and in
a soak, all are.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import mpmath
import pytest
from mpmath import mpf

from tests.coefficients import constants, constants_f64, standard
from tests.coefficients.printing import definition, module
from tests.coefficients.remez import minimax, round_to, rounded
from tests.profiles import is_soak

ROOT = Path(__file__).parents[2]
SEALS = ROOT / "tests/golden/coefficients.txt"
SCRIPTS = {"constants": constants, "constants_f64": constants_f64, "standard": standard}
FEW = [
    *(("constants", constants.CONSTANTS, name) for name in ("LN2_SHORT", "EXP", "EXP2_ABOVE", "LOG1P_TAIL", "CUBE")),
    *(("constants_f64", constants_f64.CONSTANTS, name) for name in ("LN2", "EXP2_FAST", "CUBE")),
    *(("standard", standard.constants("f32"), name) for name in ("LINE_SHORT", "SLOPE_ROOT", "LOG1P")),
]
"""Constants that take less than a second and are found in different ways."""

each_script = pytest.mark.parametrize("script", SCRIPTS)


def seal(of: Any) -> str:
    """Return a hash that changes with every script of this folder and with the module."""
    scripts = sorted(path for path in Path(__file__).parent.glob("*.py") if path.name != Path(__file__).name)
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in (*scripts, ROOT / of.MODULE))).hexdigest()


def sealed() -> dict[str, list[str]]:
    """Return the seal and the version of mpmath, keyed by the script's name."""
    lines = SEALS.read_text().splitlines() if SEALS.exists() else []
    return {name: rest for name, *rest in map(str.split, lines)}


@pytest.mark.slow
@each_script
def test_the_source_is_what_the_script_prints(script: str, request: pytest.FixtureRequest) -> None:
    of: Any = SCRIPTS[script]
    known, fresh = sealed(), [seal(of), mpmath.__version__]
    is_writing = request.config.getoption("--update-golden")
    if known.get(script) == fresh and not is_soak() and not is_writing:
        return
    with mpmath.workdps(of.DIGITS):
        dtype = "f64" if of is constants_f64 else "f32"
        text = of.module() if of is standard else module(of.CONSTANTS, of.SCRIPT, dtype)
    assert (ROOT / of.MODULE).read_text() == text
    if is_writing:
        SEALS.write_text(
            "".join(f"{name} {' '.join(rest)}\n" for name, rest in sorted({**known, script: fresh}.items()))
        )


@each_script
def test_a_seal_is_that_of_the_scripts_and_the_module(script: str) -> None:
    assert sealed()[script][0] == seal(SCRIPTS[script]), "`pytest tests/coefficients --update-golden` writes it"


@pytest.mark.parametrize(("script", "of", "name"), FEW, ids=[f"{script}-{name}" for script, _, name in FEW])
def test_a_constant_is_what_the_script_finds(script: str, of: Any, name: str) -> None:
    with mpmath.workdps(SCRIPTS[script].DIGITS):
        text = definition(name if script != "standard" else f"{name}_F32", of[name].says, of[name].find())
    assert text in (ROOT / SCRIPTS[script].MODULE).read_text()


def test_a_known_minimax():
    """The best approximation of x^n on [-1, 1] by lower powers has the Chebyshev polynomial, 2^(1-n), as its error."""
    for n in (2, 3, 5, 8):
        _, error = minimax(lambda t, n=n: t**n, n - 1, mpf(-1), mpf(1))
        # the grid has 12 points for each extremum
        assert abs(error * 2 ** (n - 1) - 1) < mpf("0.01")


def test_rounded_coefficients_are_numbers_of_the_type():
    found, error = rounded(mpmath.exp, 5, mpf(-1), mpf(1))
    _, best = minimax(mpmath.exp, 5, mpf(-1), mpf(1))
    assert all(round_to(c) == c for c in found)
    assert best <= error < 1.01 * best + mpf(2) ** -23


def test_rounding_is_to_nearest_even():
    assert round_to(1 + mpf(2) ** -24) == 1
    assert round_to(1 + 3 * mpf(2) ** -24) == 1 + mpf(2) ** -22
    assert round_to(1 + mpf(2) ** -24 + mpf(2) ** -60) == 1 + mpf(2) ** -23
