"""AArch64: registers, the instruction table and the assembler."""
