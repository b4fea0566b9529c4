"""Kernels under other frameworks, each imported on its own."""
