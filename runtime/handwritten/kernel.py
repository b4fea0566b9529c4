"""Hand-written functions as callables that take arrays: `code.kernel("float dot(const float x[n], ..., long n)")`.

Every call is checked against the declaration: types, ranges of numbers, extents, which arrays are written and which may
not overlap. The code itself is checked once, when the callable is made: that it ends, and whether it preserves the
registers of its caller.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.code import Code
from ...encoder.deferred import lazy
from ...encoder.errors import EncodeError
from ...encoder.features import Target
from ...encoder.files.header import Declared, c_name
from ...encoder.files.store import write
from ...encoder.frames import Untraceable
from ...encoder.listing import listing
from ...encoder.walk import Flow, stack_bytes, trace
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype, overlap
from ..arguments.c_declaration import (
    Declaration,
    Parameter,
    address,
    check_array,
    check_number,
    declaration,
    of_types,
    register_contents,
)
from ..host import detect as host
from ..memory.executable import ExecutableBlock, publish
from ..system.libc import ffi

if TYPE_CHECKING:
    from ...emulation import cpu as emulation_cpu
    from ..api import verify as api_verify
    from ..kernel import display
    from ..kernel.callable import Kernel
    from ..verify.proof import Proof
    from . import returned, stored_result

display = lazy(__package__, "..kernel.display")
returned = lazy(__package__, ".returned")
stored_result = lazy(__package__, ".stored_result")
api_verify = lazy(__package__, "..api.verify")
emulation_cpu = lazy(__package__, "...emulation.cpu")

_REAL = {"f32": "<f", "f64": "<d"}


class HandCode(Code):
    """The code of `ts.assembler`: a Code with the method `kernel`, which makes a callable of it."""

    def kernel(self, declared: str | None = None, /, *, returns: str | None = None, **types: str) -> HandKernel:
        """Return the function as a callable, from its C declaration or from a type for each parameter.

            dot = code.kernel("float dot(const float x[n], const float y[n], long n)")
            dot = code.kernel(returns="f32", x="const f32 [n]", y="const f32 [n]", n="i64")

        x[n] states how many elements the function touches; shorter arrays are refused. `*x` states no bound: `run`,
        which emulates the code, finds every access outside of the arrays. `const` and `restrict` have their meaning in
        C and are checked. Raises ValueError for a declaration that cannot be parsed, EncodeError if the code is empty
        or runs off its end. Issues a RuntimeWarning if a register of the caller may not be restored.
        """
        if (declared is None) != bool(types or returns):
            raise TypeError("kernel: takes a declaration, or returns= and a type for each parameter")
        made = of_types(self.symbol, returns, types) if declared is None else declaration(declared)
        check_ends(self)
        return HandKernel(self, made)


def check_ends(code: Code) -> None:
    """Raise EncodeError unless every visible path of the code ends with a return or a jump to other code."""
    if not code.record:
        raise EncodeError(f"{code.name}: there are no instructions; a function ends with ret at least")
    try:
        flow = Flow(code)
        reached = flow.reached(flow.entries)
    except Untraceable as reason:
        raise EncodeError(f"{code.name}: {reason}") from None
    last = len(flow.instructions) - 1
    if last in reached and flow.steps[last].falls:
        raise EncodeError(f"{code.name}: runs off its end after {flow.instructions[last].text}; is a ret missing?")
    if not any(flow.leaves(number) for number in reached):
        raise EncodeError(f"{code.name}: never returns: no ret, and no jump to other code, can be reached")
    lost = trace(code).lost
    if lost:
        warnings.warn(
            f"{code.name}: {lost}. A callee-saved register that is not restored breaks the caller, and "
            "debuggers and C++ exceptions cannot pass; run() finds whether registers are kept.",
            RuntimeWarning,
            stacklevel=3,
        )


class HandKernel:
    """A hand-written function. Call it with arrays for pointers and numbers for numbers; nothing is copied.

    declaration   the parameters and the result
    code          the bytes, constants included
    address       the entry in this process; None if this host lacks an instruction

    The object owns its page: the code lives as long as the object or a call of it.
    """

    __slots__ = ("declaration", "_code", "_block", "_function", "_refusal")

    def __init__(self, code: Code, declared: Declaration) -> None:
        self.declaration, self._code = declared, code
        self._refusal = host.runs(replace(code.target, features=code.features))  # only the features that the code needs
        self._block: ExecutableBlock | None = None if self._refusal else publish(code.data)
        self._function = ffi.cast(declared.pointer_type, self._block.address) if self._block else None

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run the code. Raises TypeError or ValueError for arguments that the declaration does not allow, before
        anything runs. Arguments may be given by name."""
        values, keep = self._values(self._placed(args, named) if named else args)
        if self._function is None:
            raise UnsupportedError(
                f"{self._refusal}. What works here: listings, objects, and run(...), which emulates it."
            )
        result = self._function(*values)
        del keep
        return result

    def run(self, *args: Any, **named: Any) -> Any:
        """Run the code in `emulation.cpu`, on any host. An access outside of the arrays is a Fault that names it, and
        so is a register of the caller that is not restored."""
        values, arrays = self._values(self._placed(args, named))
        cpu = emulation_cpu
        regions, integers, reals = [], [], []
        for each, value in zip(self.declaration.parameters, values):
            array = arrays.get(each.name)
            if array is not None:
                regions.append(cpu.Region(each.name, array, not each.const))
            if each.pointer or each.type not in _REAL:
                integers.append(value)
            else:
                reals.append(struct.pack(_REAL[each.type], value))
        done = cpu.execute(self.code, self._code.target, integers, regions, reals=reals)
        return self._result(done)

    def _result(self, done: Any) -> Any:
        kind = self.declaration.result
        if kind in _REAL:
            return struct.unpack_from(_REAL[kind], done.real)[0]
        return int(np.int64(done.result).astype(numpy_dtype(kind))) if kind else None  # its low bits, as C returns it

    def _placed(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments in the order of the declaration."""
        behind = [each.name for each in self.declaration.parameters[len(args) :]]
        wrong = [name for name in named if name not in behind]
        wrong += [name for name in behind if named and name not in named]
        if wrong:
            what = "is missing" if wrong[0] in behind else "is no parameter that is left"
            raise TypeError(f"{wrong[0]}: {what}; the function is {self.declaration}")
        return (*args, *(named[name] for name in behind if named))

    def _values(self, args: tuple[Any, ...]) -> tuple[list[Any], dict[str, Array]]:
        """Return the arguments to pass, and the arrays to keep alive meanwhile, keyed by parameter."""
        parameters = self.declaration.parameters
        if len(args) != len(parameters):
            raise TypeError(f"{self.declaration} takes {len(parameters)} arguments, not {len(args)}")
        numbers = {
            each.name: check_number(each.name, each, arg) for each, arg in zip(parameters, args) if not each.pointer
        }
        integers = {name: value for name, value in numbers.items() if type(value) is int}
        arrays: dict[str, Array] = {}
        values: list[Any] = []
        for each, arg in zip(parameters, args):
            place = address(each.name, arg) if each.pointer and not each.extent else None
            if not each.pointer:
                values.append(numbers[each.name])
            elif place is not None:
                values.append(place)
            else:
                array = arrays[each.name] = self._array(each, arg, integers)
                values.append(address_of(array))
        self._check_apart(arrays)
        return values, arrays

    @staticmethod
    def _array(parameter: Parameter, arg: Any, integers: dict[str, int]) -> Array:
        array = as_array(parameter.name, arg)
        check_array(parameter.name, parameter, array)
        try:
            wanted = parameter.elements(integers)
        except ZeroDivisionError:
            raise ValueError(f"{parameter.name}[{parameter.extent}]: a divisor is 0") from None
        if wanted is not None and not 0 <= wanted <= array.size:
            raise ValueError(
                f"{parameter.name}[{parameter.extent}]: {wanted} elements, and this array has {array.size}"
            )
        return array

    def _check_apart(self, arrays: dict[str, Array]) -> None:
        """Raise ValueError if an array shares memory with one that is declared restrict."""
        for each in self.declaration.parameters:
            if not each.restrict or each.name not in arrays:
                continue
            for name, other in arrays.items():
                if name != each.name and overlap(arrays[each.name], other):
                    raise ValueError(f"{each.name}: is declared restrict, and shares memory with {name}")

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.declaration.name

    @property
    def code(self) -> bytes:
        """The machine code and its constants, position-independent."""
        return self._code.data

    @property
    def target(self) -> Target:
        """The processor that the code was assembled for."""
        return self._code.target

    @property
    def address(self) -> int | None:
        """The entry's address in this process."""
        return self._block.address if self._block else None

    @property
    def stack_bytes(self) -> int:
        """The bytes of stack that a call needs below the return address. Functions that the code calls at addresses
        come on top of that."""
        try:
            return stack_bytes(self._code)
        except Untraceable as reason:
            raise UnsupportedError(f"stack_bytes: {reason}; run(...) shows whether 512 KiB suffice") from None

    @property
    def c_prototype(self) -> str:
        """The C declaration."""
        return self.declaration.exported

    def listing(self, syntax: str = "intel") -> str:
        """The instructions as text: "intel" with offsets, bytes and notes, "gas" to assemble to exactly `code`."""
        return listing(self._code, syntax)

    def registers(self) -> str:
        """Return a table of the registers: the first and the last instruction that names each."""
        shown: str = display.registers(self)
        return shown

    def costs(self) -> str:
        """Return a table of the cycles that each instruction and innermost loop occupies the FMA, load and shuffle
        pipes, by the planner's numbers, as `Kernel.costs` does."""
        shown: str = display.costs(self)
        return shown

    def verify(
        self,
        spec: Callable[..., Any] | Kernel,
        operands: Mapping[str, Any] | None = None,
        *,
        any_mode: bool = False,
        timeout: float | None = None,
        **named: Any,
    ) -> Proof:
        """Return a `Proof` that the code computes an expression or replaces a kernel, as `ts.verify` does, within
        `timeout` seconds.

        The result of a function that returns a number is its last operand, under any name: "sum": ((1, 1), "f32",
        "out").
        """
        declared, code = self.declaration, self._code
        passed = register_contents(declared, code.arch, operands)
        if not declared.result or hasattr(spec, "spec"):  # code in the place of a kernel has no result
            return api_verify.proved(code, spec, operands, any_mode, named, passed, timeout=timeout)
        stored = stored_result
        proof = api_verify.proved(
            stored.storing(code, declared),
            spec,
            operands,
            any_mode,
            named,
            passed,
            partial(returned.alone, code.data, code.target),
            timeout=timeout,
        )
        front = f"{stored.SIZE} bytes in front of the code, which store its result; offsets count them"
        return replace(proof, trusted=(*proof.trusted, front))

    def declared(self, name: str | None = None) -> Declared:
        """Return the function as a header declares it, under the declaration's or another name."""
        shown = self.declaration
        code = replace(self._code, name=shown.name if name is None else c_name(name))
        return Declared(code, shown.result_c, tuple(each.exported for each in shown.parameters), str(shown))

    def save(self, path: str | Path, name: str | None = None) -> None:
        """Write a .s, .o, .a, .so, .h, .f90 or .bin file, as `Kernel.save` does.
        `name` is the C function's name instead of the declaration's."""
        write(path, [self.declared(name)])

    def __reduce__(self) -> str:
        raise TypeError("a HandKernel is code in this process; move its Code, or save() it")

    def __repr__(self) -> str:
        where = f"at {self.address:#x}" if self.address else "not executable here"
        return f"<{self.declaration}, {len(self.code)} bytes for {self._code.target.name}, {where}>"

    def _repr_html_(self) -> str:
        """Return the declaration for notebooks, with the registers and the listing in folded sections."""
        shown: str = display.by_hand(self)
        return shown
