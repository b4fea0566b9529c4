"""The definition of each class of request.

    evaluate(request, NodeAlgebra(table, nodes, target, numbers))["y"]      the bytes of each element, as parts of nodes
    computed(request, arrays)["y"]                                      the array that numpy computes

Products and reductions leave the order of sums open: `sums` defines them in rings. In an algebra of numbers the sums of
reductions are exact, and rounded once; in an algebra of nodes they have no definition, as each kernel has its order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ....emulation.symbolic.values import decoded, encoded
from ....encoder.features import Target
from ....microkernels.baked.spec import BakedSpec
from ....microkernels.depthwise.spec import DepthwiseSpec
from ....microkernels.eltwise.spec import EltwiseSpec
from ....microkernels.errors import UnsupportedError
from ....microkernels.gather.bag_spec import BagSpec
from ....microkernels.gather.spec import GatherSpec
from ....microkernels.indexed.spec import IndexedSpec
from ....microkernels.operands import Operand
from ....microkernels.reduce.spec import ReduceSpec
from ....microkernels.transform.spec import TransformSpec
from ...arguments.dtypes import numpy_dtype
from . import sums
from .algebra import Algebra, Array, NumberAlgebra, raw_of, whole
from .conversions import NUMPY_TYPES, stored
from .elementwise import elementwise
from .gathers import bag, gather
from .indexed import indexed
from .moves import baked, depthwise, transform

Definition = Callable[[Any, Algebra], dict[str, Array]]
DEFINITIONS: dict[type, Definition] = {
    TransformSpec: transform,
    EltwiseSpec: elementwise,
    DepthwiseSpec: depthwise,
    BakedSpec: baked,
    GatherSpec: gather,
    BagSpec: bag,
    IndexedSpec: indexed,
}
"""Definitions of requests that determine every bit of their results, by class."""


def evaluate(spec: Any, algebra: Algebra) -> dict[str, Array]:
    """Return the bytes of every element of the results, keyed by their names. Raises UnsupportedError for requests
    without a definition."""
    if type(spec) not in DEFINITIONS:
        raise UnsupportedError(f"verify: no definition of {type(spec).__name__} that determines every bit")
    return DEFINITIONS[type(spec)](spec, algebra)


def computed(
    spec: Any,
    arrays: Mapping[str, Array],
    numbers: Mapping[str, int] | None = None,
    target: Target | None = None,
    tables: int = 0,
) -> dict[str, Array]:
    """Return the results that numpy computes, as arrays of the types of their memory. See `NumberAlgebra` for the
    arguments; results that nothing reads may be left out of `arrays`."""
    algebra = NumberAlgebra(arrays, numbers, target, tables)
    with np.errstate(all="ignore"):
        made = reduced(spec, algebra, arrays) if isinstance(spec, ReduceSpec) else evaluate(spec, algebra)
    types = {each.name: numpy_dtype(each.dtype) for each in spec.arguments if isinstance(each, Operand)}
    return {name: as_array(data, arrays.get(name), types[name]) for name, data in made.items()}


def as_array(data: Array, before: Array | None, dtype: np.dtype[Any]) -> Array:
    """Return the bytes of numbers as an array."""
    found = decoded(np.ascontiguousarray(data), dtype)
    if found is None:
        raise UnsupportedError("verify: the definition of the request leaves a value open")
    return found if before is None else found.reshape(before.shape)


def reduced(spec: ReduceSpec, algebra: Algebra, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the results of a reduction of numbers: sums are those of whole numbers, and rounded once."""
    if spec.name in sums.SEARCHES:
        compute = np.dtype(NUMPY_TYPES[spec.compute])
        return {"y": encoded(sums.places(spec, algebra.loaded("x", spec.dtype, compute)))}
    if spec.name in sums.EXTREMA:
        return {y.name: sums.extremum(spec, algebra, at) for at, y in enumerate(spec.outputs)}
    totals = (_in_type(total, np.dtype(NUMPY_TYPES[spec.compute])) for total in sums.totals(spec, whole(arrays)))
    return {y.name: raw_of(stored(total, spec.out)) for y, total in zip(spec.outputs, totals)}


def _in_type(total: Array, compute: np.dtype[Any]) -> Array:
    """Return exact sums as f64, or modulo the number of values of the computed integers."""
    if compute.kind == "f":
        return np.array([float(each) for each in total])
    return np.array([int(each) % (1 << 8 * compute.itemsize) for each in total], f"u{compute.itemsize}").view(compute)
