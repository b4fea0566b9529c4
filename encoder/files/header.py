"""Functions as C and C++ declare them, and the header that says what each computes and needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..code import Code
from ..deferred import lazy
from ..frames import Untraceable
from ..records import NamedTuple

if TYPE_CHECKING:
    from .. import walk

walk = lazy(__package__, "..walk")

_RESERVED = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
    co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
    requires restrict return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while
    xor xor_eq
"""
"""Words of C and C++ that cannot name a function or a parameter."""


def c_name(name: str) -> str:
    """Return the name if it can name a C function, else raise TypeError or ValueError."""
    if not isinstance(name, str):
        raise TypeError(f"name: a string that names a C function, not {name!r}")
    if not re.fullmatch(r"[A-Za-z_]\w*", name, flags=re.ASCII):
        raise ValueError(f"name: letters, digits and underscores, no digit first, not {name!r}")
    if name in _RESERVED.split():
        raise ValueError(f"name: {name} is a reserved word of C or C++ and cannot name a function")
    return name


def c_parameter(kind: str, name: str) -> str:
    """Return a C parameter declaration. A name that is a word of C or C++ gets a trailing underscore."""
    return f"{kind}{name}{'_' * (name in _RESERVED.split())}"


class Declared(NamedTuple):
    """A function of an object, as its header declares it."""

    code: Code
    result: str
    parameters: tuple[str, ...]
    about: str = ""  # lines that say what it computes and expects
    macros: tuple[tuple[str, int], ...] = ()  # numbers that its callers need

    @property
    def declaration(self) -> str:
        """The declaration in C."""
        return f"{self.result} {self.code.symbol}({', '.join(self.parameters) or 'void'});"

    @property
    def _stack(self) -> str:
        """How much stack a call needs, in words. Code whose frames are not known, such as that of other assemblers,
        says nothing."""
        try:
            return f" A call needs {walk.stack_bytes(self.code)} bytes of stack."
        except Untraceable:
            return ""

    @property
    def lines(self) -> list[str]:
        """What readers must know, in lines, including what the processor and the process must have."""
        code = self.code
        needs = ", ".join(sorted(code.features)) or "nothing beyond the base instructions"
        title = f"{' '.join(code.name.split())}: {code.arch}, {len(code.data)} bytes; needs {needs}."
        title += self._stack
        asks = _TILE_DATA if "AMX_TILE" in code.features else ""
        return [title, *(f"{self.about}{asks}".splitlines())]

    @property
    def comment(self) -> str:
        """The same as a comment in C."""
        shown = (f" * {line.replace('*/', '* /')}".rstrip() for line in self.lines)
        return "/" + "\n".join(shown).lstrip() + " */"


_TILE_DATA = """
Linux gives a process tile registers when it asks for them, once, before the first call:
syscall(SYS_arch_prctl, 0x1023 (ARCH_REQ_XCOMP_PERM), 18), which returns 0."""


def header(code: Code, result: str, parameters: Iterable[str], about: str = "") -> str:
    """Return a C and C++ header that declares an object's function: `header(code, "void", ["float *c", "long n"])`."""
    return headers(code.symbol, [Declared(code, result, tuple(parameters), about)])


def headers(name: str, functions: Sequence[Declared]) -> str:
    """Return a header that declares several functions. Its guard is named after `name`."""
    guard = re.sub(r"\W", "_", name.upper(), flags=re.ASCII) + "_H"
    declared = [
        line
        for each in functions
        for line in (each.comment, *(f"#define {macro} {value}" for macro, value in each.macros), each.declaration, "")
    ]
    return "\n".join(
        [
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "#include <stdint.h>",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            *declared,
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "",
            f"#endif /* {guard} */",
            "",
        ]
    )
