"""C declarations of hand-written functions: the type of each argument, and the properties of arrays that a call can
check.

    declaration("float dot(const float x[n], const float y[n], long n)")
    declaration("void scale(float *restrict y, const float *restrict x, float by, size_t n)")

A pointer with an extent, such as `x[n]` or `c[m * ldc]`, states how many elements the function touches. The extent may
use the integer parameters, numbers, + - * / and parentheses. `const` means that the function does not write through the
pointer, `restrict` that no other array shares the memory. Element types are those of C, of <stdint.h>, and the
project's own.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import struct
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from ...encoder.files.header import c_name, c_parameter
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES, element_type
from ...microkernels.errors import UnsupportedError
from .arrays import Array, numpy_dtype

# The C types by the project's names of element types, and the project's names by the spellings of C and <stdint.h>.
C_NAMES = {
    "i8": ("int8_t", "char", "signed char"),
    "u8": ("uint8_t", "unsigned char", "bool", "_Bool"),
    "i16": ("int16_t", "short"),
    "u16": ("uint16_t", "unsigned short"),
    "i32": ("int32_t", "int"),
    "u32": ("uint32_t", "unsigned int", "unsigned"),
    "i64": ("int64_t", "long", "long long", "intptr_t", "ptrdiff_t", "ssize_t"),
    "u64": ("uint64_t", "unsigned long", "unsigned long long", "uintptr_t", "size_t"),
    "f32": ("float", "_Float32"),
    "f64": ("double", "_Float64"),
    "f16": ("_Float16",),
    "bf16": ("__bf16",),
    "c64": ("float _Complex",),
    "c128": ("double _Complex",),
}
TYPES = {name: dtype for dtype, names in C_NAMES.items() for name in names} | {name: name for name in DTYPES}
PASSED = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64")
"""The types of results, and of arguments that are not pointers."""
_DECLARATION = re.compile(
    r"\s*(?P<result>[\w\s*]*?[\s*])\s*(?P<name>[A-Za-z_]\w*)\s*\((?P<arguments>.*)\)\s*;?\s*", re.S
)
_PARAMETER = re.compile(r"(?P<type>[\w\s*]*?[\s*])\s*(?P<name>[A-Za-z_]\w*)\s*(?:\[(?P<extent>[^\]]*)\])?\s*")
_BYTES = {np.dtype(np.int8), np.dtype(np.uint8)}
_RESTRICT = {"restrict", "__restrict", "__restrict__"}
_QUALIFIERS = {"const", "volatile"} | _RESTRICT
_BRACKETED = re.compile(rf"((?:(?:static|{'|'.join(sorted(_QUALIFIERS))})\b\s*)*)(.*)", re.S)
_OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
}


class Parameter(NamedTuple):
    """One argument of a function."""

    name: str
    type: str  # the element type, or the type of the number; "" behind void *
    pointer: bool = False
    const: bool = False  # the function does not write through the pointer
    restrict: bool = False  # no other array shares its memory
    extent: str = ""  # the number of elements that the function touches, as an expression of the integer parameters

    def __str__(self) -> str:
        c_type = C_NAMES[self.type][0] if self.type in C_NAMES else DTYPES[self.type].c if self.type else "void"
        if not self.pointer:
            return f"{c_type} {self.name}"
        star = "*restrict " if self.restrict else "*"
        return f"{'const ' * self.const}{c_type} {star}{self.name}"

    @property
    def exported(self) -> str:
        """The parameter in a header, which compilers of C and of C++ read. __restrict is restrict in both, and 16-bit
        floats are their bits, as in headers of kernels."""
        c_type = DTYPES[self.type].c if self.type else "void"
        star = "*" * self.pointer + "__restrict " * self.restrict
        return c_parameter(f"{'const ' * self.const}{c_type} {star}", self.name)

    @property
    def passed(self) -> str:
        """The type that cffi passes it as. Pointers travel as integers."""
        return "uintptr_t" if self.pointer else C_NAMES[self.type][0]

    def elements(self, numbers: Mapping[str, int]) -> int | None:
        """Return the number of elements that the function touches, or None if the declaration does not state it."""
        return _value(ast.parse(self.extent, mode="eval").body, numbers) if self.extent else None


class Declaration(NamedTuple):
    """A C function."""

    name: str
    result: str  # "" for void
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return f"{self.result_c} {self.name}({', '.join(map(str, self.parameters)) or 'void'})"

    @property
    def result_c(self) -> str:
        """The result type as C writes it."""
        return C_NAMES[self.result][0] if self.result else "void"

    @property
    def exported(self) -> str:
        """The declaration in a header."""
        return f"{self.result_c} {self.name}({', '.join(each.exported for each in self.parameters) or 'void'});"

    @property
    def pointer_type(self) -> str:
        """The type of a pointer to the function, for cffi."""
        return f"{self.result_c}(*)({', '.join(parameter.passed for parameter in self.parameters) or 'void'})"


def declaration(text: str) -> Declaration:
    """Parse a declaration. The ValueError for a wrong one names the part that is not understood."""
    if not isinstance(text, str):
        raise TypeError(f"kernel: takes a declaration as a string, not {text!r}")
    found = _DECLARATION.fullmatch(text)
    if not found:
        raise ValueError(f'{text!r}: no declaration of a function, such as "float dot(const float x[n], long n)"')
    name, inside = c_name(found["name"]), found["arguments"].strip()
    parts = [] if inside in ("", "void") else inside.split(",")
    parameters = tuple(_parameter(name, part.strip()) for part in parts)
    result, pointer, _, _ = _type(name, "the result", found["result"])
    if pointer:
        raise ValueError(f"{name}: returns a pointer; return nothing or a number, and let arguments point to results")
    return _checked(Declaration(name, _number(name, "the result", result) if result else "", parameters))


def of_types(name: str, result: str | None, parameters: Mapping[str, str]) -> Declaration:
    """Return the declaration with these parameter types: `of_types("dot", "f32", {"x": "const f32 *", "n": "i64"})`."""
    wrong = [f"{parameter}={text!r}" for parameter, text in parameters.items() if not isinstance(text, str)]
    if wrong:
        raise TypeError(f'{name}: {wrong[0]}: a type is a string, such as "const f32 [n]"')
    made = ", ".join(_joined(parameter, text) for parameter, text in parameters.items())
    return declaration(f"{result or 'void'} {name}({made})")


def _joined(name: str, text: str) -> str:
    """Combine `const f32 [n]` and `x` into `const f32 x[n]`."""
    base, bracket, extent = text.partition("[")
    return f"{base} {name}{bracket}{extent}"


def _parameter(function: str, text: str) -> Parameter:
    found = _PARAMETER.fullmatch(text)
    if not found:
        raise ValueError(f'{function}: {text!r} is no parameter; write a type and a name, such as "const float *x"')
    name, bracket = found["name"], _BRACKETED.fullmatch((found["extent"] or "").strip())
    assert bracket
    qualifiers, extent = bracket.groups()  # of C99: x[static n] promises n elements, as x[n] does here
    kind, pointer, const, restrict = _type(function, name, found["type"])
    restrict = restrict or not _RESTRICT.isdisjoint(qualifiers.split())
    if pointer and found["extent"] is not None:
        raise ValueError(
            f"{function}: {text!r} is an array of pointers; without its * it is an array of elements, and an array of "
            'addresses is passed as "const uint64_t *"'
        )
    pointer = pointer or found["extent"] is not None
    if not pointer and kind not in PASSED:
        raise ValueError(
            f"{function}: {name} is {kind or 'void'}; numbers of these types can be passed: {', '.join(PASSED)}"
        )
    return Parameter(name, kind, pointer, const, restrict, extent)


def _type(function: str, name: str, text: str) -> tuple[str, bool, bool, bool]:
    """Parse "const float *restrict". Return the element type, and whether it is a pointer, const, restrict."""
    base, star, behind = text.partition("*")
    if "*" in behind:
        raise ValueError(
            f'{function}: {name} is a pointer to pointers; pass an array of addresses as "const uint64_t *"'
        )
    words = base.split()
    spelled = _spelled([word for word in words if word not in _QUALIFIERS])
    if spelled != "void" and spelled not in TYPES or spelled == "void" and not star and name != "the result":
        usable = TYPES if star else [each for each in TYPES if TYPES[each] in PASSED]
        near = get_close_matches(spelled, usable, n=2)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(
            f"{function}: {name} is {spelled!r}, which is no type of C, of <stdint.h> or of this project{hint}"
        )
    return (
        TYPES.get(spelled, ""),
        bool(star),
        "const" in words,
        not _RESTRICT.isdisjoint(behind.split()),
    )


def _spelled(words: list[str]) -> str:
    """Return the shortest spelling of a type: `long int unsigned` is `unsigned long`."""
    if "int" in words and len(words) > 1:
        words.remove("int")
    if "signed" in words and "char" not in words:
        words.remove("signed")
        words = words or ["int"]
    words = ["_Complex" if word == "complex" else word for word in words]  # as <complex.h> defines it
    return " ".join(sorted(words, key=lambda word: {"signed": 0, "unsigned": 0, "_Complex": 2}.get(word, 1)))


def _number(function: str, name: str, kind: str) -> str:
    if kind not in PASSED:
        raise ValueError(f"{function}: {name} is {kind}; numbers of these types can be returned: {', '.join(PASSED)}")
    return kind


def _checked(made: Declaration) -> Declaration:
    """Return the declaration if its names are distinct and its extents use integer parameters."""
    names = [parameter.name for parameter in made.parameters]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"{made.name}: two parameters are named {twice}")
    integers: dict[str, Any] = {  # a divisor that depends on an argument may be 0 or not, and NaN is not
        parameter.name: math.nan for parameter in made.parameters if not parameter.pointer and parameter.type[0] in "iu"
    }
    for parameter in made.parameters:
        try:
            parameter.elements(integers)
        except (SyntaxError, KeyError, TypeError, ZeroDivisionError, RecursionError) as error:
            reason = f"{error.args[0]!r} is no integer parameter" if isinstance(error, KeyError) else str(error)
            if isinstance(error, SyntaxError):  # its text names a line of a file
                reason = f"{error.msg}; integer parameters, numbers, + - * / and parentheses can stand there"
            raise ValueError(f"{made.name}: the extent of {parameter.name}[{parameter.extent}]: {reason}") from None
    return made


def _value(node: ast.expr, numbers: Mapping[str, int]) -> int:
    """Evaluate an integer expression of the parameters."""
    if isinstance(node, ast.Name):
        return numbers[node.id]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, numbers), _value(node.right, numbers))
    raise TypeError("numbers, integer parameters, + - * / and parentheses can stand there")


# Values of a call


def check_array(name: str, parameter: Parameter, array: Array) -> None:
    """Raise TypeError or ValueError unless the array matches a pointer parameter, whatever its size."""
    if parameter.type and array.dtype != numpy_dtype(parameter.type):
        wanted = numpy_dtype(parameter.type)
        bytes_of = f"; np.frombuffer({name}, np.{wanted}) has the same bytes" * ({wanted, array.dtype} == _BYTES)
        raise TypeError(f"{name}: {parameter} takes an array of {wanted}, not of {array.dtype}{bytes_of}")
    if not parameter.const and not array.flags.writeable:
        raise TypeError(f"{name}: {parameter} is written through, and this array is read-only")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise TypeError(
            f"{name}: {parameter} takes a contiguous array; pass the address of any other memory as an integer"
        )


def check_number(name: str, parameter: Parameter, value: Any) -> int | float:
    """Return the number if the parameter's type can represent it."""
    if parameter.type[0] == "f":
        return _real(name, parameter, value)
    try:
        exact = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {parameter} takes an integer, not {type(value).__name__}") from None
    bounds = np.iinfo(numpy_dtype(parameter.type))
    if not bounds.min <= exact <= bounds.max:
        raise ValueError(
            f"{name}: {exact} is no {C_NAMES[parameter.type][0]}, which holds {bounds.min} to {bounds.max}"
        )
    return exact


