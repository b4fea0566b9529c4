"""The table of operations: the types of each, and its result for every value, including special ones."""

from __future__ import annotations

from ...encoder.records import NamedTuple

FLOATS = ("f32", "f64")
INTEGERS = ("i32", "i64")
MASKS = ("m32", "m64")
INTEGER_OF = {"f32": "i32", "f64": "i64", "m32": "i32", "m64": "i64", "i32": "i32", "i64": "i64"}
FLOAT_OF = {"i32": "f32", "i64": "f64"}
MASK_OF = {"f32": "m32", "f64": "m64", "i32": "m32", "i64": "m64"}
BITS = {"f32": 32, "f64": 64, "i32": 32, "i64": 64, "m32": 32, "m64": 64}
TABLES = (8, 16, 32)
"""The numbers of entries that `lookup` takes."""


class Op(NamedTuple):
    """The types of an operation.

    takes   a letter for each operand: F float, I integer, N number (either), M mask, A integer or mask. All operands
            have the size of the first one; operands with the same letter have the same type
    gives   "=" the type of the last operand, "first" that of the first one; "float", "integer" or "mask" of the size of
            the last operand; "long" an i64 of an i32; "table" the type of the entries
    does    the result
    """

    takes: str
    gives: str
    does: str


OPS = {
    "add": Op("NN", "=", "a + b; integers wrap"),
    "sub": Op("NN", "=", "a - b; integers wrap"),
    "mul": Op("NN", "=", "a * b; integers (i32 only) wrap"),
    "div": Op("FF", "=", "a / b, rounded once"),
    "fma": Op("FFF", "=", "a * b + c, rounded once"),
    "neg": Op("N", "=", "-a: floats change the sign bit, of a NaN too"),
    "abs": Op("N", "=", "|a|: floats clear the sign bit, of a NaN too; the smallest integer stays"),
    "max": Op("NN", "=", "the larger; NaN if either is; +0 above -0 (IEEE 754-2019 maximum)"),
    "min": Op("NN", "=", "the smaller; NaN if either is; -0 below +0 (IEEE 754-2019 minimum)"),
    "sqrt": Op("F", "=", "square root, rounded once"),
    "rint": Op("F", "=", "to the nearest whole number, halves to even"),
    "floor": Op("F", "=", "to the whole number at or below"),
    "ceil": Op("F", "=", "to the whole number at or above"),
    "trunc": Op("F", "=", "to the whole number towards zero"),
    "ldexp": Op("FI", "first", "a * 2^n, rounded once; value: None, or the promise |n| <= value"),
    "scale": Op("FF", "first", "a * 2^n as ldexp; n a whole number below 2^31 in size, unless a is a NaN"),
    "scale_floor": Op(
        "FF",
        "first",
        "a * 2^floor(n), rounded once; n may be a NaN only if a is; where |n| is 2^31 or "
        "more, a must be neither zero nor infinite",
    ),
    "fraction": Op("F", "=", "a - floor(a), rounded down; -0 for whole numbers, +0 for infinities"),
    "size_within": Op("FF", "=", "the smaller of |a| and b > 0; for a NaN b (signaling: b or the NaN)"),
    "root_ends": Op("FF", "=", "a, except that b decides: b if +infinity, zero or NaN, NaN if negative"),
    "log_ends": Op("FF", "=", "a, except that b decides: b if +infinity, -infinity if 0, NaN if negative or NaN"),
    "to_int": Op("F", "integer", "towards zero; a must fit (f64: below 2^51), else the result is any integer"),
    "round_int": Op("F", "integer", "to nearest even; a must fit (f64: below 2^51), else the result is any integer"),
    "to_whole": Op("F", "integer", "to nearest even, NaN 0, saturated to the type `value` here or by the store to it"),
    "saturate": Op("I", "=", "saturated to the narrower type `value` here or by the store to it"),
    "to_float": Op("I", "float", "rounded once (i64: |a| below 2^51)"),
    "low_word": Op("I", "long", "32 bits as a whole number from 0 to 2^32 - 1; in kernels that compute with 64 bits"),
    "bits": Op("F", "integer", "the same bits"),
    "from_bits": Op("I", "float", "the same bits"),
    "shl": Op("I", "=", "bits moved up by `value`"),
    "sar": Op("I", "=", "bits moved down by `value`, copies of the sign move in"),
    "shr": Op("I", "=", "bits moved down by `value`, zeros move in"),
    "rotl": Op("I", "=", "bits rotated up by `value`"),
    "and": Op("AA", "=", "of bits or masks"),
    "or": Op("AA", "=", "of bits or masks"),
    "xor": Op("AA", "=", "of bits or masks"),
    "not": Op("A", "=", "of bits or masks"),
    "lt": Op("NN", "mask", "a < b, false if either is NaN"),
    "le": Op("NN", "mask", "a <= b, false if either is NaN"),
    "eq": Op("NN", "mask", "a == b, false if either is NaN"),
    "ne": Op("NN", "mask", "not a == b, true if either is NaN"),
    "select": Op("MNN", "=", "b where the mask is true, else c"),
    "lookup": Op("I", "table", "entry n of the table `value` (type, bits of entries); n must be one of its places"),
}
"""Every operation except "input" (value: its name), "const" (value: its bits) and "call" (value: a function's name)."""
