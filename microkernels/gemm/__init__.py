"""Batch-reduce GEMM of operands as they lie: see `spec`, `plan` and `emit`."""
