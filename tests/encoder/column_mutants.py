"""Seeded mutants of the columns of rows other than bytes: `python -m tests.encoder.column_mutants --arch x86 --seed 1`.

Every mutant is a row of the table with an access role, an effect, a feature, a form or an immediate changed, in memory
only. It is killed if an oracle of that column finds it. The exit status is 1 if one survives. `column_mutants_x86` and
`column_mutants_a64` make and judge the mutants.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Protocol

from rich.console import Console
from rich.table import Table

from tests.encoder.column_mutant import Mutant

ARCHITECTURES = ("x86", "a64")


class Maker(Protocol):
    """The interface of the module of an architecture."""

    def mutants(self, seed: int, count: int) -> Iterator[Mutant]:
        """Yield the mutants that are always planted, then `count` drawn ones."""


def maker(arch: str) -> Maker:
    """Return the module of an architecture."""
    found: Maker = import_module(f"tests.encoder.column_mutants_{arch}")
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", choices=ARCHITECTURES, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="drawn mutants, besides the planted ones")
    arguments = parser.parse_args()
    table = Table("mutant", "killed by")
    made = maker(arguments.arch).mutants(arguments.seed, arguments.count)
    judged = [(mutant.name, mutant.killed_by()) for mutant in made]
    for name, killer in judged:
        table.add_row(name, killer or "SURVIVED")
    survivors = sum(killer is None for _, killer in judged)
    console = Console(width=160)
    console.print(table)
    console.print(f"{len(judged)} mutants, {survivors} survived")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
