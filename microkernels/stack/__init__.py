"""Stacks of independent products, computed by one call: the request (spec), the plan (plan) and the code (emit)."""
