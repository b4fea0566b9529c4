"""Requests and targets from the texts that `text_of` of encoder/records.py writes. Only the classes of requests
(kinds.py) and those of their parts are made from a text."""

from __future__ import annotations

from ast import literal_eval
from enum import Enum
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import ENUMERATION, FLOAT, SET
from ...microkernels.expr.program import Program, Step
from ...microkernels.gemm.pairs import BatchLevel
from ...microkernels.gemm.spec import PairBatch
from ...microkernels.operands import Leading, Number, Operand, View
from ...microkernels.tensor.extent import SymbolicExtent
from .kinds import ROWS, class_of

if TYPE_CHECKING:
    from ...microkernels.baked import spec as baked_spec
    from ...microkernels.compressed import form as compressed_form
    from ...microkernels.indexed import spec as indexed_spec

baked_spec = lazy(__package__, "...microkernels.baked.spec")
compressed_form = lazy(__package__, "...microkernels.compressed.form")
indexed_spec = lazy(__package__, "...microkernels.indexed.spec")

PARTS: dict[str, Any] = {
    made.__name__: made for made in (BatchLevel, Number, Operand, Program, Step, SymbolicExtent, Target, View)
}
LATER: dict[str, object] = {"Found": indexed_spec, "FixedMatrix": baked_spec, "CompressedForm": compressed_form}
"""Parts of few kinds of requests, by the modules that have them."""
ENUMERATIONS: dict[str, type[Enum]] = {made.__name__: made for made in (PairBatch, Leading)}


def value_of(text: str) -> Any:
    """Return the value whose text `text_of` wrote. Raises ValueError for any other text."""
    try:
        return _value(literal_eval(text))
    except (LookupError, TypeError, AttributeError, ValueError, SyntaxError) as error:
        raise ValueError(f"request: {text[:200]} is not the text of a request ({error})") from None


def _value(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(_value(each) for each in data)
    if not isinstance(data, dict):
        return data
    ((name, given),) = data.items()
    if name == FLOAT:
        return float.fromhex(given)
    if name == SET:
        return frozenset(given)
    if name == ENUMERATION:
        kind, _, member = given.partition(".")
        return ENUMERATIONS[kind][member]
    return _class(name)(*map(_value, given))


def _class(name: str) -> Any:
    if name in LATER:
        return getattr(LATER[name], name)
    return class_of(name) if name in ROWS else PARTS[name]
