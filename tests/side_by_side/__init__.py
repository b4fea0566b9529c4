"""Compare the results of a proved kernel with those of other code, by execution and as nodes of expressions."""
