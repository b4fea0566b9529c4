"""Products whose number of rows or columns is given at the call: request (`spec`), blocks (`plan`), code (`emit`)."""
