"""Workers whose start routine is machine code: see `pool`, `region` and `policy`."""
