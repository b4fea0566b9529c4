"""The semantics of x86-64 instructions agree with this processor, for every form with semantics."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.emulation.x86.native import differences, make_case
from tests.profiles import chosen, scaled
from tilesmith.emulation.x86 import legacy as x86_legacy
from tilesmith.emulation.x86 import semantics as x86_semantics
from tilesmith.emulation.x86 import tiles as x86_tiles
from tilesmith.encoder.x86.assembler import TABLE as ROWS
from tilesmith.encoder.x86.words import LEGACY
from tilesmith.runtime.host import detect as host

CASES = 0.2 if chosen() == "fast" else scaled(1, 20)
"""The number of cases per form; 0.2: every fifth form has one case."""
MODULES = {module.__name__.rpartition(".")[2]: module for module in x86_semantics.MODULES if module is not x86_tiles}
"""numerics/test_amx.py tests tiles, which this processor may lack."""
FAULTS = {"ud2", "int3", "xend"}
"""Instructions whose purpose is to fault, or that can only fault: test_words.py."""
REFUSED = ("divides by zero", "the quotient does not fit", "has an undefined result", "reserved")
"""Why the emulator may refuse a case: the processor would fault, or its result is undefined."""
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
    """Yield the forms that this processor executes."""
    for mnemonic in ROWS:
        for form in (form for form in ROWS.forms(mnemonic) if of_module(module, form)):
            if mnemonic not in FAULTS and not host.host().missing(form.features):
                yield form


def cases(form: Any, rng: random.Random) -> Iterator[Any]:
    """Yield cases of a form that the operands that were drawn make possible. MXCSR is as at a program's start, or has
    any rounding mode, DAZ and FTZ."""
    for _ in range(int(CASES + rng.random())):
        mode = rng.getrandbits(2) << 13 | rng.getrandbits(1) << 6 | rng.getrandbits(1) << 15
        case = make_case(form, rng, DEFAULT | mode * rng.getrandbits(1))
        if case is not None:
            yield case


@needs_registers
@pytest.mark.parametrize("module", [*MODULES, "legacy"])
@pytest.mark.grid(6)
def test_instructions_agree_with_this_processor(module: str) -> None:
    """Registers, flags that are defined, memory, and whether the instruction jumps."""
    wrong, tried = [], 0
    for form in forms(module):
        for case in cases(form, random.Random(form.syntax())):
            found = differences(case)
            if found and any(words in found[0] for words in REFUSED):
                continue
            tried += 1
            wrong += [f"{case}: {'; '.join(found)}"] if found else []
            wrong += [f"{case}: {name} is left undefined" for name in set(case.undefined) - undefined(form)]
    assert not wrong, "\n".join(wrong[:20])
    assert tried > 20 or module == "avx10"


_COUNTED = dict.fromkeys(("shl", "shr"), {"of", "cf"}) | dict.fromkeys(("sar", "rol", "ror", "rcl", "rcr"), {"of"})
_MANUAL = {
    **_COUNTED,
    **dict.fromkeys(("shld", "shrd"), {"of"}),
    **dict.fromkeys(("imul", "mul"), {"zf", "sf", "pf"}),
    **dict.fromkeys(("div", "idiv"), {"cf", "of", "zf", "sf", "pf"}),
    **dict.fromkeys(("bsf", "bsr"), {"cf", "of", "sf", "pf"}),
    **dict.fromkeys(("lzcnt", "tzcnt"), {"of", "sf", "pf"}),
    **dict.fromkeys(("bt", "bts", "btr", "btc"), {"of", "sf", "pf"}),
    "bextr": {"sf", "pf"},
    **dict.fromkeys(("blsi", "blsr", "blsmsk", "andn", "bzhi"), {"pf"}),
}
"""The flags that the manual (Intel SDM volume 2) leaves undefined, besides af."""


def undefined(form: Any) -> set[str]:
    return _MANUAL.get(form.mnemonic.removeprefix("lock "), set())


def test_tables_do_not_contradict_each_other() -> None:
    names = [name for module in x86_semantics.MODULES for name in module.TABLE]
    assert len(names) == len(set(names))
