"""Operators whose calls are machine code, through torch's stable C ABI.

libtorch_cpu.so calls void f(StableIValue *stack, uint64_t inputs, uint64_t outputs): eight bytes for each argument,
which are a tensor's handle or a number, and which the function replaces by its results. The function owns the tensors.
This one reads the type, shape and strides of each, looks for a *record* of a call of the same kind, makes the results,
calls the record's kernel and returns. Without a record it gives the stack to a twin, an operator in Python, which
computes and may add a record. What the twin raises is raised by a tail jump into torch, so that no frame of this code
is unwound.

    record   next | kernel | numbers | of each tensor: type, rank, five extents, five strides
             | of each result: type, rank, address of its extents, address of its strides

Records are linked, newest first; the code reads the first one's address from a word that a single store replaces. Code
and records are kept for the process, because torch keeps the function.

Source: torch/csrc/stable/c/shim.h and torch/csrc/inductor/aoti_torch/c/shim.h, PyTorch 2.10 and later.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import _cffi_backend
import torch

from ....encoder.code import Code
from ....encoder.operands import Label
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...memory.executable import publish_for_good
from ...scalar.machine import Scalar, ScalarMemory
from ...scalar.native import scalar_machine
from ...system.libc import ffi
from .library import NAMESPACE

_AXES = 5
_TENSOR = 2 + 2 * _AXES
_RESULT = 4
_HEAD = 2
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
        for name in ("torch_library_impl", "torch_call_dispatcher", "torch_exception_get_what_without_backtrace"):
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


class BoxedOperator:
    """An operator of tensors and numbers, in the order of its schema: `signature` has "t" and "n" for them."""

    def __init__(self, abi: StableAbi, name: str, signature: str, results: int) -> None:
        self.name, self.signature, self.results = name, signature, results
        self._abi, self._first = abi, ffi.new("uint64_t *", 0)
        self._kept: list[object] = []  # records and what they point to, and the kernels
        self._records = 0
        texts = [ffi.new("char[]", each.encode()) for each in (f"{NAMESPACE}::_{name}", "", f"{NAMESPACE}.{name}")]
        self._kept += texts
        words = [*map(_at, texts), _at(self._first)]
        code = _Emitter(abi, scalar_machine(), signature, results, words).run()
        library = ffi.new("void **")
        made = abi.function("aoti_torch_library_init_impl")
        failed = made(*(ffi.new("char[]", each) for each in (NAMESPACE.encode(), b"CPU", b"tilesmith")), 1, library)
        function = ffi.cast("void *", publish_for_good(code.data))
        added = abi.function("torch_library_impl")
        if failed or added(library[0], ffi.new("char[]", name.encode()), function, abi.version):
            raise RuntimeError(f"{NAMESPACE}::{name}: torch refuses a function of its stable ABI {abi.version:#x}")
        self._kept.append(library)

    def remember(self, kernel: object, address: int, args: Sequence[object], results: Sequence[torch.Tensor]) -> None:
        """Let calls like this one go to a kernel, whose parameters are the tensors and the results."""
        tensors = [each for each in args if isinstance(each, torch.Tensor)]
        if self._records == INTEGRATIONS.records or any(each.dim() > _AXES for each in tensors):
            return
        words = [self._first[0], address]
        words += [_bits(each) for each in args if not isinstance(each, torch.Tensor)]
        for each in tensors:
            words += [self._abi.type_number(each.dtype), each.dim()]
            words += [*each.shape, *[0] * (_AXES - each.dim()), *each.stride(), *[0] * (_AXES - each.dim())]
        for each in results:
            lying = [ffi.new("int64_t[]", list(axes) or [0]) for axes in (each.shape, each.stride())]
            self._kept += lying
            words += [self._abi.type_number(each.dtype), each.dim(), *map(_at, lying)]
        record = ffi.new("uint64_t[]", words)
        self._kept += [record, kernel]
        self._records += 1
        self._first[0] = _at(record)


def _at(data: object) -> int:
    return int(ffi.cast("uintptr_t", data))


def _bits(value: object) -> int:
    """Return a number as it lies on torch's stack."""
    if isinstance(value, float):
        return int.from_bytes(struct.pack("d", value), sys.byteorder)
    return int(value) & 0xFFFF_FFFF_FFFF_FFFF  # type: ignore[call-overload]


