"""Products whose operands are packed into scratch memory first: see `block_plan`, `operand_plan` and `block_emit`."""
