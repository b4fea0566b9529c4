"""The public functions: each turns its arguments into a spec and asks the cache for the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...microkernels.epilogue.spec import epilogue_spec
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import gemm_spec
from ...microkernels.machines.registry import TARGETS, facts_of
from ...microkernels.precision.bf16x3_spec import DTYPE as LADDER
from ...microkernels.precision.bf16x3_spec import bf16x3_spec
from ...microkernels.precision.ozaki_spec import DTYPE as SLICED
from ...microkernels.precision.ozaki_spec import ozaki_spec
from ..host import detect as host
from ..kernel.callable import Kernel, kept, shared
from ..kernel.kinds import Spec, kind_of, requested
from ..kernel.request_cache import anew, remembered, strings

_LADDER = {LADDER: bf16x3_spec, SLICED: ozaki_spec}
"""Names of precisions that a unit for a narrower type is made to give, and their requests."""


def targets() -> tuple[str, ...]:
    """The names accepted as target=; None means this host."""
    return tuple(TARGETS)


def supported(request: Spec, target: str | None = None) -> Literal[True] | str:
    """True, or the reason, as text, why there can be no kernel for this request on this target.

    request  ts.gemm_spec(...), ts.eltwise_spec(...) or any `k.spec`
    target   a name from ts.targets(), None for this host

    Whether this host can also execute the kernel says `k.address`. Raises TypeError for what is no request, and what
    the request functions raise for one that they would not make.
    """
    try:
        resolved = host.resolve(target)
        kind_of(request).plan(requested(request), facts_of(resolved))
    except UnsupportedError as error:
        return str(error)
    return True


def brgemm(m: int, n: int, k: int, *, dtype: Any = "f32", order: Any = "C", lda: Any = None, ldb: Any = None,
           ldc: Any = None, batch: Any = None, alpha: float = 1.0, beta: float = 1.0, a_layout: str = "plain",
           b_layout: str = "plain", numerics: str = "exact", epilogue: Callable[..., Any] | None = None,
           operands: Mapping[str, Any] | None = None, accuracy: str = "fast", target: str | None = None,
           release_gil: bool | None = None) -> Kernel:  # fmt: skip
    """A kernel for C = beta * C + alpha * sum_i A_i @ B_i with A_i (m, k), B_i (k, n), C (m, n).

    dtype    "f32", "f64", "bf16", "f16" for all three; "i8", "i16" for a and b, summed to i32; "f8e5m2", "f8e4m3",
             summed to f32; or for a, b and c: ("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("u8", "i8", "i32")...
             Sums are f32 or i32, which wraps; alpha and beta of an i32 C are 1, and 0 or 1. "f32x3bf16": f32 by six
             products of bf16 on a tensor unit, see microkernels/precision/bf16x3.py for the bound; "f64xi8": f64 by 45
             of int8, see microkernels/precision/ozaki_plan.py; "f16xf16": f16 with sums of f16. docs/mixed-precision.md
    a_layout, b_layout   "plain", or "vnni" ("vnni2", "vnni4"): neighbours along k lie side by side in groups of g = 2
             (16 bits) or 4 (8 bits); a is (m, ceil(k / g), g), b (ceil(k / g), n, g), leading dimensions count groups,
             and what fills up the last group is ignored. "mmla" (AArch64): blocks of two rows by 8 bytes along k
    numerics "exact": bits as the instruction gives them that this is made for (VDPBF16PS); "fast": a target that lacks
             it may keep denormals
    order    "C" (rows contiguous) or "F" (columns contiguous), or three of them for a, b and c
    lda, ldb, ldc   None (dense), elements between neighbouring rows (columns for "F"), or ts.RUNTIME
    batch    None, a count of densely stored pairs, or ts.STRIDE, ts.OFFSET, ts.ADDRESS
    alpha, beta     finite; beta = 0 never reads C
    epilogue a function of expressions, c and further operands, that gives what C becomes: lambda c, bias:
             ts.relu(c + bias). Its operands follow c at the call: mm(a, b, c, bias). docs/elementwise.md
             With one, c of an integer product may be "i8" or "u8": the result is rounded and held within the range
    operands of the epilogue, by name: "row" (n elements; the default), "col" (m), "scalar", None (m by n), or a pair of
             that and an element type. accuracy: "fast" or "accurate", of the epilogue's functions
    target   a name from ts.targets(), None for this host
    release_gil     whether a call lets other Python threads run meanwhile; None: if it takes longer than some 15 us

    Equal requests return the same kernel. Raises UnsupportedError with the reason and what would work, TypeError or
    ValueError naming the argument. Source: Georganas et al., Tensor Processing Primitives, algorithm 2.
    """
    if epilogue is not None or operands is not None:
        return _fused(m, n, k, dtype, epilogue, operands, accuracy, target, release_gil, order=order, lda=lda, ldb=ldb,
                      ldc=ldc, batch=batch, alpha=alpha, beta=beta, a_layout=a_layout, b_layout=b_layout,
                      numerics=numerics)  # fmt: skip
    if type(dtype) is tuple:
        dtype = strings(dtype)
    if type(order) is tuple:
        order = strings(order)
    try:
        return _recent(m, n, k, dtype, order, lda, ldb, ldc, batch, alpha, beta, a_layout, b_layout, numerics, target,
                       release_gil)  # fmt: skip
    except TypeError:
        pass  # an argument is no key: a list, or one that the checks will name
    return anew(_recent)(m, n, k, dtype, order, lda, ldb, ldc, batch, alpha, beta, a_layout, b_layout, numerics,
                         target, release_gil)  # fmt: skip


@remembered
def _recent(m: Any, n: Any, k: Any, dtype: Any, order: Any, lda: Any, ldb: Any, ldc: Any, batch: Any, alpha: Any,
            beta: Any, a_layout: Any, b_layout: Any, numerics: Any, target: Any,
            release_gil: Any) -> Kernel:  # fmt: skip
    request = {"order": order, "lda": lda, "ldb": ldb, "ldc": ldc, "batch": batch, "alpha": alpha, "beta": beta,
               "a_layout": a_layout, "b_layout": b_layout, "numerics": numerics}  # fmt: skip
    ladder = _LADDER.get(dtype) if isinstance(dtype, str) else None
    spec = ladder(m, n, k, **request) if ladder else gemm_spec(m, n, k, dtype=dtype, **request)
    return shared(spec, host.resolve(target), release_gil)


def _fused(m: Any, n: Any, k: Any, dtype: Any, epilogue: Any, operands: Any, accuracy: Any, target: Any,
           release_gil: Any, **request: Any) -> Kernel:  # fmt: skip
    """The epilogue is traced whenever it is asked for: what it reads may have changed. What it says is the key."""
    if operands is not None and not isinstance(operands, Mapping):
        raise TypeError(f'operands: a shape for each name, as {{"bias": "row"}}, not {operands!r}')
    if isinstance(dtype, str) and dtype in _LADDER:
        raise UnsupportedError(f"epilogue: products of dtype {dtype!r} have none; a second kernel works, ts.equation")
    plain = gemm_spec(m, n, k, dtype=dtype, epilogue=True, **request)
    return kept(epilogue_spec(plain, epilogue, operands, accuracy), host.resolve(target), release_gil)
