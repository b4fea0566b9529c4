"""Check that the AArch64 table has every form that LLVM accepts, with the whole range of its numbers.

The table has a text if a form of its mnemonic decodes the word that LLVM assembles from it, and prints it as the same
text apart from the notation of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.oracles.accepted_a64 import assembled, form_of, normal, texts
from tilesmith.encoder.a64.assembler import TABLE
from tilesmith.encoder.a64.forms import A64Form

_STACK = re.compile(r"\bw?sp\b")


def missing(lines: Iterable[str]) -> list[str]:
    """Return the texts of the lines that the table lacks."""
    every = [text for line in lines for text in texts(line)]
    words = assembled(every)
    refused = [f"{text}: LLVM says {word}" for text, word in zip(every, words) if isinstance(word, str)]
    return refused + [text for text, word in zip(every, words) if isinstance(word, int) and not _is_there(text, word)]


def _is_there(text: str, word: int) -> bool:
    mnemonic = text.split()[0]
    forms = TABLE.forms(mnemonic) if mnemonic in TABLE else []
    return any(_writes(form, word, text) for form in forms if isinstance(form, A64Form))


def _writes(form: A64Form, word: int, text: str) -> bool:
    operands = form.decode(word)
    if operands is None:
        return False
    ours = form.text(operands)
    return _shape(ours) == _shape(text) and _STACK.findall(ours) == _STACK.findall(text)


def _shape(text: str) -> str:
    """Return the form without the parts that have two spellings.

    These are an extension without a shift (with a stack pointer), a number shifted by 12, and lists of tiles.
    """
    form = form_of(normal(text))[0].lower()
    if re.match(r"(add|sub|adds|subs|cmp|cmn) .*\bw?sp\b", form):
        form = re.sub(r", (uxtw|uxtx|lsl)( <imm>)?$", "", form)
    form = re.sub(r"^((?:add|sub|cm[pn]).*<imm>), lsl <imm>$", r"\1", form)
    return re.sub(r"^zero \{<za>.*", "zero {za}", form).replace(" ", "")
