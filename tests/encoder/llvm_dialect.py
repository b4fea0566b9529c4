"""Translate our text of an x86-64 instruction to the dialect of llvm-objdump: aliases for immediates, sizes left
out."""

from __future__ import annotations

import re
from typing import Any

from tilesmith.encoder.x86.decode import targets
from tilesmith.encoder.x86.forms import X86Form

_PREDICATES = (  # SDM vol. 2, CMPPD, table 3-1
    "eq",
    "lt",
    "le",
    "unord",
    "neq",
    "nlt",
    "nle",
    "ord",
    "eq_uq",
    "nge",
    "ngt",
    "false",
    "neq_oq",
    "ge",
    "gt",
    "true",
    "eq_os",
    "lt_oq",
    "le_oq",
    "unord_s",
    "neq_us",
    "nlt_uq",
    "nle_uq",
    "ord_s",
    "eq_us",
    "nge_uq",
    "ngt_uq",
    "false_os",
    "neq_os",
    "ge_oq",
    "gt_oq",
    "true_us",
)
_INTEGER_PREDICATES = {0: "eq", 1: "lt", 2: "le", 4: "neq", 5: "nlt", 6: "nle"}  # SDM vol. 2, VPCMPB
_STRING = re.compile(r"(rep\w* )?(movs|stos|lods|scas|cmps)[bwdq]( |$)")
_NUMBER = re.compile(r"(?<![\w\[])-?\d+(?![\w\]])")


def ours(form: X86Form, operands: tuple[Any, ...], end: int) -> str:
    """Return the text that LLVM would print; `end` is the offset of the end of the instruction."""
    text = normal(form.text(targets(form, operands, end)))
    mnemonic, _, rest = text.partition(" ")
    if form.roles.endswith("I") and isinstance(operands[-1], int):
        alias = _alias(mnemonic, operands[-1])
        if alias:
            text = f"{alias} {rest.rpartition(', ')[0]}"
    if form.classes and form.classes[-1].kind == "one":
        text = text.removesuffix(", 1")
    return "nop" if text == "xchg ax, ax" else text


def _alias(mnemonic: str, value: int) -> str:
    compare = re.fullmatch(r"(v?cmp)([ps][sdh])", mnemonic)
    if compare and value < (32 if mnemonic[0] == "v" else 8):
        return f"{compare[1]}{_PREDICATES[value]}{compare[2]}"
    integer = re.fullmatch(r"(vpcmp)(u?[bwdq])", mnemonic)
    if integer and value in _INTEGER_PREDICATES:
        return f"{integer[1]}{_INTEGER_PREDICATES[value]}{integer[2]}"
    return ""


def normal(text: str) -> str:
    """Return the text with decimal numbers and without the parts that LLVM writes inconsistently."""
    text = re.sub(r"0x[0-9a-f]+", lambda number: str(int(number[0], 16)), text.lower())
    text = re.sub(r"\{(vex|evex)\} ", "", text).replace("} {z}", "}{z}").replace("1*", "")
    text = re.sub(r"\b\w+ ptr (?=\[[^]]*[xyz]mm\d)", "", text)  # gathers
    string = _STRING.match(text)
    if string and "xmm" not in text:
        text = text[: string.end()].replace("repe ", "rep ").strip()
    mnemonic, _, operands = text.partition(" ")
    if mnemonic == "xchg" and "[" not in text:  # the order of registers does not matter
        text = f"xchg {', '.join(sorted(operands.split(', ')))}"
    return " ".join(text.split())


def equal(a: str, b: str, bits: int) -> bool:
    """Whether two normal texts are equal if immediates are taken modulo 2**bits."""
    if a == b:
        return True
    one, two = _NUMBER.findall(a), _NUMBER.findall(b)
    same = len(one) == len(two) and all((int(x) - int(y)) % (1 << bits) == 0 for x, y in zip(one, two))
    return same and _NUMBER.sub("#", a) == _NUMBER.sub("#", b)
