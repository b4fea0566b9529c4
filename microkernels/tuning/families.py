"""The tuning tables by the name of a processor family, as `Target.family` has it.

A new family is one module beside this one, which replaces numbers of the default table and names the measurement that
each comes from, and one line here. A family of which nothing was measured that differs has no module, and uses the
default table: today Zen 5, Cascade Lake and Sapphire Rapids, which the host probe names (`runtime/host/x86.py`).
"""

from __future__ import annotations

from ...encoder.features import Target
from .default import DEFAULT
from .table import Tuning
from .zen4 import ZEN4

FAMILIES: dict[str, Tuning] = {
    "zen4": ZEN4,
    "zen5_narrow": ZEN4,  # splits operations of 512 bits as Zen 4 does, and was not measured
}


def tuning_of(target: Target) -> Tuning:
    """The table of the target's family; the default one where it has none."""
    return FAMILIES.get(target.family, DEFAULT)
