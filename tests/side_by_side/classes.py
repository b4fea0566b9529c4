"""Mutants of one class of mistakes, judged under callers and at addresses that the prover does not choose.

    modes        the code that looks at MXCSR or FPCR and sets it: masks, constants, order, restores. Judged under all
                 roundings with and without each flushing, with exception flags set and exceptions unmasked.
    alignment    instructions that need an aligned address, in the place of those that do not, and another alignment of
                 the stack. Judged with operands that are aligned to elements only, and with other places of the stack.

A mutant is executed natively in a child process if this processor can, else in the emulator. If it is proved, and the
judge finds it wrong, the proof is false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np

from tests.side_by_side.executed import Draw, draws
from tests.side_by_side.kernels import MAKERS, TARGETS
from tests.side_by_side.natively import apart, called, runs_here
from tests.side_by_side.verdicts import FALSE, OutOfTime, within
from tilesmith.emulation.core.faults import AbiViolation, Fault
from tilesmith.emulation.cpu import execute
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.decode import decode
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.control import CONTROL, FLAGS
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.verify.callers.alignment import LINE, moved
from tilesmith.runtime.verify.check import verify
from tilesmith.runtime.verify.operands import Call
from tilesmith.runtime.verify.requests import every_call

RIGHT, REFUSED, ALIKE = "wrong, refused", "not told apart, refused", "proved, nothing differs"
_NOPS = {
    1: "90",
    2: "6690",
    3: "0f1f00",
    4: "0f1f4000",
    5: "0f1f440000",
    6: "660f1f440000",
    7: "0f1f8000000000",
    8: "0f1f840000000000",
    9: "660f1f840000000000",
}
_A64_NOP = bytes.fromhex("1f2003d5")
_TIME = 30.0


class Rewritten(NamedTuple):
    """Bytes of a kernel's code that are replaced by others."""

    offset: int
    data: bytes
    text: str

    def of(self, code: bytes) -> bytes:
        """Return the code with these bytes."""
        return code[: self.offset] + self.data + code[self.offset + len(self.data) :]


def _instructions(kernel: Any) -> list[tuple[int, bytes, Any]]:
    found = []
    for each in kernel._code.instructions:
        own = decode(kernel.code, each.offset, kernel.target.arch)
        if own is not None and own.length == len(each.data):
            found.append((each.offset, bytes(each.data), own))
    return found


# Modes

_OF_MODES = {"x86": ("vstmxcsr", "vldmxcsr", "stmxcsr", "ldmxcsr"), "a64": ("mrs", "msr")}
_NEAR = 5


def of_modes(kernel: Any, random: Random) -> Iterator[Rewritten]:
    """Yield mutants of the instructions around those that save and load the mode, without end."""
    every, arch = _instructions(kernel), kernel.target.arch
    places = [at for at, (_, _, own) in enumerate(every) if own.form.mnemonic in _OF_MODES[arch]]
    near = sorted({at + by for at in places for by in range(-_NEAR + 3, _NEAR) if 0 <= at + by < len(every)})
    near = [at for at in near if every[at][2].form.mnemonic not in ("endbr64", "bti")]
    while near:
        at = random.choice(near)
        offset, data, own = every[at]
        choice = random.random()
        if choice < 0.15:
            yield Rewritten(offset, _nothing(data, arch), f"{own.text} -> nothing")
        elif choice < 0.25 and at + 1 < len(every) and every[at + 1][0] == offset + len(data):
            yield Rewritten(offset, every[at + 1][1] + data, f"{own.text} after {every[at + 1][2].text}")
        elif choice < 0.6 and arch == "x86" and any(isinstance(each, int) and each > 0xFF for each in own.operands):
            word = int.from_bytes(data[-4:], "little") ^ _flips(random, 18 if random.random() < 0.2 else 16)
            yield _told(offset, data[:-4] + word.to_bytes(4, "little"), own, arch)
        else:
            flips = _flips(random, 8 * len(data))
            made = (int.from_bytes(data, "little") ^ flips).to_bytes(len(data), "little")
            mutant = _told(offset, made, own, arch)
            if mutant.text:
                yield mutant


def _flips(random: Random, bits: int) -> int:
    flips = 0
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        flips |= 1 << random.randrange(bits)
    return flips


def _nothing(data: bytes, arch: str) -> bytes:
    if arch == "a64":
        return _A64_NOP
    filled = b""
    while len(filled) < len(data):
        filled += bytes.fromhex(_NOPS[min(9, len(data) - len(filled))])
    return filled


def _told(offset: int, data: bytes, own: Any, arch: str) -> Rewritten:
    """Return a mutant with its text, which is empty if the bytes are no instruction of the same length."""
    other = decode(data, 0, arch)
    same = other is not None and other.length == len(data) and data is not None
    return Rewritten(offset, data, f"{own.text} -> {other.text}" if same and other is not None else "")


