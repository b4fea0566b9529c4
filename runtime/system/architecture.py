"""The architecture of this machine."""

from __future__ import annotations

import functools
import os

X86_MACHINES = ("x86_64", "amd64")
A64_MACHINES = ("aarch64",)
ARCHITECTURES = {"x86": X86_MACHINES, "a64": A64_MACHINES}
"""Target.arch -> what the operating system calls such machines."""


@functools.cache
def arch() -> str:
    """The architecture of this machine in the words of Target.arch."""
    machine = os.uname().machine
    return next((name for name, machines in ARCHITECTURES.items() if machine in machines), machine)
