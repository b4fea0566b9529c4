"""Bytes: instruction rows, operands, assembler, listing. Knows no tensor."""
