"""The semantics of AArch64 instructions agree with the kernel server's processor, for every form with semantics."""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.emulation.a64.by_server import differences
from tests.emulation.a64.cases import FPCR, make_case
from tests.emulation.assembled import SVE, assembled, fault_of
from tests.emulation.numerics.arm import EVERYTHING
from tests.profiles import is_soak, scaled
from tilesmith.emulation.a64 import semantics as a64_semantics
from tilesmith.emulation.a64.state import A64State
from tilesmith.emulation.core.faults import CannotRun
from tilesmith.emulation.core.memory import Memory
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.encoder.a64.assembler import TABLE as ROWS
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import DATA_CACHE, SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import P, X, Z, listed, mem
from tilesmith.encoder.decode import decode

CASES = scaled(1, 20) if is_soak() else 0.4
"""The number of cases per form; 0.4: one form of every operation has a case, and two of five others. A soak has
more."""
GROUPS = {"a to e": "abcde", "f": "f", "g to l": "ghijkl", "m to s": "mnopqrs", "t to z": "tuvwxyz"}
# Instructions that leave a stub, depend on its place, or switch its mode: test_control.py, test_cpu_tiles.py.
OUTSIDE = {
    "adr",
    "adrp",
    "b",
    "bl",
    "blr",
    "br",
    "brk",
    "cbz",
    "cbnz",
    "tbz",
    "tbnz",
    "ret",
    "hlt",
    "udf",
    "mrs",
    "msr",
    "hint",
    "bti",
    "wfe",
    "sev",
    "sevl",
    "paciasp",
    "autiasp",
    "pacibsp",
    "autibsp",
    "xpaclri",
    "svc",
    "hvc",
    "smc",
    "eret",
    "drps",
    "smstart",
    "smstop",
}
# qemu 7.2 does not truncate the results of these scalar forms to 16 bits.
WRONG_IN_QEMU = {("fcvtzs", "Hd", "Hn", "#-sh"), ("fcvtzu", "Hd", "Hn", "#-sh")}
LENGTHS = (128, 256, 512)
_DECIDING = ("predicate.", "general.")  # operations whose result depends on few bits: one case is not enough
_SAME_LENGTH = 40  # mnemonics, since the server takes its time to change the length


def streaming(form: Any) -> bool:
    """Whether the form executes in streaming mode. qemu 7.2 computes some of SME wrongly and has no SME2."""
    return any(feature.startswith("SME") for feature in form.features)


def in_reach(form: Any, server: Any) -> bool:
    """Return whether a stub can contain the form and the server executes it correctly."""
    known = server.features()
    unsupported = any(known.get(feature) for feature in form.features) or streaming(form) and known["SME2"]
    wrong = bool(known["SME2"]) and (form.mnemonic, *form.row.operands.split(",")) in WRONG_IN_QEMU
    return not (unsupported or wrong or outside(form))


def outside(form: Any) -> bool:
    """Return whether no stub can contain the form."""
    literal = any(slot.text == "label" for slot in form.slots)
    return form.mnemonic.startswith("b.") or literal or form.mnemonic in OUTSIDE and "[Zn" not in form.row.operands


def lengths(form: Any, server: Any) -> tuple[int, ...]:
    """Return the vector lengths to try. With long vectors, qemu 7.2 keeps the high part of some NEON results, and qemu
    11.1 still does for loads of one element and shll."""
    scalable = any(
        "SVE" in feature or "SME" in feature or feature in ("F32MM", "F64MM", "B16B16") for feature in form.features
    )
    if not scalable and (server.features()["SME2"] or "}[" in form.row.operands or form.mnemonic.startswith("shll")):
        return LENGTHS[:1]
    longer = "F64MM" in form.features or ".q" in form.syntax() and not streaming(form) and "SVE2p1" not in form.features
    return LENGTHS[1:] if longer else LENGTHS


def forms(group: str, server: Any) -> Iterator[tuple[int, Any]]:
    """Yield the forms of a group that the server can compare, with the number of their mnemonic."""
    for at, mnemonic in enumerate(sorted(name for name in ROWS if name[0] in group)):
        yield from ((at, form) for form in ROWS.forms(mnemonic) if in_reach(form, server))


