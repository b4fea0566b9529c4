"""Requests of named elementwise functions, by their rows in the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from ...encoder.deferred import deferred
from ...microkernels.dtypes import element_type
from ...microkernels.eltwise.spec import EltwiseSpec, eltwise_spec
from ...microkernels.eltwise.traced import BITS
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.conversions import RANGE
from ...microkernels.expr.graph import ExpressionTypeError
from ...microkernels.functions.accuracies import FAST
from ...microkernels.functions.catalogue import TABLES as TABLES
from ...microkernels.functions.catalogue import Primitive
from ...microkernels.names import chosen, nearest
from ...microkernels.operands import LIKELY_ROWS, RUNTIME
from ..kernel.accuracy import default_accuracy

if TYPE_CHECKING:
    from ...microkernels.rowwise.spec import Request, RowwiseSpec

BROADCASTS = (None, "row", "col", "scalar")


class Names(tuple[str, ...]):
    """Names of primitives; names["gelu"] is the formula of one, and as text they all are."""

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


def primitives() -> dict[str, Names]:
    """The names that `unary`, `binary` and `ternary` take, each under the name of that function.

    `ts.primitives()["binary"]["gelu_inv"]` is the formula of one, print(ts.primitives()["binary"]) shows them all.
    Which types and targets have them: docs/coverage.md, or `tilesmith info --coverage`.
    """
    return {kind: _names(kind) for kind in TABLES}


def _names(kind: str) -> Names:
    made = Names(sorted(TABLES[kind]))
    made.kind = kind
    return made


def formulas(kind: str) -> str:
    """The formulas of a kind as lines of a docstring."""
    return "\n".join(f"             {TABLES[kind][name]}" for name in sorted(TABLES[kind]))


def primitive(kind: str, name: Any) -> Primitive:
    """The row of a name; ValueError with the nearest one for a name that there is not."""
    table = TABLES[kind]
    if isinstance(name, str) and name not in table:
        elsewhere = next((other for other in TABLES if name in TABLES[other]), None)
        if elsewhere:
            raise ValueError(f"name: {TABLES[elsewhere][name]}: a name of ts.{elsewhere}, not of ts.{kind}")
    return table[chosen("name", name, sorted(table))]


def rowwise_request(kind: str, name: str, m: Any, n: Any, **more: Any) -> EltwiseSpec | RowwiseSpec:
    """The same of any number of rows, where m is ts.RUNTIME."""
    if n is RUNTIME:
        raise UnsupportedError("n: a number, for which registers are blocked; rows, m, may be ts.RUNTIME")
    if m is not RUNTIME:
        return request(kind, name, m, n, **more)
    return any_rows(request(kind, name, LIKELY_ROWS, n, **more))


def any_rows(spec: Request) -> RowwiseSpec:
    """The request for any number of rows, of that for LIKELY_ROWS rows."""
    return _rowwise_spec()(spec)


@deferred
def _rowwise_spec() -> Callable[[Request], RowwiseSpec]:
    from ...microkernels.rowwise.spec import rowwise_spec

    return rowwise_spec


def request(kind: str, name: str, m: int, n: int, *, bcast: Any = None, dtype: Any = "f32", out: Any = None,
            accuracy: str | None = None, compute: Any = None, origin: Any = None, algorithm: Any = None,
            order: Any = "C", numerics: str = "exact", **rest: Any) -> EltwiseSpec:  # fmt: skip
    """The spec of a primitive, as `unary`, `binary` and `ternary` take its arguments."""
    row = primitive(kind, name)
    dtype, out = _types("dtype", dtype), None if out is None else _types("out", out)
    compute = None if compute is None else element_type("compute", compute)
    dtype, out, bcast, compute = _defaults(row, dtype, out, bcast, compute)
    count = len(row.operands)
    inputs = ["x"] if count == 1 else [f"x{i}" for i in range(count)]
    shapes = dict(zip(inputs, _shapes(bcast, count, m, n)))
    if row.only and ((dtype,) * count if isinstance(dtype, str) else tuple(dtype)) not in row.only:
        raise UnsupportedError(f"{name}: dtype is {' or '.join(map(str, row.only))}, not {dtype!r}")
    function, leading = _with_parameters(row, rest, out or dtype)
    accuracy = accuracy or (FAST if algorithm is not None else default_accuracy())
    try:
        return eltwise_spec(
            function, row.name, shapes, dtype=_masked(dtype, inputs, row.mask), out=out,
            accuracy=accuracy, compute=compute, leading=leading, by_name=False, extents=(m, n), origin=origin,
            algorithm=algorithm, order=order, numerics=numerics,
        )  # fmt: skip
    except ExpressionTypeError as error:
        hint = ""
        whole = isinstance(dtype, str) and (dtype in RANGE or dtype == "i64")
        if whole and compute is None and "compute=" not in str(error):
            hint = f'; compute="{"f64" if dtype == "i64" else "f32"}" converts'
        raise UnsupportedError(f"{name} of {dtype}: {error}{hint}") from None


def _types(what: str, value: Any) -> Any:
    """The names of types: one for all, one for each, or one for each name."""
    if isinstance(value, Mapping):
        return {name: element_type(f"{what} of {name}", each, BITS) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return tuple(element_type(what, each, BITS) for each in value)
    return element_type(what, value, BITS)


def _defaults(row: Primitive, dtype: Any, out: Any, bcast: Any, compute: str | None) -> tuple[Any, Any, Any, Any]:
    """Types of operands and results, broadcasts and the type of the arithmetic, as far as the row says them."""
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


def _with_parameters(row: Primitive, given: dict[str, Any], out: Any
                     ) -> tuple[Callable[..., Any], dict[str, Any]]:  # fmt: skip
    """The function with its own parameters, and what is left of the keywords. `out` is one of them."""
    known: dict[str, Any] = {"out": out, **given}
    missing = [each for each in row.needed if each not in known]
    if missing:
        raise TypeError(f"{row.name}: give {missing[0]}=")
    taken = {each: known[each] for each in row.keywords if each in known}
    rest = {key: value for key, value in given.items() if key not in taken}
    return (partial(row.function, **taken) if taken else row.function), rest


def _shapes(bcast: Any, count: int, m: int, n: int) -> list[tuple[int, int]]:
    """A shape for each input."""
    each = (None,) * count if bcast is None else (bcast,) if isinstance(bcast, str) else tuple(bcast)
    if len(each) != count or any(one not in BROADCASTS for one in each):
        near = next((near for one in each if isinstance(one, str) and one not in BROADCASTS
                     and (near := nearest(one, ("row", "col", "scalar")))), "")  # fmt: skip
        hint = f"; did you mean {near!r}?" if near else ""
        raise ValueError(f'bcast: None, "row", "col" or "scalar" for each of {count} inputs, not {bcast!r}{hint}')
    return [{None: (m, n), "row": (1, n), "col": (m, 1), "scalar": (1, 1)}[one] for one in each]


def _masked(dtype: Any, inputs: list[str], mask: int | None) -> Any:
    """The types of the inputs, bits where the function takes a mask."""
    if mask is None or not isinstance(dtype, str):
        return dtype
    return {name: BITS if i == mask else dtype for i, name in enumerate(inputs)}
