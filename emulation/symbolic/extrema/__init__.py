"""The largest or least of a set of elements, in whatever order they are compared."""
