"""All environment variables that the package reads.

They are read where they take effect, so a program may set them at any time. docs/debugging.md explains each of them.
"""

from __future__ import annotations

import os

ACCURACY = "TILESMITH_ACCURACY"
"""The default accuracy of kernels: runtime/kernel/accuracy.py."""
CACHE, CACHE_SIZE = "TILESMITH_CACHE", "TILESMITH_CACHE_SIZE"
"""The folder in which kernels are kept on disk, and the most bytes that they take: runtime/cache/folder.py."""
ENTRY = "TILESMITH_ENTRY"
"""With "cffi", kernels are called through Python, whatever this interpreter is: runtime/system/cpython.py."""
EXECMEM = "TILESMITH_EXECMEM"
"""The only way to executable memory that is tried: runtime/memory/executable.py."""
PERF, GDB, DUMP = "TILESMITH_PERF", "TILESMITH_GDB", "TILESMITH_DUMP"
"""The tools that are informed of emitted code: runtime/debug/profilers.py."""
VERIFY = "TILESMITH_VERIFY"
"""Whether each kernel is proved before it may be called: docs/soundness.md."""

NAMES = (ACCURACY, CACHE, CACHE_SIZE, ENTRY, EXECMEM, PERF, GDB, DUMP, VERIFY, "TILESMITH_QEMU")
"""All of them, and that of the emulator: emulation/qemu/server.py."""
_PREFIX = "TILESMITH_"
_OFF, _ON = ("off", "0", "no", "false"), ("on", "1", "yes", "true")


def value(variable: str) -> str | None:
    """Return the value of a variable; None if it is not set or empty."""
    return os.environ.get(variable) or None


def variables() -> dict[str, str]:
    """Return the variables of the package that are set, and those with its prefix that it does not read."""
    return {name: os.environ[name] for name in sorted(os.environ) if name.startswith(_PREFIX)}


def tells_tools() -> bool:
    """Whether profilers, debuggers or a folder are informed of each kernel."""
    environ = os.environ
    return bool(environ.get(PERF) or environ.get(DUMP) or (environ.get(GDB) and switched_on(GDB)))


def switched_on(variable: str) -> bool:
    """Whether a variable that is on or off is on. Raises ValueError for any other value."""
    text = os.environ.get(variable) or "0"
    if text.lower() in _ON:
        return True
    if text.lower() not in _OFF:
        raise ValueError(f"{variable}={text}: unknown value; use 1 or 0")
    return False


def wants_proofs() -> bool:
    """Whether each kernel is proved."""
    return switched_on(VERIFY)


def calls_through_python() -> bool:
    """Whether all calls go through Python rather than machine code. Raises ValueError for an unknown way."""
    forced = os.environ.get(ENTRY) or "native"
    if forced not in ("native", "cffi"):
        raise ValueError(f"{ENTRY}={forced}: unknown value; unset it, or use native|cffi")
    return forced == "cffi"


def cache_folder() -> str | None:
    """Return the name of the cache folder, whether it exists or not; None if nothing is cached."""
    named = os.environ.get(CACHE) or ""
    if named.lower() in _OFF or os.geteuid() != os.getuid():  # a program that acts for another user trusts no variable
        return None
    if named and named.lower() not in _ON:
        return os.path.abspath(os.path.expanduser(named))  # no shell has expanded ~ in a file of settings
    base = os.environ.get("XDG_CACHE_HOME") or ""
    if not os.path.isabs(base):  # the XDG base directory specification: relative paths are ignored
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "tilesmith")
