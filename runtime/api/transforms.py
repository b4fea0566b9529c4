"""The public functions that move elements: transposes and changes of layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast, overload

from ...encoder.deferred import lazy
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.transform.spec import transform_spec, transpose_spec
from ..kernel.accuracy import Accuracy
from ..kernel.callable import shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from . import working_transforms
    from .typed import DTypeLike, LeadingLike, Loads, Operands, Order, TargetLike, Unary

working_transforms = lazy(__package__, ".working_transforms")


@overload
def transpose(m: Expr) -> Expr: ...


@overload
def transpose(
    m: int,
    n: int,
    *,
    dtype: DTypeLike = "f32",
    order: Order = "C",
    ldx: LeadingLike = None,
    ldy: LeadingLike = None,
    in_place: bool = False,
    loads: Loads | None = None,
    out: DTypeLike | None = None,
    epilogue: Callable[..., Any] | None = None,
    operands: Operands | None = None,
    accuracy: Accuracy | None = None,
    compute: DTypeLike | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Unary: ...


@remembered
def transpose(
    m: Any,
    n: Any = None,
    *,
    dtype: DTypeLike = "f32",
    order: Order = "C",
    ldx: LeadingLike = None,
    ldy: LeadingLike = None,
    in_place: bool = False,
    loads: Loads | None = None,
    out: DTypeLike | None = None,
    epilogue: Callable[..., Any] | None = None,
    operands: Operands | None = None,
    accuracy: Accuracy | None = None,
    compute: DTypeLike | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Any:
    """A kernel k(x, y) for y = x.T with x (m, n) and y (n, m), rows contiguous.

    dtype    any element type; the bits are only moved. Complex numbers: "c64" (8 bytes), "c128" (16 bytes)
    ldx, ldy None (dense), elements between neighbouring rows, or ts.RUNTIME: given at the call
    in_place k(x, x) is allowed, too: a square matrix becomes its own transpose
    loads    "whole" registers are loaded, or "pieces", which does stages of the shuffles; None: the planner's choice
    out      the type of y; None: that of x. The conversion is part of the kernel
    epilogue a function of expressions, x and further operands, whose result is stored: ts.gelu, or lambda x, s: x * s.
             y is then f(x).T; its operands follow x at the call, k(x, s, y)
    operands of the epilogue, by name: "row" (n elements, the default), "col" (m), "scalar", None (m, n), each for x
             before it is transposed, or a pair of one of these and an element type; by default x's type, f32 if x is an
             integer
    accuracy, compute   of the epilogue, as in ts.unary
    target   a name from ts.targets(), None for this host; release_gil as in `brgemm`

    Equal requests return the same kernel. Raises UnsupportedError with the reason and what would work, TypeError or
    ValueError naming the argument. Source: Georganas et al., Tensor Processing Primitives, 3.3.1.

    Inside a function given to ts.equation, `ts.transpose(x)` is x.T.
    """
    if isinstance(m, Expr):
        return m.T
    if n is None:
        raise TypeError("n: the columns of x, a positive integer")
    if _works(dtype, out, epilogue, operands):
        transpose_spec(m, n, order=order)
        if in_place:
            raise UnsupportedError(
                "in_place: not possible with a conversion or an epilogue; only pure transposes work in place"
            )
        leading = {"ldx": ldx, "ldy": ldy}
        asked = dtype, out, epilogue, operands, accuracy, compute, loads, leading
        return working_transforms.working("transpose", ("plain", "plaint"), m, n, asked, target, release_gil)
    spec = transpose_spec(m, n, dtype=dtype, order=order, ldx=ldx, ldy=ldy, in_place=in_place, loads=loads)
    return cast("Unary", shared(spec, target, release_gil))


@remembered
def transform(
    name: str,
    m: int,
    n: int,
    dtype: DTypeLike = "bf16",
    *,
    ldx: LeadingLike = None,
    ldy: LeadingLike = None,
    loads: Loads | None = None,
    out: DTypeLike | None = None,
    epilogue: Callable[..., Any] | None = None,
    operands: Operands | None = None,
    accuracy: Accuracy | None = None,
    compute: DTypeLike | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Unary:
    """A kernel k(x, y) that changes the layout of an m x n matrix: "vnni2", "vnni4_to_vnni4t", "vnni2_to_plain"...

    name     SOURCE_to_RESULT, or RESULT alone if x is plain (rows contiguous). Layouts:
             plain y[i][j]; plaint y[j][i]; vnni2, vnni4, vnni8 y[i/F][j][i%F]; mmla2x4, mmla2x8 y[i/R][j/C][i%R][j%C];
             each with the suffix t: of the transpose (vnni2t y[j/F][i][j%F]); amxa, amxb: tiles of AMX operands

    m, n     the extents of the plain matrix. A packed one is padded with zeros to whole blocks: `k.spec.arguments` has
             the shapes, for vnni2 ((m + 1) // 2, 2 * n). If x is packed, its padding must be zero
    ldx, ldy None (dense), elements between neighbouring rows of those shapes, or ts.RUNTIME
    dtype, loads, target, release_gil   as in ts.transpose
    out, epilogue, operands, accuracy, compute   as in ts.transpose: ts.transform("vnni2", k, n, "f32", out="bf16")
             rounds weights and packs them. The padding of a packed y is zero, whatever the epilogue makes of zero

    Raises the errors of ts.transpose. Sources: Georganas et al., Tensor Processing Primitives, table 1; Intel 64 and
    IA-32 Architectures Optimization Reference Manual, 20.16; Arm Architecture Reference Manual (BFMMLA, SMMLA).
    """
    if _works(dtype, out, epilogue, operands):
        checked, leading = transform_spec(name, m, n, dtype=dtype), {"ldx": ldx, "ldy": ldy}
        asked = dtype, out, epilogue, operands, accuracy, compute, loads, leading
        return working_transforms.working(
            "transform", (checked.source, checked.result), m, n, asked, target, release_gil
        )
    spec = transform_spec(name, m, n, dtype=dtype, ldx=ldx, ldy=ldy, loads=loads)
    return cast("Unary", shared(spec, target, release_gil))


def _works(dtype: Any, out: Any, epilogue: Any, operands: Any) -> bool:
    """Whether elements are changed on the way, not only moved."""
    converts = out is not None and element_type("out", out) != element_type("dtype", dtype)
    return converts or epilogue is not None or operands is not None
