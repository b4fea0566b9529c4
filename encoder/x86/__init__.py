"""x86-64: registers, prefixes, the instruction table, the System V calling convention."""
