"""The interface through which kernels use any instruction set: see `machine`, `vector_verbs` and `dot_and_tile`."""
