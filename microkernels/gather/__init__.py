"""Gathers, scatters and embedding bags: see `spec`, `emit` and `bag`."""
