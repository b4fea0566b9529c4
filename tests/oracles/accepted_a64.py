"""What AArch64 assembly there is, as LLVM 19 has it: one text of every form with its smallest numbers, one with its largest.

    python -m tests.oracles.accepted_a64        writes tests/golden/a64_accepted.txt; ten minutes

Every value of bits 31 to 10 goes through llvm-objdump (tests/oracles/coverage_a64.py), then each of the words that hold
the extremes so far, with every run of the other bits all zeros and all ones. A form is a text without its numbers;
register 31 counts as a number, the stack pointer does not. What llvm-mc refuses is none, and neither is what LEFT_OUT and
coverage_a64.LEFT_OUT name. Aliases that LLVM never prints come from the rows, and from the file as it was: a line leaves
it only if llvm-mc refuses it or LEFT_OUT names it, so that removing a row removes no line.
"""

from __future__ import annotations

import random
import re
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.encoder.a64_draws import all_forms, draws
from tests.oracles import coverage_a64, llvm_a64

FILE = Path(__file__).parents[1] / "golden" / "a64_accepted.txt"
_HEAD = "# Every form that llvm-mc-19 accepts, with extreme numbers; `python -m tests.oracles.accepted_a64` adds to it.\n"

# What is left out besides features, as patterns of texts, and why.
LEFT_OUT = (
    (r"m(rs|sr)\b.*\b(?!(nzcv|fpcr|fpsr|svcr|tpidr_el0)\b)[A-Za-z]\w*_\w+.*", "known by its numbers"),
    (r"(ld|st)r(s?b)? [bwx]\w+, \[\w+, \w+, (lsl|[us]xt[wx]) #0\]", "a shift of bytes by nothing, written out"),
    (r"(add|sub|adds|subs|cmp|cmn)\b.*#0(x0)?, lsl #12", "zero, shifted"),
    (r"(add|sub|subr|sqadd|uqadd|sqsub|uqsub|mov|dup|cpy) z.*#0(x0)?, lsl #8", "zero, shifted"),
    (r"(prf\w+|rprfm) #.*", "a hint without a name"),
    (r"rprfm .*|prfu?m p(ld|li|st)slc.*", "a hint of FEAT_RPRFM or FEAT_PRFMSLC"),
    (r"ld(n|x|ax)?p(sw)? (\w+), \3, .*|ldp(sw)? \w+, (\w+), \[\5\].*", "UNPREDICTABLE: one register twice"),
    (r"(ptrues?|(sq|uq)?(inc|dec)[bhwd]|cnt[bhwd]) .*#(0x)?[0-9a-f]+(, mul.*)?", "a pattern without a name"),
    (r"(dc|ic|at|tlbi) .*", "privileged, but for those that names.py has"),
)


class Sample(NamedTuple):
    """A word that LLVM reads, its form, and its numbers in order with their texts."""

    word: int
    form: str
    numbers: tuple[tuple[float, str], ...]


_LIST = re.compile(r"\{ ([zvp]n?)(\d+)(\.\w+)? - [zvp]n?(\d+)(?:\.\w+)? \}")
_PLACE = re.compile(r"(?<= )0x[0-9a-f]+$")
_PC = re.compile(r"(b|bl|b\.\w+|cbn?z|tbn?z|adrp?|ldr|ldrsw|prfm) ")
_NUMBER = re.compile(
    r"#-?\d[0-9a-fx.e+-]*"  # immediates
    r"|(?<![.\w])(?:pn|za|vl|[xwbhsdqvzp])(?:\d+|(?<=[xw])zr)\b"
    r"|(?<![.\w])za\d+(?=[hv.])"
    r"|(?<=\[)\d+(?=\])"  # elements
    r"|(?<=, )\d[0-9a-fx]*(?::\d[0-9a-fx]*)?(?=[\],])"  # slices
)


def normal(text: str, place: int = 0) -> str:
    """The text with lists in full and targets as distances."""
    text = _LIST.sub(_in_full, text)
    if _PC.match(text):
        base = place & ~4095 if text.startswith("adrp") else place
        text = _PLACE.sub(lambda found: f"#{int(found[0], 16) - base}", text)
    return text


def _in_full(found: re.Match[str]) -> str:
    letter, first, arrangement, last = found[1], int(found[2]), found[3] or "", int(found[4])
    count = (last - first) % 32 + 1
    return "{ " + ", ".join(f"{letter}{(first + n) % 32}{arrangement}" for n in range(count)) + " }"


def form_of(text: str) -> tuple[str, tuple[tuple[float, str], ...]]:
    """A normal text without its numbers, and these."""
    numbers: list[tuple[float, str]] = []

    def noted(found: re.Match[str]) -> str:
        shown = found[0]
        numbers.append((_value(shown), shown))
        return "#" if shown[0] == "#" else re.sub(r"\d+|zr", "", shown) + "~" if shown[0].isalpha() else "~"

    return _NUMBER.sub(noted, text), tuple(numbers)


