"""Classes of instructions, for counts: what a processor has separate units for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_CLASSES = (
    ("tile", re.compile(r"tdp|tcmm|tmmul|.*mop[as]$")),
    ("dot", re.compile(r"vpdp|vdpbf16|vpmadd|(bf|us|su|[us])?(dot|mmla)$|bfmlal")),
    ("fma", re.compile(r"vf(n?m(add|sub)|c?m(add|ul)c)|f?n?ml[as]|f?n?m(ad|sb)$|bfml[as]")),
    ("branch", re.compile(r"j[a-z]+$|call$|ret$|loop|b$|b\.|c?bn?z|bl?r?$|tbn?z")),
    ("convert", re.compile(r"v?cvt|vpmov[szu]|vpmov[dqw]+[bwd]$|[su]cvtf|fcvt|bfcvt|frint|vrndscale|vround")),
    ("shuffle", re.compile(
        r"vp?(perm|shuf|unpck|blend|align|insert|extract|inser?|ins[rbdqw]|broadcast|compress|expand|movdup|mov[sh]*l?dup)"
        r"|(zip|uzp|trn)[12]|tb[lx]|ext$|rev|dup$|ins$|splice|sel$|compact"
    )),
    ("move", re.compile(r"mov|v?mov|kmov|ldr?|st|ptrue|pfalse|while")),
)  # fmt: skip
_STORES = re.compile(r"st[^m]|tilestore")


def class_of(form: Any, operands: tuple[Any, ...]) -> Iterator[str]:
    """The classes of an instruction: whether it reads or writes memory, and what it computes if it does."""
    accesses = list(_accesses(form, operands))
    yield from accesses
    computes = next((name for name, pattern in _CLASSES if pattern.match(form.mnemonic)), "arithmetic")
    if computes != "move" or not accesses:
        yield computes


def _accesses(form: Any, operands: tuple[Any, ...]) -> Iterator[str]:
    classes = getattr(form, "classes", None)
    if classes is None:  # AArch64 says so in the name
        if any(hasattr(operand, "base") for operand in operands) and not form.mnemonic.startswith("prf"):
            yield "store" if _STORES.match(form.mnemonic) else "load"
        return
    for wanted, access in zip(classes, form.access):
        if wanted.touches_memory and not re.match("lea$|prefetch|nop$", form.mnemonic):
            if access in "rx":
                yield "load"
            if access in "wx":
                yield "store"
