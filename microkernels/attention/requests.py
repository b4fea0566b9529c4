"""Requests of the parts of attention, and their plans. Equal ones are one object, made once: kernels of other lengths
share most of their parts, and a part of new extents shares its computation with others."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..choice import Plan, choose, required
from ..contract.machine import Facts
from ..eltwise import moved_plan as tiles
from ..eltwise import orders
from ..eltwise import plan as elementwise_parts
from ..eltwise.spec import EltwiseSpec, spec_of
from ..eltwise.traced import Computation, computation
from ..expr.graph import Expr
from ..functions.accuracies import STANDARD
from ..gemm.plan import GemmPlan, planned
from ..gemm.spec import GemmSpec, gemm_spec
from .spec import AttentionSpec

KEPT = 256
"""The number of parts that are kept. A kernel has at most about sixty."""

COPIES: dict[str, Callable[..., Expr]] = {
    "q": lambda q: q,
    "g": lambda g: g,
    "s": lambda s: s,
    "x": lambda x: x,
    "mask": lambda mask: mask,
}
"""The functions that copy an operand, by its name."""

of_product = lru_cache(KEPT)(gemm_spec)
"""The request of a product, with the arguments of `gemm_spec`."""


@lru_cache(KEPT)
def scaled(name: str, factor: float) -> Callable[..., Expr]:
    """Return the function that multiplies an operand of this name, "q" or "o", by a factor."""
    return {"q": lambda q: q * factor, "o": lambda o: o * factor}[name]


def elementwise(
    function: Callable[..., Any],
    name: str,
    shapes: dict[str, tuple[int, int]],
    dtype: str,
    out: str | None = None,
    accuracy: str = STANDARD,
    **places: dict[str, Any],
) -> EltwiseSpec:
    """Return the request for a function on matrices. places: `leading`, `order` and `layouts`, as in `eltwise_spec`.
    Functions are told apart by identity."""
    return _elementwise(
        function,
        name,
        tuple(shapes.items()),
        dtype,
        out,
        accuracy,
        tuple([(each, tuple(given.items())) for each, given in places.items()]),
    )


def converted(spec: AttentionSpec, name: str, keys: int) -> EltwiseSpec:
    """Return the request for a conversion of some keys of k or v to the type of the arithmetic."""
    return elementwise(
        COPIES["x"],
        "converted",
        {"x": (keys, spec.size)},
        dtype=spec.dtype,
        out=spec.compute,
        leading={"ldx": spec.row_step(name)},
    )


@lru_cache(KEPT)
def _elementwise(
    function: Callable[..., Any],
    name: str,
    shapes: tuple[tuple[str, tuple[int, int]], ...],
    dtype: str,
    out: str | None,
    accuracy: str,
    places: tuple[tuple[str, Any], ...],
) -> EltwiseSpec:
    computed = _computation(function, name, tuple([operand for operand, _ in shapes]), dtype, out, accuracy)
    given = {each: dict(values) for each, values in places}
    return spec_of(
        computed,
        dict(shapes),
        leading=given.get("leading"),
        order=given.get("order", "C"),
        layouts=given.get("layouts"),
    )


@lru_cache(KEPT)
def _computation(
    function: Callable[..., Any], name: str, inputs: tuple[str, ...], dtype: str, out: str | None, accuracy: str
) -> Computation:
    return computation(function, name, inputs, dtype=dtype, out=out, accuracy=accuracy)


def _claims_scratch(way: Any) -> bool:
    """Whether a plan claims scratch memory where it begins. Such a plan cannot be emitted inside a loop."""
    return getattr(way, "waits", False) or bool(getattr(getattr(way, "code", None), "slots", 0))


@lru_cache(KEPT)
def product_of(spec: GemmSpec, facts: Facts) -> GemmPlan:
    """Return the plan of a product. It is cached, since blocks of other lengths contain the same whole blocks."""
    return required(planned(spec, facts))


@lru_cache(KEPT)
def elementwise_of(spec: EltwiseSpec, facts: Facts) -> Plan:
    """Return the fastest plan of an elementwise part that claims no scratch memory of its own."""
    moved = orders.moved(spec) if spec.layouts else None
    if moved is not None and (found := tiles.without_scratch(spec, facts, moved)) is not None:
        return found
    every = elementwise_parts.candidates(spec, facts) if moved is None else tiles.candidates(spec, facts, moved)
    return choose([each for each in every if not _claims_scratch(each)])
