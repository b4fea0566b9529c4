"""Arrays as other libraries offer them: each shares the memory of a numpy array and is none."""

from __future__ import annotations

from typing import Any

from tilesmith.runtime.testing.reference import Array


class Interface:
    """The array interface of numpy, without a buffer."""

    def __init__(self, x: Array) -> None:
        self.__array_interface__ = x.__array_interface__
        self.keep = x


class Capsule:
    """DLPack as libraries offer it today."""

    def __init__(self, x: Array) -> None:
        self.x = x

    def __dlpack__(self, **options: Any) -> object:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.x.__dlpack_device__()


class OldCapsule(Capsule):
    """DLPack before version 1: no options, no way to say that memory is read-only."""

    def __dlpack__(self, stream: object = None) -> object:
        return self.x.__dlpack__()


class Device(Capsule):
    """Memory that the CPU cannot read."""

    def __dlpack__(self, **options: Any) -> object:
        raise BufferError("it lives elsewhere")


FOREIGN = {"memoryview": memoryview, "__array_interface__": Interface, "DLPack": Capsule}
