"""Decode words to instructions, using the table: a form has literal bits (mask and value) and slots that decode."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from ..operands import Label
from .assembler import TABLE as TABLE
from .assembler import WORD
from .forms import A64Form
from .slots import BranchTarget

_PAGE = 4096  # bytes that adrp counts

_Index = tuple[tuple[int, dict[int, list[A64Form]]], ...]


@lru_cache(maxsize=1)
def _index(version: int) -> _Index:
    """The forms of the table at this version, grouped by their mask and then by their literal bits.

    Forms with the most literal bits come first, so that aliases win.
    """
    by_mask: dict[int, dict[int, list[A64Form]]] = {}
    forms: list[Any] = [form for mnemonic in TABLE for form in TABLE.forms(mnemonic)]
    for form in sorted(forms, key=lambda form: -form.mask.bit_count()):
        by_mask.setdefault(form.mask, {}).setdefault(form.word, []).append(form)
    return tuple(by_mask.items())


_TOP = 24  # the bits below those by which forms are looked up


@lru_cache(maxsize=1 << 32 - _TOP)
def _forms_of(top: int, version: int) -> _Index:
    """Return the part of the index whose literal bits allow these top bits of a word."""
    found = []
    for mask, forms in _index(version):
        literal = mask >> _TOP
        allowed = {word: those for word, those in forms.items() if word >> _TOP == top & literal}
        if allowed:
            found.append((mask, allowed))
    return tuple(found)


def decode(data: bytes, offset: int = 0) -> tuple[A64Form, tuple[Any, ...], int] | None:
    """Return form, operands and length of the instruction at `offset`; None if no row writes these bytes."""
    if len(data) - offset < WORD:
        return None
    return _instruction(int.from_bytes(data[offset : offset + WORD], "little"), TABLE.version)


@lru_cache(maxsize=1 << 14)
def _instruction(word: int, version: int) -> tuple[A64Form, tuple[Any, ...], int] | None:
    """Return `decode` of a word in this version of the table. Kernels repeat few distinct words."""
    for mask, forms in _forms_of(word >> _TOP, version):
        for form in forms.get(word & mask, ()):
            operands = form.decode(word)
            if operands is not None and _is_meant(form, operands, word):
                return form, operands, WORD
    return None


def why_undefined(data: bytes, offset: int) -> str:
    """Return which operands the architecture refuses to be the same register, or "" if the word is no instruction."""
    word = int.from_bytes(data[offset : offset + WORD], "little")
    for mask, forms in _forms_of(word >> _TOP, TABLE.version):
        for form in forms.get(word & mask, ()):
            if clash := form.clash_of(word):
                return f"{form.mnemonic}: {clash}, which is CONSTRAINED UNPREDICTABLE"
    return ""


def _is_meant(form: A64Form, operands: tuple[Any, ...], word: int) -> bool:
    """Whether the form's text stands for this word: a form that is preferred may write the same operands otherwise, as
    mov x8, x8 is no addition of 0, which mov sp, x8 is."""
    return not any(
        each.accepts(operands) and each.encode(operands) != word.to_bytes(WORD, "little")
        for each in _preferred(form, TABLE.version)
    )


@cache
def _preferred(form: A64Form, version: int) -> tuple[A64Form, ...]:
    """The forms of the mnemonic in this version of the table that are preferred and take the same kinds of operands."""
    before = form.siblings[: form.siblings.index(form)]
    return tuple(each for each in before if [*map(_kind, each.slots)] == [*map(_kind, form.slots)])


def _kind(slot: Any) -> tuple[type, str]:
    return type(slot), re.sub(r"^([A-Z])\w", r"\1", slot.text.removesuffix("|sp"))  # Rd, Rn and Rm|sp are alike


def run(data: bytes, offset: int) -> int:
    """Return how many bytes at `offset` belong together where nothing is decoded: those of a word."""
    return min(4, len(data) - offset)


def targets(form: A64Form, operands: tuple[Any, ...], end: int) -> tuple[Any, ...]:
    """Return the operands with the target of a branch or literal load, as a label named by its address, instead of its
    distance. `end` is the address behind it."""
    return tuple(
        _target(operand, end - WORD, slot.scale) if isinstance(slot, BranchTarget) else operand
        for slot, operand in zip(form.slots, operands)
    )


def _target(distance: Any, start: int, scale: int) -> Any:
    """The target of an instruction at an address. adrp counts pages from the page that it is in."""
    if not isinstance(distance, int):
        return distance
    return Label(f"{(start - start % _PAGE if scale == _PAGE else start) + distance:#x}")


def labelled(form: A64Form, operands: tuple[Any, ...], end: int, places: Any) -> tuple[Any, ...]:
    """Return the operands with labels. `places` returns the label at an offset, or of the constant there, and the
    rest."""
    return tuple(
        _labelled(operand, end - WORD, places) if isinstance(slot, BranchTarget) else operand
        for slot, operand in zip(form.slots, operands)
    )


def _labelled(distance: Any, start: int, places: Any) -> Any:
    found = places(start + distance) if isinstance(distance, int) else None
    return found[0] if found and not found[1] else distance
