"""The vector machines: see `registry`, `x86` and `a64`."""
