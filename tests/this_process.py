"""What Linux says about the memory of this process."""

from __future__ import annotations


def resident() -> int:
    """Return the bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def mapped(address: int) -> bool:
    """Return whether a mapping begins at an address."""
    with open("/proc/self/maps") as maps:
        return any(line.startswith(f"{address:x}-") for line in maps)
