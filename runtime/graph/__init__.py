"""Compiled graphs: steps and their executor."""
