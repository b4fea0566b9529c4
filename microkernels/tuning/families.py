"""The tuning tables by the name of a processor family, as `Target.family` has it.

A new family is one module beside this one that replaces some numbers of the default table, each with the measurement
that it comes from, and one line here.
"""

from __future__ import annotations

from ...encoder.features import Target
from .default import DEFAULT
from .table import Tuning

FAMILIES: dict[str, Tuning] = {}


def tuning_of(target: Target) -> Tuning:
    """The table of the target's family; the default one where it has none."""
    return FAMILIES.get(target.family, DEFAULT)
