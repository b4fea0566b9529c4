"""The floating-point modes of a caller, none of whose bits is known."""
