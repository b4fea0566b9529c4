"""Traced functions with products of matrices: the request (`spec`), its stages (`cut`), bands of rows (`plan`)."""
