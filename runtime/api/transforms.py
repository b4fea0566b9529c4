"""The public functions that move elements: transposes and changes of layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ...microkernels.transform.spec import transform_spec, transpose_spec
from ..host import detect as host
from ..kernel.callable import shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from .typed import DTypeLike, LeadingLike, Loads, Order, TargetLike, Unary


@remembered
def transpose(m: int, n: int, *, dtype: DTypeLike = "f32", order: Order = "C", ldx: LeadingLike = None,
              ldy: LeadingLike = None, in_place: bool = False, loads: Loads | None = None, target: TargetLike = None,
              release_gil: bool | None = None) -> Unary:  # fmt: skip
    """A kernel k(x, y) for y = x.T with x (m, n) and y (n, m), rows contiguous.

    dtype    any element type; only the bits move. Complex numbers: "c64" (8 bytes), "c128" (16 bytes)
    ldx, ldy     None (dense), elements between neighbouring rows, or ts.RUNTIME: given at the call
    in_place     k(x, x) is allowed too: a square matrix becomes its own transpose
    loads    "whole" registers are loaded, or "pieces", which does stages of the shuffles; None: the planner's choice
    target   a name from ts.targets(), None for this host; release_gil as in `brgemm`

    Equal requests return the same kernel. Raises UnsupportedError with the reason and what would work, TypeError or
    ValueError naming the argument. Source: Georganas et al., Tensor Processing Primitives, 3.3.1.
    """
    spec = transpose_spec(m, n, dtype=dtype, order=order, ldx=ldx, ldy=ldy, in_place=in_place, loads=loads)
    return cast("Unary", shared(spec, host.resolve(target), release_gil))


@remembered
def transform(name: str, m: int, n: int, dtype: DTypeLike = "bf16", *, ldx: LeadingLike = None,
              ldy: LeadingLike = None, loads: Loads | None = None, target: TargetLike = None,
              release_gil: bool | None = None) -> Unary:  # fmt: skip
    """A kernel k(x, y) that changes the layout of an m x n matrix: "vnni2", "vnni4_to_vnni4t", "vnni2_to_plain"...

    name     SOURCE_to_RESULT, or RESULT alone where x is plain (rows contiguous). Layouts:
             plain y[i][j]; plaint y[j][i]; vnni2, vnni4, vnni8 y[i/F][j][i%F]; mmla2x4, mmla2x8 y[i/R][j/C][i%R][j%C];
             each of these with t behind it: of the transpose (vnni2t y[j/F][i][j%F]); amxa, amxb: tiles of AMX operands
    m, n     of the plain matrix; a packed one is filled up with zeros to whole blocks: `k.spec.arguments` has the
             shapes, for vnni2 ((m + 1) // 2, 2 * n). Where x is packed, what it is filled up with must be zeros
    ldx, ldy     None (dense), elements between neighbouring rows of those shapes, or ts.RUNTIME
    dtype, loads, target, release_gil     as in ts.transpose

    Raises what ts.transpose raises. Sources: Georganas et al., Tensor Processing Primitives, table 1; Intel 64 and
    IA-32 Architectures Optimization Reference Manual, 20.16; Arm Architecture Reference Manual (BFMMLA, SMMLA).
    """
    spec = transform_spec(name, m, n, dtype=dtype, ldx=ldx, ldy=ldy, loads=loads)
    return cast("Unary", shared(spec, host.resolve(target), release_gil))
