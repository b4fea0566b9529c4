"""Kernels as Python objects. Start with `callable`, `kinds` and `tile_scope`."""
