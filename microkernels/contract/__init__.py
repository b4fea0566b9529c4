"""What a kernel may ask of any instruction set: see `machine`, `dot_and_tile` and `shuffle_network`."""