def _value(shown: str) -> float:
    shown = re.sub(r"^#|^[a-z]+(?=\d)|:.*", "", shown)
    if shown.endswith("zr"):
        return 31
    return float(int(shown, 16)) if "0x" in shown else float(shown)


class Extremes:
    """For every form and number in it the samples with the smallest and the largest."""

    def __init__(self) -> None:
        self.found: dict[str, list[Sample]] = {}

    def add(self, sample: Sample) -> None:
        """Remember a sample if a number of it is an extreme."""
        kept = self.found.get(sample.form)
        if kept is None:
            self.found[sample.form] = [sample] * (2 * len(sample.numbers) or 1)
            return
        for at, (value, _) in enumerate(sample.numbers):
            if value < kept[2 * at].numbers[at][0]:
                kept[2 * at] = sample
            elif value > kept[2 * at + 1].numbers[at][0]:
                kept[2 * at + 1] = sample

    def read(self, words: Iterable[array[int]]) -> None:
        """Remember what LLVM reads."""
        for run in words:
            for place, (word, text) in enumerate(zip(run, coverage_a64.read(run), strict=True)):
                if text and text[0] not in "<." and not coverage_a64._PRIVILEGED.match(text):
                    self.add(Sample(word, *form_of(normal(text, 4 * place))))

    def neighbours(self) -> Iterator[array[int]]:
        """The words so far with runs of their low bits all zeros and all ones."""
        masks = [(1 << high) - (1 << low) for high in range(1, 11) for low in range(high)]
        words = {sample.word for kept in self.found.values() for sample in kept}
        every = sorted({changed for word in words for mask in masks for changed in (word | mask, word & ~mask)})
        for start in range(0, len(every), 1 << 20):
            yield array("I", every[start : start + (1 << 20)])

    def texts(self) -> list[str]:
        """As few texts as show all extremes that llvm-mc accepts."""
        short: list[tuple[str, str]] = []
        for form, kept in self.found.items():
            short += [(form, _filled(form, kept, end)) for end in (0, 1)]
        fine = {form for form, good in _good(short).items() if good}
        full = [(form, _filled(form, [one] * len(kept), 0)) for form, kept in self.found.items()
                if form not in fine for one in dict.fromkeys(kept)]  # fmt: skip
        accepted = llvm_a64.assemble([text for _, text in full])
        return [text for form, text in short if form in fine] + [
            text for (_, text), word in zip(full, accepted) if isinstance(word, int)
        ]


def _filled(form: str, kept: list[Sample], end: int) -> str:
    """The form with all its smallest or all its largest numbers."""
    numbers = (kept[2 * at + end].numbers[at][1] for at in range(len(kept[0].numbers)))
    return re.sub(r"#|[a-z]*~", lambda _: next(numbers), form)


def _good(pairs: list[tuple[str, str]]) -> dict[str, bool]:
    """By form, whether LLVM accepts all its texts and reads them as that form."""
    words = llvm_a64.assemble([text for _, text in pairs])
    run = array("I", [word if isinstance(word, int) else 0 for word in words])
    read = coverage_a64.read(run)
    good = dict.fromkeys((form for form, _ in pairs), True)
    for place, ((form, _), word, text) in enumerate(zip(pairs, words, read)):
        good[form] &= isinstance(word, int) and form_of(normal(text, 4 * place))[0] == form
    return good


def left_out(text: str) -> str:
    """Why a text is left out; empty if it is wanted."""
    return next((why for pattern, why in LEFT_OUT if re.fullmatch(pattern, text)), "")


def wanted(texts: Iterable[str]) -> list[str]:
    """Those that llvm-mc accepts, of features that are wanted, and that nothing else leaves out."""
    every = sorted(set(texts))
    words = llvm_a64.assemble(every)
    those = [text for text, word in zip(every, words) if isinstance(word, int) and not left_out(text)]
    needs = coverage_a64.features([coverage_a64.Reading(0, text) for text in those])
    return [text for text, feature in zip(those, needs) if not coverage_a64.left_out(feature)]


def lines() -> list[str]:
    """The file as it is."""
    return [line for line in FILE.read_text().splitlines() if not line.startswith("#")] if FILE.exists() else []


def aliases() -> Iterator[str]:
    """Two texts of every form of ours, so that those are there which LLVM takes and never prints."""
    for form in all_forms():
        for operands in list(draws(form, 2).values()):
            yield form.text(operands)


def main() -> None:
    """Add to the file what is missing."""
    extremes = Extremes()
    extremes.read(coverage_a64.words())
    extremes.read(extremes.neighbours())
    made = extremes.texts()
    known = {form_of(text)[0] for text in made}
    others = [text for text in (*lines(), *aliases()) if form_of(text)[0] not in known]
    FILE.write_text(_HEAD + "".join(f"{text}\n" for text in wanted([*made, *others])))


if __name__ == "__main__":
    random.seed(0)
    main()
