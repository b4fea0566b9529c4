"""The code that makes an ndarray of another library's array: PyObject *view(self, args, nargsf, kwnames).

Takes one argument, which must be of the type that the exchange functions belong to. DLPack's function describes it in
a DLTensor on the stack; the result is an ndarray of the same memory with the argument as its base, or None.

    DLTensor    0 data   8 device type (int32)   16 rank (int32)   20 type: code, bits (uint8), lanes (uint16)
                24 shape (int64 *)   32 strides, in elements (int64 *), may be NULL   40 byte offset

Sources: dlpack.h 1.3; numpy/core/code_generators/numpy_api.py for the numbers of numpy's functions.
"""

from __future__ import annotations

from typing import NamedTuple

from ...encoder.code import Code
from ...encoder.operands import Label
from ..scalar.machine import Memory, Scalar
from ..system.cpython import WRITEABLE

CPU, MOST_AXES = 1, 8
_TENSOR, _STRIDES, _SLOTS = 2, 8, 8 + MOST_AXES  # the DLTensor, between the arguments on the stack and its strides
_DATA, _DEVICE, _RANK, _KIND, _SHAPE, _STEPS, _OFFSET = (
    (0, 8), (8, 4), (16, 4), (20, 4), (24, 8), (32, 8), (40, 8)
)  # fmt: skip


class Functions(NamedTuple):
    """Addresses. `dtypes`: (type as DLPack's four bytes, element's bytes, dtype object)."""

    describe: int  # DLPackDLTensorFromPyObjectNoSync
    new: int  # PyArray_NewFromDescr
    set_base: int  # PyArray_SetBaseObject
    inc_ref: int
    clear: int  # PyErr_Clear
    array_type: int
    none: int
    dtypes: tuple[tuple[int, int, int], ...]


def emit(functions: Functions, machine: Scalar) -> Code:
    """The code for one library's functions."""
    m, asm = machine, machine.asm
    none = asm.label("none")
    value, dtype, made = used = m.kept[:3]

    def tensor(offset: int, size: int) -> Memory:
        base, start, _ = m.slot(_TENSOR)
        return Memory(base, start + offset, size)

    def call(function: int, *arguments: object) -> None:
        for number, argument in enumerate(arguments):
            m.move(m.argument(number), argument)
        m.call(function)

    m.begin("view")
    m.open(_SLOTS, used)
    m.move(value, Memory(m.arguments[1]))
    m.address(m.arguments[1], m.stack, offset=tensor(0, 8).offset)
    call(functions.describe, value)
    m.move(m.slot(0), m.result)
    m.branch(m.slot(0)._replace(size=4), "!=", 0, none)  # an int: the upper half of the register is undefined
    m.branch(tensor(*_DEVICE), "!=", CPU, none)
    m.move(m.y, tensor(*_RANK))
    m.branch(m.y, "u>=", MOST_AXES + 1, none)
    _dtype(m, functions.dtypes, tensor(*_KIND), dtype, none)
    _byte_strides(m, tensor(*_STEPS), tensor(*_SHAPE))
    call(functions.inc_ref, dtype)  # the new array takes this reference over
    m.move(m.x, tensor(*_DATA))
    m.add(m.x, tensor(*_OFFSET))
    m.address(m.values[0], m.stack, offset=m.slot(_STRIDES).offset)
    call(functions.new, functions.array_type, dtype, tensor(*_RANK), tensor(*_SHAPE), m.values[0], m.x, WRITEABLE, 0)
    m.move(made, m.result)
    m.branch(m.result, "==", 0, none)
    call(functions.inc_ref, value)  # the array's base takes this one over
    call(functions.set_base, made, value)
    m.move(m.result, made)
    m.close()
    m.ret()
    asm.bind(none)
    call(functions.clear)
    call(functions.inc_ref, functions.none)
    m.move(m.result, functions.none)
    m.close()
    m.ret()
    code: Code = asm.finish("ts_view")
    return code


def _dtype(m: Scalar, dtypes: tuple[tuple[int, int, int], ...], kind: Memory, dtype: object, none: Label) -> None:
    """dtype := the dtype object, z := the bytes of an element."""
    known = m.asm.label("known")
    m.move(m.x, kind)
    for number, size, found in dtypes:
        other = m.asm.label()
        m.branch(m.x, "!=", number, other)
        m.move(dtype, found)
        m.move(m.z, size)
        m.jump(known)
        m.asm.bind(other)
    m.jump(none)
    m.asm.bind(known)


def _byte_strides(m: Scalar, steps: Memory, shape: Memory) -> None:
    """Strides of y axes in bytes, elements of z bytes; where DLPack gives none the array is dense, in C order."""
    from_, strides, _ = m.values
    dense, done, given = m.asm.label("dense"), m.asm.label("done"), m.asm.label("given")
    m.branch(m.y, "==", 0, done)
    m.address(strides, m.stack, m.y, 8, m.slot(_STRIDES).offset - 8)  # the last one
    m.move(from_, steps)
    m.branch(from_, "==", 0, dense)
    m.asm.bind(given)
    m.element(m.x, from_, m.y)
    m.multiply(m.x, m.z)
    m.move(Memory(strides), m.x)
    m.subtract(strides, 8)
    m.subtract(m.y, 1)
    m.branch(m.y, "!=", 0, given)
    m.jump(done)
    m.asm.bind(dense)
    m.move(from_, shape)
    with m.loop(m.y):
        m.move(Memory(strides), m.z)
        m.subtract(strides, 8)
        m.element(m.x, from_, m.y)
        m.multiply(m.z, m.x)
    m.asm.bind(done)
