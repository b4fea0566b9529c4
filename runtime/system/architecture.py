"""The architecture of this machine."""

from __future__ import annotations

import functools
import os

X86_MACHINES = ("x86_64", "amd64")
A64_MACHINES = ("aarch64",)
ARCHITECTURES = {"x86": X86_MACHINES, "a64": A64_MACHINES}
"""The operating system's names of such machines, keyed by Target.arch."""


@functools.cache
def arch() -> str:
    """Return the architecture of this machine, in the terms of Target.arch."""
    machine = os.uname().machine
    return next((name for name, machines in ARCHITECTURES.items() if machine in machines), machine)
