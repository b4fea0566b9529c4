"""Which ways of branches no number can take: an analysis of intervals, by architecture."""
