"""The function that a contraction applies to its sums: its trace, and the names of its further operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...microkernels.dtypes import DTYPES
from ...microkernels.eltwise.traced import COMPUTE, traced_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.expr.trace import TracedResults, behind_first, trace_key, with_parameters
from ...microkernels.gemm.spec import gemm_spec

if TYPE_CHECKING:
    from ..api.typed import Epilogue


def function_of(trace: TracedResults, names: Sequence[str]) -> Epilogue:
    """Return a function of the sum and of these operands whose expressions were traced before."""

    def traced(*_: Expr, **__: Expr) -> Expr:
        return trace.results[0]

    return with_parameters(traced, ("c", *names))


def traced(
    epilogue: Epilogue | None, bias: str | None, types: Mapping[str, str], product: Sequence[str]
) -> tuple[TracedResults | None, tuple[str, ...]]:
    """Return the trace of the function that is applied to the sums, and the names of its operands.

    bias      the name of the operand that is added to the sum first, or None
    types     of the operands, by name
    product   the types of x, the weights and the result
    """
    names = () if epilogue is None else tuple(behind_first(epilogue, types.keys() - {bias})[1:])
    missing = [name for name in names if name not in types]
    if missing:
        raise ValueError(f"operands: none is given for {missing[0]}, a parameter of the epilogue")
    unknown = [name for name in types if name not in names and name != bias]
    if unknown:
        raise ValueError(f"operands: {unknown[0]!r} is no parameter of the epilogue")
    if epilogue is None and bias is None:
        return None, ()
    order = (bias, *names) if bias is not None else names
    given, inside = epilogue, inside_names(order)

    def whole(c: Expr, *operands: Expr, **named: Expr) -> object:
        values = dict(zip(order, (*operands, *(named[each] for each in inside[len(operands) :]))))
        if bias is not None:
            c = c + values.pop(bias)
        return c if given is None else given(c, **values)

    sums = gemm_spec(1, 1, 1, dtype=tuple(product), epilogue=True).acc_dtype
    real = any(DTYPES[dtype].real for dtype in (product[2], *types.values()))
    compute = "f32" if real and not DTYPES[sums].real else COMPUTE[sums]
    seen = {each: traced_type(types[name], compute, True) for each, name in zip(inside, order)}
    found = trace_key(with_parameters(whole, ("c", *inside)), inside, traced_type(sums, compute, True), seen)
    if found is None:
        raise UnsupportedError("epilogue: a function whose results are expressions of its parameters")
    if len(found.results) != 1:
        raise UnsupportedError(
            "epilogue: one result; compute others from it with ts.equation, or use ts.brgemm for single products"
        )
    return found, order


def inside_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of further operands in the requests of products, in which a, b, c and y are the product's."""
    return tuple(
        next(each for each in (name + "_" * length for length in range(len(names) + 1)) if _is_free(each, name, names))
        for name in names
    )


def _is_free(found: str, name: str, names: Sequence[str]) -> bool:
    return found not in ("a", "b", "c", "y") and (found == name or found not in names)
