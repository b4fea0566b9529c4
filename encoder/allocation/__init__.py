"""Functions written on virtual registers: an assembler that records instructions and then gives registers to them."""
