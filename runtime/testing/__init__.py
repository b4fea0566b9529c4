"""What tests of kernels need: guard pages (guard), error bounds (reference), drawn operands (strategies)."""
