"""Tensor kernels as raw machine code, from Python, with no compiler."""
