"""Traced functions with reductions and products, alone and for groups of rows, and attention.

    definition(spec, tables)            the expressions of a traced function
    on_numbers(spec)(algebra)           the results of numpy, with sums in f64

The order of sums is left open. Proofs evaluate the same expressions, with the reductions that code computes in place of
those of numpy (runtime/verify/traced).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ....emulation.numerics.expressions import NUMPY
from ....microkernels.attention.spec import DISTANCE, AttentionSpec
from ....microkernels.chain.shapes import shapes_of
from ....microkernels.chain.spec import ChainSpec
from ....microkernels.expr.along import ALONG, DOWN, MEAN, SCAN, SCANS, along, without_means
from ....microkernels.expr.graph import Expr, constant, expand, expressions, ordered, rebuilt, with_args
from ....microkernels.expr.products import PRODUCT
from ....microkernels.functions.activations import ACTIVATIONS
from ....microkernels.functions.forms import chosen_forms
from ....microkernels.fused.spec import FusedSpec
from ....microkernels.grouped.spec import GroupedSpec
from ....microkernels.reduce.scans import start_of
from .algebra import Array, NumberAlgebra, Ring, reals
from .elementwise import bits_in_a_row, inputs_of
from .evaluate import as_array
from .programs import evaluated

_SCANS: dict[str, np.ufunc] = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum}


def definition(spec: FusedSpec | ChainSpec, tables: int, flat: bool = False) -> tuple[Expr, ...]:
    """Return the expressions of a request with functions expanded, in the forms that its accuracy selects. `flat`: of
    its rows as one, along which all reductions are."""
    if isinstance(spec, ChainSpec):
        forms = chosen_forms(expressions(spec.program), spec.accuracy)
        results = _without_means(forms, {x.name: (x.rows, x.columns) for x in spec.inputs})
        return expand(results, ACTIVATIONS, accuracy=spec.accuracy, tables=tables)
    forms = chosen_forms(expressions(spec.program), spec.accuracy_of_functions)
    if flat:
        forms = rebuilt(forms, lambda each, args: args[0] if each.op == DOWN else with_args(each, args))
        results = without_means(forms, 1, spec.m * spec.n)
    else:
        results = without_means(forms, spec.m, spec.n, divided=bool(spec.swept))
    return expand(results, ACTIVATIONS, accuracy=spec.accuracy_of_functions, tables=spec.usable(tables))


def _without_means(forms: tuple[Expr, ...], inputs: Mapping[str, tuple[int, int]]) -> tuple[Expr, ...]:
    """Return expressions of matrices with different numbers of columns, with means as sums over them."""
    shapes, new = shapes_of(forms, inputs), dict[Expr, Expr]()
    for each in ordered(forms):
        args = tuple(new[arg] for arg in each.args)
        if each.op == ALONG and each.value == MEAN:
            new[each] = along("sum", args[0]) / constant(float(shapes[each.args[0]][1]), each.dtype)
        else:
            new[each] = with_args(each, args)
    return tuple(new[each] for each in forms)


# On numbers


def on_numbers(spec: object) -> Callable[[NumberAlgebra], dict[str, Array]] | None:
    """Return the definition on numbers of a request that sums computed elements: bits as packed, other results before
    they are rounded to the type of their memory. None if it has none."""
    request: Any = getattr(spec, "request", spec)
    if type(spec) not in _ON_NUMBERS or any(getattr(request, each, None) for each in _UNDEFINED):
        return None
    return np.errstate(all="ignore")(partial(_ON_NUMBERS[type(spec)], spec))


_UNDEFINED = "layouts", "moved", "placed", "column_major", "inverse", "score", "rate"
"""Properties of requests of which there is no definition here."""


def _traced(spec: Any, algebra: NumberAlgebra) -> dict[str, Array]:
    program = algebra.program(spec.numerics, partial(definition, spec))
    values = evaluated(program, inputs_of(spec, algebra, program), algebra.operations, partial(_reduced, spec))
    found = {y.name: value for y, value in zip(spec.outputs, values)}
    for y in spec.outputs:
        if y.name in getattr(spec, "bits", ()):
            own = (np.shape(found[y.name]) or (1,))[-1]
            columns = bits_in_a_row(y, own, getattr(spec, "n", own))
            found[y.name] = as_array(algebra.packed(found[y.name], y.rows, columns), None, np.dtype(np.uint8))
    return found


def _reduced(spec: Any, step: Any, parts: list[Array]) -> Array:
    """Return a product, a scan or a reduction of numbers."""
    dtype, (x, *more) = NUMPY[step.dtype], (each.astype(np.float64) for each in parts)
    if step.op == PRODUCT:
        return np.asarray((x @ more[0]).astype(dtype))
    if step.op in SCANS:
        (name, exclusive), axis = step.value, int(step.op == SCAN)
        found = _SCANS[name].accumulate(np.broadcast_to(x, (spec.m, spec.n)), axis=axis)
        if exclusive:
            found = np.roll(found, 1, axis)
            found[(slice(None), 0) if axis else 0] = np.array(start_of(name, step.dtype), f"u{dtype.itemsize}").view(
                dtype
            )
        return np.asarray(found.astype(dtype))
    lines = np.broadcast_shapes(x.shape, (1 if step.op == ALONG else spec.m, 1))
    name, x = ("max", np.abs(x)) if step.value == "absmax" else (step.value, x)
    reduce = _SCANS[name].reduce
    return np.asarray(reduce(np.broadcast_to(x, lines), axis=int(step.op == ALONG), keepdims=True).astype(dtype))


def _groups(spec: GroupedSpec, algebra: NumberAlgebra) -> dict[str, Array]:
    found = {y.name: np.zeros((y.rows, y.columns)) for y in spec.outputs}
    for sample, group in np.ndindex(spec.samples, spec.groups):
        own = {name: of_group(spec, name, array, sample, group) for name, array in algebra.arrays.items()}
        for name, made in _traced(spec.request, NumberAlgebra(own, algebra.numbers, algebra.target)).items():
            of_group(spec, name, found[name], sample, group)[...] += made
    return found


def of_group(spec: GroupedSpec, name: str, array: Array, sample: int, group: int) -> Array:
    """Return the rows of an operand that belong to a group, of an array that may have other axes than rows and
    columns."""
    (rows, columns), *_ = ((each.rows, each.columns) for each in spec.request.operands if each.name == name)
    whole = array if array.shape[1] == columns else array.reshape(-1, columns, *array.shape[2:])
    first = (group if name in spec.shared else sample * spec.groups + group) * rows
    return whole[first : first + rows]


# Attention


def _attention(spec: AttentionSpec, algebra: NumberAlgebra) -> dict[str, Array]:
    ring = reals(algebra.arrays)
    scores = scores_of(spec, ring, spec.scale, masked=spec.mask is not None)
    v = np.repeat(ring.matrix("v", spec.compute), spec.group, axis=0)
    for query in range(spec.queries):
        hidden = np.ones(spec.keys, bool)
        hidden[keys_of(spec, query)] = False
        scores[:, query, hidden] = -np.inf
    # finite even if all keys are hidden
    largest = scores.max(axis=-1, keepdims=True, initial=np.finfo(np.float64).min)
    powers = np.exp(scores - largest)
    total = powers.sum(axis=-1, keepdims=True)
    results = {"out": powers @ v / np.where(total == 0.0, 1.0, total), "lse": (np.log(total) + largest)[..., 0]}
    return {y.name: results[y.name] for y in spec.outputs}


def scores_of(spec: AttentionSpec, ring: Ring, scale: float, masked: bool) -> Array:
    """Return the scores of all heads, queries and keys, those of hidden keys too; with the mask or without."""
    q, k = (ring.matrix(name, spec.compute) for name in "qk")
    scores = ring.constant(scale) * (q @ np.repeat(k, spec.group, axis=0).transpose(0, 2, 1))
    if masked:
        scores = scores + of_each_pair(spec, ring.matrix("mask", spec.compute))
    return ring.settled(scores)


def keys_of(spec: AttentionSpec, query: int) -> slice:
    """Return the keys that a query attends to, of a request whose keys are those that count."""
    if not (spec.causal or spec.window):  # a single query of the last key has a window without the causal mask
        return slice(0, spec.keys)
    own = query + (spec.keys - spec.queries if spec.seen else 0)
    end = min(own + 1, spec.keys)
    return slice(max(0, own + 1 - spec.window) if spec.window else 0, end)


def of_each_pair(spec: AttentionSpec, masks: Array) -> Array:
    """Return the masks of a call as (heads, queries, keys)."""
    shape = spec.sequences, spec.heads // spec.sequences, spec.queries, spec.keys
    given: Array = masks.reshape(*spec.masks, -1)
    if spec.mask == DISTANCE:
        query, key = np.ogrid[: spec.queries, : spec.keys]
        given = given[..., query - key + spec.keys - 1]
    else:
        given = given.reshape(*spec.masks, -1, spec.keys)
    made: Array = np.ascontiguousarray(np.broadcast_to(given, shape))
    return made.reshape(-1, *shape[2:])


_ON_NUMBERS: dict[type, Callable[[Any, NumberAlgebra], dict[str, Array]]] = {
    FusedSpec: _traced,
    ChainSpec: _traced,
    GroupedSpec: _groups,
    AttentionSpec: _attention,
}
