"""Emitted functions that contain addresses of this process, kept with symbols in place of the addresses.

    PyObject *entry(...)        movabs rax, <PyObject_Vectorcall>; jmp rax
    relocations                 (offset of the eight bytes, "PyObject_Vectorcall")

`stub` returns the function of a name and a structure, from the cache or by emitting it; `Stub.linked` returns its bytes
for this process. For a `Symbol`, a scalar machine emits PLACEHOLDER; every place that is filled in must contain it.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ..system.environment import cache_folder
from .committed import COMMITTED
from .keeping import keeps, stamp, store

if TYPE_CHECKING:
    from ...encoder import restore
    from ...encoder.code import Code
    from .sealed import SealedEntry
    from .store import Made

restore = lazy(__package__, "...encoder.restore")

PLACEHOLDER = 0x5AB3_46D7_69F1_4B2D
"""An address that no process has. None of its 16-bit parts is all zeros or all ones, so any code for it has room for
each."""
_ADDRESS = struct.Struct("<Q")
_WORDS = struct.Struct("<4I")
_PART = 0xFFFF << 5  # the fields of movz and movk: 16 bits, and their position
_CLEAR = 0xFFFF_FFFF & ~_PART


class Symbol(int):
    """The address of a named object of the process. Its value is PLACEHOLDER."""

    name: str

    def __new__(cls, name: str) -> Symbol:
        made = super().__new__(cls, PLACEHOLDER)
        made.name = name
        return made


class Stub(NamedTuple):
    """A function that is not linked yet."""

    name: str
    arch: str
    data: bytes
    relocations: tuple[tuple[int, str], ...]
    labels: Mapping[str, int]

    def linked(self, addresses: Mapping[str, int]) -> bytes:
        """Return the code for a process with these addresses. Raises ValueError for a missing name or placeholder."""
        made = bytearray(self.data)
        for offset, name in self.relocations:
            if name not in addresses:
                raise ValueError(f"{self.name}: this process has no {name}")
            _LINKERS[self.arch](made, offset, addresses[name])
        return bytes(made)


def _x86(data: bytearray, offset: int, address: int) -> None:
    if not 0 <= offset <= len(data) - 8 or _ADDRESS.unpack_from(data, offset)[0] != PLACEHOLDER:
        raise ValueError(f"no address belongs at {offset}")
    _ADDRESS.pack_into(data, offset, address & 0xFFFF_FFFF_FFFF_FFFF)


def _a64(data: bytearray, offset: int, address: int) -> None:
    """Fill in the movz, movk, movk, movk of one register."""
    if not 0 <= offset <= len(data) - 16 or offset % 4:
        raise ValueError(f"no address belongs at {offset}")
    words = list(_WORDS.unpack_from(data, offset))
    register = words[0] & 31
    for number, word in enumerate(words):
        meant = (0xF2800000 if number else 0xD2800000) | number << 21 | register
        if word != meant | (PLACEHOLDER >> 16 * number & 0xFFFF) << 5:
            raise ValueError(f"no address belongs at {offset}")
        words[number] = word & _CLEAR | (address >> 16 * number & 0xFFFF) << 5
    _WORDS.pack_into(data, offset, *words)


_LINKERS: dict[str, Callable[[bytearray, int, int], None]] = {"x86": _x86, "a64": _a64}

Emitted = tuple["Code", Sequence[tuple[int, str]]]
"""Code with placeholders, and their places."""

_used: dict[str, Stub] = {}
_given: dict[str, SealedEntry] = {}


def stub(
    name: str, structure: str, arch: str, emit: Callable[[], Emitted], available: frozenset[str] = frozenset()
) -> Stub:
    """Return the function of this name and structure; it is emitted if it is not kept. `available` are this processor's
    features."""
    identity = f"{name} {arch} {interpreter()} {structure}"
    fixed = COMMITTED.get((name, arch)) if not structure else None
    if fixed is not None:
        data, places, labels = fixed
        made = _used[identity] = Stub(name, arch, bytes.fromhex(data), places, labels)
        return made
    request = f"stub {stamp.stamp()} {identity}" if keeps(cache_folder()) else ""
    found = _given.get(identity) or (store.find(request) if request else None)
    if found is not None and available.issuperset(found.facts["features"]):
        made = _of_entry(name, arch, found)
    else:
        code, relocations = emit()
        places = tuple((offset, str(symbol)) for offset, symbol in relocations)
        made = Stub(name, arch, code.data, places, code.labels)
        if request:
            store.keep(request, lambda: entry_of(made))
    _used[identity] = made
    return made


def interpreter() -> str:
    """Return the versions of Python and numpy whose object layouts the entry code depends on."""
    numpy = sys.modules.get("numpy")
    series = str(getattr(numpy, "__version__", "")).partition(".")[0]
    return f"{sys.implementation.cache_tag}-{getattr(sys, 'abiflags', '')}-numpy{series}"


def used() -> dict[str, Stub]:
    """Return the functions that this process has asked for, keyed by identity."""
    return dict(_used)


def give(identity: str, entry: SealedEntry) -> None:
    """Make an entry of a folder of frozen kernels answer this identity from now on."""
    _given[identity] = entry


def _of_entry(name: str, arch: str, found: SealedEntry) -> Stub:
    places = tuple((offset, symbol) for offset, symbol in found.facts["relocations"])
    return Stub(name, arch, found.sections[0], places, found.facts["labels"])


def entry_of(made: Stub) -> Made:
    """Return the facts and sections of a function's entry."""
    facts = {
        "kind": "stub",
        "name": made.name,
        "arch": made.arch,
        "relocations": made.relocations,
        "features": sorted(restore.features_of(made.data, made.arch)),
        "labels": made.labels,
    }
    return facts, [made.data]
