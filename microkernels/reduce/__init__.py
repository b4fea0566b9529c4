"""Reductions: see `spec`, `plan` and `emit`."""
