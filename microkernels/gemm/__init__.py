"""Batch-reduce GEMM on unpacked operands. See `spec`, `plan` and `emit`."""
