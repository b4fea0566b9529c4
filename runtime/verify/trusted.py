"""Requests whose kernels are trusted without a proof, and the reasons."""

from __future__ import annotations

from typing import Any

from ...encoder.features import Target
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import TARGETS, facts_of

KINDS = {
    "InverseSpec": "the backward pass computes powers of scores less a result of the forward pass, which are bounded "
    "only if that is right",
    "Bf16x3Spec": "rests of elements that are rounded to bf16 are no polynomials of the elements",
    "OzakiSpec": "digits of elements in integers are no polynomials of the elements",
}
"""The reasons by the class name of a request."""


def check(spec: Any, target: Target) -> None:
    """Raise UnsupportedError for products whose sums a target rounds by operations on integers."""
    product = getattr(spec, "product", spec)
    if type(product).__name__ != "GemmSpec" or not _rounds_to_odd(product, target):
        return
    a, b, _ = product.dtypes
    others = ", ".join(
        name
        for name, other in TARGETS.items()
        if other.arch == target.arch
        and facts_of(other).unit(a, b, product.numerics)
        and not _rounds_to_odd(product, other)
    )
    raise UnsupportedError(
        f"verify: products of {a} by {b} on {target.name} have no proof: each sum is rounded to odd "
        "by operations on integers, which are no polynomials of the elements; there are proofs on "
        f"{others}, and of ts.brgemm and ts.gemm with numerics='fast' and results of f32; k.run "
        "executes the bytes on given inputs"
    )


def _rounds_to_odd(product: Any, target: Target) -> bool:
    a, b, _ = product.dtypes
    facts = facts_of(target)
    units = facts.unit(a, b, product.numerics), facts.mmla(a, b, product.numerics)
    return any(unit is not None and unit.to_odd for unit in units)
