"""The arguments that a call may pass, and their conversion to the integers of the kernel's C function. Start with
`arrays`, `operands` and `gemm`."""
