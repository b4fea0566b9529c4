"""The public functions of elementwise kernels. Each makes a spec and asks the cache for its kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, cast, overload

from ...encoder.deferred import lazy
from ...microkernels.dtypes import element_type
from ...microkernels.eltwise.spec import RECENT, EltwiseSpec, spec_of
from ...microkernels.eltwise.traced import BITS, Computation, computation
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.conversions import RANGE
from ...microkernels.expr.graph import ExpressionTypeError
from ...microkernels.functions.accuracies import FAST
from ...microkernels.functions.catalogue import TABLES as TABLES
from ...microkernels.functions.catalogue import Primitive
from ...microkernels.names import chosen, nearest
from ...microkernels.operands import ROWS, RUNTIME
from ..kernel.accuracy import Accuracy, default_accuracy
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from ...microkernels.fused import composites
    from . import equations
    from .typed import (
        Algorithm,
        Binary,
        BinaryName,
        Bounds,
        Broadcast,
        DTypeLike,
        DTypes,
        ExtentLike,
        MatrixOrders,
        Numerics,
        Order,
        TargetLike,
        Ternary,
        TernaryName,
        Unary,
        UnaryName,
    )

composites = lazy(__package__, "...microkernels.fused.composites")
equations = lazy(__package__, ".equations")

BROADCASTS = (None, "row", "col", "scalar")


class PrimitiveNames(tuple[str, ...]):
    """Names of primitives. names["gelu"] is the formula of one; printed, it shows all of them."""

    kind: str

    @overload
    def __getitem__(self, which: SupportsIndex) -> str: ...

    @overload
    def __getitem__(self, which: slice) -> tuple[str, ...]: ...

    @overload
    def __getitem__(self, which: str) -> str: ...

    def __getitem__(self, which: Any) -> Any:
        return str(TABLES[self.kind][which]) if isinstance(which, str) else super().__getitem__(which)

    def __repr__(self) -> str:
        return "\n".join(self[name] for name in self)


def primitives() -> dict[str, PrimitiveNames]:
    """Return the names that `unary`, `binary` and `ternary` accept, each under the name of that function.

    `ts.primitives()["binary"]["gelu_inv"]` is the formula of one, and print(ts.primitives()["binary"]) shows them all.
    The types and targets that have them are listed in docs/coverage.md and by `tilesmith info --coverage`.
    """
    return {kind: _names(kind) for kind in TABLES}


def _names(kind: str) -> PrimitiveNames:
    made = PrimitiveNames(sorted(TABLES[kind]))
    made.kind = kind
    return made


def formulas(kind: str) -> str:
    """Return the formulas of a kind as lines of a docstring."""
    return "\n".join(f"             {TABLES[kind][name]}" for name in sorted(TABLES[kind]))


def primitive(kind: str, name: Any) -> Primitive:
    """Return the row of a name. The ValueError for an unknown name suggests the nearest one."""
    table = TABLES[kind]
    if isinstance(name, str) and name not in table:
        elsewhere = next((other for other in TABLES if name in TABLES[other]), None)
        if elsewhere:
            raise ValueError(f"name: {TABLES[elsewhere][name]}: a name of ts.{elsewhere}, not of ts.{kind}")
        if name in composites.COMPOSITES:
            raise ValueError(f'name: {name} is a composite, not elementwise: ts.fused("{name}", m, n)')
    if callable(name):
        raise TypeError(
            f'name: of a primitive, as "tanh", not {name!r}; for a function of your own '
            "write ts.equation(function, x=(m, n)), which calls it with expressions"
        )
    return table[chosen("name", name, sorted(table))]


def rowwise_request(kind: str, name: str, m: Any, n: Any, **more: Any) -> EltwiseSpec:
    """Return the request of a primitive, for any number of rows if m is ts.RUNTIME."""
    if n is RUNTIME:
        raise UnsupportedError(
            "n: must be a number, not ts.RUNTIME, because registers are blocked for it; m (rows) may be ts.RUNTIME: of "
            'x.T, which has n as rows, order="F" takes any number'
        )
    return request(kind, name, ROWS if m is RUNTIME else m, n, **more)


def request(
    kind: str,
    name: str,
    m: int,
    n: int,
    *,
    bcast: Any = None,
    dtype: Any = "f32",
    out: Any = None,
    accuracy: str | None = None,
    compute: Any = None,
    origin: Any = None,
    algorithm: Any = None,
    order: Any = "C",
    numerics: str = "exact",
    **rest: Any,
) -> EltwiseSpec:
    """Return the spec of a primitive from the arguments of `unary`, `binary` and `ternary`."""
    accuracy = accuracy or (FAST if algorithm is not None else default_accuracy())
    each = bcast if type(bcast) is tuple else (bcast,)
    simple = _TEXTS.issuperset(map(type, (name, dtype, out, accuracy, compute, algorithm, *each)))
    if simple and all(key.startswith("ld") for key in rest):  # the function has no parameters
        computed, shapes, leading = *_computed(kind, name, bcast, dtype, out, accuracy, compute, algorithm), rest
    else:
        computed, shapes, leading = _computation(kind, name, bcast, dtype, out, accuracy, compute, algorithm, rest)
    sizes = {"": (m, n), "row": (1, n), "col": (m, 1), "scalar": (1, 1)}
    return spec_of(
        computed,
        {x: sizes[shape] for x, shape in shapes.items()},
        leading=leading,
        extents=(m, n),
        origin=origin,
        order=order,
        numerics=numerics,
    )


_TEXTS = frozenset({str, type(None)})


@lru_cache(maxsize=RECENT, typed=True)
def _computed(*options: Any) -> tuple[Computation, dict[str, str]]:
    """Return the part of `_computation` that is the same for all extents, for functions without parameters."""
    computed, shapes, _ = _computation(*options, {})  # type: ignore[call-arg]  # all but the last
    return computed, shapes


def _computation(
    kind: str,
    name: str,
    bcast: Any,
    dtype: Any,
    out: Any,
    accuracy: str,
    compute: Any,
    algorithm: Any,
    rest: dict[str, Any],
) -> tuple[Computation, dict[str, str], dict[str, Any]]:
    """Return what a primitive computes, the broadcast of each input ("" for none), and the remaining keywords."""
    row = primitive(kind, name)
    dtype, out = _types("dtype", dtype), None if out is None else _types("out", out)
    compute = None if compute is None else element_type("compute", compute)
    dtype, out, bcast, compute = _defaults(row, dtype, out, bcast, compute)
    count = len(row.operands)
    inputs = ["x"] if count == 1 else [f"x{i}" for i in range(count)]
    shapes = dict(zip(inputs, _shapes(bcast, count)))
    if row.only and ((dtype,) * count if isinstance(dtype, str) else tuple(dtype)) not in row.only:
        raise UnsupportedError(f"{name}: dtype is {' or '.join(map(str, row.only))}, not {dtype!r}")
    function, leading = _with_parameters(row, rest, out or dtype)
    try:
        computed = computation(
            function,
            row.name,
            inputs,
            dtype=_masked(dtype, inputs, row.mask),
            out=out,
            accuracy=accuracy,
            compute=compute,
            by_name=False,
            algorithm=algorithm,
        )
    except ExpressionTypeError as error:
        hint = ""
        whole = isinstance(dtype, str) and (dtype in RANGE or dtype == "i64")
        if whole and compute is None and "compute=" not in str(error):
            hint = f'; compute="{"f64" if dtype == "i64" else "f32"}" converts'
        raise UnsupportedError(f"{name} of {dtype}: {error}{hint}") from None
    return computed, shapes, leading


def _types(what: str, value: Any) -> Any:
    """Return the names of types: one for all, one for each, or one for each name."""
    if isinstance(value, Mapping):
        return {name: element_type(f"{what} of {name}", each, BITS) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return tuple(element_type(what, each, BITS) for each in value)
    return element_type(what, value, BITS)


def _defaults(row: Primitive, dtype: Any, out: Any, bcast: Any, compute: str | None) -> tuple[Any, Any, Any, Any]:
    """Return the types of operands and results, the broadcasts and the type of the arithmetic, as far as the row
    determines them."""
    out = out or row.out
    if not row.operands:
        dtype, bcast = "f32", None if bcast in (None, (None,)) else bcast
        compute = out if compute is None and out in ("f64", "i64") else compute
    if row.dtype is not None and dtype == "f32":
        dtype = row.dtype
    bcast = row.bcast or bcast
    if row.usual is not None:
        return row.usual(row.name, len(row.operands), dtype, out, bcast)
    return dtype, out, bcast, compute


def _with_parameters(row: Primitive, given: dict[str, Any], out: Any) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return the function with its own parameters bound, and the remaining keywords. `out` may be one of the
    parameters."""
    known: dict[str, Any] = {"out": out, **given}
    missing = [each for each in row.needed if each not in known]
    if missing:
        raise TypeError(f"{row.name}: give {missing[0]}=")
    taken = {each: known[each] for each in row.keywords if each in known}
    rest = {key: value for key, value in given.items() if key not in taken}
    return (partial(row.function, **taken) if taken else row.function), rest


