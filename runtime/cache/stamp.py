"""The version of the package that made an entry, which determines the bytes of kernels and how they are called.

`contents()` is a digest of the texts of all modules that affect the bytes: equal for equal sources in any place. It
marks folders of kernels that are moved to other machines (`tilesmith freeze`). `stamp()` is the same digest for the
entries of the cache. To read some 530 files takes longer than to make a kernel, so the cache remembers the digest of
files that are known: those with the same names, sizes, times, inodes and devices. What the owner of a file may set (its
size and the time of its modification) never identifies it alone: the time of its last change (ctime) and its inode do.

The digest is not remembered if they do not, either: where a file changed so recently that a further change might have
the same time, on file systems that are only read (images give each version the same times and inodes), and where times
have no fractions of seconds.
"""

from __future__ import annotations

import functools
import marshal
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ... import encoder, microkernels, runtime
from ...encoder.deferred import lazy
from . import store
from .digest import blake2b

if TYPE_CHECKING:
    from importlib import util

util = lazy(None, "importlib.util")

_FOLDERS = {"encoder": encoder, "microkernels": microkernels, "runtime": runtime}
_ELSEWHERE = frozenset({"__pycache__", "api", "bench", "cli", "coverage", "debug", "testing", "verify"})
"""Folders that do not affect the bytes of kernels and of nests."""
_SUFFIXES = (".py", ".pyc", ".so")
SOURCES = "sources"
"""The kind of the entries that remember digests."""
_IMPORTED = time.time_ns()
"""When this process imported the package, or little later."""
_TICK = 20_000_000
"""Nanoseconds by which the times of files may lag behind the clock."""
_RECENT = 2_000_000_000
"""Nanoseconds for which a file is too new to be known by its times."""
_SECOND = 1_000_000_000


_Module = tuple[str, int, int, int, int, int]
"""A module, or the archive of all: its name, and the facts that change when the file is written, replaced or moved:
size, time of modification, time of the last change (`_CHANGED`), inode and device."""
_NAME: Final = 0
_CHANGED: Final = 3


@functools.cache
def stamp() -> str:
    """Return a digest that changes when the text of a module does. It is empty if there is none: the modules are
    neither files nor in an archive, or one of them changed after this process imported the package, which may run the
    older one."""
    homes = {folder: _home(module) for folder, module in _FOLDERS.items()}
    if not all(os.path.isdir(home) == os.path.isdir(_FOLDERS[folder].__path__[0]) for folder, home in homes.items()):
        return ""
    found = {folder: _files(home) for folder, home in homes.items()}
    if max(_times(found), default=0) > _IMPORTED - _TICK:
        return ""
    request = f"{SOURCES} {_facts(found)}"
    known = store.find(request)
    if known is not None and _bytecode(known.facts["compiled"]) == known.facts["bytecode"]:
        return str(known.facts["stamp"])
    return _read(homes, found, request)


def _read(homes: Mapping[str, str], found: Mapping[str, list[_Module]], request: str) -> str:
    """Return the digest of the modules, and have it kept if their facts identify them."""
    began = time.time_ns()
    digest, compiled = _digest(homes, found), _older_bytecode(homes, found)
    made = blake2b("\n".join([digest, *(_text(path).hex() for path in compiled)]).encode()).hexdigest()[:32]
    facts = {
        "kind": SOURCES,
        "name": "digest of the sources",
        "arch": "",
        "decoded": False,
        "stamp": made,
        "compiled": compiled,
        "bytecode": _bytecode(compiled),
    }
    if _identified(homes, found, began) and {folder: _files(home) for folder, home in homes.items()} == found:
        store.keep(request, lambda: (facts, []))
    return made


@functools.cache
def contents() -> str:
    """Return a digest that changes when the text of a module does."""
    homes = {folder: _home(module) for folder, module in _FOLDERS.items()}
    return _digest(homes, {folder: _files(home) for folder, home in homes.items()})


def _digest(homes: Mapping[str, str], found: Mapping[str, list[_Module]]) -> str:
    digest = blake2b(digest_size=16)
    for folder, modules in found.items():
        for name, *_ in modules:
            digest.update(f"{folder}/{name}\n".encode())
            digest.update(_text(os.path.join(homes[folder], name) if name else homes[folder]))
    return digest.hexdigest()


