"""Products of a few rows by compressed weights, expanded in registers: form, request (spec), plan and code (emit).

Blocks expanded from bit masks: bitmask, unmask_spec, unmask_plan, unmask_emit.
"""
