"""Names and call frames of emitted code for debuggers and profilers: see `gdb` and `profilers`."""
