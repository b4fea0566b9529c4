"""The scalar machines, whose verbs emit the call paths: see `machine`, `x86` and `a64`."""
