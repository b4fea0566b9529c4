"""Kernels that are compiled ahead of time: `tilesmith freeze module:names -o folder` writes them, `ts.load` reads them.

    NAME.kernel      an entry in the cache's format (cache/sealed.py), including the request
    stub-N.kernel    an emitted function that calls kernels: the entry of a structure, the function that owns pages

A folder belongs to the sources that made it, identified by their contents. Its files are sealed with a key that is not
secret, because they are meant to be copied. So a seal only tells whether a file is complete. Trust comes from file
permissions: the folder and its files must belong to this user or to root, and nobody else may write to them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import text_of
from ..cache import sealed, stamp, stubs
from ..cache.sealed import Damaged, SealedEntry
from .callable import Kernel, frozen
from .kinds import kind_of
from .origin import KERNEL, CachedCode, entry_of

if TYPE_CHECKING:
    from . import texts

texts = lazy(__package__, ".texts")

_KEY = b"tilesmith frozen kernels"
_SUFFIX = ".kernel"
_OF_BOTH: dict[str, tuple[type, ...]] = {"request": (str,), "name": (str,), "features": (list,)}
_OF_KERNELS = {
    **_OF_BOTH,
    "spec": (str,),
    "target": (str,),
    "release_gil": (bool, type(None)),
    "text_size": (int,),
    "pair_cycles": (int, float),
    "emulated": (bool,),
    "stand_in": (str, type(None)),
    "scratch": (int,),
}
_OF_STUBS = {**_OF_BOTH, "arch": (str,), "relocations": (list, tuple), "labels": (dict,)}
"""The facts of entries, with their types."""
_FOREIGN_WRITERS = stat.S_IWGRP | stat.S_IWOTH


def freeze(kernels: Mapping[str, Kernel], folder: str) -> list[str]:
    """Write kernels into a folder under their names, and return the names of the files. An existing kernel with the
    same name is replaced.

    Raises ValueError for a name that is not an identifier, and EncodeError for code that the decoder cannot read.
    """
    for name in kernels:
        if not name.isidentifier():
            raise ValueError(f"name: an identifier, not {name!r}")
    os.makedirs(folder, 0o755, exist_ok=True)
    written = []
    for name, kernel in kernels.items():
        facts, sections = entry_of(kernel._origin)
        facts |= {"spec": text_of(kernel.spec), "target": text_of(kernel.target), "release_gil": kernel.release_gil}
        written.append(_write(folder, f"{name}{_SUFFIX}", name, facts, sections))
    for identity, stub in stubs.used().items():
        number = sealed.name_of(identity)[:16]
        written.append(_write(folder, f"stub-{number}{_SUFFIX}", identity, *stubs.entry_of(stub)))
    return written


def _write(folder: str, file: str, request: str, facts: dict[str, Any], sections: Any) -> str:
    data = sealed.sealed({"request": request, "contents": stamp.contents(), **facts}, sections, _KEY)
    path = os.path.join(folder, file)
    temporary = f"{path}.{os.getpid()}-{os.urandom(8).hex()}.new"
    # a new file that nobody could name before: what others have put there is neither followed nor written to
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as out:
            out.write(data)
            os.fchmod(descriptor, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path


def load(folder: str | os.PathLike[str]) -> dict[str, Kernel]:
    """Return the kernels of a folder that `tilesmith freeze` wrote, keyed by name. Nothing is planned or encoded.

    folder   owned by this user or by root, and writable by nobody else; the same holds for its files

    A kernel is the one that the request function would have made: callable, with its listing, its bytes and its plan
    (which is planned again when it is read). If this processor lacks something that the code needs, a call says so;
    `k.run(...)` works. Raises ValueError, naming the file, if it is damaged, if others may write to it, or if other
    sources of Tilesmith made it; in the last case freeze it again.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"folder: the path of a folder that `tilesmith freeze` wrote, not {type(folder).__name__}")
    where = os.fspath(folder)
    _owned(where, os.stat(where))
    entries = {file: _read(where, file) for file in sorted(os.listdir(where)) if file.endswith(_SUFFIX)}
    if not any(entry.facts["kind"] == KERNEL for entry in entries.values()):
        raise ValueError(f"{where}: holds no kernels; `tilesmith freeze module:names -o {where}` writes some")
    for entry in entries.values():
        if entry.facts["kind"] != KERNEL:
            stubs.give(entry.request, entry)
    return {
        entry.request: _kernel(os.path.join(where, file), entry)
        for file, entry in entries.items()
        if entry.facts["kind"] == KERNEL
    }


def _kernel(path: str, entry: SealedEntry) -> Kernel:
    value_of, release_gil, stand_in = texts.value_of, entry.facts["release_gil"], entry.facts["stand_in"]
    try:
        spec, target = value_of(entry.facts["spec"]), value_of(entry.facts["target"])
        kind = kind_of(spec)
        if stand_in is not None:
            kind_of(value_of(stand_in))
        if not isinstance(target, Target):
            raise TypeError(f"target: {target!r} is none")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}; freeze it again") from error
    return frozen(spec, target, release_gil, CachedCode(spec, target, kind, entry))


def _owned(path: str, found: os.stat_result) -> None:
    if found.st_uid not in (0, os.geteuid()):
        raise ValueError(f"{path}: belongs to user {found.st_uid}; code of this user or of root is loaded")
    if found.st_mode & _FOREIGN_WRITERS:
        raise ValueError(f"{path}: can be written to by others (mode {stat.S_IMODE(found.st_mode):o}); chmod go-w")


def _read(where: str, file: str) -> SealedEntry:
    path = os.path.join(where, file)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe of that name does not block
    with open(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError(f"{path}: is no plain file; freeze the kernels again into a folder of their own")
        _owned(path, found)
        data = stream.read()
    try:
        entry = sealed.unsealed(data, _KEY)
    except Damaged as reason:
        raise ValueError(f"{path}: {reason}; freeze it again") from None
    if entry.facts.get("contents") != stamp.contents():
        raise ValueError(f"{path}: made by other sources of Tilesmith than the installed ones; freeze it again")
    if not _complete(entry):
        raise ValueError(f"{path}: is no entry of a kernel; freeze it again")
    if entry.facts["kind"] == KERNEL and file != f"{entry.request}{_SUFFIX}":
        raise ValueError(f"{path}: holds the kernel {entry.request}; frozen files cannot be renamed")
    return entry


def _complete(entry: SealedEntry) -> bool:
    """Whether an entry has what is read of it. The seal does not tell, since anybody can make it."""
    facts, kernel = entry.facts, entry.facts.get("kind") == KERNEL
    needed = _OF_KERNELS if kernel else _OF_STUBS
    if not (kernel or facts.get("kind") == "stub") or not needed.keys() <= facts.keys():
        return False
    if not all(type(facts[name]) in kinds for name, kinds in needed.items()):
        return False
    places = [] if kernel else facts["relocations"]
    return (
        len(entry.sections) == (2 if kernel else 1)
        and all(type(each) is str for each in facts["features"])
        and all(type(each) in (list, tuple) and [*map(type, each)] == [int, str] for each in places)
    )
