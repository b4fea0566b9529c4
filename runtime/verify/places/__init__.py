"""Check where plans place intermediate values: walk the steps of a plan in the order of execution, with the bytes that
each reads and writes."""
