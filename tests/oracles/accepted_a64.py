"""List the AArch64 assembly that LLVM 19 accepts: every form with the smallest and the largest of its numbers.

    python -m tests.oracles.accepted_a64        writes tests/golden/a64_accepted.txt; takes ten minutes

Every value of bits 31 to 10 goes through llvm-objdump (tests/oracles/coverage_a64.py). So do the words that hold the
extremes found so far, with every run of their low bits set to all zeros and all ones. A form is a text without its
numbers; the stack pointer as a base counts as register 31. A text that llvm-mc rejects is not a form. LEFT_OUT and
coverage_a64.LEFT_OUT name what is left out. Aliases that LLVM never prints come from our own table and from the
previous file. A line is removed from the file only if llvm-mc rejects it or it is left out, so removing a row of our
table removes no line.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.encoder.a64_draws import all_forms, draws
from tests.oracles import coverage_a64, llvm_a64
from tilesmith.encoder.a64 import names

FILE = Path(__file__).parents[1] / "golden" / "a64_accepted.txt"
_HEAD = "# What llvm-mc-19 accepts, with extreme numbers; `python -m tests.oracles.accepted_a64` adds to it.\n"

# Texts that are left out, apart from those of features that are left out: a pattern and the reason.
LEFT_OUT = (
    (r"mrs \w+, (?!NZCV|FPCR|FPSR|TPIDR_EL0).*|msr (?!NZCV|FPCR|FPSR|TPIDR_EL0)\w+, x.*", "known by its numbers"),
    (r"msr \w+, #.*", "privileged, but for what smstart and smstop set"),
    (r"(ld|st)r(s?b)? [bwx]\w+, \[\w+, \w+, (lsl|[us]xt[wx]) #0\]", "a shift of bytes by nothing, written out"),
    (r"(add|sub|adds|subs|cmp|cmn)\b.*#0(x0)?, lsl #12", "zero, shifted"),
    (r"(add|sub|subr|sqadd|uqadd|sqsub|uqsub|mov|dup|cpy) z.*#0(x0)?, lsl #8", "zero, shifted"),
    (r"(prf\w+|rprfm) #.*", "a hint without a name"),
    (r"rprfm .*|prfu?m p(ld|li|st)slc.*", "a hint of FEAT_RPRFM or FEAT_PRFMSLC"),
    (r"ld(n|x|ax)?p(sw)? (\w+), \3, .*|ldp(sw)? \w+, (\w+), \[\5\].*", "UNPREDICTABLE: one register twice"),
    (r"(ptrues?|(sq|uq)?(inc|dec)[bhwd]|cnt[bhwd]) [^#]*(?<!mul )#.*", "a pattern without a name"),
    (r"(dc|ic|at|tlbi) .*", "privileged, but for those that names.py has"),
    (r"d[ms]b #.*", "a barrier without a name"),
    (r"dsb \w+nxs|gcsb .*|psb .*|tsb .*|pacm|chkfeat .*", "a hint or barrier of an extension that kernels do not use"),
)


class Sample(NamedTuple):
    """A word that LLVM reads, its form, and its numbers in order with their texts."""

    word: int
    form: str
    numbers: tuple[tuple[float, str], ...]


_LIST = re.compile(r"\{ ([zvp]n?)(\d+)(\.\w+)?(?:( - |, )[zvp]n?(\d+)(?:\.\w+)?([^}]*))? \}")
_SHORT = re.compile(r"\{([zvp]n?)(\d+)(\.\w+)?\*(\d)(?:%(\d))?\}")
_PLACE = re.compile(r"(?<= )0x[0-9a-f]+$")
_PC = re.compile(r"(b|bl|b\.\w+|cbn?z|tbn?z|adrp?|ldr|ldrsw|prfm) ")
_CONDITIONS = [name for name in names.CONDITIONS if name not in ("cs", "cc")]
_HINTS = list(names.PREFETCHES)
_NUMBER = re.compile(
    r"(?P<imm>#-?\d[0-9a-fx.e+-]*)"
    r"|(?<![.\w])(?P<reg>pn|za|vl|[xwbhsdqvzp])(?:\d+|(?<=[xw])zr)(?=\b|[hv]\.)|(?<=\[)(?P<base>sp)\b"
    r"|(?<=\[)(?P<element>\d+)(?=\])"
    r"|(?<=, )(?P<slice>\d[0-9a-fx]*(?::\d[0-9a-fx]*)?)(?=[\],])"
    rf"|(?<=, )(?P<cond>{'|'.join(_CONDITIONS)})$|(?<= )(?P<hint>{'|'.join(_HINTS)})(?=,)"
)
_RANGE = re.compile(r"<([^>]*)\.\.([^>]*)>")


def normal(text: str, place: int = 0) -> str:
    """Return the text with lists written as {z0.s*4}, or {z0.s*4%8} for every eighth register, and with targets written
    as distances."""
    text = _LIST.sub(_shortened, text)
    if _PC.match(text):
        base = place & ~4095 if text.startswith("adrp") else place
        text = _PLACE.sub(lambda found: f"#{int(found[0], 16) - base}", text)
    return text


def _shortened(found: re.Match[str]) -> str:
    letter, first, arrangement, how, second, rest = found.groups()
    step = (int(second or 0) - int(first)) % 32 if how == ", " else 1
    count = (int(second) - int(first)) % 32 + 1 if how == " - " else found[0].count(",") + 1
    return f"{{{letter}{first}{arrangement or ''}*{count}{f'%{step}' if step > 1 and rest is not None else ''}}}"


def _in_full(found: re.Match[str]) -> str:
    letter, first, arrangement, count, step = found.groups()
    last = 16 if letter == "p" else 32
    each = (f"{letter}{(int(first) + n * int(step or 1)) % last}{arrangement or ''}" for n in range(int(count)))
    return "{ " + ", ".join(each) + " }"


def form_of(text: str) -> tuple[str, tuple[tuple[float, str], ...]]:
    """Split a normal text into its form, in which numbers are replaced by their kinds, and the numbers with their
    texts."""
    numbers: list[tuple[float, str]] = []

    def noted(found: re.Match[str]) -> str:
        numbers.append((_value(found[0]), found[0]))
        kind = found["reg"] or {"base": "x"}.get(found.lastgroup or "", found.lastgroup)
        return f"<{kind}>"

    return _NUMBER.sub(noted, text), tuple(numbers)


def _value(shown: str) -> float:
    for known_names in (_CONDITIONS, _HINTS):
        if shown in known_names:
            return known_names.index(shown)
    if shown in ("sp", "xzr", "wzr"):
        return 31
    shown = re.sub(r"^#|^[a-z]+(?=\d)|:.*", "", shown)
    return float(int(shown, 16)) if "0x" in shown else float(shown)


class Extremes:
    """The samples with the smallest and the largest value of every number in every form."""

    def __init__(self) -> None:
        self.found: dict[str, list[Sample]] = {}

    def add(self, sample: Sample) -> None:
        """Keep a sample if one of its numbers is an extreme. Of equal extremes, prefer one that repeats no register."""
        kept = self.found.get(sample.form)
        if kept is None:
            self.found[sample.form] = [sample] * (2 * len(sample.numbers) or 1)
            return
        for at, (value, _) in enumerate(sample.numbers):
            for place, sign in ((2 * at, 1), (2 * at + 1, -1)):
                known = kept[place].numbers[at][0]
                if sign * value < sign * known or value == known and _repeats(kept[place]) and not _repeats(sample):
                    kept[place] = sample

    def read(self, words: Iterable[array[int]]) -> None:
        """Add the words that LLVM reads."""
        for run in words:
            for place, (word, text) in enumerate(zip(run, coverage_a64.read(run), strict=True)):
                if text and text[0] not in "<." and not coverage_a64._PRIVILEGED.match(text):
                    self.add(Sample(word, *form_of(normal(text, 4 * place))))

    def neighbours(self) -> Iterator[array[int]]:
        """Yield the words found so far with every run of their low bits set to all zeros and all ones."""
        masks = [(1 << high) - (1 << low) for high in range(1, 11) for low in range(high)]
        words = {sample.word for kept in self.found.values() for sample in kept}
        every = sorted({changed for word in words for mask in masks for changed in (word | mask, word & ~mask)})
        for start in range(0, len(every), 1 << 20):
            yield array("I", every[start : start + (1 << 20)])

    def lines(self) -> list[str]:
        """Return the fewest lines that show all extremes that llvm-mc accepts: lines with ranges, or single texts if
        that fails."""
        ranged = {form: _ranged(form, kept) for form, kept in self.found.items()}
        fine = _good(ranged)
        single = [
            _filled(form, [text for _, text in one.numbers])
            for form, kept in self.found.items()
            if not fine[form]
            for one in dict.fromkeys(kept)
        ]
        accepted = assembled([_SHORT.sub(_in_full, text) for text in single])
        return [line for form, line in ranged.items() if fine[form]] + [
            text for text, word in zip(single, accepted) if isinstance(word, int)
        ]


def assembled(every: Sequence[str]) -> list[int | str]:
    """Return each text's word, or the reason why LLVM rejects it. A nop follows a prefix, so that it does not apply to
    the next text."""
    pairs = [(text, "nop") if text.startswith("movprfx") else (text,) for text in every]
    words = iter(llvm_a64.assemble([line for pair in pairs for line in pair]))
    return [[next(words) for _ in pair][0] for pair in pairs]


def _repeats(sample: Sample) -> bool:
    """Whether a register occurs twice, which some instructions do not permit."""
    shown = [text for _, text in sample.numbers if text[0] != "#"]
    return len(set(shown)) < len(shown)


def _filled(form: str, texts: Iterable[str]) -> str:
    """Return the form with its placeholders replaced by these texts."""
    each = iter(texts)
    return re.sub(r"<\w+>", lambda _: next(each), form)


def _ranged(form: str, kept: list[Sample]) -> str:
    """Return the form with the range of each of its numbers."""
    ends = [(kept[2 * at].numbers[at][1], kept[2 * at + 1].numbers[at][1]) for at in range(len(kept[0].numbers))]
    return _filled(form, (low if low == high else f"<{low}..{high}>" for low, high in ends))


def texts(line: str) -> list[str]:
    """Return the texts that a line of the file stands for: with the lower ends of all ranges, and with the upper
    ends."""
    ends = [_RANGE.sub(r"\1", line), _RANGE.sub(r"\2", line)] if "<" in line else [line]
    return [_SHORT.sub(_in_full, text) for text in ends]


def _good(ranged: dict[str, str]) -> dict[str, bool]:
    """Return, for each form, whether LLVM accepts both texts of its line and reads them as this form, and neither is
    left out."""
    pairs = [(form, text) for form, line in ranged.items() for text in texts(line)]
    words = assembled([text for _, text in pairs])
    run = array("I", [word if isinstance(word, int) else 0 for word in words])
    read = coverage_a64.read(run)
    good = dict.fromkeys(ranged, True)
    for place, ((form, _), word, text) in enumerate(zip(pairs, words, read)):
        good[form] &= isinstance(word, int) and form_of(normal(text, 4 * place))[0] == form
        good[form] &= not left_out(pairs[place][1])
    return good


def left_out(text: str) -> str:
    """Return the reason why a text is left out; an empty string if it is wanted."""
    return next((why for pattern, why in LEFT_OUT if re.fullmatch(pattern, text)), "")


def wanted(lines: Iterable[str]) -> list[str]:
    """Return the lines that llvm-mc accepts, whose features are wanted, and that are not left out otherwise."""
    every = sorted(set(lines))
    pairs = [(line, text) for line in every for text in texts(line)]
    words = assembled([text for _, text in pairs])
    needs = coverage_a64.features([coverage_a64.Reading(0, text) for _, text in pairs])
    dropped = {
        line
        for (line, text), word, feature in zip(pairs, words, needs)
        if isinstance(word, str) or left_out(text) or coverage_a64.left_out(feature)
    }
    return [line for line in every if line not in dropped]


def known() -> list[str]:
    """Return the lines of the current file."""
    return [line for line in FILE.read_text().splitlines() if not line.startswith("#")] if FILE.exists() else []


def aliases() -> Iterator[str]:
    """Yield two texts of every form of our table. They include aliases that LLVM accepts but never prints."""
    for form in all_forms():
        for operands in list(draws(form, 2).values()):
            yield normal(form.text(operands))


def _form(line: str) -> str:
    return form_of(normal(texts(line)[0]))[0]


def main() -> None:
    """Add missing lines to the file."""
    extremes = Extremes()
    extremes.read(coverage_a64.words())
    extremes.read(extremes.neighbours())
    made = extremes.lines()
    forms = {_form(line) for line in made}
    others = [line for line in (*known(), *aliases()) if _form(line) not in forms]
    FILE.write_text(_HEAD + "".join(f"{line}\n" for line in wanted([*made, *others])))


if __name__ == "__main__":
    main()
