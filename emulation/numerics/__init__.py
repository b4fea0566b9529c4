"""Arithmetic with the exact results of processors, on numpy arrays. Start with `rounding`, `fp` and `expressions`."""
