"""Compressed weights: their formats in memory, and readers of other programs' formats."""
