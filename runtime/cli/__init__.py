"""The command line: see `main`, `requests` and `demo`."""
