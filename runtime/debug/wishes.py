"""What the environment asks of each kernel that is made: that profilers and debuggers be told of it (see `profilers`),
that it be proved before it may be called (docs/soundness.md)."""

from __future__ import annotations

import os

PERF, GDB, DUMP = "TILESMITH_PERF", "TILESMITH_GDB", "TILESMITH_DUMP"
VERIFY = "TILESMITH_VERIFY"


def asked() -> bool:
    """Whether it asks that tools be told."""
    return any(os.environ.get(name) for name in (PERF, GDB, DUMP))


def proofs_asked() -> bool:
    """Whether it asks for a proof of each kernel."""
    return os.environ.get(VERIFY, "") not in ("", "0")
