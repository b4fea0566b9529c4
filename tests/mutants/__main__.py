"""Measure how strong the tests are: run seeded mutants of the product's modules against the tests mapped to them.

    python -m tests.mutants --seed 1                  all areas, two processes, 30 s of processor time for each mutant
    python -m tests.mutants --seed 1 --area guards    one area
    python -m tests.mutants --key 1f0c... --seed 1    repeat one mutant of the seed
    python -m tests.mutants --list                    print what would be run

A mutant is killed by a test that fails with it and passes without it, or that runs much longer with it. A mutant that
no test notices survives. tests/mutants/equivalents.txt lists the mutants that no test can notice, each with its reason.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.mutants.areas import AREAS, Mutant, drawn
from tests.mutants.schedule import Result, Schedule

EQUIVALENTS = Path(__file__).parent / "equivalents.txt"


def equivalents() -> dict[str, str]:
    """Return key -> the reason why no test can tell the mutant from the module."""
    lines = (line for line in EQUIVALENTS.read_text().splitlines() if line and not line.startswith("#"))
    return {key: reason for key, _, reason in (line.partition(" ") for line in lines)}


def line_of(mutant: Mutant, result: Result) -> str:
    """Return one row of the table."""
    return f"{mutant.key}  {mutant.place}  {mutant.change[:150]}\n            {result.text()}"


def table(results: dict[Mutant, Result]) -> str:
    """Return all mutants by area, then the rates."""
    rows, rates = [], []
    for area in dict.fromkeys(mutant.area for mutant in results):
        those = {mutant: result for mutant, result in results.items() if mutant.area == area}
        rows += ["", area, *(line_of(mutant, result) for mutant, result in those.items())]
        rates.append(rate(area, list(those.values())))
    return "\n".join(
        [
            *rows,
            "",
            "area            mutants  killed  by time  survived  equivalent   rate",
            *rates,
            rate("all", list(results.values())),
        ]
    )


def rate(area: str, results: list[Result]) -> str:
    """Return the counts of an area; equivalent mutants do not count as survivors."""
    counts = Counter(result.verdict for result in results)
    dead = counts["killed"] + counts["timeout"]
    alive = counts["survived"]
    share = f"{dead / (dead + alive):6.1%}" if dead + alive else "     -"
    return (
        f"{area:15} {len(results):7} {counts['killed']:7} {counts['timeout']:8} {alive:9} "
        f"{counts['equivalent']:11} {share}"
    )


def main(arguments: list[str]) -> int:
    """Return 0 if every mutant was run, whatever its result."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--area", choices=[area.name for area in AREAS])
    parser.add_argument("--key", action="append", help="only this mutant; may be repeated")
    parser.add_argument("--seconds", type=float, default=30, help="processor time for each mutant (30)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="only say what would be run")
    options = parser.parse_args(arguments)
    chosen = [
        mutant
        for area in AREAS
        if options.area in (None, area.name)
        for mutant in drawn(area, options.seed)
        if options.key is None or mutant.key in options.key
    ]
    if options.list:
        print("\n".join(f"{mutant.key}  {mutant.place}  {mutant.change}" for mutant in chosen))
        return 0
    known = equivalents()
    results = {mutant: Result("equivalent", reason=known[mutant.key]) for mutant in chosen if mutant.key in known}
    schedule = Schedule(options.seconds, options.processes)
    for mutant, result in schedule.run([mutant for mutant in chosen if mutant not in results]):
        results[mutant] = result
        print(f"[{len(results)}/{len(chosen)}] {line_of(mutant, result)}", flush=True)
    print(table({mutant: results[mutant] for mutant in chosen}))
    if options.area is None and options.key is None:
        stale = known.keys() - {mutant.key for mutant in chosen}
        print(f"{EQUIVALENTS.name} has keys that are not drawn: {', '.join(sorted(stale))}" if stale else "")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
