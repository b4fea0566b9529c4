"""Calls that go through emitted machine code. Start with `entry`, `guards` and `dlpack`."""