def _real(name: str, parameter: Parameter, value: Any) -> float:
    """Return a real number, if the parameter's type does not round it to infinity."""
    # a string has no __float__, although float() parses it; a complex number of numpy has one that drops a part
    if not hasattr(type(value), "__float__") or isinstance(value, np.complexfloating):
        raise TypeError(f"{name}: {parameter} takes a number, not {type(value).__name__}")
    try:
        real = float(value)
        struct.pack(f"<{numpy_dtype(parameter.type).char}", real)
    except TypeError as error:
        raise TypeError(f"{name}: {parameter} takes a number: {error}") from None
    except OverflowError:
        raise ValueError(f"{name}: {parameter} does not hold numbers of this size") from None
    return real


def address(name: str, value: Any) -> int | None:
    """Return the address that an integer states for a pointer; None for anything that is no integer."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return None
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{name}: {value} is no address")
    return int(value)


# Values of a proof

_ABOVE = 0x5EED_FACE_0DD5_1DE5
"""What stands in the bits of a register that a call leaves undefined."""


def register_contents(declared: Declaration, arch: str, operands: Any) -> dict[str, int]:
    """Return what registers hold for the integers among the operands of a proof: the bits above a narrow type are
    undefined. Callers on x86-64 extend types of 8 and 16 bits to 32, those on AArch64 do not (AAPCS64, 6.8.2).

    Raises ValueError or TypeError unless the operands are the parameters in their order, with their types; a result may
    follow. Raises UnsupportedError for a number in a vector register, which no proof passes.
    """
    real = [each.name for each in declared.parameters if not each.pointer and each.type[0] == "f"]
    if real:
        raise UnsupportedError(
            f"verify: {real[0]} is a number in a vector register, which no proof passes; let the "
            "function read it through a pointer"
        )
    if not isinstance(operands, Mapping):
        return {}
    names = [each.name for each in declared.parameters]
    if list(operands)[: len(names)] != names or len(operands) != len(names) + bool(declared.result):
        behind = ", and its result" * bool(declared.result)
        raise ValueError(
            f"operands: {', '.join(names)}, as the parameters of {declared}{behind}, not "
            f"{', '.join(map(str, operands)) or 'none'}"
        )
    passed = {}
    for each in declared.parameters:
        value = operands[each.name]
        if not each.pointer:
            passed[each.name] = _extended(int(check_number(each.name, each, value)), each.type, arch)
        elif isinstance(value, (tuple, list)) and len(value) == 3:
            _check_described(each, *value[1:])
    return passed


def _extended(value: int, dtype: str, arch: str) -> int:
    bits = int(dtype[1:])
    known = max(bits, 32) if arch == "x86" else bits
    return value if bits == 64 else value & (1 << known) - 1 | _ABOVE >> known << known


def _check_described(parameter: Parameter, dtype: Any, way: Any) -> None:
    """Raise unless an operand of a proof has the type of a pointer's elements, and is written only through one that is
    not const."""
    if parameter.type and element_type(f"operands: {parameter.name}", dtype) != parameter.type:
        raise ValueError(f"operands: {parameter.name}: {parameter} points to {parameter.type}, not to {dtype}")
    if parameter.const and way == "out":
        raise ValueError(f"operands: {parameter.name} is const in the declaration, so it is no result")
