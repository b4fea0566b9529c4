"""The entries, keyed by their requests: looked up at once, written later.

    found = store.find(request)                     None if nothing matches
    store.keep(request, lambda: (facts, sections))  written at the end of the process, or together with some more

An entry is decoded before it is written, which takes as long as making it, so `keep` only queues it. A file whose seal
does not match is ignored, with a warning. If several processes keep the same entry, the first one wins, and no file is
visible before it is complete (folder.write).
"""

from __future__ import annotations

import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...encoder.errors import EncodeError
from ...encoder.records import NamedTuple
from ..system import environment
from ..system.interpreters import at_exit, in_subinterpreter
from . import folder, sealed
from .folder import Folder, Unusable
from .sealed import Damaged, SealedEntry

Made = tuple[dict[str, Any], Sequence[bytes]]
"""The facts and sections of an entry."""

WAITING = 16
"""The most entries that wait until they are written."""
_FRESH = 3600  # seconds: a file that was used more recently is not marked as used again
_STALE = 600  # seconds after which a temporary file is abandoned
_SHARE = 64
"""A process checks the size of the folder when it writes its first entries, and again whenever it has written this
fraction of the limit: 1 MiB of 64. A check reads the size of each file, of which there may be thousands."""


class CacheWarning(UserWarning):
    """A folder or a file of the cache is not what this process would have written, so it is not used."""


_waiting: deque[tuple[str, str, Callable[[], Made]]] = deque()  # folder, request, function that makes the entry
_warned: set[str] = set()
_unseen: dict[str, int] = {}  # keyed by folder: bytes written by this process since its last check
_registered: list[bool] = []


def find(request: str) -> SealedEntry | None:
    """Return the entry that answers the request, or None if there is none that can be trusted."""
    where = environment.cache_folder()
    if where is None:
        return None
    name = sealed.name_of(request)
    try:
        with folder.opened(where) as place:
            entry = _read(place, name, request)
            if entry is not None:
                _touch(place, name)
            return entry
    except Unusable as reason:
        if reason.suspicious:
            warn(where, str(reason))
    except OSError as error:
        warn(where, str(error))
    return None


def _read(place: Folder, name: str, request: str) -> SealedEntry | None:
    path = os.path.join(place.path, name)
    try:
        entry = sealed.unsealed(folder.read(place.descriptor, name), place.secret)
    except FileNotFoundError:
        return None
    except (Unusable, Damaged) as reason:
        warn(path, f"{path}: {reason}")
        return None
    if entry.request != request:  # sealed here, but under the name of another request
        warn(path, f"{path}: it is the entry of another request")
        return None
    return entry


def _touch(place: Folder, name: str) -> None:
    """Mark a file as recently used, so that it is removed last."""
    try:
        if time.time() - os.stat(name, dir_fd=place.descriptor, follow_symlinks=False).st_mtime > _FRESH:
            os.utime(name, dir_fd=place.descriptor, follow_symlinks=False)
    except OSError:
        pass  # it has been removed meanwhile


def warn(path: str, reason: str, instead: str = "Kernels are made anew") -> None:
    """Warn once per path."""
    if path not in _warned:
        _warned.add(path)
        warnings.warn(
            f"the kernel cache: {reason}. {instead}; TILESMITH_CACHE=off does without a cache",
            CacheWarning,
            stacklevel=2,
        )


def keep(request: str, make: Callable[[], Made]) -> None:
    """Keep what `make` returns for this request. It is written later, at the latest at the end of the process.

    A subinterpreter, which has no exit functions (`at_exit`), writes at once.
    """
    where = environment.cache_folder()
    if where is None:
        return
    folder.most_bytes()  # raises for an invalid size here, not at the end of the process
    if not _registered:
        _registered.append(True)
        at_exit(flush)
        os.register_at_fork(after_in_child=_waiting.clear)  # the parent writes them
    _waiting.append((where, request, make))
    if len(_waiting) >= WAITING or in_subinterpreter():
        flush()


def flush() -> None:
    """Write the queued entries. Those that cannot be written are dropped, since no request may fail for that."""
    written: dict[str, int] = {}
    while _waiting:
        try:
            where, request, make = _waiting.popleft()
        except IndexError:  # another thread took it
            break
        if environment.cache_folder() != where:
            continue
        try:
            made = make()
            with folder.opened(where, create=True) as place:
                size = put(place, request, *made)
            written[where] = written.get(where, 0) + size
        except Unusable as reason:
            if reason.suspicious:
                warn(where, str(reason))
        except (EncodeError, OSError):
            pass  # code that the decoder cannot read; no space, or no permission to write
    for where, size in written.items():
        _unseen[where] = _unseen.get(where, folder.most_bytes()) + size
        if _unseen[where] > folder.most_bytes() // _SHARE:
            _unseen[where] = 0
            shrink(where)


def put(place: Folder, request: str, facts: dict[str, Any], sections: Sequence[bytes]) -> int:
    """Write an entry, unless a readable one exists already, which has the same contents. Return the bytes written."""
    name = sealed.name_of(request)
    try:
        known = sealed.unsealed(folder.read(place.descriptor, name), place.secret)
        if known.request == request:
            return 0
    except (FileNotFoundError, Unusable, Damaged):
        pass
    data = sealed.sealed({"request": request, **facts}, sections, place.secret)
    folder.write(place.descriptor, name, data, replace=True)
    block = max(1, os.fstatvfs(place.descriptor).f_frsize)
    return -(-len(data) // block) * block


class File(NamedTuple):
    """A file of the folder. size: the bytes that it takes on the disk, which are whole blocks of the file system."""

    name: str
    size: int
    used: float  # seconds since 1970


def files(place: Folder, others: bool = False) -> Iterator[File]:
    """Yield the files of entries, and with `others` all other files and the folder itself."""
    for name in (*os.listdir(place.descriptor), *["."] * others):
        if others or sealed.is_name(name):
            try:
                found = os.stat(name, dir_fd=place.descriptor, follow_symlinks=False)
            except FileNotFoundError:
                continue
            on_disk = found.st_blocks * 512  # st_blocks counts in this unit, whatever the file system
            yield File(name, max(found.st_size * (name != "."), on_disk), found.st_mtime)


def shrink(where: str) -> None:
    """Remove the least recently used entries until the folder is within its limit, and abandoned temporary files."""
    most = folder.most_bytes()
    try:
        with folder.opened(where) as place:
            _sweep(place)
            every = list(files(place, others=True))
            found = sorted((file for file in every if sealed.is_name(file.name)), key=lambda file: file.used)
            excess = sum(file.size for file in every) - most
            for file in found:
                if excess <= 0:
                    break
                folder.remove(place.descriptor, file.name)
                excess -= file.size
    except (Unusable, OSError):
        pass


def _sweep(place: Folder) -> None:
    for name in os.listdir(place.descriptor):
        if name.startswith(folder.TEMPORARY):
            try:
                age = time.time() - os.stat(name, dir_fd=place.descriptor, follow_symlinks=False).st_mtime
            except FileNotFoundError:
                continue
            if age > _STALE:
                folder.remove(place.descriptor, name)
