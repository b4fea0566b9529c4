"""Find the f16 arguments at which a standard form, rounded to f16, is wrong, for functions/midpoints_f16.py.

    python -m tests.ulp.midpoints

numpy evaluates both forms of each function and slope for all 65,536 arguments, without `off_midpoints`.
"""

from __future__ import annotations

import numpy as np

from tests.microkernels.functions.test_activations import TABLES, wanted_of
from tests.ulp.reference import rounded_to
from tilesmith.emulation.numerics.expressions import evaluate
from tilesmith.microkernels.expr.graph import constant, operand, program
from tilesmith.microkernels.functions.accuracies import STANDARD
from tilesmith.microkernels.functions.activations import ACTIVATIONS, CATALOGUE

HEAD = '''"""Arguments at which standard forms lie on the wrong side of a midpoint of two f16, printed by
`python -m tests.ulp.midpoints`: do not edit.

(function or slope, whether it has tables of 16) -> pairs of the argument and the value there, an f32 rounded to odd.
"""

MIDPOINTS: dict[tuple[str, bool], tuple[tuple[float, float], ...]] = {'''


def wrong(name: str, tables: int) -> list[tuple[float, float]]:
    """Return the arguments whose result is wrong, and their values rounded to odd."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
    one = (constant(1.0, "f32"),) if name.endswith("_inv") else ()
    expr = ACTIVATIONS[name](*one, operand("x", "f32"), accuracy=STANDARD, tables=tables)
    with np.errstate(all="ignore"):
        found = evaluate(program(expr), x=x)[0].astype(np.float16)
        true = wanted_of(name, x)
        right = rounded_to(true, np.float16)
        places = np.flatnonzero((found != right) & ~(np.isnan(found) & np.isnan(right)))
    odd = rounded_to(true[places], np.float32)
    return [(float(x[place]), float(value)) for place, value in zip(places, odd, strict=True)]


def main() -> None:
    print(HEAD)
    for name in [*CATALOGUE, *(f"{name}_inv" for name in CATALOGUE)]:
        for tables in TABLES:
            found = wrong(name, tables)
            if found:
                print(f'    ("{name}", {tables >= 16}): (')
                print("".join(f"        ({x!r}, {value!r}),\n" for x, value in found), end="")
                print("    ),")
    print("}")


if __name__ == "__main__":
    main()
