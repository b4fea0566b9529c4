"""The types of the factors of a product and of its result."""

from __future__ import annotations

from typing import Any

from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import QUANTIZED, product_types, results_of
from .arrays import Array
from .infer import type_of


def converted(of_a: str, of_b: str, names: tuple[str, str], call: str = "{}", sparse: str = "") -> str:
    """Return what to multiply instead of two types that no kernel multiplies, by these names, as a text. sparse: the
    name of a factor that is a sparse matrix."""
    if "c" in (of_a[0], of_b[0]):
        return f"Multiply the real and the imaginary parts: {names[0]}.real and {names[0]}.imag"
    integers = {of_a, of_b} & {"i64", "u64", "i32", "u32"} or of_a[0] in "iu" and of_b[0] in "iu"
    wide = "f64" if integers or "f64" in (of_a, of_b) else "f32"
    torch = "double" if wide == "f64" else "float"
    told = ", ".join(
        name if dtype == wide else _as_wide(name, wide, name == sparse) for name, dtype in zip(names, (of_a, of_b))
    )
    why = "f64 holds integers up to 2^53" if integers else f"{wide} holds both"
    return f"{why}: {call.format(told)}, or .{torch}() of a tensor"


def _as_wide(name: str, dtype: str, sparse: bool) -> str:
    """Return what converts a factor to f32 or f64, as a text."""
    numpy = "np.float64" if dtype == "f64" else "np.float32"
    return f'ts.sparse({name}, dtype="{dtype}")' if sparse else f"{name}.astype({numpy})"


def types_of(
    a: Array,
    b: Array,
    out: Array | None,
    dtype: Any,
    call: str = "ts.matmul({})",
    names: tuple[str, str] = ("a", "b"),
    sparse: str = "",
) -> tuple[str, str, str]:
    """Return the element types of a, b and the result. `call` is what the caller has written, `names` are those of its
    factors, and `sparse` is the one that is a sparse matrix."""
    of_a, of_b = type_of(names[0], a), type_of(names[1], b)
    of_c = None if dtype is None else element_type("dtype", dtype)
    if out is not None:
        found = type_of("out", out)
        if of_c not in (None, found):
            raise TypeError(f"out: must have type {of_c}, as dtype= says, not {found}")
        of_c = found
    if of_a != of_b and {of_a, of_b} <= {"f32", "f64"}:
        wide, narrow = names if of_a == "f64" else names[::-1]
        raise TypeError(
            f"{narrow}: must be f64 as {wide} is, not f32; {_as_wide(narrow, 'f64', narrow == sparse)} converts it, or "
            f"{narrow}.double() a tensor; products convert no factor by themselves"
        )
    results = results_of(of_a, of_b)
    if not results:
        in_order = sorted(zip(names, (of_a, of_b)))  # as the caller has written them
        told = converted(in_order[0][1], in_order[1][1], (in_order[0][0], in_order[1][0]), call, sparse)
        raise UnsupportedError(
            f"a, b: no kernel multiplies {of_a} by {of_b}; supported are two of f32, f64, bf16, "
            "f16, i16, u16, i8, u8 or of one 8-bit float, f32 with 16-bit floats, and floats with "
            f"bytes. {told}"
        )
    if of_c is not None and of_c not in (*results, *(QUANTIZED if "i32" in results else ())):
        name = "dtype" if out is None else "out"
        raise UnsupportedError(
            f"{name}: a product of {of_a} by {of_b} has elements of {' or '.join(results)}, not "
            f"{of_c}; convert the result, or a and b before"
        )
    return product_types(of_a, of_b, of_c)


def native(name: str, array: Array) -> Array:
    """Return the array if its elements have this machine's byte order; raise TypeError otherwise."""
    if not array.dtype.isnative:
        raise TypeError(
            f"{name}: must be {array.dtype.newbyteorder('=')} in native byte order; "
            f"{name}.astype({name}.dtype.newbyteorder('=')) converts it, products do not by themselves"
        )
    return array
