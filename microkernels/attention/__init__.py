"""Attention as one kernel, computed for one block of queries at a time. See `spec`, `plan` and `emit`."""
