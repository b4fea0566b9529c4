"""The C library, CPython's layout, and the processor's architecture: see `libc`, `cpython` and `architecture`."""