def _shapes(bcast: Any, count: int) -> list[str]:
    """Return the broadcast of each input; "" for none."""
    alone = bcast is None or not isinstance(bcast, (tuple, list))
    each: tuple[Any, ...] = (None,) * count if bcast is None else (bcast,) if alone else tuple(bcast)
    if len(each) != count or any(one not in BROADCASTS for one in each):
        near = next(
            (
                near
                for one in each
                if isinstance(one, str) and one not in BROADCASTS and (near := nearest(one, ("row", "col", "scalar")))
            ),
            "",
        )
        hint = f"; did you mean {near!r}?" if near else ""
        raise ValueError(f'bcast: None, "row", "col" or "scalar" for each of {count} inputs, not {bcast!r}{hint}')
    return [one or "" for one in each]


def _masked(dtype: Any, inputs: list[str], mask: int | None) -> Any:
    """Return the types of the inputs, with bits for the mask that the function takes."""
    if mask is None or not isinstance(dtype, str):
        return dtype
    return {name: BITS if i == mask else dtype for i, name in enumerate(inputs)}


@remembered
def unary(
    name: UnaryName,
    m: ExtentLike,
    n: int,
    *,
    dtype: DTypeLike = "f32",
    out: DTypes | None = None,
    accuracy: Accuracy | None = None,
    bcast: Broadcast | None = None,
    compute: DTypeLike | None = None,
    algorithm: Algorithm | None = None,
    order: MatrixOrders = "C",
    numerics: Numerics = "exact",
    target: TargetLike = None,
    release_gil: bool | None = None,
    **more: Any,
) -> Unary:
    """A kernel k(x, y) for y = name(x), element by element: x and y (m, n).

    name     "identity" copies or converts. All names:
    {formulas}
    dtype    the type of x: "f64", "f32", "bf16", "f16", "f8e5m2", "f8e4m3", "i64", "i32", "i16", "u16", "i8" or "u8";
             out: the type of y; None: that of x
    accuracy of exp, tanh and other functions: "standard" (at most 4 ulp), "accurate" (1 ulp, or 2 where stated) or
             "fast" (the error of each is in its docstring: help(ts.exp)); None: the value of `default_accuracy`,
             "standard"
    algorithm   of a fast form by its name, instead of the machine's choice: "table" (of f32, if one instruction looks
             up 4), "pade" (tanh) or "exp" (sigmoid, silu, gelu)
    bcast    None, or the shape of an x that is broadcast: "row" (1, n), "col" (m, 1), "scalar" (1, 1)
    compute  "f32", "f64", "i32" or "i64": the type of the arithmetic; None: the widest of the inputs', f32 for shorter
             floats, i32 for shorter integers. Wider inputs are rounded to it once, and results from it once
    numerics "exact", or "fast": if the target has VCVTNE2PS2BF16, it rounds results of type bf16, so denormals become
             zeros of their sign
    order    "C" (rows contiguous) or "F" (columns contiguous), or two letters for x and y: "FC" reads an array of
             contiguous columns and writes one of contiguous rows, by shuffles in registers. docs/elementwise.md
    ldx, ldy None (dense), elements between neighbouring rows (columns for "F"), or ts.RUNTIME
    rate     of "dropout" and its relatives, from 0 to 1. These, "uniform", "random" and "round_stochastic" take the
             seed, an integer, after x: k(x, seed, y). The random numbers depend only on the seed and on the element's
             position
    scale, zero   of "quantize" and "dequantize", which as binary and ternary functions take them as operands: zeros
             within +-2^24, since larger ones are rounded to f32 unless the arithmetic is f64
    origin   ts.RUNTIME for functions with a seed: k(x, seed, row, column, y), the position of x[0, 0] in the matrix
             that x is a tile of
    m        a number, or ts.RUNTIME: any number of rows, as the arrays have
    target   a name from ts.targets(), None for this host; release_gil as in `brgemm`

    y may be x itself if both have the same type and leading dimension.

    Raises UnsupportedError with the reason and what would work, TypeError or ValueError naming the argument. Source:
    Georganas et al., Tensor Processing Primitives, table 1.
    """
    spec = rowwise_request(
        "unary",
        name,
        m,
        n,
        bcast=(bcast,),
        dtype=dtype,
        out=out,
        accuracy=accuracy,
        compute=compute,
        algorithm=algorithm,
        order=order,
        numerics=numerics,
        **more,
    )
    return cast("Unary", shared(spec, target, release_gil))


