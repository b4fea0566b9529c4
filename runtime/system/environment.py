"""What the environment variables of this process ask for: all that the package reads of them, and nothing else.

They are read where they count, so a program may set them at any time. docs/debugging.md says what each is for.
"""

from __future__ import annotations

import os

ACCURACY = "TILESMITH_ACCURACY"
"""The accuracy of kernels that are asked for without one: runtime/kernel/accuracy.py."""
CACHE, CACHE_SIZE = "TILESMITH_CACHE", "TILESMITH_CACHE_SIZE"
"""Where kernels are kept on disk, and how many bytes of them: runtime/cache/folder.py."""
ENTRY = "TILESMITH_ENTRY"
""""cffi" calls kernels through Python, whatever this interpreter is: runtime/system/cpython.py."""
EXECMEM = "TILESMITH_EXECMEM"
"""The one way to executable memory that is to be used: runtime/memory/executable.py."""
PERF, GDB, DUMP = "TILESMITH_PERF", "TILESMITH_GDB", "TILESMITH_DUMP"
"""Which tools are told of emitted code: runtime/debug/profilers.py."""
VERIFY = "TILESMITH_VERIFY"
"""Whether each kernel is proved before it may be called: docs/soundness.md."""

_OFF = ("off", "0", "no", "false")


def value(variable: str) -> str | None:
    """What a variable says; None where it is not set, or empty."""
    return os.environ.get(variable) or None


def tells_tools() -> bool:
    """Whether profilers, debuggers or a folder are to be told of each kernel."""
    environ = os.environ
    return bool(environ.get(PERF) or environ.get(GDB) or environ.get(DUMP))


def wants_proofs() -> bool:
    """Whether each kernel is to be proved."""
    return os.environ.get(VERIFY, "") not in ("", "0")


def calls_through_python() -> bool:
    """Whether machine code may take no calls; ValueError for an unknown way."""
    forced = os.environ.get(ENTRY) or "native"
    if forced not in ("native", "cffi"):
        raise ValueError(f"{ENTRY}={forced}: no such way; unset it, or use native|cffi")
    return forced == "cffi"


def cache_folder() -> str | None:
    """The folder of the cache by its name, whether it exists or not; None where nothing is cached."""
    named = os.environ.get(CACHE) or ""
    if named.lower() in _OFF or os.geteuid() != os.getuid():  # a program that acts for another user trusts no variable
        return None
    if named:
        return os.path.abspath(named)
    base = os.environ.get("XDG_CACHE_HOME") or ""
    if not os.path.isabs(base):  # the XDG base directory specification: others are ignored
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "tilesmith")
