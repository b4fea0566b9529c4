"""The public functions of products. Each turns its arguments into a spec and asks the cache for the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

from ...encoder.deferred import lazy
from ...microkernels.dtypes import BF16X3, OZAKI
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import PLAIN, GemmSpec, gemm_spec
from ...microkernels.machines.targets import TARGETS
from ...microkernels.operands import Leading
from ..host import detect as host
from ..kernel.accuracy import Accuracy, default_accuracy
from ..kernel.callable import kept, shared
from ..kernel.kinds import AnyRequest, kind_of, requested
from ..kernel.origin import planned
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from ...microkernels.epilogue import spec as epilogue_spec
    from ...microkernels.expr import node
    from ...microkernels.expr.node import Expr
    from ...microkernels.precision import composed_spec
    from ...microkernels.stack import spec as stack_spec
    from .typed import (
        BatchLike,
        DTypes,
        Layout,
        LeadingLike,
        Numerics,
        Operands,
        Orders,
        Product,
        ProductDTypes,
        StridesLike,
        TargetLike,
    )

composed_spec = lazy(__package__, "...microkernels.precision.composed_spec")
stack_spec = lazy(__package__, "...microkernels.stack.spec")
epilogue_spec = lazy(__package__, "...microkernels.epilogue.spec")
node = lazy(__package__, "...microkernels.expr.node")


_EMULATED = (BF16X3, OZAKI)
"""The dtypes whose precision is made from products of a narrower type."""


def targets() -> tuple[str, ...]:
    """Return the names accepted as target=; None means this host."""
    return tuple(TARGETS)


def supported(request: AnyRequest, target: TargetLike = None) -> Literal[True] | str:
    """Return True, or the reason, as text, why there can be no kernel for this request on this target.

    request  ts.gemm_spec(...), ts.eltwise_spec(...) or any `k.spec`
    target   a name from ts.targets(), None for this host

    Whether this host can also execute the kernel is told by `k.address`. Raises TypeError for an object that is not a
    request, and the errors of the request functions for a request that they would not make.
    """
    try:
        resolved = host.resolve(target)
        planned(requested(request), resolved, kind_of(request))
    except UnsupportedError as error:
        return str(error)
    return True


@remembered
def brgemm(
    m: int | Leading | Expr,
    n: int | Leading | Expr,
    k: int | Leading | None = None,
    *,
    dtype: ProductDTypes = "f32",
    order: Orders = "C",
    lda: LeadingLike = None,
    ldb: LeadingLike = None,
    ldc: LeadingLike = None,
    batch: BatchLike = None,
    strides: StridesLike = None,
    stack: int | Leading | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    a_layout: Layout = "plain",
    b_layout: Layout = "plain",
    c_layout: Layout = "plain",
    numerics: Numerics = "exact",
    epilogue: Callable[..., Any] | None = None,
    operands: Operands | None = None,
    out: DTypes | None = None,
    origin: Leading | None = None,
    prefetch: str | None = None,
    streaming: str | None = None,
    accuracy: Accuracy | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Product:
    """A kernel for C = beta * C + alpha * sum_i A_i @ B_i: the products of a batch are summed into one C (m, n).

    A_i is (m, k) and B_i (k, n). mm(a, b, c) adds to c, because beta is 1. With beta=0, c is only written, and mm(a, b)
    returns a new array. With batch=N, a is (N, m, k), b (N, k, n), and C the sum. stack=N does not sum:
    C_i = beta C_i + alpha A_i @ B_i. m, n or k may be ts.RUNTIME: any number of rows or columns, or any depth, as the
    call's arrays have; packed operands have whole groups of k.
    dtype    "f32", "f64", "bf16", "f16" for a, b and c; "i8", "i16" for a and b, summed to i32; "f8e5m2", "f8e4m3",
             summed to f32; or three types for a, b and c: ("bf16", "bf16", "f32"), ("f16", "f16", "f32"),
             ("u8", "i8", "i32")... Sums are f32 or i32, which wraps; for an i32 C, alpha is 1, beta 0 or 1.
             "f32x3bf16": f32 from six products of bf16 on a tensor unit, bound: microkernels/precision/bf16x3.py;
             "f64xi8": f64 from 45 of int8, see microkernels/precision/ozaki_plan.py; "f16xf16": f16 with sums of f16.
             docs/mixed-precision.md. Types of numpy, ml_dtypes, torch: np.float32, "float32", torch.bfloat16, float
    a_layout, b_layout   "plain", or "vnni" ("vnni2", "vnni4"): neighbours along k lie side by side in groups of g = 2
             (16 bits) or 4 (8 bits); a is (m, ceil(k / g), g), b (ceil(k / g), n, g), and leading dimensions count
             groups. "mmla" (AArch64): blocks of two rows by 8 bytes along k
    c_layout "plain", or as the next product reads C: "vnni" as its b, of order "F" as its a... docs/mixed-precision.md
    numerics "exact": the same bits as the instruction for this dtype; "fast" may differ for denormals
    prefetch, streaming   letters of operands to prefetch ("ab", "ab@l1": into L1), and to keep out of the caches ("c")
    order    "C" (rows contiguous) or "F" (columns contiguous), or three letters for a, b and c: "CFC" for b = x.T
    lda, ldb, ldc   None (dense), elements between neighbouring rows (columns for "F"), or ts.RUNTIME. Rows of a and b
             may overlap: lda and ldb are 0 or more
    alpha, beta   finite; beta = 0 never reads C
    batch    None, a number of pairs, dense or with strides=ts.RUNTIME at any distance; ts.STRIDE, ts.OFFSET,
             ts.ADDRESS; or numbers of levels, (R, S): then a is (R, S, m, k), b (R, S, k, n)
    strides  ((a, b), (a, b)): the elements between the matrices of a and of b in each level, the outermost first, 0 or
             more
    stack    None, a number of independent products, or ts.RUNTIME for any number: a (N, m, k), b (N, k, n),
             c (N, m, n), each with any distance between matrices; a or b of two dimensions is shared by all products
    epilogue a function of expressions, c and further operands, whose result becomes C: lambda c, bias:
             ts.relu(c + bias). Its operands follow c at the call: mm(a, b, c, bias). docs/elementwise.md. With an
             epilogue, c of an integer product may be "i8" or "u8": the result is rounded and saturated
    operands of the epilogue, by name: "row" (n elements; the default), "col" (m), "scalar", None (m by n), or a pair of
             that and an element type. If it returns (c, y1, ...), out: element types of the results after c
    target   a name from ts.targets(), None: this host; release_gil: None: in calls above 15 us; accuracy: as in `unary`

    Inside a function given to ts.equation, `ts.brgemm(a, b)` is the sum of a_i @ b_i, a (batch, m, k), b (batch, k, n).
    Equal requests return the same kernel. Raises UnsupportedError with what would work, TypeError or ValueError naming
    the argument. Source: Georganas et al., Tensor Processing Primitives, algorithm 2.
    """
    if k is None:
        return cast("Product", node.products_summed(m, n))
    request = {
        "dtype": dtype,
        "order": order,
        "lda": lda,
        "ldb": ldb,
        "ldc": ldc,
        "batch": batch,
        "strides": strides,
        "alpha": alpha,
        "beta": beta,
        "a_layout": a_layout,
        "b_layout": b_layout,
        "numerics": numerics,
        "prefetch": prefetch,
        "streaming": streaming,
    }
    own = (epilogue, operands, out, origin)
    return _kernel((m, n, k), request, stack, own, c_layout, accuracy, target, release_gil)


def _kernel(
    extents: tuple[Any, Any, int | Leading],
    request: dict[str, Any],
    stack: int | Leading | None,
    asked: tuple[Any, ...],
    c_layout: Layout,
    accuracy: Accuracy | None,
    target: TargetLike,
    release_gil: bool | None,
) -> Product:
    """Return the kernel of a checked product. `asked` holds the arguments for its epilogue."""
    has_epilogue = any(each is not None for each in asked) or c_layout != PLAIN
    spec = _stacked(_product(*extents, request, has_epilogue), stack, has_epilogue)
    if isinstance(spec, GemmSpec) and has_epilogue:
        return cast("Product", kept(_fused(spec, asked, accuracy, c_layout), target, release_gil))
    return cast("Product", shared(spec, target, release_gil))


def product_spec(
    m: int,
    n: int,
    k: int,
    *,
    epilogue: Callable[..., Any] | None = None,
    operands: Operands | None = None,
    out: DTypes | None = None,
    origin: Leading | None = None,
    accuracy: Accuracy | None = None,
    c_layout: str = PLAIN,
    **request: Any,
) -> AnyRequest:
    """Return the request that `brgemm` makes a kernel of: a product, possibly with an epilogue."""
    request = {"lda": None, "ldb": None, "ldc": None, "batch": None, "alpha": 1.0, "beta": 1.0, **request}
    asked = epilogue, operands, out, origin
    fused = any(each is not None for each in asked) or c_layout != PLAIN
    spec = gemm_spec(m, n, k, epilogue=fused, **request)
    return _fused(spec, asked, accuracy, c_layout) if fused else spec


def _fused(spec: GemmSpec, asked: tuple[Any, ...], accuracy: Accuracy | None, c_layout: str) -> AnyRequest:
    """Return the request of the product with an epilogue, which may be None, and the layout in which C is stored."""
    epilogue, operands, out, origin = asked
    accuracy = accuracy or default_accuracy()
    if epilogue is None and c_layout != PLAIN:
        epilogue = lambda c: c  # noqa: E731  # C is only packed
    return epilogue_spec.epilogue_spec(spec, epilogue, operands, accuracy, out, origin, c_layout)


def _stacked(spec: AnyRequest, stack: int | Leading | None, has_epilogue: bool) -> AnyRequest:
    """Return the request of a stack of such products. Without `stack`, return the product itself."""
    if stack is None:
        return spec
    if has_epilogue:
        raise UnsupportedError(
            "epilogue: not supported together with stack= or c_layout=; ts.matmul computes batches with an epilogue of "
            "one or several results in one call"
        )
    return stack_spec.stack_spec(cast(GemmSpec, spec), stack)


def _product(
    m: int | Leading, n: int | Leading, k: int | Leading, request: dict[str, Any], epilogue: bool
) -> AnyRequest:
    """Return the request of the product. Some dtypes are made from products of a narrower type."""
    if not isinstance(request["dtype"], str) or request["dtype"] not in _EMULATED:
        return gemm_spec(m, n, k, epilogue=epilogue, **request)
    if isinstance(m, Leading) or isinstance(n, Leading) or isinstance(k, Leading):
        raise UnsupportedError(
            f"m, n, k: ts.RUNTIME is not supported for dtype {request['dtype']!r}; give numbers, or use f32 or f64"
        )
    dtype, prefetch, streaming = (request.pop(name) for name in ("dtype", "prefetch", "streaming"))
    if prefetch or streaming:
        raise UnsupportedError(f"prefetch, streaming: not supported for products of dtype {dtype!r}; leave them out")
    if request.pop("strides") is not None:
        raise UnsupportedError(
            f"strides: products of dtype {dtype!r} take one pair of matrices; ts.ladder takes batches at any distance"
        )
    if epilogue:
        raise UnsupportedError(f"epilogue: not supported for products of dtype {dtype!r}; use ts.ladder")
    return composed_spec.composed_spec(dtype, m, n, k, **request)
