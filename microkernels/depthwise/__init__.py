"""Depthwise convolutions and those of small groups: the request (spec), the plan (plan) and the code (emit)."""
