"""The machine code of an operator's calls: see `boxed`.

record   next | numbers | of each text: its length, sixteen bytes
         | of each tensor: type, rank, five extents, the first of which may be `any`, five strides
         | of each result: type, rank, address of its extents, address of its strides, and 0, or the offset in the
           frame of the address of a tensor's extents, the first of which is that of the result; a temporary array is a
           result that the caller does not get, or has `absent` for its type
         | of each call: the kernel, or 0 behind the last one | checks of indices, or 0 | of each parameter of the
           kernel: a number and 0, an offset in the frame of its value and 1, or of the address of its value and 2
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from ....encoder.code import Code
from ....encoder.operands import Label
from ....encoder.records import NamedTuple
from ...fastcall.copied_indices import FRAMED, IndexCopier
from ...fastcall.entry import copied_indices_function
from ...scalar.machine import Scalar, ScalarMemory
from ...system.cpython import symbol
from .stable_abi import FREE, StableAbi


class RecordLayout(NamedTuple):
    """Numbers of records and frames.

    axes        the most axes of a tensor
    letters     the most letters of a text
    parameters  the most parameters of a kernel
    head, text, result   words of a record for its beginning, a text and a result
    call        words of a record for a call, before the parameters
    slots       of a tensor in the frame: its type, rank, extents, strides, data and handle
    absent      what stands for the type of a tensor that is absent; torch numbers its types from 0
    any         what stands for an extent that may be any number
    least       the least address of memory. Those of tensors whose storage was freed by `resize_(0)` are lower, and the
                twin's
    """

    axes: int = 5
    letters: int = 16
    parameters: int = 16
    head: int = 1
    text: int = 3
    result: int = 5
    call: int = 2
    slots: int = 6
    absent: int = 0x7FFF
    any: int = -1
    least: int = 1 << 16

    @property
    def tensor(self) -> int:
        """The words of a record for a tensor."""
        return 2 + 2 * self.axes

    @property
    def of_call(self) -> int:
        """The words of a record for a call."""
        return self.call + 2 * self.parameters


LAY = RecordLayout()
TENSORS = "t?i"
"""The kinds of arguments that are tensors."""


class ParameterKind(IntEnum):
    """What a parameter of a kernel is: a number, the data of a tensor or result by its place among these, or the first
    extent of a tensor by its place."""

    NUMBER = 0
    DATA = 1
    EXTENT = 2


class BoxedEmitter:
    """Slots of the frame: arguments of calls; the kernel's parameters; then of each tensor what `LAY.slots` says, of
    each text its length and place, of each result its handle and data; of operators with indices the memory of long
    copies, the extents of a result, and the space of copies."""

    def __init__(
        self, abi: StableAbi, machine: Scalar, signature: str, results: tuple[int, int], words: Sequence[int]
    ) -> None:
        self.abi, self.m, self.signature = abi, machine, signature
        self.returned, self.results = results[0], sum(results)  # results of the operator, and with temporary arrays
        self.twin, self.overload, self.title, self.first = words
        self.tensors = [place for place, kind in enumerate(signature) if kind in TENSORS]
        self.numbers = [place for place, kind in enumerate(signature) if kind == "n"]
        self.texts = [place for place, kind in enumerate(signature) if kind == "s"]
        self.stack, self.record, self.count = machine.kept[:3]
        self.parameters = max(LAY.parameters - len(machine.arguments), 2)
        self.of_tensors = self.parameters + LAY.parameters
        self.of_texts = self.of_tensors + LAY.slots * len(self.tensors)
        self.of_results = self.of_texts + 2 * len(self.texts)
        self.indexed, self.long = "i" in signature, self.of_results + 2 * self.results
        self.extents, self.space = self.long + 1, self.long + 1 + LAY.axes
        self.slots = self.space + FRAMED if self.indexed else self.long
        self.slow = machine.asm.label("slow")

    def slot_of(self, tensor: int, what: int) -> int:
        return self.of_tensors + LAY.slots * tensor + what

    def slot_of_result(self, result: int, what: int) -> int:
        return self.of_results + 2 * result + what

    def slot_of_data(self, place: int) -> int:
        """Return the slot with the address of the data of a tensor, or of a result, which follow them."""
        count = len(self.tensors)
        return self.slot_of(place, 4) if place < count else self.slot_of_result(place - count, 1)

    def parameter(self, value: int, kind: ParameterKind) -> int:
        """Return the word of a record for a parameter of a kernel."""
        if kind is ParameterKind.NUMBER:
            return value % (1 << 64)
        return 8 * (self.slot_of_data(value) if kind is ParameterKind.DATA else self.slot_of(value, 2))

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
        self._call_the_kernels()
        self._free_arguments()
        self._free_results(range(self.returned, self.results))
        for result in range(self.returned):
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
        for what in range(1, LAY.slots):
            m.move(m.slot(self.slot_of(number, what)), 0)
        handle = m.slot(self.slot_of(number, LAY.slots - 1))
        m.move(m.x, ScalarMemory(self.stack, 8 * place))
        m.move(m.slot(self.slot_of(number, 0)), 0)
        if self.signature[place] == "?":
            m.move(m.slot(self.slot_of(number, 0)), LAY.absent)
            m.branch(m.x, "==", 0, done)
            m.move(m.slot(self.slot_of(number, 0)), 0)
            m.move(m.x, ScalarMemory(m.x))
        m.move(handle, m.x)
        for what, name in enumerate(names):
            m.move(m.arguments[0], handle)
            m.address(m.arguments[1], m.stack, offset=8 * self.slot_of(number, what))
            self._checked(name)
        m.branch(m.slot(self.slot_of(number, 4)), "u<", LAY.least, self.slow)
        m.asm.bind(done)

    def _read_text(self, number: int, place: int) -> None:
        """Read the length of a text and where it is."""
        m = self.m
        for what, name in enumerate(("torch_string_length", "torch_string_c_str")):
            m.move(m.arguments[0], ScalarMemory(self.stack, 8 * place))
            m.address(m.arguments[1], m.stack, offset=8 * (self.of_texts + 2 * number + what))
            self._checked(name)

    def _call_the_kernels(self) -> None:
        """Call the kernels of the record, one after the other."""
        m, again = self.m, self.m.asm.label("kernel")
        base = 8 * (self._words_of_operands() + LAY.result * self.results)
        m.asm.bind(again)
        self._call_a_kernel(base)
        m.add(self.record, 8 * LAY.of_call)
        m.branch(ScalarMemory(self.record, base), "!=", 0, again)

    def _call_a_kernel(self, of_call: int) -> None:
        """Load the parameters as the record says, check indices, and call the kernel. of_call: where in the record the
        call begins, in bytes."""
        m, registers = self.m, len(self.m.arguments)
        base = of_call + 8 * LAY.call
        for number in range(LAY.parameters):
            whole = m.asm.label("number")
            m.move(m.x, ScalarMemory(self.record, base + 16 * number))
            kind = ScalarMemory(self.record, base + 16 * number + 8)
            m.branch(kind, "==", ParameterKind.NUMBER, whole)
            m.address(m.x, m.stack, m.x)
            m.move(m.x, ScalarMemory(m.x))
            if self.indexed:
                m.branch(kind, "==", ParameterKind.DATA, whole)
                m.move(m.x, ScalarMemory(m.x))
            m.asm.bind(whole)
            m.move(m.slot(self.parameters + number), m.x)
        if self.indexed:
            self._check_indices(of_call + 8)
        for number in range(registers, LAY.parameters):
            m.move(m.x, m.slot(self.parameters + number))
            m.move(m.argument(number), m.x)
        for number, register in enumerate(m.arguments[: LAY.parameters]):
            m.move(register, m.slot(self.parameters + number))
        m.call(ScalarMemory(self.record, of_call))
        if self.indexed:
            nothing = m.asm.label("framed")
            m.branch(m.slot(self.long), "==", 0, nothing)
            m.move(m.arguments[0], m.slot(self.long))
            m.call(symbol("PyMem_RawFree"))
            m.asm.bind(nothing)

    def _check_indices(self, offset: int) -> None:
        """Copy and check the indices. What is wrong with them is for the twin to say. offset: of the checks in the
        record."""
        m, unchecked = self.m, self.m.asm.label("unchecked")
        parameters, checks, space = m.arguments[:3]
        m.move(m.slot(self.long), 0)
        m.move(checks, ScalarMemory(self.record, offset))
        m.branch(checks, "==", 0, unchecked)
        m.address(parameters, m.stack, offset=8 * self.parameters)
        m.address(space, m.stack, offset=8 * self.space)
        m.call(copied_indices_function())
        m.branch(m.result, "==", IndexCopier.outside, self.slow)
        m.move(m.slot(self.long), m.result)
        m.asm.bind(unchecked)

    def _words_of_operands(self) -> int:
        """Return the words of a record before those of results."""
        return LAY.head + len(self.numbers) + LAY.text * len(self.texts) + LAY.tensor * len(self.tensors)

    def _free_arguments(self) -> None:
        """Free what the function owns."""
        m = self.m
        for number, place in enumerate(self.tensors):
            absent, handle = m.asm.label("absent"), m.slot(self.slot_of(number, LAY.slots - 1))
            m.branch(handle, "==", 0, absent)
            m.move(m.arguments[0], handle)
            self._call("aoti_torch_delete_tensor_object")
            if self.signature[place] == "?":
                m.move(m.arguments[0], ScalarMemory(self.stack, 8 * place))
                self._call(FREE)
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
            m.move(m.x, ScalarMemory(self.record, 8 * (LAY.head + number)))
            m.branch(m.x, "!=", ScalarMemory(self.stack, 8 * place), following)
        for number in range(len(self.texts)):
            self._compare_text(number, 8 * (LAY.head + len(self.numbers) + LAY.text * number), following)
        for number in range(len(self.tensors)):
            base = 8 * (LAY.head + len(self.numbers) + LAY.text * len(self.texts) + LAY.tensor * number)
            for what in range(2):
                m.move(m.x, ScalarMemory(self.record, base + 8 * what))
                m.branch(m.x, "!=", m.slot(self.slot_of(number, what)), following)
            for what in range(2):
                self._compare(number, 2 + what, base + 8 * (2 + LAY.axes * what), following)
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
                m.branch(ScalarMemory(m.z), "==", LAY.any, same)
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
        base = 8 * (self._words_of_operands() + LAY.result * result)
        handle, data = (self.slot_of_result(result, what) for what in range(2))
        at, unused = m.argument(6), m.asm.label("unused")
        if result >= self.returned:
            m.branch(ScalarMemory(self.record, base), "==", LAY.absent, unused)
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
        m.asm.bind(unused)

    def _free_results(self, results: Sequence[int]) -> None:
        """Free those results that were made."""
        m = self.m
        for result in results:
            nothing, handle = m.asm.label("nothing"), m.slot(self.slot_of_result(result, 0))
            m.branch(handle, "==", 0, nothing)
            m.move(m.arguments[0], handle)
            self._call("aoti_torch_delete_tensor_object")
            m.asm.bind(nothing)

    def _with_rows(self, offset: int) -> None:
        """Set the first extent of a result to that of a tensor, if the record says so. The second argument is the
        address of the extents."""
        m, fixed, extents = self.m, self.m.asm.label("fixed"), self.m.arguments[1]
        m.move(m.x, ScalarMemory(self.record, offset))
        m.branch(m.x, "==", 0, fixed)
        for axis in range(1, LAY.axes):
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
        self._free_results(range(self.results))
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
