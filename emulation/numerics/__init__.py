"""Arithmetic as processors do it, on arrays: see `rounding`, `fp` and `expressions`."""
