"""Recurrences in programs: loops over steps in time, and the layers that are made of them (docs/graph.md)."""
