"""Loops around code that is emitted, whose counters have names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..contract.machine import General, Machine, Slot


class NamedCounters:
    """The counters of loops by name. Each is claimed where its first loop begins, and used again by later ones."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self._claimed: dict[str, General | Slot] = {}

    @contextmanager
    def loop(self, name: str, times: int) -> Iterator[None]:
        """Repeat what is emitted inside so many times; once without a loop."""
        if times > 1 and name not in self._claimed:
            self._claimed[name] = self.m.counter(name)
        with self.m.loop(self._claimed.get(name), times):
            yield
