"""Requests as text: what names a kernel in the cache on disk, and what a folder of frozen kernels says of each.

    text = text_of(spec)        JSON: classes by their names, fields in order, floats in hexadecimal
    value_of(text) == spec

Equal requests give equal texts, different ones different texts. Only the classes below are made from a text.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from ...encoder.features import Target
from ...microkernels.eltwise.spec import EltwiseSpec
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.expr.program import Program, Step
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.spec import GatherSpec
from ...microkernels.gemm.spec import Batch, GemmSpec
from ...microkernels.operands import Leading, Number, Operand, View
from ...microkernels.precision.bf16x3_spec import Bf16x3Spec
from ...microkernels.precision.ozaki_spec import OzakiSpec
from ...microkernels.reduce.spec import ReduceSpec
from ...microkernels.transform.spec import TransformSpec

_CLASSES: dict[str, Any] = {
    made.__name__: made
    for made in (
        BagSpec, Bf16x3Spec, EltwiseSpec, EpilogueSpec, GatherSpec, GemmSpec, Number, Operand, OzakiSpec, Program,
        ReduceSpec, Step, Target, TransformSpec, View,
    )
}  # fmt: skip
_ENUMERATIONS: dict[str, type[Enum]] = {made.__name__: made for made in (Batch, Leading)}
_FLOAT, _SET, _ENUM = "float", "set", "enum"


def text_of(value: Any) -> str:
    """The text of a spec, a target, or what they hold; TypeError for what neither holds."""
    return json.dumps(_data(value), separators=(",", ":"))


def value_of(text: str) -> Any:
    """What `text_of` made the text of; ValueError for another text."""
    try:
        return _value(json.loads(text))
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"request: {text[:200]}, which no request is written as ({error})") from None


def _data(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (str, int, bool):
        return value
    if kind is float:
        return {_FLOAT: value.hex()}
    if kind is tuple:
        return [_data(each) for each in value]
    if kind is frozenset:
        return {_SET: sorted(value)}
    if isinstance(value, Enum):
        return {_ENUM: f"{kind.__name__}.{value.name}"}
    if kind.__name__ in _CLASSES and _CLASSES[kind.__name__] is kind:
        return {kind.__name__: [_data(getattr(value, name)) for name in _names(kind)]}
    raise TypeError(f"request: numbers, strings and None, not {value!r}")


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else tuple(kind._fields)


def _value(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(_value(each) for each in data)
    if not isinstance(data, dict):
        return data
    ((name, given),) = data.items()
    if name == _FLOAT:
        return float.fromhex(given)
    if name == _SET:
        return frozenset(given)
    if name == _ENUM:
        kind, _, member = given.partition(".")
        return _ENUMERATIONS[kind][member]
    return _CLASSES[name](*map(_value, given))