@remembered
def binary(
    name: BinaryName,
    m: ExtentLike,
    n: int,
    *,
    bcast: Broadcast | Sequence[Broadcast | None] | None = None,
    dtype: DTypes = "f32",
    out: DTypes | None = None,
    accuracy: Accuracy | None = None,
    compute: DTypeLike | None = None,
    order: MatrixOrders = "C",
    numerics: Numerics = "exact",
    target: TargetLike = None,
    release_gil: bool | None = None,
    **more: Any,
) -> Binary:
    """A kernel k(x0, x1, y) for y = name(x0, x1), element by element; y (m, n).

    name     one of the names below. Comparisons give bits: y (m, ceil(n / 8)) of uint8, element 8 j + i in bit i of
             byte j, unused bits 0. "_inv" is a gradient, for backward passes: its operands are g, the gradient of the
             result, then x
    {formulas}
    bcast    None, "row", "col" or "scalar" for each input
    order    for all, or a letter for each input and y: "CFC" for y = f(x0, x.T). One matrix may differ from the others
    dtype    the type of the inputs, or one for each. Everything else, and the errors, as in `unary`. Source: table 2
             there.
    """
    spec = rowwise_request(
        "binary",
        name,
        m,
        n,
        bcast=bcast,
        dtype=dtype,
        out=out,
        accuracy=accuracy,
        compute=compute,
        order=order,
        numerics=numerics,
        **more,
    )
    return cast("Binary", shared(spec, target, release_gil))