_MXCSR = [0x1F80 | rounding << 13 | flush for rounding in range(4) for flush in (0, 0x8000, 0x40, 0x8040)]
_FPCR = [rounding << 22 | flush for rounding in range(4) for flush in (0, 1 << 24, 1 << 19, 1 << 24 | 1 << 19)]


def _words(arch: str, random: Random) -> list[int]:
    """Return control registers of callers: all roundings and flushings, and some with any bits."""
    if arch == "x86":
        flagged = [word | random.randrange(64) for word in _MXCSR]
        return [0x1F80, 0x1FBF, *flagged, *[random.randrange(1 << 16) for _ in range(4)]]
    bits = (0, 1, 2, 8, 9, 10, 11, 12, 13, 15, 19, 22, 23, 24, 25, 26)
    return [0, *_FPCR, 1 << 25, *[sum(1 << bit for bit in bits if random.random() < 0.5) for _ in range(4)]]


def judged_by_modes(kernel: Any, code: bytes, random: Random) -> str:
    """Return how code is wrong for a caller of some mode, or an empty text."""
    words, target = _words(kernel.target.arch, random), kernel.target
    usual = 0x1F80 if target.arch == "x86" else 0
    for spec, call in list(every_call(kernel.spec, kernel.kind)[1])[:3]:
        chosen = [*list(draws(spec, call))[:2], Draw(call, "denormals", _denormal)]
        for draw in chosen:
            look = partial(_under, kernel.code, code, target, draw, usual, words)
            wrong = apart(look) if runs_here(target) else look()
            if wrong:
                return wrong
    return ""


def _denormal(call: Call) -> None:
    rng = np.random.default_rng(3)
    for array in call.arrays:
        if array.dtype.kind in "iu":
            array[...] = rng.integers(0, 3, array.shape).astype(array.dtype)
        else:
            least = {1: 2.0**-8, 2: 2.0**-16, 4: 2.0**-130, 8: 2.0**-1030}[array.itemsize]
            if array.dtype.name == "bfloat16":
                least = 2.0**-130
            factors = rng.choice([1.0, 1.0, least], array.shape)
            array[...] = (rng.normal(size=array.shape) * factors).astype(array.dtype)


def _under(own: bytes, other: bytes, target: Any, draw: Draw, usual: int, words: list[int]) -> str:
    """Return how the results of other code differ under one of these registers, or how it fails."""
    run = _native if runs_here(target) else _emulated
    wanted = run(own, target, draw, usual)
    assert isinstance(wanted, list)
    for word in words:
        found = run(other, target, draw, word)
        if isinstance(found, str):
            return f"{found}, for a caller of {word:#x}"
        if found != wanted:
            return f"results differ on {draw.words}, for a caller of {word:#x}"
    return ""


def _native(code: bytes, target: Any, draw: Draw, word: int) -> list[bytes] | str:
    block, call = publish(code), draw.call
    draw.fill(call)
    left = called(block.address, call.integers, word)
    if (left ^ word) & CONTROL or word & FLAGS & ~left:
        return f"MXCSR {left:#x} is left"
    return _results(call)


def _emulated(code: bytes, target: Any, draw: Draw, word: int | None, phase: int = 0) -> list[bytes] | str:
    call = draw.call
    draw.fill(call)
    try:
        execute(code, target, call.integers, call.everything, limit=200_000, control=word, junk=11, phase=phase)
    except (Fault, AbiViolation) as wrong:
        return str(wrong)
    return _results(call)


def _results(call: Call) -> list[bytes]:
    return [np.ascontiguousarray(each.array).tobytes() for each in call.regions if each.writable]


# Alignment

_NEEDING = {
    "movups": ("movaps", "movntps"),
    "movupd": ("movapd",),
    "movdqu": ("movdqa",),
    "lddqu": ("movdqa",),
    "vmovups": ("vmovaps", "vmovntps"),
    "vmovupd": ("vmovapd",),
    "vmovdqu": ("vmovdqa",),
    "vlddqu": ("vmovdqa",),
    "vmovdqu8": ("vmovdqa32",),
    "vmovdqu16": ("vmovdqa32",),
    "vmovdqu32": ("vmovdqa32",),
    "vmovdqu64": ("vmovdqa64",),
    "ldr": ("ldar", "ldxr"),
    "str": ("stlr",),
    "ldrh": ("ldarh",),
    "strh": ("stlrh",),
    "ldp": ("ldxp",),
}


def of_alignment(kernel: Any, random: Random) -> Iterator[Rewritten]:
    """Yield mutants that need aligned addresses, or that move the stack by other distances, without end."""
    every, arch = _instructions(kernel), kernel.target.arch
    assembler = X86Assembler if arch == "x86" else A64Assembler
    found: list[Rewritten] = []
    for offset, data, own in every:
        memory = any(type(each).__name__ == "Mem" for each in own.operands)
        for name in _NEEDING.get(own.form.mnemonic, ()) if memory else ():
            asm = assembler(kernel.target)
            try:
                getattr(asm, name)(*own.operands)
            except Exception:  # no such form
                continue
            made = bytes(asm.buffer)
            if len(made) <= len(data) and (arch == "x86" or len(made) == len(data)):
                padding = _nothing(data[len(made) :], arch) if len(made) < len(data) else b""
                found.append(Rewritten(offset, made + padding, f"{own.text} -> {name}"))
        if any(str(each) in ("rsp", "sp") for each in own.operands) or own.form.mnemonic in ("and", "and_"):
            for _ in range(4):
                place = random.randrange(8 * len(data))
                made = (int.from_bytes(data, "little") ^ 1 << place).to_bytes(len(data), "little")
                told = _told(offset, made, own, arch)
                if told.text:
                    found.append(told)
    while found:
        yield random.choice(found)


