"""The semantics of x86-64 instructions: see `semantics`, `operands` and `state`."""
