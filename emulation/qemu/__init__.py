"""Execute AArch64 code under qemu-user or natively on an Arm machine. Start with `server`, `process` and `guest`."""
