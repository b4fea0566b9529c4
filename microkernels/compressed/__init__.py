"""Products of a few rows by compressed weights, expanded in registers: form, request (spec), plan and code (emit)."""
