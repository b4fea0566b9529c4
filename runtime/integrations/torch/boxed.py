"""Operators whose calls are machine code, through torch's stable C ABI.

libtorch_cpu.so calls void f(StableIValue *stack, uint64_t inputs, uint64_t outputs): eight bytes for each argument,
which the function replaces by its results: a tensor's handle, the address of the handle of a tensor that may be absent,
or 0, a number, or the handle of a text. The function owns them. This one reads the type, shape and strides of each
tensor, looks for a *record* of a call of the same kind, makes the results, calls the record's kernel and returns.
Without a record it gives the stack to a twin, an operator in Python, which computes and may add a record. What the twin
raises is raised by a tail jump into torch, so that no frame of this code is unwound.

    record   next | kernel | checks of indices, or 0 | numbers | of each text: its length, sixteen bytes
             | of each tensor: type, rank, five extents, the first of which may be `any`, five strides
             | of each result: type, rank, address of its extents, address of its strides, and 0, or the offset in the
               frame of the address of a tensor's extents, the first of which is that of the result
             | of each parameter of the kernel: a number and 0, an offset in the frame of its value and 1, or of the
               address of its value and 2

Records are linked, newest first; the code reads the first one's address from a word that a single store replaces. Code
and records are kept for the process, because torch keeps the function.

Source: torch/csrc/stable/c/shim.h and torch/csrc/inductor/aoti_torch/c/shim.h, PyTorch 2.10 and later.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import Protocol, cast

import _cffi_backend
import numpy as np
import torch

from ....encoder.code import Code
from ....encoder.operands import Label
from ....encoder.records import NamedTuple
from ....microkernels.operands import Operand
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...arguments.arrays import Array, address_of, numpy_dtype
from ...fastcall.copied_indices import FRAMED, IndexCopier, checks_of, given_to
from ...fastcall.entry import copied_indices_function
from ...kernel.callable import Kernel
from ...memory.executable import publish_for_good
from ...scalar.machine import Scalar, ScalarMemory
from ...scalar.native import scalar_machine
from ...system.cpython import symbol
from ...system.libc import ffi
from .library import NAMESPACE


class _Layout(NamedTuple):
    """Numbers of records and frames.

    axes        the most axes of a tensor
    letters     the most letters of a text
    parameters  the most parameters of a kernel
    head, text, result   words of a record for its beginning, a text and a result
    slots       of a tensor in the frame: its type, rank, extents, strides, data and handle
    absent      what stands for the type of a tensor that is absent; torch numbers its types from 0
    any         what stands for an extent that may be any number
    least       the least address of memory. Those of tensors whose storage was freed by `resize_(0)` are lower, and the
                twin's
    """

    axes: int = 5
    letters: int = 16
    parameters: int = 16
    head: int = 3
    text: int = 3
    result: int = 5
    slots: int = 6
    absent: int = 0x7FFF
    any: int = -1
    least: int = 1 << 16

    @property
    def tensor(self) -> int:
        """The words of a record for a tensor."""
        return 2 + 2 * self.axes


_LAY = _Layout()
_TENSORS = "t?i"
_FREE = "_ZdlPv"
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
            _FREE,
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


class Parameter(IntEnum):
    """What a parameter of a kernel is: a number, the data of a tensor or result by its place among these, or the first
    extent of a tensor by its place."""

    NUMBER = 0
    DATA = 1
    EXTENT = 2


class BoxedCall(NamedTuple):
    """A call of a kernel.

    parameters   numbers or places, and what they are
    lengths      the tensors whose first extent may be any number
    rows         the tensor whose first extent is that of all results; None: results have the same shapes at each call
    """

    kernel: Kernel
    parameters: tuple[tuple[int, Parameter], ...]
    lengths: tuple[int, ...] = ()
    rows: int | None = None


class _HasOperands(Protocol):
    """A request whose kernel takes matrices, or arrays of more axes."""

    @property
    def arguments(self) -> Sequence[Operand]:
        """The operands, in the order of a call."""


def unused_operands(kernel: Kernel) -> list[Array]:
    """Return arrays like the operands of a kernel, which are contiguous."""
    spec = cast("_HasOperands", kernel.spec)
    return [np.empty(each.shape, numpy_dtype(each.dtype)) for each in spec.arguments]


def boxed_call(kernel: Kernel, operands: Sequence[Array], places: Sequence[int]) -> BoxedCall | None:
    """Return the call of a kernel whose operands are the tensors and results of an operator at these places.

    operands   arrays that nobody uses, which lie as those of the call
    """
    integers, _ = kernel.kind.call(kernel.spec)(*operands)
    found = {address_of(each): place for each, place in zip(operands, places, strict=True)}
    pointers = [integer for integer, (kind, _) in zip(integers, kernel.kind.parameters(kernel.spec)) if "*" in kind]
    if kernel.address is None or len(integers) > _LAY.parameters or sorted(pointers) != sorted(found):
        return None  # such as operands that the call copies
    kinds = [Parameter.DATA if each in found else Parameter.NUMBER for each in integers]
    return BoxedCall(kernel, tuple((found.get(each, each), kind) for each, kind in zip(integers, kinds)))


def indexed_call(
    kernel: Kernel, places: Mapping[str, int], lengths: tuple[int, ...], rows: int | None = None
) -> BoxedCall:
    """Return the call of a kernel whose extents are all given at the call, by the first axes of arrays.

    places         of the tensors and results that its operands are, by their names
    lengths, rows  as in `BoxedCall`
    """
    interface = given_to(kernel.spec.interface)  # type: ignore[attr-defined]  # of every kernel of arrays
    given = {each.name for each in interface.inputs}
    extents = {
        each.name: places[at.operand]
        for each in interface.extents
        for at in each.places
        if at.operand in given and not (at.axis or at.more)
    }
    found = [
        (places[name], Parameter.DATA) if "*" in kind else (extents[name], Parameter.EXTENT)
        for kind, name in interface.parameters()
    ]
    return BoxedCall(kernel, tuple(found), lengths, rows)


class BoxedOperator:
    """An operator whose `signature` has for each argument of its schema "t" (a tensor), "?" (a tensor or None), "i" (a
    tensor of indices, or of other lengths), "n" (a number) or "s" (a text). Operators `names` are the same machine
    code."""

    def __init__(self, abi: StableAbi, names: Sequence[str], signature: str, results: int) -> None:
        name = names[0]
        self.name, self.signature, self.results = name, signature, results
        self._abi, self._first = abi, ffi.new("uint64_t *", 0)
        self._kept: list[object] = []  # records and what they point to, and the kernels
        self._seen: set[tuple[object, ...]] = set()
        texts = [ffi.new("char[]", each.encode()) for each in (f"{NAMESPACE}::_{name}", "", f"{NAMESPACE}.{name}")]
        self._kept += texts
        words = [*map(_at, texts), _at(self._first)]
        self._emitter = _Emitter(abi, scalar_machine(), signature, results, words)
        code = self._emitter.run()
        library = ffi.new("void **")
        made = abi.function("aoti_torch_library_init_impl")
        failed = made(*(ffi.new("char[]", each) for each in (NAMESPACE.encode(), b"CPU", b"tilesmith")), 1, library)
        function = ffi.cast("void *", publish_for_good(code.data))
        added = abi.function("torch_library_impl")
        for each in names:
            if failed or added(library[0], ffi.new("char[]", each.encode()), function, abi.version):
                raise RuntimeError(f"{NAMESPACE}::{each}: torch refuses a function of its stable ABI {abi.version:#x}")
        self._kept.append(library)

    def is_new(self, args: Sequence[object]) -> bool:
        """Whether nobody has asked yet for the kernel of calls like this one, and there is room for one more record."""
        key = tuple(
            (each.dtype, each.shape, each.stride()) if isinstance(each, torch.Tensor) else each for each in args
        )
        if len(self._seen) == INTEGRATIONS.records or key in self._seen:
            return False
        self._seen.add(key)
        return True

    def remember(self, call: BoxedCall, args: Sequence[object], results: Sequence[torch.Tensor]) -> None:
        """Let calls like this one go to a kernel."""
        given = list(zip(self.signature, args, strict=True))
        tensors = [each for kind, each in given if kind in _TENSORS]
        texts = [str(each).encode() for kind, each in given if kind == "s"]
        numbers = [_bits(each) for kind, each in given if kind == "n"]
        too_many = any(isinstance(each, torch.Tensor) and each.dim() > _LAY.axes for each in (*tensors, *results))
        if too_many or any(len(each) > _LAY.letters for each in texts):
            return
        checks = ffi.new("int64_t[]", checks_of(call.kernel.spec.interface) or [0])  # type: ignore[union-attr]
        self._kept.append(checks)
        words = [self._first[0], call.kernel.address, _at(checks) if checks[0] else 0, *numbers]
        for text in texts:
            words += [len(text), *struct.unpack("=QQ", text.ljust(_LAY.letters, b"\0"))]
        for place, each in enumerate(tensors):
            words += self._described(each, place in call.lengths)
        for made in results:
            further = [0] * (_LAY.axes - made.dim())
            lying = [ffi.new("int64_t[]", [*axes, *further]) for axes in (made.shape, made.stride())]
            self._kept += lying
            rows = 0 if call.rows is None else 8 * self._emitter.slot_of(call.rows, 2)
            words += [self._abi.type_number(made.dtype), made.dim(), *map(_at, lying), rows]
        for value, kind in call.parameters:
            words += [self._emitter.parameter(value, kind), kind]
        record = ffi.new("uint64_t[]", [*words, *[0] * (2 * (_LAY.parameters - len(call.parameters)))])
        self._kept += [record, call.kernel]
        self._first[0] = _at(record)

    def _described(self, tensor: object, any_length: bool) -> list[int]:
        if not isinstance(tensor, torch.Tensor):
            return [_LAY.absent, *[0] * (_LAY.tensor - 1)]
        further = [0] * (_LAY.axes - tensor.dim())
        described = [self._abi.type_number(tensor.dtype), tensor.dim()]
        extents = [_LAY.any % (1 << 64), *tensor.shape[1:]] if any_length else tensor.shape
        return [*described, *extents, *further, *tensor.stride(), *further]


def _at(data: object) -> int:
    return int(ffi.cast("uintptr_t", data))


def _bits(value: object) -> int:
    """Return a number as it lies on torch's stack."""
    if isinstance(value, float):
        return int.from_bytes(struct.pack("d", value), sys.byteorder)
    return int(value) % (1 << 64)  # type: ignore[call-overload]


