"""The benchmarks of `tilesmith bench`: one file of cases for each, whose name is the benchmark's; see `runner`."""
