"""Expressions of one element, and what they are made of: see `graph`, `ops` and `trace`."""
