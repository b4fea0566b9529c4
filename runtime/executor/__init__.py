"""The executor of compiled graphs: steps as one function in machine code (docs/executor.md)."""
