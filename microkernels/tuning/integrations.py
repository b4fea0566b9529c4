"""The numbers by which operators of other frameworks choose."""

from __future__ import annotations

from ...encoder.records import NamedTuple


class IntegrationTuning(NamedTuple):
    """Numbers of operators.

    spread   elements from which a kernel of rows runs on all cores: a part must be worth the few microseconds that
             waking a worker takes
    """

    spread: int = 16384


INTEGRATIONS = IntegrationTuning()
