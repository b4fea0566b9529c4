"""The numbers by which operators of other frameworks choose."""

from __future__ import annotations

from ...encoder.records import NamedTuple


class IntegrationTuning(NamedTuple):
    """Numbers of operators.

    spread   elements from which a kernel of rows runs on all cores: a part must be worth the few microseconds that
             waking a worker takes
    records  the most kinds of calls of an operator that machine code knows, which it compares one after the other
    shapes   the most shapes of inputs for which a model of ONNX keeps what follows from them
    """

    spread: int = 16384
    records: int = 32
    shapes: int = 16


INTEGRATIONS = IntegrationTuning()