class _Emitter:
    """Slots of the frame: arguments of calls; the kernel's parameters; then of each tensor what `_LAY.slots` says, of
    each text its length and place, of each result its handle and data; of operators with indices the memory of long
    copies, the extents of a result, and the space of copies."""

    def __init__(self, abi: StableAbi, machine: Scalar, signature: str, results: int, words: Sequence[int]) -> None:
        self.abi, self.m, self.signature, self.results = abi, machine, signature, results
        self.twin, self.overload, self.title, self.first = words
        self.tensors = [place for place, kind in enumerate(signature) if kind in _TENSORS]
        self.numbers = [place for place, kind in enumerate(signature) if kind == "n"]
        self.texts = [place for place, kind in enumerate(signature) if kind == "s"]
        self.stack, self.record, self.count = machine.kept[:3]
        self.parameters = max(_LAY.parameters - len(machine.arguments), 2)
        self.of_tensors = self.parameters + _LAY.parameters
        self.of_texts = self.of_tensors + _LAY.slots * len(self.tensors)
        self.of_results = self.of_texts + 2 * len(self.texts)
        self.indexed, self.long = "i" in signature, self.of_results + 2 * results
        self.extents, self.space = self.long + 1, self.long + 1 + _LAY.axes
        self.slots = self.space + FRAMED if self.indexed else self.long
        self.slow = machine.asm.label("slow")

    def slot_of(self, tensor: int, what: int) -> int:
        return self.of_tensors + _LAY.slots * tensor + what

    def slot_of_result(self, result: int, what: int) -> int:
        return self.of_results + 2 * result + what

    def slot_of_data(self, place: int) -> int:
        """Return the slot with the address of the data of a tensor, or of a result, which follow them."""
        count = len(self.tensors)
        return self.slot_of(place, 4) if place < count else self.slot_of_result(place - count, 1)

    def parameter(self, value: int, kind: Parameter) -> int:
        """Return the word of a record for a parameter of a kernel."""
        if kind is Parameter.NUMBER:
            return value % (1 << 64)
        return 8 * (self.slot_of_data(value) if kind is Parameter.DATA else self.slot_of(value, 2))

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
        for number, place in enumerate(self.texts):
            self._read_text(number, place)
        self._find()
        for result in range(self.results):
            self._make(result)
        self._call_the_kernel()
        self._free_arguments()
        for result in range(self.results):
            m.move(m.x, m.slot(self.slot_of_result(result, 0)))
            m.move(ScalarMemory(self.stack, 8 * result), m.x)
        m.close()
        m.ret()
        asm.bind(self.slow)
        self._ask_the_twin()
        return asm.finish("boxed")

    def _call(self, name: str) -> None:
        self.m.call(self.abi.address(name))

    def _checked(self, name: str) -> None:
        """Call a function of torch; what it refuses is the twin's."""
        self._call(name)
        self.m.branch_if_bits(self.m.result, 255, True, self.slow)

    def _read(self, number: int, place: int) -> None:
        """Read handle, type, rank, extents, strides and data of a tensor."""
        m, done = self.m, self.m.asm.label("read")
        names = (
            "aoti_torch_get_dtype",
            "aoti_torch_get_dim",
            "aoti_torch_get_sizes",
            "aoti_torch_get_strides",
            "torch_get_const_data_ptr",
        )
        for what in range(1, _LAY.slots):
            m.move(m.slot(self.slot_of(number, what)), 0)
        handle = m.slot(self.slot_of(number, _LAY.slots - 1))
        m.move(m.x, ScalarMemory(self.stack, 8 * place))
        m.move(m.slot(self.slot_of(number, 0)), 0)
        if self.signature[place] == "?":
            m.move(m.slot(self.slot_of(number, 0)), _LAY.absent)
            m.branch(m.x, "==", 0, done)
            m.move(m.slot(self.slot_of(number, 0)), 0)
            m.move(m.x, ScalarMemory(m.x))
        m.move(handle, m.x)
        for what, name in enumerate(names):
            m.move(m.arguments[0], handle)
            m.address(m.arguments[1], m.stack, offset=8 * self.slot_of(number, what))
            self._checked(name)
        m.branch(m.slot(self.slot_of(number, 4)), "u<", _LAY.least, self.slow)
        m.asm.bind(done)

    def _read_text(self, number: int, place: int) -> None:
        """Read the length of a text and where it is."""
        m = self.m
        for what, name in enumerate(("torch_string_length", "torch_string_c_str")):
            m.move(m.arguments[0], ScalarMemory(self.stack, 8 * place))
            m.address(m.arguments[1], m.stack, offset=8 * (self.of_texts + 2 * number + what))
            self._checked(name)

    def _call_the_kernel(self) -> None:
        """Load the parameters as the record says, check indices, and call the kernel."""
        m, registers = self.m, len(self.m.arguments)
        base = 8 * (self._words_of_operands() + _LAY.result * self.results)
        for number in range(_LAY.parameters):
            whole = m.asm.label("number")
            m.move(m.x, ScalarMemory(self.record, base + 16 * number))
            kind = ScalarMemory(self.record, base + 16 * number + 8)
            m.branch(kind, "==", Parameter.NUMBER, whole)
            m.address(m.x, m.stack, m.x)
            m.move(m.x, ScalarMemory(m.x))
            if self.indexed:
                m.branch(kind, "==", Parameter.DATA, whole)
                m.move(m.x, ScalarMemory(m.x))
            m.asm.bind(whole)
            m.move(m.slot(self.parameters + number), m.x)
        if self.indexed:
            self._check_indices()
        for number in range(registers, _LAY.parameters):
            m.move(m.x, m.slot(self.parameters + number))
            m.move(m.argument(number), m.x)
        for number, register in enumerate(m.arguments[: _LAY.parameters]):
            m.move(register, m.slot(self.parameters + number))
        m.call(ScalarMemory(self.record, 8))
        if self.indexed:
            nothing = m.asm.label("framed")
            m.branch(m.slot(self.long), "==", 0, nothing)
            m.move(m.arguments[0], m.slot(self.long))
            m.call(symbol("PyMem_RawFree"))
            m.asm.bind(nothing)

    def _check_indices(self) -> None:
        """Copy and check the indices. What is wrong with them is for the twin to say."""
        m, unchecked = self.m, self.m.asm.label("unchecked")
        parameters, checks, space = m.arguments[:3]
        m.move(m.slot(self.long), 0)
        m.move(checks, ScalarMemory(self.record, 16))
        m.branch(checks, "==", 0, unchecked)
        m.address(parameters, m.stack, offset=8 * self.parameters)
        m.address(space, m.stack, offset=8 * self.space)
        m.call(copied_indices_function())
        m.branch(m.result, "==", IndexCopier.outside, self.slow)
        m.move(m.slot(self.long), m.result)
        m.asm.bind(unchecked)

    def _words_of_operands(self) -> int:
        """Return the words of a record before those of results."""
        return _LAY.head + len(self.numbers) + _LAY.text * len(self.texts) + _LAY.tensor * len(self.tensors)

    def _free_arguments(self) -> None:
        """Free what the function owns."""
        m = self.m
        for number, place in enumerate(self.tensors):
            absent, handle = m.asm.label("absent"), m.slot(self.slot_of(number, _LAY.slots - 1))
            m.branch(handle, "==", 0, absent)
            m.move(m.arguments[0], handle)
            self._call("aoti_torch_delete_tensor_object")
            if self.signature[place] == "?":
                m.move(m.arguments[0], ScalarMemory(self.stack, 8 * place))
                self._call(_FREE)
            m.asm.bind(absent)
        for place in self.texts:
            m.move(m.arguments[0], ScalarMemory(self.stack, 8 * place))
            self._call("torch_delete_string")

    def _find(self) -> None:
        """Find the record of this call."""
        m, asm = self.m, self.m.asm
        again, following, found = asm.label("again"), asm.label("next"), asm.label("found")
        m.move(m.x, self.first)
        m.move(self.record, ScalarMemory(m.x))
        asm.bind(again)
        m.branch(self.record, "==", 0, self.slow)
        for number, place in enumerate(self.numbers):
            m.move(m.x, ScalarMemory(self.record, 8 * (_LAY.head + number)))
            m.branch(m.x, "!=", ScalarMemory(self.stack, 8 * place), following)
        for number in range(len(self.texts)):
            self._compare_text(number, 8 * (_LAY.head + len(self.numbers) + _LAY.text * number), following)
        for number in range(len(self.tensors)):
            base = 8 * (_LAY.head + len(self.numbers) + _LAY.text * len(self.texts) + _LAY.tensor * number)
            for what in range(2):
                m.move(m.x, ScalarMemory(self.record, base + 8 * what))
                m.branch(m.x, "!=", m.slot(self.slot_of(number, what)), following)
            for what in range(2):
                self._compare(number, 2 + what, base + 8 * (2 + _LAY.axes * what), following)
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
            same = m.asm.label("same")
            m.move(m.x, ScalarMemory(m.y))
            if self.indexed and what == 2:
                m.branch(ScalarMemory(m.z), "==", _LAY.any, same)
            m.branch(m.x, "!=", ScalarMemory(m.z), following)
            m.asm.bind(same)
            m.add(m.y, 8)
            m.add(m.z, 8)
        m.asm.bind(done)

    def _compare_text(self, number: int, offset: int, following: Label) -> None:
        """Compare a text with that of the record."""
        m, done = self.m, self.m.asm.label("same")
        m.move(self.count, m.slot(self.of_texts + 2 * number))
        m.branch(self.count, "!=", ScalarMemory(self.record, offset), following)
        m.branch(self.count, "==", 0, done)
        m.move(m.y, m.slot(self.of_texts + 2 * number + 1))
        m.address(m.z, self.record, offset=offset + 8)
        with m.loop(self.count):
            m.move(m.x, ScalarMemory(m.y, 0, 1))
            m.move(m.arguments[0], ScalarMemory(m.z, 0, 1))
            m.branch(m.x, "!=", m.arguments[0], following)
            m.add(m.y, 1)
            m.add(m.z, 1)
        m.asm.bind(done)

    def _make(self, result: int) -> None:
        """Make a result and read where its data is."""
        m = self.m
        base = 8 * (self._words_of_operands() + _LAY.result * result)
        handle, data = (self.slot_of_result(result, what) for what in range(2))
        at = m.argument(6)
        m.address(m.x, m.stack, offset=8 * handle)
        m.move(at, m.x)
        for number, word in enumerate((1, 2, 3, 0)):
            m.move(m.arguments[number], ScalarMemory(self.record, base + 8 * word))
        if self.indexed:
            self._with_rows(base + 8 * 4)
        m.move(m.arguments[4], 0)  # the CPU
        m.move(m.arguments[5], 0)
        self._checked("aoti_torch_empty_strided")
        m.move(m.arguments[0], m.slot(handle))
        m.address(m.arguments[1], m.stack, offset=8 * data)
        self._checked("torch_get_mutable_data_ptr")

    def _with_rows(self, offset: int) -> None:
        """Set the first extent of a result to that of a tensor, if the record says so. The second argument is the
        address of the extents."""
        m, fixed, extents = self.m, self.m.asm.label("fixed"), self.m.arguments[1]
        m.move(m.x, ScalarMemory(self.record, offset))
        m.branch(m.x, "==", 0, fixed)
        for axis in range(1, _LAY.axes):
            m.move(m.arguments[4], ScalarMemory(extents, 8 * axis))
            m.move(m.slot(self.extents + axis), m.arguments[4])
        m.address(m.x, m.stack, m.x)
        m.move(m.x, ScalarMemory(m.x))
        m.move(m.x, ScalarMemory(m.x))
        m.move(m.slot(self.extents), m.x)
        m.address(extents, m.stack, offset=8 * self.extents)
        m.asm.bind(fixed)

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
