"""Elementwise kernels: see `spec`, `plan` and `emit`."""