@pytest.mark.seconds
@pytest.mark.parametrize("group", GROUPS)
def test_instructions_agree_with_the_server(aarch64: Any, group: str) -> None:
    wrong, tried, seed = [], 0, random.Random().randrange(1 << 32) if is_soak() else 0
    seen: set[str] = set()
    for at, form in forms(GROUPS[group], aarch64):
        rng, possible = random.Random(f"{form.syntax()} {form.word} {seed}"), lengths(form, aarch64)
        least = 0 if form.row.key in seen else 4 if form.row.key.startswith(_DECIDING) else 1
        for number in range(max(int(CASES + rng.random()), least)):
            bits = possible[(at // _SAME_LENGTH + number) % len(possible)]
            case = next((c for _ in range(8) if (c := make_case(form, rng, bits, rng.choice(FPCR)))), None)
            if case is None:
                break
            try:
                found = differences(aarch64, case)
            except GuestFault as fault:
                if fault.signal == "SIGILL":  # the instruction is newer than the emulator
                    break
                raise
            tried += 1
            seen.add(form.row.key)
            wrong += [f"{case}: {'; '.join(found)}"] if found else []
    assert not wrong, f"seed {seed}:\n" + "\n".join(wrong[:20])
    assert tried > 200


# Which rows are compared


def unreachable(form: Any) -> str:
    """Return why no case of a form is compared, or an empty string."""
    if outside(form):
        return "control"
    if "[Zn.s" in form.row.operands:
        return "addresses of 32 bits"
    rng = random.Random(form.syntax())
    for _ in range(3000):
        word = form.word | rng.getrandbits(32) & 0xFFFF_FFFF & ~form.mask
        operands = form.decode(word)
        if operands is not None:
            found = decode(word.to_bytes(4, "little"), 0, "a64")
            if found is not None and found.form.mnemonic == form.mnemonic:
                return ""
    return "another mnemonic"


ALIASES = {
    "asrv",
    "bfi",
    "bfxil",
    "cinc",
    "cinv",
    "cmple",
    "cmplo",
    "cmpls",
    "cmplt",
    "cneg",
    "cpy",
    "dup",
    "facle",
    "faclt",
    "fcmle",
    "fcmlt",
    "fcpy",
    "fdup",
    "ins",
    "lsl",
    "lslv",
    "lsrv",
    "mov",
    "mova",
    "movs",
    "not",
    "nots",
    "rev64",
    "rorv",
    "sbfiz",
    "sbfx",
    "ubfiz",
    "ubfx",
    "umov",
}
"""Mnemonics of which some forms decode as another one, which does the same: the emulator never sees them."""


@pytest.mark.skipif(not is_soak(), reason="draws a case of every form")
def test_every_row_is_compared() -> None:
    """Every form is drawn, but those of test_control.py, those that only an address space of 32 bits could hold, and
    those that decode as another mnemonic."""
    reasons: dict[str, set[str]] = {}
    for mnemonic in ROWS:
        for form in ROWS.forms(mnemonic):
            rng = random.Random(form.syntax())  # type: ignore[attr-defined]
            if outside(form) or next((c for _ in range(40) if (c := make_case(form, rng, 256, 0))), None) is None:
                reasons.setdefault(unreachable(form), set()).add(mnemonic)
    assert reasons.pop("") == {"mov"}  # between sp and another register
    assert reasons.pop("another mnemonic") <= ALIASES
    assert reasons.pop("control") == {*OUTSIDE, "ldr", "ldrsw", "prfm"} | {name for name in ROWS if name[:2] == "b."}
    assert all(name.startswith(("ld", "st", "prf")) for name in reasons.pop("addresses of 32 bits"))
    assert not reasons


def test_addresses_of_32_bits() -> None:
    """A vector of 32-bit addresses, which no array of a process has: gathers, first-fault loads and scatters."""
    start, count, size = 0x4000, 8, 256
    values = np.random.default_rng(1).integers(0, 1 << 32, size // 4, np.uint32)
    places = np.array([3, 7, 0, 63, 5, 5, 31, 2])
    for name in ("ld1w", "ldnt1w", "ldff1w", "st1w", "stnt1w"):
        memory = Memory()
        memory.add("memory", start, size, data=values.tobytes())
        state = A64State(memory, 4 * count)
        state.predicates[0] = True
        state.vectors[1] = (start + 4 * places).astype(np.uint32).view(np.uint8)
        state.vectors[2] = np.arange(count, dtype=np.uint32).view(np.uint8)
        asm: Any = A64Assembler(EVERYTHING)
        getattr(asm, name)(listed(Z[2].s), P[0].z if name[0] == "l" else P[0], mem[Z[1].s])
        found = decode(bytes(asm.buffer), 0, "a64")
        assert found is not None
        a64_semantics.predecode(state, found.form, found.operands, 0)()
        if name[0] == "l":
            assert (state.vectors[2].view(np.uint32) == values[places]).all()
        else:
            wanted = values.copy()
            wanted[places] = np.arange(count)
            assert bytes(memory.segment(start).raw) == wanted.tobytes()


# What has no semantics

REFUSED = {
    **dict.fromkeys(
        ("brk", "hlt", "udf"), "raises an exception: it stops in a debugger, or marks a place that must not be reached"
    ),
    "svc": "calls the operating system, and emulated code runs without one: let the caller do it and pass the result",
    "hvc": "calls the hypervisor, and emulated code runs without one: let the caller do it and pass the result",
    "smc": "calls the firmware, and emulated code runs without one: let the caller do it and pass the result",
    "eret": "returns from an exception, which only an operating system may do; a function returns with ret",
    "drps": "returns from an exception, which only an operating system may do; a function returns with ret",
}
"""All mnemonics that the emulator does not execute, whatever their operands are, and what it says. This list may only
become shorter."""


def test_every_instruction_has_semantics() -> None:
    assert set(ROWS) == a64_semantics.mnemonics()
    assert not a64_semantics.unknown()
    assert not [row.key for name in ROWS for row in ROWS.rows(name) if row.key not in a64_semantics.TABLE]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name: str) -> None:
    (form,) = ROWS.forms(name)
    fault = fault_of(assembled(SVE, lambda m: getattr(m, name)(*[1] * len(form.slots))), SVE)  # type: ignore[attr-defined]
    assert fault.reason == REFUSED[name]


def test_system_registers_and_cache_operations_that_are_refused_say_why() -> None:
    counter = assembled(SVE, lambda m: m.mrs(X[0], SYSTEM_REGISTERS["cntvct_el0"]))
    assert "depends on the processor or on the time: pass it as an argument" in fault_of(counter, SVE).reason
    discarded = assembled(SVE, lambda m: m.dc(DATA_CACHE["ivac"], X[0]))
    assert "only an operating system may do; civac" in fault_of(discarded, SVE, np.zeros(8)).reason


def test_rows_that_a_user_adds_need_the_key_of_an_instruction() -> None:
    form = SimpleNamespace(mnemonic="frobnicate", row=SimpleNamespace(key="vector.frobnicate"))
    with pytest.raises(CannotRun, match="its row names the operation 'vector.frobnicate', which the emulator does not"):
        a64_semantics.predecode(None, form, (), 0)  # type: ignore[arg-type]
