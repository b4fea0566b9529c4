"""Symbolic execution of machine code. Start with `values`, `lanes` and `machine`."""
