"""The command line. Start with `main`, `requests` and `demo`."""
