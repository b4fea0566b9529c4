"""Kernels under other frameworks: `tilesmith.integrations.torch`. Each is imported on its own."""
