"""Functions that others wrote: by hand (kernel) and with PeachPy (peachpy), as callables that check arguments."""