class _Emitter:
    """Slots of the frame: arguments of calls, one for what a function returns by address, then for each tensor its
    type, rank, extents, strides and data, then for each result its handle and data."""

    def __init__(self, abi: StableAbi, machine: Scalar, signature: str, results: int, words: Sequence[int]) -> None:
        self.abi, self.m, self.signature, self.results = abi, machine, signature, results
        self.twin, self.overload, self.title, self.first = words
        self.tensors = [place for place, kind in enumerate(signature) if kind == "t"]
        self.numbers = [place for place, kind in enumerate(signature) if kind == "n"]
        self.stack, self.record, self.count = machine.kept[:3]
        self.slots = len(self.tensors) * 5 + results * 2 + 2
        self.slow = machine.asm.label("slow")

    def slot_of(self, tensor: int, what: int) -> int:
        return 2 + 5 * tensor + what

    def slot_of_result(self, result: int, what: int) -> int:
        return 2 + 5 * len(self.tensors) + 2 * result + what

    def run(self) -> Code:
        """Emit the function."""
        m, asm = self.m, self.m.asm
        m.begin("boxed")
        m.open(self.slots, (self.stack, self.record, self.count))
        m.move(self.stack, m.arguments[0])
        for result in range(self.results):
            m.move(m.slot(self.slot_of_result(result, 0)), 0)
        for number, place in enumerate(self.tensors):
            self._read(number, place)
        self._find()
        for result in range(self.results):
            self._make(result)
        given = [self.slot_of(number, 4) for number in range(len(self.tensors))]
        given += [self.slot_of_result(result, 1) for result in range(self.results)]
        for number, slot in enumerate(given):
            m.move(m.arguments[number], m.slot(slot))
        m.call(ScalarMemory(self.record, 8))
        for place in self.tensors:
            m.move(m.arguments[0], ScalarMemory(self.stack, 8 * place))
            self._call("aoti_torch_delete_tensor_object")
        for result in range(self.results):
            m.move(m.x, m.slot(self.slot_of_result(result, 0)))
            m.move(ScalarMemory(self.stack, 8 * result), m.x)
        m.close()
        m.ret()
        asm.bind(self.slow)
        self._ask_the_twin()
        code: Code = asm.finish(f"ts_boxed_{self.signature}_{self.results}")
        return code

    def _call(self, name: str) -> None:
        self.m.call(self.abi.address(name))

    def _checked(self, name: str) -> None:
        """Call a function, and leave for the twin if it reports an error."""
        self._call(name)
        self.m.branch_if_bits(self.m.result, 255, True, self.slow)

    def _read(self, number: int, place: int) -> None:
        """Read type, rank, extents, strides and data of a tensor."""
        m = self.m
        names = (
            "aoti_torch_get_dtype",
            "aoti_torch_get_dim",
            "aoti_torch_get_sizes",
            "aoti_torch_get_strides",
            "torch_get_const_data_ptr",
        )
        for what, name in enumerate(names):
            slot = self.slot_of(number, what)
            m.move(m.slot(slot), 0)
            m.move(m.arguments[0], ScalarMemory(self.stack, 8 * place))
            m.address(m.arguments[1], m.stack, offset=8 * slot)
            self._checked(name)

    def _find(self) -> None:
        """Find the record of this call."""
        m, asm = self.m, self.m.asm
        again, following, found = asm.label("again"), asm.label("next"), asm.label("found")
        m.move(m.x, self.first)
        m.move(self.record, ScalarMemory(m.x))
        asm.bind(again)
        m.branch(self.record, "==", 0, self.slow)
        for number, place in enumerate(self.numbers):
            m.move(m.x, ScalarMemory(self.record, 8 * (_HEAD + number)))
            m.branch(m.x, "!=", ScalarMemory(self.stack, 8 * place), following)
        for number in range(len(self.tensors)):
            base = 8 * (_HEAD + len(self.numbers) + _TENSOR * number)
            for what in range(2):
                m.move(m.x, ScalarMemory(self.record, base + 8 * what))
                m.branch(m.x, "!=", m.slot(self.slot_of(number, what)), following)
            for what in range(2):
                self._compare(number, 2 + what, base + 8 * (2 + _AXES * what), following)
        m.jump(found)
        asm.bind(following)
        m.move(self.record, ScalarMemory(self.record))
        m.jump(again)
        asm.bind(found)

    def _compare(self, number: int, what: int, offset: int, following: Label) -> None:
        """Compare the extents, or the strides, of a tensor with those of the record."""
        m, done = self.m, self.m.asm.label("done")
        m.move(self.count, m.slot(self.slot_of(number, 1)))
        m.branch(self.count, "==", 0, done)
        m.move(m.y, m.slot(self.slot_of(number, what)))
        m.address(m.z, self.record, offset=offset)
        with m.loop(self.count):
            m.move(m.x, ScalarMemory(m.y))
            m.branch(m.x, "!=", ScalarMemory(m.z), following)
            m.add(m.y, 8)
            m.add(m.z, 8)
        m.asm.bind(done)

    def _make(self, result: int) -> None:
        """Make a result and read where its data is."""
        m = self.m
        base = 8 * (_HEAD + len(self.numbers) + _TENSOR * len(self.tensors) + _RESULT * result)
        handle, data = (self.slot_of_result(result, what) for what in range(2))
        at = m.argument(6)
        m.address(m.x, m.stack, offset=8 * handle)
        m.move(at, m.x)
        for number, word in enumerate((1, 2, 3, 0)):
            m.move(m.arguments[number], ScalarMemory(self.record, base + 8 * word))
        m.move(m.arguments[4], 0)  # the CPU
        m.move(m.arguments[5], 0)
        self._checked("aoti_torch_empty_strided")
        m.move(m.arguments[0], m.slot(handle))
        m.address(m.arguments[1], m.stack, offset=8 * data)
        self._checked("torch_get_mutable_data_ptr")

    def _ask_the_twin(self) -> None:
        """Free what was made, and call the twin with the untouched stack; raise what it raises."""
        m, asm = self.m, self.m.asm
        failed = asm.label("failed")
        for result in range(self.results):
            nothing, handle = asm.label("nothing"), m.slot(self.slot_of_result(result, 0))
            m.branch(handle, "==", 0, nothing)
            m.move(m.arguments[0], handle)
            self._call("aoti_torch_delete_tensor_object")
            asm.bind(nothing)
        for register, value in zip(m.arguments, (self.twin, self.overload, self.stack, self.abi.version)):
            m.move(register, value)
        self._call("torch_call_dispatcher")
        m.branch_if_bits(m.result, 255, True, failed)
        m.close()
        m.ret()
        asm.bind(failed)
        self._call("torch_exception_get_what_without_backtrace")
        m.move(m.arguments[4], m.result)
        for number, value in enumerate((0, self.title, self.title, 0)):
            m.move(m.arguments[number], value)
        m.close()
        m.jump(self.abi.address("aoti_torch_check"))
