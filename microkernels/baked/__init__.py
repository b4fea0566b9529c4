"""Products with a fixed sparse matrix, whose pattern is code and whose values are constants."""
