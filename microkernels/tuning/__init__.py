"""The numbers that planners weigh ways by, for each family of processors: see `table`, `default` and `families`."""