@remembered
def ternary(
    name: TernaryName,
    m: ExtentLike,
    n: int,
    *,
    bcast: Broadcast | Sequence[Broadcast | None] | None = None,
    dtype: DTypes = "f32",
    out: DTypes | None = None,
    accuracy: Accuracy | None = None,
    compute: DTypeLike | None = None,
    order: MatrixOrders = "C",
    numerics: Numerics = "exact",
    target: TargetLike = None,
    release_gil: bool | None = None,
    **more: Any,
) -> Ternary:
    """A kernel k(x0, x1, x2, y) for y = name(x0, x1, x2), element by element; y (m, n).

    name     one of
    {formulas}
    Everything else is as in `binary`. Source: table 3 there.
    """
    spec = rowwise_request(
        "ternary",
        name,
        m,
        n,
        bcast=bcast,
        dtype=dtype,
        out=out,
        accuracy=accuracy,
        compute=compute,
        order=order,
        numerics=numerics,
        **more,
    )
    return cast("Ternary", shared(spec, target, release_gil))


@remembered
def equation(
    function: Callable[..., Any],
    *,
    dtype: DTypes | Mapping[str, DTypeLike | Literal["bits"]] = "f32",
    out: DTypes | None = None,
    accuracy: Accuracy | None = None,
    compute: DTypeLike | None = None,
    order: MatrixOrders | Mapping[str, Order] = "C",
    numerics: Numerics = "exact",
    bounds: Bounds | None = None,
    axis: int | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
    **operands: Any,
) -> Kernel:
    """A kernel for a Python function of matrices, element by element: k(x, g, ..., y) in the order of its parameters.

    ts.equation(lambda x, g, b: ts.tanh(x) + g * b, x=(m, n), g=(1, n), b=(1, n), dtype="f32")

    function  is called once with expressions. They support Python's operators, and `ts.tanh` and other functions take
              them. It returns an expression, or a tuple of them for several outputs (then named y0, y1...)
    operands  the shape of each parameter: that of the output, or of one row, column or element of it. (n,) is a row,
              (b, m, n) has b * m rows, ts.RUNTIME is any number. A parameter without a shape keeps its default
              (eps=1e-5). Leading dimensions are given as ldx=... for a parameter x. dtype: one for all,
              or {name: type}; order: a letter for all, one for each parameter and y, or {name: letter}; everything else
              as in `unary`. With `ts.dropout(x, rate)` or `ts.uniform()` in the function: k(x, ..., seed, y), and
              `origin` as in `unary`

    With reductions along rows, `ts.sum(x, axis=1)` and max, min, mean, prod, absmax, ts.softmax, ts.layernorm..., one
    kernel computes the whole function row by row. A result of reductions alone has the shape (m, 1).

    axis      the axis of arrays of any rank, which broadcast as numpy's, that these rows lie along: 1 for the channels
              of images (n, c, h, w). Shapes are then those of the arrays, without gaps, and a result has all axes, of
              length 1 where it was reduced

    `ts.gather(table, index)` is the rows of a table that an index names; the index is a parameter of shape (m,) and
    type "i64" or "i32". `ts.scatter(x, index, rows, add=False)` as a result puts rows into a matrix with that number of
    rows, at the positions of an index. bounds: "call" or "kernel", who checks the indices, as in `ts.gather`

    With products of matrices, `x @ w` or `x @ w.T`, shapes are those of the operands themselves:
    ts.equation(lambda x, w1, b, w2: ts.gelu(x @ w1 + b) @ w2 + x, x=(m, n), w1=(n, h), b=(1, h), w2=(h, n)). One kernel
    computes bands of rows, and the values between two products stay in scratch memory. docs/fused.md
    """
    if not callable(function):
        raise TypeError(f"equation: a Python function of expressions, not {function!r}")
    asked = equations.EquationArguments(
        function,
        order,
        bounds,
        {
            "dtype": dtype,
            "out": out,
            "compute": compute,
            "numerics": numerics,
            "accuracy": accuracy or default_accuracy(),
        },
        axis,
    )
    return shared(asked.request(operands), target, release_gil)


for _kind, _function in {"unary": unary, "binary": binary, "ternary": ternary}.items():
    if _function.__doc__:
        _function.__doc__ = inspect.cleandoc(_function.__doc__).replace("{formulas}", formulas(_kind))
