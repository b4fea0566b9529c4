"""Draw operands for every form of the AArch64 table: first words with fields at their limits, then random ones.

A form decodes what it encodes, so operands are drawn as words: every field 0, every field all ones (register 31, the
highest lane, immediate -1), single fields all ones, then random bits. The draws are seeded, so a failure repeats.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from typing import Any

from tilesmith.encoder.a64.assembler import TABLE
from tilesmith.encoder.a64.forms import A64Form
from tilesmith.encoder.a64.slots import Choice

ALL_ONES = (1 << 32) - 1


def all_forms() -> Iterator[A64Form]:
    """Yield every form of every row."""
    for mnemonic in TABLE:
        yield from TABLE.forms(mnemonic)  # type: ignore[misc]


def draws(form: A64Form, count: int, seed: int = 0) -> dict[int, tuple[Any, ...]]:
    """Return at most `count` words of the form with their operands."""
    rng = random.Random(zlib.crc32(f"{form.syntax()} {form.word:#x}".encode()) + seed)
    made: dict[int, tuple[Any, ...]] = {}
    for word, _ in zip(_words(form, rng), range(count * 50)):
        word = _repaired(form, word, rng)
        operands = form.decode(word)
        if operands is not None and _preferred(form, operands):
            made[word] = operands
        if len(made) == count:
            break
    return made


def _words(form: A64Form, rng: random.Random) -> Iterator[int]:
    free = ALL_ONES & ~form.mask
    yield form.word
    yield form.word | free
    fields = [slot.field.mask for slot in form.slots if isinstance(slot, Choice)]
    yield from (form.word | mask for mask in fields)
    yield from (form.word | free & ~mask for mask in fields)
    while True:
        yield form.word | rng.getrandbits(32) & free


def _repaired(form: A64Form, word: int, rng: random.Random) -> int:
    """Return the word; if random bits name no operand (a cache operation, a pattern), replace them by a valid code."""
    for slot in form.slots:
        if isinstance(slot, Choice) and slot.decode(word) is None:
            word = word & ~slot.field.mask | rng.choice(list(slot.codes.values()))
    return word


def _preferred(form: A64Form, operands: tuple[Any, ...]) -> bool:
    """Whether the assembler would choose this form for the operands."""
    return next((sibling for sibling in form.siblings if sibling.accepts(operands)), None) is form
