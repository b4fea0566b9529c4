"""AArch64 code executed by qemu-user or by an Arm: see `server`, `process` and `guest`."""
