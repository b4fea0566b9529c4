"""Functions as a static library: an archive of objects (.a), one for each function, made without `ar`.

A linker takes the objects out of it whose functions a program calls, and finds them by the index, the first member
(System V format, as in <ar.h>). Names of more than 15 letters are in a table of their own, the member "//". Times,
owners and permissions are those of `ar D`: the same functions give the same bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from .. import elf
from ..code import Code

_MAGIC, _END = b"!<arch>\n", "`\n"
_SHORT = 15  # letters of a name that fit into the header


def archive(codes: Sequence[Code]) -> bytes:
    """Return an archive with an object `code.symbol`.o for each code. Raises EncodeError for codes that cannot be
    functions of one file."""
    elf.check_together(codes)
    names = [f"{code.symbol}.o/" for code in codes]
    long, heads = "", []
    for name in names:
        fits = len(name) <= len("/") + _SHORT
        heads.append(name if fits else f"/{len(long)}")
        long += "" if fits else f"{name}\n"
    members = [_member(head, elf.relocatable(code), "644") for head, code in zip(heads, codes)]
    long += "\n" * (len(long) % 2)
    table = _member("//", long.encode(), mode="", zero="") if long else b""
    symbols = b"".join(f"{code.symbol}\0".encode() for code in codes)
    place = len(_MAGIC) + len(_index([0] * len(codes), symbols)) + len(table)
    places = [place + sum(map(len, members[:number])) for number in range(len(members))]
    return b"".join([_MAGIC, _index(places, symbols), table, *members])


def _index(places: Sequence[int], symbols: bytes) -> bytes:
    """Return the index: the names of functions and, for each, the place of the member that has it."""
    data = struct.pack(f">{1 + len(places)}I", len(places), *places) + symbols
    return _member("/", data + bytes(len(data) % 2), mode="0")


def _member(name: str, data: bytes, mode: str, zero: str = "0") -> bytes:
    """Return a member: its name, time, owner, group, permissions and size, then its contents, an even number of bytes.
    `zero` stands for no time, owner and group."""
    return f"{name:16}{zero:12}{zero:6}{zero:6}{mode:8}{len(data):<10}{_END}".encode() + data
