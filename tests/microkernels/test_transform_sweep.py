"""Every m and n from 1 to 70, on every machine, for every size of elements: transposes and changes of layout in turn.

By default a few of each. TILESMITH_SWEEP=FILE takes all of them: for every (m, n) a plain transpose, or a pair of
layouts of its own, by turns (TILESMITH_SEED=1 exchanges the two, other numbers draw other pairs). What is done is
appended to FILE, and a run that finds it there goes on behind it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests.guard import SIDES, run_forked
from tests.microkernels.test_transpose import A64, run_here, run_there, x86_target
from tests.transform_cases import DTYPES, LAYOUTS, Case
from tilesmith.emulation.aarch64_server import Server
from tilesmith.encoder.features import Target
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.transform_spec import transform_spec, transpose_spec
from tilesmith.runtime.kernel import Kernel

PROGRESS = os.environ.get("TILESMITH_SWEEP")
SEED = int(os.environ.get("TILESMITH_SEED", "0"))
LARGEST = 70
FEW = 5
each_size = pytest.mark.parametrize("size", sorted(DTYPES, reverse=True))  # the cheap ones first


def row(target: Target, name: str, size: int, m: int) -> Iterator[tuple[Case, str]]:
    """One request for every n, and the side of the operands where the guard is."""
    generator = random.Random(f"{name} {size} {m} {SEED}")
    layouts = LAYOUTS if size <= 4 else LAYOUTS[:-2]
    for n in generator.sample(range(1, LARGEST + 1), LARGEST):
        longer = generator.choice([0, 0, 1, 3, 16])
        if (m + n + SEED) % 2:
            spec = transpose_spec(m, n, dtype=DTYPES[size], ldx=n + longer, ldy=m + generator.choice([0, 0, 1, 5]))
        else:
            spec = transform_spec("_to_".join(generator.sample(layouts, 2)), m, n, dtype=DTYPES[size])
        yield Case(spec, target), SIDES[(m + n) // 2 % 2]


def rows(name: str, size: int) -> Iterator[tuple[int, int]]:
    """Each m with the number of n to take; the progress file is written when the caller comes back for the next."""
    if not PROGRESS:
        yield random.Random(f"{name} {size}").randint(1, LARGEST), FEW
        return
    path = Path(PROGRESS)
    done = set(path.read_text().splitlines()) if path.exists() else set()
    for m in range(1, LARGEST + 1):
        key = f"{SEED} {name} {size} {m}"
        if key not in done:
            yield m, LARGEST
            with path.open("a") as file:
                file.write(key + "\n")


@pytest.mark.parametrize("name", ["avx2", "avx512", "host"])
@each_size
def test_x86(name: str, size: int) -> None:
    target = x86_target(name)
    for m, count in rows(name, size):
        cases = list(islice(row(target, name, size, m), count))
        kernels = [Kernel(case.spec, target) for case, _ in cases]  # here: what planners remember, a child would lose

        def run(cases: list[tuple[Case, str]] = cases, kernels: list[Kernel] = kernels) -> None:
            for (case, side), kernel in zip(cases, kernels):
                run_here(case, side, kernel)

        assert run_forked(run) == 0, f"m = {m}"


@pytest.mark.parametrize("name", A64)
@each_size
def test_a64(aarch64: Server, name: str, size: int) -> None:
    for m, count in rows(name, size):
        for case, side in islice(row(TARGETS[name], name, size, m), count):
            run_there(aarch64, case, side)
