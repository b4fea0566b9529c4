"""Traced functions with rows by an index: gathers among their operands, scatters among their results."""
