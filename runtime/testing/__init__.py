"""Tools for tests of kernels: guard pages (guard), error bounds (reference), random operands (strategies)."""
