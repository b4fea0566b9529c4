"""Calls that emitted machine code takes: see `entry`, `guards` and `dlpack`."""
