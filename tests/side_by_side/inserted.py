"""Mutants with inserted instructions, of kinds that no flipped bit makes, and their verdicts.

    drawn(kernel, random, count)        mutants of all kinds
    verdicts(kernel, mutants)           (mutant, one of VERDICTS, what was seen) of each

    constant    a constant is added to a sum and subtracted again
    element     another register is, such as another row's sum
    scale       a sum is multiplied by a constant, then by its inverse: a large power of two, or 3
    narrow      a sum is rounded to f16
    movprfx     movprfx before any instruction; LLVM's assembler says which sequences are unpredictable
    E4NF        a masked load as a shuffle whose faults are not suppressed; this processor says whether it faults

The proof of every mutant is tried. It is false if the mutant has other results on magnitudes that proofs do not use
(`magnitudes.py`), is unpredictable, or faults.
"""

from __future__ import annotations

import re
import struct
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from tests.oracles import tools
from tests.side_by_side.detours import Detours, Place
from tests.side_by_side.kernels import kernel_of
from tests.side_by_side.magnitudes import Magnitudes
from tests.side_by_side.verdicts import OutOfTime, within
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.a64.names import lsl
from tilesmith.encoder.x86 import registers as x86
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.host import detect
from tilesmith.runtime.verify.check import verify

FALSE, REFUTED, UNPROVED, SAME = "FALSE PROOF", "refuted", "no proof", "proved, with the same results"
VERDICTS = (REFUTED, UNPROVED, SAME, FALSE)
SECONDS = 20
_CONSTANTS = (1e30, 1e20, 1e10, -3e8, 3.0)
_SCALES = ((2.0**100, 2.0**-100), (2.0**-100, 2.0**100), (2.0**-40, 2.0**40), (3.0, 1 / 3), (2.0**64, 2.0**-64))
_ADDS = re.compile(r"v?(add|fmadd\d+|fmadd\d+)(ps|pd|ss|sd)|fadd|fmla|fmadd|faddp|bfdot|v?dpbf16ps")
_IDENTITY = {"vmovups": ("vpermilps", 0xE4), "vmovdqu32": ("vpshufd", 0xE4), "vmovupd": ("vpermilpd", 0xAA)}
_CALLER_SAVED = range(17, 7, -1)
"""General registers of AArch64 of which one may be free for the bits of a constant."""
Emit = Callable[[Any], None]


class Inserted(NamedTuple):
    """A mutant."""

    kind: str
    offset: int
    text: str
    code: bytes
    pair: tuple[str, str] | None = None
    """For movprfx: it and the instruction behind it."""


def drawn(kernel: Any, random: Random, count: int) -> list[Inserted]:
    """Return at most `count` mutants of each kind that the kernel has."""
    found: dict[str, list[Inserted]] = defaultdict(list)
    of = _Of(kernel, random)
    places = list(of.detours.places)
    random.shuffle(places)
    for place in places:
        for make in (of.sums, of.prefixed, of.masked):
            for mutant in make(place):
                if len(found[mutant.kind]) < count:
                    found[mutant.kind].append(mutant)
    return [mutant for each in found.values() for mutant in each]


