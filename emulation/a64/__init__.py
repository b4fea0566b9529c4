"""The semantics of AArch64 instructions: see `semantics`, `operands` and `state`."""
