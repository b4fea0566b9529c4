"""Functions from other sources, written by hand (kernel) or with PeachPy (peachpy), as callables that check
arguments."""
