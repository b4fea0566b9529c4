"""A Fortran module with the interfaces of functions, for compilers of Fortran 2003 and later (`bind(C)`).

Arrays are of assumed size, `real(c_float), intent(in) :: x(*)`. Unsigned numbers and floats of 8 and 16 bits are passed
as integers of their size. Pointers to no type are `type(c_ptr)`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from ..records import NamedTuple
from .header import Declared

_INTEGERS = {f"{sign}int{bits}_t": f"integer(c_int{bits}_t)" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_TYPES = {
    **_INTEGERS,
    "long": "integer(c_long)",
    "float": "real(c_float)",
    "double": "real(c_double)",
    "float _Complex": "complex(c_float_complex)",
    "double _Complex": "complex(c_double_complex)",
}
"""The types of Fortran by those of C that headers use."""
_PARAMETER = re.compile(r"(const )?(\w+(?: _Complex)?) (\*(?:const )?\*|\*|)(?:__restrict )?(\w+)")
_NAME = re.compile(r"[A-Za-z]\w{0,62}", re.ASCII)
_WIDTH = 100  # of lines; Fortran has at most 132 letters


class _Argument(NamedTuple):
    """An argument: its name and its declaration."""

    name: str
    declared: str


def module(name: str, functions: Sequence[Declared]) -> str:
    """Return the module of this name, with an interface for each function. Raises ValueError for names that Fortran
    does not have, or has only once because it does not tell capital letters from small ones."""
    name = re.sub(r"\W", "_", name, flags=re.ASCII)
    numbers = [macro for each in functions for macro in each.macros]
    _check_names("the module", [name, *(each.code.symbol for each in functions), *(macro for macro, _ in numbers)])
    lines = [f"module {name}", "  use, intrinsic :: iso_c_binding", "  implicit none"]
    lines += [f"  integer(c_int64_t), parameter :: {macro} = {value}_c_int64_t" for macro, value in numbers]
    lines += ["", "  interface"]
    for each in functions:
        lines += [f"    {line}".rstrip() for line in _interface(each)]
    return "\n".join([*lines, "  end interface", f"end module {name}", ""])


def _check_names(where: str, names: Sequence[str]) -> None:
    """Raise ValueError unless these can be different names of Fortran."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name}: a name of Fortran begins with a letter and has at most 63 letters, digits and underscores; "
                "name= gives a function another name"
            )
    small = [name.lower() for name in names]
    twice = next((name for name, each in zip(names, small) if small.count(each) > 1), None)
    if twice:
        raise ValueError(
            f"{twice}: a second name of {where} is the same, for Fortran does not tell capital letters from small "
            "ones; the module is named by its file"
        )


def _interface(function: Declared) -> Iterator[str]:
    """Yield the lines of the interface of a function."""
    name, arguments = function.code.symbol, [_argument(each) for each in function.parameters]
    _check_names(name, [name, *(each.name for each in arguments)])
    for line in function.lines:
        yield from textwrap.wrap(line, _WIDTH, initial_indent="! ", subsequent_indent="!     ") or ["!"]
    kind = "subroutine" if function.result == "void" else "function"
    bound = f'bind(C, name="{name}")'
    yield from _continued(f"{kind} {name}({', '.join(each.name for each in arguments)}) {bound}")
    yield "  import"
    if kind == "function":
        yield f"  {_TYPES[function.result]} :: {name}"
    yield from (f"  {each.declared}" for each in arguments)
    yield from (f"end {kind} {name}", "")


def _continued(statement: str) -> list[str]:
    """Return the lines of a statement. & continues a line."""
    lines = textwrap.wrap(statement, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return [*(f"{line} &" for line in lines[:-1]), lines[-1]]


def _argument(parameter: str) -> _Argument:
    """Return the argument of a function, from its declaration in C."""
    found = _PARAMETER.fullmatch(parameter)
    if found is None or found[2] not in (*_TYPES, "void"):
        raise ValueError(f"{parameter}: a parameter of a type that has no name in Fortran; the header declares it to C")
    const, kind, stars, name = found.groups()
    if not stars:
        return _Argument(name, f"{_TYPES[kind]}, value :: {name}")
    if stars == "*" and kind == "void":
        return _Argument(name, f"type(c_ptr), value :: {name}")
    intent = "in" if const or stars != "*" else "inout"
    of = _TYPES[kind] if stars == "*" else "type(c_ptr)"
    return _Argument(name, f"{of}, intent({intent}) :: {name}(*)")
