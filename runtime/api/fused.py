"""Kernels with reductions along rows: `ts.fused`, and the functions for use inside a traced function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, cast, overload

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES, element_type
from ...microkernels.eltwise.spec import result_names, spec_of
from ...microkernels.eltwise.traced import Computation, computation
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr import along as reductions
from ...microkernels.expr.graph import FLOATS, MASKS, Expr, real
from ...microkernels.fused.composites import COMPOSITES, INDEX, Composite, option
from ...microkernels.fused.losses import first_column
from ...microkernels.fused.spec import FusedSpec, fused_spec
from ...microkernels.names import nearest
from ...microkernels.operands import ROWS, RUNTIME, extent
from ...microkernels.reduce.ops import REDUCTIONS
from ..kernel.accuracy import Accuracy, default_accuracy
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import RECENT, remembered

if TYPE_CHECKING:
    from ...microkernels.functions import catalogue
    from ...microkernels.grouped import spec as grouped_spec
    from ...microkernels.tensorize import expressions
    from ...microkernels.tensorize.expressions import Loops, TensorExpression, TensorProgram
    from .typed import DTypeLike, DTypes, ExtentLike, Numerics, Order, TargetLike

catalogue = lazy(__package__, "...microkernels.functions.catalogue")
grouped_spec = lazy(__package__, "...microkernels.grouped.spec")
expressions = lazy(__package__, "...microkernels.tensorize.expressions")


def _refuse_axis(name: str, axis: object) -> None:
    if axis not in (1, -1):
        raise UnsupportedError(
            f"{name}: axis={axis!r} is not supported inside a traced function; axis=1 reduces rows, "
            "axis=0 columns, and axis=None (ts.sum and its like) all elements"
        )


def _expression(name: str, x: object, kernel: str = "") -> Expr:
    if not isinstance(x, Expr):
        made = kernel or f'ts.reduce("{name}", m, n, axis=1)'
        raise TypeError(
            f"{name}: an expression, inside a function given to ts.equation, not {type(x).__name__}; for "
            f"arrays make a kernel: k = {made}; k(x, y)"
        )
    return x


def _along(name: str, x: object, axis: object) -> Expr:
    given = _expression(name, x)
    if axis not in (0, -2, None):
        _refuse_axis(name, axis)
    value: Expr = real(given)
    if value.dtype not in FLOATS:
        raise TypeError(f"{name}: an expression of floats, not of {given.dtype}")
    if axis is None:
        return reductions.down(name, reductions.along(name, value))
    return reductions.down(name, value) if axis in (0, -2) else reductions.along(name, value)


@overload
def sum(x: Expr, axis: int | None = None) -> Expr: ...


@overload
def sum(x: TensorExpression, axis: Loops = None) -> TensorProgram: ...


def sum(x: Expr | TensorExpression, axis: int | Loops = None) -> Expr | TensorProgram:
    """The sum along each row (axis=1), which has one column and so broadcasts; inside a function given to ts.equation.

    With axis=0, the sum down each column (1, n); without an axis, the sum of all elements (1, 1). Both broadcast, too;
    the kernel then reads the rows once more. The elements of a row are added in several accumulators, whose number
    depends on the machine, with rounding to nearest. Sums of rows, and the elements of a column, are added one after
    the other.

    Of a product of elements of two tensors, the program that sums it over axes made by ts.reduce_axis: see
    `ts.tensorize`.
    """
    if not isinstance(x, Expr) and isinstance(x, expressions.TensorExpression):
        return expressions.summed(x, cast("Loops", axis))
    return _along("sum", x, axis)


def prod(x: Expr, axis: int | None = None) -> Expr:
    """The product along each row; axes as in `sum`."""
    return _along("product", x, axis)


def max(x: Expr, axis: int | None = None) -> Expr:
    """The largest element of each row, or NaN if one is; axes as in `sum`."""
    return _along("max", x, axis)


def min(x: Expr, axis: int | None = None) -> Expr:
    """The smallest element of each row, or NaN if one is; axes as in `sum`."""
    return _along("min", x, axis)


def mean(x: Expr, axis: int | None = None) -> Expr:
    """The mean of each row: the sum divided by the number of columns; axes as in `sum`."""
    return _along("mean", x, axis)


def absmax(x: Expr, axis: int | None = None) -> Expr:
    """The largest magnitude of each row, or NaN if one element is; axes as in `sum`."""
    return _along("absmax", x, axis)


def _scan(name: str, reduction: str, x: object, axis: object, exclusive: object) -> Expr:
    given = _expression(name, x, f"ts.equation(lambda x: ts.{name}(x, axis=1), x=x.shape)")
    if axis not in (0, 1, -1, -2):
        raise UnsupportedError(f"{name}: axis=1 (along rows) or axis=0 (down the columns), not {axis!r}")
    if not isinstance(exclusive, bool):
        raise TypeError(f"{name}: exclusive is True or False, not {exclusive!r}")
    if given.dtype in MASKS:
        raise TypeError(f"{name}: an expression of numbers, not a mask; ts.select(mask, 1.0, 0.0) makes numbers of it")
    REDUCTIONS[reduction].join(given, given)  # raises TypeError for a type whose elements no machine joins
    return (reductions.scan if axis in (1, -1) else reductions.scan_down)(reduction, given, exclusive)


def cumsum(x: Expr, axis: int | None = None, *, exclusive: bool = False) -> Expr:
    """The sum of the elements of each row up to each element (axis=1), of the shape of x; inside a function given to
    ts.equation. With exclusive=True, the sum of those before it, 0 for the first.

    Elements are added by pairs of neighbours, pairs of pairs and so on within a vector of the machine, and vectors one
    after the other, so that the result does not depend on threads. In a function of matrices of order "F", axis=0 goes
    down the columns; other axes raise UnsupportedError.
    """
    return _scan("cumsum", "sum", x, axis, exclusive)


def cumprod(x: Expr, axis: int | None = None, *, exclusive: bool = False) -> Expr:
    """The product of the elements of each row up to each element; as `cumsum`, from 1 on."""
    return _scan("cumprod", "product", x, axis, exclusive)


def cummax(x: Expr, axis: int | None = None, *, exclusive: bool = False) -> Expr:
    """The largest element of each row up to each element, or NaN from the first NaN on; as `cumsum`, from the least
    number on."""
    return _scan("cummax", "max", x, axis, exclusive)


def cummin(x: Expr, axis: int | None = None, *, exclusive: bool = False) -> Expr:
    """The smallest element of each row up to each element, or NaN from the first NaN on; as `cumsum`, from the largest
    number on."""
    return _scan("cummin", "min", x, axis, exclusive)


def argmax(x: Expr, axis: int | None = None) -> Expr:
    """The column of the first largest element of each row, or of its first NaN; only axis=1 is supported.

    The result is a number in the type of the arithmetic, which out="i32" stores as an integer. With an origin
    (ts.RUNTIME), columns are counted from it.
    """
    return _index("argmax", x, axis)


def argmin(x: Expr, axis: int | None = None) -> Expr:
    """The column of the first least element of each row, or of its first NaN; see `argmax`."""
    return _index("argmin", x, axis)


def _index(name: str, x: object, axis: object) -> Expr:
    _expression(name, x)
    if axis not in (1, -1):
        raise UnsupportedError(
            f"{name}: axis={axis!r} is not supported inside a traced function; use axis=1 (along "
            f'rows), or make a kernel of its own: ts.reduce("{name}", m, n, '
            f"axis={axis!r})"
        )
    best = _along("max" if name == "argmax" else "min", x, axis)
    return first_column(best.args[0], best)


def _composite(name: str) -> Callable[..., Expr]:
    """Return the composite as a function for use inside a traced function."""
    composite = COMPOSITES[name]

    def function(*inputs: Expr, axis: int | None = None, **options: Any) -> Expr:
        _check(name, composite, inputs, options)
        if axis in (0, -2):
            options["over"] = reductions.down
        elif axis is None:
            raise TypeError(f"{name}: axis=1 (along each row) or axis=0 (down each column) must be given")
        else:
            _refuse_axis(name, axis)
        made: Expr = composite.function(*inputs, **options)
        return made

    function.__name__, function.__qualname__ = name, name
    function.__doc__ = (
        f"{composite.formula}; along rows (axis=1) or down the columns (axis=0), inside a function "
        "given to ts.equation."
    )
    return function


softmax, log_softmax, layernorm, rmsnorm = map(_composite, ("softmax", "log_softmax", "layernorm", "rmsnorm"))


def composite(name: str, *inputs: Expr, **options: Any) -> Any:
    """A composite inside a function given to ts.equation: ts.composite("swiglu", a, b) is an expression; a composite
    with several results, ts.composite("batchnorm_training", x, gamma, beta, eps=1e-3), is a tuple of three.

    name       as in ts.fused; ts.composites() lists them
    inputs     expressions, in the order of the kernel's arguments
    options    constants, as in ts.fused: eps, beta1...

    Raises ValueError for an unknown name, TypeError for other inputs or options, UnsupportedError for composites of
    groups of rows, which are kernels of their own.
    """
    found = _composite_named(name)
    if found.grouped:
        raise UnsupportedError(
            f"{name}: works on groups of rows, which a traced function does not have; make a "
            f'kernel: ts.fused("{name}", m, n, ...)'
        )
    _check(name, found, inputs, options)
    return found.function(*inputs, **options)


def _check(name: str, found: Composite, inputs: Sequence[object], options: Mapping[str, object]) -> None:
    """Raise unless these are expressions, one for each input of the composite, and the options are its own."""
    wrong = [each for each in inputs if not isinstance(each, Expr)]
    if wrong or len(inputs) != len(found.inputs):
        given = f"not {type(wrong[0]).__name__}" if wrong else f"not {len(inputs) or 'none'}"
        count = f"{len(found.inputs)} expressions" if len(found.inputs) > 1 else "an expression"
        raise TypeError(
            f"{name}: takes {count} ({', '.join(found.inputs)}) inside a function given to ts.equation, "
            f'{given}; for arrays make a kernel: k = ts.fused("{name}", m, n)'
        )
    if unknown := next((each for each in options if each not in found.options), None):
        hint = "; write axis= instead" if unknown == "dim" else ""
        raise TypeError(f"{name}: has no option {unknown}= (its options: {', '.join(found.options) or 'none'}){hint}")
    for each, value in options.items():
        if not isinstance(value, Expr):
            option(each, value)


def composites() -> dict[str, str]:
    """Return the names that `fused` accepts, each with the call of its kernel and the formula."""
    return {name: f"{each.call}: {each.formula}" for name, each in COMPOSITES.items()}


@remembered
def fused(
    name: str,
    m: ExtentLike,
    n: int,
    *,
    dtype: DTypes | Mapping[str, DTypeLike] = "f32",
    out: DTypes | Mapping[str, DTypeLike] | None = None,
    accuracy: Accuracy | None = None,
    compute: DTypeLike | None = None,
    index: DTypeLike = "i32",
    order: Order = "C",
    numerics: Numerics = "exact",
    target: TargetLike = None,
    release_gil: bool | None = None,
    **more: Any,
) -> Kernel:
    """A kernel for a composite: k(x, y) for softmax, k(g, x, gamma, gx, ggamma, gbeta) for layernorm_inv. Matrices are
    (m, n), gamma, beta and bias (n,), values per row (m, 1), single numbers such as rate (1, 1).

    name     one of `composites()`, which lists the calls and formulas
    m        a number, or ts.RUNTIME: any number of rows, as the arrays have
    dtype    the type of all inputs except labels, halves of weights, bit masks and single numbers; or {name: type} for
             some of them, and the others are f32. out: the types of the results, in the same way
    index    the type of labels: "i32", "i16", "u16", "i8" or "u8"
    groups   the number of groups of a sample's channels, for groupnorm_training and its derivative; channels: the rows
             of a sample, by default m. Matrices are (m, n) with a channel in each row, gamma and beta (channels, 1),
             mean and inverse those of the groups of all samples, one below the other
    options  by name, as in the formulas: eps of the norms (1e-5, rmsnorm 1e-6), rate of dropout (0.1), momentum, beta1,
             beta2, decay, most. Kernels with a dropout take a seed before their results
    order    "C", or "F" if all matrices have contiguous columns
    compute, accuracy, numerics, target, release_gil, ldx=...   as in `equation`

    A result may be the array of an input with its shape and type if print(k.spec.in_place) names the input: optimizers
    write weights and states over the old ones. A row is read from memory only once if it fits into L1. Source:
    Georganas et al., Tensor Processing Primitives, section 4, and the sources in docs/fused.md.
    """
    composite, name = _composite_named(name), str.__str__(name)
    options = {each: option(each, more.pop(each)) for each in composite.options if each in more}
    divided = _groups(composite, name, m, more)
    if unknown := next((each for each in more if not each.startswith("ld")), None):
        raise _no_option(unknown, name, composite)
    rows, columns = extent("m", ROWS if m is RUNTIME else m), extent("n", n)
    if divided is not None:
        rows = divided.rows
    types = _types(composite, composite.inputs, dtype, index, "dtype")
    results = _types(composite, composite.outputs, _result_types(name, dtype) if out is None else out, index, "out")
    asked: tuple[Any, ...] = (
        tuple(types.values()),
        tuple(results.values()),
        compute or _wider(types, results),
        accuracy or default_accuracy(),
    )
    simple = _SIMPLE.issuperset(map(type, (*asked[0], *asked[1], *asked[2:])))
    computed = (_computed if simple else _computed.__wrapped__)(name, *asked, *chain.from_iterable(options.items()))
    spec = spec_of(
        computed,
        {each: _shape(composite, each, rows, columns) for each in composite.inputs},
        leading=_numbered(composite, more),
        extents=(rows, columns),
        order=order,
        numerics=numerics,
    )
    spec = replace(spec, outputs=tuple(y._replace(name=own) for y, own in zip(spec.outputs, composite.outputs)))
    made = fused_spec(spec) if composite.by_rows(spec) else spec
    if divided is not None:
        request = grouped_spec.grouped_spec(cast(FusedSpec, made), divided.groups, divided.samples, composite.shared)
        return shared(request, target, release_gil)
    return shared(made, target, release_gil)


_SIMPLE = frozenset({str})


@lru_cache(maxsize=RECENT, typed=True)
def _computed(
    name: str, types: tuple[Any, ...], results: tuple[Any, ...], compute: Any, accuracy: Any, *options: Any
) -> Computation:
    """What a composite computes, whatever its extents. options: names and numbers in turns."""
    composite, given = COMPOSITES[name], dict(zip(options[::2], options[1::2]))
    return computation(
        lambda *inputs: composite.function(*inputs, **given),
        name,
        composite.inputs,
        dtype=dict(zip(composite.inputs, types)),
        out=results,
        compute=compute,
        accuracy=accuracy,
        by_name=False,
    )


class _Groups(NamedTuple):
    """How the rows of matrices are divided: the rows of a group, the groups of a sample, and the samples."""

    rows: int
    groups: int
    samples: int


def _groups(composite: Composite, name: str, m: Any, more: dict[str, Any]) -> _Groups | None:
    """Return the division that groups= and channels= ask for, or None for composites without groups."""
    if not composite.grouped:
        return None
    if m is RUNTIME:
        raise UnsupportedError(
            f"{name}: m must be a number, not ts.RUNTIME; make a kernel for each number of samples, "
            "or one for a single sample and call it in a loop"
        )
    rows, groups = extent("m", m), extent("groups", more.pop("groups", 1))
    channels = extent("channels", more.pop("channels", rows))
    if rows % channels:
        raise ValueError(f"channels: must divide the {rows} rows (the channels of all samples); {channels} does not")
    if channels % groups:
        raise ValueError(f"groups: must divide the {channels} channels; {groups} does not")
    return _Groups(channels // groups, groups, rows // channels)


def _no_option(unknown: str, name: str, composite: Composite) -> TypeError:
    """Return the error for a keyword that is neither an option nor a leading dimension."""
    columns = unknown in ("axis", "dim") and name in ("softmax", "log_softmax", "layernorm", "rmsnorm")
    instead = f"; it goes along rows, and ts.{name}(..., axis=0) inside ts.equation goes down the columns" * columns
    return TypeError(
        f"{unknown}: {name} has no such option (its options: {', '.join(composite.options) or 'none'}); "
        f"other keywords are leading dimensions, ldx=...{instead}"
    )


def _composite_named(name: Any) -> Composite:
    if isinstance(name, str) and name in COMPOSITES:
        return COMPOSITES[name]
    kinds = catalogue.TABLES.items() if isinstance(name, str) else ()
    kind = next((kind for kind, names in kinds if name in names), None)
    near = nearest(str(name), COMPOSITES)
    hint = f'; it is elementwise: ts.{kind}("{name}", m, n)' if kind else f"; did you mean {near}?" if near else ""
    raise ValueError(f"fused: one of {', '.join(COMPOSITES)}, not {name!r}{hint}")


def _shape(composite: Composite, name: str, rows: int, columns: int) -> tuple[int, int]:
    """Return the shape of an input."""
    one = name in composite.numbers
    return 1 if one or name in composite.rows else rows, 1 if one or name in composite.columns else columns


def _result_types(name: str, dtype: Any) -> Any:
    """Return the type of the results: that of the inputs, or f32 if the inputs have individual types. Raises
    UnsupportedError for integers, which no composite has as results unless they are asked for."""
    if isinstance(dtype, Mapping):
        return "f32"
    if not DTYPES[element_type("dtype", dtype)].real:
        raise UnsupportedError(
            f'{name} of {dtype}: its results are real numbers; out="f32" keeps them, and out="{dtype}" rounds them'
        )
    return dtype


def _types(composite: Composite, names: Sequence[str], given: Any, index: Any, what: str) -> dict[str, Any]:
    """Return the type of each operand."""
    chosen = given if isinstance(given, Mapping) else {}
    wrong = [name for name in chosen if name not in names or name in composite.types]
    if wrong:
        free = ", ".join(name for name in names if name not in composite.types)
        of_index = composite.types.get(wrong[0]) == INDEX
        hint = f"; index= is the type of {wrong[0]}, i32 unless you give another" if of_index else ""
        raise ValueError(f"{what}: no type can be chosen for {wrong[0]!r}, only for {free}{hint}")
    usual = "f32" if isinstance(given, Mapping) else given
    number = "f64" if not isinstance(given, Mapping) and element_type(what, given) == "f64" else "f32"
    found = {name: number if name in composite.numbers else usual for name in names} | dict(chosen)
    fixed = {name: index if dtype == INDEX else dtype for name, dtype in composite.types.items() if name in names}
    sums = dict.fromkeys(composite.sums, number) if what == "out" else {}
    return found | fixed | {name: dtype for name, dtype in sums.items() if name not in chosen}


def _wider(*types: Mapping[str, Any]) -> str:
    """Return the type of the arithmetic."""
    return "f64" if any(dtype == "f64" for each in types for dtype in each.values()) else "f32"


def _numbered(composite: Composite, leading: Mapping[str, Any]) -> dict[str, Any]:
    """Return leading dimensions under the names that results have during tracing."""
    traced = result_names(composite.inputs, len(composite.outputs))
    places = {f"ld{name}": f"ld{each}" for name, each in zip(composite.outputs, traced, strict=True)}
    return {places.get(each, each): value for each, value in leading.items()}
