"""Verbs that move single elements through a general register: what gathers and scatters are made of on every machine.

Elements have 1, 2, 4 or 8 bytes, and their bits are only copied. A kernel touches exactly the elements that it names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import Generic

from .values import GeneralT


class ElementMovesOf(ABC, Generic[GeneralT]):
    """Part of the machine contract. The machine has one place for an element that is on its way."""

    @abstractmethod
    def load_index(self, dst: GeneralT, base: GeneralT, disp: int, size: int, index: GeneralT | None = None) -> None:
        """dst = the whole number of 4 or 8 bytes at base + disp + index * size, with its sign."""

    @abstractmethod
    def load_element(self, base: GeneralT, index: GeneralT | None, disp: int, size: int) -> None:
        """The element at base + disp + index * size, on its way."""

    @abstractmethod
    def store_element(self, base: GeneralT, index: GeneralT | None, disp: int, size: int) -> None:
        """The element on its way goes to base + disp + index * size."""

    @abstractmethod
    def zero_element(self) -> None:
        """0 is on its way."""

    @abstractmethod
    def store_general(self, base: GeneralT, value: GeneralT) -> None:
        """The 64 bits at base = value."""

    @abstractmethod
    def prefetch(self, base: GeneralT, disp: int) -> None:
        """Ask for the cache line at base + disp; an address that may not be read does no harm."""

    @abstractmethod
    def advance_product(self, dst: GeneralT, a: GeneralT, b: GeneralT) -> None:
        """dst += a * b, modulo 2^64."""

    @abstractmethod
    def within(self, value: GeneralT, limit: GeneralT) -> AbstractContextManager[None]:
        """The body if 0 <= value < limit."""

    @abstractmethod
    def beyond(self, value: GeneralT, limit: GeneralT) -> AbstractContextManager[None]:
        """The body unless 0 <= value < limit."""

    @abstractmethod
    def lower(self, dst: GeneralT, other: GeneralT) -> None:
        """dst = the smaller of two, both taken without sign."""
