"""The kinds of kernels by the class of their requests. Each kind is imported with the first request for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from .kind import Kind as Kind
from .kind import Spec as Spec
from .kind import array_kind as array_kind
from .request_cache import exact

if TYPE_CHECKING:
    from . import elementwise, epilogues, gathers, products, reductions, stacks, transforms

products = lazy(__package__, ".products")
epilogues = lazy(__package__, ".epilogues")
stacks = lazy(__package__, ".stacks")
elementwise = lazy(__package__, ".elementwise")
gathers = lazy(__package__, ".gathers")
reductions = lazy(__package__, ".reductions")
transforms = lazy(__package__, ".transforms")

_Rows = dict[type, Kind]


_PLACES: dict[str, Callable[[], _Rows]] = {
    "AttentionSpec": lambda: elementwise.attention(),
    "InverseSpec": lambda: elementwise.attention(),
    "GemmSpec": lambda: products.ROWS,
    "Bf16x3Spec": lambda: products.narrower(),
    "OzakiSpec": lambda: products.narrower(),
    "StackSpec": lambda: stacks.ROWS,
    "RowsSpec": lambda: stacks.ROWS,
    "EpilogueSpec": lambda: epilogues.ROWS,
    "PackedSpec": lambda: epilogues.ROWS,
    "EltwiseSpec": lambda: elementwise.ROWS,
    "FusedSpec": lambda: elementwise.fused(),
    "GroupedSpec": lambda: elementwise.grouped(),
    "ChainSpec": lambda: elementwise.chains(),
    "IndexedSpec": lambda: elementwise.indexed(),
    "RowwiseSpec": lambda: elementwise.rowwise(),
    "BagSpec": lambda: gathers.ROWS,
    "GatherSpec": lambda: gathers.ROWS,
    "CountedSpec": lambda: gathers.ROWS,
    "ReduceSpec": lambda: reductions.ROWS,
    "TransformSpec": lambda: transforms.ROWS,
}
"""Maps the name of a request class to the function that imports its kind."""
KINDS: dict[type, Kind] = {}
"""The kinds imported so far, keyed by request class."""


def every() -> dict[type, Kind]:
    """Return all kinds."""
    for load in _PLACES.values():
        KINDS.update(load())
    return KINDS


def kind_of(spec: Any) -> Kind:
    """Return the kind of a request. Raise TypeError for other objects."""
    asked = type(spec)
    if asked not in KINDS and asked.__name__ in _PLACES:
        KINDS.update(_PLACES[asked.__name__]())
    found = KINDS.get(asked)
    if found is None:
        raise TypeError(f"request: what ts.gemm_spec(...), ts.eltwise_spec(...) or the `spec` of a kernel returns, not "
                        f"{spec!r}")  # fmt: skip
    return found


def requested(spec: Spec) -> Spec:
    """Return a spec from elsewhere (a pickle, made by hand) as the request function of its kind makes it.

    Raises the errors of that function for a request that it does not accept, and ValueError for fields that it never
    makes.
    """
    kind = kind_of(spec)
    try:
        asked: Any = exact(spec)
        made = kind.again(asked)
    except (AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"request: a {type(spec).__name__} with fields that its function does not make; "
                         f"{type(error).__name__}: {error}") from error  # fmt: skip
    for each in fields(asked):
        meant, found = getattr(made, each.name), getattr(asked, each.name)
        if meant != found:
            raise ValueError(f"request: {each.name} must be {meant!r}, which follows from the other fields, not "
                             f"{found!r}")  # fmt: skip
    return made
