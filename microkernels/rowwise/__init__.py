"""Elementwise kernels and the like whose number of rows is given at the call: request (`spec`), plans and emitters."""
