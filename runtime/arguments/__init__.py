"""What a call may pass, and the integers that the kernel's C function takes: see `arrays`, `operands` and `gemm`."""
