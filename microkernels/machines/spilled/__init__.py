"""Machines of kernels that need more general registers than the processor has: `x86` and `a64`."""
