"""Recognise the maximum or minimum of a set of elements, whatever the order in which they are compared."""
