"""Processors before AVX2: `avx` and `sse` are the machines, `halves` and `legacy` replace the instructions they lack."""
