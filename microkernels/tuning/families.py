"""The tuning tables, keyed by the processor family in `Target.family`.

A new family is one module beside this one and one line here. The module replaces values of the default table and names
the measurement behind each. A family without measurements that differ has no module and uses the default table. Today
these are Zen 5 and Cascade Lake, which the host probe names (`runtime/host/x86.py`).
"""

from __future__ import annotations

from ...encoder.features import Target
from .default import DEFAULT
from .sapphire_rapids import SAPPHIRE_RAPIDS
from .table import Tuning
from .zen4 import ZEN4

FAMILIES: dict[str, Tuning] = {
    "sapphire_rapids": SAPPHIRE_RAPIDS,
    "zen4": ZEN4,
    "zen5_narrow": ZEN4,  # splits 512-bit operations as Zen 4 does, and was not measured
}


def tuning_of(target: Target) -> Tuning:
    """The table of the target's family, or the default table."""
    return FAMILIES.get(target.family, DEFAULT)
