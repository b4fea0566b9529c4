"""Layers one after the other, whose intermediate results share a few buffers."""
