"""From bytes to calls: see `kernel.callable`, `memory.executable` and `fastcall.entry`."""
