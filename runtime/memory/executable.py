"""Executable memory that is never writable and executable at once, and never writable again once it runs.

`publish(code)` copies the bytes into separate pages and returns the block that owns them. There are three ways, best
first:

    sealed      a memfd is written, sealed against every later write, then mapped R+X: no writable alias can ever exist
    memfd       the same without seals, for kernels or sandboxes that have none
    anonymous   private pages are written, then switched to R+X once and never back

Every block has its own memfd, which is written in full before it is mapped and closed before it runs, so no writable
memory is shared. Parent and child of a fork place new code in files that the other has never seen, and pages that one
of them unmaps stay mapped in the other. (encoder/forks.py explains why a fork does not catch another thread halfway.)

Pages stay as long as anything refers to the block, even while finalisers run: memory/owner.py.
"""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..cache.stubs import stub
from ..system import libc
from ..system.environment import EXECMEM, value

if TYPE_CHECKING:
    from . import instruction_cache_a64, owner

owner = lazy(__package__, ".owner")
instruction_cache_a64 = lazy(__package__, ".instruction_cache_a64")

_READ_EXECUTE = libc.PROT_READ | libc.PROT_EXEC
_SEALS = libc.F_SEAL_WRITE | libc.F_SEAL_GROW | libc.F_SEAL_SHRINK | libc.F_SEAL_SEAL

# Shortages are temporary. Every other errno is treated as a refusal for the life of the process.
_SHORTAGES = {errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.EINTR}


class ExecutableMemoryError(OSError):
    """No way to executable memory works. The message has the error of each way and the policy that causes it."""


class ExecutableBlock:
    """The pages that hold `size` bytes of code at `address`. They are unmapped when nothing refers to the block.

    Callers must hold the block, since an address alone keeps nothing alive. `pages` is the object that owns the pages.
    """

    __slots__ = ("__weakref__", "_pages", "address", "method", "size")

    def __init__(self, address: int, size: int, method: str, pages: object) -> None:
        self.address = address
        self.size = size
        self.method = method
        self._pages = pages

    def __reduce__(self) -> str:
        # A copy would be a second owner and unmap pages that may then belong to somebody else.
        raise TypeError("an ExecutableBlock owns pages of this process; publish the code again instead of copying it")

    def __repr__(self) -> str:
        return f"<ExecutableBlock {self.size} bytes at {self.address:#x}, {self.method}>"


def publish(code: bytes) -> ExecutableBlock:
    """Copy `code` into executable pages by the best way that this system allows, ready to be called.

    Raises ExecutableMemoryError if no way works, ValueError for empty code or an unknown TILESMITH_EXECMEM. Costs 14-20
    us, at least a page and one mapping (vm.max_map_count limits them: 65,530 by default).
    """
    owning = _owning()
    address, method = _visible(code)
    return ExecutableBlock(address, len(code), method, _owned(owning, address, len(code)))


def _owned(owning: Callable[[int, int, int], None] | None, address: int, size: int) -> object:
    """Return the object that owns these pages. If there is no memory for it, unmap the pages and raise MemoryError."""
    if owning is None:
        return owner.Finalised(address, size)
    made: list[object] = [None]
    owning(id(made), address, size)  # one call, which a signal handler cannot interrupt
    if made[0] is None:
        libc.munmap(address, size)
        raise MemoryError("no memory for the object that owns a kernel's pages")
    return made[0]


def publish_for_good(code: bytes) -> int:
    """Publish code that is never unmapped, not even when the interpreter exits. Return its address.

    This is for functions that other code or CPython jumps to: nobody can tell when such a function is called last.
    """
    return _visible(code)[0]


@functools.cache
def _owning() -> Callable[[int, int, int], None] | None:
    """Return the function that makes the owners of pages, if they are capsules: see owner.py."""
    made: Callable[[int, int, int], None] | None = owner.capsules(publish_for_good)
    return made


def _visible(code: bytes) -> tuple[int, str]:
    """Return the address of the code, ready to be called, and its rung."""
    if not code:
        raise ValueError("publish: the code is empty; a kernel has at least a return")
    address, method = _place(code)
    synchronize = _instruction_cache_sync()
    if synchronize:
        synchronize(address, len(code))
    return address, method


@functools.cache
def _instruction_cache_sync() -> Callable[[int, int], None] | None:
    """Return the function that makes new code visible to instruction fetch, or None on x86, whose processors see every
    store."""
    if os.uname().machine != "aarch64":
        return None
    code = stub("flush", "", "a64", lambda: (instruction_cache_a64.stub(), ())).data
    # in pages that nobody unmaps
    flush: Callable[[int, int], None] = libc.ffi.cast("void(*)(uintptr_t, size_t)", _place(code)[0])
    return flush


def _place(code: bytes) -> tuple[int, str]:
    """Return the address of the code in its own pages, and the best rung that works."""
    forced = _forced_rung()
    failures = {} if forced else dict(_refused)
    for rung in [forced] if forced else [rung for rung in _RUNGS if rung not in failures]:
        try:
            address = _RUNGS[rung](code)
        except OSError as error:
            failures[rung] = OSError(*error.args)  # a new error: the traceback would keep the code alive
        else:
            _refused.update((rung, error) for rung, error in failures.items() if error.errno not in _SHORTAGES)
            return address, rung
    if not forced:
        _refused.clear()  # the next publish tries again: the policy may have been lifted meanwhile
    raise ExecutableMemoryError(_explain(failures))


