"""The table for processors that have none of their own: the default values of every part."""

from __future__ import annotations

from .table import Tuning

DEFAULT = Tuning()
