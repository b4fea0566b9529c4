"""The reasons why the bytes of a cell have no proof, and the cells that each reason applies to."""

from __future__ import annotations

import re

from ...encoder.records import NamedTuple

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
        ("bf16",),
        ".*",
        "the maximum of the sizes is rounded to bf16 again by integer operations that no part of a proof names",
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
        "ternary .*",
        _INTEGERS,
        ".*",
        "integers are held within 16 bits, then within 8; the proof does not see that this is one step",
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
