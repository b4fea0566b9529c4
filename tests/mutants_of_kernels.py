"""Measure how strong proofs are: check mutants of the bytes of kernels against the proofs of their requests.

    python -m tests.mutants_of_kernels --seed 1                 a mutant of each field of each instruction of a fixed
                                                                list of small kernels of all kinds (`CHOSEN`)
    python -m tests.mutants_of_kernels --seed 1 --all           the same for all kernels of all targets
    python -m tests.mutants_of_kernels --seed 1 --limit 20      at most twenty random mutants of each kernel
    python -m tests.mutants_of_kernels --seed 1 --only sve256   only kernels whose name contains this
    python -m tests.mutants_of_kernels --seed 1 --drop          also nothing in the place of each instruction
    python -m tests.mutants_of_kernels --seed 1 --prove         prove every mutant, also those that execution refutes
    python -m tests.mutants_of_kernels --seed 1 --minutes 30    stop after this time; the next run continues
    python -m tests.mutants_of_kernels --seed 1 --processes 2   divide the kernels among this many processes
    python -m tests.mutants_of_kernels --seed 1 --fresh         ignore the verdicts of earlier runs
    python -m tests.mutants_of_kernels --of modes --limit 500   so many mutants of one class of mistakes, over all
                                                                targets (tests/side_by_side/classes.py)
    python -m tests.mutants_of_kernels --seed 1 --inserted 4    mutants with inserted instructions instead, at most four
                                                                of each kind and kernel (side_by_side/inserted.py)

A mutant differs in one bit, which makes another instruction of the same length: another opcode, register, immediate,
address or mask. It must be refuted or be equivalent; tests/side_by_side/verdicts.py decides which. If a mutant that
gives other results is proved, the proof is false and the exit status is 1. tests/equivalence.py finds the reason why a
mutant is equivalent by executing both side by side. Verdicts are kept in .build/proofs, keyed by the hash of the source
that decides on them. If only code that proves is changed, verdicts by execution stay, and mutants that execution did
not refute are judged again.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import sys
import time
from collections import Counter, defaultdict
from functools import partial
from random import Random
from typing import Any

from tests.kept_results import CRASHED, Kept
from tests.side_by_side.bits import Mutant, dropped, mutants
from tests.side_by_side.classes import CLASSES, measured
from tests.side_by_side.classes import table as table_of_class
from tests.side_by_side.inserted import report
from tests.side_by_side.kernels import kernel_of, named
from tests.side_by_side.verdicts import ARGUED, EQUIVALENT, FALSE, OPEN, REFUTED, TRIED, VERDICTS, Judge, proof_is_tried

OWN = (
    "tests/mutants_of_kernels.py",
    "tests/equivalence.py",
    *(
        f"tests/side_by_side/{name}.py"
        for name in (
            "argued",
            "bits",
            "elsewhere",
            "executed",
            "further",
            "kernels",
            "nodes",
            "orderless",
            "other_words",
            "sampled",
            "verdicts",
        )
    ),
)


class Found:
    """Verdicts on the mutants of one or more kernels."""

    def __init__(self) -> None:
        self.fields: dict[str, Counter[str]] = defaultdict(Counter)
        self.reasons: Counter[str] = Counter()
        self.notes: list[str] = []
        self.kernels = self.left = self.tried = 0

    def add(self, other: Found) -> None:
        """Add the verdicts of another instance."""
        for name, counts in other.fields.items():
            self.fields[name] += counts
        self.reasons += other.reasons
        self.notes += other.notes
        self.kernels, self.left, self.tried = (
            self.kernels + other.kernels,
            self.left + other.left,
            self.tried + other.tried,
        )

    def note(self, name: str, mutant: Mutant, what: str, reason: str) -> None:
        """Add one verdict."""
        self.fields[mutant.field][what] += 1
        self.tried += reason.endswith(TRIED)
        if what in (EQUIVALENT, ARGUED):
            self.reasons[reason] += 1
        if what in (EQUIVALENT, ARGUED, FALSE, OPEN):
            self.notes.append(
                f"{what}: {name}, {mutant.offset:#x}.{mutant.bit}: {mutant.before} -> {mutant.after}: {reason}"
            )


def of_kernel(name: str, target: str, options: Any, until: float) -> Found:
    """Return the verdicts on all mutants of a kernel that time permits."""
    found, began = Found(), time.monotonic()
    kernel = kernel_of(name, target)
    if kernel is None:
        print(f"{name} for {target}: there is no such kernel, or no proof of it", file=sys.stderr, flush=True)
        return found
    executed, kept = (
        (Kept(None), Kept(None))
        if options.fresh
        else (Kept.of_execution("mutants", options.seed), Kept.of("mutants", options.seed, OWN))
    )
    name = f"{name} for {target}"
    random, judge = Random(f"{options.seed} {name}"), None
    drawn = [*mutants(kernel, random), *(dropped(kernel) if options.drop else ())]
    if options.limit is not None and len(drawn) > options.limit:
        drawn = random.sample(drawn, options.limit)
    stem = f"{name} {hashlib.sha256(kernel.code).hexdigest()[:8]}"
    for mutant in drawn:
        key, code = f"{stem} {mutant.offset:#x}.{mutant.bit}", mutant.of(kernel.code)
        seen = executed.known(key)
        tried = options.prove or proof_is_tried(code, seen or ("", ""))
        verdict = seen if seen is not None and not tried else kept.known(key)
        if verdict is None and time.monotonic() > until:
            found.left += 1
            continue
        if verdict is None:
            judge = judge or Judge(kernel, name)
            seen = seen or executed.judged(key, partial(judge.by_execution, mutant), (OPEN, CRASHED))
            verdict = seen
            if options.prove or proof_is_tried(code, seen):
                verdict = kept.judged(key, partial(judge.by_proof, mutant, seen), (OPEN, CRASHED))
        found.note(name, mutant, *verdict)
    found.kernels = 1
    print(f"{name}: {len(drawn)} mutants, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return found


# Processes


def _work(queue: Any, results: Any, options: Any, until: float) -> None:
    """Judge kernels from the queue until it is empty."""
    try:
        while (each := queue.get()) is not None:
            results.put(of_kernel(*each, options, until))
    finally:
        results.put(None)  # also after an error, which is printed: the parent must not wait for this process


def divided(pairs: list[tuple[str, str]], options: Any, until: float) -> Found:
    """Return the verdicts on the mutants of kernels. Several processes take one kernel after the other."""
    whole, context = Found(), multiprocessing.get_context("fork")
    queue, results = context.Queue(), context.Queue()
    for each in [*pairs, *[None] * options.processes]:
        queue.put(each)
    workers = [context.Process(target=_work, args=(queue, results, options, until)) for _ in range(options.processes)]
    for each in workers:
        each.start()
    ended = 0
    while ended < len(workers):
        found = results.get()
        if found is None:
            ended += 1
        else:
            whole.add(found)
    for each in workers:
        each.join()
    return whole


# The table


def main(arguments: list[str]) -> int:
    """Return 1 if there is a false proof."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants_of_kernels", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, help="mutants of each kernel")
    parser.add_argument("--only", default="", help="part of the names of kernels")
    parser.add_argument("--all", action="store_true", help="of every kernel and target, not the fixed list alone")
    parser.add_argument("--drop", action="store_true", help="also nothing in the place of each instruction")
    parser.add_argument("--prove", action="store_true", help="also what execution refutes")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="then it ends; the next goes on")
    parser.add_argument("--processes", type=int, default=1, help="that share the kernels")
    parser.add_argument("--fresh", action="store_true", help="without the verdicts of earlier runs, which are kept")
    parser.add_argument("--of", choices=tuple(CLASSES), help="mutants of this class of mistakes; --limit says how many")
    parser.add_argument("--inserted", type=int, help="mutants with inserted instructions, of each kind and kernel")
    parser.add_argument("--quiet", action="store_true", help="the table alone, without what is equivalent or open")
    options = parser.parse_args(arguments)
    os.environ["TILESMITH_CACHE"] = "off"  # the cache would write each kernel to disk
    if options.of is not None:
        counts, looked = measured(options.of, options.limit or 100, options.seed, options.only)
        print("\n".join([*([] if options.quiet else looked), "", *table_of_class(counts)]))
        return int(any(each[FALSE] for each in counts.values()))
    began = time.process_time()
    if options.inserted:
        return report(named(options.only, options.all), options.inserted, options.seed)
    until, pairs, found = time.monotonic() + 60 * options.minutes, named(options.only, options.all), Found()
    if options.processes > 1:
        found = divided(pairs, options, until)
    else:
        for pair in pairs:
            found.add(of_kernel(*pair, options, until))
    notes = [] if options.quiet else found.notes
    print("\n".join([*notes, "", *table(found.fields), "", *reasons(found.reasons), ""]))
    times = os.times()
    print(
        f"{found.kernels} kernels; of {found.tried} mutants that execution refuted the proof was tried too; "
        f"{time.process_time() - began + times.children_user + times.children_system:.0f} s of processor time"
    )
    if found.left:
        print(f"{found.left} mutants are left: the next run goes on")
    return int(any(what == FALSE for each in found.fields.values() for what in each))


def table(found: dict[str, Counter[str]]) -> list[str]:
    """Return a row for each field that shows how its mutants were refuted."""
    rows = [f"{'field':10} {'mutants':>8}{'refuted':>9}" + "".join(f"{each:>16}" for each in VERDICTS)]
    total: Counter[str] = sum(found.values(), Counter())
    for name, counts in [*sorted(found.items()), ("all", total)]:
        cells = "".join(f"{counts[each]:16}" for each in VERDICTS)
        rows.append(f"{name:10} {counts.total():8}{sum(counts[each] for each in REFUTED):9}{cells}")
    return rows


def reasons(found: Counter[str]) -> list[str]:
    """Return the number of equivalent mutants for each reason."""
    return [f"{count:6}  {reason}" for reason, count in found.most_common()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
