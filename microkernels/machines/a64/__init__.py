"""The vector machines of AArch64: see `core`, `neon` and `sve`."""
