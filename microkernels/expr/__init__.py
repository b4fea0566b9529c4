"""Expressions of one element: see `graph`, `ops` and `trace`."""
