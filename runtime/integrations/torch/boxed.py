"""Operators whose calls are machine code, through torch's stable C ABI.

libtorch_cpu.so calls void f(StableIValue *stack, uint64_t inputs, uint64_t outputs): eight bytes for each argument,
which the function replaces by its results: a tensor's handle, the address of the handle of a tensor that may be absent,
or 0, a number, or the handle of a text. The function owns them. This one reads the type, shape and strides of each
tensor, looks for a *record* of a call of the same kind (boxed_code.py), makes the results, calls the record's kernel
and returns. Without a record it gives the stack to a twin, an operator in Python, which computes and may add a record.
What the twin raises is raised by a tail jump into torch, so that no frame of this code is unwound.

Records are linked, newest first; the code reads the first one's address from a word that a single store replaces. Code
and records are kept for the process, because torch keeps the function.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import numpy as np
import torch

from ....encoder.records import NamedTuple
from ....microkernels.operands import Interface, Operand
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...arguments.arrays import Array, address_of, numpy_dtype
from ...fastcall.copied_indices import checks_of, given_to
from ...kernel.callable import Kernel
from ...memory.executable import publish_for_good
from ...scalar.native import scalar_machine
from ...system.libc import ffi
from .boxed_code import LAY, TENSORS, BoxedEmitter, ParameterKind
from .library import NAMESPACE
from .stable_abi import StableAbi


class BoxedCall(NamedTuple):
    """A call of a kernel.

    parameters   numbers or places, and what they are
    lengths      the tensors whose first extent may be any number
    rows         the tensor whose first extent is that of all results; None: results have the same shapes at each call
    checks       what is checked of indices: see `copied_indices`
    """

    kernel: Kernel
    parameters: tuple[tuple[int, ParameterKind], ...]
    lengths: tuple[int, ...] = ()
    rows: int | None = None
    checks: tuple[int, ...] = ()


class BoxedCalls(NamedTuple):
    """Calls of kernels, one after the other. The places of temporary arrays follow those of the results."""

    calls: tuple[BoxedCall, ...]
    temporary: tuple[torch.Tensor, ...] = ()


class _HasOperands(Protocol):
    """A request whose kernel takes matrices, or arrays of more axes."""

    @property
    def arguments(self) -> Sequence[Operand]:
        """The operands, in the order of a call."""


class _HasInterface(Protocol):
    """A request whose call takes arrays and their extents."""

    @property
    def interface(self) -> Interface:
        """What a call takes."""


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
    if kernel.address is None or len(integers) > LAY.parameters or sorted(pointers) != sorted(found):
        return None  # such as operands that the call copies
    kinds = [ParameterKind.DATA if each in found else ParameterKind.NUMBER for each in integers]
    return BoxedCall(kernel, tuple((found.get(each, each), kind) for each, kind in zip(integers, kinds)))


def indexed_call(
    kernel: Kernel, places: Mapping[str, int], lengths: tuple[int, ...], rows: int | None = None
) -> BoxedCall:
    """Return the call of a kernel whose extents are all given at the call, by the first axes of arrays.

    places         of the tensors and results that its operands are, by their names
    lengths, rows  as in `BoxedCall`
    """
    asked = cast("_HasInterface", kernel.spec).interface
    interface = given_to(asked)
    given = {each.name for each in interface.inputs}
    extents = {
        each.name: places[at.operand]
        for each in interface.extents
        for at in each.places
        if at.operand in given and not (at.axis or at.more)
    }
    found = [
        (places[name], ParameterKind.DATA) if "*" in kind else (extents[name], ParameterKind.EXTENT)
        for kind, name in interface.parameters()
    ]
    return BoxedCall(kernel, tuple(found), lengths, rows, tuple(checks_of(asked)))


class BoxedOperator:
    """An operator whose `signature` has for each argument of its schema "t" (a tensor), "?" (a tensor or None), "i" (a
    tensor of indices, or of other lengths), "n" (a number) or "s" (a text). Operators `names` are the same machine
    code. results: how many there are, and the most temporary arrays of a call"""

    def __init__(self, abi: StableAbi, names: Sequence[str], signature: str, results: tuple[int, int]) -> None:
        name = names[0]
        self.name, self.signature, self.results = name, signature, results
        self._abi, self._first = abi, ffi.new("uint64_t *", 0)
        self._kept: list[object] = []  # records and what they point to, and the kernels
        self._seen: set[tuple[object, ...]] = set()
        texts = [ffi.new("char[]", each.encode()) for each in (f"{NAMESPACE}::_{name}", "", f"{NAMESPACE}.{name}")]
        self._kept += texts
        words = [*map(_at, texts), _at(self._first)]
        self._emitter = BoxedEmitter(abi, scalar_machine(), signature, results, words)
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

    def remember(self, made: BoxedCall | BoxedCalls, args: Sequence[object], results: Sequence[torch.Tensor]) -> None:
        """Let calls like this one go to kernels."""
        calls, temporary = made if isinstance(made, BoxedCalls) else BoxedCalls((made,))
        given = list(zip(self.signature, args, strict=True))
        tensors = [each for kind, each in given if kind in TENSORS]
        texts = [str(each).encode() for kind, each in given if kind == "s"]
        numbers = [_bits(each) for kind, each in given if kind == "n"]
        made_now = *results, *temporary
        too_many = any(isinstance(each, torch.Tensor) and each.dim() > LAY.axes for each in (*tensors, *made_now))
        if too_many or any(len(each) > LAY.letters for each in texts):
            return
        words = [self._first[0], *numbers]
        for text in texts:
            words += [len(text), *struct.unpack("=QQ", text.ljust(LAY.letters, b"\0"))]
        for place, each in enumerate(tensors):
            words += self._described(each, any(place in call.lengths for call in calls))
        for each in made_now:
            words += self._described_result(each, calls[0].rows)
        words += [LAY.absent, *[0] * (LAY.result - 1)] * (sum(self.results) - len(made_now))
        for call in calls:
            words += self._described_call(call)
        record = ffi.new("uint64_t[]", [*words, 0])
        self._kept.append(record)
        self._first[0] = _at(record)

    def _described_call(self, call: BoxedCall) -> list[int]:
        checks = ffi.new("int64_t[]", list(call.checks))
        self._kept += [checks, call.kernel]
        assert call.kernel.address is not None, "its maker asks for one"
        words = [call.kernel.address, _at(checks) if call.checks else 0]
        for value, kind in call.parameters:
            words += [self._emitter.parameter(value, kind), kind]
        return [*words, *[0] * (LAY.of_call - len(words))]

    def _described_result(self, made: torch.Tensor, of_rows: int | None) -> list[int]:
        further = [0] * (LAY.axes - made.dim())
        lying = [ffi.new("int64_t[]", [*axes, *further]) for axes in (made.shape, made.stride())]
        self._kept += lying
        rows = 0 if of_rows is None else 8 * self._emitter.slot_of(of_rows, 2)
        return [self._abi.type_number(made.dtype), made.dim(), *map(_at, lying), rows]

    def _described(self, tensor: object, any_length: bool) -> list[int]:
        if not isinstance(tensor, torch.Tensor):
            return [LAY.absent, *[0] * (LAY.tensor - 1)]
        further = [0] * (LAY.axes - tensor.dim())
        described = [self._abi.type_number(tensor.dtype), tensor.dim()]
        extents = [LAY.any % (1 << 64), *tensor.shape[1:]] if any_length else tensor.shape
        return [*described, *extents, *further, *tensor.stride(), *further]


def _at(data: object) -> int:
    return int(ffi.cast("uintptr_t", data))


def _bits(value: object) -> int:
    """Return a number as it lies on torch's stack."""
    if isinstance(value, float):
        return int.from_bytes(struct.pack("d", value), sys.byteorder)
    return int(value) % (1 << 64)  # type: ignore[call-overload]
