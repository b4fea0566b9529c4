"""What a kernel may use of any instruction set: see `machine`, `facts` and `dot_and_tile`."""