class _Of:
    """The mutants of one kernel."""

    def __init__(self, kernel: Any, random: Random) -> None:
        self.kernel, self.random, self.detours = kernel, random, Detours(kernel)
        self.x86 = kernel.target.arch == "x86"
        texts = " ".join(each.decoded.text for each in self.detours.places)
        self.used = sorted({int(each) for each in re.findall(r"\b(?:[xyz]mm|[vz])(\d+)", texts)})
        self.unused = [each for each in (*range(8), *range(16, 32)) if each not in self.used]
        self.general = next((each for each in _CALLER_SAVED if not re.search(rf"\b[wx]{each}\b", texts)), -1)
        self.usable = self.x86 or (self.unused and self.general >= 0)

    def sums(self, place: Place) -> Iterator[Inserted]:
        """Yield mutants that do something to a sum."""
        found = _ADDS.fullmatch(place.decoded.form.mnemonic)
        into = place.decoded.operands[0] if found and self.usable else None
        if into is None or not hasattr(into, "num"):
            return
        size = self._size(place)
        if not size:
            return
        changes = {
            "constant": self._constant(into, size),
            "element": self._element(into),
            "scale": self._scale(into, size),
            "narrow": self._narrow(into, size),
        }
        for kind, change in changes.items():
            if change is not None:
                text, emit = change
                yield from self._made(kind, place, f"{place.decoded.text}; {text}", emit)

    def _size(self, place: Place) -> int:
        """Return the bytes of an element, or 0 if it is no f32 or f64."""
        if self.x86:
            return {"s": 4, "d": 8}[place.decoded.form.mnemonic[-1]]
        into = place.decoded.operands[0]
        letter = getattr(into, "arrangement", "")[-1:] or into.kind
        return {"s": 4, "d": 8}.get(letter, 0)

    def _made(self, kind: str, place: Place, text: str, emit: Emit) -> Iterator[Inserted]:
        yield Inserted(kind, place.offset, text, self.detours.after(place, emit))

    # Arithmetic

    def _constant(self, into: Any, size: int) -> tuple[str, Emit]:
        value = self.random.choice(_CONSTANTS)
        ops = self.random.choice([("add", "sub"), ("sub", "add")])
        return f"{ops[0]} {value:g}, {ops[1]} {value:g}", lambda asm: self._apply(asm, into, size, ops, (value, value))

    def _scale(self, into: Any, size: int) -> tuple[str, Emit]:
        pair = self.random.choice(_SCALES)
        return f"times {pair[0]:g}, times {pair[1]:g}", lambda asm: self._apply(asm, into, size, ("mul", "mul"), pair)

    def _element(self, into: Any) -> tuple[str, Emit] | None:
        others = [each for each in self.used if each != into.num]
        if not others:
            return None
        other = self._like(into, self.random.choice(others))
        size = 8 if "d" in str(getattr(into, "arrangement", getattr(into, "kind", ""))) else 4

        def emit(asm: Any) -> None:
            for name in ("add", "sub"):
                self._op(asm, name, into, other, size)

        return f"add {other}, sub {other}", emit

    def _narrow(self, into: Any, size: int) -> tuple[str, Emit] | None:
        if not self.x86 or size != 4 or "AVX" not in self.kernel.target.features:
            return None
        whole, half = _plain(into), x86.YMM[into.num] if into.file == "zmm" else x86.XMM[into.num]

        def emit(asm: Any) -> None:
            asm.vcvtps2ph(half, whole, 0)
            asm.vcvtph2ps(whole, half)

        return "to f16 and back", emit

    def _apply(self, asm: Any, into: Any, size: int, ops: Sequence[str], values: Sequence[float]) -> None:
        for name, value in zip(ops, values):
            data = struct.pack("<f" if size == 4 else "<d", value)
            if self.x86:
                self._op(asm, name, into, x86.ptr[asm.const(data * (64 // size))], size)
                continue
            held = self._like(into, self.unused[-1])
            general = (a64.W if size == 4 else a64.X)[self.general]
            for at in range(0, size, 2):
                part = int.from_bytes(data[at : at + 2], "little")
                (asm.movk if at else asm.movz)(general, part, lsl(8 * at))
            (asm.dup if hasattr(held, "arrangement") else asm.fmov)(held, general)
            self._op(asm, name, into, held, size)

    def _op(self, asm: Any, name: str, into: Any, other: Any, size: int) -> None:
        if not self.x86:
            getattr(asm, f"f{name}")(into, into, other)
            return
        into, ending = _plain(into), "ps" if size == 4 else "pd"
        if "AVX" in self.kernel.target.features:
            getattr(asm, f"v{name}{ending}")(into, into, other)
        else:
            getattr(asm, f"{name}{ending}")(into, other)

    def _like(self, register: Any, number: int) -> Any:
        """Return another register in the same arrangement."""
        if self.x86:
            return {"xmm": x86.XMM, "ymm": x86.YMM, "zmm": x86.ZMM}[register.file][number]
        if hasattr(register, "arrangement"):
            return (a64.Z if register.kind[:1] == "z" else a64.V)[number].view(register.arrangement)
        return {"s": a64.S, "d": a64.D}[register.kind][number]

    # Conditions of instructions

    def prefixed(self, place: Place) -> Iterator[Inserted]:
        """Yield mutants with movprfx before an instruction."""
        first = place.decoded.operands[0] if place.decoded.operands else None
        if self.x86 or getattr(first, "kind", "")[:1] != "z" or len(self.used) < 2:
            return
        target = self.random.choice([first.num, first.num, *self.used])
        source = self.random.choice([each for each in self.used if each != target])
        emit: Emit = lambda asm: asm.movprfx(a64.Z[target], a64.Z[source])  # noqa: E731
        text = f"movprfx z{target}, z{source}"
        yield Inserted(
            "movprfx",
            place.offset,
            f"{text}; {place.decoded.text}",
            self.detours.before(place, emit),
            (text, place.decoded.text),
        )

    def masked(self, place: Place) -> Iterator[Inserted]:
        """Yield a mutant that loads through a shuffle."""
        form, operands = place.decoded.form, place.decoded.operands
        if form.mnemonic not in _IDENTITY or getattr(operands[0], "mask", None) is None or len(operands) != 2:
            return
        if not hasattr(operands[1], "base"):
            return
        name, choice = _IDENTITY[form.mnemonic]
        emit: Emit = lambda asm: getattr(asm, name)(*operands, choice)  # noqa: E731
        yield Inserted("E4NF", place.offset, f"{name} for {place.decoded.text}", self.detours.instead(place, emit))


def _plain(register: Any) -> Any:
    return {"xmm": x86.XMM, "ymm": x86.YMM, "zmm": x86.ZMM}[register.file][register.num]


def verdicts(kernel: Any, mutants: Sequence[Inserted]) -> Iterator[tuple[Inserted, str, str]]:
    """Yield each mutant with its verdict and what was seen of it."""
    beside, unpredictable = Magnitudes(kernel), _unpredictable(mutants)
    executes = not detect.host().missing(kernel.target.features) and not beside.faults(kernel.code)
    for mutant in mutants:
        proof, why = _proved(kernel, mutant.code)
        wrong = unpredictable.get(mutant, "")
        if mutant.kind == "E4NF" and executes and beside.faults(mutant.code):
            wrong = "it faults on this processor"
        wrong = wrong or beside.differing(mutant.code)
        if proof:
            yield mutant, FALSE if wrong else SAME, wrong
        else:
            yield mutant, REFUTED if why.startswith("refuted") else UNPROVED, wrong or f"not seen; {why}"


def _unpredictable(mutants: Sequence[Inserted]) -> dict[Inserted, str]:
    """Return what LLVM's assembler says of sequences with movprfx."""
    pairs = [each for each in mutants if each.pair is not None]
    lines = [line for each in pairs for line in each.pair or ()]
    stderr = (
        tools.run(
            "llvm-mc-19", "-triple=aarch64-linux", "-mattr=+all", stdin="\n".join(lines) + "\n", check=False
        ).stderr
        if pairs
        else ""
    )
    said = {int(line): message for line, message in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)$", stderr, re.M)}
    return {each: said[2 * at + 2] for at, each in enumerate(pairs) if 2 * at + 2 in said}


def _proved(kernel: Any, code: bytes) -> tuple[bool, str]:
    try:
        with within(SECONDS):
            proof = verify(code, kernel.target, kernel.spec, kernel.kind)
    except (UnsupportedError, OutOfTime) as reason:
        return False, str(reason)
    if proof.refuted:
        return False, str(proof.refutation).splitlines()[0]
    return bool(proof), "" if proof else next(str(claim) for claim in proof.claims if not claim.holds)


def table(found: Sequence[tuple[Inserted, str, str]]) -> list[str]:
    """Return a row for each kind of mutants."""
    counts = Counter((mutant.kind, what) for mutant, what, _ in found)
    wrong = Counter(mutant.kind for mutant, what, seen in found if what != SAME and "not seen" not in seen)
    rows = [f"{'kind':10}{'mutants':>9}{'wrong':>8}" + "".join(f"{each:>31}" for each in VERDICTS)]
    for kind in sorted({mutant.kind for mutant, _, _ in found}):
        cells = [counts[kind, each] for each in VERDICTS]
        rows.append(f"{kind:10}{sum(cells):9}{wrong[kind]:8}" + "".join(f"{each:31}" for each in cells))
    return rows


def report(pairs: Sequence[tuple[str, str]], count: int, seed: int) -> int:
    """Judge mutants of these kernels and print what is proved, and the table. Return 1 if there is a false proof."""
    found: list[tuple[Inserted, str, str]] = []
    for name, target in pairs:
        kernel, began = kernel_of(name, target), time.process_time()
        if kernel is None:
            continue
        own = list(verdicts(kernel, drawn(kernel, Random(f"{seed} {name} {target}"), count)))
        found += own
        print(f"{name} for {target}: {len(own)} mutants, {time.process_time() - began:.0f} s", file=sys.stderr)
        for mutant, what, seen in own:
            if what in (FALSE, SAME):
                print(f"{what}: {name} for {target}, {mutant.offset:#x}: {mutant.kind}: {mutant.text}: {seen}")
    print("\n".join(["", *table(found)]))
    return int(any(what == FALSE for _, what, _ in found))
