"""The kinds of kernels by the class of their requests. Each kind is imported with the first request for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ...encoder.deferred import deferred
from .kind import Kind as Kind
from .kind import Spec as Spec
from .kind import array_kind as array_kind
from .request_cache import exact

_Rows = dict[type, Kind]


@deferred
def _products() -> _Rows:
    from .products import ROWS

    return ROWS


@deferred
def _narrower() -> _Rows:
    from .products import narrower

    return narrower()


@deferred
def _epilogues() -> _Rows:
    from .epilogues import ROWS

    return ROWS


@deferred
def _stacks() -> _Rows:
    from .stacks import ROWS

    return ROWS


@deferred
def _attention() -> _Rows:
    from .elementwise import attention

    return attention()


@deferred
def _elementwise() -> _Rows:
    from .elementwise import ROWS

    return ROWS


@deferred
def _fused() -> _Rows:
    from .elementwise import fused

    return fused()


@deferred
def _grouped() -> _Rows:
    from .elementwise import grouped

    return grouped()


@deferred
def _chains() -> _Rows:
    from .elementwise import chains

    return chains()


@deferred
def _indexed() -> _Rows:
    from .elementwise import indexed

    return indexed()


@deferred
def _rowwise() -> _Rows:
    from .elementwise import rowwise

    return rowwise()


@deferred
def _gathers() -> _Rows:
    from .gathers import ROWS

    return ROWS


@deferred
def _reductions() -> _Rows:
    from .reductions import ROWS

    return ROWS


@deferred
def _transforms() -> _Rows:
    from .transforms import ROWS

    return ROWS


_PLACES: dict[str, Callable[[], _Rows]] = {
    "AttentionSpec": _attention,
    "InverseSpec": _attention,
    "GemmSpec": _products,
    "Bf16x3Spec": _narrower,
    "OzakiSpec": _narrower,
    "StackSpec": _stacks,
    "RowsSpec": _stacks,
    "EpilogueSpec": _epilogues,
    "PackedSpec": _epilogues,
    "EltwiseSpec": _elementwise,
    "FusedSpec": _fused,
    "GroupedSpec": _grouped,
    "ChainSpec": _chains,
    "IndexedSpec": _indexed,
    "RowwiseSpec": _rowwise,
    "BagSpec": _gathers,
    "GatherSpec": _gathers,
    "CountedSpec": _gathers,
    "ReduceSpec": _reductions,
    "TransformSpec": _transforms,
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