def _text(path: str) -> bytes:
    """Return the digest of a file."""
    with open(path, "rb", buffering=0) as file:
        return blake2b(file.read()).digest()


def _facts(found: Mapping[str, list[_Module]]) -> str:
    """Return a digest of what identifies the modules, and of what decides which of their bytecode is executed."""
    which = sys.implementation.cache_tag, sys.flags.optimize, sys.pycache_prefix
    facts: Any = which, found
    return blake2b(marshal.dumps(facts, 0), digest_size=16).hexdigest()  # six times as fast as repr


def _times(found: Mapping[str, list[_Module]]) -> list[int]:
    """Return when each module changed."""
    return [each[_CHANGED] for modules in found.values() for each in modules]


def _identified(homes: Mapping[str, str], found: Mapping[str, list[_Module]], now: int) -> bool:
    """Whether no other text can have the same facts."""
    times = _times(found)
    fractions = all(each % _SECOND for each in times)
    return (
        fractions
        and max(times, default=0) < now - _RECENT
        and not any(os.statvfs(home).f_flag & os.ST_RDONLY for home in homes.values())
    )


# Bytecode. Python executes the bytecode of a source of that size and time, so also that of an earlier text.


def _older_bytecode(homes: Mapping[str, str], found: Mapping[str, list[_Module]]) -> list[str]:
    """Return the files of bytecode that Python takes for a source that was changed after they were written. They may be
    those of another text, so they count beside it."""
    made, cache_from_source = [], util.cache_from_source
    for folder, modules in found.items():
        for each in modules:
            source = os.path.join(homes[folder], each[_NAME])
            if source.endswith(".py") and _is_taken(_compiled(cache_from_source, source), source, each[_CHANGED]):
                made.append(cache_from_source(source))
    return made


def _compiled(place_of: Callable[[str], str], source: str) -> str:
    try:
        return place_of(source)
    except NotImplementedError:  # there is no cache tag, so no bytecode is read
        return ""


_HASHED, _CHECKED = 1, 2


def _is_taken(path: str, source: str, changed: int) -> bool:
    """Whether Python executes this bytecode though its source may have had another text when it was compiled."""
    try:
        with open(path, "rb", buffering=0) as file:
            if os.fstat(file.fileno()).st_ctime_ns > changed:
                return False
            header = file.read(16)
    except OSError:
        return False
    flags, when, size = (int.from_bytes(header[at : at + 4], "little") for at in (4, 8, 12))
    if flags & _HASHED:
        return not flags & _CHECKED  # Python compares the text with the hash
    found = os.stat(source)
    return (when, size) == (int(found.st_mtime) & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF)


def _bytecode(paths: list[str]) -> str:
    """Return what identifies these files, or that they are missing."""
    made = []
    for path in paths:
        try:
            made.append(_module(path, os.stat(path)))
        except OSError:
            made.append(("missing", 0, 0, 0, 0, 0))
    return blake2b(marshal.dumps(made, 0), digest_size=16).hexdigest() if made else ""


# Files


def _home(module: object) -> str:
    """Return the folder of a package, or the archive that contains it, without links, which cost time in each path."""
    path: str = module.__path__[0]  # type: ignore[attr-defined]
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return os.path.realpath(path)


def _module(name: str, found: os.stat_result) -> _Module:
    return name, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def _files(home: str) -> list[_Module]:
    """Return the modules below a folder, or the archive itself, sorted by name."""
    if not os.path.isdir(home):
        return [_module("", os.stat(home))]
    made: list[_Module] = []
    folders = [""]
    while folders:
        under = folders.pop()
        folder = os.open(f"{home}/{under}", os.O_RDONLY)  # the system then finds its files without the path
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name == "__init__.py":
                        continue  # only a docstring
                    if name.endswith(_SUFFIXES):
                        found = entry.stat()
                        made.append(
                            (
                                under + name,
                                found.st_size,
                                found.st_mtime_ns,
                                found.st_ctime_ns,
                                found.st_ino,
                                found.st_dev,
                            )
                        )
                    elif "." not in name and name not in _ELSEWHERE and entry.is_dir():
                        folders.append(f"{under}{name}/")
        finally:
            os.close(folder)
    return sorted(made)
