"""Kernels of tensor programs: see `tensorize`."""
