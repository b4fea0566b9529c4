"""The pool's code for AArch64: a C program links it as a process does and runs regions, under qemu or on an Arm."""

import os
import shlex
from pathlib import Path

import pytest

from tests import profiles
from tests.oracles import tools
from tests.runtime.threads import jobs
from tilesmith.emulation.qemu.server import EMULATOR
from tilesmith.runtime.cache.stubs import Symbol
from tilesmith.runtime.scalar.a64 import A64Scalar
from tilesmith.runtime.threads import called_code, layout
from tilesmith.runtime.threads.functions import FUNCTIONS
from tilesmith.runtime.threads.verbs_a64 import A64Verbs
from tilesmith.runtime.threads.verbs_lse import LseVerbs

ROUNDS, TIMES = profiles.scaled(30, 3000), profiles.scaled(20, 2000)
CONSTANTS = (
    "STATE",
    "SETTINGS",
    "BARRIER",
    "READY",
    "SPIN",
    "LATENESS",
    "HOPE",
    "PROCESSORS",
    "NAME",
    "ATTRIBUTES",
    "LEAST_WORK",
    "WORTH_WAKING",
)
TABLES = {
    "called3": called_code.JobTable((0, 1, 2), 3, 4, 5),
    "called6": called_code.JobTable((0, 1, 2, 7, 8, 9), 3, 4, 5),
    "called_inner": called_code.JobTable((0, 2), 3, 4, 5, inner=(1,)),
}
CALLED = [
    (name, lambda v, table=table: called_code.emit(v.m, Symbol("weighed"), table, scratch=True))
    for name, table in TABLES.items()
]


def header(verbs):
    """Return C arrays of the pool's functions and the jobs, with the places of their addresses."""
    meet = jobs.meet(Symbol("barrier"), Symbol("barrier_state"), ROUNDS)
    numbered = jobs.numbered(Symbol("claim"), Symbol("barrier_state"))
    tests = {"count": jobs.count, "add": jobs.add, "meet": meet, "numbered": numbered}
    arrays, table = [], []
    for name, emit in (*FUNCTIONS.items(), *CALLED, *tests.items()):
        machine = A64Scalar()
        emitted = emit(verbs(machine))
        data = (emitted or machine.asm.finish(name)).data
        places = "".join(f'{{{offset}, "{symbol}"}}, ' for offset, symbol in machine.relocations)
        arrays.append(f"static const unsigned char code_{name}[] = {{{', '.join(map(str, data))}}};")
        arrays.append(f"static const struct place places_{name}[] = {{{places}{{0, 0}}}};")
        table.append(f'{{"{name}", code_{name}, sizeof code_{name}, places_{name}}},')
    constants = [f"#define {name} {getattr(layout, name)}" for name in CONSTANTS]
    constants += [f"#define CELLS {jobs.CELLS}", f"#define ROUNDS {ROUNDS}", f"#define TIMES {TIMES}"]
    return "\n".join([*constants, *arrays, "static const struct function functions[] = {", *table, "};"])


@pytest.mark.parametrize(("verbs", "cpu"), ((A64Verbs, "cortex-a72"), (LseVerbs, "max")), ids=("armv8.0", "lse"))
def test_regions_and_barriers(tmp_path, verbs, cpu):
    """Test processors with the base instructions only, and with atomic instructions."""
    (tmp_path / "functions.h").write_text(header(verbs))
    program = tmp_path / "pool"
    source = Path(__file__).with_name("pool.c")
    tools.run(
        "aarch64-linux-gnu-gcc",
        "-O1",
        "-Wall",
        "-Werror",
        "-static",
        "-pthread",
        f"-I{tmp_path}",
        "-o",
        str(program),
        str(source),
    )
    command = shlex.split(os.environ.get(EMULATOR, "qemu-aarch64"))
    printed = tools.run(*command, "-cpu", cpu, str(program)).stdout
    assert printed == "0 wrong, 3 ready\n"
