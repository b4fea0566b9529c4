"""Fused kernels, elementwise with reductions along rows: see `spec`, `passes` and `plan`."""
