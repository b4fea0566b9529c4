"""What traced functions with reductions and products say: see `rows`, and `found` for the search in what code made."""