def _forced_rung() -> str | None:
    forced = value(EXECMEM)
    if forced and forced not in _RUNGS:
        ways = "|".join(_RUNGS)
        raise ValueError(f"{EXECMEM}={forced}: unknown value; unset it for the best that works, or use {ways}")
    return forced


# The ladder: functions from code to its address


def _sealed(code: bytes) -> int:
    fd = _memfd(code, libc.MFD_ALLOW_SEALING)
    try:
        # Before mapping: afterwards F_SEAL_WRITE would count the mapping as a possible writer (EBUSY).
        libc.fcntl(fd, libc.F_ADD_SEALS, _SEALS)
        try:
            return libc.mmap(0, len(code), _READ_EXECUTE, libc.MAP_SHARED, fd, 0)
        except PermissionError:
            # Linux < 6.7 treats any shared mapping of a write-sealed memfd as writable.
            return libc.mmap(0, len(code), _READ_EXECUTE, libc.MAP_PRIVATE, fd, 0)
    finally:
        os.close(fd)


def _unsealed(code: bytes) -> int:
    fd = _memfd(code, 0)
    try:
        return libc.mmap(0, len(code), _READ_EXECUTE, libc.MAP_SHARED, fd, 0)
    finally:
        os.close(fd)


def _anonymous(code: bytes) -> int:
    address = libc.mmap(0, len(code), libc.PROT_READ | libc.PROT_WRITE, libc.MAP_PRIVATE | libc.MAP_ANONYMOUS, -1, 0)
    try:
        libc.ffi.memmove(libc.ffi.cast("char *", address), code, len(code))
        libc.mprotect(address, len(code), _READ_EXECUTE)
    except BaseException:
        libc.munmap(address, len(code))
        raise
    return address


_RUNGS: dict[str, Callable[[bytes], int]] = {"sealed": _sealed, "memfd": _unsealed, "anonymous": _anonymous}

_refused: dict[str, OSError] = {}
"""Rungs that a policy refused while a lower one worked. They are not tried again."""


def _memfd(code: bytes, flags: int) -> int:
    """Return a new memfd with the code. Its name appears in /proc/self/maps and perf."""
    flags |= libc.MFD_CLOEXEC
    try:
        fd = libc.memfd_create(b"tilesmith", flags | libc.MFD_EXEC)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        fd = libc.memfd_create(b"tilesmith", flags)  # Linux < 6.3: no such flag, every memfd is executable
    try:
        if libc.pwrite(fd, code, len(code), 0) != len(code):
            raise OSError(errno.ENOSPC, f"pwrite: {os.strerror(errno.ENOSPC)}")
    except BaseException:
        os.close(fd)
        raise
    return fd


# Explanations


def _explain(failures: dict[str, OSError]) -> str:
    lines = ["no executable memory here, so no kernel can run"]
    for rung in filter(failures.get, _RUNGS):
        lines.append(f"  {rung:<10} {failures[rung].strerror}")
        lines.extend(f"  {'':<10} - {cause}" for cause in _causes(rung, failures[rung]))
    return "\n".join(lines)


def _causes(rung: str, error: OSError) -> list[str]:
    if error.errno == errno.ENOMEM:
        limit = _read("/proc/sys/vm/max_map_count")
        return [f"memory, address space (ulimit -v) or mappings ran out: vm.max_map_count = {limit}, one per kernel"]
    if error.errno in _SHORTAGES:
        return []
    return [cause for rungs, active, cause in _POLICIES if rung in rungs and active()] or [
        "no known policy is visible; a security module or the container's sandbox may be the one"
    ]


def _read(path: str) -> str:
    """Return the stripped text of a /proc or /sys file; empty if it is missing or hidden."""
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""


def _mdwe() -> bool:
    try:
        return bool(libc.prctl(libc.PR_GET_MDWE, 0, 0, 0, 0) & libc.PR_MDWE_REFUSE_EXEC_GAIN)
    except OSError:  # Linux < 6.3
        return False


# Rungs that the policy refuses | whether it is active | its description, and what lifts it
_POLICIES: tuple[tuple[tuple[str, ...], Callable[[], bool], str], ...] = (
    (
        ("sealed", "memfd"),
        lambda: _read("/proc/sys/vm/memfd_noexec") == "2",
        "vm.memfd_noexec = 2 refuses executable memfds: `sysctl vm.memfd_noexec=1` permits them",
    ),
    (
        ("anonymous",),
        _mdwe,
        "PR_SET_MDWE (systemd: MemoryDenyWriteExecute=yes) refuses to execute what was writable: allow memfds instead",
    ),
    (
        ("sealed", "memfd", "anonymous"),
        lambda: _read("/sys/fs/selinux/enforce") == "1",
        "SELinux is enforcing: the domain needs `execmem`, or `execute` on its tmpfs files (`ausearch -m avc` tells)",
    ),
    (
        ("sealed", "memfd", "anonymous"),
        lambda: "\nSeccomp:\t2" in _read("/proc/self/status"),
        "a seccomp filter is installed (container, systemd unit): it may refuse this call",
    ),
)
