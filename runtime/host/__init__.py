"""This machine as a target: see `detect`, `x86` and `a64`."""
