"""The folder of the entries: the platform's cache folder, or the one that TILESMITH_CACHE names.

    TILESMITH_CACHE=off      nothing is read or kept
    TILESMITH_CACHE=path     this folder instead of $XDG_CACHE_HOME/tilesmith or ~/.cache/tilesmith
    TILESMITH_CACHE_SIZE     the most bytes that it takes on the disk, as du counts them; 64M by default

Code of this folder is executed, so it is used only if it belongs to this user and nobody else can write to it. The
check is made on the opened folder, not on its name, and files are then opened relative to it. The folder also contains
the secret that seals entries, readable only by its owner: an entry of another folder or user does not match the seal.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ...encoder.records import NamedTuple
from ..system.environment import CACHE, CACHE_SIZE

DEFAULT_SIZE = 64 << 20
SECRET = "secret"
SECRET_BYTES = 32
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_FOREIGN_WRITERS = stat.S_IWGRP | stat.S_IWOTH
_FOREIGN = stat.S_IRWXG | stat.S_IRWXO
_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe of that name does not block


class Unusable(Exception):
    """The reason why a folder or one of its files is not used; `suspicious` if the user should be warned."""

    def __init__(self, reason: str, suspicious: bool = True) -> None:
        super().__init__(reason)
        self.suspicious = suspicious


class Folder(NamedTuple):
    """An opened folder."""

    path: str
    descriptor: int
    secret: bytes


def most_bytes() -> int:
    """Return the most bytes that entries may take together. Raises ValueError for an invalid size."""
    text = (os.environ.get(CACHE_SIZE) or "").strip().upper().removesuffix("B").removesuffix("I")
    if not text:
        return DEFAULT_SIZE
    digits, unit = (text[:-1], text[-1]) if text[-1] in _UNITS else (text, "")
    if not digits.isdecimal():
        raise ValueError(f"{CACHE_SIZE}={os.environ[CACHE_SIZE]}: a number of bytes, or of K, M or G, such as 64M")
    return int(digits) * _UNITS[unit]


@contextmanager
def opened(where: str, create: bool = False, sealed: bool = True) -> Iterator[Folder]:
    """Open the folder if it can be trusted; Unusable has the reason if not. `create` makes it, and its secret, if
    missing.

    With `sealed` False it is opened without a secret, to remove files.
    """
    if create:
        _check_place(where)
        try:
            os.makedirs(where, 0o700, exist_ok=True)
        except OSError as error:
            asked_for = bool(os.environ.get(CACHE))  # a home that cannot be written to is usual, a folder named is not
            raise Unusable(f"{where} cannot be made: {error.strerror}", suspicious=asked_for) from None
    try:
        descriptor = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise Unusable(f"{where}: {error.strerror}", suspicious=not missing) from None
    try:
        _check(where, os.fstat(descriptor))
        yield Folder(where, descriptor, _secret(descriptor, where, create) if sealed else b"")
    finally:
        os.close(descriptor)


def _check_place(where: str) -> None:
    """Refuse to create a root-owned folder in another user's home, who could not use it: under sudo the home may be
    theirs."""
    while not os.path.isdir(where) and where != os.path.dirname(where):
        where = os.path.dirname(where)
    owner = os.stat(where).st_uid
    if os.geteuid() == 0 != owner:
        raise Unusable(f"{where} belongs to user {owner}, and this process is root's", suspicious=False)


def _check(where: str, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise Unusable(
            f"{where} belongs to user {found.st_uid}, not to {os.geteuid()} who runs this process",
            suspicious=os.geteuid() != 0,
        )
    if found.st_mode & _FOREIGN_WRITERS:
        raise Unusable(f"{where} can be written to by others (mode {stat.S_IMODE(found.st_mode):o}); chmod 700 it")


def _secret(descriptor: int, where: str, create: bool) -> bytes:
    for _ in range(2):
        try:
            return read(descriptor, SECRET, SECRET_BYTES)
        except FileNotFoundError:
            if not create:
                raise Unusable(
                    f"{where} holds no secret, without which no entry of it can be authenticated", suspicious=False
                ) from None
            write(descriptor, SECRET, os.urandom(SECRET_BYTES))
    raise Unusable(f"{where}: the secret cannot be made")


# Files


def read(descriptor: int, name: str, size: int | None = None) -> bytes:
    """Return the bytes of a plain file of this user that nobody else can read or write. Raises FileNotFoundError or
    Unusable."""
    try:
        file = os.open(name, os.O_RDONLY | _OPEN, dir_fd=descriptor)
    except FileNotFoundError:
        raise
    except OSError as error:  # ELOOP: a link
        raise Unusable(f"{name} cannot be opened: {error.strerror}") from None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise Unusable(f"{name} is no plain file")
        if found.st_uid != os.geteuid():
            raise Unusable(f"{name} belongs to user {found.st_uid}, not to {os.geteuid()} who runs this process")
        if found.st_mode & _FOREIGN:
            raise Unusable(f"{name} is open to others (mode {stat.S_IMODE(found.st_mode):o})")
        data = os.read(file, found.st_size + 1)
    finally:
        os.close(file)
    if len(data) != found.st_size or size is not None and len(data) != size:
        raise Unusable(f"{name} has {len(data)} bytes, and should have {size or found.st_size}")
    return data


def write(descriptor: int, name: str, data: bytes, replace: bool = False) -> None:
    """Write a file that appears with all its bytes or not at all. An existing file stays unless `replace` is set.

    The file has no name before it is complete (O_TMPFILE), so a process that is killed leaves nothing behind. On file
    systems without such files it has a temporary name, which the clean-up recognises (TEMPORARY).
    """
    try:
        file = os.open(".", os.O_WRONLY | os.O_CLOEXEC | os.O_TMPFILE, 0o600, dir_fd=descriptor)
    except OSError:
        _write_named(descriptor, name, data, replace)
        return
    try:
        _write_all(file, data)
        for _ in range(2):
            try:
                # through /proc: an unprivileged process may not link a descriptor directly
                os.link(f"/proc/self/fd/{file}", name, dst_dir_fd=descriptor, follow_symlinks=True)
            except FileExistsError:
                if not replace:
                    return
                remove(descriptor, name)
            else:
                return
    except OSError:
        _write_named(descriptor, name, data, replace)  # no /proc
    finally:
        os.close(file)


TEMPORARY = ".new-"


def _write_named(descriptor: int, name: str, data: bytes, replace: bool) -> None:
    temporary = f"{TEMPORARY}{os.getpid()}-{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    file = os.open(temporary, flags, 0o600, dir_fd=descriptor)
    try:
        try:
            _write_all(file, data)
        finally:
            os.close(file)
        if replace:
            os.rename(temporary, name, src_dir_fd=descriptor, dst_dir_fd=descriptor)
            return
        with suppress(FileExistsError):
            os.link(temporary, name, src_dir_fd=descriptor, dst_dir_fd=descriptor)
    finally:
        remove(descriptor, temporary)


def _write_all(file: int, data: bytes) -> None:
    os.fchmod(file, 0o600)  # whatever the umask
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def remove(descriptor: int, name: str) -> bool:
    """Remove a file. Return whether it existed."""
    try:
        os.unlink(name, dir_fd=descriptor)
    except FileNotFoundError:
        return False
    return True
