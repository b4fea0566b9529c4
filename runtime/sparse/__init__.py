"""Products with sparse matrices: handles with checked indices, and the loops over their rows of blocks."""
