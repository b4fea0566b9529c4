"""Every transpose and every useful change of layout, for all m and n from 1 to 70, on every machine.

By default the tests draw a few of each. A soak tests all of them: 4,900 kernels for each request, element size and
machine, with random leading dimensions and sides of the guard page. It appends finished rows to PROGRESS, and a soak
that finds the file continues after them. Several runs with different `-k` may share the file.
tests/microkernels/transform/test_layouts.py draws the other pairs of layouts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests.guard import SIDES, run_forked
from tests.microkernels.transform.test_transpose import A64, run_here, run_there, x86_target
from tests.profiles import is_soak
from tests.transform_cases import DTYPES, Case
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import Target
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.transform.layouts import layout
from tilesmith.microkernels.transform.spec import TransformSpec, transform_spec
from tilesmith.runtime.kernel.callable import Kernel

PROGRESS = Path(__file__).parents[3] / ".build" / "transform-sweep.txt"
LARGEST = 70
FEW = 5
TRANSPOSE = "plain_to_plaint"
CHANGES = [
    *(change for f in (2, 4, 8) for change in (f"plain_to_vnni{f}", f"vnni{f}_to_vnni{f}t", f"plain_to_vnni{f}t")),
    *(f"vnni{f}_to_plain" for f in (2, 4, 8)),
    "vnni4_to_vnni2",
    *(f"plain_to_mmla{block}" for block in ("2x4", "2x4t", "2x8", "2x8t")),
    "plain_to_amxa",
    "plain_to_amxb",
]
"""Further requests for elements of one and two bytes."""
REQUESTS = {size: [TRANSPOSE, *(CHANGES if size <= 2 else ())] for size in DTYPES}
each_size = pytest.mark.parametrize("size", sorted(DTYPES, reverse=True))  # the fast ones first


def row(name: str, request: str, size: int, m: int) -> Iterator[tuple[TransformSpec, str]]:
    """Yield one request for every n, and the side of the operands where the guard page is."""
    generator = random.Random(f"{name} {request} {size} {m}")
    layouts = [layout(each, size) for each in request.split("_to_")]
    for n in generator.sample(range(1, LARGEST + 1), LARGEST):
        ldx, ldy = (each.shape(m, n)[1] + generator.choice([0, 0, 0, 1, 5, 16]) for each in layouts)
        yield transform_spec(request, m, n, dtype=DTYPES[size], ldx=ldx, ldy=ldy), generator.choice(SIDES)


def rows(name: str, size: int) -> Iterator[list[tuple[TransformSpec, str]]]:
    """Yield rows of requests. A row is recorded in the progress file when the caller asks for the next one."""
    if not is_soak():
        generator = random.Random(f"{name} {size}")
        for request in generator.sample(REQUESTS[size], min(3, len(REQUESTS[size]))):
            yield list(islice(row(name, request, size, generator.randint(1, LARGEST)), FEW))
        return
    PROGRESS.parent.mkdir(exist_ok=True)
    done = set(PROGRESS.read_text().splitlines()) if PROGRESS.exists() else set()
    for request in REQUESTS[size]:
        for m in range(1, LARGEST + 1):
            key = f"{name} {request} {size} {m}"
            if key not in done:
                yield list(row(name, request, size, m))
                with PROGRESS.open("a") as file:
                    file.write(key + "\n")


@pytest.mark.parametrize("name", ["avx2", "avx512", "host"])
@each_size
def test_x86(name: str, size: int) -> None:
    target = x86_target(name)
    for specs in rows(name, size):
        # the kernels are built before the fork, because a child process would lose what planners cache
        kernels = [(Case(spec, target), side, Kernel(spec, target)) for spec, side in specs]

        def run(kernels: list[tuple[Case, str, Kernel]] = kernels) -> None:
            for case, side, kernel in kernels:
                run_here(case, side, kernel)

        assert run_forked(run) == 0, specs[0]


@pytest.mark.parametrize("name", A64)
@each_size
def test_a64(aarch64: Server, name: str, size: int) -> None:
    target: Target = TARGETS[name]
    for specs in rows(name, size):
        for spec, side in specs:
            run_there(aarch64, Case(spec, target), side)
