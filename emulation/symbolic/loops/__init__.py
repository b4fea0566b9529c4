"""Loops that are summarised: one iteration on placeholders, and the others from it."""
