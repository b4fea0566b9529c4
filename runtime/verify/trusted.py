"""Requests whose kernels are trusted without a proof, and the reasons why there is none."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.attention.spec import AttentionSpec
from ...microkernels.choice import Pipeline
from ...microkernels.eltwise.spec import EltwiseSpec
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.errors import UnsupportedError
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.machines.registry import TARGETS, facts_of
from ...microkernels.reduce.spec import ReduceSpec
from .coverage import made_again
from .proof import Proof

KINDS = {
    "attention_inv": "the backward pass computes powers of scores less a result of the forward pass, which are bounded "
    "only if that is right",
    "attention with a function of scores, or that drops probabilities": "its powers are no powers of scores; a kernel "
    "without them has the same products and sums",
    "ComposedSpec": "rests of elements that are rounded to bf16, and their digits in integers, are no polynomials "
    "of the elements",
}
"""The reasons why there is no proof, by the kind of a request."""


def kind(spec: object) -> str:
    """Return the kind of a request: the name of its class, or what attention without a proof is in `KINDS`."""
    if isinstance(spec, AttentionSpec):
        inverse, other, *_ = KINDS
        return inverse if spec.inverse else other if spec.score is not None or spec.rate else "AttentionSpec"
    return type(spec).__name__


def check(spec: Any, target: Target) -> None:
    """Raise UnsupportedError for products whose sums a target rounds by operations on integers."""
    product = getattr(spec, "product", spec)
    if type(product) is not GemmSpec or not _rounds_to_odd(product, target):
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


# Elements, reductions and bags

EIGHT = ("f8e5m2", "f8e4m3")
_INTEGERS = ("i8", "u8", "i16", "u16")


class Reason(NamedTuple):
    """A reason for primitives whose "kind name" matches a pattern, of some types (all if empty), whose proof's message
    matches another pattern."""

    primitives: str
    dtypes: tuple[str, ...]
    said: str
    why: str


REASONS = (
    Reason(
        ".*",
        (),
        "conditions on data in a mask register decide",
        "the code leaves out steps in which no element is better, by a branch that data decides; symbolic execution "
        "follows one way alone",
    ),
    Reason(
        "reduce arg(max|min)",
        (),
        "general registers",
        "along rows and down columns there is a proof; the place in the whole matrix is computed of data in general "
        "registers, where symbolic execution has numbers alone",
    ),
    Reason(
        "reduce arg(max|min)",
        (),
        ".*",
        "a part of the search is neither the better one of two elements nor the first of two places",
    ),
    Reason(
        ".* quantize",
        (),
        ".*",
        "a float becomes an integer of 8 bits and is held within its range: a single operation of the definition, "
        "which has more inputs than can be tried and no cases that the code shares with it",
    ),
    Reason(
        "unary round_stochastic",
        (),
        ".*",
        "random bits are added below the last bit that is kept: 64 bits of inputs, too many to be tried, and the "
        "definition rounds by another way than the code; f32 and f16 rounded to bf16 and f16 have a proof",
    ),
    Reason(
        ".* dequantize",
        ("i64", "f64"),
        ".*",
        "integers of 64 bits are rounded when they become f64, which code does by halves; the rules for integers in "
        "floats are those of exact ones",
    ),
    Reason(
        "reduce .*", ("i64",), "no specification", "sums modulo 2^64 have no specification; those modulo 2^32 have one"
    ),
    Reason(
        "reduce mean",
        ("i32",),
        ".*",
        "an integer becomes an f32 by halves, where rounding counts; over the reals nothing is known of the halves",
    ),
    Reason(
        "reduce absmax",
        ("bf16", "f16"),
        ".*",
        "the maximum of the sizes is rounded to its own type again by integer operations that no part of a proof names",
    ),
    Reason(
        "(unary|binary|ternary) .*",
        EIGHT,
        ".*",
        "results are rounded to 8 bits by integer operations, for which 2^32 floats are too many to be tried in a "
        "proof, and which are not among the shapes that were tried",
    ),
    Reason(
        "bag .*",
        EIGHT,
        ".*",
        "results are rounded to 8 bits by integer operations, for which 2^32 floats are too many to be tried in a "
        "proof, and which are not among the shapes that were tried",
    ),
    Reason(
        "(unary|binary|ternary) .*",
        ("bf16",),
        ".*",
        "results are rounded to bf16 by a comparison of the result with itself; a case of it has more conditions "
        "above it than a proof decides",
    ),
    Reason(
        "ternary n?muladd",
        ("f64",),
        "have no proof",
        "without an instruction for fused multiply-adds, code computes that of f64 by sums and products, whose errors "
        "are no parts of a proof; there is one on targets that have the instruction, and of f32 on all",
    ),
    Reason(
        "ternary .*",
        _INTEGERS,
        ".*",
        "integers are held within 16 bits, then within 8; the proof does not see that this is one step",
    ),
    Reason(
        "epilogue .*",
        ("u8", "i8", "i16", "i32"),
        "the epilogue has none",
        "floats become integers of the result by a comparison, a conversion and a limit, which are one step in the "
        "definition; 2^32 floats are too many to be tried in a proof",
    ),
    Reason(
        ".*",
        (),
        "data decides on an index",
        "the place in a table comes from data, and no AND with a constant keeps it inside",
    ),
    Reason(
        ".*",
        (),
        "general registers",
        "code computes integers of data in general registers, where symbolic execution has numbers alone",
    ),
)
"""The first reason that fits applies."""


def why(kind: str, name: str, dtype: str, said: str) -> str | None:
    """Return the reason for a cell whose proof says `said`, or None."""
    for each in REASONS:
        fits = re.fullmatch(each.primitives, f"{kind} {name}") and re.search(each.said, said)
        if fits and (not each.dtypes or dtype in each.dtypes):
            return each.why
    return None


_INPUTS = ("", "unary", "binary", "ternary")
_OF_REQUESTS: dict[type, tuple[str, ...]] = {
    EltwiseSpec: _INPUTS[1:],
    ReduceSpec: ("reduce",),
    BagSpec: ("bag",),
    EpilogueSpec: ("epilogue",),
}


def told(proof: Proof, code: bytes, target: Target, spec: object, pipeline: Pipeline) -> Proof:
    """Return a proof that failed. If the code is that of the request, what does not hold of the arithmetic says why no
    kernel of this kind has a proof, if that is known. Raise UnsupportedError like `check`."""
    check(spec, target)
    if proof.refuted or made_again(spec, target, pipeline) != code:
        return proof
    request = getattr(spec, "request", spec)
    kinds = _OF_REQUESTS.get(type(request), ())
    made = [request, *getattr(request, "results", ())] if "epilogue" in kinds else getattr(request, "arguments", ())
    dtypes = [each.dtype for each in made if hasattr(each, "dtype")]
    claims, name = [], getattr(request, "name", "")
    for claim in proof.claims:
        found = [why(kind, str(name), dtype, claim.how) for kind in kinds for dtype in dtypes]
        known = next(filter(None, found), None) if claim.what == "arithmetic" and not claim.holds else None
        claims.append(claim if known is None else replace(claim, how=f"{claim.how}: {known}"))
    return replace(proof, claims=tuple(claims))
