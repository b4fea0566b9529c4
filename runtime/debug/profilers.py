"""Names of emitted code for profilers and debuggers, each switched on by an environment variable.

    TILESMITH_PERF=map       /tmp/perf-PID.map, which perf reads by itself (for TILESMITH_EXECMEM=anonymous pages only)
    TILESMITH_PERF=jitdump   jit-PID.dump in $JITDUMPDIR, else here: with the code, for perf inject --jit and annotate
    TILESMITH_GDB=1          GDB's JIT interface: names and backtraces
    TILESMITH_DUMP=dir       NAME.s (the listing) and NAME.bin of every kernel and entry

The variables are read whenever code is published. The names of map and jitdump files are predictable, and other users
may write to their folders. So a file is created exclusively, or continued if it is a regular file that this user owns
and that has one link; symbolic links are not followed. Sources: jit-interface.txt and jitdump-specification.txt in
tools/perf/Documentation of the Linux sources.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ...encoder.code import Code
from ...encoder.deferred import lazy
from ...encoder.forks import ANNOUNCING
from ..system import libc
from ..system.environment import DUMP, GDB, PERF, switched_on

if TYPE_CHECKING:
    from ...encoder import elf, listing
    from . import gdb

elf = lazy(__package__, "...encoder.elf")
listing = lazy(__package__, "...encoder.listing")
gdb = lazy(__package__, ".gdb")

_RETURN = {"x86": b"\xc3", "a64": b"\xc0\x03\x5f\xd6"}
_files: dict[tuple[str, int], BinaryIO] = {}  # by kind and process, because a forked child writes its own files
_debuggers: dict[str, Any] = {}
_count = 0


def announce(code: Code, address: int | None) -> None:
    """Announce code at an address to the enabled tools before it runs; None: the code is not in this process."""
    perf, gdb, dump = os.environ.get(PERF), switched_on(GDB), os.environ.get(DUMP)
    if not (perf or gdb or dump):
        return
    if perf not in (None, "", "map", "jitdump"):
        raise ValueError(f"{PERF}={perf}: use map or jitdump")
    with ANNOUNCING:
        if address is None:
            pass
        elif perf == "map":
            _perf_map(code, address)
        elif perf == "jitdump":
            _jitdump(code, address)
        if gdb and address is not None:
            _debugger(code.arch).register(code, address)
        if dump:
            _dump(code, Path(dump))


def _perf_map(code: Code, address: int) -> None:
    file = _file("map", Path(f"/tmp/perf-{os.getpid()}.map"), os.O_APPEND)
    file.write(f"{address:x} {code.text_size:x} {code.symbol}\n".encode())
    file.flush()


def _jitdump(code: Code, address: int) -> None:
    global _count
    folder = Path(os.environ.get("JITDUMPDIR", "."))
    new = ("jitdump", os.getpid()) not in _files
    file = _file("jitdump", folder / f"jit-{os.getpid()}.dump", os.O_TRUNC)
    if new:
        # magic, version, size of this header, machine, padding, process, time, flags
        file.write(struct.pack("<6I2Q", 0x4A695444, 1, 40, elf.MACHINE[code.arch], 0, os.getpid(), _now(), 0))
        file.flush()
        # perf finds the file by this mapping, which perf records because it is executable
        libc.mmap(0, os.sysconf("SC_PAGESIZE"), libc.PROT_READ | libc.PROT_EXEC, libc.MAP_PRIVATE, file.fileno(), 0)
    name, text = code.symbol.encode() + b"\0", code.data[: code.text_size]
    _count += 1
    body = struct.pack("<2I4Q", os.getpid(), threading.get_native_id(), address, address, len(text), _count)
    # record 0: JIT_CODE_LOAD
    file.write(struct.pack("<2IQ", 0, 16 + len(body) + len(name) + len(text), _now()) + body + name + text)
    file.flush()


def _now() -> int:
    """Return the time of the clock of `perf record -k mono`."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def _file(kind: str, path: Path, flags: int) -> BinaryIO:
    """Return this process's file of a kind. Writers must flush it, or a forked child writes its buffer again."""
    key = kind, os.getpid()
    if key not in _files:
        _files[key] = os.fdopen(_opened(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | flags), "wb")
    return _files[key]


def _opened(path: Path, flags: int) -> int:
    """Open a new file, or one that this user owns; refuse a file that another user put under the name."""
    try:
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    foreign = f"{PERF}: {path} is there already, and is not a plain file of this user under this name alone; remove it"
    try:
        # the file is not truncated before it is checked, and a pipe must not block
        descriptor = os.open(path, flags & ~os.O_TRUNC | os.O_NONBLOCK)
    except OSError as error:
        raise PermissionError(error.errno, f"{foreign} ({error.strerror})") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_nlink != 1:
        os.close(descriptor)
        raise PermissionError(errno.EEXIST, foreign)
    if flags & os.O_TRUNC:
        os.ftruncate(descriptor, 0)
    return descriptor


def _debugger(arch: str) -> Any:
    # a forked child continues its copy of the parent's list
    if arch not in _debuggers:
        _debuggers[arch] = gdb.Debugger(elf.MACHINE[arch], _RETURN[arch])
    return _debuggers[arch]


def _dump(code: Code, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{code.symbol}.s").write_text(listing.listing(code, "intel") + "\n")
        (folder / f"{code.symbol}.bin").write_bytes(code.data)
    except OSError as error:
        raise ValueError(
            f"{DUMP}={folder} must be a folder to which listings and code can be written; {error}"
        ) from error
