"""Attention in one kernel for a block of queries: see `spec`, `plan` and `emit`."""
