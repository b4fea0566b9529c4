"""Transposes and changes of layout with a conversion or an expression: elementwise kernels between two layouts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES, element_type
from ...microkernels.eltwise.spec import EltwiseSpec, eltwise_spec
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.along import has_reductions
from ...microkernels.operands import extent
from ..kernel.accuracy import Accuracy, default_accuracy
from ..kernel.callable import kept, shared
from .eltwise import BROADCASTS

if TYPE_CHECKING:
    from .typed import Loads, Operands, TargetLike, Unary


class _Worked(NamedTuple):
    """The request for what a transform does to elements besides moving them."""

    dtype: Any
    out: Any
    epilogue: Callable[..., Any] | None
    operands: Operands | None
    accuracy: Accuracy | None
    compute: Any
    loads: Loads | None
    leading: dict[str, Any]


def working(
    name: str,
    layouts: tuple[str, str],
    m: int,
    n: int,
    given: tuple[Any, ...],
    target: TargetLike,
    release_gil: bool | None,
) -> Unary:
    """Return the kernel that moves elements and computes on the way: an elementwise one of two layouts."""
    asked = _Worked(*given)
    if asked.loads is not None:
        raise UnsupportedError(
            "loads: cannot be chosen with a conversion or an epilogue; leave it out, the planner chooses"
        )
    spec = _spec(name, layouts, extent("m", m), extent("n", n), asked)
    make = kept if asked.epilogue is not None else shared  # a function is traced again at every request
    return cast("Unary", make(spec, target, release_gil))


def _spec(name: str, layouts: tuple[str, str], m: int, n: int, asked: _Worked) -> EltwiseSpec:
    function = asked.epilogue or (lambda x: x)
    if not callable(function):
        raise TypeError(f"epilogue: a function of x and further operands, not {function!r}")
    if asked.operands is not None and not isinstance(asked.operands, Mapping):
        raise TypeError(f'operands: a shape for each name, as {{"bias": "row"}}, not {asked.operands!r}')
    names = [each.name for each in inspect.signature(function).parameters.values() if each.default is each.empty]
    wanted = dict(asked.operands or {})
    extras = {each: wanted.pop(each, "row") for each in names[1:]}
    if wanted or not names:
        raise ValueError(f"operands: {next(iter(wanted), 'x')!r} is no parameter of the epilogue ({', '.join(names)})")
    of_x = element_type("dtype", asked.dtype)
    shapes, types = {"x": (m, n)}, {"x": of_x}
    for each, value in extras.items():
        way, dtype = value if isinstance(value, tuple) else (value, of_x if DTYPES[of_x].real else "f32")
        if way not in BROADCASTS:
            raise ValueError(f'operands: None, "row", "col" or "scalar" for {each}, not {way!r}')
        label = f"{each}_" if each in ("x", "y") else each
        shapes[label] = {None: (m, n), "row": (1, n), "col": (m, 1), "scalar": (1, 1)}[way]
        types[label] = element_type(f"dtype of {each}", dtype)
    spec = eltwise_spec(
        function,
        name,
        shapes,
        dtype=types,
        out=asked.out or of_x,
        accuracy=asked.accuracy or default_accuracy(),
        compute=asked.compute,
        leading={key: value for key, value in asked.leading.items() if value is not None},
        by_name=False,
        extents=(m, n),
        layouts={"x": layouts[0], "y": layouts[1]},
    )
    if has_reductions(step.op for step in spec.program.steps):
        raise UnsupportedError(
            "epilogue: a reduction needs whole rows or columns, and this kernel moves tiles of x; "
            "ts.equation has reductions, of x.T too"
        )
    return spec
