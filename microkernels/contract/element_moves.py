"""Verbs that move single elements through a general register: what gathers and scatters are made of on every machine.

Elements have 1, 2, 4 or 8 bytes, and their bits are only copied. A kernel touches exactly the elements that it names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import Any

General = Any


class ElementMoves(ABC):
    """Part of the machine contract. The machine has one place for an element that is on its way."""

    @abstractmethod
    def load_index(self, dst: General, base: General, disp: int, size: int, index: General | None = None) -> None:
        """dst = the whole number of 4 or 8 bytes at base + disp + index * size, with its sign."""

    @abstractmethod
    def load_element(self, base: General, index: General | None, disp: int, size: int) -> None:
        """The element at base + disp + index * size, on its way."""

    @abstractmethod
    def store_element(self, base: General, index: General | None, disp: int, size: int) -> None:
        """The element on its way goes to base + disp + index * size."""

    @abstractmethod
    def zero_element(self) -> None:
        """0 is on its way."""

    @abstractmethod
    def store_general(self, base: General, value: General) -> None:
        """The 64 bits at base = value."""

    @abstractmethod
    def prefetch(self, base: General, disp: int) -> None:
        """Ask for the cache line at base + disp; an address that may not be read does no harm."""

    @abstractmethod
    def advance_product(self, dst: General, a: General, b: General) -> None:
        """dst += a * b, modulo 2^64."""

    @abstractmethod
    def within(self, value: General, limit: General) -> AbstractContextManager[None]:
        """The body if 0 <= value < limit."""

    @abstractmethod
    def beyond(self, value: General, limit: General) -> AbstractContextManager[None]:
        """The body unless 0 <= value < limit."""

    @abstractmethod
    def lower(self, dst: General, other: General) -> None:
        """dst = the smaller of two, both taken without sign."""
