"""The functions of torch's stable C ABI that Python and emitted code call.

Source: torch/csrc/stable/c/shim.h and torch/csrc/inductor/aoti_torch/c/shim.h, PyTorch 2.10 and later.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import _cffi_backend
import torch

from ...system.libc import ffi

FREE = "_ZdlPv"
"""operator delete(void *), which torch's own code calls for the words that hold optional arguments."""
_CALLED = {
    "aoti_torch_library_init_impl": "int(*)(const char *, const char *, const char *, uint32_t, void **)",
    "torch_library_impl": "int(*)(void *, const char *, void *, uint64_t)",
    "aoti_torch_abi_version": "uint64_t(*)(void)",
}
"""The functions that Python calls; emitted code calls others."""


class StableAbi:
    """The functions of libtorch_cpu.so, and the version of its stable ABI. Raises AttributeError if one is missing."""

    def __init__(self, path: Path) -> None:
        self._library = _cffi_backend.load_library(str(path), 0)
        self.version = int(self.function("aoti_torch_abi_version")())
        for name in (
            "torch_library_impl",
            "torch_call_dispatcher",
            "torch_exception_get_what_without_backtrace",
            "torch_delete_string",
            FREE,
        ):
            self.address(name)

    def function(self, name: str) -> Callable[..., int]:
        """Return a function that Python calls."""
        found: Callable[..., int] = self._library.load_function(ffi.typeof(_CALLED.get(name, "int32_t(*)(void)")), name)
        return found

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return int(ffi.cast("uintptr_t", self._library.load_function(ffi.typeof("void(*)(void)"), name)))

    def type_number(self, dtype: torch.dtype) -> int:
        """Return torch's number of an element type."""
        return int(self.function(f"aoti_torch_dtype_{str(dtype).partition('.')[2]}")())


@lru_cache(maxsize=1)
def stable_abi() -> StableAbi | None:
    """Return the stable ABI of the torch that is loaded; None before 2.10."""
    try:
        return StableAbi(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so")
    except (OSError, AttributeError):
        return None
