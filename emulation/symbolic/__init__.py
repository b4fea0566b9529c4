"""Symbolic execution of decoded bytes: see `values`, `lanes` and `machine`."""
