"""Processors before AVX2: `avx` and `sse` are the machines, `legacy` puts three operands into two."""
