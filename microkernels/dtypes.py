"""Element types by name: their size, the C type of an element, and how numpy spells them."""

from __future__ import annotations

from typing import NamedTuple


class Dtype(NamedTuple):
    """An element type."""

    bytes: int
    c: str  # C type of an element; 16- and 8-bit floats are passed as their bits
    numpy: str  # name in numpy, or in ml_dtypes
    real: bool  # a floating-point type


DTYPES = {
    "f64":    Dtype(8, "double",   "float64",         True),
    "f32":    Dtype(4, "float",    "float32",         True),
    "f16":    Dtype(2, "uint16_t", "float16",         True),
    "bf16":   Dtype(2, "uint16_t", "bfloat16",        True),
    "f8e5m2": Dtype(1, "uint8_t",  "float8_e5m2",     True),
    "f8e4m3": Dtype(1, "uint8_t",  "float8_e4m3fn",   True),
    "i64":    Dtype(8, "int64_t",  "int64",           False),
    "u64":    Dtype(8, "uint64_t", "uint64",          False),
    "i32":    Dtype(4, "int32_t",  "int32",           False),
    "u32":    Dtype(4, "uint32_t", "uint32",          False),
    "i16":    Dtype(2, "int16_t",  "int16",           False),
    "u16":    Dtype(2, "uint16_t", "uint16",          False),
    "i8":     Dtype(1, "int8_t",   "int8",            False),
    "u8":     Dtype(1, "uint8_t",  "uint8",           False),
    "c64":    Dtype(8, "float _Complex", "complex64", True),
    "c128":   Dtype(16, "double _Complex", "complex128", True),
}  # fmt: skip
"""Every type that an operand of some kernel may have; each kind of kernel says which of them it takes."""

FRACTION_BITS = {"f32": 23, "f64": 52}
EXPONENT_BIAS = {"f32": 127, "f64": 1023}
FLOAT8 = ("f8e5m2", "f8e4m3")
ELEMENT_BYTES = {name: dtype.bytes for name, dtype in DTYPES.items()}
