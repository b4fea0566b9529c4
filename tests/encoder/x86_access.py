"""Compare the access and effect columns of x86-64 with what this processor reads and writes.

An instruction reads a place if a change of that place alone shows elsewhere afterwards, or in other bits of the place.
A register operand that is written only in part, or only sometimes, is also read, since the rest is kept. An instruction
writes what is different afterwards. The columns must say exactly this. The exceptions are flags that the manual leaves
undefined, which count as written, and accesses that cannot be seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tests.encoder.x86_access_llvm import Access
from tests.encoder.x86_observer import FLAGS, MEMORY, Array, Observer
from tests.encoder.x86_shapes import shapes_of_form
from tests.encoder.x86_states import FLAG_BITS, OPERAND, Places, Unit, domain_of, states, units
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.effects import implicit
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import Mem, Reg
from tilesmith.encoder.x86.words import EVEX
from tilesmith.runtime.host import detect as host

_VECTOR_FILES = ("xmm", "ymm", "zmm")
_SELECTIONS = (5, 0x51, 0x1E, 0x31)  # immediates that select elements, bits of a truth table, comparisons
_ROUNDS = 24  # of states; later rounds are for what the first ones do not show
# Instructions that are not executed because they do harm, raise, or need support by the system beyond their features.
# They are compared only with LLVM's tables.
NOT_EXECUTED = {
    "int3|ud2": "raise an exception",
    "wrfsbase|wrgsbase": "would take the thread's data from under Python",
    "rdpmc": "Linux keeps it from user mode",
    "f?xrstor(64)?|vzeroupper|vzeroall": "change register files as a whole, which the columns do not name",
    "(rd|wr|inc|saveprev)ssp?\\w*": "only where Linux has switched on shadow stacks",
    "umonitor|umwait|tpause": "wait",
    "x(begin|end|abort|test)": "transactions, which microcode has switched off",
    "(st|ld)tilecfg|tile\\w+|td\\w+|tc\\w+|tm\\w+": "tiles need a configuration",
}
_NOT_EXECUTED = re.compile("|".join(NOT_EXECUTED))
# Flags that the manual (SDM vol. 2) leaves undefined; they count as written.
UNDEFINED = {
    "(lock )?(and|or|xor)|test": "af",
    "sh[lr]|sar|sh[lr]d": "af of",
    "ro[lr]|rc[lr]": "of",
    "i?mul": "sf zf af pf",
    "i?div": "cf pf af zf sf of",
    "bs[fr]": "cf pf af sf of",
    "(lock )?bt[src]?": "pf af sf of",
    "[lt]zcnt": "pf af sf of",
    "andn|bls\\w+|bzhi": "pf af",
    "bextr": "pf af sf",
}
# Reads that cannot be seen: of contents that do not matter, or of bits that no processor uses yet.
_ADDRESS_ONLY = re.compile("lea|nop|prefetch\\w+|clflush(opt)?|clwb|cldemote")
_EQUAL_ELEMENTS = re.compile("vperm(ps|pd|d|q)|vpconflict[dq]")  # of a broadcast
_UNSEEN = {"xsave\\w*": {"rdx"}, "xgetbv": {"rcx"}}
# Instructions whose results differ from one execution to the next.
_RANDOM = re.compile("rdrand|rdseed|rdtscp?|rdpid")
# Instructions that change or save whole register files, which the columns do not name.
_FILES = re.compile("f?xsave\\w*")


def executable(form: X86Form) -> bool:
    """Whether executing the form on this processor shows what it does."""
    broadcast = any(c.kind == "broadcast" for c in form.classes)
    hidden = _NOT_EXECUTED.fullmatch(form.mnemonic) or (broadcast and _EQUAL_ELEMENTS.fullmatch(form.mnemonic))
    return not hidden and not host.host().missing(form.features)


def faults(forms: Iterable[X86Form], begins: Callable[[str], object] = lambda text: None) -> list[str]:
    """Return the forms whose columns differ from what the processor shows. For each row, one form with registers and
    one with memory (x86_access_llvm.chosen) show all that the columns say. `begins` is called with each form before it
    is executed, which may end the process.
    """
    asked = [form for form in forms if executable(form)]
    wrong: list[str] = []
    for memory in (512, 4096):
        some = [form for form in asked if bool(re.match("f?xsave", form.mnemonic)) == (memory > 512)]
        if some:
            wrong += _faults(some, memory, begins)
    return wrong


def _faults(forms: Sequence[X86Form], memory: int, begins: Callable[[str], object]) -> Iterator[str]:
    variants = [list(_operands(form)) for form in forms]
    flat = [(form, operands) for form, some in zip(forms, variants) for operands in some]
    observer = Observer([form.mnemonic if "D" in form.roles else form.encode(o) for form, o in flat], memory)
    first = 0
    for form, some in zip(forms, variants):
        begins(form.text(some[0]))
        sight = _Sight(form, some[0], units(memory))
        for seed in range(_ROUNDS):
            sight.look(observer, first + seed % len(some), seed)
            problems = list(sight.problems())
            if not problems or sight.exceeds:
                break
        first += len(some)
        yield from (f"{form.text(some[0])}: {form.syntax()}: {problem}" for problem in problems)


def _operands(form: X86Form) -> Iterator[tuple[Any, ...]]:
    """Yield operands with low registers, as states change these one at a time. If an immediate selects, try several."""
    shape = next(shapes_of_form(form))
    masked = (form.gathers or "blendm" in form.mnemonic) and form.prefix.encoding == EVEX
    operands = (shape.under(regs.K[1]) if masked else shape).operands
    selects = form.classes and form.classes[-1].name == "u8" and any(c.file in _VECTOR_FILES for c in form.classes)
    yield from ((*operands[:-1], number) for number in _SELECTIONS) if selects else [operands]


class _Sight:
    """What has been seen of one form."""

    def __init__(self, form: X86Form, operands: tuple[Any, ...], places: list[Unit]) -> None:
        self.form, self.units = form, places
        self.operands = [o for o in operands if isinstance(o, (Reg, Mem, int)) or "D" in form.roles]
        self.read = np.zeros(len(places), bool)
        self.kept: Array = np.zeros((len(places), 0), np.uint8)  # the bits of each place in which its change showed
        self.written: Array = np.zeros(0, np.uint8)  # bits
        self.mixed = False  # whether a byte of memory was written in part and kept in part

    def look(self, observer: Observer, number: int, seed: int) -> None:
        """Execute the form in further states."""
        places = Places(observer.address, tuple(observer.landings))
        found = states(domain_of(self.form.mnemonic), observer.memory, places, seed, _gather_bits(self.form))
        blocks, changed = found
        after = observer.run(number, blocks.reshape(-1, observer.block)).reshape(blocks.shape)
        shown = after[:, 1:] ^ after[:, :1]
        if _RANDOM.fullmatch(self.form.mnemonic):
            shown[:] = 0
        own = after ^ blocks
        evidence = shown & (~changed | own[:, 1:])
        kept = shown & changed & ~own[:, 1:]
        if not self.written.size:
            self.written = np.zeros(observer.block, np.uint8)
            self.kept = np.zeros((len(self.units), observer.block), np.uint8)
        self.read |= evidence.any(axis=(0, 2))
        self.kept |= np.bitwise_or.reduce(kept, axis=0)
        self.written |= np.bitwise_or.reduce(own.reshape(-1, observer.block), axis=0)
        first, last = self._memory_extent()
        self.mixed |= bool(((kept[:, -2:, first:last] != 0) & (own[:, -2:, first:last] != 0)).any())

    def _memory_extent(self) -> tuple[int, int]:
        memory = next((c for c in self.form.classes if c.touches_memory), None)
        if memory is None:
            return MEMORY, MEMORY
        if not memory.size or memory.kind == "gather":
            return MEMORY, self.units[-2].stop
        return MEMORY + OPERAND, MEMORY + OPERAND + memory.size // 8

    def seen(self) -> Access:
        """Return what was read and written so far."""
        named = {self._unit(operand) for operand in self.operands if isinstance(operand, Reg)}
        named |= {operand.mask.name for operand in self.operands if getattr(operand, "mask", None)}
        named |= {"r9", "memory", "stack", "vectors", "masks", *(f"zmm{n}" for n in range(1, 32))}
        letters = "".join(self._letter(operand, wanted) for operand, wanted in zip(self.operands, self.form.classes))
        named |= {f"k{o.num + 1}" for o, c in zip(self.operands, self.form.classes) if c.name == "pair"}
        named |= {"zmm0"} if _FILES.fullmatch(self.form.mnemonic) else set()
        reads = {unit.name for unit, read in zip(self.units, self.read) if read} - named
        return Access(letters, _named(reads), _named(self._written_names() - named))

    def problems(self) -> Iterator[str]:
        """Yield what is superfluous or missing in the columns."""
        seen, effects = self.seen(), implicit(self.form)
        undefined = _lookup(UNDEFINED, self.form.mnemonic).split()
        unseen = _lookup(_UNSEEN, self.form.mnemonic) or set()
        for at, (declared, observed) in enumerate(zip(self.form.access, seen.operands)):
            if declared != observed:
                yield f"operand {at + 1} is {declared}, seen {observed}"
        if not effects.reads - unseen <= seen.reads <= effects.reads:
            yield f"reads {_listed(effects.reads)}, seen {_listed(seen.reads)}"
        writes = seen.writes | set(undefined)
        if effects.writes != writes:
            yield f"writes {_listed(effects.writes)}, seen {_listed(writes)}"

    @property
    def exceeds(self) -> bool:
        """Whether more was seen than the columns say; further states cannot change that."""
        seen, effects = self.seen(), implicit(self.form)
        return not (seen.reads <= effects.reads and seen.writes <= effects.writes)

    def _unit(self, register: Reg) -> str:
        if register.file in _VECTOR_FILES or register.name == "xmm0":
            return f"zmm{register.num}"
        return register.name if register.file == "k" else regs.R64[register.num].name

    def _letter(self, operand: object, wanted: Any) -> str:
        if isinstance(operand, Mem):
            first, last = self._memory_extent()
            read = bool(self.read[-1]) or self.mixed or (wanted.kind == "gather" and bool(self.read[-2]))
            return _role(read, bool(self.written[first:last].any()), self._silent())
        if not isinstance(operand, Reg) or self.form.row.key == "nothing":  # nop, and xchg rax, rax, which is one
            return "r"
        names = [self._unit(operand)] if wanted.name != "pair" else [operand.name, f"k{operand.num + 1}"]
        places = [next(i for i, unit in enumerate(self.units) if unit.name == name) for name in names]
        size = -(-operand.width // 8) if operand.file != "k" else 8
        written = any(self.written[self.units[p].start :][:size].any() for p in places)
        kept = any(self.kept[p, self.units[p].start :][:size].any() for p in places)
        return _role(any(self.read[p] for p in places) or (written and kept), written, False)

    def _silent(self) -> bool:
        return bool(_ADDRESS_ONLY.fullmatch(self.form.mnemonic))

    def _written_names(self) -> set[str]:
        names = {unit.name for unit in self.units if self.written[unit.start : unit.stop].any()} - set(FLAG_BITS)
        flags = int(self.written[FLAGS : FLAGS + 8].view(np.uint64)[0])
        return names | {name for name, bit in FLAG_BITS.items() if flags >> bit & 1}


def _role(read: bool, written: bool, silent: bool) -> str:
    if written:
        return "x" if read else "w"
    return "r" if read or silent else "-"


def _named(names: set[str]) -> frozenset[str]:
    return frozenset("xmm0" if name == "zmm0" else name for name in names)


def _lookup(table: dict[str, Any], mnemonic: str) -> Any:
    return next((value for pattern, value in table.items() if re.fullmatch(pattern, mnemonic)), "")


def _listed(names: Iterable[str]) -> str:
    return " ".join(sorted(names)) or "nothing"


def _gather_bits(form: X86Form) -> int:
    found = re.match(r"vp?(?:gather|scatter)([dq])", form.mnemonic)
    return 0 if found is None else 32 if found[1] == "d" else 64
