"""The encoder: instruction rows, operands, assembler, listing. It knows nothing of tensors."""
