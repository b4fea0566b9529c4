"""Bit-exact models of processors in numpy. Start with `cpu`, `numerics` and `qemu`."""
