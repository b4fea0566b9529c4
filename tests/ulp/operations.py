"""Count the operations of each activation: `python -m tests.ulp.operations` prints the table of docs/activations.md.

It counts the AVX-512 instructions for one vector, without loads and stores. `--target neon` and `--dtype f64`, for
example, select other targets and types.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from tilesmith.microkernels.codegen.selection import arithmetic_of, legal, natives
from tilesmith.microkernels.expr.trace import trace
from tilesmith.microkernels.functions.accuracies import ACCURACIES
from tilesmith.microkernels.functions.activations import ACTIVATIONS, CATALOGUE
from tilesmith.microkernels.machines.registry import TARGETS, facts_of

HEADS = ("function", "accuracy", "all", "fma, mul", "add, sub", "div", "table", "other")
CLASSES = {
    "fma": 0,
    "fnma": 0,
    "fms": 0,
    "fnms": 0,
    "mul": 0,
    "mul_where": 0,
    "add": 1,
    "sub": 1,
    "add_where": 1,
    "sub_where": 1,
    "div": 2,
    "perm": 3,
    "perm2": 3,
    "tbl": 3,
}


def counts(name: str, accuracy: str, target: str, dtype: str) -> list[int]:
    """Return the number of instructions, in all and of each class."""
    arithmetic = arithmetic_of(facts_of(TARGETS[target]))
    function = ACTIVATIONS[name]
    outputs = trace(lambda x: function(x, accuracy=accuracy, tables=arithmetic.tables), x=dtype)
    steps, _ = natives(legal(outputs, arithmetic))
    found = Counter(CLASSES.get(step.op, 4) for step in steps if step.op not in ("input", "const"))
    return [sum(found.values()), *(found[i] for i in range(5))]


def table(target: str, dtype: str) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| {' | '.join(HEADS)} |"
    yield f"| {' | '.join(['---'] * 2 + ['--:'] * 6)} |"
    for name in CATALOGUE:
        for accuracy in reversed(ACCURACIES):
            yield f"| {name} | {accuracy} | {' | '.join(str(n or '') for n in counts(name, accuracy, target, dtype))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="avx512", choices=TARGETS)
    parser.add_argument("--dtype", default="f32", choices=("f32", "f64"))
    asked = parser.parse_args()
    print("\n".join(table(asked.target, asked.dtype)))


if __name__ == "__main__":
    main()
