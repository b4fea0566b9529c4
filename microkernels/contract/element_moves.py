"""Verbs that move single elements through a general register, for gathers and scatters on every machine.

Elements have 1, 2, 4 or 8 bytes, and their bits are copied unchanged. A kernel accesses exactly the elements that it
names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import Generic

from .vector_verbs import GeneralT


class ElementMovesOf(ABC, Generic[GeneralT]):
    """The verbs for single elements. The machine has one element register, used between a load and its store."""

    @abstractmethod
    def load_index(self, dst: GeneralT, base: GeneralT, disp: int, size: int, index: GeneralT | None = None) -> None:
        """dst = the integer of 4 or 8 bytes at base + disp + index * size, sign-extended."""

    @abstractmethod
    def load_element(self, base: GeneralT, index: GeneralT | None, disp: int, size: int) -> None:
        """The element register = the element at base + disp + index * size."""

    @abstractmethod
    def store_element(self, base: GeneralT, index: GeneralT | None, disp: int, size: int) -> None:
        """The element at base + disp + index * size = the element register."""

    @abstractmethod
    def zero_element(self) -> None:
        """The element register = 0."""

    @abstractmethod
    def store_general(self, base: GeneralT, value: GeneralT) -> None:
        """The 64 bits at base = value."""

    @abstractmethod
    def prefetch(self, base: GeneralT, disp: int) -> None:
        """Prefetch the cache line at base + disp. An address that may not be read is ignored."""

    @abstractmethod
    def prefetch_ahead(self, base: GeneralT, disp: int) -> None:
        """Prefetch into L2 a line that is needed later than the lines at hand."""

    @abstractmethod
    def advance_product(self, dst: GeneralT, a: GeneralT, b: GeneralT) -> None:
        """dst += a * b, modulo 2^64."""

    @abstractmethod
    def within(self, value: GeneralT, limit: GeneralT | int) -> AbstractContextManager[None]:
        """Run the body if 0 <= value < limit. A number is at most 4095."""

    @abstractmethod
    def beyond(self, value: GeneralT, limit: GeneralT | int) -> AbstractContextManager[None]:
        """Run the body unless 0 <= value < limit. A number is at most 4095."""

    @abstractmethod
    def each_bit(self, bits: GeneralT, position: GeneralT) -> AbstractContextManager[None]:
        """Run the body for each bit that is set in `bits`, the lowest first; `position` is its number. `bits` is 0
        then."""

    @abstractmethod
    def lower(self, dst: GeneralT, other: GeneralT) -> None:
        """dst = the smaller of dst and other, compared as unsigned integers."""
