"""The vector machines of x86-64: see `core`, `avx2` and `avx512`."""
