"""The public functions of elementwise kernels: each makes a spec of its arguments and asks the cache for the kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any

from ...microkernels.eltwise.spec import BITS, EltwiseSpec, eltwise_spec
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.conversions import RANGE
from ...microkernels.expr.graph import ExpressionTypeError
from ...microkernels.functions import quantize
from ...microkernels.functions.catalogue import BINARY, MADE, MASKED, ONLY, TERNARY, UNARY, USUAL
from ..host import detect as host
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import anew, remembered, strings

BROADCASTS = (None, "row", "col", "scalar")


def unary(name: str, m: int, n: int, *, dtype: Any = "f32", out: Any = None, accuracy: str = "fast",
          bcast: str | None = None, compute: str | None = None, target: str | None = None,
          release_gil: bool | None = None, **leading: Any) -> Kernel:  # fmt: skip
    """A kernel k(x, y) for y = name(x), element by element: x and y (m, n).

    name     one of `tilesmith.primitives()["unary"]`; "identity" copies or converts
    dtype    of x: "f64", "f32", "bf16", "f16", "f8e5m2", "f8e4m3", "i64", "i32", "i16", "u16", "i8" or "u8"; out: of y,
             None for that of x
    accuracy "fast" or "accurate", where the function has both
    bcast    None, or what x has one of: "row" (1, n), "col" (m, 1), "scalar" (1, 1)
    compute  "f32", "f64", "i32" or "i64": the type of the arithmetic; None: the widest of the inputs', f32 for shorter
             floats, i32 for shorter integers. Wider inputs are rounded to it once, results from it once
    ldx, ldy None (dense), elements between neighbouring rows, or ts.RUNTIME
    rate     of "dropout" and its relatives, from 0 to 1. These, "uniform", "random" and "round_stochastic" take the
             seed, a whole number, after x: k(x, seed, y). What comes depends on the seed and an element's place only
    scale, zero   of "quantize" and "dequantize", which as binary and ternary take them as operands
    origin   ts.RUNTIME for those: k(x, seed, row, column, y), the place of x[0, 0] in the matrix that x is a tile of
    target   a name from ts.targets(), None for this host; release_gil as in `brgemm`
    y may be x itself where both have the same type and leading dimension.

    Raises UnsupportedError with the reason and what would work, TypeError or ValueError naming the argument. Source:
    Georganas et al., Tensor Processing Primitives, table 1.
    """
    return _asked("unary", name, m, n, bcast, dtype, out, accuracy, compute, target, release_gil, leading)


def binary(name: str, m: int, n: int, *, bcast: Any = (None, None), dtype: Any = "f32", out: Any = None,
           accuracy: str = "fast", compute: str | None = None, target: str | None = None,
           release_gil: bool | None = None, **leading: Any) -> Kernel:  # fmt: skip
    """A kernel k(x0, x1, y) for y = name(x0, x1), element by element; y (m, n).

    name     one of `tilesmith.primitives()["binary"]`. Comparisons give bits: y (m, ceil(n / 8)) of uint8, element
             8 j + i in bit i of byte j, unused bits 0
    bcast    for each input None, "row", "col" or "scalar"
    dtype    of the inputs, or one for each; everything else, and the errors, as in `unary`. Source: table 2 there.
    """
    return _asked("binary", name, m, n, bcast, dtype, out, accuracy, compute, target, release_gil, leading)


def ternary(name: str, m: int, n: int, *, bcast: Any = (None, None, None), dtype: Any = "f32", out: Any = None,
            accuracy: str = "fast", compute: str | None = None, target: str | None = None,
            release_gil: bool | None = None, **leading: Any) -> Kernel:  # fmt: skip
    """A kernel k(x0, x1, x2, y) for y = name(x0, x1, x2), element by element; y (m, n).

    name     "muladd" (x0 * x1 + x2), "nmuladd" (x2 - x0 * x1), "blend" (x1 where the bit of x2 is set, else x0)
    Everything else as in `binary`. Source: table 3 there.
    """
    return _asked("ternary", name, m, n, bcast, dtype, out, accuracy, compute, target, release_gil, leading)


def equation(function: Callable[..., Any], *, dtype: Any = "f32", out: Any = None, accuracy: str = "fast",
             compute: str | None = None, target: str | None = None, release_gil: bool | None = None,
             **operands: Any) -> Kernel:  # fmt: skip
    """A kernel for a Python function of matrices, element by element: k(x, g, ..., y) in the order of its parameters.

    ts.equation(lambda x, g, b: ts.tanh(x) + g * b, x=(m, n), g=(1, n), b=(1, n), dtype="f32")

    function  is called once with expressions. They have Python's operators, and `ts.tanh` and others take them. It
              returns an expression, or a tuple of them for several outputs (then named y0, y1...)
    operands  the shape of each parameter: that of the output, or one row, column or element of it; and leading
              dimensions, ldx=... for a parameter x. dtype: of all, or {name: type}; everything else as in `unary`
              With `ts.dropout(x, rate)` or `ts.uniform()` in it: k(x, ..., seed, y), and `origin` as in `unary`
    """
    if not callable(function):
        raise TypeError(f"equation: a Python function of expressions, not {function!r}")
    found = list(inspect.signature(function).parameters)
    shapes = {name: operands.pop(name) for name in found if name in operands}
    missing = [name for name in found if name not in shapes]
    if missing or not shapes:
        raise TypeError(f"equation: a shape for each parameter of the function ({', '.join(found)}); "
                        f"missing {', '.join(missing) or 'all: it has none'}")  # fmt: skip
    for name, shape in shapes.items():
        if not (isinstance(shape, tuple) and len(shape) == 2):
            raise TypeError(f"{name}: a shape (rows, columns), not {shape!r}")
    spec = eltwise_spec(function, "equation", shapes, dtype=dtype, out=out, accuracy=accuracy, compute=compute,
                        origin=operands.pop("origin", None), leading=operands)  # fmt: skip
    return shared(spec, host.resolve(target), release_gil)


def primitives() -> dict[str, tuple[str, ...]]:
    """The names that `unary`, `binary` and `ternary` take, each under the name of that function.

    Which types and targets have them: docs/coverage.md, or `tilesmith info --coverage`.
    """
    return {kind: tuple(sorted(table)) for kind, table in TABLES.items()}


TABLES: dict[str, Mapping[str, Callable[..., Any]]] = {"unary": UNARY, "binary": BINARY, "ternary": TERNARY}
_COUNT = {"unary": 1, "binary": 2, "ternary": 3}


def _asked(kind: str, name: str, m: int, n: int, bcast: Any, dtype: Any, out: Any, accuracy: str, compute: str | None,
           target: str | None, release_gil: bool | None, leading: dict[str, Any]) -> Kernel:  # fmt: skip
    """The kernel; from the cache where all arguments are keys."""
    if type(bcast) is tuple:
        bcast = strings(bcast)
    if type(dtype) is tuple:
        dtype = strings(dtype)
    if type(out) is tuple:
        out = strings(out)
    try:
        return _recent(kind, name, m, n, bcast, dtype, out, accuracy, compute, target, release_gil, **leading)
    except TypeError:
        pass  # an argument is no key, or is one that the checks will name
    return anew(_recent)(kind, name, m, n, bcast, dtype, out, accuracy, compute, target, release_gil, **leading)


@remembered
def _recent(kind: str, name: Any, m: Any, n: Any, bcast: Any, dtype: Any, out: Any, accuracy: Any, compute: Any,
            target: Any, release_gil: Any, /, **rest: Any) -> Kernel:  # fmt: skip
    spec = request(kind, name, m, n, bcast=(bcast,) if kind == "unary" else bcast, dtype=dtype, out=out,
                   accuracy=accuracy, compute=compute, **rest)  # fmt: skip
    return shared(spec, host.resolve(target), release_gil)


def request(kind: str, name: str, m: int, n: int, *, bcast: Any = None, dtype: Any = "f32", out: Any = None,
            accuracy: str = "fast", compute: str | None = None, origin: Any = None,
            **rest: Any) -> EltwiseSpec:  # fmt: skip
    """The spec of a primitive, as `unary`, `binary` and `ternary` take its arguments."""
    table = TABLES[kind]
    if not isinstance(name, str) or name not in table:
        near = get_close_matches(str(name), table)
        hint = f"; near: {', '.join(near)}" if near else ""
        raise ValueError(f"name: one of {', '.join(sorted(table))}, not {name!r}{hint}")
    if name in MADE:
        out, dtype, bcast = out or MADE[name], "f32", None if bcast in (None, (None,)) else bcast
        compute = out if compute is None and out in ("f64", "i64") else compute
    count = 0 if name in MADE else _COUNT[kind]
    usual = USUAL.get(name, {})
    dtype = usual.get("dtype", dtype) if dtype == "f32" else dtype
    out, bcast = out or usual.get("out"), usual.get("bcast", bcast)
    if name in quantize.NAMES:
        dtype, out, bcast, compute = quantize.usual(name, count, dtype, out, bcast)
    inputs = ["x"] if count == 1 else [f"x{i}" for i in range(count)]
    shapes = dict(zip(inputs, _shapes(bcast, count, m, n)))
    types = _types(dtype, inputs, MASKED.get(name))
    if name in ONLY and ((dtype,) * count if isinstance(dtype, str) else tuple(dtype)) not in ONLY[name]:
        raise UnsupportedError(f"{name}: dtype is {' or '.join(map(str, ONLY[name]))}, not {dtype!r}")
    function, leading = _with_parameters(table[name], name, rest, out or dtype)
    try:
        spec = eltwise_spec(function, name, shapes, dtype=types, out=out, accuracy=accuracy, compute=compute,
                            leading=leading, by_name=False, extents=(m, n), origin=origin)  # fmt: skip
    except ExpressionTypeError as error:
        hint = ""
        whole = isinstance(dtype, str) and (dtype in RANGE or dtype == "i64")
        if whole and compute is None and "compute=" not in str(error):
            hint = f'; compute="{"f64" if dtype == "i64" else "f32"}" converts'
        raise UnsupportedError(f"{name} of {dtype}: {error}{hint}") from None
    return spec


def _with_parameters(function: Callable[..., Any], name: str, given: dict[str, Any], out: Any
                     ) -> tuple[Callable[..., Any], dict[str, Any]]:  # fmt: skip
    """The function with its own parameters (those after *), and what is left of the keywords. `out` is one of them."""
    asked = [each for each in inspect.signature(function).parameters.values() if each.kind is each.KEYWORD_ONLY]
    known: dict[str, Any] = {"out": out, **given}
    missing = [each.name for each in asked if each.name not in known and each.default is each.empty]
    if missing:
        raise TypeError(f"{name}: give {missing[0]}=")
    chosen = {each.name: known[each.name] for each in asked if each.name in known}
    rest = {key: value for key, value in given.items() if key not in chosen}
    return (partial(function, **chosen) if chosen else function), rest


def _shapes(bcast: Any, count: int, m: int, n: int) -> list[tuple[int, int]]:
    """A shape for each input."""
    each = (None,) * count if bcast is None else (bcast,) if isinstance(bcast, str) else tuple(bcast)
    if len(each) != count or any(one not in BROADCASTS for one in each):
        raise ValueError(f'bcast: None, "row", "col" or "scalar" for each of {count} inputs, not {bcast!r}')
    return [{None: (m, n), "row": (1, n), "col": (m, 1), "scalar": (1, 1)}[one] for one in each]


def _types(dtype: Any, inputs: list[str], mask: int | None) -> Any:
    """The types of the inputs, bits where the function takes a mask."""
    if mask is None:
        return dtype
    if isinstance(dtype, str):
        return {name: BITS if i == mask else dtype for i, name in enumerate(inputs)}
    return dtype
