"""Element types by name: their size, the C type of an element, and every way to spell them.

`element_type` is the one resolver. It turns names of this project ("f32"), of numpy and ml_dtypes ("float32",
np.float32, np.dtype("f4"), ml_dtypes.bfloat16), of torch (torch.float32) and of Python (float) into this project's
name.
"""

from __future__ import annotations

from typing import Any

from ..encoder.errors import shown
from ..encoder.records import NamedTuple
from .names import nearest


class Dtype(NamedTuple):
    """An element type."""

    bytes: int  # of an element; integers of 4 bits have a byte each, as in ml_dtypes, whose upper half does not count
    c: str  # C type of an element; 16- and 8-bit floats are passed as their bits
    numpy: str  # name in numpy, or in ml_dtypes
    real: bool  # a floating-point type


DTYPES = {
    "f64": Dtype(8, "double", "float64", True),
    "f32": Dtype(4, "float", "float32", True),
    "f16": Dtype(2, "uint16_t", "float16", True),
    "bf16": Dtype(2, "uint16_t", "bfloat16", True),
    "f8e5m2": Dtype(1, "uint8_t", "float8_e5m2", True),
    "f8e4m3": Dtype(1, "uint8_t", "float8_e4m3fn", True),
    "i64": Dtype(8, "int64_t", "int64", False),
    "u64": Dtype(8, "uint64_t", "uint64", False),
    "i32": Dtype(4, "int32_t", "int32", False),
    "u32": Dtype(4, "uint32_t", "uint32", False),
    "i16": Dtype(2, "int16_t", "int16", False),
    "u16": Dtype(2, "uint16_t", "uint16", False),
    "i8": Dtype(1, "int8_t", "int8", False),
    "u8": Dtype(1, "uint8_t", "uint8", False),
    "i4": Dtype(1, "uint8_t", "int4", False),
    "u4": Dtype(1, "uint8_t", "uint4", False),
    "c64": Dtype(8, "float _Complex", "complex64", True),
    "c128": Dtype(16, "double _Complex", "complex128", True),
}
"""Every type that an operand of some kernel may have. Each kind of kernel says which of them it takes."""

FRACTION_BITS = {"f32": 23, "f64": 52}
EXPONENT_BIAS = {"f32": 127, "f64": 1023}
FLOAT8 = ("f8e5m2", "f8e4m3")
FOUR_BITS = ("i4", "u4")
"""Integers of 4 bits, one in the lower half of a byte."""
_BYTES_OF_WEIGHTS = ("i8", "u8", *FLOAT8)
_MIXED = (
    *((a, b) for a in ("f32", "bf16", "f16") for b in _BYTES_OF_WEIGHTS),
    *(("f32", "bf16"), ("f32", "f16"), FLOAT8),
)
MIXED_FLOATS = (*_MIXED, *((b, a) for a, b in _MIXED))
"""Pairs of different element types that products multiply as f32: floats by bytes, f32 by 16-bit floats, and the 8-bit
floats by each other."""
ELEMENT_BYTES = {name: dtype.bytes for name, dtype in DTYPES.items()}

SPELLINGS: dict[str, str] = {
    **{name: name for name in DTYPES},
    **{dtype.numpy: name for name, dtype in DTYPES.items()},
    "double": "f64",
    "float": "f64",
    "single": "f32",
    "half": "f16",
    "int": "i64",
    "complex": "c128",
    "cfloat": "c64",
    "cdouble": "c128",
}
"""Every name of an element type in this project, numpy, ml_dtypes, torch and Python, mapped to this project's name.

"float" and "int" are Python's types, 64 bits wide as in numpy.
"""
_CODES = {
    "f2": "f16",
    "f4": "f32",
    "i1": "i8",
    "i2": "i16",
    "u1": "u8",
    "u2": "u16",
    "c8": "c64",
    "c16": "c128",
}
"""numpy's codes, which count bytes. Names here count bits ("i8" is int8), so these codes are refused with a hint."""
_WIDE_CODES = {"f8": "f64", "i4": "i32", "u4": "u32", "i8": "i64", "u8": "u64"}
"""Codes that are unambiguous only behind a letter of `_BYTE_ORDERS`."""
_BYTE_ORDERS = ("<", ">", "=", "|")
_C_NAMES = {"longlong": "i64", "ulonglong": "u64"}
"""numpy types that are named after C types and differ from the types named by their size."""
BF16X3, OZAKI = "f32x3bf16", "f64xi8"
"""Precisions of products that are emulated on a unit for a narrower type (precision/)."""


def element_type(what: str, value: Any, *others: str) -> str:
    """Return the name in `DTYPES` of an element type in any spelling. `others` are further strings that are allowed.

    Raises TypeError for a value that is not a type, and ValueError, with the nearest name, for an unknown name. Both
    messages begin with `what`.
    """
    canonical = SPELLINGS.get(value) if type(value) is str else None
    if canonical is not None:
        return canonical
    text = _spelled(value)
    if text is None:
        raise TypeError(f'{what}: an element type, as "f32", np.float32 or "float32", not {shown(value)}')
    if text in others:
        return text
    if text in SPELLINGS:
        return SPELLINGS[text]
    if not getattr(value, "isnative", True):
        raise ValueError(f"{what}: elements in native byte order, not {value!r}")
    raise ValueError(
        f"{what}: no element type is called {text!r}{_hint(text)} Kernels have {', '.join((*DTYPES, *others))}"
    )


def _spelled(value: Any) -> str | None:
    """The type's name in the library it comes from; None if the value is not a type."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, type):  # float, np.float32, ml_dtypes.bfloat16
        return _C_NAMES.get(value.__name__, value.__name__)
    module = str(getattr(type(value), "__module__", ""))
    if module.startswith("numpy") and hasattr(value, "isnative"):  # np.dtype
        return str(value.name if value.isnative else value.str)
    if module == "torch" and type(value).__name__ == "dtype":
        return str(value).removeprefix("torch.")
    return None


def _hint(text: str) -> str:
    code = text[1:] if text[:1] in _BYTE_ORDERS else text
    if code in _CODES or code != text and code in _WIDE_CODES:
        return f" (numpy's codes count bytes, names here bits: {_CODES.get(code) or _WIDE_CODES[code]!r})."
    if text in ("bool", "bool_", "torch.bool"):
        return "; store masks as the bytes 0 and 1, u8, or as bits (np.packbits), and compare: ts.select(m != 0, a, b)."
    near = nearest(text, SPELLINGS)
    if not near:
        return "."
    return f'; did you mean "{near}"' + ("?" if SPELLINGS[near] == near else f" ({SPELLINGS[near]})?")
