"""Arrays as other libraries offer them: each shares the memory of a numpy array but is not one."""

from __future__ import annotations

from typing import Any

from tilesmith.runtime.testing.reference import Array


class Interface:
    """Offers numpy's array interface, without a buffer."""

    def __init__(self, x: Array) -> None:
        self.__array_interface__ = x.__array_interface__
        self.keep = x


class Capsule:
    """Offers DLPack as current libraries do."""

    def __init__(self, x: Array) -> None:
        self.x = x

    def __dlpack__(self, **options: Any) -> object:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.x.__dlpack_device__()


class OldCapsule(Capsule):
    """Offers DLPack as before version 1: without options and without a way to mark memory as read-only."""

    def __dlpack__(self, stream: object = None) -> object:
        return self.x.__dlpack__()


class Device(Capsule):
    """Memory that the CPU cannot read."""

    def __dlpack__(self, **options: Any) -> object:
        raise BufferError("it lives elsewhere")


FOREIGN = {"memoryview": memoryview, "__array_interface__": Interface, "DLPack": Capsule}
