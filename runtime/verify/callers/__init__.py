"""What proofs say about every caller: its floating-point mode, and where its operands and its stack lie."""
