"""The constants by which planners compare ways, for each processor family: see `table`, `default` and `families`."""
