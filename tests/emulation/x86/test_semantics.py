"""The semantics of x86-64 instructions agree with this processor, for every form with semantics."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.emulation.x86.native import differences, make_case
from tests.profiles import is_soak, scaled
from tilesmith.emulation.x86 import legacy as x86_legacy
from tilesmith.emulation.x86 import semantics as x86_semantics
from tilesmith.emulation.x86 import tiles as x86_tiles
from tilesmith.encoder.x86.assembler import TABLE as ROWS
from tilesmith.encoder.x86.words import LEGACY
from tilesmith.runtime.host import detect as host

CASES = scaled(1, 20) if is_soak() else 0.5
"""The number of cases per form; 0.5: every second form has one case. A soak has more."""
TABLES = set(x86_semantics.MODULES) - {x86_tiles}  # numerics/test_amx.py tests tiles, which this processor may lack
MODULES = {module.__name__.rpartition(".")[2]: module for module in sorted(TABLES, key=lambda module: module.__name__)}
# Instructions that end or leave a stub, fault on purpose, or change state that the stub restores: whole kernels test
# them.
OUTSIDE = {"div", "idiv", "push", "pop", "ret", "call", "jmp", "leave", "ud2", "int3", "loop", "loope", "loopne",
           "jrcxz", "ldmxcsr", "vldmxcsr", "stmxcsr", "vstmxcsr",
           "clflush", "clflushopt", "clwb", "cldemote"}  # fmt: skip
DEFAULT = 0x1F80

needs_registers = pytest.mark.skipif(
    host.host().arch != "x86" or bool(host.host().missing({"AVX512BW", "AVX512VL", "AVX512DQ"})),
    reason="the stub loads all registers of AVX-512, which this processor does not have",
)


def of_module(module: str, form: Any) -> bool:
    """Return whether a table has the semantics; legacy vector instructions have those of VEX."""
    if module != "legacy":
        return form.row.key in MODULES[module].TABLE
    same = x86_legacy.vex_forms(form.mnemonic) if form.row.key == form.mnemonic else ()
    same = same if form.prefix.encoding == LEGACY else ()
    return any(other.row.key in x86_semantics.TABLE for other in same)


def forms(module: str) -> Iterator[Any]:
    """Yield the forms that this processor executes and a stub can contain."""
    for mnemonic in ROWS:
        if mnemonic in OUTSIDE or mnemonic[0] == "j":
            continue
        for form in (form for form in ROWS.forms(mnemonic) if of_module(module, form)):
            classes = form.classes  # type: ignore[attr-defined]
            bit_string = mnemonic in ("bt", "bts", "btr", "btc") and classes[0].touches_memory
            undefined = mnemonic in ("shld", "shrd") and form.sizes()[0] == 16 or "r16" in form.syntax()
            if not host.host().missing(form.features) and not bit_string and not (undefined and mnemonic[:2] == "sh"):
                yield form


@needs_registers
@pytest.mark.parametrize("module", [*MODULES, "legacy"])
def test_instructions_agree_with_this_processor(module: str) -> None:
    """MXCSR is as at a program's start, or has any rounding mode, DAZ and FTZ."""
    wrong, tried = [], 0
    for form in forms(module):
        rng = random.Random(form.syntax())
        for _ in range(int(CASES + rng.random())):
            mode = rng.getrandbits(2) << 13 | rng.getrandbits(1) << 6 | rng.getrandbits(1) << 15
            case = make_case(form, rng, DEFAULT | mode * rng.getrandbits(1))
            if case is not None:
                tried += 1
                found = differences(case)
                wrong += [f"{case}: {'; '.join(found)}"] if found else []
    assert not wrong, "\n".join(wrong[:20])
    assert tried > 20


def test_tables_do_not_contradict_each_other() -> None:
    names = [name for module in x86_semantics.MODULES for name in module.TABLE]
    assert len(names) == len(set(names))
