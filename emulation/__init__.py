"""What the silicon does, in numpy, bit for bit: see `cpu`, `numerics` and `qemu`."""
