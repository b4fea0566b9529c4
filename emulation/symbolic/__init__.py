"""Symbolic execution of decoded bytes: see `values`, `memory` and `semantics`."""
