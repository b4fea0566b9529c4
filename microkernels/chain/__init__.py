"""Traced functions with matrix products: the request (`spec`), its stages (`cut`) and the plan in bands of rows
(`plan`)."""
