"""Stacks of independent products, computed by one call: their request (spec), plan (plan) and code (emit)."""
