"""The numbers by which operators of other frameworks choose."""

from __future__ import annotations

from ...encoder.records import NamedTuple


class IntegrationTuning(NamedTuple):
    """Numbers of operators.

    spread   elements from which a kernel of rows runs on all cores: a part must be worth the few microseconds that
             waking a worker takes
    records  the most kinds of calls of an operator that machine code knows, which it compares one after the other
    traced   the most operations, and calls of them, whose functions for JAX are kept: a forgotten one is traced again
    """

    spread: int = 16384
    records: int = 32
    traced: int = 4096


INTEGRATIONS = IntegrationTuning()
