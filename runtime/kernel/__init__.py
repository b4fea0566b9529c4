"""Kernels as Python objects: see `callable`, `kinds` and `tile_scope`."""
