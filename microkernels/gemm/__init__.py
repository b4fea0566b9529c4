"""Batch-reduce GEMM on operands in place, without packing them: see `spec`, `plan` and `emit`."""