def judged_by_alignment(kernel: Any, code: bytes, random: Random) -> str:
    """Return how code is wrong for operands or a stack at some place, or an empty text."""
    target = kernel.target
    for spec, call in list(every_call(kernel.spec, kernel.kind)[1])[:2]:
        first = next(iter(draws(spec, call)))
        wanted = _emulated(kernel.code, target, first, None)
        for number in range(6):
            other = _elsewhere(call, random)
            filled = Draw(other, first.words, partial(_copied, call, first))
            phase = number % 4 * 16
            found = _emulated(code, target, filled, None, phase)
            if isinstance(found, str):
                return found
            if found != wanted:
                return f"results differ where operands lie elsewhere, the stack {phase} bytes lower"
            if runs_here(target) and (wrong := apart(partial(_here, code, target, filled, wanted))):
                return wrong
    return ""


def _here(code: bytes, target: Any, draw: Draw, wanted: Any) -> str:
    found = _native(code, target, draw, 0x1F80)
    return found if isinstance(found, str) else "" if found == wanted else "results differ natively"


def _elsewhere(call: Call, random: Random) -> Call:
    """Return the call with every operand at a random multiple of its elements' alignment."""
    for at in range(len(call.regions)):
        region = call.regions[at]
        if region.array.size:
            call = moved(call, region, region.alignment * random.randrange(max(LINE // region.alignment, 1)))
    return call


def _copied(source: Call, draw: Draw, call: Call) -> None:
    """Fill a moved call with the numbers of another one."""
    draw.fill(source)
    for old, new in zip(source.regions, call.regions):
        if new.array.flags.writeable:
            new.array[...] = old.array


class Class(NamedTuple):
    """A class of mutants: how they are made, and how they are judged."""

    made: Callable[[Any, Random], Iterator[Rewritten]]
    judged: Callable[[Any, bytes, Random], str]


CLASSES = {"modes": Class(of_modes, judged_by_modes), "alignment": Class(of_alignment, judged_by_alignment)}
COLUMNS = (RIGHT, REFUSED, ALIKE, FALSE)


def verdict(kernel: Any, of: Class, mutant: Rewritten, random: Random) -> tuple[str, str]:
    """Return (one of COLUMNS, the reason)."""
    code = mutant.of(kernel.code)
    try:
        with within(_TIME):
            proved = bool(verify(code, kernel.target, kernel.spec, kernel.kind))
    except (OutOfTime, UnsupportedError):
        proved = False
    wrong = of.judged(kernel, code, random)
    if proved:
        return (FALSE, wrong) if wrong else (ALIKE, "")
    return (RIGHT, wrong) if wrong else (REFUSED, "")


def measured(
    name: str, count: int, seed: int, only: str = "", targets: tuple[str, ...] = TARGETS
) -> tuple[dict[str, Counter[str]], list[str]]:
    """Return, for each target, how many of `count` mutants of a class got each verdict, and what is to be looked at."""
    of, found, notes = CLASSES[name], {target: Counter[str]() for target in targets}, []
    random = Random(f"{seed} {name}")
    kernels: dict[tuple[str, str], Any] = {}
    left, names = count, [each for each in MAKERS if only in each]
    while left > 0:
        target = targets[(count - left) % len(targets)]
        key = random.choice(names), target
        if key not in kernels:
            try:
                kernels[key] = MAKERS[key[0]](target)
            except UnsupportedError:
                kernels[key] = None
        kernel = kernels[key]
        mutant = None if kernel is None else next(of.made(kernel, random), None)
        if mutant is None:
            names = [each for each in names if any(kernels.get((each, one), True) for one in targets)]
            continue
        what, reason = verdict(kernel, of, mutant, random)
        found[target][what] += 1
        left -= 1
        if what in (FALSE, ALIKE, REFUSED):
            notes.append(f"{what}: {key[0]} for {target}, {mutant.offset:#x}: {mutant.text}: {reason}")
    return found, notes


def table(found: dict[str, Counter[str]]) -> list[str]:
    """Return a row for each target."""
    total: Counter[str] = sum(found.values(), Counter())
    rows = [f"{'target':12} {'mutants':>8}" + "".join(f"{each:>26}" for each in COLUMNS)]
    for name, counts in [*found.items(), ("all", total)]:
        rows.append(f"{name:12} {counts.total():8}" + "".join(f"{counts[each]:26}" for each in COLUMNS))
    return rows
