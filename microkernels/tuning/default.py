"""The table for processors that have none of their own: the defaults of every kind."""

from __future__ import annotations

from .table import Tuning

DEFAULT = Tuning()
