"""The scalar machines, on whose verbs emitted calls are written: see `machine`, `x86` and `a64`."""
