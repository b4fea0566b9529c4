"""A proved kernel and other code beside it: the results of both, by execution and as nodes."""
