"""Whether the environment asks that profilers and debuggers be told of emitted code: see `profilers`."""

from __future__ import annotations

import os

PERF, GDB, DUMP = "TILESMITH_PERF", "TILESMITH_GDB", "TILESMITH_DUMP"


def asked() -> bool:
    """Whether it asks for any of it."""
    return any(os.environ.get(name) for name in (PERF, GDB, DUMP))
