"""Processors before AVX2. `avx` and `sse` are the machines; `legacy` converts three-operand instructions to two
operands."""
