"""Words that a call gives (seeds, indices, strides): exact expressions of them, in general registers and in vectors."""
